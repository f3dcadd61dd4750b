/* What one child may cost: memory by account, work by a bucket that leaks. Whether it is beyond the
 * bound is judged here; what follows is for refusal.h. */
#ifndef DCAMP_CHILDREN_BOUND_H
#define DCAMP_CHILDREN_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct child;
struct children;

/* Units of work, of some 20 ns each, roughly: an octet of a block, and what these cost. */
#define WORK_OF_ENTRY 16
#define WORK_OF_COUNTERS 8 /* so many counters that a histogram spans */
#define WORK_OF_SERIES 256 /* begun, or named */
#define WORK_OF_ALARM 128  /* told */
#define WORK_OF_BOOT 16    /* each series that it has, when it says that it has started again */

/* A child that went beyond the bound. */
struct child_refusal {
    bool waits;         /* it is not polled */
    uint64_t until_ns;  /* monotonic: then it is; and after that, its trial is over */
    uint64_t length_ns; /* of both */
};

struct child_cost {
    size_t memory;                 /* octets */
    uint64_t work;                 /* units that were not paid yet, as of work_ns */
    uint64_t work_ns;              /* monotonic */
    struct child_refusal *refusal; /* it went beyond the bound; NULL: not, or long ago */
};

/* Memory that is there because of what a child has told, whoever allocates it: charged when it is
 * allocated, discharged, by as much, when it is freed. It cannot fail: who is beyond the bound is
 * refused once the message that is being taken allows it, after one series at most. */
void child_charge(struct child *child, size_t octets);
void child_discharge(struct child *child, size_t octets);

/* Adds to what it has to work off. */
void child_work(const struct children *children, struct child *child, uint64_t units,
                uint64_t now_ns);

bool child_is_beyond(const struct children *children, const struct child *child);

/* It is not polled from now on; each time for longer than the time before. False: no memory. */
bool child_begin_refusal(struct child *child, uint64_t now_ns);

/* It is polled again, on trial for as long as it was refused. */
void child_begin_trial(struct child *child, uint64_t now_ns);

/* Forgets that it was ever beyond the bound. */
void child_pardon(struct child *child);

bool child_is_refused(const struct child *child);
bool child_is_on_trial(const struct child *child, uint64_t now_ns);

/* Of a child that is refused: monotonic. */
uint64_t child_refused_until(const struct child *child);

#endif
