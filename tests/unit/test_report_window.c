#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/histogram_packed.h"
#include "report/report.h"

#include "unit.h"

#define WALL INT64_C(1700000000000)
#define MINUTE 60000
#define BUCKETS (HISTOGRAM_LAST - HISTOGRAM_FIRST + 1)

/* What a parent gathers of one window. */
struct gathered {
    uint32_t series, window_ms;
    int64_t wall_ms;
    uint32_t parts;
    struct statistics_window window;
};

static int gather(void *context, const struct report_entry *entry)
{
    struct gathered *to = context;
    assert_int_equal(entry->kind, REPORT_WINDOW);
    assert_int_equal(entry->window.has_moments, to->parts == 0);
    if (to->parts == 0) {
        to->series = entry->series;
        to->wall_ms = entry->wall_ms;
        to->window_ms = entry->window.window_ms;
    }
    assert_int_equal(entry->series, to->series);
    assert_int_equal(entry->wall_ms, to->wall_ms);
    assert_int_equal(entry->window.window_ms, to->window_ms);
    assert_true(entry->window.histogram->count > 0);
    assert_int_equal(report_window_merge(&to->window, &entry->window), 0);
    to->parts++;
    return 0;
}

static struct report_block *find(const struct report_ring *ring, uint32_t sequence)
{
    return (struct report_block *)index_find(&ring->index, &sequence, 1);
}

/* Calls each with the entries of all blocks, from copies that end where their memory ends. */
static void decode_all(const struct report_ring *ring, report_entry_fn *each, void *context)
{
    for (uint32_t i = ring->first; i && i <= ring->last; i++) {
        const struct report_block *block = find(ring, i);
        struct report_header header;
        const char *why = "";
        uint8_t *copy = malloc(block->len);
        assert_non_null(copy);
        memcpy(copy, block->bytes, block->len);
        if (report_decode(copy, block->len, &header, each, context, &why) != 0)
            fail_msg("block %u: %s", i, why);
        assert_int_equal(header.sequence, i);
        assert_int_equal(header.wall_ms, block->wall_ms);
        free(copy);
    }
}

/* Moments travel as they are, and adding to an empty window changes none. */
static void assert_same_window(const struct statistics_window *a, const struct statistics_window *b)
{
    assert_int_equal(a->count, b->count);
    assert_true(a->min == b->min && a->max == b->max);
    assert_true(a->mean == b->mean && a->m2 == b->m2);
    assert_true(histogram_equal(&a->histogram, &b->histogram));
}

static struct report_ring ring_of(size_t block_bytes)
{
    struct report_ring ring;
    assert_int_equal(report_open(&ring, 7, 100000, block_bytes), 0);
    return ring;
}

static void assert_block_sizes(const struct report_ring *ring, size_t block_bytes)
{
    for (uint32_t i = ring->first; i && i <= ring->last; i++)
        assert_in_range(find(ring, i)->len, 1, block_bytes);
}

/* Sends the window through blocks of that size; returns how many blocks it took. */
static uint32_t round_trip(const struct statistics_window *window, size_t block_bytes)
{
    struct report_ring ring = ring_of(block_bytes);
    struct gathered got = {.parts = 0};
    assert_int_equal(report_add_window(&ring, UINT32_MAX, WALL, UINT32_MAX, window), 0);
    assert_int_equal(report_flush(&ring), 0);
    assert_block_sizes(&ring, block_bytes);
    decode_all(&ring, gather, &got);
    assert_int_equal(got.parts, ring.last);
    assert_int_equal(got.series, UINT32_MAX);
    assert_int_equal(got.window_ms, UINT32_MAX);
    assert_int_equal(got.wall_ms, WALL);
    assert_same_window(&got.window, window);
    statistics_window_release(&got.window);
    report_close(&ring);
    return got.parts;
}

/* Values and windows by turns, more than fit where no memory is asked for. */
#define MIXED 500

static int is_next(void *context, const struct report_entry *entry)
{
    uint32_t *next = context;
    bool is_window = *next % 3 == 0;
    assert_int_equal(entry->series, *next);
    assert_int_equal(entry->wall_ms, WALL + *next);
    assert_int_equal(entry->kind, is_window ? REPORT_WINDOW : REPORT_VALUE);
    if (is_window)
        assert_int_equal(entry->window.histogram->count, 2);
    else
        assert_true(entry->result.state == RESULT_VALID && entry->result.value == *next + 0.25);
    ++*next;
    return 0;
}

