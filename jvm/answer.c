#include "jvm/answer.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "application/jvm_message.h"
#include "base/clock.h"
#include "base/text.h"

/* A question takes milliseconds. If reading a file hangs, as on a server that is dead, SIGALRM ends
 * this process, even if the daemon may not do that. */
#define ALARM_S 30

/* The cost of looking at a process in addition to its maps, counted as octets of maps. */
#define LOOK_OCTETS 4096
_Static_assert(CANDIDATES_OCTETS / LOOK_OCTETS <= JVM_LOOKS_MAX, "so many looks may be told of");

static void announce(void *context, const struct candidate *candidate);

int looker_open(struct looker *looker, int fd, bool is_privileged)
{
    *looker = (struct looker){
        .fd = fd, .is_privileged = is_privileged, .candidates.close = jvm_file_close};
    looker->table = process_table_new("/");
    if (!looker->table)
        return ENOMEM;
    process_table_watch(looker->table, candidates_follow, &looker->candidates);
    int error = jvm_reader_open(&looker->reader);
    if (error)
        process_table_free(looker->table);
    looker->reader.opens = announce;
    looker->reader.context = looker;
    return error;
}

void looker_close(struct looker *looker)
{
    candidates_release(&looker->candidates);
    jvm_reader_close(&looker->reader);
    process_table_free(looker->table);
}

/* -- Sending ----------------------------------------------------------------------------------- */

static int send_as(const struct looker *looker, const struct jvm_message *message, int flags)
{
    uint8_t packet[JVM_PACKET_MAX];
    size_t size = jvm_message_put(packet, message);
    if (send(looker->fd, packet, size, flags | MSG_NOSIGNAL) >= 0)
        return 0;
    return errno == ENOBUFS ? EAGAIN : errno;
}

/* The daemon reads messages that it did not wait for only when it asks again, which may be much
 * later; so no alarm is set while this waits. */
static int send_message(const struct looker *looker, const struct jvm_message *message)
{
    int error = send_as(looker, message, MSG_DONTWAIT);
    if (error == EAGAIN) {
        alarm(0);
        error = send_as(looker, message, 0);
        alarm(ALARM_S);
    }
    return error;
}

static int send_trouble(struct looker *looker, const struct candidate *candidate)
{
    if (!candidate->trouble || looker->troubles++ >= JVM_TROUBLES_MAX)
        return 0;
    return send_message(looker, &(struct jvm_message){.kind = JVM_TROUBLE,
                                                      .pass = looker->pass,
                                                      .trouble = *candidate->trouble});
}

/* Tells the daemon which process is looked at, for the case that this one hangs. NULL: none. */
static struct jvm_message look_at(const struct looker *looker, const struct candidate *candidate)
{
    struct jvm_message message = {.kind = JVM_LOOK, .pass = looker->pass};
    if (candidate)
        message.look = (struct jvm_process){candidate->pid, candidate->started};
    return message;
}

/* Few processes have a file that looks like that of a JVM; this matters, because the socket has
 * room for few packets. An error is ignored, because the next packet will have it, too. */
static void announce(void *context, const struct candidate *candidate)
{
    const struct looker *looker = context;
    const struct jvm_message message = look_at(looker, candidate);
    send_message(looker, &message);
}

/* -- One process ------------------------------------------------------------------------------- */

static void judge(struct looker *looker, struct candidate *candidate, int error,
                  const struct jvm_fault *fault)
{
    if (error == EBADMSG)
        candidate_blame(&looker->candidates, candidate, fault->problem, fault->why);
    else
        candidate_forgive(candidate);
}

static void look(struct looker *looker, struct candidate *candidate, uint64_t now_ns)
{
    struct jvm_fault fault;
    struct jvm_file *file = NULL;
    candidate_postpone(candidate, now_ns);
    int error = jvm_file_open(&looker->reader, candidate, &file, &fault);
    candidate->is_unseen = error == EACCES;
    if (!error && !candidates_have_room(&looker->candidates, candidate->owner)) {
        jvm_file_close(file);
        file = NULL;
        error = EBADMSG;
        fault.problem = OWNER_MANY_FILES;
        text_format(fault.why, sizeof fault.why,
                    "too many JVMs: at most %d of one user are read, and %d in all", JVM_USER_MAX,
                    JVM_MAX);
    }
    candidate->file = file;
    judge(looker, candidate, error, &fault);
}

