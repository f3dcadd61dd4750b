/* Aggregates at run time: which series of which children each one is over, and its results.
 *
 * Each value goes into the report blocks twice, under one number: as an entry of the value itself,
 * for the parent's dcampChildValueTable, and as what it was computed from (report_add_aggregate):
 * count, min, max, mean, squares and histogram of the leaves, their sum, how many there should be
 * and how old the oldest is. The dictionary of the node says "aggregate" (SERIES_AGGREGATE) instead
 * of a metric, so that a parent takes the leaves for its own aggregates. Both pass the filter
 * together, and always when a count has changed, so that missing values never look like just a
 * smaller sum.
 *
 * What counts as missing: from every child that the aggregate is over, each series that it has told
 * of is expected; from a child that is not there and has told of none, one series is expected. */
#ifndef DCAMP_ROLLUP_AGGREGATES_H
#define DCAMP_ROLLUP_AGGREGATES_H

#include "children/children.h"
#include "rollup/value.h"
#include "series/measure.h"

struct aggregates {
    struct index index; /* of struct rollup, by name */
    struct rollup_values values;
    const struct measure *measure; /* whose sensors must have other names */
    bool children_known;           /* the children have told what they have, or had the time to */
    bool starved;                  /* some could not begin because memory ran out */
    uint64_t versions;             /* the latest version of the rows of the configuration that were
                                    * looked at */
    uint64_t due_ns;               /* when the first of them is due; UINT64_MAX: there is none */
};

/* Both pointers belong to the owner. */
void aggregates_open(struct aggregates *aggregates, const struct measure *measure,
                     struct publisher *publisher);
void aggregates_close(struct aggregates *aggregates);

/* Makes the aggregates those of the configuration: a new or changed one begins anew, at once. An
 * aggregate with the name of a sensor is not computed. To be called after measure_sync. False:
 * there was no memory for some, which are left out until this is called again. */
bool aggregates_sync(struct aggregates *aggregates, const struct config *config, struct moment now);

struct rollup *aggregates_find(const struct aggregates *aggregates, const char *name);

/* For those who look for series: their values are among those of measure; but which values there
 * will be is not known before the children are. */
struct series_producer aggregates_producer(const struct aggregates *aggregates);

/* When the next one is due; UINT64_MAX: none. */
uint64_t aggregates_due(const struct aggregates *aggregates);

/* Computes one that is due, and reports it. False: none is due. They are due at whole multiples of
 * their intervals. */
bool aggregates_step(struct aggregates *aggregates, const struct children *children,
                     struct moment now);

#endif