static void test_values_between_windows(void **unused)
{
    (void)unused;
    struct report_ring ring = ring_of(REPORT_BLOCK_MAX);
    uint32_t next = 1;
    for (uint32_t i = 1; i <= MIXED; i++) {
        struct statistics_window window = {.count = 0};
        const struct result value = {RESULT_VALID, i + 0.25};
        assert_int_equal(statistics_window_add(&window, i), 0);
        assert_int_equal(statistics_window_add(&window, i + 1), 0);
        assert_int_equal(i % 3 == 0 ? report_add_window(&ring, i, WALL + i, 1, &window)
                                    : report_add(&ring, i, WALL + i, &value),
                         0);
        statistics_window_release(&window);
    }
    assert_int_equal(report_flush(&ring), 0);
    assert_in_range(ring.last, 1, MIXED / 100);
    decode_all(&ring, is_next, &next);
    assert_int_equal(next, MIXED + 1);
    report_close(&ring);
}

static void add_all(struct statistics_window *window, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(statistics_window_add(window, values[i]), 0);
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static double uniform(uint64_t *random)
{
    return (double)(next_random(random) >> 11) / 9007199254740992.0;
}

/* The encoding by hand, from RFC 8949, section 3: the values 1 (bucket 0) and 3 (bucket 55). The
 * bits of their histogram: 1 (no zeros), 011 (two buckets), 0100 0000 1100 (bucket 0), 1 (once), 0
 * 0000 1101 11 (55 further on), 1 (once), 1 (none that is negative). */
static void test_known_octets(void **unused)
{
    (void)unused;
    static const uint8_t known[] = {
        0x85, 0x02, 0x07, 0x01, 0x1b, 0,    0,    0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x00, /* head */
        0x82,                                                                         /* entries */
        0x83, 0x05, 0x00, 0x87, 0x19, 0xea, 0x60, 0x02, 0x01, 0x03, 0x02, 0x02,       /* moments */
        0x44, 0xb4, 0x0c, 0x83, 0x7c,                                                 /* 1 and 3 */
        0x83, 0x01, 0x38, 0x63, 0x09, /* a value, 100 ms before */
    };
    struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
    struct statistics_window window = {.count = 0};
    add_all(&window, (const double[]){1, 3}, 2);
    assert_int_equal(report_add_window(&ring, 5, WALL, MINUTE, &window), 0);
    assert_int_equal(report_add(&ring, 6, WALL - 100, &(struct result){RESULT_VALID, 9}), 0);
    assert_int_equal(report_flush(&ring), 0);
    assert_int_equal(find(&ring, 1)->entries, 2);
    assert_int_equal(find(&ring, 1)->len, sizeof known);
    assert_memory_equal(find(&ring, 1)->bytes, known, sizeof known);
    statistics_window_release(&window);
    report_close(&ring);
}

static void test_shapes(void **unused)
{
    (void)unused;
    static const struct {
        double values[6];
        size_t n;
    } rows[] = {
        {{0}, 1},
        {{-0.0, 0, 1e-10, -1e-300}, 4},
        {{1}, 1},
        {{-1}, 1},
        {{42.5, 42.5, 42.5, 42.5, 42.5, 42.5}, 6},
        {{-42.5, -42.5, -42.5}, 3},
        {{0.1, 0.2, 0.3, 0.7}, 4},
        {{-0.1, -0.2, -0.3, -0.7}, 4},
        {{-3, -2, 0, 0, 2, 3}, 6},
        {{1e-9, -1e-9, 1e18, -1e18}, 4},
        {{1e140, -1e140}, 2},
        {{1e140, 1e140, 1e140}, 3},
        {{9007199254740992.0, 9007199254740994.0, -9007199254740993.0}, 3},
        {{1e9, 1e9 + 1e-7, 1e9 + 2e-7}, 3},
    };
    static const size_t sizes[] = {REPORT_BLOCK_MIN, 257, 1200, REPORT_BLOCK_MAX};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct statistics_window window = {.count = 0};
        add_all(&window, rows[i].values, rows[i].n);
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            assert_int_equal(round_trip(&window, sizes[k]), 1);
        statistics_window_release(&window);
    }
}