/* If the file is not finished, nothing is reported for a moment. A process that has ended is
 * dropped by the next scan. */
static int read_one(struct looker *looker, struct candidate *candidate)
{
    struct jvm_fault fault;
    struct jvm_message message = {.kind = JVM_FOUND, .pass = looker->pass};
    const struct jvm_message before = look_at(looker, candidate);
    int error = send_message(looker, &before);
    if (error)
        return error;
    error = jvm_file_read(candidate->file, candidate, &message.found, &fault);
    judge(looker, candidate, error, &fault);
    return error ? 0 : send_message(looker, &message);
}

/* -- A pass ------------------------------------------------------------------------------------ */

static void scan(struct looker *looker, uint64_t now_ns)
{
    if (now_ns < looker->scan_ns)
        return;
    looker->candidates.now_ns = now_ns;
    process_scan(looker->table, now_ns);
    looker->scan_ns = now_ns + ANSWER_SCAN_NS;
}

static bool is_shunned(const struct jvm_ask *ask, const struct candidate *candidate)
{
    for (uint32_t i = 0; i < ask->n; i++)
        if (ask->shunned[i].pid == candidate->pid && ask->shunned[i].started == candidate->started)
            return true;
    return false;
}

/* A process that is not shunned any more is looked at, or read, again, and judged by the result. */
static void shun(struct looker *looker)
{
    for (struct candidate *at = looker->candidates.by_pid; at; at = at->hh.next) {
        at->is_shunned = looker->ask.n > 0 && is_shunned(&looker->ask, at);
        if (at->is_shunned)
            candidate_blame(&looker->candidates, at, OWNER_UNREADABLE,
                            "dcamp-jvm hung, or ended, when it looked at it, and leaves it alone");
    }
}

/* Looks for processes that have become JVMs. */
static int look_around(struct looker *looker, uint64_t now_ns)
{
    const struct jvm_message none = look_at(looker, NULL);
    struct candidate *next;
    candidates_begin(&looker->candidates);
    while ((next = candidates_next(&looker->candidates, now_ns))) {
        uint64_t before = looker->reader.read;
        look(looker, next, now_ns);
        candidates_charge(&looker->candidates, next, looker->reader.read - before + LOOK_OCTETS);
    }
    looker->has_looked = true;
    return send_message(looker, &none);
}

/* Reports what is known. */
static int tell(struct looker *looker)
{
    struct jvm_message end = {
        .kind = JVM_END, .pass = looker->pass, .end.is_privileged = looker->is_privileged};
    int error = 0;
    looker->troubles = 0;
    for (struct candidate *at = looker->candidates.by_pid; at && !error; at = at->hh.next) {
        if (at->file && !at->is_shunned)
            error = read_one(looker, at);
        if (!error)
            error = send_trouble(looker, at);
        end.end.unseen += at->is_unseen;
    }
    return error ? error : send_message(looker, &end);
}

/* Without a look before the first answer, that answer would say that all JVMs have ended. */
static int answer(struct looker *looker, uint64_t now_ns)
{
    bool looks_first = !looker->has_looked;
    scan(looker, now_ns);
    shun(looker);
    int error = looks_first ? look_around(looker, now_ns) : 0;
    if (!error)
        error = tell(looker);
    if (!error && !looks_first)
        error = look_around(looker, now_ns);
    return !error && looker->candidates.no_memory ? ENOMEM : error;
}

int looker_serve(struct looker *looker)
{
    uint8_t packet[JVM_PACKET_MAX + 1];
    struct jvm_message message;
    ssize_t n = recv(looker->fd, packet, sizeof packet, 0);
    if (n < 0)
        return errno == EINTR ? 0 : errno == ECONNRESET ? EPIPE : errno;
    if (n == 0)
        return EPIPE;
    if (!jvm_message_take(packet, (size_t)n, &message) || message.kind != JVM_ASK)
        return EPROTO;
    looker->pass = message.pass;
    looker->ask = message.ask;
    alarm(ALARM_S);
    int error = answer(looker, clock_mono_ns());
    alarm(0);
    return error == ECONNRESET ? EPIPE : error;
}
