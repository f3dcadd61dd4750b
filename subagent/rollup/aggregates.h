/* Aggregates at run time: which series of which children each one is over, and what it gave.
 *
 * Each value goes into the report blocks twice, under one number: as an entry of the value itself,
 * for the parent's dcampChildValueTable, and as what it was computed of (report_add_aggregate):
 * count, min, max, mean, squares and histogram of the leaves, their sum, how many there should be
 * and how old the oldest is. The dictionary of the node says "aggregate" (SERIES_AGGREGATE) instead
 * of a metric, so that a parent takes the leaves for its own aggregates. Both pass the filter
 * together, and always when a count has changed: what is missing is never just a smaller sum.
 *
 * What is missing: of every child that the aggregate is over, each series it has told of is
 * expected; of one that is not there, one, if it has told of none. */
#ifndef DCAMP_ROLLUP_AGGREGATES_H
#define DCAMP_ROLLUP_AGGREGATES_H

#include "aggregate/aggregate.h"
#include "rollup/match.h"
#include "children/children.h"
#include "series/measure.h"

/* One value of an aggregate. The same allocation holds its key. */
struct aggregate_value_row {
    struct index_node node; /* key: aggregate, instance; in values while it is shown */
    UT_hash_handle hh;      /* by instance; of the aggregate */
    struct running_aggregate *aggregate;
    struct dictionary_entry entry; /* stays while its series are there, shown or not */
    bool shown;  /* false: not among the top, or there are no series; then told to be nothing */
    bool wanted; /* when matching */
    struct filter_state filter;
    struct result result;
    struct moment taken;
    uint32_t expected, reporting; /* top and share: of all that they are chosen or shared among */
    uint64_t oldest_ms;
    uint32_t told_expected, told_reporting; /* last reported: of this value only */
    char instance[INSTANCE_SIZE];
    uint32_t key[];
};

/* An active row of the configuration. */
struct running_aggregate {
    struct index_node node; /* key: name */
    uint32_t key[NAME_SIZE];
    struct aggregate_row row; /* a copy */
    struct filter_rule filter;
    uint64_t due_ns;
    char unit[NAME_SIZE];
    uint64_t membership; /* of the children, when they were last matched */
    struct aggregate_members members;
    struct aggregate single; /* for what is told of one series */
    struct aggregate_value_row *rows;
    size_t n_values; /* rows that are shown */
    uint64_t passed, held;
};

struct aggregates {
    struct index index;            /* of struct running_aggregate, by name */
    struct index values;           /* of struct aggregate_value_row, by aggregate and instance */
    const struct measure *measure; /* whose sensors must have other names */
    struct publisher *publisher;
    bool children_known; /* they have told what they have, or had the time to */
    uint64_t due_ns;     /* of the first of them; UINT64_MAX: there is none */
};

/* All is the owner's. */
void aggregates_open(struct aggregates *aggregates, const struct measure *measure,
                     struct publisher *publisher);
void aggregates_close(struct aggregates *aggregates);

/* Makes the aggregates those of the configuration: a new or changed one begins anew, at once. One
 * with the name of a sensor is not computed. After measure_sync. */
void aggregates_sync(struct aggregates *aggregates, const struct config *config, struct moment now);

struct running_aggregate *aggregates_find(const struct aggregates *aggregates, const char *name);

/* For who looks for series: their values are among those of measure; what there is to aggregate is
 * not known before the children are. */
struct series_producer aggregates_producer(const struct aggregates *aggregates);

/* When the next one is due; UINT64_MAX: none. */
uint64_t aggregates_due(const struct aggregates *aggregates);

/* Computes one that is due, and reports it. False: none is. Due are they at whole multiples of
 * their intervals. */
bool aggregates_step(struct aggregates *aggregates, const struct children *children,
                     struct moment now);

/* For rollup/aggregates_sync.c: one instance of an aggregate ends, and is told to whom it concerns.
 * When the first aggregate is due, after some began, ended or were computed. */
void aggregate_row_end(struct aggregates *aggregates, struct aggregate_value_row *row,
                       const char *why, struct moment now);
void aggregates_plan(struct aggregates *aggregates);

#endif
