#include "runs/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bootstrap.h"
#include "analysis/quantile.h"
#include "base/text.h"
#include "runs/discovery.h"
#include "runs/profile.h"

#define MINOR 0.1 /* share of the largest difference between times */

struct comparing {
    const struct run *a, *b;
    const struct compare_settings *settings;
    struct comparison *comparison;
    size_t *tested; /* indexes of the rows that are tested */
    size_t n_tests; /* tests done so far; the first one of each row gives the row's own interval */
    struct bootstrap_interval *own;
    bool is_out_of_memory;
    /* The names of everything that has a response time, "NODE\nINSTANCE", ascending. */
    char **timed;
    size_t n_timed, room_timed;
    double *sorted[2]; /* durations of the pair that is being compared */
};

const char *compare_statistic_name(enum compare_statistic statistic)
{
    static const char *const names[COMPARE_STATISTICS] = {"mean", "p50", "p99", "rate", "failed"};
    return names[statistic];
}

const char *compare_group_name(enum compare_group group)
{
    static const char *const names[] = {"response", "throughput", "program", "resource"};
    return names[group];
}

/* -- What a series is ------------------------------------------------------------------------ */

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(*list, text) != 0)
        list++;
    return *list != NULL;
}

static bool is_response(const struct run_series *series)
{
    static const char *const metrics[] = {
        "app.time",         "app.sum",           "app.latency", "endpoint.sum",
        "app.step.runtime", "app.sequence.time", NULL};
    return strcmp(series->unit, "s") == 0 && is_one_of(series->metric, metrics);
}

/* Whether both are running totals of a counter, which counted something in one of the runs. */
static bool are_counts(const struct run_series *a, const struct run_series *b)
{
    return estimate_is_count(a) && estimate_is_count(b) &&
           (estimate_is_growing(a->points, a->n_points) ||
            estimate_is_growing(b->points, b->n_points));
}

static int order_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *timed_name(const struct run_series *series)
{
    size_t size = strlen(series->node) + strlen(series->instance) + 2;
    char *name = malloc(size);
    if (name)
        text_format(name, size, "%s\n%s", series->node, series->instance);
    return name;
}

static void list_timed(struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->a->n_series; i++) {
        const struct run_series *series = &comparing->a->series[i];
        if (!is_response(series) && series->n_records == 0)
            continue;
        void *list = run_grow(comparing->timed, comparing->n_timed, &comparing->room_timed,
                              sizeof *comparing->timed);
        char *name = list ? timed_name(series) : NULL;
        if (list)
            comparing->timed = list;
        if (name)
            comparing->timed[comparing->n_timed++] = name;
        comparing->is_out_of_memory = comparing->is_out_of_memory || !name;
    }
    if (comparing->n_timed > 0)
        qsort(comparing->timed, comparing->n_timed, sizeof *comparing->timed, order_texts);
}

static bool is_timed(struct comparing *comparing, const struct run_series *series)
{
    if (comparing->n_timed == 0)
        return false;
    char *name = timed_name(series);
    comparing->is_out_of_memory = comparing->is_out_of_memory || !name;
    bool found = name && bsearch(&name, comparing->timed, comparing->n_timed,
                                 sizeof *comparing->timed, order_texts);
    free(name);
    return found;
}

static enum compare_group group_of(struct comparing *comparing, const struct run_series *series,
                                   bool is_growth)
{
    static const char *const counted[] = {"app.count", "app.sequences", "endpoint.count", NULL};
    static const char *const programs[] = {"app.", "jvm.", "proc.", "endpoint.", NULL};
    if (is_response(series))
        return COMPARE_RESPONSE;
    if (strcmp(series->metric, "app.step.throughput") == 0 ||
        (is_one_of(series->metric, counted) && (is_growth || estimate_is_rate(series->unit)) &&
         is_timed(comparing, series)))
        return COMPARE_THROUGHPUT;
    for (size_t i = 0; programs[i]; i++)
        if (strncmp(series->metric, programs[i], strlen(programs[i])) == 0)
            return COMPARE_PROGRAM;
    return COMPARE_RESOURCE;
}

