#include "analysis/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/autocorrelation.h"
#include "analysis/normal.h"
#include "analysis/quantile.h"
#include "analysis/random.h"

/* A replicate of a mean is cheap; for one of a percentile, each value has to be counted. */
#define REPLICATES_OF_MEANS 999
#define REPLICATES_OF_PERCENTILES 499
/* A tail is taken from the replicates if at least so many are beyond it. */
#define TAIL_LEAST 10
/* More blocks than these add no information, and each costs a random number. */
#define BLOCKS_MOST 128
#define BLOCKS_LEAST 4
/* Nothing is said of a percentile if fewer values than these are expected above it. */
#define BEYOND_LEAST 3

/* -- The length of blocks --------------------------------------------------------------------- */

/* The last lag before a run of lags whose autocorrelation is no larger than that of white noise.
 * The run is five lags long, or longer if there are very many values. */
static size_t last_lag(const double *centred, size_t n, double variance)
{
    double size = (double)n, limit = 2 * sqrt(log10(size) / size);
    size_t run = (size_t)fmax(5, ceil(sqrt(log10(size)))), quiet = 0, last = 0;
    size_t most = (size_t)ceil(sqrt(size)) + run;
    for (size_t lag = 1; lag <= most && lag < n && quiet < run; lag++) {
        bool is_quiet = fabs(autocovariance(centred, n, lag)) < limit * variance;
        quiet = is_quiet ? quiet + 1 : 0;
        last = is_quiet ? last : lag;
    }
    return last;
}

/* The block length that is best for the variance of the mean. It is computed from the spectrum at 0
 * and its curvature, with a lag window that is flat up to the middle. */
static double best_length(const double *centred, size_t n, double variance)
{
    size_t widest = 2 * last_lag(centred, n, variance);
    if (widest < 2)
        widest = 2;
    double spectrum = variance, curvature = 0;
    for (size_t lag = 1; lag <= widest && lag < n; lag++) {
        double weight = fmin(1, 2 * (1 - (double)lag / (double)widest));
        double term = 2 * weight * autocovariance(centred, n, lag);
        spectrum += term;
        curvature += term * (double)lag;
    }
    return cbrt(1.5 * (curvature / spectrum) * (curvature / spectrum) * (double)n);
}

static size_t length_of_centred(const double *centred, size_t n)
{
    double variance = autocovariance(centred, n, 0);
    double most = fmin(ceil(3 * sqrt((double)n)), (double)(n / BLOCKS_LEAST));
    double length = variance > 0 ? best_length(centred, n, variance) : 1;
    return (size_t)fmax(1, isnan(length) ? most : fmin(round(length), most));
}

/* How much each value resembles the one before, at least 0: the first autocorrelation, corrected
 * for its bias (Kendall, Biometrika 41, 1954). */
static double resemblance_of_centred(const double *centred, size_t n)
{
    double variance = autocovariance(centred, n, 0);
    double first = variance > 0 ? autocovariance(centred, n, 1) / variance : 0;
    return fmin(fmax(0, first + (1 + 3 * first) / (double)n), 0.97);
}

/* centred has room for n values. */
static void centre(const double *values, size_t n, double *centred)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i] - values[0];
    for (size_t i = 0; i < n; i++)
        centred[i] = values[i] - values[0] - sum / (double)n;
}

size_t bootstrap_block_length(const double *values, size_t n)
{
    double *centred = calloc(n, sizeof *centred);
    if (!centred)
        return 0;
    centre(values, n, centred);
    size_t length = length_of_centred(centred, n);
    free(centred);
    return length;
}

/* -- One of the two series -------------------------------------------------------------------- */

/* For a percentile, only values near it need to be counted one by one: those whose places among the
 * sorted values are from low to below high. */
struct window {
    size_t low, high;
    uint32_t
        *below; /* of n + block + 1, as in a circle: how many of the values before are below low */
    uint32_t *first; /* the same: how many of the preceding values are in the window */
    uint32_t *list;  /* places of the values in the window, less low, in the series' order */
};

struct side {
    const double *values;
    size_t n;
    size_t block, blocks, rest; /* the last block has only rest values, 1 to block */
    double resemblance;         /* of each value to the one before, 0 to below 1 */
    double statistic;
    double probability; /* of the percentile; 0 for the mean */
    size_t replicates;
    double *work; /* of n: for means, the sums of all blocks, otherwise the sorted values */
    double *last; /* of n: the sums of all blocks that have rest values */
    struct window near, all;
    uint32_t *drawn;   /* of n: how often each of the sorted values was drawn */
    double *replicate; /* the statistic of each replicate, less the statistic of the series */
};

