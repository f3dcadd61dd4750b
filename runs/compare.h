/* Two runs side by side: each figure that both have, by how much they differ, and whether the
 * difference is beyond chance. Pure except for its memory. */
#ifndef DCAMP_RUNS_COMPARE_H
#define DCAMP_RUNS_COMPARE_H

#include "runs/estimate.h"
#include "runs/pairs.h"

enum compare_group {
    COMPARE_RESPONSE,   /* times of steps, timers, sequences: larger is slower */
    COMPARE_THROUGHPUT, /* how much of what has such a time is done per second: less is slower */
    COMPARE_PROGRAM,    /* other values of programs: these are not judged */
    COMPARE_RESOURCE    /* of a node: not judged, either */
};

enum compare_statistic {
    COMPARE_MEAN,
    COMPARE_P50,
    COMPARE_P99,
    COMPARE_RATE,  /* per second */
    COMPARE_FAILED /* percent of the executions */
};
#define COMPARE_STATISTICS 5
#define compare_bit(statistic) (1u << (statistic))

struct compare_side {
    enum estimate_fault fault;
    double value; /* set unless fault is ESTIMATE_NONE */
    uint64_t count;
    size_t n;
    double *parts; /* as in struct estimate; if is_relative, parts of the logarithm */
};

struct compare_row {
    const struct run_series *a_series, *b_series;
    enum compare_group group;
    enum compare_statistic statistic;
    bool is_step; /* of executions, each of which has a record */
    const char *unit;
    struct compare_side a, b;
    const char *note; /* why there is no interval; NULL if there is one */
    bool is_relative; /* both values are above 0, so that there are percentages */
    /* The difference b - a and its interval, in the unit. The interval is wider if the difference
     * is beyond chance: see runs/discovery.h. */
    double difference, low, high;
    double percent, percent_low, percent_high; /* as a percentage of a */
    bool beyond_chance;
    /* Slower by more than the limit, beyond chance, and the row counts for the verdict. For
     * COMPARE_FAILED: a larger part of the executions failed, beyond chance; this may also be set
     * if the part is constant in each run. */
    bool is_slower;
    bool is_faster; /* likewise */
    bool is_minor;  /* of a time: the difference is less than a tenth of the largest one */
};

struct compare_settings {
    const char *map;     /* as for pairs_find() */
    double level;        /* of intervals: between 0 and 1 */
    double limit;        /* percent */
    unsigned statistics; /* compare_bit() of the statistics that count for the verdict */
    uint64_t seed;
};

/* All zero octets: it is empty. */
struct comparison {
    struct pairs pairs;
    struct compare_row
        *rows; /* by group and node, then those beyond chance first, the largest first */
    size_t n, room;
    size_t n_tested, n_beyond, n_slower, n_faster;
    size_t n_judged; /* rows with an interval that count for the verdict; 0: nothing is known */
    const struct compare_row *culprit; /* the time that grew most; NULL if nothing is slower */
    const struct compare_row *failing; /* the step whose share of failures grew most; NULL if
                                        * nothing fails more often */
};

#define COMPARE_ERROR_SIZE PAIRS_ERROR_SIZE

/* The rows point into the runs. On false, error says why; one reason is that both runs have nothing
 * in common. The comparison has to be released in either case. */
bool compare_runs(const struct run *a, const struct run *b, const struct compare_settings *settings,
                  struct comparison *comparison, char error[COMPARE_ERROR_SIZE]);
void compare_release(struct comparison *comparison);

/* "mean", "p50", "p99", "rate", "failed". */
const char *compare_statistic_name(enum compare_statistic statistic);
/* "response", "throughput", "program", "resource". */
const char *compare_group_name(enum compare_group group);

#endif
