/* dcamp-load-object FILE SYMBOL: the process of one worker, in which a function of a shared object
 * is called. Its descriptor 3 is a socket to dcamp-load; exchange.h describes the packets.
 *
 * Nothing else of dCAMP is linked into it, for an object may bring along any library. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/dcamp-load.h"
#include "load/exchange.h"
#include "load/process.h"

_Static_assert(DCAMP_LOAD_WHY == EXCHANGE_WHY, "one text for both");

/* A packet, which is one whole call. */
struct packet {
    struct exchange_call call;
    char data[EXCHANGE_DATA_MAX + 1];
};

static int tell(const struct exchange_answer *answer)
{
    return send(PROCESS_SOCKET, answer, sizeof *answer, MSG_NOSIGNAL) == sizeof *answer;
}

/* The text of dlerror(3) without the name of the file in front: dcamp-load prints that itself. */
static const char *why_not(const char *file)
{
    const char *why = dlerror();
    size_t len = strlen(file);
    if (!why)
        return "the symbol is at address 0";
    return strncmp(why, file, len) == 0 && strncmp(why + len, ": ", 2) == 0 ? why + len + 2 : why;
}

/* Returns NULL on failure, and answer says why. The symbol has to be a function of the type that
 * the header gives. */
static dcamp_load_function *load(const char *file, const char *symbol,
                                 struct exchange_answer *answer)
{
    dcamp_load_function *function = NULL;
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL),
         *found = object ? dlsym(object, symbol) : NULL;
    memcpy(&function, &found, sizeof function);
    answer->result = found ? 0 : 1;
    snprintf(answer->why, sizeof answer->why, "%s", found ? "" : why_not(file));
    return function;
}

/* Returns the length of the data, or -1 if dcamp-load is gone. */
static ssize_t next_call(struct packet *packet)
{
    const size_t least = offsetof(struct packet, data);
    ssize_t n = recv(PROCESS_SOCKET, packet, least + EXCHANGE_DATA_MAX, 0);
    return n < (ssize_t)least ? -1 : n - (ssize_t)least;
}

static void serve(dcamp_load_function *function, struct packet *packet)
{
    for (ssize_t n; (n = next_call(packet)) >= 0;) {
        struct exchange_answer answer = {0};
        packet->data[n] = '\0';
        const struct dcamp_load_call call = {packet->call.sequence, packet->call.worker,
                                             packet->data};
        answer.result = function(&call, answer.why);
        answer.why[sizeof answer.why - 1] = '\0';
        if (!tell(&answer))
            return;
    }
}

int main(int argc, char **argv)
{
    struct exchange_answer loaded = {0};
    struct packet packet;
    if (argc != 3 || fcntl(PROCESS_SOCKET, F_SETFD, FD_CLOEXEC) != 0) {
        fputs("dcamp-load-object: dcamp-load starts it\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a blocking function would not notice that dcamp-load
                                       * ends */
    dcamp_load_function *function = load(argv[1], argv[2], &loaded);
    if (!tell(&loaded) || !function)
        return 1;
    serve(function, &packet);
    return 0;
}