/* Octets of a block with nothing but the window. */
static size_t length_of(const struct statistics_window *window)
{
    struct report_ring ring = ring_of(REPORT_BLOCK_MAX);
    assert_int_equal(report_add_window(&ring, 1, WALL, MINUTE, window), 0);
    assert_int_equal(report_flush(&ring), 0);
    assert_int_equal(ring.last, 1);
    size_t len = ring.bytes;
    report_close(&ring);
    return len;
}

/* Sixty samples: the head of 14 octets, at most 43 for the moments, and for the histogram some bits
 * for each bucket that is not empty. Of equal values, one of them is enough. */
static void test_a_minute_is_small(void **unused)
{
    (void)unused;
    uint64_t random = 577215664901532;
    struct statistics_window constant = {.count = 0}, near = {.count = 0}, wide = {.count = 0};
    for (int i = 0; i < 60; i++) {
        statistics_window_add(&constant, 17);
        statistics_window_add(&near, 50 + 5 * uniform(&random));
        statistics_window_add(&wide, pow(10, 6 * uniform(&random)));
    }
    assert_int_equal(length_of(&constant), 26);
    assert_in_range(length_of(&near), 1, 75);
    assert_in_range(length_of(&wide), 1, 130);
    statistics_window_release(&constant);
    statistics_window_release(&near);
    statistics_window_release(&wide);
}

/* Events are counted in buckets, of which all but the mean follows. */
static void test_what_follows_is_left_out(void **unused)
{
    (void)unused;
    uint64_t random = 141421356237309;
    struct histogram events = {.count = 0};
    for (int n = 1; n <= 70; n++) {
        assert_int_equal(histogram_add(&events, -log(1 - uniform(&random)) / 20), 0);
        const struct statistics_window window = statistics_of_histogram(&events, 0.04 + n * 1e-4);
        assert_int_equal(round_trip(&window, REPORT_BLOCK_MIN), 1);
        /* The head, the entry with its mean, and the octets. */
        size_t packed = histogram_pack(&events, NULL, 0);
        assert_int_equal(length_of(&window), 14 + 8 + 9 + 1 + (packed >= 24) + packed);
    }
    assert_in_range(histogram_pack(&events, NULL, 0), 20, 50);
    histogram_release(&events);
}

/* The same moments to the last digit, or the whole is told. */
static void test_what_does_not_follow_is_told(void **unused)
{
    (void)unused;
    struct histogram events = {.count = 0};
    for (int i = 1; i <= 20; i++)
        assert_int_equal(histogram_add(&events, i * 1.1), 0);
    const struct statistics_window window = statistics_of_histogram(&events, 11.1);
    size_t least = length_of(&window);
    for (int i = 0; i < 5; i++) {
        struct statistics_window other = window;
        other.min -= i == 0 ? 1e-12 : 0;
        other.max += i == 1 ? 1e-12 : 0;
        other.m2 *= i == 2 ? 1 + 1e-8 : 1;
        other.m2 *= i == 3 ? 1 + 1e-12 : 1;
        other.count += i == 4;
        if (i != 3)
            assert_in_range(length_of(&other), least + 20, least + 40);
        else
            assert_int_equal(length_of(&other), least);
        if (i < 3)
            assert_int_equal(round_trip(&other, REPORT_BLOCK_MIN), 1);
    }
    histogram_release(&events);
}

/* Windows of all sizes after any number of values, which is what moves the place in the block. */
static void test_random_windows(void **unused)
{
    (void)unused;
    uint64_t random = 161803398874989;
    struct statistics_window window = {.count = 0};
    for (int round = 0; round < 400; round++) {
        statistics_window_reset(&window);
        double decades = 27 * uniform(&random), lowest = -9 + (27 - decades) * uniform(&random);
        double negative = round % 3 * 0.5, zero = round % 5 * 0.1;
        uint64_t n = 1 + next_random(&random) % (UINT64_C(2) << round % 11);
        for (uint64_t i = 0; i < n; i++) {
            double magnitude = pow(10, lowest + decades * uniform(&random));
            double value = uniform(&random) < negative ? -magnitude : magnitude;
            statistics_window_add(&window, uniform(&random) < zero ? 0 : value);
        }
        round_trip(&window, REPORT_BLOCK_MIN + next_random(&random) % 100);
        round_trip(&window, 1200);
    }
    statistics_window_release(&window);
}

