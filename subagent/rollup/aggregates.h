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

#include "children/children.h"
#include "rollup/value.h"
#include "series/measure.h"

struct aggregates {
    struct index index; /* of struct rollup, by name */
    struct rollup_values values;
    const struct measure *measure; /* whose sensors must have other names */
    bool children_known;           /* they have told what they have, or had the time to */
    bool starved;                  /* some could not begin for want of memory */
    uint64_t versions;             /* of rows of the configuration that were looked at */
    uint64_t due_ns;               /* of the first of them; UINT64_MAX: there is none */
};

/* All is the owner's. */
void aggregates_open(struct aggregates *aggregates, const struct measure *measure,
                     struct publisher *publisher);
void aggregates_close(struct aggregates *aggregates);

/* Makes the aggregates those of the configuration: a new or changed one begins anew, at once. One
 * with the name of a sensor is not computed. After measure_sync. False: there was no memory for
 * some, which are left out until it is called again. */
bool aggregates_sync(struct aggregates *aggregates, const struct config *config, struct moment now);

struct rollup *aggregates_find(const struct aggregates *aggregates, const char *name);

/* For who looks for series: their values are among those of measure; what there is to aggregate is
 * not known before the children are. */
struct series_producer aggregates_producer(const struct aggregates *aggregates);

/* When the next one is due; UINT64_MAX: none. */
uint64_t aggregates_due(const struct aggregates *aggregates);

/* Computes one that is due, and reports it. False: none is. Due are they at whole multiples of
 * their intervals. */
bool aggregates_step(struct aggregates *aggregates, const struct children *children,
                     struct moment now);

#endif
