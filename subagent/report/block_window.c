#include "report/block.h"

#include <assert.h>
#include <cbor.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/item.h"
#include "calculate/histogram_packed.h"

/* Array of 10, window_ms, count, four moments. */
#define START_MAX (BLOCK_START_MAX + 1 + 5 + 9 + 4 * 9)
/* Sum, expected, oldest_ms. */
#define TOTALS_MAX (9 + 5 + 5)
/* The most that a histogram of one bucket needs: the head of its octets, and in bits the zeros, the
 * number of buckets, the first bucket, its count, and that the other side has no buckets. */
#define ONE_BUCKET_MAX (ITEM_HEAD_MAX + (65 + 3 + 12 + 63 + 1) / 8)
static_assert(REPORT_BLOCK_MIN - BLOCK_HEAD_MAX >= START_MAX + ONE_BUCKET_MAX + TOTALS_MAX,
              "a bucket at least fits into an empty block");

/* The most places of a window: the count of zeros, and both sides. */
#define PLACES_MAX (1 + 2 * (HISTOGRAM_LAST - HISTOGRAM_FIRST + 1))

/* How far rounding may put the mean outside of [min, max]. */
#define MEAN_SLACK 1e-9
/* How far an m2 may be from one that was added up in another order, relative to it. */
#define M2_SLACK 1e-9
/* How many times the largest possible square the mean of the squares may be. */
#define SQUARE_SLACK 2

static bool mean_is_inside(const struct report_window *window)
{
    double slack = MEAN_SLACK * fmax(fabs(window->min), fabs(window->max));
    return window->mean >= window->min - slack && window->mean <= window->max + slack;
}

/* When windows are merged, their sums of squares, m2 + count mean^2, are added up. With this limit
 * of the mean of the squares, which rounding does not reach, every sum of them stays finite. */
static bool squares_are_inside(const struct report_window *window)
{
    return window->m2 >= 0 && window->m2 / (double)window->count + window->mean * window->mean <=
                                  SQUARE_SLACK * STATISTICS_LARGEST * STATISTICS_LARGEST;
}

/* The comparisons are written so that a value that is not a number is a fault, too. */
static const char *moments_fault(const struct report_window *window)
{
    if (window->histogram && window->count < window->histogram->count)
        return "the count of a window is less than that of its histogram";
    if (!(window->min >= -STATISTICS_LARGEST && window->max <= STATISTICS_LARGEST))
        return "the values of a window are too large for statistics";
    if (!(window->min <= window->max))
        return "the least value of a window is above the largest";
    if (!mean_is_inside(window))
        return "the mean of a window is not between its values";
    if (!squares_are_inside(window))
        return "the m2 of a window is negative or too large";
    return NULL;
}

/* The mean is between the least and the largest value, and so is the sum divided by the count. */
static const char *totals_fault(const struct report_window *window)
{
    const struct report_totals *totals = &window->totals;
    double count = (double)window->count;
    double slack = MEAN_SLACK * count * fmax(fabs(window->min), fabs(window->max));
    if (totals->expected < window->count)
        return "an aggregate has more values than it expects";
    if (!(totals->sum >= count * window->min - slack && totals->sum <= count * window->max + slack))
        return "the sum of an aggregate is not that of its values";
    return NULL;
}

static const char *no_values_fault(const struct report_window *window)
{
    const double numbers[] = {window->min, window->max, window->mean, window->m2,
                              window->totals.sum};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(fabs(numbers[i]) <= 0))
            return "an aggregate has moments without values";
    return NULL;
}

const char *block_window_fault(const struct report_window *window)
{
    if (window->window_ms == 0)
        return "the length of a window is 0";
    if (!window->histogram && window->count == 0)
        return "a window has no values";
    if (window->has_totals && window->count == 0 && window->histogram->count == 0)
        return no_values_fault(window);
    if (window->histogram && window->histogram->count == 0)
        return "the histogram of a window is empty";
    const char *fault = window->has_moments ? moments_fault(window) : NULL;
    return !fault && window->has_totals ? totals_fault(window) : fault;
}

static int width(const struct histogram_side *side)
{
    return side->end - side->low;
}