static void test_a_million_values(void **unused)
{
    (void)unused;
    uint64_t random = 271828182845904;
    struct statistics_window window = {.count = 0};
    for (int i = 0; i < 1000000; i++) {
        double magnitude = exp2(-30 + 90 * uniform(&random));
        statistics_window_add(&window, i % 3 ? magnitude : -magnitude);
        if (i % 100 == 0)
            statistics_window_add(&window, 0);
    }
    assert_int_equal(window.count, 1010000);
    assert_in_range(round_trip(&window, REPORT_BLOCK_MIN), 40, 100);
    assert_in_range(round_trip(&window, 1200), 8, 14);
    assert_in_range(round_trip(&window, REPORT_BLOCK_MAX), 2, 4);
    statistics_window_release(&window);
}

/* Buckets at every step from the first to the last, each with that count. */
static void fill_buckets(struct statistics_window *window, int step, uint32_t count, uint32_t zero)
{
    struct histogram *histogram = &window->histogram;
    statistics_window_reset(window);
    histogram->zero = zero;
    histogram->count = zero;
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i += step) {
        assert_int_equal(histogram_side_add(&histogram->positive, i, count), 0);
        assert_int_equal(histogram_side_add(&histogram->negative, i, count), 0);
        histogram->count += 2 * (uint64_t)count;
    }
    window->count = histogram->count;
    window->min = -1e18;
    window->max = 1e18;
}

/* The longest numbers in all buckets, and the longest gaps; no block is left half empty. */
static void test_extreme_histograms(void **unused)
{
    (void)unused;
    static const int steps[] = {1, 2, 3, 25, 26, 300, BUCKETS - 1};
    static const uint32_t counts[] = {1, 24, 256, 65536, UINT32_MAX};
    struct statistics_window window = {.count = 0};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            fill_buckets(&window, steps[s], counts[c], counts[c] - 1);
            size_t whole = histogram_pack(&window.histogram, NULL, 0);
            uint32_t parts = round_trip(&window, REPORT_BLOCK_MIN);
            /* At most 47 octets are around the first part and 24 around another; a bucket that
             * did not fit any more has at most 11. */
            assert_in_range(parts, 1, 1 + whole / (REPORT_BLOCK_MIN - 26 - 24 - 11));
        }
    }
    statistics_window_release(&window);
}

/* Buckets one by one more, after values one by one more: the window lies in one block whenever an
 * empty one could hold it, and in the draft whenever that has room. */
static void test_only_what_does_not_fit_is_cut(void **unused)
{
    (void)unused;
    const struct result value = {RESULT_VALID, 1};
    struct statistics_window window = {.count = 0};
    for (int buckets = 1; buckets < 260; buckets++) {
        int bucket = HISTOGRAM_FIRST + 11 * buckets; /* the distance is an octet, but for a bit */
        assert_int_equal(statistics_window_add(&window, histogram_value(bucket)), 0);
        size_t len = length_of(&window), entry = len - 14; /* without the head */
        for (uint32_t before = 0; before < 54; before += buckets % 7 + 1) {
            struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
            for (uint32_t i = 0; i < before; i++)
                report_add(&ring, 1, WALL, &value);
            uint32_t last = ring.last;
            assert_int_equal(report_add_window(&ring, 1, WALL, MINUTE, &window), 0);
            const size_t room = REPORT_BLOCK_MIN - 26;
            bool in_draft = 4 * before + entry <= room;
            bool cut = entry > room;
            if (!cut)
                assert_int_equal(ring.last - last, !in_draft);
            else
                assert_true(ring.last - last == (before > 0) + entry / room);
            report_close(&ring);
        }
    }
    statistics_window_release(&window);
}

struct sequence {
    uint32_t values, windows;
};

static int each_in_turn(void *context, const struct report_entry *entry)
{
    struct sequence *sequence = context;
    if (entry->kind == REPORT_VALUE)
        assert_int_equal(entry->series, 100 + sequence->values++);
    else if (entry->window.has_moments)
        assert_int_equal(entry->series, sequence->windows++);
    else
        assert_int_equal(entry->series, sequence->windows - 1);
    assert_int_equal(entry->wall_ms, WALL - entry->series);
    return 0;
}

