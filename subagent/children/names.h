/* The names of the series of all children. Nodes of one kind have the same series: series with the
 * same words share a name. */
#ifndef DCAMP_CHILDREN_NAMES_H
#define DCAMP_CHILDREN_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/table.h"

/* What the dictionary of a child says instead of a metric if the series is an aggregate: its
 * windows are those of the values from which it was computed. */
#define SERIES_AGGREGATE "aggregate"

/* What is said of a series. A member is NULL if what was said is no text. */
struct series_words {
    const char *sensor, *instance, *metric, *unit, *path;
};

struct series_name {
    struct index_tail tail; /* of the key in values: sensor and instance */
    UT_hash_handle hh;      /* by words */
    uint32_t users;         /* how many series use it */
    uint32_t size;          /* in octets: charged to each of its users, no matter which came
                             * first */
    bool is_aggregate;
    const char *sensor, *instance, *unit;
    const char *path; /* of a node below the child, whose series the child relays; "": the series is
                       * the child's own */
    char words[];     /* the same texts, and what is_aggregate says, as the key of the look-up */
};

/* The text in a field of that size; NULL: it does not end within the field. */
const char *series_word(const char *text, size_t size);

/* NULL, or what is wrong with the words. */
const char *series_words_fault(const struct series_words *words);

/* series_name_use: the name with these words, which must be valid, for one more series; NULL: no
 * memory. series_name_drop: one series fewer uses the name. */
struct series_name *series_name_use(struct series_name **names, const struct series_words *words);
void series_name_drop(struct series_name **names, struct series_name *name);

#endif
