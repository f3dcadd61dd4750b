/* For tests of aggregates: collectors with children that report what the test says, and collectors
 * that report to each other. */
#ifndef DCAMP_TESTS_COLLECTOR_H
#define DCAMP_TESTS_COLLECTOR_H

#include <math.h>

#include "polled.h"
#include "rollup/aggregates.h"

#define LEAF_SERIES_MAX 512
#define LEAVES_MAX 64
#define NONE ((double)NAN)

/* A child: its reports, and the names of its series, whose numbers count from 1. */
struct leaf {
    char name[NAME_SIZE];
    struct report_ring *ring;
    struct {
        char sensor[NAME_SIZE], instance[INSTANCE_SIZE];
    } series[LEAF_SERIES_MAX];
    uint32_t n, named, next_block;
};

struct collector {
    struct polled *polled;
    struct series_observer observer;
    struct publisher publisher;
    struct measure measure;
    struct report_ring report;
    struct aggregates aggregates;
    struct leaf *leaves[LEAVES_MAX];
    size_t n_leaves;
    size_t begun, ended, valued; /* what the thresholds are told */
    uint32_t next_block;         /* for the parent */
};

struct collector *collector_new(void);
void collector_free(struct collector *collector);
void collector_sync(struct collector *collector);

/* An aggregate, as names and texts of its fields, with NULL at the end. */
struct row *collector_aggregate(struct collector *collector, const char *name,
                                const char *const *fields);

#define AGGREGATE(collector, name, ...)                                                            \
    collector_aggregate(collector, name, (const char *const[]){__VA_ARGS__, NULL})

struct leaf *collector_leaf(struct collector *collector, const char *name, const char *group);
struct child *child_of(struct collector *collector, const struct leaf *leaf);
uint32_t leaf_number(struct leaf *leaf, const char *sensor, const char *instance);

/* A value for the next answer; NONE: it is unavailable. */
void leaf_value(struct leaf *leaf, const char *sensor, const char *instance, double value);
void leaf_answer(struct collector *collector, struct leaf *leaf);

/* One value of one series, at once. */
void leaf_says(struct collector *collector, struct leaf *leaf, const char *sensor,
               const char *instance, double value);
void leaf_silent(struct collector *collector, const struct leaf *leaf, int polls);
size_t collector_step(struct collector *collector, uint64_t ms);

/* What a collector has reported reaches its parent, who knows it as a leaf. */
void collector_tell(struct collector *collector, struct collector *parent, const struct leaf *leaf);
const struct rollup_value *row_at(const struct collector *collector, const char *name,
                                  const char *instance);

/* value NONE: there is none. */
void check_row(const struct collector *collector, const char *name, const char *instance,
               double value, uint32_t expected, uint32_t reporting);
size_t n_values(const struct collector *collector, const char *name);
int collector_setup(void **state);
int collector_teardown(void **state);

#define collector_test(test)                                                                       \
    cmocka_unit_test_setup_teardown(test, collector_setup, collector_teardown)

#endif
