/* One value of an aggregate: it begins and ends, is shown or not, and is told to those
 * concerned. */
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
    uint64_t membership; /* that of the children when they were last matched */
    bool starved;        /* there was no memory for one of its values then */
    struct aggregate_members members;
    struct aggregate single; /* used for what is told of one series */
    struct rollup_value *values;
    size_t n_values; /* how many are shown */
    uint64_t passed, held;
    uint64_t top_round; /* of telling keys: see tops.h */
    bool top_waits;     /* some keys were not told in this round */
};

struct rollup_top;

/* Counts whose change is told whatever the filter says. In windows the counts are those of their
 * values, which differ from window to window: only a change in how many are missing counts
 * there. */
struct told_counts {
    uint32_t expected, reporting;
};

/* One value of an aggregate. The same allocation holds its key. */
struct rollup_value {
    struct index_node node; /* key: aggregate, instance; in the index shown while it is shown */
    UT_hash_handle hh;      /* by instance; in values of its rollup */
    struct rollup *rollup;
    struct dictionary_entry entry; /* stays while its series exist, whether it is shown or not */
    bool shown;  /* false: it is not among the top, or there are no series; then it was reported as
                  * having no value */
    bool wanted; /* when matching */
    struct filter_state filter;
    struct result result;
    struct moment taken;
    uint32_t expected, reporting; /* for top and share: those of all that they are chosen or shared
                                   * among */
    uint64_t oldest_ms;
    struct told_counts told;      /* what was last reported, of this value only */
    struct rollup_top *top;       /* the keys with the largest counts; NULL: there are none */
    uint64_t top_mark, top_round; /* the mark and the round of the keys that were merged */
    uint64_t top_due_ns;          /* monotonic: they are not merged again before that */
    char instance[INSTANCE_SIZE];
    uint32_t key[];
};

/* What the values of all aggregates share; all of it belongs to the owner. */
struct rollup_values {
    struct index shown; /* of struct rollup_value, by aggregate and instance */
    struct publisher *publisher;
    uint32_t top_size; /* set by the owner: how many keys of a top have rows */
};

/* Begins a value that is not shown yet. NULL: no memory. */
struct rollup_value *rollup_value_begin(const struct rollup_values *values, struct rollup *rollup,
                                        const char *instance);
void rollup_value_end(struct rollup_values *values, struct rollup_value *value, const char *why,
                      struct moment now);

/* Makes it one of the rows of dcampAggregateValueTable; rollup_value_hide ends that. */
void rollup_value_show(struct rollup_values *values, struct rollup_value *value, struct moment now);
void rollup_value_hide(struct rollup_values *values, struct rollup_value *value, const char *why,
                       struct moment now);

/* The value has a new result, which was computed from that aggregate. */
void rollup_value_publish(const struct rollup_values *values, struct rollup_value *value,
                          const struct aggregate *of, struct moment now);

#endif