static void test_values_and_windows_take_turns(void **unused)
{
    (void)unused;
    struct statistics_window window = {.count = 0};
    struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
    for (uint32_t i = 0; i < 50; i++) {
        const struct result value = {RESULT_VALID, i + 0.5};
        assert_int_equal(report_add(&ring, 100 + i, WALL - 100 - i, &value), 0);
        for (uint32_t k = 0; k <= i; k++)
            statistics_window_add(&window, histogram_value((int)(i * k % 1000)));
        assert_int_equal(report_add_window(&ring, i, WALL - i, MINUTE, &window), 0);
    }
    assert_int_equal(report_flush(&ring), 0);
    assert_block_sizes(&ring, REPORT_BLOCK_MIN);
    struct sequence sequence = {0, 0};
    decode_all(&ring, each_in_turn, &sequence);
    assert_int_equal(sequence.values, 50);
    assert_int_equal(sequence.windows, 50);
    statistics_window_release(&window);
    report_close(&ring);
}

static int each_time(void *context, const struct report_entry *entry)
{
    int64_t **expected = context;
    assert_int_equal(entry->wall_ms, *(*expected)++);
    return 0;
}

static void test_times(void **unused)
{
    (void)unused;
    static const struct {
        int64_t times[2];
        uint32_t blocks;
    } rows[] = {
        {{WALL, WALL - 3600000}, 1},
        {{0, INT32_MAX}, 1},
        {{0, INT32_MIN}, 1},
        {{0, INT32_MAX + INT64_C(1)}, 2},
        {{0, INT32_MIN - INT64_C(1)}, 2},
        {{INT64_MIN, INT64_MAX}, 2},
        {{INT64_MAX, INT64_MIN}, 2},
    };
    struct statistics_window window = {.count = 0};
    add_all(&window, (const double[]){1, 2, 3}, 3);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
        for (int k = 0; k < 2; k++)
            assert_int_equal(report_add_window(&ring, 1, rows[i].times[k], 1, &window), 0);
        assert_int_equal(report_flush(&ring), 0);
        assert_int_equal(ring.last, rows[i].blocks);
        const int64_t *expected = rows[i].times;
        decode_all(&ring, each_time, &expected);
        assert_ptr_equal(expected, rows[i].times + 2);
        report_close(&ring);
    }
    statistics_window_release(&window);
}

/* A window without its histogram: the rest is the same, in six elements, whatever it had. */
static int each_without(void *context, const struct report_entry *entry)
{
    const struct statistics_window *window = context;
    struct statistics_window merged = {.count = 0};
    assert_int_equal(entry->kind, REPORT_WINDOW);
    assert_true(entry->window.has_moments && !entry->window.has_totals);
    assert_null(entry->window.histogram);
    assert_int_equal(entry->series, 9);
    assert_int_equal(entry->wall_ms, WALL);
    assert_int_equal(entry->window.window_ms, MINUTE);
    assert_int_equal(report_window_merge(&merged, &entry->window), 0);
    assert_int_equal(merged.histogram.count, 0);
    merged.histogram = window->histogram;
    assert_same_window(&merged, window);
    return 0;
}

static void test_without_a_histogram(void **unused)
{
    (void)unused;
    static const uint8_t known[] = {0x83, 9, 0, 0x86, 0x19, 0xea, 0x60, 3, 1, 3, 2, 2};
    struct statistics_window window = {.count = 0};
    add_all(&window, (const double[]){1, 2, 3}, 3);
    for (int i = 0; i < 2000; i++) {
        struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
        assert_int_equal(report_add_moments(&ring, 9, WALL, MINUTE, &window), 0);
        assert_int_equal(report_flush(&ring), 0);
        assert_int_equal(ring.last, 1);
        decode_all(&ring, each_without, &window);
        const struct report_block *block = find(&ring, 1);
        assert_true(i > 0 ||
                    memcmp(block->bytes + block->len - sizeof known, known, sizeof known) == 0);
        report_close(&ring);
        add_all(&window, (const double[]){histogram_value(i % 1000) * (i % 2 ? -1 : 1)}, 1);
    }
    struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
    assert_int_equal(report_add_moments(&ring, 9, WALL, 0, &window), EINVAL);
    window.m2 = -1;
    assert_int_equal(report_add_moments(&ring, 9, WALL, MINUTE, &window), EINVAL);
    assert_int_equal(
        report_add_moments(&ring, 9, WALL, MINUTE, &(struct statistics_window){.count = 0}), 0);
    assert_int_equal(report_flush(&ring), 0);
    assert_int_equal(ring.last, 0);
    statistics_window_release(&window);
    report_close(&ring);
}

