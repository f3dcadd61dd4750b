/* Records of steps that children report: each goes to whoever follows sequences, once it is known
 * of which step it is. Those whose series has no name yet wait for it. */
#ifndef DCAMP_CHILDREN_RECORDS_H
#define DCAMP_CHILDREN_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "report/report.h"

struct child;
struct children;

/* So many of a child may wait; more are lost. */
#define CHILD_RECORDS_MAX 2000

/* Who takes them; the instance is that of the series, and the node of a record as this node has it:
 * the child, or behind that one below it. */
struct record_taker {
    bool (*wants)(void *context);
    void (*take)(void *context, uint32_t child, const char *instance,
                 const struct report_record *record, uint64_t now_ns);
    void *context;
};

/* Those that wait. */
struct child_records;

/* Takes an entry of that block, which is known to be good, of kind REPORT_RECORD. What the child
 * has kept from before it was polled may have been taken when it was polled before, and is not:
 * that is counted. False: it is lost, since too many wait, there is no room for its series or for
 * the names of nodes, or no memory; that is counted as well. */
bool child_take_record(struct children *children, struct child *child, uint32_t block,
                       const struct report_entry *entry, struct moment now);

/* The dictionary has said what a number means, or that it means nothing. */
void child_records_named(struct children *children, struct child *child, uint32_t number,
                         struct moment now);

/* Numbers mean nothing any more: what waits is lost. */
void child_records_end(struct children *children, struct child *child);

/* Logs that records are lost. */
void child_say_records_lost(struct child *child, struct moment now);

#endif
