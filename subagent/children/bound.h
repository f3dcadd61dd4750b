/* What one child may cost: memory by an account, work by a leaky bucket. Whether it exceeds the
 * bound is judged here; the consequences are in refusal.h. */
#ifndef DCAMP_CHILDREN_BOUND_H
#define DCAMP_CHILDREN_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct child;
struct children;

/* A key of a top may become a row of dcampAggregateTopTable, which takes at most so many octets:
 * they are charged to the child together with the key. */
#define CHILD_TOP_ROW 128

/* Work is counted in units of very roughly 20 ns. An octet of a block is one unit; the following
 * are the other costs. */
#define WORK_OF_ENTRY 16
#define WORK_OF_COUNTERS 8 /* for so many counters that a histogram spans */
#define WORK_OF_KEY 8      /* of a top */
#define WORK_OF_SERIES 256 /* begun, or named */
#define WORK_OF_ALARM 128  /* told */
#define WORK_OF_BOOT 16    /* for each of its series, when it says that it has started again */

/* A child that has exceeded the bound. */
struct child_refusal {
    bool waits;         /* the child is refused and not polled; else it is on trial */
    uint64_t until_ns;  /* monotonic: when the refusal or the trial ends */
    uint64_t length_ns; /* of the refusal, and of the trial after it */
};

struct child_cost {
    size_t memory;                 /* octets */
    uint64_t work;                 /* units that are not worked off yet, as of work_ns */
    uint64_t work_ns;              /* monotonic */
    struct child_refusal *refusal; /* NULL: it never exceeded the bound, or that was long ago */
};

/* Memory that is used because of what a child has told, whoever allocates it: it is charged when it
 * is allocated, and discharged, by the same amount, when it is freed. This cannot fail: a child
 * beyond the bound is refused as soon as the message that is being taken allows it, after one
 * series at most. */
void child_charge(struct child *child, size_t octets);
void child_discharge(struct child *child, size_t octets);

/* Adds units to the work of the child, and subtracts what has been worked off since. */
void child_work(const struct children *children, struct child *child, uint64_t units,
                uint64_t now_ns);

bool child_is_beyond(const struct children *children, const struct child *child);

/* Refuses the child, each time for longer than the time before. False: no memory. */
bool child_begin_refusal(struct child *child, uint64_t now_ns);

/* The child is no longer refused, but on trial for as long as it was. */
void child_begin_trial(struct child *child, uint64_t now_ns);

/* Forgets that the child ever exceeded the bound. */
void child_pardon(struct child *child);

bool child_is_refused(const struct child *child);
bool child_is_on_trial(const struct child *child, uint64_t now_ns);

/* When the refusal of a refused child ends: monotonic. */
uint64_t child_refused_until(const struct child *child);

#endif
