/* The process that looks for JVMs, as the daemon sees it: it holds the two capabilities that this
 * needs, and the daemon has neither. systemd starts it, with these capabilities, for whoever
 * connects to its socket; where there is no such socket, the daemon starts it itself, and it sees
 * what the daemon may see.
 *
 * It is asked, and answers at once. A helper that ends, hangs or says what makes no sense is
 * abandoned or killed, and started anew, later each time. The process that it looked at when it
 * hung or ended is left alone by the next helpers for a while: one user's process must not deprive
 * others of theirs. */
#ifndef DCAMP_APPLICATION_JVM_HELPER_H
#define DCAMP_APPLICATION_JVM_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "application/jvm_message.h"
#include "base/clock.h"

/* How long an answer is waited for. A later answer counts in the next pass, if that is soon;
 * otherwise the helper is asked again. */
#define JVM_WAIT_NS (40 * NS_PER_MS)
#define JVM_LATE_NS (2 * NS_PER_S)

/* A helper from which nothing has come for so long since that was noticed hangs; before it was
 * noticed, the whole machine may have been stopped. */
#define JVM_SILENT_NS (10 * NS_PER_S)

#define JVM_BACKOFF_MIN_NS NS_PER_S
#define JVM_BACKOFF_MAX_NS (30 * NS_PER_S)
/* How long a process is left alone with which a helper hung or ended; it doubles each time. */
#define JVM_SHUN_MIN_NS (30 * NS_PER_S)
#define JVM_SHUN_MAX_NS (3600 * NS_PER_S)

#define JVM_KILL_NS NS_PER_S /* how long a helper may take to end after its socket was closed */

/* A process with which a helper hung. It is kept when it may be looked at again, as long as there
 * is room, because the next helper may hang with it, too. */
struct jvm_shunned {
    struct jvm_process process; /* pid 0: none */
    uint64_t until_ns, length_ns;
};

struct jvm_helper {
    const char *path; /* of a socket or a program; NULL: those of the installation */
    int fd;           /* -1: there is none */
    pid_t pid;        /* if the daemon has started it; 0: somebody else has */
    bool is_ending;   /* its socket is closed */
    uint64_t began_ns;
    uint64_t due_ns; /* when to start it; while it ends: when to kill it */
    uint64_t backoff_ns;
    uint32_t pass;
    bool is_asked; /* it was asked and has not finished its answer */
    uint64_t asked_ns;
    unsigned packets, n_looks; /* of this answer; looks that were told since the question */
    struct jvm_process looks;  /* what it is looking at; pid 0: nothing */
    struct jvm_shunned shunned[JVM_SHUNNED_MAX];
    uint64_t doubted_ns; /* when its silence was noticed; 0: it was not */
    int failure;         /* why there is no helper */
    int told;            /* the failure that was last logged */
};

void jvm_helper_open(struct jvm_helper *helper, const char *path);

/* Ends the helper, and waits for a moment. */
void jvm_helper_close(struct jvm_helper *helper);

/* Nobody needs to know anything of JVMs: the helper may end. */
void jvm_helper_rest(struct jvm_helper *helper, uint64_t now_ns);

/* Whether the next question is still the last one, whose answer was late. */
bool jvm_helper_goes_on(const struct jvm_helper *helper, uint64_t now_ns);

/* Takes what the helper answers; the end comes last. */
typedef void jvm_take(void *context, const struct jvm_message *message);

/* Asks, and gives the answer, or what comes of a late one, to take. 0; ETIMEDOUT: the answer was
 * not complete; or another errno: there is no helper that could be asked. */
int jvm_helper_ask(struct jvm_helper *helper, uint64_t now_ns, jvm_take *take, void *context);

#endif