/* -- Rows ------------------------------------------------------------------------------------ */

/* If both values are above 0, the comparison is in percent: it is of the difference of their
 * logarithms, and the parts are those of the linear form of the logarithm. */
static bool keep_parts(struct compare_side *side, const struct estimate *estimate, bool is_relative)
{
    *side =
        (struct compare_side){estimate->fault, estimate->value, estimate->count, estimate->n, NULL};
    if (estimate->n == 0)
        return true;
    side->parts = calloc(estimate->n, sizeof *side->parts);
    for (size_t i = 0; side->parts && i < estimate->n; i++)
        side->parts[i] = is_relative ? log(estimate->value) +
                                           (estimate->parts[i] - estimate->value) / estimate->value
                                     : estimate->parts[i];
    return side->parts != NULL;
}

static const char *note_of(const struct compare_row *row)
{
    enum estimate_fault a = row->a.fault, b = row->b.fault;
    if (a == ESTIMATE_NONE || b == ESTIMATE_NONE)
        return a == b ? "no values" : a == ESTIMATE_NONE ? "no values in A" : "no values in B";
    if (a == ESTIMATE_FEW || b == ESTIMATE_FEW)
        return "too few values";
    if (a == ESTIMATE_CONSTANT && b == ESTIMATE_CONSTANT)
        return row->a.value == row->b.value ? "constant" : "constant in each, and not the same";
    return NULL;
}

static struct compare_row *add_row(struct comparing *comparing, const struct pair *pair,
                                   enum compare_group group, enum compare_statistic statistic,
                                   const struct estimate estimates[2])
{
    struct comparison *comparison = comparing->comparison;
    void *rows =
        run_grow(comparison->rows, comparison->n, &comparison->room, sizeof *comparison->rows);
    comparing->is_out_of_memory = comparing->is_out_of_memory || !rows;
    if (!rows)
        return NULL;
    comparison->rows = rows;
    struct compare_row *row = &comparison->rows[comparison->n++];
    *row = (struct compare_row){.a_series = pair->a,
                                .b_series = pair->b,
                                .group = group,
                                .statistic = statistic,
                                .unit = pair->a->unit};
    row->is_relative = estimates[0].fault != ESTIMATE_NONE && estimates[1].fault != ESTIMATE_NONE &&
                       estimates[0].value > 0 && estimates[1].value > 0;
    if (!keep_parts(&row->a, &estimates[0], row->is_relative) ||
        !keep_parts(&row->b, &estimates[1], row->is_relative))
        comparing->is_out_of_memory = true;
    row->note = note_of(row);
    row->difference = row->b.value - row->a.value;
    row->percent = row->is_relative ? 100 * row->difference / row->a.value : NAN;
    return row;
}

/* -- Steps ----------------------------------------------------------------------------------- */

static double *sort_durations(const struct run_series *step)
{
    double *sorted = calloc(step->n_records, sizeof *sorted);
    for (size_t i = 0; sorted && i < step->n_records; i++)
        sorted[i] = step->records[i].seconds;
    if (sorted)
        quantile_sort(sorted, step->n_records);
    return sorted;
}

static void estimate_step(const struct comparing *comparing, const struct pair *pair,
                          enum compare_statistic statistic, struct estimate estimates[2])
{
    for (int side = 0; side < 2; side++) {
        const struct run *run = side ? comparing->b : comparing->a;
        const struct run_series *step = side ? pair->b : pair->a;
        if (statistic == COMPARE_MEAN)
            estimate_durations(run, step, &estimates[side]);
        else if (statistic == COMPARE_RATE)
            estimate_throughput(run, step, &estimates[side]);
        else if (statistic == COMPARE_FAILED)
            estimate_failures(run, step, &estimates[side]);
        else
            estimate_durations_quantile(run, step, comparing->sorted[side],
                                        statistic == COMPARE_P50 ? 0.5 : 0.99, &estimates[side]);
    }
}

