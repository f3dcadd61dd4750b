/* Processes that may be JVMs: which of them are looked at, and when. Pure.
 *
 * A process becomes a JVM when it executes java, or when it loads the JVM as a library. So it is
 * looked at when it comes, when it executes another program, and in between when it is twice as old
 * as the last time: who becomes a JVM late is found late, and who never does costs next to nothing.
 */
#ifndef DCAMP_JVM_CANDIDATES_H
#define DCAMP_JVM_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "application/jvm_message.h"
#include "base/clock.h"
#include "base/table.h"
#include "sample/process/process.h"

#define CANDIDATE_MIN_NS (5 * NS_PER_S)
#define CANDIDATE_MAX_NS (600 * NS_PER_S)

struct jvm_file;

struct candidate {
    UT_hash_handle hh;
    pid_t pid;
    uid_t owner;
    uint64_t started;            /* milliseconds since boot */
    uint64_t seen_ns;            /* when it came, or became another program */
    uint64_t due_ns;             /* when it is looked at next */
    bool is_unseen;              /* it must not be looked at */
    struct jvm_file *file;       /* of one that is a JVM; its owner opens and closes it */
    struct jvm_trouble *trouble; /* why it is not read; NULL: it is, or is none */
};

struct candidates {
    struct candidate *by_pid;
    uint64_t now_ns;
    bool no_memory;
    void (*close)(struct jvm_file *file); /* of one that is gone */
};

void candidates_release(struct candidates *candidates);

/* Follows the processes of a table, as its process_changed; the context is the struct candidates,
 * whose now_ns is that of the scan. */
process_changed candidates_follow;

/* It was looked at: when it is next. */
void candidate_postpone(struct candidate *candidate, uint64_t now_ns);

/* Keeps why it is not read, as a sentence that begins with its number. */
void candidate_blame(struct candidates *candidates, struct candidate *candidate,
                     enum owner_problem problem, const char *why);
void candidate_forgive(struct candidate *candidate);

/* Whether one more of this user may be read. */
bool candidates_have_room(const struct candidates *candidates, uid_t owner);

#endif
