#include "application/jvm_helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/spawn.h"
#include "base/text.h"

#define REAP_NS (10 * NS_PER_MS)

/* The longest answer: a helper that sends more is out of order. */
#define PACKETS_MAX (JVM_MAX + JVM_TROUBLES_MAX + 1)
/* The most looks that may be told since the last question: at JVMs, at others, and that they have
 * ended. */
#define LOOKS_MAX (JVM_MAX + JVM_LOOKS_MAX + 2)

void jvm_helper_open(struct jvm_helper *helper, const char *path)
{
    *helper = (struct jvm_helper){.path = path, .fd = -1};
}

/* -- Begin and end ----------------------------------------------------------------------------- */

static int connect_to(struct jvm_helper *helper, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return ENAMETOOLONG;
    text_format(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(fd);
        return error;
    }
    helper->fd = fd;
    helper->pid = 0;
    log_info("jvm", "connected to %s", path);
    return 0;
}

static int start_program(struct jvm_helper *helper, const char *path)
{
    const char *const argv[] = {"dcamp-jvm", NULL};
    int error = spawn_with_socket(path, argv, JVM_FD, &helper->pid, &helper->fd);
    if (!error)
        log_info("jvm", "%s is process %d", path, (int)helper->pid);
    return error;
}

static bool is_socket(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && S_ISSOCK(is.st_mode);
}

static int connect_or_start(struct jvm_helper *helper)
{
    if (helper->path)
        return (is_socket(helper->path) ? connect_to : start_program)(helper, helper->path);
    int error = connect_to(helper, DCAMP_JVM_SOCKET);
    return error ? start_program(helper, DCAMP_LIBEXEC_DIR "/dcamp-jvm") : 0;
}

/* Each start is delayed longer than the one before, unless the helper lasted. */
static void postpone(struct jvm_helper *helper, uint64_t now_ns)
{
    if (now_ns - helper->began_ns >= JVM_BACKOFF_MAX_NS || helper->backoff_ns == 0)
        helper->backoff_ns = JVM_BACKOFF_MIN_NS;
    helper->due_ns = now_ns + helper->backoff_ns;
    helper->backoff_ns *= 2;
    if (helper->backoff_ns > JVM_BACKOFF_MAX_NS)
        helper->backoff_ns = JVM_BACKOFF_MAX_NS;
}

static void begin(struct jvm_helper *helper, uint64_t now_ns)
{
    helper->failure = connect_or_start(helper);
    helper->began_ns = now_ns;
    helper->doubted_ns = 0;
    helper->looks = (struct jvm_process){.pid = 0};
    if (helper->failure && helper->failure != helper->told)
        log_error("jvm", "dcamp-jvm, which looks for JVMs, cannot be started: %s%s",
                  strerror(helper->failure),
                  helper->failure == ENOENT ? " (it is in the package dcamp-jvm)" : "");
    helper->told = helper->failure;
    if (helper->failure)
        postpone(helper, now_ns);
}

static void hang_up(struct jvm_helper *helper, uint64_t now_ns)
{
    close(helper->fd);
    helper->fd = -1;
    helper->is_asked = false;
    helper->failure = EAGAIN;
    helper->is_ending = helper->pid > 0;
    if (helper->is_ending)
        helper->due_ns = now_ns + JVM_KILL_NS;
    else
        postpone(helper, now_ns);
}

static bool is_same(const struct jvm_process *one, const struct jvm_process *other)
{
    return one->pid == other->pid && one->started == other->started;
}

/* The place of the process; or a free one; or that of the process that may be looked at again
 * first. */
static struct jvm_shunned *place_for(struct jvm_helper *helper, const struct jvm_process *process)
{
    struct jvm_shunned *place = helper->shunned;
    for (unsigned i = 0; i < JVM_SHUNNED_MAX; i++) {
        struct jvm_shunned *at = &helper->shunned[i];
        if (is_same(&at->process, process))
            return at;
        if (at->until_ns < place->until_ns)
            place = at;
    }
    *place = (struct jvm_shunned){.process = *process};
    return place;
}

static void shun(struct jvm_helper *helper, uint64_t now_ns)
{
    struct jvm_shunned *is = place_for(helper, &helper->looks);
    is->length_ns = is->length_ns ? 2 * is->length_ns : JVM_SHUN_MIN_NS;
    if (is->length_ns > JVM_SHUN_MAX_NS)
        is->length_ns = JVM_SHUN_MAX_NS;
    is->until_ns = now_ns + is->length_ns;
    log_warning("jvm", "dcamp-jvm was looking at process %d, which is left alone for %llu s",
                (int)is->process.pid, (unsigned long long)(is->length_ns / NS_PER_S));
}

static void note_look(struct jvm_helper *helper, const struct jvm_message *message)
{
    if (message->kind == JVM_LOOK)
        helper->looks = message->look;
    else if (message->kind == JVM_END)
        helper->looks = (struct jvm_process){.pid = 0};
}

/* Takes what it has said of its looks and nobody has read yet. */
static void take_looks(struct jvm_helper *helper)
{
    uint8_t packet[JVM_PACKET_MAX + 1];
    struct jvm_message message;
    ssize_t n;
    for (unsigned i = 0; i < PACKETS_MAX + LOOKS_MAX; i++) {
        n = recv(helper->fd, packet, sizeof packet, MSG_DONTWAIT);
        if (n <= 0)
            return;
        if (jvm_message_take(packet, (size_t)n, &message))
            note_look(helper, &message);
    }
}

/* Something is wrong with the helper. */
static void give_up(struct jvm_helper *helper, const char *fault, uint64_t now_ns)
{
    log_error("jvm", "dcamp-jvm %s; it is started anew", fault);
    take_looks(helper);
    if (helper->looks.pid > 0)
        shun(helper, now_ns);
    if (helper->pid > 0)
        kill(helper->pid, SIGKILL);
    hang_up(helper, now_ns);
}