/* The run has enough slots for a rate, however few executions there are. A handful of executions in
 * each run is no throughput, but a handful in one run is if there were many in the other. Which
 * part of a handful failed says nothing. If records were lost, their rate is only the rate at which
 * they could be kept. */
static const char *note_of_step(const struct compare_row *row, bool has_lost)
{
    bool a_few = row->a.count < ESTIMATE_LEAST, b_few = row->b.count < ESTIMATE_LEAST;
    if ((row->statistic == COMPARE_FAILED && (a_few || b_few)) ||
        (row->statistic == COMPARE_RATE && a_few && b_few && !row->note))
        return "too few values";
    return row->statistic == COMPARE_RATE && has_lost ? "records were lost" : row->note;
}

static void add_step(struct comparing *comparing, const struct pair *pair)
{
    static const char *const units[COMPARE_STATISTICS] = {"s", "s", "s", "1/s", "%"};
    struct estimate estimates[2];
    bool has_lost =
        profile_has_lost(comparing->a, pair->a) || profile_has_lost(comparing->b, pair->b);
    comparing->sorted[0] = sort_durations(pair->a);
    comparing->sorted[1] = sort_durations(pair->b);
    comparing->is_out_of_memory =
        comparing->is_out_of_memory || !comparing->sorted[0] || !comparing->sorted[1];
    for (int i = 0; i < COMPARE_STATISTICS && !comparing->is_out_of_memory; i++) {
        enum compare_statistic statistic = (enum compare_statistic)i;
        estimate_step(comparing, pair, statistic, estimates);
        if (statistic == COMPARE_FAILED && estimates[0].value <= 0 && estimates[1].value <= 0)
            continue;
        enum compare_group group = statistic == COMPARE_RATE     ? COMPARE_THROUGHPUT
                                   : statistic == COMPARE_FAILED ? COMPARE_PROGRAM
                                                                 : COMPARE_RESPONSE;
        struct compare_row *row = add_row(comparing, pair, group, statistic, estimates);
        if (row) {
            row->is_step = true;
            row->unit = units[i];
            row->note = note_of_step(row, has_lost);
        }
    }
    free(comparing->sorted[0]);
    free(comparing->sorted[1]);
}

/* -- Series ---------------------------------------------------------------------------------- */

static void add_minutes(struct comparing *comparing, const struct pair *pair)
{
    enum compare_group group = group_of(comparing, pair->a, false);
    struct estimate estimates[2];
    for (int quantile = 1; quantile < 3; quantile++) {
        double q = quantile == 1 ? 0.5 : 0.99;
        estimate_minutes_quantile(pair->a->minutes, pair->a->n_minutes, q, &estimates[0]);
        estimate_minutes_quantile(pair->b->minutes, pair->b->n_minutes, q, &estimates[1]);
        if (estimates[0].fault != ESTIMATE_NONE && estimates[1].fault != ESTIMATE_NONE)
            add_row(comparing, pair, group, quantile == 1 ? COMPARE_P50 : COMPARE_P99, estimates);
    }
}

static void estimate_one(const struct run_series *series, bool by_minutes, bool is_growth,
                         struct estimate *estimate)
{
    if (by_minutes)
        estimate_minutes(series->minutes, series->n_minutes, estimate);
    else if (is_growth)
        estimate_growth(series->points, series->n_points, estimate);
    else
        estimate_points(series->points, series->n_points, estimate);
}

