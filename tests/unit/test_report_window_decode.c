#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#include "unit.h"

struct seen {
    size_t n, stop_after;
    size_t windows, moments;
    struct report_entry last; /* its histogram is gone */
    uint64_t histogram_count;
};

/* What holds for every window that is handed over, and that it can be sent on. */
static void check_window(const struct report_window *window)
{
    struct statistics_window merged = {.count = 0};
    assert_true(window->window_ms > 0);
    assert_true(window->histogram || (window->count > 0 && !window->has_totals));
    assert_true(!window->histogram ||
                (window->histogram->count > 0) != (window->has_totals && window->count == 0));
    assert_int_equal(report_window_merge(&merged, window), 0);
    assert_true(histogram_equal(&merged.histogram,
                                window->histogram ? window->histogram : &(struct histogram){0}));
    if (window->has_moments) {
        assert_true(isfinite(merged.mean) && isfinite(merged.m2) && merged.m2 >= 0);
        assert_true(merged.min <= merged.max);
        assert_int_equal(merged.count, window->count);
        assert_true(merged.count >= merged.histogram.count);
    } else {
        assert_int_equal(merged.count, 0);
    }
    statistics_window_release(&merged);
}

static int see(void *context, const struct report_entry *entry)
{
    struct seen *seen = context;
    seen->n++;
    seen->last = *entry;
    if (entry->kind == REPORT_WINDOW) {
        check_window(&entry->window);
        seen->windows++;
        seen->moments += entry->window.has_moments;
        seen->histogram_count = entry->window.histogram ? entry->window.histogram->count : 0;
    } else {
        assert_int_equal(entry->kind, REPORT_VALUE);
        assert_true(isfinite(entry->result.value));
    }
    return seen->n == seen->stop_after;
}

/* Decodes a copy that ends where its memory ends. */
static int decode(const uint8_t *bytes, size_t len, struct seen *seen, const char **why)
{
    const struct report_header untouched = {9, 9, 9, 9};
    struct report_header header = untouched;
    uint8_t *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    *why = NULL;
    *seen = (struct seen){.stop_after = seen->stop_after};
    int error = report_decode(copy, len, &header, see, seen, why);
    free(copy);
    if (error) {
        assert_int_equal(error, EBADMSG);
        assert_int_equal(seen->n, 0);
        assert_memory_equal(&header, &untouched, sizeof untouched);
        assert_non_null(*why);
    } else {
        assert_true(seen->n > 0);
        assert_null(*why);
    }
    return error;
}

#define HEAD 0x85, 1, 1, 1, 0
#define ONE HEAD, 0x81, 0x83, 0, 0 /* one entry, of series 0 at time 0 */
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define HIST_1 0x84, 1, 0, 0x82, 0, 1, 0x80 /* a 1 */
#define HIST_0 0x84, 1, 0, 0x80, 0x80       /* nothing */
#define FF4 0xff, 0xff, 0xff, 0xff
#define NINES 0xfb, 0x7f, 0xef, 0xff, 0xff, FF4 /* the largest double */
#define INF 0xfb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0
#define MINUS_INF 0xfb, 0xff, 0xf0, 0, 0, 0, 0, 0, 0
#define NOT_A_NUMBER 0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0
#define TOWARDS_4 0xfb, 0x40, 0x0f, 0xff, 0xff, FF4         /* the double below 4 */
#define BEYOND_4 0xfb, 0x40, 0x10, 0, 0, 0x04, 0, 0, 0      /* 4 (1 + 1.5e-8) */
#define JUST_BEYOND_4 0xfb, 0x40, 0x10, 0, 0, 0, 0x10, 0, 0 /* 4 (1 + 2.3e-10) */

#define TWO 0x85, 2, 1, 1, 0, 0x81, 0x83, 0, 0 /* the same of version 2 */
#define PACKED_1 0x43, 0xa4, 0x0c, 0xc0        /* the value 1, once */

