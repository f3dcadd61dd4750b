#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spawn.h"
#include "base/text.h"
#include "load/actor.h"
#include "load/exchange.h"
#include "load/process.h"

/* A function of a shared object. Each actor has a process, dcamp-load-object, in which the function
 * is called, because it may block or crash. */
#define HELPER "dcamp-load-object"
#define SYMBOL "dcamp_load_operation" /* as in dcamp-load.h */
#define LOADING_NS (10 * NS_PER_S)

_Static_assert(FAILURE_TEXT == EXCHANGE_WHY, "what went wrong is one text");

struct object_hub {
    struct hub hub;
    struct processes processes;
    char helper[PATH_MAX], file[PATH_MAX];
    const char *symbol;
    struct object_actor *spare; /* opened first, to find out whether the object can be loaded */
};

struct object_actor {
    struct actor actor;
    struct process *process; /* NULL if there is none */
    struct reactor_watch answers;
    bool is_loaded, is_busy;
};

static struct object_hub *hub_of(const struct object_actor *own)
{
    return (struct object_hub *)own->actor.hub;
}

/* -- The process of an actor ----------------------------------------------------------------- */

static void hang_up(struct object_actor *own)
{
    if (own->answers.fd < 0)
        return;
    reactor_remove(own->actor.hub->reactor, &own->answers);
    close(own->answers.fd);
    own->answers.fd = -1;
}

static void end_process(struct object_actor *own)
{
    hang_up(own);
    if (own->process)
        process_give_up(own->process);
    own->process = NULL;
    own->is_busy = false;
}

static void fail(struct object_actor *own, enum failure_kind kind, const char *why)
{
    end_process(own);
    actor_fail(&own->actor, kind, "%s: %s", own->actor.hub->action->target, why);
}

static void tell_result(struct object_actor *own, const struct exchange_answer *answer)
{
    own->is_busy = false;
    if (answer->result == 0)
        actor_succeed(&own->actor);
    else
        actor_fail(&own->actor, FAILURE_STATUS, "%s: returned %d%s%s",
                   own->actor.hub->action->target, (int)answer->result, answer->why[0] ? ": " : "",
                   answer->why);
}

static void take_answer(struct object_actor *own, struct exchange_answer *answer)
{
    answer->why[sizeof answer->why - 1] = '\0';
    if (own->is_loaded) {
        if (own->is_busy)
            tell_result(own, answer);
        return;
    }
    own->is_loaded = answer->result == 0;
    if (!own->is_loaded && own->is_busy)
        fail(own, FAILURE_START, answer->why);
}

/* Returns whether there was an answer. The end of the socket need not be reported, because the end
 * of the process will be. */
static bool read_answer(struct object_actor *own)
{
    struct exchange_answer answer;
    ssize_t n =
        own->answers.fd >= 0 ? recv(own->answers.fd, &answer, sizeof answer, MSG_DONTWAIT) : -1;
    if (n == sizeof answer)
        take_answer(own, &answer);
    else if (n >= 0 || (errno != EAGAIN && errno != EINTR))
        hang_up(own);
    return n == sizeof answer;
}

static void answer_ready(void *context, uint32_t events)
{
    (void)events;
    read_answer(context);
}

/* Answers that it sent before it ended still count. */
static void object_ended(void *context, int status)
{
    struct object_actor *own = context;
    char why[FAILURE_TEXT];
    own->process = NULL;
    while (read_answer(own))
        ;
    if (!own->is_busy)
        return;
    text_format(why, sizeof why, "%s ended its process %s %d",
                own->is_loaded ? "the function" : "loading it",
                WIFSIGNALED(status) ? "by signal" : "with status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fail(own, WIFSIGNALED(status) ? FAILURE_SIGNAL : FAILURE_CLOSED, why);
}

/* Returns 0 or an errno. */
static int start_with(struct object_actor *own, int socket)
{
    struct object_hub *hub = hub_of(own);
    char *const words[] = {hub->helper, hub->file, (char *)hub->symbol, NULL};
    const struct process_start start = {words, environ, socket, object_ended, own};
    int error = reactor_add(hub->hub.reactor, &own->answers, EPOLLIN);
    if (!error)
        own->process = process_start(&hub->processes, &start, &error);
    return error;
}

/* Returns 0 or an errno. */
static int start_process(struct object_actor *own)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    own->is_loaded = false;
    own->answers.fd = pair[0];
    int error = start_with(own, pair[1]);
    close(pair[1]);
    if (error)
        hang_up(own);
    return error;
}

/* -- Before the first one -------------------------------------------------------------------- */