/* Minutes have all samples, or events, so they are better than values if there are enough. */
static void add_series(struct comparing *comparing, const struct pair *pair)
{
    const struct run_series *a = pair->a, *b = pair->b;
    bool is_growth = are_counts(a, b);
    bool has_points = a->n_points >= ESTIMATE_LEAST && b->n_points >= ESTIMATE_LEAST;
    bool has_minutes = a->n_minutes >= ESTIMATE_LEAST && b->n_minutes >= ESTIMATE_LEAST;
    bool by_minutes = !is_growth && (has_minutes || (!has_points && a->n_minutes && b->n_minutes));
    struct estimate estimates[2];
    if (a->n_points + b->n_points + a->n_minutes + b->n_minutes + a->n_gaps + b->n_gaps == 0)
        return;
    estimate_one(a, by_minutes, is_growth, &estimates[0]);
    estimate_one(b, by_minutes, is_growth, &estimates[1]);
    add_row(comparing, pair, group_of(comparing, a, is_growth),
            is_growth ? COMPARE_RATE : COMPARE_MEAN, estimates);
    if (!is_growth && a->n_minutes > 0 && b->n_minutes > 0)
        add_minutes(comparing, pair);
}

static void add_pair(struct comparing *comparing, const struct pair *pair)
{
    if (!pair->a || !pair->b)
        return;
    if (pair->a->n_records > 0 && pair->b->n_records > 0)
        add_step(comparing, pair);
    add_series(comparing, pair);
}

/* -- Intervals ------------------------------------------------------------------------------- */

static void take_interval(struct compare_row *row, const struct bootstrap_interval *interval)
{
    if (!row->is_relative) {
        row->difference = interval->difference;
        row->low = interval->low;
        row->high = interval->high;
        return;
    }
    row->percent_low = 100 * expm1(interval->low);
    row->percent_high = 100 * expm1(interval->high);
    row->low = row->a.value * row->percent_low / 100;
    row->high = row->a.value * row->percent_high / 100;
}

/* A discovery_test_fn. The interval of a row is that of the last test in which it was beyond
 * chance. */
static bool test_row(void *context, size_t i, double alpha)
{
    struct comparing *comparing = context;
    struct compare_row *row = &comparing->comparison->rows[comparing->tested[i]];
    struct bootstrap_interval interval = {.is_known = false};
    bool is_first = comparing->n_tests++ < comparing->comparison->n_tested;
    int error = bootstrap_difference(row->a.parts, row->a.n, row->b.parts, row->b.n, BOOTSTRAP_MEAN,
                                     1 - alpha, comparing->settings->seed, &interval);
    comparing->is_out_of_memory = comparing->is_out_of_memory || error == ENOMEM;
    if (error || !interval.is_known) {
        if (is_first)
            row->note = interval.why ? interval.why : "not known";
        return false;
    }
    bool is_beyond = interval.low > 0 || interval.high < 0;
    if (is_first)
        comparing->own[i] = interval;
    if (is_beyond)
        take_interval(row, &interval);
    return is_beyond;
}

/* A difference that is found has the interval of the level at which it was found. Any other row has
 * its own interval, even if it was found for a while. */
static void settle(struct comparing *comparing, const bool *found)
{
    struct comparison *comparison = comparing->comparison;
    for (size_t i = 0; i < comparison->n_tested; i++) {
        struct compare_row *row = &comparison->rows[comparing->tested[i]];
        row->beyond_chance = comparison->n_beyond > 0 && found[i];
        if (!row->beyond_chance && comparing->own[i].is_known)
            take_interval(row, &comparing->own[i]);
    }
}

