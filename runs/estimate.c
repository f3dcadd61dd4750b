#include "runs/estimate.h"

#include <math.h>
#include <string.h>

#include "analysis/quantile.h"
#include "metric/metric.h"

/* A counter that begins anew has at least so many rises for each fall. */
#define RISES_PER_FALL 10

/* The sum of a slot, and how many (or, for rates, how many seconds) it is of. */
struct slot {
    double sum, weight;
};

struct slots {
    struct slot at[ESTIMATE_SLOTS];
    size_t n;
};

/* -- Parts ----------------------------------------------------------------------------------- */

static double mean_weight(const struct slots *slots, double *sum)
{
    double weight = 0;
    *sum = 0;
    for (size_t i = 0; i < slots->n; i++) {
        *sum += slots->at[i].sum;
        weight += slots->at[i].weight;
    }
    return weight / (double)slots->n;
}

static enum estimate_fault fault_of(const struct estimate *estimate)
{
    if (estimate->n < ESTIMATE_LEAST)
        return ESTIMATE_FEW;
    for (size_t i = 1; i < estimate->n; i++)
        if (estimate->parts[i] != estimate->parts[0])
            return ESTIMATE_GOOD;
    return ESTIMATE_CONSTANT;
}

/* Estimates a ratio of sums. If all slots are equal, rounding must not make them differ. */
static void take_ratio(const struct slots *slots, struct estimate *estimate)
{
    double sum, weight = slots->n > 0 ? mean_weight(slots, &sum) : 0;
    if (weight <= 0)
        return;
    estimate->value = sum / weight / (double)slots->n;
    estimate->n = slots->n;
    for (size_t i = 0; i < slots->n; i++) {
        double rest = slots->at[i].sum - estimate->value * slots->at[i].weight;
        bool is_rounding = fabs(rest) <= 1e-12 * fabs(slots->at[i].sum);
        estimate->parts[i] = estimate->value + (is_rounding ? 0 : rest / weight);
    }
    estimate->fault = fault_of(estimate);
}

/* -- Values ---------------------------------------------------------------------------------- */

/* Each slot has consecutive values, and all slots have about as many. */
static size_t slot_of(size_t i, size_t n)
{
    return n <= ESTIMATE_SLOTS ? i : (size_t)((double)i * ESTIMATE_SLOTS / (double)n);
}

void estimate_points(const struct run_point *points, size_t n, struct estimate *estimate)
{
    struct slots slots = {.n = n < ESTIMATE_SLOTS ? n : ESTIMATE_SLOTS};
    *estimate = (struct estimate){.fault = ESTIMATE_NONE, .count = n};
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &slots.at[slot_of(i, n)];
        slot->sum += points[i].value;
        slot->weight++;
    }
    take_ratio(&slots, estimate);
}

bool estimate_is_growing(const struct run_point *points, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (points[i].value > points[i - 1].value)
            return true;
    return false;
}

/* The counter of a program falls when the program ends and counts anew; differences of a counter
 * fall as often as they rise. */
static bool falls_seldom(const struct run_point *points, size_t n)
{
    size_t rises = 0, falls = 0;
    for (size_t i = 1; i < n; i++) {
        rises += points[i].value > points[i - 1].value;
        falls += points[i].value < points[i - 1].value;
    }
    return falls * RISES_PER_FALL <= rises;
}

bool estimate_is_rate(const char *unit)
{
    size_t len = strlen(unit);
    return len >= 2 && strcmp(unit + len - 2, "/s") == 0;
}

bool estimate_is_count(const struct run_series *series)
{
    const struct metric *metric = metric_find(series->metric);
    return metric && metric->kind == METRIC_COUNTER && !estimate_is_rate(series->unit) &&
           strcmp(series->unit, "%") != 0 && falls_seldom(series->points, series->n_points);
}

void estimate_growth(const struct run_point *points, size_t n, struct estimate *estimate)
{
    size_t steps = n > 0 ? n - 1 : 0;
    struct slots slots = {.n = steps < ESTIMATE_SLOTS ? steps : ESTIMATE_SLOTS};
    *estimate = (struct estimate){.fault = ESTIMATE_NONE, .count = steps};
    for (size_t i = 0; i < steps; i++) {
        double grown = points[i + 1].value - points[i].value;
        double seconds = (double)(points[i + 1].ms - points[i].ms) / 1e3;
        struct slot *slot = &slots.at[slot_of(i, steps)];
        if (grown < 0 || seconds <= 0)
            continue;
        slot->sum += grown;
        slot->weight += seconds;
    }
    take_ratio(&slots, estimate);
}

/* -- Quantiles ------------------------------------------------------------------------------- */

/* The quantile function of all values, as far as it is known. */
typedef double quantile_fn(const void *context, double q);

static double deviation_of(const struct slots *slots, double q, double weight)
{
    double squares = 0;
    for (size_t i = 0; i < slots->n; i++) {
        double part = (slots->at[i].sum - q * slots->at[i].weight) / weight;
        squares += part * part;
    }
    return sqrt(squares / (double)(slots->n - 1) / (double)slots->n);
}

