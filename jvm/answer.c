#include "jvm/answer.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "application/jvm_message.h"
#include "base/clock.h"
#include "base/text.h"

/* A question takes milliseconds. Where reading a file hangs, as on a server that is dead, SIGALRM
 * ends the process, whether the daemon may do that or not. */
#define ALARM_S 30

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
    return error;
}

void looker_close(struct looker *looker)
{
    candidates_release(&looker->candidates);
    jvm_reader_close(&looker->reader);
    process_table_free(looker->table);
}

/* -- Sending ----------------------------------------------------------------------------------- */

/* The daemon takes what it has not waited for when it asks again, and that may be much later. */
static int send_message(struct looker *looker, const struct jvm_message *message)
{
    uint8_t packet[JVM_PACKET_MAX];
    size_t size = jvm_message_put(packet, message);
    ssize_t sent = send(looker->fd, packet, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
        alarm(0);
        sent = send(looker->fd, packet, size, MSG_NOSIGNAL);
        alarm(ALARM_S);
    }
    return sent < 0 ? errno : 0;
}

static int send_trouble(struct looker *looker, const struct candidate *candidate)
{
    if (!candidate->trouble || looker->troubles++ >= JVM_TROUBLES_MAX)
        return 0;
    return send_message(looker, &(struct jvm_message){.kind = JVM_TROUBLE,
                                                      .pass = looker->pass,
                                                      .trouble = *candidate->trouble});
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
                    "it is one JVM too many: %d of a user are read, and %d of all", JVM_USER_MAX,
                    JVM_MAX);
    }
    candidate->file = file;
    judge(looker, candidate, error, &fault);
}

/* Of one that is not finished, there is nothing to say for a moment. One that has ended goes with
 * the next scan. */
static int read_one(struct looker *looker, struct candidate *candidate)
{
    struct jvm_fault fault;
    struct jvm_message message = {.kind = JVM_FOUND, .pass = looker->pass};
    int error = jvm_file_read(candidate->file, candidate, &message.found, &fault);
    judge(looker, candidate, error, &fault);
    return error ? 0 : send_message(looker, &message);
}

/* -- A pass ------------------------------------------------------------------------------------ */

static void scan(struct looker *looker, uint64_t now_ns)
{
    if (now_ns < looker->scan_ns)
        return;
    looker->candidates.now_ns = now_ns;
    looker->reader.read = 0;
    process_scan(looker->table, now_ns);
    looker->scan_ns = now_ns + ANSWER_SCAN_NS;
}

static int answer(struct looker *looker, uint64_t now_ns)
{
    struct jvm_message end = {
        .kind = JVM_END, .pass = looker->pass, .end.is_privileged = looker->is_privileged};
    int error = 0;
    scan(looker, now_ns);
    looker->troubles = 0;
    looker->reader.read = 0;
    for (struct candidate *at = looker->candidates.by_pid; at && !error; at = at->hh.next) {
        if (!at->file && now_ns >= at->due_ns && looker->reader.read < ANSWER_MAPS_MAX)
            look(looker, at, now_ns);
        if (at->file)
            error = read_one(looker, at);
        if (!error)
            error = send_trouble(looker, at);
        end.end.unseen += at->is_unseen;
    }
    if (!error && looker->candidates.no_memory)
        error = ENOMEM;
    return error ? error : send_message(looker, &end);
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
    alarm(ALARM_S);
    int error = answer(looker, clock_mono_ns());
    alarm(0);
    return error == ECONNRESET ? EPIPE : error;
}