static void test_rows(struct comparing *comparing)
{
    struct comparison *comparison = comparing->comparison;
    bool *found = calloc(comparison->n + 1, sizeof *found);
    comparing->tested = calloc(comparison->n + 1, sizeof *comparing->tested);
    comparing->own = calloc(comparison->n + 1, sizeof *comparing->own);
    comparing->is_out_of_memory =
        comparing->is_out_of_memory || !found || !comparing->tested || !comparing->own;
    for (size_t i = 0; i < comparison->n && !comparing->is_out_of_memory; i++)
        if (!comparison->rows[i].note)
            comparing->tested[comparison->n_tested++] = i;
    if (!comparing->is_out_of_memory)
        comparison->n_beyond = discovery_run(comparison->n_tested, 1 - comparing->settings->level,
                                             test_row, comparing, found);
    if (!comparing->is_out_of_memory)
        settle(comparing, found);
    free(found);
    free(comparing->tested);
    free(comparing->own);
}

/* -- Verdict --------------------------------------------------------------------------------- */

static bool counts(const struct compare_row *row, const struct compare_settings *settings)
{
    return (row->group == COMPARE_RESPONSE &&
            (settings->statistics & compare_bit(row->statistic))) ||
           row->group == COMPARE_THROUGHPUT;
}

/* There is no interval if all executions failed where none did before, or if the same part fails in
 * each slot; with so many executions, neither is chance. If none failed before, there is no
 * percentage, so that the limit does not apply. */
static bool fails_more(const struct compare_row *row, const struct compare_settings *settings)
{
    bool are_constant = row->a.fault == ESTIMATE_CONSTANT && row->b.fault == ESTIMATE_CONSTANT &&
                        row->a.count >= ESTIMATE_LEAST && row->b.count >= ESTIMATE_LEAST;
    double percent = row->beyond_chance ? row->percent_low : row->percent;
    return row->statistic == COMPARE_FAILED && (row->beyond_chance || are_constant) &&
           row->difference > 0 && (!row->is_relative || percent > settings->limit);
}

static void judge(struct compare_row *row, const struct compare_settings *settings)
{
    row->is_slower = fails_more(row, settings);
    bool grew = row->percent_low > settings->limit, fell = row->percent_high < -settings->limit;
    bool is_time = row->group == COMPARE_RESPONSE;
    if (!counts(row, settings) || !row->beyond_chance || !row->is_relative)
        return;
    row->is_slower = is_time ? grew : fell;
    row->is_faster = is_time ? fell : grew;
}

/* If a step takes longer, so does a step that contains it; the increase is a larger part of the
 * inner step. But a short step that has little to do with this may have changed by a still larger
 * part: it is minor, because its difference is small in absolute terms. */
static void mark_minor(struct comparison *comparison)
{
    double largest = 0;
    for (size_t i = 0; i < comparison->n; i++)
        if (comparison->rows[i].group == COMPARE_RESPONSE && comparison->rows[i].beyond_chance &&
            comparison->rows[i].statistic != COMPARE_P99)
            largest = fmax(largest, fabs(comparison->rows[i].difference));
    for (size_t i = 0; i < comparison->n; i++) {
        struct compare_row *row = &comparison->rows[i];
        row->is_minor = row->group == COMPARE_RESPONSE && fabs(row->difference) < MINOR * largest;
    }
}

/* Among times, those that make up much of the slowdown come first. */
static int rank_of(const struct compare_row *row)
{
    if (!row->beyond_chance && !row->is_slower)
        return row->note ? 4 : 3;
    return row->is_minor ? 2 : row->is_slower ? 0 : 1;
}

static int order_rows(const void *a, const void *b)
{
    const struct compare_row *one = a, *other = b;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    int order = strcmp(one->a_series->node, other->a_series->node);
    if (order && one->group >= COMPARE_PROGRAM)
        return order;
    if (rank_of(one) != rank_of(other))
        return rank_of(one) - rank_of(other);
    double size = one->is_relative ? fabs(one->percent) : INFINITY;
    double other_size = other->is_relative ? fabs(other->percent) : INFINITY;
    if (size != other_size && !one->note)
        return size > other_size ? -1 : 1;
    order = strcmp(one->a_series->sensor, other->a_series->sensor);
    if (!order)
        order = strcmp(one->a_series->instance, other->a_series->instance);
    return order ? order : (int)one->statistic - (int)other->statistic;
}