/* The slope of the quantile function around q, over two deviations to each side. */
static double slope_of(quantile_fn *quantile, const void *context, double q, double deviation,
                       double count)
{
    double half = fmax(2 * deviation, 1 / count);
    double low = fmax(q - half, 0), high = fmin(q + half, 1);
    return (quantile(context, high) - quantile(context, low)) / (high - low);
}

/* In the slots, sum is how many of their values are at most the quantile. */
static void take_quantile(const struct slots *slots, quantile_fn *quantile, const void *context,
                          double q, struct estimate *estimate)
{
    double sum, weight = slots->n > 1 ? mean_weight(slots, &sum) : 0;
    if (weight <= 0)
        return;
    double count = weight * (double)slots->n;
    double slope = slope_of(quantile, context, q, deviation_of(slots, q, weight), count);
    estimate->n = slots->n;
    for (size_t i = 0; i < slots->n; i++)
        estimate->parts[i] =
            estimate->value - slope * (slots->at[i].sum - q * slots->at[i].weight) / weight;
    estimate->fault = fault_of(estimate);
    if (fmin(q, 1 - q) * count < ESTIMATE_TAIL)
        estimate->fault = ESTIMATE_FEW;
}

/* -- Minutes --------------------------------------------------------------------------------- */

/* There are few minutes; if there are more minutes than slots, some share a slot. */
void estimate_minutes(const struct run_minute *minutes, size_t n, struct estimate *estimate)
{
    struct slots slots = {.n = n < ESTIMATE_SLOTS ? n : ESTIMATE_SLOTS};
    *estimate = (struct estimate){.fault = ESTIMATE_NONE};
    for (size_t i = 0; i < n; i++) {
        const struct statistics_window *window = &minutes[i].window;
        struct slot *slot = &slots.at[slot_of(i, n)];
        slot->sum += window->mean * (double)window->count;
        slot->weight += (double)window->count;
        estimate->count += window->count;
    }
    take_ratio(&slots, estimate);
}

/* Buckets for the values of all minutes, from the least value to the largest. */
#define PLACES (2 * (HISTOGRAM_LAST - HISTOGRAM_FIRST + 1) + 1)
#define ZERO (HISTOGRAM_LAST - HISTOGRAM_FIRST + 1)

struct distribution {
    double counts[PLACES]; /* negative values, the most negative first; then 0; then positive
                            * ones */
    double total, min, max;
};

static void add_side(double *counts, const struct histogram_side *side, int sign)
{
    for (int i = side->low; i < side->end; i++)
        counts[ZERO + sign * (i - HISTOGRAM_FIRST + 1)] += histogram_side_count(side, i);
}

/* The bounds of the values in a bucket. */
static double least_of(int place)
{
    int index = (place > ZERO ? place - ZERO : ZERO - place) - 1 + HISTOGRAM_FIRST;
    if (place == ZERO)
        return 0;
    if (place < ZERO)
        return -histogram_border(index);
    return index > HISTOGRAM_FIRST ? histogram_border(index - 1) : 0;
}

static double largest_of(int place)
{
    int index = ZERO - place - 1 + HISTOGRAM_FIRST;
    if (place >= ZERO)
        return place == ZERO ? 0 : histogram_border(place - ZERO - 1 + HISTOGRAM_FIRST);
    return index > HISTOGRAM_FIRST ? -histogram_border(index - 1) : 0;
}

/* A quantile_fn. */
static double quantile_of_buckets(const void *context, double q)
{
    const struct distribution *all = context;
    double rank = q * all->total, before = 0;
    for (int place = 0; place < PLACES; place++) {
        double count = all->counts[place];
        if (count > 0 && before + count >= rank) {
            double least = fmax(least_of(place), all->min);
            double largest = fmin(largest_of(place), all->max);
            return least + (largest - least) * (rank - before) / count;
        }
        before += count;
    }
    return all->max;
}

/* How many of count values are at most value, if they are spread evenly from least to largest. */
static double share_below(double count, double least, double largest, double value)
{
    return largest <= value ? count
           : least < value  ? count * (value - least) / (largest - least)
                            : 0;
}

static double side_below(const struct histogram_side *side, int sign, double value)
{
    double below = 0;
    for (int i = side->low; i < side->end; i++) {
        int place = ZERO + sign * (i - HISTOGRAM_FIRST + 1);
        below +=
            share_below(histogram_side_count(side, i), least_of(place), largest_of(place), value);
    }
    return below;
}

/* How many values of a histogram are at most value. */
static double count_below(const struct histogram *histogram, double value)
{
    return side_below(&histogram->negative, -1, value) + (value >= 0 ? histogram->zero : 0) +
           side_below(&histogram->positive, 1, value);
}