static const struct {
    const char *name;
    const uint8_t *bytes;
    size_t len;
    const char *why; /* a part of the reason; NULL: valid */
} crafted[] = {
    {"the least further part", BYTES(ONE, 0x82, 1, HIST_1), NULL},
    {"the least first part", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, 0, HIST_1), NULL},
    {"further part first", BYTES(HEAD, 0x82, 0x83, 0, 0, 0x82, 1, HIST_1, 0x83, 0, 0, 5), NULL},
    {"a zero", BYTES(ONE, 0x87, 1, 1, 0, 0, 0, 0, 0x84, 1, 1, 0x80, 0x80), NULL},
    {"2^64 - 1 values", BYTES(ONE, 0x87, 1, 0x1b, FF4, FF4, 1, 1, 1, 0, HIST_1), NULL},
    {"longer numbers", BYTES(ONE, 0x98, 7, 0x18, 1, 0x19, 0, 1, 1, 1, 1, 0, HIST_1), NULL},
    {"a mean beyond by rounding", BYTES(ONE, 0x87, 1, 1, 4, 4, JUST_BEYOND_4, 0, HIST_1), NULL},
    {"a mean below by rounding", BYTES(ONE, 0x87, 1, 1, 4, 4, TOWARDS_4, 0, HIST_1), NULL},
    {"no elements", BYTES(ONE, 0x80), "two, six, seven or ten"},
    {"one element", BYTES(ONE, 0x81, 1), "two, six, seven or ten"},
    {"three elements", BYTES(ONE, 0x83, 1, HIST_1, 0), "not a number"},
    {"a record of five", BYTES(ONE, 0x85, 1, 1, 1, 1, 0), "what a record has used"},
    {"without a histogram", BYTES(ONE, 0x86, 1, 1, 4, 4, 4, 0), NULL},
    {"2^64 - 1 values, none", BYTES(ONE, 0x86, 1, 0x1b, FF4, FF4, 1, 1, 1, 0), NULL},
    {"without a histogram, length 0", BYTES(ONE, 0x86, 0, 1, 4, 4, 4, 0), "length of a window is"},
    {"without a histogram, no values", BYTES(ONE, 0x86, 1, 0, 0, 0, 0, 0), "has no values"},
    {"without a histogram, min above max", BYTES(ONE, 0x86, 1, 1, 2, 1, 1, 0), "above the largest"},
    {"without a histogram, m2 -1", BYTES(ONE, 0x86, 1, 1, 1, 1, 1, 0x20), "m2"},
    {"without a histogram, cut", BYTES(ONE, 0x86, 1, 1, 1, 1, 1), "cut short"},
    {"without a histogram, with one", BYTES(ONE, 0x86, 1, 1, 1, 1, 1, 0, HIST_1),
     "after the block"},
    {"a histogram in the place of m2", BYTES(ONE, 0x86, 1, 1, 1, 1, 0, HIST_1), "moment"},
    {"eight elements", BYTES(ONE, 0x88, 1, 1, 1, 1, 1, 0, HIST_1, 0), "two, six, seven or ten"},
    {"2^64 - 1 elements", BYTES(ONE, 0x9b, FF4, FF4, 1, HIST_1), "two, six, seven or ten"},
    {"an indefinite array", BYTES(ONE, 0x9f, 1, HIST_1, 0xff), "a value is"},
    {"a map", BYTES(ONE, 0xa1, 1, HIST_1), "a value is"},
    {"a tagged window", BYTES(ONE, 0xc1, 0x82, 1, HIST_1), "a value is"},
    {"length 0", BYTES(ONE, 0x82, 0, HIST_1), "length of a window is 0"},
    {"length 0, first part", BYTES(ONE, 0x87, 0, 1, 1, 1, 1, 0, HIST_1), "length of a window is 0"},
    {"length -1", BYTES(ONE, 0x82, 0x20, HIST_1), "length of a window is not"},
    {"length 2^32 - 1", BYTES(ONE, 0x82, 0x1a, FF4, HIST_1), NULL},
    {"length 2^32", BYTES(ONE, 0x82, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, HIST_1), "length of a window"},
    {"length 1.0", BYTES(ONE, 0x82, 0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, HIST_1), "length"},
    {"count 0", BYTES(ONE, 0x87, 1, 0, 1, 1, 1, 0, HIST_1), "less than that of its histogram"},
    {"count -1", BYTES(ONE, 0x87, 1, 0x20, 1, 1, 1, 0, HIST_1), "count of a window is not"},
    {"count null", BYTES(ONE, 0x87, 1, 0xf6, 1, 1, 1, 0, HIST_1), "count of a window is not"},
    {"count too small", BYTES(ONE, 0x87, 1, 2, 1, 1, 1, 0, 0x84, 1, 0, 0x82, 0, 3, 0x80), "less"},
    {"min null", BYTES(ONE, 0x87, 1, 1, 0xf6, 1, 1, 0, HIST_1), "moment"},
    {"min a string", BYTES(ONE, 0x87, 1, 1, 0x61, '1', 1, 1, 0, HIST_1), "moment"},
    {"min infinite", BYTES(ONE, 0x87, 1, 1, MINUS_INF, 1, 1, 0, HIST_1), "moment"},
    {"max infinite", BYTES(ONE, 0x87, 1, 1, 1, INF, 1, 0, HIST_1), "moment"},
    {"max NaN", BYTES(ONE, 0x87, 1, 1, 1, NOT_A_NUMBER, 1, 0, HIST_1), "moment"},
    {"max 2^53 + 1", BYTES(ONE, 0x87, 1, 1, 1, 0x1b, 0, 0x20, 0, 0, 0, 0, 0, 1, 1, 0, HIST_1),
     "moment"},
    {"max 16-bit", BYTES(ONE, 0x87, 1, 1, 1, 0xf9, 0x3c, 0, 1, 0, HIST_1), NULL},
    {"max 16-bit, infinite", BYTES(ONE, 0x87, 1, 1, 1, 0xf9, 0x7c, 0, 1, 0, HIST_1), "moment"},
    {"mean undefined", BYTES(ONE, 0x87, 1, 1, 1, 1, 0xf7, 0, HIST_1), "moment"},
    {"mean NaN", BYTES(ONE, 0x87, 1, 1, 1, 1, NOT_A_NUMBER, 0, HIST_1), "moment"},
    {"m2 NaN", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, NOT_A_NUMBER, HIST_1), "moment"},
    {"m2 infinite", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, INF, HIST_1), "moment"},
    {"m2 an array", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, 0x80, HIST_1), "moment"},
    {"max too large", BYTES(ONE, 0x87, 1, 1, 1, NINES, 1, 0, HIST_1), "too large"},
    {"min above max", BYTES(ONE, 0x87, 1, 1, 2, 1, 1, 0, HIST_1), "above the largest"},
    {"mean above max", BYTES(ONE, 0x87, 1, 2, 1, 4, BEYOND_4, 0, HIST_1), "mean"},
    {"mean below min", BYTES(ONE, 0x87, 1, 2, 1, 4, 0, 0, HIST_1), "mean"},
    {"m2 -1", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, 0x20, HIST_1), "m2"},
    {"m2 too large", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, NINES, HIST_1), "m2"},
    {"empty histogram", BYTES(ONE, 0x82, 1, HIST_0), "histogram of a window is empty"},
    {"empty, first part", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, 0, HIST_0), "is empty"},
    {"no histogram", BYTES(ONE, 0x82, 1), "the histogram is cut short"},
    {"a number as histogram", BYTES(ONE, 0x82, 1, 1), "the histogram is not an array"},
    {"histogram version 2", BYTES(ONE, 0x82, 1, 0x84, 2, 0, 0x82, 0, 1, 0x80), "version"},
    {"an aggregate", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, 1, 1, 0), NULL},
    {"more expected", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, 1, 0x1a, FF4, 0x1a, FF4), NULL},
    {"an aggregate of nothing", BYTES(ONE, 0x8a, 1, 0, 0, 0, 0, 0, HIST_0, 0, 0, 0), NULL},
    {"nothing of 5", BYTES(ONE, 0x8a, 1, 0, 0, 0, 0, 0, HIST_0, 0, 5, 0), NULL},
    {"a sum within rounding", BYTES(ONE, 0x8a, 1, 1, 4, 4, 4, 0, HIST_1, JUST_BEYOND_4, 1, 0),
     NULL},
    {"nine elements", BYTES(ONE, 0x89, 1, 1, 1, 1, 1, 0, HIST_1, 1, 1), "two, six, seven or ten"},
    {"eleven elements", BYTES(ONE, 0x8b, 1, 1, 1, 1, 1, 0, HIST_1, 1, 1, 0, 0),
     "six, seven or ten"},
    {"nothing with a histogram", BYTES(ONE, 0x8a, 1, 0, 0, 0, 0, 0, HIST_1, 0, 0, 0), "less than"},
    {"something without one", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_0, 1, 1, 0), "is empty"},
    {"nothing with a min", BYTES(ONE, 0x8a, 1, 0, 1, 0, 0, 0, HIST_0, 0, 0, 0), "without values"},
    {"nothing with a max", BYTES(ONE, 0x8a, 1, 0, 0, 1, 0, 0, HIST_0, 0, 0, 0), "without values"},
    {"nothing with a mean", BYTES(ONE, 0x8a, 1, 0, 0, 0, 1, 0, HIST_0, 0, 0, 0), "without values"},
    {"nothing with a m2", BYTES(ONE, 0x8a, 1, 0, 0, 0, 0, 1, HIST_0, 0, 0, 0), "without values"},
    {"nothing with a sum", BYTES(ONE, 0x8a, 1, 0, 0, 0, 0, 0, HIST_0, 1, 0, 0), "without values"},
    {"a sum too small", BYTES(ONE, 0x8a, 1, 1, 4, 4, 4, 0, HIST_1, 3, 1, 0), "the sum"},
    {"a sum too large", BYTES(ONE, 0x8a, 1, 1, 4, 4, 4, 0, HIST_1, BEYOND_4, 1, 0), "the sum"},
    {"a sum of 2", BYTES(ONE, 0x8a, 1, 2, 4, 4, 4, 0, HIST_1, 8, 2, 0), NULL},
    {"a sum of 1", BYTES(ONE, 0x8a, 1, 2, 4, 4, 4, 0, HIST_1, 4, 2, 0), "the sum"},
    {"sum null", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, 0xf6, 1, 0), "a sum"},
    {"sum NaN", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, NOT_A_NUMBER, 1, 0), "a sum"},
    {"sum infinite", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, INF, 1, 0), "a sum"},
    {"expected too few", BYTES(ONE, 0x8a, 1, 2, 1, 1, 1, 0, HIST_1, 2, 1, 0), "more values than"},
    {"expected -1", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, 1, 0x20, 0), "expects"},
    {"expected 2^32",
     BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, 1, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 0), "expects"},
    {"age -1", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, 1, 1, 0x20), "age"},
    {"no age", BYTES(ONE, 0x8a, 1, 1, 1, 1, 1, 0, HIST_1, 1, 1), "cut short"},
    {"a gap last", BYTES(ONE, 0x82, 1, 0x84, 1, 0, 0x83, 0, 1, 0x20, 0x80), "end with a count"},
    {"octets after the window", BYTES(ONE, 0x82, 1, HIST_1, 0), "after the block"},
    {"a bad one after a good one",
     BYTES(HEAD, 0x82, 0x83, 0, 0, 0x82, 1, HIST_1, 0x83, 0, 0, 0x82, 0, HIST_1), "length"},
    {"version 2: octets", BYTES(TWO, 0x82, 1, PACKED_1), NULL},
    {"octets and moments", BYTES(TWO, 0x87, 1, 1, 1, 1, 1, 0, PACKED_1), NULL},
    {"octets of an aggregate", BYTES(TWO, 0x8a, 1, 1, 1, 1, 1, 0, PACKED_1, 1, 1, 0), NULL},
    {"an array in version 2", BYTES(TWO, 0x87, 1, 1, 1, 1, 1, 0, HIST_1), "is not octets"},
    {"octets in version 1", BYTES(ONE, 0x87, 1, 1, 1, 1, 1, 0, PACKED_1), "is not an array"},
    {"a short form in version 1", BYTES(ONE, 0x82, 1, 0x82, 3, 5), "not an array of four"},
    {"equal values", BYTES(TWO, 0x82, 1, 0x82, 3, 5), NULL},
    {"equal values, histogram", BYTES(TWO, 0x82, 1, 0x83, 3, 5, 0xf6), NULL},
    {"equal zeros, histogram", BYTES(TWO, 0x82, 1, 0x83, 3, 0, 0xf6), NULL},
    {"2^32 equal values", BYTES(TWO, 0x82, 1, 0x82, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 5), NULL},
    {"2^32 equal values, histogram",
     BYTES(TWO, 0x82, 1, 0x83, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0xf6), "null, or too large"},
    {"no equal values", BYTES(TWO, 0x82, 1, 0x82, 0, 5), "has no values"},
    {"no equal values, histogram", BYTES(TWO, 0x82, 1, 0x83, 0, 5, 0xf6), "is empty"},
    {"-1 equal values", BYTES(TWO, 0x82, 1, 0x82, 0x20, 5), "has no count, or no value"},
    {"equal nulls", BYTES(TWO, 0x82, 1, 0x82, 1, 0xf6), "has no count, or no value"},
    {"equal values of infinity", BYTES(TWO, 0x82, 1, 0x82, 1, INF), "has no count, or no value"},
    {"equal values, 1", BYTES(TWO, 0x82, 1, 0x83, 1, 5, 1), "is not null"},
    {"equal values too large", BYTES(TWO, 0x82, 1, 0x82, 1, NINES), "too large"},
    {"mean and buckets", BYTES(TWO, 0x82, 1, 0x82, 1, PACKED_1), NULL},
    {"mean and no buckets", BYTES(TWO, 0x82, 1, 0x82, 1, 0x41, 0xe0), "is empty"},
    {"mean NaN and buckets", BYTES(TWO, 0x82, 1, 0x82, NOT_A_NUMBER, PACKED_1), "a mean is no"},
    {"mean null and buckets", BYTES(TWO, 0x82, 1, 0x82, 0xf6, PACKED_1), "a mean is no"},
    {"mean too large", BYTES(TWO, 0x82, 1, 0x82, NINES, PACKED_1), "too large"},
    {"mean and a part of buckets", BYTES(TWO, 0x82, 1, 0x82, 1, 0x41, 0xa4), "cut short"},
    {"mean alone", BYTES(TWO, 0x82, 1, 0x81, 1), "array of two or three"},
    {"four", BYTES(TWO, 0x82, 1, 0x84, 1, 1, 1, 1), "array of two or three"},
    {"a number for octets", BYTES(TWO, 0x82, 1, 1), "is not octets"},
    {"the length before, of none", BYTES(TWO, 0x82, 0, PACKED_1), "length of a window is 0"},
    {"the length before",
     BYTES(0x85, 2, 1, 1, 0, 0x82, 0x83, 0, 0, 0x82, 5, PACKED_1, 0x83, 0, 0, 0x82, 0, 0x82, 1, 1),
     NULL},
};

