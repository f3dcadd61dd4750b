/* The long-running mode: one thread reads and spools, so that snmptrapd never waits for a target;
 * the other one delivers. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "trapd-handlers/intake.h"
#include "trapd-handlers/once.h"
#include "trapd-handlers/stream.h"

#define READ_SIZE (256 << 10)
#define PIPE_SIZE (1 << 20)
#define IDLE_MS 1000

struct follower {
    const struct options *options;
    struct deliverer *deliverer;
    struct intake intake; /* belongs to the reader, except kept, which the lock protects */
    struct stream stream;
    pthread_mutex_t lock;
    pthread_cond_t news;
    bool work, ending; /* protected by the lock */
};

/* -- The thread that delivers --------------------------------------------------------------- */

/* The disk may have room again. Traps in the spool survive this process, and more fit there. */
static void spool_kept(struct follower *follower)
{
    pthread_mutex_lock(&follower->lock);
    intake_spool_kept(&follower->intake);
    pthread_mutex_unlock(&follower->lock);
}

/* Traps that are kept in memory are delivered after those that are spooled. */
static void deliver_kept(struct follower *follower)
{
    struct intake *intake = &follower->intake;
    size_t done = 0;
    pthread_mutex_lock(&follower->lock);
    while (done < intake->n_kept) {
        struct trap trap = intake->kept[done];
        pthread_mutex_unlock(&follower->lock);
        bool good = deliver_now(follower->deliverer, &trap);
        pthread_mutex_lock(&follower->lock);
        if (!good)
            break;
        done++;
    }
    if (done > 0) {
        intake->n_kept -= done;
        memmove(intake->kept, intake->kept + done, intake->n_kept * sizeof *intake->kept);
    }
    pthread_mutex_unlock(&follower->lock);
}

static void wait_news(struct follower *follower, int64_t pause_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ms = pause_ms > 0 && pause_ms < IDLE_MS ? pause_ms : IDLE_MS;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (!follower->work && !follower->ending)
        pthread_cond_timedwait(&follower->news, &follower->lock, &until);
    follower->work = false;
}

/* Uses the clock that nobody sets. A target forgets what it is not sent again. */
static bool say_again(struct follower *follower, uint64_t *next_ns)
{
    struct target *target = follower->deliverer->target;
    struct moment now = clock_now();
    if (!target->kind->again || now.mono_ns < *next_ns)
        return true;
    *next_ns = now.mono_ns + follower->options->resend_ms * NS_PER_MS;
    if (target->kind->again(target, now.wall_ms) == DELIVERY_DONE)
        return true;
    log_warning(target->kind->name, "%s", target->why);
    return false;
}

static void *deliver(void *context)
{
    struct follower *follower = context;
    uint64_t again_ns = clock_mono_ns() + follower->options->resend_ms * NS_PER_MS;
    bool ending = false;
    while (!ending) {
        pthread_mutex_lock(&follower->lock);
        wait_news(follower, deliver_pause(follower->deliverer, clock_now().wall_ms));
        ending = follower->ending;
        if (ending && follower->intake.n_kept > 0) /* it is their last chance */
            follower->deliverer->spool->state->delivery.retry_at_ms = 0;
        pthread_mutex_unlock(&follower->lock);
        spool_kept(follower);
        if (deliver_waiting(follower->deliverer, clock_now().wall_ms)) {
            deliver_kept(follower);
            say_again(follower, &again_ns);
        }
    }
    return NULL;
}

/* -- The thread that reads ------------------------------------------------------------------ */

static void take_records(struct follower *follower, bool end)
{
    const char *record;
    size_t len;
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    uint64_t oversized = follower->stream.oversized;
    if (!stream_next(&follower->stream, end, &record, &len))
        return;
    int64_t now_ms = clock_now().wall_ms;
    pthread_mutex_lock(&follower->lock);
    intake_begin(&follower->intake);
    do {
        enum trap_result result = trap_parse_record(&trap, record, len, error);
        intake_add(&follower->intake, result, &trap, error, now_ms);
    } while (stream_next(&follower->stream, end, &record, &len));
    intake_end(&follower->intake);
    if (follower->stream.oversized > oversized)
        log_warning("trap", "a record of more than %d octets; it is left out", STREAM_RECORD_MAX);
    follower->work = true;
    pthread_cond_signal(&follower->news);
    pthread_mutex_unlock(&follower->lock);
}