static bool add_up(const struct run_minute *minutes, size_t n, struct distribution *all)
{
    bool has_all = n > 0;
    *all = (struct distribution){.min = INFINITY, .max = -INFINITY};
    for (size_t i = 0; i < n; i++) {
        const struct statistics_window *window = &minutes[i].window;
        has_all = has_all && window->histogram.count == window->count;
        add_side(all->counts, &window->histogram.negative, -1);
        all->counts[ZERO] += window->histogram.zero;
        add_side(all->counts, &window->histogram.positive, 1);
        all->total += (double)window->histogram.count;
        all->min = fmin(all->min, window->min);
        all->max = fmax(all->max, window->max);
    }
    return has_all;
}

void estimate_minutes_quantile(const struct run_minute *minutes, size_t n, double q,
                               struct estimate *estimate)
{
    struct slots slots = {.n = n < ESTIMATE_SLOTS ? n : ESTIMATE_SLOTS};
    struct distribution all;
    *estimate = (struct estimate){.fault = ESTIMATE_NONE};
    if (!add_up(minutes, n, &all))
        return;
    estimate->value = quantile_of_buckets(&all, q);
    estimate->count = (uint64_t)all.total;
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &slots.at[slot_of(i, n)];
        slot->sum += count_below(&minutes[i].window.histogram, estimate->value);
        slot->weight += (double)minutes[i].window.count;
    }
    estimate->fault = ESTIMATE_FEW;
    take_quantile(&slots, quantile_of_buckets, &all, q, estimate);
}

/* -- Executions ------------------------------------------------------------------------------ */

/* The run is cut into equal slots, of at least a second each unless these would be too few. */
static size_t slots_of_run(const struct run *run)
{
    int64_t seconds = (run->stop_ms - run->start_ms) / 1000;
    return seconds < 2 * ESTIMATE_LEAST ? 2 * ESTIMATE_LEAST
           : seconds < ESTIMATE_SLOTS   ? (size_t)seconds
                                        : ESTIMATE_SLOTS;
}

static struct slot *slot_at(const struct run *run, const struct run_record *record,
                            struct slots *slots)
{
    double length = (double)(run->stop_ms - run->start_ms) / (double)slots->n;
    double place = ((double)record->start_ns / 1e6 - (double)run->start_ms) / fmax(length, 1e-3);
    return &slots->at[place <= 0 ? 0 : place >= (double)slots->n ? slots->n - 1 : (size_t)place];
}

void estimate_durations(const struct run *run, const struct run_series *step,
                        struct estimate *estimate)
{
    struct slots slots = {.n = slots_of_run(run)};
    *estimate = (struct estimate){.fault = ESTIMATE_NONE, .count = step->n_records};
    for (size_t i = 0; i < step->n_records; i++) {
        struct slot *slot = slot_at(run, &step->records[i], &slots);
        slot->sum += step->records[i].seconds;
        slot->weight++;
    }
    take_ratio(&slots, estimate);
    if (estimate->fault == ESTIMATE_GOOD && step->n_records < ESTIMATE_LEAST)
        estimate->fault = ESTIMATE_FEW;
}

struct durations {
    const double *sorted;
    size_t n;
};

/* A quantile_fn. */
static double quantile_of_durations(const void *context, double q)
{
    const struct durations *durations = context;
    return quantile_of(durations->sorted, durations->n, q);
}

void estimate_durations_quantile(const struct run *run, const struct run_series *step,
                                 const double *sorted, double q, struct estimate *estimate)
{
    struct slots slots = {.n = slots_of_run(run)};
    const struct durations durations = {sorted, step->n_records};
    *estimate = (struct estimate){.fault = ESTIMATE_NONE, .count = step->n_records};
    if (step->n_records == 0)
        return;
    estimate->value = quantile_of(sorted, step->n_records, q);
    for (size_t i = 0; i < step->n_records; i++) {
        struct slot *slot = slot_at(run, &step->records[i], &slots);
        slot->sum += step->records[i].seconds <= estimate->value;
        slot->weight++;
    }
    estimate->fault = ESTIMATE_FEW;
    take_quantile(&slots, quantile_of_durations, &durations, q, estimate);
}

void estimate_throughput(const struct run *run, const struct run_series *step,
                         struct estimate *estimate)
{
    struct slots slots = {.n = slots_of_run(run)};
    double seconds = (double)(run->stop_ms - run->start_ms) / 1e3 / (double)slots.n;
    *estimate = (struct estimate){.fault = ESTIMATE_NONE, .count = step->n_records};
    for (size_t i = 0; i < slots.n; i++)
        slots.at[i].weight = seconds;
    for (size_t i = 0; i < step->n_records; i++)
        slot_at(run, &step->records[i], &slots)->sum++;
    take_ratio(&slots, estimate);
}

void estimate_failures(const struct run *run, const struct run_series *step,
                       struct estimate *estimate)
{
    struct slots slots = {.n = slots_of_run(run)};
    *estimate = (struct estimate){.fault = ESTIMATE_NONE, .count = step->n_records};
    for (size_t i = 0; i < step->n_records; i++) {
        struct slot *slot = slot_at(run, &step->records[i], &slots);
        slot->sum += step->records[i].result != 0 ? 100 : 0;
        slot->weight++;
    }
    take_ratio(&slots, estimate);
}
