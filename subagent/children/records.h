/* Records of steps that children report: each is passed to whoever follows sequences, once it is
 * known to which step it belongs. Records whose series has no name yet wait for it. */
#ifndef DCAMP_CHILDREN_RECORDS_H
#define DCAMP_CHILDREN_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "report/report.h"

struct child;
struct children;

/* How many records of a child may wait; further ones are lost. */
#define CHILD_RECORDS_MAX 2000

/* Who takes them. The instance is that of the series; the node of a record is named as seen from
 * this node: the child, or a path behind it for a node below it. */
struct record_taker {
    bool (*wants)(void *context);
    void (*take)(void *context, uint32_t child, const char *instance,
                 const struct report_record *record, uint64_t now_ns);
    void *context;
};

/* Those that wait. */
struct child_records;

/* Takes an entry of kind REPORT_RECORD of that block, which is known to be valid. Records that the
 * child has kept from before it was polled may have been taken when it was polled earlier; they are
 * not taken but counted. False: the record is lost, because too many wait, there is no room for its
 * series or for the names of nodes, or no memory; that is counted, too. */
bool child_take_record(struct children *children, struct child *child, uint32_t block,
                       const struct report_entry *entry, struct moment now);

/* The dictionary has said what a number means, or that it means nothing. */
void child_records_named(struct children *children, struct child *child, uint32_t number,
                         struct moment now);

/* Numbers mean nothing any more: the records that wait are lost. */
void child_records_end(struct children *children, struct child *child);

/* Logs that records are lost. */
void child_say_records_lost(struct child *child, struct moment now);

#endif