static void window_free(struct window *window)
{
    free(window->below);
    free(window->first);
    free(window->list);
}

static void side_free(struct side *side)
{
    free(side->work);
    free(side->last);
    window_free(&side->near);
    window_free(&side->all);
    free(side->drawn);
    free(side->replicate);
}

static void set_block(struct side *side, size_t length)
{
    size_t least = (side->n + BLOCKS_MOST - 1) / BLOCKS_MOST;
    side->block = length > least ? length : least;
    side->blocks = (side->n + side->block - 1) / side->block;
    side->rest = side->n - (side->blocks - 1) * side->block;
}

/* For each of the n values, sums the block of length values that begins there, as in a circle. What
 * is summed is the distance from the mean, so that large values that hardly differ lose no
 * precision. */
static void sum_blocks(const double *centred, size_t n, size_t length, double *sums)
{
    double sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += centred[i];
    for (size_t i = 0; i < n; i++) {
        sums[i] = sum;
        size_t next = i + length;
        sum += centred[next < n ? next : next - n] - centred[i];
    }
}

static bool prepare_mean(struct side *side)
{
    size_t n = side->n;
    double *centred = calloc(n, sizeof *centred);
    side->work = calloc(n, sizeof *side->work);
    side->last = calloc(n, sizeof *side->last);
    bool is_good = centred && side->work && side->last;
    if (is_good) {
        centre(side->values, n, centred);
        set_block(side, length_of_centred(centred, n));
        side->resemblance = resemblance_of_centred(centred, n);
        side->statistic = side->values[0] - centred[0];
        sum_blocks(centred, n, side->block, side->work);
        sum_blocks(centred, n, side->rest, side->last);
    }
    free(centred);
    return is_good;
}

struct placed {
    double value;
    uint32_t from;
};

