#include "collect/pollers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <bsd/sys/queue.h>
#include <uthash.h>

#include "base/log.h"
#include "collect/secrets.h"

#define KILL_NS NS_PER_S         /* how long one that was told to end may take */
#define REAP_NS (10 * NS_PER_MS) /* how often it is looked whether it has */
#define OPTIONS_MAX 8

/* It may hold secrets. */
struct packet {
    TAILQ_ENTRY(packet) link;
    size_t used;
    uint64_t bytes[MESSAGE_PACKET_MAX / sizeof(uint64_t)];
};

TAILQ_HEAD(packets, packet);

enum poller_state { POLLER_IDLE, POLLER_RUNNING, POLLER_ENDING };

struct poller {
    struct pollers *pollers;
    unsigned number; /* from 1, for people */
    enum poller_state state;
    pid_t pid;
    int fd;
    bool writable_asked; /* of epoll */
    const char *fault;   /* why it is to be ended; NULL: it is not */
    bool dismissed;      /* it ends because it has no children any more */
    bool begun, ended;   /* not told yet */
    uint64_t began_ns;
    uint64_t due_ns; /* to start; while it ends: to be killed */
    uint64_t backoff_ns;
    size_t n_children;
    struct packets queue;
    size_t queued;
};

struct route {
    UT_hash_handle hh;
    uint32_t id;
    struct poller *poller;
};

struct pollers {
    int epoll;
    const char *const *options;
    struct poller **all;
    size_t n;
    size_t turn;            /* who is listened to next */
    struct poller *speaker; /* of the last packet */
    struct route *routes;
    struct credential_source *credentials;
    size_t n_credentials;
    bool credentials_due;
};

struct pollers *pollers_new(const char *const *options)
{
    struct pollers *pollers = calloc(1, sizeof *pollers);
    if (!pollers)
        return NULL;
    pollers->options = options;
    pollers->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (pollers->epoll < 0) {
        free(pollers);
        return NULL;
    }
    return pollers;
}

int pollers_fd(const struct pollers *pollers)
{
    return pollers->epoll;
}

int pollers_set_credentials(struct pollers *pollers, const struct credential_source *credentials,
                            size_t n)
{
    struct credential_source *copy = calloc(n + 1, sizeof *copy);
    if (!copy)
        return ENOMEM;
    if (n > 0)
        memcpy(copy, credentials, n * sizeof *copy);
    free(pollers->credentials);
    pollers->credentials = copy;
    pollers->n_credentials = n;
    pollers->credentials_due = true;
    return 0;
}

/* -- The queue ------------------------------------------------------------------------------ */

static void drop_first(struct poller *poller)
{
    struct packet *packet = TAILQ_FIRST(&poller->queue);
    TAILQ_REMOVE(&poller->queue, packet, link);
    poller->queued--;
    explicit_bzero(packet->bytes, packet->used);
    free(packet);
}

static void drop_queue(struct poller *poller)
{
    while (!TAILQ_EMPTY(&poller->queue))
        drop_first(poller);
}

/* What does not fit makes it begin anew: then it is told everything. */
static void queue(struct poller *poller, const struct message *message)
{
    struct packet *last = TAILQ_LAST(&poller->queue, packets);
    if (last && message_put(last->bytes, &last->used, message))
        return;
    struct packet *packet = poller->queued < POLLER_QUEUE_MAX ? malloc(sizeof *packet) : NULL;
    if (!packet) {
        poller->fault = "does not take what it is told";
        return;
    }
    packet->used = 0;
    message_put(packet->bytes, &packet->used, message);
    TAILQ_INSERT_TAIL(&poller->queue, packet, link);
    poller->queued++;
}

/* -- One process ---------------------------------------------------------------------------- */

static void watch(const struct pollers *pollers, struct poller *poller, int operation,
                  bool writable)
{
    struct epoll_event event = {.events = writable ? EPOLLIN | EPOLLOUT : EPOLLIN,
                                .data.ptr = poller};
    epoll_ctl(pollers->epoll, operation, poller->fd, &event);
    poller->writable_asked = writable;
}