static void test_crafted(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof crafted / sizeof crafted[0]; i++) {
        struct seen seen = {.n = 0};
        const char *why;
        decode(crafted[i].bytes, crafted[i].len, &seen, &why);
        if (!why != !crafted[i].why || (why && !strstr(why, crafted[i].why)))
            fail_msg("%s: %s", crafted[i].name, why ? why : "accepted");
    }
}

static void test_members(void **unused)
{
    (void)unused;
    static const uint8_t bytes[] = {HEAD, 0x82, 0x83, 9,    0x18, 50,   0x87, 0x19, 0xea, 0x60,  4,
                                    0x21, 7,    2,    0x18, 40,   0x84, 1,    1,    0x82, 0,     1,
                                    0x82, 5,    2,    0x83, 9,    0x18, 50,   0x82, 1,    HIST_1};
    struct seen seen = {.stop_after = 1};
    const struct report_window *window = &seen.last.window;
    const char *why;
    assert_int_equal(decode(bytes, sizeof bytes, &seen, &why), 0);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.last.kind, REPORT_WINDOW);
    assert_int_equal(seen.last.series, 9);
    assert_int_equal(seen.last.wall_ms, 50);
    assert_true(window->has_moments);
    assert_int_equal(window->window_ms, 60000);
    assert_int_equal(window->count, 4);
    assert_true(window->min == -2 && window->max == 7 && window->mean == 2 && window->m2 == 40);
    assert_int_equal(seen.histogram_count, 4);
    seen.stop_after = 0;
    assert_int_equal(decode(bytes, sizeof bytes, &seen, &why), 0);
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.windows, 2);
    assert_int_equal(seen.moments, 1);
    assert_int_equal(seen.histogram_count, 1);
}

