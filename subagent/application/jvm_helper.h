/* The process that looks for JVMs, as the daemon sees it: it holds the two capabilities that this
 * needs, and the daemon none. systemd starts it for who connects to its socket, with these
 * capabilities; where there is no such socket, the daemon starts it itself, and it sees what the
 * daemon may.
 *
 * It is asked, and answers at once. One that ends, hangs or says what makes no sense is left, or
 * killed, and started anew, later each time. The process that it looked at when it hung or ended is
 * left alone by the next ones for a while: one user's process must not cost others theirs. */
#ifndef DCAMP_APPLICATION_JVM_HELPER_H
#define DCAMP_APPLICATION_JVM_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "application/jvm_message.h"
#include "base/clock.h"

/* So long an answer is waited for. What comes later counts in the next pass, if that is soon; else
 * it is asked again. */
#define JVM_WAIT_NS (40 * NS_PER_MS)
#define JVM_LATE_NS (2 * NS_PER_S)

/* One of which nothing has come for so long, since that was noticed, hangs: when it was, the whole
 * machine may have been stopped. */
#define JVM_SILENT_NS (10 * NS_PER_S)

#define JVM_BACKOFF_MIN_NS NS_PER_S
#define JVM_BACKOFF_MAX_NS (30 * NS_PER_S)
/* So long a process is left alone with which a helper hung or ended; each time it is twice as long.
 */
#define JVM_SHUN_MIN_NS (30 * NS_PER_S)
#define JVM_SHUN_MAX_NS (3600 * NS_PER_S)

#define JVM_KILL_NS NS_PER_S /* how long one whose socket was closed may take to end */

/* A process with which one hung. It is kept when it may be looked at again, as long as there is
 * room: it may hang the next one, too. */
struct jvm_shunned {
    struct jvm_process process; /* pid 0: none */
    uint64_t until_ns, length_ns;
};

struct jvm_helper {
    const char *path; /* of a socket or a program; NULL: those of the installation */
    int fd;           /* -1: there is none */
    pid_t pid;        /* that the daemon has started; 0: somebody else has */
    bool is_ending;   /* its socket is closed */
    uint64_t began_ns;
    uint64_t due_ns; /* to start; while it ends: to be killed */
    uint64_t backoff_ns;
    uint32_t pass;
    bool is_asked; /* and has not finished its answer */
    uint64_t asked_ns;
    unsigned packets, n_looks; /* of this answer; of looks that were told since the question */
    struct jvm_process looks;  /* what it is looking at; pid 0: at none */
    struct jvm_shunned shunned[JVM_SHUNNED_MAX];
    uint64_t doubted_ns; /* when its silence was noticed; 0: it was not */
    int failure;         /* why there is none */
    int told;            /* the failure that was logged last */
};

void jvm_helper_open(struct jvm_helper *helper, const char *path);

/* Ends it, and waits for a moment. */
void jvm_helper_close(struct jvm_helper *helper);

/* Nobody wants to know anything of JVMs: it may end. */
void jvm_helper_rest(struct jvm_helper *helper, uint64_t now_ns);

/* Whether the next question is the last one still, whose answer was late. */
bool jvm_helper_goes_on(const struct jvm_helper *helper, uint64_t now_ns);

/* What it answers; the end is the last. */
typedef void jvm_take(void *context, const struct jvm_message *message);

/* Asks, and gives the answer, or what comes of one that was late, to take. 0; ETIMEDOUT: it was not
 * all of the answer; or another errno: there is none that could be asked. */
int jvm_helper_ask(struct jvm_helper *helper, uint64_t now_ns, jvm_take *take, void *context);

#endif