static int spawn(const struct pollers *pollers, struct poller *poller, int fd)
{
    const char *argv[OPTIONS_MAX + 3] = {"dcampd", "--poller"};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    for (size_t i = 0; pollers->options && pollers->options[i] && i < OPTIONS_MAX; i++)
        argv[i + 2] = pollers->options[i];
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, fd, POLLER_FD);
    posix_spawn_file_actions_addclosefrom_np(&actions, POLLER_FD + 1);
    posix_spawnattr_setsigmask(&attributes, &none);
    /* A process group of its own: what a terminal sends to the daemon is the daemon's to act on. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int code = posix_spawn(&poller->pid, "/proc/self/exe", &actions, &attributes,
                           (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static void tell_credential(struct poller *poller, const struct credential_source *source,
                            bool complain)
{
    char error[512];
    struct message_credential message = {
        .head = {.kind = MESSAGE_CREDENTIAL, .length = sizeof message},
        .auth = source->auth,
        .priv = source->priv,
    };
    memcpy(message.name, source->name, sizeof message.name);
    memcpy(message.user, source->user, sizeof message.user);
    if (secrets_read(source->secrets, &message, error))
        queue(poller, &message.head);
    else if (complain)
        log_error("collect", "credential \"%s\": %s", source->name, error);
    explicit_bzero(&message, sizeof message);
}

static void tell_credentials(const struct pollers *pollers, struct poller *poller, bool complain)
{
    for (size_t i = 0; i < pollers->n_credentials; i++)
        tell_credential(poller, &pollers->credentials[i], complain);
}

/* The next start comes later each time, unless this one lasted. */
static void postpone(struct poller *poller, uint64_t now_ns)
{
    if (now_ns - poller->began_ns >= POLLER_BACKOFF_MAX_NS || poller->backoff_ns == 0)
        poller->backoff_ns = POLLER_BACKOFF_MIN_NS;
    poller->due_ns = now_ns + poller->backoff_ns;
    poller->backoff_ns *= 2;
    if (poller->backoff_ns > POLLER_BACKOFF_MAX_NS)
        poller->backoff_ns = POLLER_BACKOFF_MAX_NS;
}

static void start(struct pollers *pollers, struct poller *poller, uint64_t now_ns)
{
    int pair[2] = {-1, -1};
    int code = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0 ? errno : 0;
    if (!code)
        code = spawn(pollers, poller, pair[1]);
    if (pair[1] >= 0)
        close(pair[1]);
    if (code) {
        if (pair[0] >= 0)
            close(pair[0]);
        poller->began_ns = now_ns;
        postpone(poller, now_ns);
        log_error("collect", "poller %u cannot be started: %s", poller->number, strerror(code));
        return;
    }
    poller->fd = pair[0];
    poller->state = POLLER_RUNNING;
    poller->began_ns = now_ns;
    poller->fault = NULL;
    poller->dismissed = false;
    poller->begun = true;
    watch(pollers, poller, EPOLL_CTL_ADD, false);
    tell_credentials(pollers, poller, true);
    log_info("collect", "poller %u is process %d", poller->number, (int)poller->pid);
}

/* Without its socket it ends by itself. */
static void hang_up(struct poller *poller, uint64_t now_ns)
{
    close(poller->fd);
    poller->fd = -1;
    poller->state = POLLER_ENDING;
    poller->due_ns = now_ns + KILL_NS;
    poller->begun = false;
    poller->ended = true;
    drop_queue(poller);
}

