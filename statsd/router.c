#include "statsd/router.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/restart.h"
#include "statsd/line.h"

/* The size of one datagram: the lines that are sent together. */
#define DATAGRAM_SIZE 32768
#define QUEUE_SIZE (1 << 20)

extern char **environ;

struct application {
    char name[SEGMENT_NAME + 1];
    int fd; /* -1 if its process has ended */
    struct restart restart;
    uint64_t lost; /* datagrams that could not be sent: the first application is told */
    size_t size;
    char datagram[DATAGRAM_SIZE];
};

struct router {
    size_t sensors, limit, n;
    struct application
        *application[1 + STATSD_APPLICATIONS_MAX]; /* the first one is that of --name */
};

/* -- Processes --------------------------------------------------------------------------------- */

/* The process gets the signal mask that this one had before it blocked some signals. */
static int spawn(const struct router *router, const struct application *application, int fd)
{
    char sensors[24];
    char *arguments[] = {(char[]){"dcamp-statsd"},
                         (char[]){"--stdin"},
                         (char[]){"--sensors"},
                         sensors,
                         (char[]){"--name"},
                         (char *)(uintptr_t)application->name,
                         NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t pid;
    snprintf(sensors, sizeof sensors, "%zu", router->sensors);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void start(const struct router *router, struct application *application)
{
    int pair[2], size = QUEUE_SIZE, error;
    restart_started(&application->restart, clock_mono_ns());
    application->fd = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        error = errno;
    } else {
        setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        error = spawn(router, application, pair[1]);
        close(pair[1]);
        application->fd = pair[0];
    }
    if (!error)
        return;
    if (restart_ended(&application->restart, clock_mono_ns()))
        log_error("statsd", "%s: no process for it: %s", application->name, strerror(error));
    if (application->fd >= 0)
        close(application->fd);
    application->fd = -1;
}

static bool is_running(const struct router *router, struct application *application)
{
    if (application->fd < 0 && restart_is_due(&application->restart, clock_mono_ns()))
        start(router, application);
    return application->fd >= 0;
}

/* -- Applications ------------------------------------------------------------------------------ */

static struct application *add(struct router *router, const char *name, size_t length)
{
    struct application *application =
        router->n < router->limit ? calloc(1, sizeof *application) : NULL;
    if (!application)
        return NULL;
    memcpy(application->name, name, length);
    start(router, application);
    router->application[router->n++] = application;
    log_info("statsd", "%s: a new application", application->name);
    return application;
}

static struct application *find(const struct router *router, const char *name, size_t length)
{
    for (size_t i = 0; i < router->n; i++) {
        struct application *application = router->application[i];
        if (strlen(application->name) == length && memcmp(application->name, name, length) == 0)
            return application;
    }
    return NULL;
}

/* -- Lines ------------------------------------------------------------------------------------- */

/* Returns false if what was to be sent is lost. */
static bool flush(const struct router *router, struct application *application)
{
    ssize_t n = 0;
    if (application->size > 0)
        n = is_running(router, application) ? send(application->fd, application->datagram,
                                                   application->size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                            : -1;
    if (n < 0)
        application->lost++;
    if (n < 0 && application->fd >= 0 && errno != EAGAIN && errno != ENOBUFS) {
        if (restart_ended(&application->restart, clock_mono_ns()))
            log_warning("statsd", "%s: its process has ended", application->name);
        close(application->fd);
        application->fd = -1;
    }
    application->size = 0;
    return n >= 0;
}

static void append(const struct router *router, struct application *application, const char *line,
                   size_t length)
{
    if (length >= sizeof application->datagram) {
        application->lost++;
        return;
    }
    if (application->size + length + 1 > sizeof application->datagram)
        flush(router, application);
    memcpy(application->datagram + application->size, line, length);
    application->size += length;
    application->datagram[application->size++] = '\n';
}

static void route(struct router *router, const char *line, size_t length)
{
    size_t prefix = statsd_line_prefix(line, length);
    struct application *application = prefix ? find(router, line, prefix) : NULL;
    struct statsd_line parsed;
    if (prefix && !application &&
        statsd_line_parse(line, length, &parsed) == STATSD_COUNTED) /* no process for nonsense */
        application = add(router, line, prefix);
    if (application)
        append(router, application, line + prefix + 1, length - prefix - 1);
    else
        append(router, router->application[0], line, length);
}

static void take(void *context, const char *datagram, size_t size, bool is_cut)
{
    struct router *router = context;
    const char *at = datagram, *end = datagram + size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline || !is_cut)
            route(router, at, (size_t)((newline ? newline : end) - at));
        else
            router->application[0]->lost++;
        at = newline ? newline + 1 : end;
    }
}

static void lose(void *context, uint64_t n)
{
    struct router *router = context;
    router->application[0]->lost += n;
}

/* Reports what was lost to the first application, by a line that counts it. */
static void rest(void *context)
{
    struct router *router = context;
    struct application *first = router->application[0];
    char line[64];
    for (size_t i = 1; i < router->n; i++) {
        flush(router, router->application[i]);
        first->lost += router->application[i]->lost;
        router->application[i]->lost = 0;
    }
    uint64_t told = first->lost;
    if (told > 0) {
        first->lost = 0;
        int length = snprintf(line, sizeof line, "statsd.lost:%llu|c", (unsigned long long)told);
        append(router, first, line, (size_t)length);
    }
    if (!flush(router, first))
        first->lost += told;
}

struct listener router_listener(struct router *router)
{
    return (struct listener){take, lose, rest, router};
}

/* -- Opening ----------------------------------------------------------------------------------- */

struct router *router_open(const struct options *options)
{
    struct router *router = calloc(1, sizeof *router);
    signal(SIGCHLD, SIG_IGN); /* so that processes that have ended need not be waited for */
    if (router) {
        router->sensors = options->sensors;
        router->limit = 1 + options->applications;
    }
    if (router && add(router, options->name, strlen(options->name)) &&
        router->application[0]->fd >= 0)
        return router;
    log_error("statsd", "there is no first application");
    router_close(router);
    return NULL;
}

void router_close(struct router *router)
{
    if (!router)
        return;
    for (size_t i = 0; i < router->n; i++) {
        if (router->application[i]->fd >= 0)
            close(router->application[i]->fd);
        free(router->application[i]);
    }
    free(router);
}
