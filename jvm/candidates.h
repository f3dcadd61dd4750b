/* Processes that may be JVMs: which of them are looked at, and when. Pure.
 *
 * A process becomes a JVM when it executes java, or when it loads the JVM as a library. So it is
 * looked at when it appears, when it executes another program, and whenever it is twice as old as
 * at the last look. Thus a process that becomes a JVM late is found late, and one that never does
 * costs almost nothing. */
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

/* Octets of maps that are read in a pass; what is beyond that is looked at in the next pass. Each
 * user gets CANDIDATES_USER_OCTETS first; the rest goes to those that need more. A user who had
 * more than CANDIDATES_OCTETS in one pass waits until later passes have made up for it. */
#define CANDIDATES_OCTETS (2u << 20)
#define CANDIDATES_USER_OCTETS (256u << 10)

struct jvm_file;

struct candidate {
    UT_hash_handle hh;
    pid_t pid;
    uid_t owner;
    uint64_t started;            /* milliseconds since boot */
    uint64_t seen_ns;            /* when it appeared, or executed another program */
    uint64_t due_ns;             /* when it is looked at next */
    bool is_unseen;              /* this process may not look at it */
    bool is_shunned;             /* an earlier process hung while looking at it */
    struct jvm_file *file;       /* of a JVM; the owner of the candidates opens and closes it */
    struct jvm_trouble *trouble; /* why it is not read; NULL if it is read, or is no JVM */
};

struct candidate_user;

struct candidates {
    struct candidate *by_pid;
    struct candidate_user *users; /* whose processes have been looked at lately */
    struct candidate *first;      /* where the next turn begins; NULL: with the first candidate */
    uint64_t octets, user_octets; /* read in this pass; the limit of a user for another look */
    uint64_t now_ns;
    bool no_memory;
    void (*close)(struct jvm_file *file); /* closes the file of a process that is gone */
};

void candidates_release(struct candidates *candidates);

/* Follows the processes of a table, as its process_changed. The context is the struct candidates,
 * whose now_ns is the time of the scan. */
process_changed candidates_follow;

/* It has been looked at: sets when it is looked at next. */
void candidate_postpone(struct candidate *candidate, uint64_t now_ns);

/* Keeps why it is not read, as a sentence that begins with the number of the process. */
void candidate_blame(struct candidates *candidates, struct candidate *candidate,
                     enum owner_problem problem, const char *why);
void candidate_forgive(struct candidate *candidate);

/* candidates_begin() begins a pass. Then candidates_next() returns those that have to be looked at
 * now, one by one; NULL if there are none, or enough was read in this pass. candidates_charge()
 * notes how many octets the look at that one cost. */
void candidates_begin(struct candidates *candidates);
struct candidate *candidates_next(struct candidates *candidates, uint64_t now_ns);
void candidates_charge(struct candidates *candidates, const struct candidate *candidate,
                       uint64_t octets);

/* Whether one more process of this user may be read. */
bool candidates_have_room(const struct candidates *candidates, uid_t owner);

#endif
