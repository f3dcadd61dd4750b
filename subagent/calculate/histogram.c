#include "calculate/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The borders gamma^i are products of these doubles, each of which is the double nearest to a power
 * of 101/99. The compiler computes the products, and IEEE 754 rounds them alike everywhere; pow(3)
 * may differ between machines in the last bit, and then a value at a border would be in different
 * buckets. */
#define GAMMA_M1100 2.787423110152436e-10
#define GAMMA_M100 0.1353262606437916
#define GAMMA_0 1.0
#define GAMMA_1000 485488766.1327849
#define GAMMA_2000 2.3569934204113392e+17

#define ONES(x)                                                                                    \
    (x), (x)*1.02020202020202, (x)*1.0408121620242832, (x)*1.061838670348006,                      \
        (x)*1.0832899566176628, (x)*1.1051746022058984, (x)*1.1275013618464216,                    \
        (x)*1.1502791671362482, (x)*1.1735171301086977, (x)*1.1972245468785705
#define TENS(x)                                                                                    \
    ONES(x), ONES((x)*1.2214109013609658), ONES((x)*1.491844589963407),                            \
        ONES((x)*1.8221552453176855), ONES((x)*2.225600280603086), ONES((x)*2.7183724448006337),   \
        ONES((x)*3.3202497380387546), ONES((x)*4.055389225281425), ONES((x)*4.953296609020535),    \
        ONES((x)*6.0500104759319875)
#define HUNDREDS(x)                                                                                \
    TENS(x), TENS((x)*7.389548748651375), TENS((x)*54.6054307086951), TENS((x)*403.5094921630072), \
        TENS((x)*2981.753062882102), TENS((x)*22033.809614607842), TENS((x)*162819.910265648),     \
        TENS((x)*1203165.6641590483), TENS((x)*8890851.328006797), TENS((x)*65699379.305318035)

/* gamma^i stands at i + ORIGIN. */
#define ORIGIN 1100
static const double power[] = {
    HUNDREDS(GAMMA_M1100), TENS(GAMMA_M100), HUNDREDS(GAMMA_0),
    HUNDREDS(GAMMA_1000),  TENS(GAMMA_2000),
};

/* 1 / log2(gamma) */
#define BUCKETS_PER_OCTAVE 34.656203751888334

/* How near to a border the logarithm may come, as a fraction of a bucket. Its errors are a million
 * times smaller, so that farther from the border the logarithm alone decides. This avoids most
 * look-ups in the table of borders, which would seldom be in the caches. */
#define NEAR_BORDER 1e-6

/* 2 / (gamma + 1) */
#define VALUE_OF_BORDER 0.99

/* The least room that is added on each side of what is needed: 16 buckets are a factor of 1.4. */
#define SLACK 16

/* The number of counters is always a multiple of this. So there are few sizes, memory that one
 * histogram gives back fits another, and malloc(3) does not keep free blocks of every size that
 * there ever was. */
#define STEP 32

int histogram_index(double magnitude)
{
    if (magnitude >= HISTOGRAM_MAX)
        return HISTOGRAM_LAST;
    double place = log2(magnitude) * BUCKETS_PER_OCTAVE + ORIGIN;
    int below = (int)place;
    double part = place - below;
    if (part > NEAR_BORDER && part < 1 - NEAR_BORDER)
        return below + 1 - ORIGIN;
    int nearest = (int)(place + 0.5);
    return nearest - ORIGIN + (magnitude > power[nearest]);
}

double histogram_border(int index)
{
    return power[index + ORIGIN];
}

double histogram_value(int index)
{
    return VALUE_OF_BORDER * histogram_border(index);
}

static bool side_is_empty(const struct histogram_side *side)
{
    return side->low == side->end;
}

uint32_t histogram_side_count(const struct histogram_side *side, int index)
{
    return index >= side->low && index < side->end ? side->counts[index - side->base] : 0;
}