/* The path is made absolute, because dlopen(3) looks elsewhere for a name without a slash. */
static bool find_object(struct object_hub *hub, const char *target, char why[FAILURE_TEXT])
{
    char name[PATH_MAX];
    size_t len = action_split_object(target, &hub->symbol);
    if (!hub->symbol)
        hub->symbol = SYMBOL;
    text_format(name, sizeof name, "%.*s", (int)(len < PATH_MAX ? len : PATH_MAX - 1), target);
    if (realpath(name, hub->file))
        return true;
    text_format(why, FAILURE_TEXT, "%s: %s", name, strerror(errno));
    return false;
}

static struct object_actor *new_actor(struct object_hub *hub)
{
    struct object_actor *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->actor.hub = &hub->hub;
    own->answers = (struct reactor_watch){answer_ready, own, -1};
    return own;
}

static void close_object(struct actor *actor)
{
    end_process((struct object_actor *)actor);
    free(actor);
}

static void note_why(void *context, const struct failure *failure)
{
    text_format(context, FAILURE_TEXT, "%s", failure->text);
}

/* Tries once, before the test, to load the object. The first worker then uses the process. */
static bool try_to_load(struct object_hub *hub, char why[FAILURE_TEXT])
{
    struct object_actor *own = hub->spare = new_actor(hub);
    uint64_t until_ns = clock_mono_ns() + LOADING_NS;
    int error = own ? start_process(own) : ENOMEM;
    if (error) {
        text_format(why, FAILURE_TEXT, "%s: %s", hub->helper, strerror(error));
        return false;
    }
    own->actor.ended = note_why;
    own->actor.context = why;
    own->is_busy = true;
    while (own->is_busy && !own->is_loaded && clock_mono_ns() < until_ns)
        reactor_wait(hub->hub.reactor, UINT64_MAX, until_ns);
    if (own->is_busy && !own->is_loaded)
        text_format(why, FAILURE_TEXT, "%s: it is not loaded after 10 s", hub->hub.action->target);
    own->is_busy = false;
    return own->is_loaded;
}

static void finish_object(struct hub *general)
{
    struct object_hub *hub = (struct object_hub *)general;
    if (hub->spare)
        close_object(&hub->spare->actor);
    processes_close(&hub->processes);
    free(hub);
}

static struct hub *prepare_object(const struct action *action, struct reactor *reactor,
                                  char why[FAILURE_TEXT])
{
    struct object_hub *hub = calloc(1, sizeof *hub);
    if (!hub || !processes_open(&hub->processes, reactor)) {
        text_format(why, FAILURE_TEXT, "out of memory");
        free(hub);
        return NULL;
    }
    hub->hub = (struct hub){&object_type, action, reactor};
    spawn_find(HELPER, DCAMP_LIBEXEC_DIR, hub->helper);
    if (find_object(hub, action->target, why) && try_to_load(hub, why))
        return &hub->hub;
    finish_object(&hub->hub);
    return NULL;
}

/* -- Beginning ------------------------------------------------------------------------------- */

static struct actor *open_object(struct hub *general)
{
    struct object_hub *hub = (struct object_hub *)general;
    struct object_actor *own = hub->spare ? hub->spare : new_actor(hub);
    hub->spare = NULL;
    return own ? &own->actor : NULL;
}

/* Returns 0 or an errno. There is always room, because only one call is on its way at a time. */
static int send_call(struct object_actor *own, const struct call *call, size_t len)
{
    struct exchange_call head = {call->sequence, call->worker};
    struct iovec parts[] = {{&head, sizeof head}, {(char *)call->data, len}};
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (own->answers.fd < 0)
        return ENOTCONN;
    return sendmsg(own->answers.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

/* A process that has ended since the last operation is replaced by a new one. A call to a process
 * that is still loading waits in the socket. */
static void begin_object(struct actor *actor, const struct call *call)
{
    struct object_actor *own = (struct object_actor *)actor;
    size_t len = strlen(call->data);
    if (len > EXCHANGE_DATA_MAX) {
        actor_fail(actor, FAILURE_START, "%s: its data are longer than %d octets",
                   actor->hub->action->target, EXCHANGE_DATA_MAX);
        return;
    }
    int error = own->process ? send_call(own, call, len) : ENOTCONN;
    if (error) {
        end_process(own);
        error = start_process(own);
        error = error ? error : send_call(own, call, len);
    }
    own->is_busy = error == 0;
    if (error)
        fail(own, error == ENOMEM ? FAILURE_MEMORY : FAILURE_START, strerror(error));
}

static void cancel_object(struct actor *actor)
{
    end_process((struct object_actor *)actor);
}

static const char *why_late(const struct actor *actor)
{
    return ((const struct object_actor *)actor)->is_loaded ? "the function has not returned"
                                                           : "the object is not loaded yet";
}

const struct actor_type object_type = {.prepare = prepare_object,
                                       .finish = finish_object,
                                       .open = open_object,
                                       .begin = begin_object,
                                       .cancel = cancel_object,
                                       .close = close_object,
                                       .why_late = why_late};
