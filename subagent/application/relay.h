/* Records of steps that nodes below have reported, on their way into the report blocks of this
 * node: what a sensor on app.records selects is passed on to the parent, whichever node it is from.
 * So a node knows what passes through programs on all nodes below it, however far below. Pure.
 *
 * Records come at any time; those that have come before a pass over the programs of this node are
 * reported with it. They share the pace of the records of this node, of which each child gets no
 * more than its share. */
#ifndef DCAMP_APPLICATION_RELAY_H
#define DCAMP_APPLICATION_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/pace.h"
#include "base/limits.h"
#include "base/table.h"
#include "report/report.h"
#include "sample/sample.h"

/* How many steps may be known; nothing is passed on of others. A step of which nothing has come for
 * this long is forgotten. */
#define RELAY_STEPS_MAX 2048
#define RELAY_IDLE_NS (600 * NS_PER_S)

/* Records, with the names of their nodes, to which report_record.node points. */
struct relay_records {
    struct report_record *record;
    size_t n, room;
};

/* One step, on all nodes below. */
struct relay_step {
    UT_hash_handle hh;
    char path[INSTANCE_SIZE]; /* application/application.h */
    uint64_t born;            /* a number that differs for each step, and that no pass has */
    uint64_t heard_ns;        /* monotonic: when the last record came */
    uint64_t taken, told;     /* how many have come; and how many had come before the last pass */
    uint64_t grown;           /* how many of the latter came after the pass before */
    uint64_t shown;           /* the owner's: a pass */
    struct relay_records waiting, current;
    struct sample_records records; /* those that came between the last two passes */
};

/* An all-zero struct is empty. */
struct relay {
    struct relay_step *steps; /* by path */
    struct relay_child *children;
    uint64_t pass, born;
    uint64_t unreported; /* records that could not be passed on, because there were too many or no
                          * memory */
};

/* Whether somebody reports the records of the step with that path. */
typedef bool relay_wants_fn(const void *context, const char *path);

void relay_release(struct relay *relay);

/* Takes a record that a child has told; the number of the child is not 0. pace_begin() must be
 * called before each relay_begin(). */
void relay_take(struct relay *relay, struct pace *pace, uint32_t child, const char *path,
                const struct report_record *record, uint64_t now_ns);

/* Begins a pass: what has come since the last one may be reported now; what came before that and
 * was not reported is counted as unreported. Steps that nobody needs any more, or of which nothing
 * comes, are forgotten. */
void relay_begin(struct relay *relay, relay_wants_fn *wants, const void *context, uint64_t now_ns);

/* NULL: the step is not known. */
struct relay_step *relay_find(const struct relay *relay, const char *path);

#endif
