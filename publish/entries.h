/* The entries of a block, decoded and named, for sinks that write them one after the other. */
#ifndef DCAMP_PUBLISH_ENTRIES_H
#define DCAMP_PUBLISH_ENTRIES_H

#include "publish/sink.h"

struct entry {
    const struct sink_block *block; /* if the series is relayed, its stream has the path and the
                                       name of the node of the series, and no engine */
    const struct sink_words *words; /* NULL: of an alarm */
    const struct report_entry *report;
    /* Counts what the block tells, from 0; each key counts, and so does what is left out. A block
     * that is given again has the same numbers. */
    uint32_t line;
};

/* Returns 0 to go on, or an errno, which ends it. */
typedef int entry_fn(void *context, const struct entry *entry);

/* Calls each() for each entry of values, windows, records, keys and alarms; those of series without
 * a name are left out, and counted in *nameless. 0; what each() returned; EBADMSG, ENOMEM. */
int entries_each(const struct sink_block *block, entry_fn *each, void *context, uint64_t *nameless);

#endif
