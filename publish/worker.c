#include "publish/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/restart.h"
#include "publish/feed.h"
#include "publish/modules.h"
#include "publish/sinks.h"

struct worker {
    const struct options *options;
    struct feed feed;
    struct restart connection;
    int signals;
    bool is_over;
};

enum { ON_SIGNAL, ON_STDIN, ON_LINK, ON_ALL };

/* A delivery_find_fn. */
static const struct sink_type *find(const void *context, const char *kind,
                                    char error[SINK_ERROR_SIZE])
{
    const struct options *options = context;
    const struct sink_type *linked = sinks_find(kind);
    return linked ? linked : modules_find(kind, options->modules, error);
}

/* -- The connection -------------------------------------------------------------------------- */

static const char *text_of(int error)
{
    switch (error) {
    case EPIPE:
    case ECONNRESET:
        return "dcampd has closed the connection: does it have this sink?";
    case EBADMSG:
    case EMSGSIZE:
        return "what comes from the socket is not of this version of dcampd";
    default:
        return strerror(error);
    }
}

static void lose(struct worker *worker, int error, struct moment now)
{
    const struct options *options = worker->options;
    feed_disconnected(&worker->feed, now);
    if (error == ESTALE) {
        log_info("publish", "%s: its row was changed", options->sink);
        worker->is_over = true;
    } else if (error == ENODATA) {
        worker->connection = (struct restart){0};
    } else if (restart_ended(&worker->connection, now.mono_ns)) {
        log_warning("publish", "%s: %s: %s; it is tried again", options->sink, options->socket,
                    text_of(error));
    }
}

static void connect_if_due(struct worker *worker, struct moment now)
{
    struct feed *feed = &worker->feed;
    if (feed->link->fd >= 0 || !restart_is_due(&worker->connection, now.mono_ns))
        return;
    restart_started(&worker->connection, now.mono_ns);
    int error = link_connect(feed->link, worker->options->socket);
    if (!error)
        error = feed_connected(feed, now);
    if (error)
        lose(worker, error, now);
}

static void work(struct worker *worker, bool has_input)
{
    struct feed *feed = &worker->feed;
    struct moment now = clock_now();
    connect_if_due(worker, now);
    int error = has_input && feed->link->fd >= 0 ? feed_receive(feed, now) : 0;
    if (!error)
        error = feed_work(feed, now);
    if (error)
        lose(worker, error, clock_now());
}

/* -- Waiting --------------------------------------------------------------------------------- */

static int timeout_of(const struct worker *worker, struct moment now)
{
    uint64_t due = feed_due(&worker->feed, now);
    if (worker->feed.link->fd < 0) {
        uint64_t again = worker->connection.started_ns + worker->connection.pause_ns;
        due = again < due ? again : due;
    }
    if (due <= now.mono_ns)
        return 0;
    uint64_t ms = (due - now.mono_ns + NS_PER_MS - 1) / NS_PER_MS;
    return ms > 60000 ? 60000 : (int)ms;
}

/* Standard input is only watched for its end. */
static bool has_ended(int fd)
{
    char octets[256];
    ssize_t n = read(fd, octets, sizeof octets);
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static int loop(struct worker *worker)
{
    struct feed *feed = &worker->feed;
    bool has_input = false;
    while (!worker->is_over) {
        work(worker, has_input);
        struct pollfd wanted[ON_ALL] = {
            [ON_SIGNAL] = {worker->signals, POLLIN, 0},
            [ON_STDIN] = {worker->options->until_eof ? STDIN_FILENO : -1, POLLIN, 0},
            [ON_LINK] = {feed_has_room(feed) ? feed->link->fd : -1, POLLIN, 0},
        };
        if (poll(wanted, ON_ALL, worker->is_over ? 0 : timeout_of(worker, clock_now())) < 0 &&
            errno != EINTR) {
            log_error("publish", "poll: %s", strerror(errno));
            return PUBLISH_FAILED;
        }
        has_input = wanted[ON_LINK].revents != 0;
        if (wanted[ON_SIGNAL].revents || (wanted[ON_STDIN].revents && has_ended(STDIN_FILENO)))
            break;
    }
    return PUBLISH_OK;
}

/* -- All of it ------------------------------------------------------------------------------- */

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

int worker_run(const struct options *options)
{
    struct worker worker = {.options = options, .signals = open_signals()};
    const struct delivery_place place = {options->state_dir, find, options};
    int status = PUBLISH_FAILED;
    if (worker.signals < 0) {
        log_error("publish", "signals: %s", strerror(errno));
        return status;
    }
    if (feed_open(&worker.feed, options->sink, &place) == 0) {
        status = loop(&worker);
        feed_close(&worker.feed, clock_now());
    } else {
        log_error("publish", "out of memory");
    }
    close(worker.signals);
    return status;
}