/* Whether all values are equal, and the histogram, if there is one, has exactly as many of that
 * value. */
static bool is_equal(const struct report_window *window)
{
    const struct histogram *histogram = window->histogram;
    return !(window->min < window->max || window->mean < window->min ||
             window->mean > window->max || window->m2 > 0) &&
           (!histogram || (histogram->count == window->count &&
                           histogram_count_of(histogram, window->min) == window->count));
}

/* Whether the buckets and the mean tell the rest. They do if the values were events of a program,
 * because programs count them in buckets. */
static bool is_of_buckets(const struct report_window *window)
{
    if (!window->histogram || window->histogram->count != window->count)
        return false;
    struct statistics_window told = statistics_of_histogram(window->histogram, window->mean);
    return !islessgreater(told.min, window->min) && !islessgreater(told.max, window->max) &&
           fabs(told.m2 - window->m2) <= M2_SLACK * window->m2;
}

static enum block_form form_of(const struct report_window *window)
{
    if (window->has_totals || !window->has_moments)
        return BLOCK_MOMENTS;
    if (is_equal(window))
        return BLOCK_EQUAL;
    return is_of_buckets(window) ? BLOCK_BUCKETS : BLOCK_MOMENTS;
}

struct block_window block_window_of(uint32_t series, const struct report_window *window)
{
    const struct histogram *histogram = window->histogram;
    return (struct block_window){
        .series = series,
        .window = window,
        .form = form_of(window),
        .end = histogram ? 1 + width(&histogram->positive) + width(&histogram->negative) : 1,
    };
}

/* The buckets [from, to) of a side, counted from its first one, without empty ones at the end.
 * There are none at the beginning either, because the part before reaches up to the next bucket
 * that is not empty. The slice shares the counts of the side. */
static struct histogram_side slice_side(const struct histogram_side *side, int from, int to)
{
    struct histogram_side slice = *side;
    slice.low = side->low + (from > 0 ? from : 0);
    slice.end = to < width(side) ? side->low + to : side->end;
    while (slice.low < slice.end && histogram_side_count(side, slice.end - 1) == 0)
        slice.end--;
    if (slice.low >= slice.end)
        slice.low = slice.end = 0;
    return slice;
}

/* A part of a histogram, made only to be encoded: its count is not set. */
static struct histogram slice_of(const struct histogram *whole, int from, int to)
{
    int negative = 1 + width(&whole->positive); /* the place of the first negative bucket */
    return (struct histogram){
        .zero = from == 0 && to > 0 ? whole->zero : 0,
        .positive = slice_side(&whole->positive, from - 1, to - 1),
        .negative = slice_side(&whole->negative, from - negative, to - negative),
    };
}

/* The moments of a window of the first form, which come before the histogram. */
static size_t put_moments(uint8_t *at, size_t room, const struct report_window *window)
{
    const double moments[] = {window->min, window->max, window->mean, window->m2};
    size_t n = cbor_encode_uint(window->count, at, room);
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++)
        n += item_put_number(at + n, room - n, moments[i]);
    return n;
}

static size_t put_equal(uint8_t *at, size_t room, const struct report_window *window)
{
    size_t n = cbor_encode_array_start(window->histogram ? 3 : 2, at, room);
    n += cbor_encode_uint(window->count, at + n, room - n);
    n += item_put_number(at + n, room - n, window->mean);
    return window->histogram ? n + cbor_encode_null(at + n, room - n) : n;
}

static size_t put_mean(uint8_t *at, size_t room, const struct report_window *window)
{
    size_t n = cbor_encode_array_start(2, at, room);
    return n + item_put_number(at + n, room - n, window->mean);
}

static size_t items_of(const struct report_window *window)
{
    if (!window->histogram)
        return 6;
    return window->has_totals ? 10 : 7;
}