static int between(int low, int value, int high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

/* Moves the counters so that the first one is that of another bucket; no bucket with a count is
 * lost. */
static void move_counters(struct histogram_side *side, int base)
{
    int n = side->end - side->low, distance = side->base - base;
    side->base = base;
    if (n == 0)
        return;
    uint32_t *to = side->counts + (side->low - base), *from = to - distance;
    int left = between(0, abs(distance), n);
    memmove(to, from, (size_t)n * sizeof *to);
    memset(distance > 0 ? from : from + (n - left), 0, (size_t)left * sizeof *from);
}

/* Widens the range that is needed to the range that gets memory. */
static void add_slack(int *low, int *end)
{
    int slack = (*end - *low) / 4 > SLACK ? (*end - *low) / 4 : SLACK;
    *low = between(HISTOGRAM_FIRST, *low - slack, *low);
    *end = between(*end, *end + slack, HISTOGRAM_LAST + 1);
    *low -= (*low - HISTOGRAM_FIRST) % STEP;
    *end += (STEP - (*end - HISTOGRAM_FIRST) % STEP) % STEP;
}

static int extend(struct histogram_side *side, int low, int end)
{
    add_slack(&low, &end);
    uint32_t *counts = calloc((size_t)(end - low), sizeof *counts);
    if (!counts)
        return ENOMEM;
    if (!side_is_empty(side))
        memcpy(counts + (side->low - low), side->counts + (side->low - side->base),
               (size_t)(side->end - side->low) * sizeof *counts);
    free(side->counts);
    side->counts = counts;
    side->base = low;
    side->size = end - low;
    return 0;
}

static bool covers(const struct histogram_side *side, int low, int end)
{
    return low >= side->base && end <= side->base + side->size;
}

/* Widens the range to include all buckets with counts. */
static void widen(const struct histogram_side *side, int *low, int *end)
{
    if (side_is_empty(side))
        return;
    *low = *low < side->low ? *low : side->low;
    *end = *end > side->end ? *end : side->end;
}

/* Makes sure that there are counters for [low, end). If the existing counters are enough for that
 * range, they are moved: values that drift need no more of them than values that stay. */
static int reserve(struct histogram_side *side, int low, int end)
{
    if (covers(side, low, end))
        return 0;
    widen(side, &low, &end);
    int room = side->size - (end - low);
    if (room < SLACK)
        return extend(side, low, end);
    move_counters(side, between(HISTOGRAM_FIRST, low - room / 2, HISTOGRAM_LAST + 1 - side->size));
    return 0;
}

size_t histogram_side_growth(const struct histogram_side *side, int index)
{
    int low = index, end = index + 1;
    if (covers(side, low, end))
        return 0;
    widen(side, &low, &end);
    if (side->size - (end - low) >= SLACK)
        return 0;
    add_slack(&low, &end);
    return end - low > side->size ? (size_t)(end - low - side->size) * sizeof *side->counts : 0;
}

size_t histogram_octets(const struct histogram *histogram)
{
    return (size_t)(histogram->positive.size + histogram->negative.size) * sizeof(uint32_t);
}

int histogram_side_add(struct histogram_side *side, int index, uint32_t n)
{
    int error = reserve(side, index, index + 1);
    if (error)
        return error;
    uint32_t *count = &side->counts[index - side->base];
    if (n > UINT32_MAX - *count)
        return EOVERFLOW;
    *count += n;
    if (side_is_empty(side)) {
        side->low = index;
        side->end = index + 1;
    } else if (index < side->low) {
        side->low = index;
    } else if (index >= side->end) {
        side->end = index + 1;
    }
    return 0;
}

int histogram_add_equal(struct histogram *histogram, double value, uint32_t n)
{
    double magnitude = fabs(value);
    int error = 0;
    if (!isfinite(value))
        return EDOM;
    if (magnitude >= HISTOGRAM_MIN)
        error = histogram_side_add(value < 0 ? &histogram->negative : &histogram->positive,
                                   histogram_index(magnitude), n);
    else if (n > UINT32_MAX - histogram->zero)
        error = EOVERFLOW;
    else
        histogram->zero += n;
    histogram->count += error ? 0 : n;
    return error;
}

int histogram_add(struct histogram *histogram, double value)
{
    return histogram_add_equal(histogram, value, 1);
}

uint32_t histogram_count_of(const struct histogram *histogram, double value)
{
    double magnitude = fabs(value);
    if (!(magnitude >= HISTOGRAM_MIN))
        return histogram->zero;
    return histogram_side_count(value < 0 ? &histogram->negative : &histogram->positive,
                                histogram_index(magnitude));
}

/* Counters for a far wider range than the values had are freed: else every histogram would grow to
 * the width of the widest window that it ever had. */
static bool is_too_wide(const struct histogram_side *side)
{
    return side->size > 2 * (side->end - side->low) + 4 * STEP;
}

static void side_reset(struct histogram_side *side)
{
    if (is_too_wide(side)) {
        free(side->counts);
        *side = (struct histogram_side){0};
        return;
    }
    if (!side_is_empty(side))
        memset(side->counts + (side->low - side->base), 0,
               (size_t)(side->end - side->low) * sizeof *side->counts);
    side->low = side->end = 0;
}

void histogram_reset(struct histogram *histogram)
{
    side_reset(&histogram->positive);
    side_reset(&histogram->negative);
    histogram->zero = 0;
    histogram->count = 0;
}

/* Most histograms that are released have no counters at all. */
void histogram_release(struct histogram *histogram)
{
    if (histogram->positive.counts)
        free(histogram->positive.counts);
    if (histogram->negative.counts)
        free(histogram->negative.counts);
    *histogram = (struct histogram){0};
}

static bool side_would_overflow(const struct histogram_side *into,
                                const struct histogram_side *from)
{
    for (int i = from->low; i < from->end; i++)
        if (histogram_side_count(from, i) > UINT32_MAX - histogram_side_count(into, i))
            return true;
    return false;
}

static int side_reserve_for(struct histogram_side *into, const struct histogram_side *from)
{
    return side_is_empty(from) ? 0 : reserve(into, from->low, from->end);
}

/* This comes after both checks, so that it cannot fail. */
static void side_merge(struct histogram_side *into, const struct histogram_side *from)
{
    if (side_is_empty(from))
        return;
    for (int i = from->low; i < from->end; i++)
        into->counts[i - into->base] += from->counts[i - from->base];
    bool was_empty = side_is_empty(into);
    into->low = was_empty || from->low < into->low ? from->low : into->low;
    into->end = was_empty || from->end > into->end ? from->end : into->end;
}

int histogram_merge(struct histogram *into, const struct histogram *from)
{
    if (from->zero > UINT32_MAX - into->zero ||
        side_would_overflow(&into->positive, &from->positive) ||
        side_would_overflow(&into->negative, &from->negative))
        return EOVERFLOW;
    if (side_reserve_for(&into->positive, &from->positive) ||
        side_reserve_for(&into->negative, &from->negative))
        return ENOMEM;
    side_merge(&into->positive, &from->positive);
    side_merge(&into->negative, &from->negative);
    into->zero += from->zero;
    into->count += from->count;
    return 0;
}

/* Goes through the buckets in ascending order of the values: the negative buckets from the largest
 * magnitude on, 0, the positive buckets. Each bucket that ends before the rank reduces the rank by
 * its count. */
static double value_at(const struct histogram *histogram, uint64_t rank)
{
    const struct histogram_side *negative = &histogram->negative, *positive = &histogram->positive;
    for (int i = negative->end - 1; i >= negative->low; i--) {
        uint32_t count = histogram_side_count(negative, i);
        if (rank < count)
            return -histogram_value(i);
        rank -= count;
    }
    if (rank < histogram->zero)
        return 0;
    rank -= histogram->zero;
    int i = positive->low;
    for (; i < positive->end - 1 && rank >= histogram_side_count(positive, i); i++)
        rank -= histogram_side_count(positive, i);
    return histogram_value(i);
}

double histogram_quantile(const struct histogram *histogram, double q)
{
    if (histogram->count == 0 || !(q >= 0 && q <= 1))
        return NAN;
    return value_at(histogram, (uint64_t)(q * (double)(histogram->count - 1)));
}

static bool side_equal(const struct histogram_side *a, const struct histogram_side *b)
{
    if (a->low != b->low || a->end != b->end)
        return false;
    return side_is_empty(a) ||
           memcmp(a->counts + (a->low - a->base), b->counts + (b->low - b->base),
                  (size_t)(a->end - a->low) * sizeof *a->counts) == 0;
}

bool histogram_equal(const struct histogram *a, const struct histogram *b)
{
    return a->count == b->count && a->zero == b->zero && side_equal(&a->positive, &b->positive) &&
           side_equal(&a->negative, &b->negative);
}