static int by_value(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* A percentile depends only on which values are below it. The block length is therefore the one for
 * the mean of that indicator, or the one for the values, if that is longer. */
static bool set_percentile_block(struct side *side)
{
    double *below = calloc(side->n, sizeof *below);
    double *centred = calloc(side->n, sizeof *centred);
    if (below && centred) {
        for (size_t i = 0; i < side->n; i++)
            below[i] = side->values[i] <= side->statistic;
        centre(below, side->n, centred);
        side->resemblance = resemblance_of_centred(centred, side->n);
        size_t length = length_of_centred(centred, side->n);
        centre(side->values, side->n, centred);
        size_t other = length_of_centred(centred, side->n);
        set_block(side, length > other ? length : other);
    }
    bool is_good = below && centred;
    free(below);
    free(centred);
    return is_good;
}

/* places: the place of each value among the sorted ones. */
static bool open_window(struct window *window, const struct side *side, const uint32_t *places)
{
    size_t length = side->n + side->block;
    window->below = calloc(length + 1, sizeof *window->below);
    window->first = calloc(length + 1, sizeof *window->first);
    window->list = calloc(length, sizeof *window->list);
    if (!window->below || !window->first || !window->list)
        return false;
    for (size_t i = 0; i < length; i++) {
        uint32_t place = places[i < side->n ? i : i - side->n];
        bool is_in = place >= window->low && place < window->high;
        window->list[window->first[i]] = place - (uint32_t)window->low;
        window->first[i + 1] = window->first[i] + is_in;
        window->below[i + 1] = window->below[i] + (place < window->low);
    }
    return true;
}

/* The near window is four standard deviations wide to each side, so that few replicates, if any,
 * are outside of it. */
static bool open_windows(struct side *side, const uint32_t *places)
{
    double n = (double)side->n, p = side->probability;
    double longer = (1 + side->resemblance) / (1 - side->resemblance);
    double wide = 4 * sqrt(p * (1 - p) * longer * n) + 2;
    side->near.low = (size_t)fmax(0, n * p - wide);
    side->near.high = (size_t)fmin(n, n * p + wide);
    side->all.high = side->n;
    return open_window(&side->near, side, places) && open_window(&side->all, side, places);
}

static bool prepare_percentile(struct side *side)
{
    size_t n = side->n;
    struct placed *placed = calloc(n, sizeof *placed);
    uint32_t *places = calloc(n, sizeof *places);
    side->work = calloc(n, sizeof *side->work);
    side->drawn = calloc(n, sizeof *side->drawn);
    bool is_good = placed && places && side->work && side->drawn;
    if (is_good) {
        for (size_t i = 0; i < n; i++)
            placed[i] = (struct placed){side->values[i], (uint32_t)i};
        qsort(placed, n, sizeof *placed, by_value);
        for (size_t i = 0; i < n; i++) {
            side->work[i] = placed[i].value;
            places[placed[i].from] = (uint32_t)i;
        }
        side->statistic = quantile_of(side->work, n, side->probability);
        is_good = set_percentile_block(side) && open_windows(side, places);
    }
    free(places);
    free(placed);
    return is_good;
}

/* Where blocks begin: each random number gives two of them. */
struct starts {
    struct random_state *random;
    uint64_t bits;
    bool has_half;
};

static uint32_t next_start(struct starts *starts, size_t n)
{
    starts->bits = starts->has_half ? starts->bits >> 32 : random_next(starts->random);
    starts->has_half = !starts->has_half;
    return random_below((uint32_t)starts->bits, (uint32_t)n);
}

static double draw_mean(const struct side *side, struct starts *starts)
{
    double sum = 0;
    for (size_t block = 1; block < side->blocks; block++)
        sum += side->work[next_start(starts, side->n)];
    sum += side->last[next_start(starts, side->n)];
    return sum / (double)side->n;
}

/* Counts how often the drawn blocks contain each value of the window; returns how many drawn values
 * are below the window. */
static size_t count_drawn(const struct side *side, const struct window *window,
                          struct starts *starts)
{
    size_t below = 0;
    memset(side->drawn, 0, (window->high - window->low) * sizeof *side->drawn);
    for (size_t block = 1; block <= side->blocks; block++) {
        size_t from = next_start(starts, side->n);
        size_t to = from + (block < side->blocks ? side->block : side->rest);
        below += window->below[to] - window->below[from];
        for (size_t i = window->first[from]; i < window->first[to]; i++)
            side->drawn[window->list[i]]++;
    }
    return below;
}

/* Finds the first of the sorted values of the window, from i on, up to which more than wanted
 * values were drawn; seen is the number drawn before i. Returns false if that value is above the
 * window. */
static bool find_drawn(const struct side *side, const struct window *window, size_t wanted,
                       size_t *seen, size_t *i)
{
    size_t end = window->high - window->low;
    for (; *i < end && *seen + side->drawn[*i] <= wanted; ++*i)
        *seen += side->drawn[*i];
    return *i < end;
}

/* What quantile_of() would return of the sorted replicate. */
static bool draw_in_window(const struct side *side, const struct window *window,
                           struct starts *starts, double *value)
{
    double place = (double)(side->n - 1) * side->probability, whole = floor(place);
    size_t wanted = (size_t)whole, seen = count_drawn(side, window, starts), i = 0;
    if (seen > wanted || !find_drawn(side, window, wanted, &seen, &i))
        return false;
    *value = side->work[window->low + i];
    if (place == whole)
        return true;
    if (!find_drawn(side, window, wanted + 1, &seen, &i))
        return false;
    *value += (place - whole) * (side->work[window->low + i] - *value);
    return true;
}

static double draw_percentile(const struct side *side, struct starts *starts)
{
    struct starts again = *starts;
    struct random_state before = *starts->random;
    double value = 0;
    if (!draw_in_window(side, &side->near, starts, &value)) {
        *starts = again;
        *starts->random = before;
        draw_in_window(side, &side->all, starts, &value);
    }
    return value - side->statistic;
}

static void draw_all(struct side *side, struct random_state *random)
{
    struct starts starts = {.random = random};
    for (size_t i = 0; i < side->replicates; i++)
        side->replicate[i] =
            side->probability > 0 ? draw_percentile(side, &starts) : draw_mean(side, &starts);
}

/* -- The interval ----------------------------------------------------------------------------- */

static double variance_of(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    return squares / (double)n;
}

/* By how much the replicates vary less than the statistic, for two reasons: they vary around the
 * statistic of the sample, and blocks do not show how neighbouring blocks resemble each other. For
 * the second, both variances are compared for a process in which each value depends on the one
 * before only, as in prewhitening (Andrews, Monahan, Econometrica 60, 1992). */
static double widening(const struct side *side)
{
    double r = side->resemblance, all = (1 + r) / (1 - r), power = 1, within = 1;
    for (size_t lag = 1; lag < side->block && power > 1e-9; lag++) {
        power *= r;
        within += 2 * (1 - (double)lag / (double)side->block) * power;
    }
    return sqrt(all / within * (double)side->blocks / (double)(side->blocks - 1));
}

/* The number of blocks, or of the independent values that would say as much, if those are fewer. */
static double pieces(const struct side *side)
{
    double independent = (double)side->n * (1 - side->resemblance) / (1 + side->resemblance);
    return fmax(2, fmin(independent, (double)side->blocks));
}

/* The degrees of freedom by Welch (Biometrika 34, 1947), with pieces instead of values. */
static double degrees_of_freedom(const struct side *a, const struct side *b)
{
    double of_a = variance_of(a->replicate, a->replicates);
    double of_b = variance_of(b->replicate, b->replicates), sum = of_a + of_b;
    if (!(sum > 0))
        return 1;
    of_a /= sum;
    of_b /= sum;
    return 1 / (of_a * of_a / (pieces(a) - 1) + of_b * of_b / (pieces(b) - 1));
}

static void find_interval(struct side *a, struct side *b, double level,
                          struct bootstrap_interval *out)
{
    size_t n = a->replicates;
    double tail = (1 - level) / 2, seen = fmax(tail, (double)TAIL_LEAST / (double)(n + 1));
    double factor = fabs(student_quantile(tail, degrees_of_freedom(a, b)) / normal_quantile(seen));
    double wide_a = widening(a), wide_b = widening(b);
    for (size_t i = 0; i < n; i++)
        b->replicate[i] = wide_b * b->replicate[i] - wide_a * a->replicate[i];
    quantile_sort(b->replicate, n);
    out->low = out->difference + factor * quantile_of(b->replicate, n, seen);
    out->high = out->difference + factor * quantile_of(b->replicate, n, 1 - seen);
    out->beyond_chance = out->low > 0 || out->high < 0;
}

static const char *refusal(const double *values, size_t n, double probability)
{
    if (n < BOOTSTRAP_LEAST || (double)n * (1 - probability) < BEYOND_LEAST - 1e-9)
        return "too few values";
    if (n > BOOTSTRAP_MOST)
        return "too many values";
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]))
            return "a value is not finite";
        sum += fabs(values[i] - values[0]);
    }
    return isfinite(sum * sum) ? NULL : "the values are too large";
}