/* What comes before the histogram; it is the whole entry if no histogram is to be written. */
static size_t put_start(uint8_t at[START_MAX], const struct block_before *before,
                        const struct block_window *left, int32_t dt, enum block_form form)
{
    const struct report_window *window = left->window;
    bool is_first = left->next == 0 && window->has_moments;
    size_t n = block_put_start(at, before, left->series, dt);
    n += cbor_encode_array_start(is_first && form == BLOCK_MOMENTS ? items_of(window) : 2, at + n,
                                 START_MAX - n);
    n += cbor_encode_uint(window->window_ms == before->window_ms ? 0 : window->window_ms, at + n,
                          START_MAX - n);
    if (!is_first)
        return n;
    if (form == BLOCK_EQUAL)
        return n + put_equal(at + n, START_MAX - n, window);
    return n + (form == BLOCK_BUCKETS ? put_mean : put_moments)(at + n, START_MAX - n, window);
}

/* Writes the histogram as octets; returns 0 if they do not fit. */
static size_t put_histogram(uint8_t *at, size_t room, const struct histogram *histogram)
{
    uint8_t head[ITEM_HEAD_MAX];
    size_t len = histogram_pack(histogram, NULL, 0);
    size_t n = cbor_encode_bytestring_start(len, head, sizeof head);
    if (n + len > room)
        return 0;
    memcpy(at, head, n);
    return n + histogram_pack(histogram, at + n, len);
}

/* What comes behind the histogram in the entry of an aggregate. */
static size_t put_totals(uint8_t at[TOTALS_MAX], const struct report_totals *totals)
{
    size_t n = item_put_number(at, TOTALS_MAX, totals->sum);
    n += cbor_encode_uint(totals->expected, at + n, TOTALS_MAX - n);
    return n + cbor_encode_uint(totals->oldest_ms, at + n, TOTALS_MAX - n);
}

static size_t put_up_to(uint8_t *at, size_t room, const struct block_before *before,
                        const struct block_window *left, int32_t dt, int to)
{
    bool is_whole = left->next == 0 && to == left->end;
    enum block_form form = is_whole ? left->form : BLOCK_MOMENTS;
    uint8_t start[START_MAX];
    size_t n = put_start(start, before, left, dt, form);
    if (n > room)
        return 0;
    memcpy(at, start, n);
    if (!left->window->histogram || form == BLOCK_EQUAL)
        return n;
    struct histogram slice = slice_of(left->window->histogram, left->next, to);
    size_t len = put_histogram(at + n, room - n, &slice);
    if (len == 0)
        return 0;
    n += len;
    if (left->next > 0 || !left->window->has_totals)
        return n;
    uint8_t end[TOTALS_MAX];
    len = put_totals(end, &left->window->totals);
    if (len > room - n)
        return 0;
    memcpy(at + n, end, len);
    return n + len;
}

/* of this part; empty only if the count of an aggregate
 * is 0; valid during the callback. NULL: the whole window is
 * reported without it */
static int farthest_fit(uint8_t *at, size_t room, const struct block_before *before,
                        const struct block_window *left, int32_t dt)
{
    int to = left->next, step = 1;
    while (step < PLACES_MAX)
        step *= 2;
    for (; step > 0; step /= 2)
        if (step < left->end - to && put_up_to(at, room, before, left, dt, to + step))
            to += step;
    return to;
}

size_t block_put_window(uint8_t *at, size_t room, struct block_before *before,
                        struct block_window *left, int32_t dt, bool cut)
{
    int to = left->end;
    size_t n = put_up_to(at, room, before, left, dt, to);
    if (n == 0 && cut) {
        to = farthest_fit(at, room, before, left, dt);
        n = put_up_to(at, room, before, left, dt, to);
    }
    if (n == 0)
        return 0;
    left->next = to;
    *before = (struct block_before){left->series, left->window->window_ms};
    return n;
}

int report_window_merge(struct statistics_window *into, const struct report_window *part)
{
    if (!part->has_moments)
        return histogram_merge(&into->histogram, part->histogram);
    if (part->count > UINT64_MAX - into->count)
        return EOVERFLOW;
    struct statistics_window from = {
        .count = part->count,
        .min = part->min,
        .max = part->max,
        .mean = part->mean,
        .m2 = part->m2,
    };
    if (part->histogram)
        from.histogram = *part->histogram;
    return statistics_merge(into, &from);
}