static bool is_culprit(const struct compare_row *row)
{
    return row->is_slower && row->group == COMPARE_RESPONSE && row->statistic != COMPARE_P99;
}

/* A step whose executions are known may also have a series of its times: the step is named. */
static const struct compare_row *step_of(const struct comparison *comparison,
                                         const struct compare_row *row)
{
    for (size_t i = 0; i < comparison->n; i++) {
        const struct compare_row *other = &comparison->rows[i];
        if (is_culprit(other) && other->is_step &&
            strcmp(other->a_series->node, row->a_series->node) == 0 &&
            strcmp(other->a_series->instance, row->a_series->instance) == 0)
            return other;
    }
    return row;
}

static void name_culprit(struct comparison *comparison)
{
    const struct compare_row *first = NULL, *slower = NULL;
    for (size_t i = comparison->n; i-- > 0;) {
        const struct compare_row *row = &comparison->rows[i], *worst = comparison->failing;
        bool is_failing = row->is_slower && row->statistic == COMPARE_FAILED;
        if (is_failing && (!worst || row->difference >= worst->difference))
            comparison->failing = row;
        if (row->is_slower && !is_failing)
            slower = row;
        if (is_culprit(row))
            first = row;
    }
    comparison->culprit = first ? step_of(comparison, first) : slower;
}

static void conclude(struct comparing *comparing)
{
    struct comparison *comparison = comparing->comparison;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct compare_row *row = &comparison->rows[i];
        judge(&comparison->rows[i], comparing->settings);
        comparison->n_judged += !row->note && counts(row, comparing->settings);
        comparison->n_slower += row->is_slower;
        comparison->n_faster += row->is_faster;
    }
    mark_minor(comparison);
    if (comparison->n > 0)
        qsort(comparison->rows, comparison->n, sizeof *comparison->rows, order_rows);
    name_culprit(comparison);
}

/* -- All ------------------------------------------------------------------------------------- */

static void release_timed(struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->n_timed; i++)
        free(comparing->timed[i]);
    free(comparing->timed);
}

static bool compare_pairs(struct comparing *comparing, char error[COMPARE_ERROR_SIZE])
{
    struct comparison *comparison = comparing->comparison;
    list_timed(comparing);
    for (size_t i = 0; i < comparison->pairs.n && !comparing->is_out_of_memory; i++)
        add_pair(comparing, &comparison->pairs.list[i]);
    if (!comparing->is_out_of_memory)
        test_rows(comparing);
    if (!comparing->is_out_of_memory)
        conclude(comparing);
    if (comparing->is_out_of_memory)
        text_format(error, COMPARE_ERROR_SIZE, "no memory");
    return !comparing->is_out_of_memory;
}

bool compare_runs(const struct run *a, const struct run *b, const struct compare_settings *settings,
                  struct comparison *comparison, char error[COMPARE_ERROR_SIZE])
{
    struct comparing comparing = {.a = a, .b = b, .settings = settings, .comparison = comparison};
    *comparison = (struct comparison){0};
    if (!pairs_find(a, b, settings->map, &comparison->pairs, error))
        return false;
    if (comparison->pairs.n_both == 0) {
        text_format(error, COMPARE_ERROR_SIZE,
                    "there is nothing that both have measured: %s has %zu series, %s has %zu, and "
                    "none of the same node, sensor and instance; --map NODE=NODE says which node "
                    "is which",
                    a->name, a->n_series, b->name, b->n_series);
        return false;
    }
    bool good = compare_pairs(&comparing, error);
    release_timed(&comparing);
    return good;
}

void compare_release(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->n; i++) {
        free(comparison->rows[i].a.parts);
        free(comparison->rows[i].b.parts);
    }
    free(comparison->rows);
    pairs_release(&comparison->pairs);
    *comparison = (struct comparison){0};
}