static int compare(struct side sides[2], double level, uint64_t seed,
                   struct bootstrap_interval *out)
{
    struct random_state random = {seed};
    for (struct side *side = sides; side < sides + 2; side++) {
        side->replicate = calloc(side->replicates, sizeof *side->replicate);
        if (!side->replicate ||
            !(side->probability > 0 ? prepare_percentile(side) : prepare_mean(side)))
            return ENOMEM;
        draw_all(side, &random);
    }
    *out = (struct bootstrap_interval){.is_known = true,
                                       .a = sides[0].statistic,
                                       .b = sides[1].statistic,
                                       .difference = sides[1].statistic - sides[0].statistic,
                                       .block_a = sides[0].block,
                                       .block_b = sides[1].block};
    find_interval(&sides[0], &sides[1], level, out);
    if (!isfinite(out->low) || !isfinite(out->high))
        *out = (struct bootstrap_interval){.why = "the values are too large"};
    return 0;
}

int bootstrap_difference(const double *a, size_t n_a, const double *b, size_t n_b,
                         enum bootstrap_statistic statistic, double level, uint64_t seed,
                         struct bootstrap_interval *out)
{
    static const double probabilities[] = {[BOOTSTRAP_MEAN] = 0,
                                           [BOOTSTRAP_MEDIAN] = 0.5,
                                           [BOOTSTRAP_P90] = 0.9,
                                           [BOOTSTRAP_P95] = 0.95,
                                           [BOOTSTRAP_P99] = 0.99};
    if (!(level > 0 && level < 1) || (unsigned)statistic > BOOTSTRAP_P99)
        return EINVAL;
    double probability = probabilities[statistic];
    const char *why = refusal(a, n_a, probability);
    if (!why)
        why = refusal(b, n_b, probability);
    if (why) {
        *out = (struct bootstrap_interval){.why = why};
        return 0;
    }
    size_t replicates = probability > 0 ? REPLICATES_OF_PERCENTILES : REPLICATES_OF_MEANS;
    struct side sides[2] = {
        {.values = a, .n = n_a, .probability = probability, .replicates = replicates},
        {.values = b, .n = n_b, .probability = probability, .replicates = replicates}};
    int error = compare(sides, level, seed, out);
    side_free(&sides[0]);
    side_free(&sides[1]);
    return error;
}