/* Returns how many octets were read, perhaps none; -1 if the stream is over. */
static ssize_t read_some(struct follower *follower, int fd)
{
    char *room = stream_room(&follower->stream, READ_SIZE);
    if (!room) {
        log_error("stream", "no memory");
        return -1;
    }
    ssize_t n = read(fd, room, READ_SIZE);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (n < 0)
        log_error("stream", "%s", strerror(errno));
    if (n > 0)
        stream_added(&follower->stream, (size_t)n);
    take_records(follower, n <= 0);
    return n > 0 ? n : -1;
}

static void read_all(struct follower *follower, int fd, int signals)
{
    struct pollfd pollers[] = {{.fd = fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    /* What is in the pipe when the signal arrives is still read, but not what is written
     * afterwards, which might have no end. */
    ssize_t left = PIPE_SIZE;
    for (;;) {
        if (poll(pollers, 2, -1) < 0 && errno != EINTR)
            return;
        ssize_t n = pollers[0].revents ? read_some(follower, fd) : 0;
        if (n < 0)
            return;
        if (pollers[1].revents)
            left -= n;
        if (pollers[1].revents && (!pollers[0].revents || left <= 0)) {
            take_records(follower, true);
            return;
        }
    }
}

/* -- Setting up ----------------------------------------------------------------------------- */

/* A FIFO is opened for writing, too, so that it does not end when snmptrapd does. */
static int open_stream(const char *path)
{
    struct stat status;
    if (!path)
        return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3); /* not inherited by programs that it runs */
    if (mkfifo(path, 0600) != 0 && errno != EEXIST)
        return -1;
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))) {
        close(fd);
        errno = EEXIST;
        return -1;
    }
    return fd;
}

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static bool start(struct follower *follower, pthread_t *thread)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&follower->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&follower->news, &attributes);
    pthread_condattr_destroy(&attributes);
    return pthread_create(thread, NULL, deliver, follower) == 0;
}

static void stop(struct follower *follower, pthread_t thread)
{
    pthread_mutex_lock(&follower->lock);
    follower->ending = true;
    pthread_cond_signal(&follower->news);
    pthread_mutex_unlock(&follower->lock);
    pthread_join(thread, NULL);
}

static int run(struct follower *follower, int fd, int signals)
{
    pthread_t thread;
    if (!deliver_take_over(follower->deliverer)) {
        log_error("spool", "another dcamp-trap delivers from it");
        return STATUS_SETUP;
    }
    if (!start(follower, &thread)) {
        log_error("stream", "no thread: %s", strerror(errno));
        return STATUS_SETUP;
    }
    read_all(follower, fd, signals);
    stop(follower, thread);
    deliver_end(follower->deliverer);
    size_t lost = follower->intake.n_kept;
    if (lost > 0)
        log_error("trap", "%zu notifications are lost: neither spooled nor delivered", lost);
    follower->deliverer->spool->state->intake.counts.lost += lost;
    return lost > 0 ? STATUS_LOST : STATUS_OK;
}

int follow_run(const struct options *options, struct deliverer *deliverer)
{
    struct follower follower = {.options = options, .deliverer = deliverer};
    int signals = open_signals(), fd = open_stream(options->stream_path), status = STATUS_SETUP;
    follower.intake = (struct intake){.spool = deliverer->spool, .sync = options->sync};
    if (fd < 0 || signals < 0) {
        log_error("stream", "%s: %s", options->stream_path ? options->stream_path : "-",
                  strerror(errno));
    } else {
        fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
        status = run(&follower, fd, signals);
    }
    intake_release(&follower.intake);
    stream_release(&follower.stream);
    if (fd >= 0)
        close(fd);
    if (signals >= 0)
        close(signals);
    return status;
}
