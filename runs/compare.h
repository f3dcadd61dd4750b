/* Two runs side by side: each figure that both have, by how much they differ, and whether that is
 * beyond chance. Pure but for its memory. */
#ifndef DCAMP_RUNS_COMPARE_H
#define DCAMP_RUNS_COMPARE_H

#include "runs/estimate.h"
#include "runs/pairs.h"

enum compare_group {
    COMPARE_RESPONSE,   /* times of steps, timers, sequences: larger is slower */
    COMPARE_THROUGHPUT, /* of what has such a time, in a second: less is slower */
    COMPARE_PROGRAM,    /* what else programs have and need: no judgement */
    COMPARE_RESOURCE    /* of a node: likewise */
};

enum compare_statistic {
    COMPARE_MEAN,
    COMPARE_P50,
    COMPARE_P99,
    COMPARE_RATE,  /* in a second */
    COMPARE_FAILED /* percent of the executions */
};
#define COMPARE_STATISTICS 5
#define compare_bit(statistic) (1u << (statistic))

struct compare_side {
    enum estimate_fault fault;
    double value; /* but for ESTIMATE_NONE */
    uint64_t count;
    size_t n;
    double *parts; /* as of struct estimate; of their logarithms where is_relative */
};

struct compare_row {
    const struct run_series *a_series, *b_series;
    enum compare_group group;
    enum compare_statistic statistic;
    bool is_step; /* of executions, each of which is known */
    const char *unit;
    struct compare_side a, b;
    const char *note; /* why there is no interval; NULL: there is one */
    bool is_relative; /* both values are above 0: there are percents */
    /* b - a, and where it is, in the unit; the interval is wider where it is beyond chance: see
     * runs/discovery.h. */
    double difference, low, high;
    double percent, percent_low, percent_high; /* of a */
    bool beyond_chance;
    /* By more than the limit, beyond chance, and it counts for the verdict; of COMPARE_FAILED: more
     * of the executions failed, beyond chance, also where the part is constant in each. */
    bool is_slower;
    bool is_faster; /* likewise */
    bool is_minor;  /* of a time: less than a tenth of what the largest difference is */
};

struct compare_settings {
    const char *map;     /* as of pairs_find() */
    double level;        /* of intervals: between 0 and 1 */
    double limit;        /* percent */
    unsigned statistics; /* compare_bit() of those that count for the verdict */
    uint64_t seed;
};

/* All zero octets are none. */
struct comparison {
    struct pairs pairs;
    struct compare_row
        *rows; /* by group, node, then what is beyond chance first, the largest first */
    size_t n, room;
    size_t n_tested, n_beyond, n_slower, n_faster;
    size_t n_judged; /* that have an interval and count for the verdict; 0: nothing is known */
    const struct compare_row *culprit; /* the time that grew most; NULL: nothing is slower */
    const struct compare_row *failing; /* of which most more failed; NULL: nothing fails more */
};

#define COMPARE_ERROR_SIZE PAIRS_ERROR_SIZE

/* Rows point into the runs. False: error says why, which is also that there is nothing that both
 * have. To be released in either case. */
bool compare_runs(const struct run *a, const struct run *b, const struct compare_settings *settings,
                  struct comparison *comparison, char error[COMPARE_ERROR_SIZE]);
void compare_release(struct comparison *comparison);

/* "mean", "p50", "p99", "rate", "failed". */
const char *compare_statistic_name(enum compare_statistic statistic);
/* "response", "throughput", "program", "resource". */
const char *compare_group_name(enum compare_group group);

#endif
