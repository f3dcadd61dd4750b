/* The names of the series of all children. Nodes of one kind have the same series: those with the
 * same words share them. */
#ifndef DCAMP_CHILDREN_NAMES_H
#define DCAMP_CHILDREN_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/table.h"

/* What the dictionary of a child says instead of a metric where the series is an aggregate: its
 * windows are those of the values that it was computed of. */
#define SERIES_AGGREGATE "aggregate"

/* What is said of a series. A member is NULL if what was said is no text. */
struct series_words {
    const char *sensor, *instance, *metric, *unit, *path;
};

struct series_name {
    struct index_tail tail; /* of the key in values: sensor and instance */
    UT_hash_handle hh;      /* by words */
    uint32_t users;         /* series */
    uint32_t size;          /* in octets: charged to each of its users, whoever came first */
    bool is_aggregate;
    const char *sensor, *instance, *unit;
    const char *path; /* of a node below the child, whose series it relays; "": it is the child's */
    char words[];     /* the same, and what is_aggregate says, for the look-up */
};

/* The text in a field of that size; NULL: it has no end there. */
const char *series_word(const char *text, size_t size);

/* NULL, or what is wrong with the words. */
const char *series_words_fault(const struct series_words *words);

/* The name that good words say, among all names, for one more series, or NULL: no memory; and the
 * name has one series less. */
struct series_name *series_name_use(struct series_name **names, const struct series_words *words);
void series_name_drop(struct series_name **names, struct series_name *name);

#endif