static void test_no_values_are_no_entry(void **unused)
{
    (void)unused;
    struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
    struct statistics_window window = {.count = 0};
    add_all(&window, (const double[]){1, 2, 3}, 3);
    statistics_window_reset(&window);
    assert_int_equal(report_add_window(&ring, 1, WALL, MINUTE, &window), 0);
    assert_int_equal(report_add_window(&ring, 1, WALL, 0, &(struct statistics_window){.count = 0}),
                     0);
    assert_int_equal(report_flush(&ring), 0);
    assert_int_equal(ring.last, 0);
    statistics_window_release(&window);
    report_close(&ring);
}

/* What a parent would reject does not go into a block, where it would take all else with it. */
static void test_what_cannot_be_is_refused(void **unused)
{
    (void)unused;
    struct statistics_window good = {.count = 0}, rows[16];
    size_t n = 0;
    add_all(&good, (const double[]){1, 2, 3}, 3);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        rows[i] = good;
    rows[n++].count = 2;
    rows[n++].min = 3.5;
    rows[n++].min = NAN;
    rows[n++].min = -INFINITY;
    rows[n++].min = -2e140;
    rows[n++].max = NAN;
    rows[n++].max = INFINITY;
    rows[n++].max = 2e140;
    rows[n++].mean = NAN;
    rows[n++].mean = 3 * (1 + 2e-9);
    rows[n++].mean = 1 - 4e-9;
    rows[n++].m2 = NAN;
    rows[n++].m2 = -1e-300;
    rows[n++].m2 = INFINITY;
    rows[n++].m2 = 1e281;
    rows[n++].histogram = (struct histogram){.count = 0};
    struct report_ring ring = ring_of(REPORT_BLOCK_MIN);
    for (size_t i = 0; i < n; i++)
        if (report_add_window(&ring, 1, WALL, 1, &rows[i]) != EINVAL)
            fail_msg("row %zu was taken", i);
    assert_int_equal(report_add_window(&ring, 1, WALL, 0, &good), EINVAL);
    assert_int_equal(report_flush(&ring), 0);
    assert_int_equal(ring.last, 0);
    good.mean = 3 * (1 + 1e-10);
    good.count = UINT64_MAX;
    assert_int_equal(round_trip(&good, REPORT_BLOCK_MIN), 1);
    statistics_window_release(&good);
    report_close(&ring);
}

static void test_more_parts_than_blocks_are_kept(void **unused)
{
    (void)unused;
    struct report_ring ring;
    struct statistics_window window = {.count = 0};
    fill_buckets(&window, 1, 65536, 0);
    assert_int_equal(report_open(&ring, 1, 3, REPORT_BLOCK_MIN), 0);
    assert_int_equal(report_add_window(&ring, 1, WALL, MINUTE, &window), 0);
    assert_true(ring.last > 20);
    assert_int_equal(ring.first, ring.last - 2);
    assert_int_equal(ring.index.count, 3);
    assert_int_equal(ring.bytes, find(&ring, ring.first)->len + find(&ring, ring.first + 1)->len +
                                     find(&ring, ring.last)->len);
    report_close(&ring);
    statistics_window_release(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_between_windows),
        cmocka_unit_test(test_known_octets),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_a_minute_is_small),
        cmocka_unit_test(test_what_follows_is_left_out),
        cmocka_unit_test(test_what_does_not_follow_is_told),
        cmocka_unit_test(test_random_windows),
        cmocka_unit_test(test_a_million_values),
        cmocka_unit_test(test_extreme_histograms),
        cmocka_unit_test(test_only_what_does_not_fit_is_cut),
        cmocka_unit_test(test_values_and_windows_take_turns),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_without_a_histogram),
        cmocka_unit_test(test_no_values_are_no_entry),
        cmocka_unit_test(test_what_cannot_be_is_refused),
        cmocka_unit_test(test_more_parts_than_blocks_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