/* What the short forms leave out. */
static void test_members_of_short_forms(void **unused)
{
    (void)unused;
    static const struct {
        uint8_t bytes[32];
        size_t len;
        uint64_t count, histogram_count;
        double min, max, mean, m2;
    } rows[] = {
        {{TWO, 0x82, 7, 0x82, 3, 5}, 14, 3, 0, 5, 5, 5, 0},
        {{TWO, 0x82, 7, 0x83, 3, 0x24, 0xf6}, 15, 3, 3, -5, -5, -5, 0},
        {{TWO, 0x82, 7, 0x82, 1, PACKED_1}, 17, 1, 1, 0.99, 1, 1, 0},
        {{TWO, 0x82, 7, 0x82, 0, PACKED_1}, 17, 1, 1, 0, 0.99, 0, 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct seen seen = {.n = 0};
        const struct report_window *window = &seen.last.window;
        const char *why;
        assert_int_equal(decode(rows[i].bytes, rows[i].len, &seen, &why), 0);
        assert_true(window->has_moments && !window->has_totals);
        assert_int_equal(window->window_ms, 7);
        assert_int_equal(window->count, rows[i].count);
        assert_int_equal(seen.histogram_count, rows[i].histogram_count);
        assert_true(window->min == rows[i].min && window->max == rows[i].max);
        assert_true(window->mean == rows[i].mean && window->m2 == rows[i].m2);
    }
}

/* Values, a window of a few buckets, and the parts of a large one. */
static struct report_ring some_blocks(void)
{
    struct report_ring ring;
    struct statistics_window window = {.count = 0};
    double sum = 0;
    assert_int_equal(report_open(&ring, 7, 100, REPORT_BLOCK_MIN), 0);
    for (int i = 0; i < 200; i++) {
        const struct result value = {RESULT_VALID, i};
        if (i % 50 == 0)
            assert_int_equal(report_add(&ring, 1, i, &value), 0);
        const double of_window = (i % 2 ? 1 : -1) * exp2(i / 5.0 - 20);
        assert_int_equal(statistics_window_add(&window, of_window), 0);
        if (i == 5 || i == 199)
            assert_int_equal(report_add_window(&ring, 2, i - 10, 60000, &window), 0);
        if (i == 5)
            assert_int_equal(report_add_moments(&ring, 4, i - 10, 60000, &window), 0);
        sum += of_window;
        const struct report_totals totals = {sum, 1000, 70000};
        if (i == 3 || i == 199)
            assert_int_equal(report_add_aggregate(&ring, 3, i, 5000, &window, &totals), 0);
    }
    assert_int_equal(report_flush(&ring), 0);
    assert_true(ring.last >= 3);
    statistics_window_release(&window);
    return ring;
}

static void test_every_truncation_is_rejected(void **unused)
{
    (void)unused;
    struct report_ring ring = some_blocks();
    size_t windows = 0, moments = 0;
    for (struct index_node *i = index_first(&ring.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        struct seen seen = {.n = 0};
        const char *why;
        for (size_t len = 0; len < block->len; len++)
            assert_int_equal(decode(block->bytes, len, &seen, &why), EBADMSG);
        assert_int_equal(decode(block->bytes, block->len, &seen, &why), 0);
        windows += seen.windows;
        moments += seen.moments;
    }
    assert_true(windows > 2);
    assert_int_equal(moments, 5);
    report_close(&ring);
}

static void test_every_single_octet_mutation(void **unused)
{
    (void)unused;
    struct report_ring ring = some_blocks();
    for (struct index_node *i = index_first(&ring.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        struct seen seen = {.n = 0};
        const char *why;
        uint8_t bytes[REPORT_BLOCK_MIN];
        memcpy(bytes, block->bytes, block->len);
        for (size_t at = 0; at < block->len; at++) {
            for (int octet = 0; octet < 256; octet++) {
                bytes[at] = (uint8_t)octet;
                decode(bytes, block->len, &seen, &why);
            }
            bytes[at] = block->bytes[at];
        }
    }
    report_close(&ring);
}

static void test_random_damage(void **unused)
{
    (void)unused;
    struct report_ring ring = some_blocks();
    uint64_t random = 141421356237309;
    for (struct index_node *i = index_first(&ring.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        for (int round = 0; round < 5000; round++) {
            struct seen seen = {.n = 0};
            const char *why;
            uint8_t bytes[REPORT_BLOCK_MIN];
            memcpy(bytes, block->bytes, block->len);
            for (int n = round % 6; n >= 0; n--) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
                bytes[(random >> 40) % block->len] = (uint8_t)(random >> 32);
            }
            decode(bytes, block->len, &seen, &why);
        }
    }
    report_close(&ring);
}

/* As many histograms as a block can claim, each over the whole range of buckets. */
static void test_the_largest_histograms(void **unused)
{
    (void)unused;
    static const uint8_t entry[] = {0x83, 0,    0,    0x82, 1,    0x84, 1,    0, 0x84,
                                    0x39, 0x04, 0x0b, 1,    0x39, 0x0c, 0x23, 1, 0x84,
                                    0x39, 0x04, 0x0b, 1,    0x39, 0x0c, 0x23, 1};
    static const uint8_t head[] = {HEAD, 0x98, 157};
    uint8_t *bytes = malloc(REPORT_BLOCK_MAX);
    assert_non_null(bytes);
    size_t len = sizeof head;
    memcpy(bytes, head, len);
    for (int i = 0; i < 157; i++, len += sizeof entry)
        memcpy(bytes + len, entry, sizeof entry);
    assert_in_range(len, REPORT_BLOCK_MAX - sizeof entry, REPORT_BLOCK_MAX);
    struct seen seen = {.n = 0};
    const char *why;
    assert_int_equal(decode(bytes, len, &seen, &why), 0);
    assert_int_equal(seen.windows, 157);
    assert_int_equal(seen.histogram_count, 4);
    free(bytes);
}

static struct report_window part_of(const struct statistics_window *window, bool has_moments)
{
    return (struct report_window){.window_ms = 60000,
                                  .has_moments = has_moments,
                                  .count = window->count,
                                  .min = window->min,
                                  .max = window->max,
                                  .mean = window->mean,
                                  .m2 = window->m2,
                                  .histogram = &window->histogram};
}

static void test_merge(void **unused)
{
    (void)unused;
    struct statistics_window a = {.count = 0}, b = {.count = 0}, both = {.count = 0};
    struct statistics_window into = {.count = 0};
    for (int i = -50; i < 150; i++) {
        assert_int_equal(statistics_window_add(i % 3 ? &a : &b, i * 0.7), 0);
        assert_int_equal(statistics_window_add(&both, i * 0.7), 0);
    }
    struct report_window first = part_of(&a, true), second = part_of(&b, true);
    assert_int_equal(report_window_merge(&into, &first), 0);
    assert_int_equal(report_window_merge(&into, &second), 0);
    assert_int_equal(into.count, 200);
    assert_true(histogram_equal(&into.histogram, &both.histogram));
    assert_true(into.min == both.min && into.max == both.max);
    assert_true(fabs(into.mean - both.mean) < 1e-12 && fabs(into.m2 - both.m2) < 1e-9);
    struct statistics_window before = into;
    struct report_window more = part_of(&b, false);
    assert_int_equal(report_window_merge(&into, &more), 0);
    assert_int_equal(into.histogram.count, 200 + b.count);
    assert_int_equal(into.count, before.count);
    assert_true(into.mean == before.mean && into.m2 == before.m2);
    statistics_window_release(&a);
    statistics_window_release(&b);
    statistics_window_release(&both);
    statistics_window_release(&into);
}

static void test_merge_does_not_overflow(void **unused)
{
    (void)unused;
    struct statistics_window window = {.count = 0}, into = {.count = 0};
    assert_int_equal(statistics_window_add(&window, 1), 0);
    struct report_window part = part_of(&window, true);
    part.count = UINT64_MAX;
    assert_int_equal(report_window_merge(&into, &part), 0);
    part.count = 1;
    assert_int_equal(report_window_merge(&into, &part), EOVERFLOW);
    assert_true(into.count == UINT64_MAX);
    assert_int_equal(into.histogram.count, 1);
    window.histogram.positive.counts[0 - window.histogram.positive.base] = UINT32_MAX;
    window.histogram.count = UINT32_MAX;
    part.has_moments = false;
    assert_int_equal(report_window_merge(&into, &part), EOVERFLOW);
    assert_int_equal(into.histogram.count, 1);
    statistics_window_release(&window);
    statistics_window_release(&into);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crafted),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_members_of_short_forms),
        cmocka_unit_test(test_every_truncation_is_rejected),
        cmocka_unit_test(test_every_single_octet_mutation),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_the_largest_histograms),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
