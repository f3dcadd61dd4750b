/* What has a number in the report blocks of this node: its series, and the values of its
 * aggregates. The dictionary (dcampSeriesTable) and the rules see both alike. */
#ifndef DCAMP_SERIES_DICTIONARY_H
#define DCAMP_SERIES_DICTIONARY_H

#include <stdbool.h>

#include "base/index.h"
#include "series/observer.h"

struct dictionary_entry {
    struct index_node node; /* key: number; in by_number */
    const char *sensor, *instance, *metric, *unit;
    const struct result *result;
    struct statistics *statistics; /* NULL: there are none */
    uint32_t number;               /* never used again in this boot */
    bool is_reported;              /* the report blocks of this boot have mentioned it */
    bool is_relayed;               /* the series belongs to a node below, whose path is in the same
                                    * text as the metric, behind its NUL: nodes have few such
                                    * series, if any */
    struct watch *watches;         /* those of the observer */
};

struct dictionary {
    struct index by_number; /* of struct dictionary_entry */
    uint32_t next_number;
};

void dictionary_open(struct dictionary *dictionary);
void dictionary_close(struct dictionary *dictionary);

/* Gives an entry a number, after its texts were set, and takes it out again. */
void dictionary_add(struct dictionary *dictionary, struct dictionary_entry *entry);
void dictionary_remove(struct dictionary *dictionary, struct dictionary_entry *entry);

/* The path from here to the node that the series belongs to, "node7" or "collector1/node7"; "":
 * this node. */
const char *dictionary_path(const struct dictionary_entry *entry);

/* The entry as observers see it. */
struct series_ref dictionary_series(struct dictionary_entry *entry);

#endif