static void log_end(const struct poller *poller, int status)
{
    int pid = (int)poller->pid;
    if (poller->dismissed)
        log_info("collect", "poller %u (process %d) has ended: no children", poller->number, pid);
    else if (WIFSIGNALED(status))
        log_error("collect", "poller %u (process %d) was ended by signal %d (%s)", poller->number,
                  pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        log_error("collect", "poller %u (process %d) has ended with exit status %d", poller->number,
                  pid, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void reap(struct poller *poller, uint64_t now_ns)
{
    int status = 0;
    pid_t pid = waitpid(poller->pid, &status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR)) {
        if (now_ns >= poller->due_ns)
            kill(poller->pid, SIGKILL);
        return;
    }
    log_end(poller, status);
    poller->state = POLLER_IDLE;
    postpone(poller, now_ns);
}

static void flush(struct pollers *pollers, struct poller *poller, uint64_t now_ns)
{
    struct packet *packet;
    bool full = false;
    while (!full && (packet = TAILQ_FIRST(&poller->queue))) {
        ssize_t sent = send(poller->fd, packet->bytes, packet->used, MSG_DONTWAIT | MSG_NOSIGNAL);
        full = sent < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == EINTR);
        if (sent < 0 && !full)
            return hang_up(poller, now_ns);
        if (!full)
            drop_first(poller);
    }
    if (full != poller->writable_asked)
        watch(pollers, poller, EPOLL_CTL_MOD, full);
}

static void check_running(struct pollers *pollers, struct poller *poller, uint64_t now_ns)
{
    if (!poller->fault && poller->n_children > 0)
        return flush(pollers, poller, now_ns);
    if (poller->fault) {
        log_error("collect", "poller %u (process %d) %s; it is ended", poller->number,
                  (int)poller->pid, poller->fault);
        kill(poller->pid, SIGKILL);
    }
    poller->dismissed = !poller->fault;
    hang_up(poller, now_ns);
}

static uint64_t step(struct pollers *pollers, struct poller *poller, uint64_t now_ns)
{
    if (poller->state == POLLER_IDLE && poller->n_children > 0 && now_ns >= poller->due_ns)
        start(pollers, poller, now_ns);
    if (poller->state == POLLER_RUNNING)
        check_running(pollers, poller, now_ns);
    if (poller->state == POLLER_ENDING)
        reap(poller, now_ns);
    if (poller->state == POLLER_ENDING)
        return now_ns + REAP_NS;
    return poller->state == POLLER_IDLE && poller->n_children > 0 ? poller->due_ns : UINT64_MAX;
}

uint64_t pollers_step(struct pollers *pollers, uint64_t now_ns)
{
    uint64_t due = UINT64_MAX;
    bool told = false;
    for (size_t i = 0; i < pollers->n; i++) {
        struct poller *poller = pollers->all[i];
        if (pollers->credentials_due && poller->state == POLLER_RUNNING) {
            tell_credentials(pollers, poller, !told);
            told = true;
        }
        uint64_t next = step(pollers, poller, now_ns);
        due = next < due ? next : due;
    }
    pollers->credentials_due = false;
    return due;
}

/* -- Who is told what ----------------------------------------------------------------------- */

static struct poller *poller_new(struct pollers *pollers)
{
    struct poller **more = reallocarray(pollers->all, pollers->n + 1, sizeof(struct poller *));
    if (more)
        pollers->all = more;
    struct poller *poller = more ? calloc(1, sizeof *poller) : NULL;
    if (!poller)
        return NULL;
    poller->pollers = pollers;
    poller->number = (unsigned)pollers->n + 1;
    poller->fd = -1;
    TAILQ_INIT(&poller->queue);
    pollers->all[pollers->n++] = poller;
    return poller;
}

static struct poller *poller_with_room(struct pollers *pollers)
{
    for (size_t i = 0; i < pollers->n; i++)
        if (pollers->all[i]->n_children < POLLER_CHILDREN)
            return pollers->all[i];
    return poller_new(pollers);
}

static struct route *route_find(const struct pollers *pollers, uint32_t id)
{
    struct route *route;
    HASH_FIND(hh, pollers->routes, &id, (unsigned)sizeof id, route);
    return route;
}

static struct route *route_new(struct pollers *pollers, uint32_t id)
{
    struct poller *poller = poller_with_room(pollers);
    struct route *route = poller ? calloc(1, sizeof *route) : NULL;
    if (!route) {
        log_error("collect", "no memory for another child");
        return NULL;
    }
    route->id = id;
    route->poller = poller;
    poller->n_children++;
    HASH_ADD(hh, pollers->routes, id, (unsigned)sizeof route->id, route);
    return route;
}

void pollers_send(struct pollers *pollers, uint32_t id, const struct message *message)
{
    struct route *route = route_find(pollers, id);
    if (!route && message->kind == MESSAGE_CHILD)
        route = route_new(pollers, id);
    for (size_t i = 0; id == 0 && i < pollers->n; i++)
        if (pollers->all[i]->state == POLLER_RUNNING)
            queue(pollers->all[i], message);
    if (!route)
        return;
    if (route->poller->state == POLLER_RUNNING)
        queue(route->poller, message);
    if (message->kind != MESSAGE_FORGET)
        return;
    route->poller->n_children--;
    HASH_DELETE(hh, pollers->routes, route);
    free(route);
}

bool pollers_receive(struct pollers *pollers, void *packet, size_t *used, uint64_t now_ns)
{
    for (size_t i = 0; i < pollers->n; i++) {
        struct poller *poller = pollers->all[pollers->turn++ % pollers->n];
        if (poller->state != POLLER_RUNNING)
            continue;
        ssize_t n = recv(poller->fd, packet, MESSAGE_PACKET_MAX, MSG_DONTWAIT);
        if (n > 0) {
            *used = (size_t)n;
            pollers->speaker = poller;
            return true;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            hang_up(poller, now_ns);
    }
    return false;
}

void pollers_blame(struct pollers *pollers)
{
    if (pollers->speaker)
        pollers->speaker->fault = "said what is no message";
}

struct poller *pollers_begun(struct pollers *pollers)
{
    for (size_t i = 0; i < pollers->n; i++)
        if (pollers->all[i]->begun) {
            pollers->all[i]->begun = false;
            return pollers->all[i];
        }
    return NULL;
}

struct poller *pollers_ended(struct pollers *pollers)
{
    for (size_t i = 0; i < pollers->n; i++)
        if (pollers->all[i]->ended) {
            pollers->all[i]->ended = false;
            return pollers->all[i];
        }
    return NULL;
}

bool poller_has(void *poller, uint32_t id)
{
    const struct route *route = route_find(((struct poller *)poller)->pollers, id);
    return route && route->poller == poller;
}

/* -- The end -------------------------------------------------------------------------------- */

static bool all_gone(struct pollers *pollers)
{
    bool gone = true;
    for (size_t i = 0; i < pollers->n; i++) {
        struct poller *poller = pollers->all[i];
        if (poller->state == POLLER_ENDING && waitpid(poller->pid, NULL, WNOHANG) != 0)
            poller->state = POLLER_IDLE;
        gone &= poller->state == POLLER_IDLE;
    }
    return gone;
}

static void end_all(struct pollers *pollers)
{
    const struct timespec pause = {.tv_nsec = REAP_NS};
    for (size_t i = 0; i < pollers->n; i++)
        if (pollers->all[i]->state == POLLER_RUNNING)
            hang_up(pollers->all[i], 0);
    for (uint64_t waited = 0; !all_gone(pollers) && waited < KILL_NS; waited += REAP_NS)
        nanosleep(&pause, NULL);
    for (size_t i = 0; i < pollers->n; i++) {
        if (pollers->all[i]->state != POLLER_ENDING)
            continue;
        kill(pollers->all[i]->pid, SIGKILL);
        waitpid(pollers->all[i]->pid, NULL, 0);
    }
}

void pollers_free(struct pollers *pollers)
{
    struct route *route, *next;
    if (!pollers)
        return;
    end_all(pollers);
    HASH_ITER(hh, pollers->routes, route, next)
    {
        HASH_DELETE(hh, pollers->routes, route);
        free(route);
    }
    for (size_t i = 0; i < pollers->n; i++)
        free(pollers->all[i]);
    free((void *)pollers->all);
    free(pollers->credentials);
    close(pollers->epoll);
    free(pollers);
}