static void reap(struct jvm_helper *helper, uint64_t now_ns)
{
    if (waitpid(helper->pid, NULL, WNOHANG) == 0) {
        if (now_ns >= helper->due_ns)
            kill(helper->pid, SIGKILL);
        return;
    }
    helper->is_ending = false;
    helper->pid = 0;
    postpone(helper, now_ns);
}

void jvm_helper_rest(struct jvm_helper *helper, uint64_t now_ns)
{
    if (helper->is_ending)
        reap(helper, now_ns);
    if (helper->fd < 0)
        return;
    log_info("jvm", "no sensor measures JVMs any more");
    hang_up(helper, now_ns);
}

void jvm_helper_close(struct jvm_helper *helper)
{
    const struct timespec pause = {.tv_nsec = REAP_NS};
    if (helper->fd >= 0)
        hang_up(helper, 0);
    for (uint64_t waited = 0; helper->is_ending && waited < JVM_KILL_NS; waited += REAP_NS) {
        reap(helper, waited);
        if (helper->is_ending)
            nanosleep(&pause, NULL);
    }
    if (helper->is_ending)
        kill(helper->pid, SIGKILL);
}

/* -- Question and answer ----------------------------------------------------------------------- */

/* Counts the message. A look is told when it begins, whatever was asked last. */
static bool may_be_said(struct jvm_helper *helper, const struct jvm_message *message)
{
    if (message->kind == JVM_LOOK)
        return helper->n_looks++ < LOOKS_MAX;
    return message->kind != JVM_ASK && message->pass == helper->pass &&
           helper->packets++ < PACKETS_MAX;
}

/* False: there is nothing to read now, or the helper is gone. */
static bool receive(struct jvm_helper *helper, struct jvm_message *message, uint64_t now_ns)
{
    uint8_t packet[JVM_PACKET_MAX + 1];
    ssize_t n = recv(helper->fd, packet, sizeof packet, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        give_up(helper, "has ended", now_ns);
        return false;
    }
    helper->doubted_ns = 0;
    if (jvm_message_take(packet, (size_t)n, message) && may_be_said(helper, message))
        return true;
    give_up(helper, "says what makes no sense, or is of another version", now_ns);
    return false;
}

/* Takes what has come of an answer. */
static void receive_all(struct jvm_helper *helper, uint64_t now_ns, jvm_take *take, void *context)
{
    struct jvm_message message;
    while (helper->fd >= 0 && helper->is_asked && receive(helper, &message, now_ns)) {
        helper->is_asked = message.kind != JVM_END;
        note_look(helper, &message);
        if (take && message.kind != JVM_LOOK)
            take(context, &message);
    }
}

/* The time that is left may be 0, but the next packet may nevertheless be there. */
static void await_answer(struct jvm_helper *helper, uint64_t now_ns, jvm_take *take, void *context)
{
    uint64_t until_ns = clock_mono_ns() + JVM_WAIT_NS, at_ns;
    receive_all(helper, now_ns, take, context);
    while (helper->fd >= 0 && helper->is_asked && (at_ns = clock_mono_ns()) < until_ns) {
        struct pollfd ready = {.fd = helper->fd, .events = POLLIN};
        const struct timespec left = {.tv_nsec = (long)(until_ns - at_ns)};
        ppoll(&ready, 1, &left, NULL);
        receive_all(helper, now_ns, take, context);
    }
}

static void ask(struct jvm_helper *helper, uint64_t now_ns)
{
    uint8_t packet[JVM_PACKET_MAX];
    struct jvm_message message = {.kind = JVM_ASK, .pass = ++helper->pass};
    for (unsigned i = 0; i < JVM_SHUNNED_MAX; i++)
        if (helper->shunned[i].until_ns > now_ns)
            message.ask.shunned[message.ask.n++] = helper->shunned[i].process;
    size_t size = jvm_message_put(packet, &message);
    helper->packets = helper->n_looks = 0;
    helper->asked_ns = now_ns;
    if (send(helper->fd, packet, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
        helper->is_asked = true;
    else
        give_up(helper, "has ended", now_ns);
}

bool jvm_helper_goes_on(const struct jvm_helper *helper, uint64_t now_ns)
{
    return helper->is_asked && now_ns - helper->asked_ns <= JVM_LATE_NS;
}

/* An answer that was late is not waited for again. */
static void receive_late(struct jvm_helper *helper, uint64_t now_ns, jvm_take *take, void *context)
{
    receive_all(helper, now_ns, take, context);
    if (!helper->is_asked)
        return;
    if (helper->doubted_ns == 0)
        helper->doubted_ns = now_ns;
    else if (now_ns - helper->doubted_ns >= JVM_SILENT_NS)
        give_up(helper, "is alive but silent: it is stopped, or hangs", now_ns);
}

int jvm_helper_ask(struct jvm_helper *helper, uint64_t now_ns, jvm_take *take, void *context)
{
    if (helper->is_ending)
        reap(helper, now_ns);
    if (helper->fd < 0 && !helper->is_ending && now_ns >= helper->due_ns)
        begin(helper, now_ns);
    bool goes_on = jvm_helper_goes_on(helper, now_ns);
    if (helper->is_asked)
        receive_late(helper, now_ns, goes_on ? take : NULL, context);
    if (helper->fd >= 0 && !helper->is_asked && !goes_on) {
        ask(helper, now_ns);
        await_answer(helper, now_ns, take, context);
    }
    if (helper->fd < 0)
        return helper->failure;
    return helper->is_asked ? ETIMEDOUT : 0;
}
