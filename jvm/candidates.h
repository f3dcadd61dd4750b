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

/* Octets of maps that are read in a pass: what is beyond that is looked at in the next one. So many
 * of each user come first; the rest is for whoever needs more, and who had more than all of it in
 * one pass waits until that has been made up for. */
#define CANDIDATES_OCTETS (2u << 20)
#define CANDIDATES_USER_OCTETS (256u << 10)

struct jvm_file;

struct candidate {
    UT_hash_handle hh;
    pid_t pid;
    uid_t owner;
    uint64_t started;            /* milliseconds since boot */
    uint64_t seen_ns;            /* when it came, or became another program */
    uint64_t due_ns;             /* when it is looked at next */
    bool is_unseen;              /* it must not be looked at */
    bool is_shunned;             /* a helper has hung with it */
    struct jvm_file *file;       /* of one that is a JVM; its owner opens and closes it */
    struct jvm_trouble *trouble; /* why it is not read; NULL: it is, or is none */
};

struct candidate_user;

struct candidates {
    struct candidate *by_pid;
    struct candidate_user *users; /* that have been looked at lately */
    struct candidate *first;      /* where the next turn begins; NULL: with the first of all */
    uint64_t octets, user_octets; /* read in this pass; that a user may have had for another look */
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

/* A pass begins. Then, one after the other, those that are to be looked at now; NULL: none, or
 * enough was read in this pass. The look at the last one cost so many octets. */
void candidates_begin(struct candidates *candidates);
struct candidate *candidates_next(struct candidates *candidates, uint64_t now_ns);
void candidates_charge(struct candidates *candidates, const struct candidate *candidate,
                       uint64_t octets);

/* Whether one more of this user may be read. */
bool candidates_have_room(const struct candidates *candidates, uid_t owner);

#endif
