/* One value of an aggregate: it begins and ends, is shown or not, and is told to whom it concerns.
 */
#ifndef DCAMP_ROLLUP_VALUE_H
#define DCAMP_ROLLUP_VALUE_H

#include "rollup/match.h"
#include "series/publish.h"

/* An aggregate: an active row of the configuration at run time. */
struct rollup {
    struct index_node node; /* key: name */
    uint32_t key[NAME_SIZE];
    struct aggregate_row row; /* a copy */
    struct filter_rule filter;
    uint64_t due_ns;
    char unit[NAME_SIZE];
    uint64_t membership; /* of the children, when they were last matched */
    bool starved;        /* then there was no memory for one of its values */
    struct aggregate_members members;
    struct aggregate single; /* for what is told of one series */
    struct rollup_value *values;
    size_t n_values; /* that are shown */
    uint64_t passed, held;
    uint64_t top_round; /* of keys: see tops.h */
    bool top_waits;     /* some were not told in this round */
};

struct rollup_top;

/* The counts of which a change is told whatever the filter says. Those of windows are of their
 * values, which are others in each: only how many are missing is a change. */
struct told_counts {
    uint32_t expected, reporting;
};

/* One value of an aggregate. The same allocation holds its key. */
struct rollup_value {
    struct index_node node; /* key: aggregate, instance; in shown while it is */
    UT_hash_handle hh;      /* by instance; in values of its rollup */
    struct rollup *rollup;
    struct dictionary_entry entry; /* stays while its series are there, shown or not */
    bool shown;  /* false: not among the top, or there are no series; then told to be nothing */
    bool wanted; /* when matching */
    struct filter_state filter;
    struct result result;
    struct moment taken;
    uint32_t expected, reporting; /* top and share: of all that they are chosen or shared among */
    uint64_t oldest_ms;
    struct told_counts told;      /* last reported: of this value only */
    struct rollup_top *top;       /* the keys that have most; NULL: there are none */
    uint64_t top_mark, top_round; /* of the keys that they were merged of */
    uint64_t top_due_ns;          /* monotonic: not before that are they merged again */
    char instance[INSTANCE_SIZE];
    uint32_t key[];
};

/* What the values of all aggregates share; all is the owner's. */
struct rollup_values {
    struct index shown; /* of struct rollup_value, by aggregate and instance */
    struct publisher *publisher;
    uint32_t top_size; /* set by the owner: how many keys of a top have rows */
};

/* NULL: no memory. It is not shown yet. */
struct rollup_value *rollup_value_begin(const struct rollup_values *values, struct rollup *rollup,
                                        const char *instance);
void rollup_value_end(struct rollup_values *values, struct rollup_value *value, const char *why,
                      struct moment now);

/* Among the rows of dcampAggregateValueTable from now on; and no more. */
void rollup_value_show(struct rollup_values *values, struct rollup_value *value, struct moment now);
void rollup_value_hide(struct rollup_values *values, struct rollup_value *value, const char *why,
                       struct moment now);

/* It has a new result, which was computed of that. */
void rollup_value_publish(const struct rollup_values *values, struct rollup_value *value,
                          const struct aggregate *of, struct moment now);

#endif
