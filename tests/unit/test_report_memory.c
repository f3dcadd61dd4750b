#include <stdlib.h>
#include <string.h>

/* How many more allocations succeed. */
static int allowed;

/* The sizes that were asked for, each once. */
static size_t sizes[64];
static size_t n_sizes;

static void note_size(size_t size)
{
    size_t i = 0;
    while (i < n_sizes && sizes[i] != size)
        i++;
    if (i == n_sizes && n_sizes < sizeof sizes / sizeof *sizes)
        sizes[n_sizes++] = size;
}

static void *scarce_calloc(size_t n, size_t size)
{
    note_size(n * size);
    return allowed-- > 0 ? calloc(n, size) : NULL;
}

static void *scarce_malloc(size_t size)
{
    return scarce_calloc(1, size);
}

static void *scarce_realloc(void *memory, size_t size)
{
    note_size(size);
    return allowed-- > 0 ? realloc(memory, size) : NULL;
}

/* The files themselves, so that what they allocate can fail, and nothing else. Before cmocka, which
 * has a macro fail(). */
#define malloc scarce_malloc
#define calloc scarce_calloc
#define realloc scarce_realloc
#include "base/pool.c"
#include "calculate/histogram.c"
#include "report/block.c"
#include "report/report.c"
#include "report/store.c"
#undef malloc
#undef calloc
#undef realloc

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define PLENTY 1000000

static void fill(struct report_ring *ring, int values)
{
    const struct result value = {RESULT_VALID, 0.5};
    allowed = PLENTY;
    assert_int_equal(report_open(ring, 1, 100, REPORT_BLOCK_MIN), 0);
    for (int i = 0; i < values; i++)
        assert_int_equal(report_add(ring, 1, 1000 + i, &value), 0);
}

static void add_buckets(struct statistics_window *window, int n)
{
    allowed = PLENTY;
    for (int i = 0; i < n; i++)
        assert_int_equal(statistics_window_add(window, histogram_value(3 * i - 1000)), 0);
}

static void assert_same_ring(struct report_ring *a, struct report_ring *b)
{
    allowed = PLENTY;
    assert_int_equal(report_flush(a), 0);
    assert_int_equal(report_flush(b), 0);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->bytes, b->bytes);
    struct index_node *j = index_first(&b->index);
    for (struct index_node *i = index_first(&a->index); i; i = index_next(i), j = index_next(j)) {
        const struct report_block *x = (struct report_block *)i, *y = (struct report_block *)j;
        assert_int_equal(x->wall_ms, y->wall_ms);
        assert_int_equal(x->entries, y->entries);
        assert_int_equal(x->len, y->len);
        assert_memory_equal(x->bytes, y->bytes, x->len);
    }
    assert_null(j);
}

/* Adds the window where that many allocations succeed. True: it was added; else the ring must be
 * as if nothing had been tried, also for what comes later. */
static bool add_with(const struct statistics_window *window, int values, int allocations)
{
    struct report_ring ring, other;
    const struct result later = {RESULT_VALID, 7};
    fill(&ring, values);
    fill(&other, values);
    uint32_t last = ring.last;
    allowed = allocations;
    int error = report_add_window(&ring, 2, 5, 60000, window);
    if (error) {
        assert_int_equal(error, ENOMEM);
        assert_int_equal(ring.last, last);
        allowed = PLENTY;
        assert_int_equal(report_add(&ring, 3, 999, &later), 0);
        assert_int_equal(report_add(&other, 3, 999, &later), 0);
        assert_same_ring(&ring, &other);
    }
    report_close(&ring);
    report_close(&other);
    return !error;
}

static void test_all_or_nothing(void **unused)
{
    (void)unused;
    static const struct {
        int values, buckets;
        int allocations; /* for blocks, two for the first of all; in the last row, of three blocks
                          * the first have room yet */
    } rows[] = {{0, 10, 0},  {1, 10, 0},   {33, 10, 2},  {36, 10, 0},   {0, 500, 2},
                {1, 500, 2}, {0, 1000, 2}, {7, 1000, 2}, {40, 1000, 0}, {2419, 1000, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct statistics_window window = {.count = 0};
        int allocations = 0;
        add_buckets(&window, rows[i].buckets);
        while (!add_with(&window, rows[i].values, allocations))
            allocations++;
        assert_int_equal(allocations, rows[i].allocations);
        statistics_window_release(&window);
    }
}

static int count(void *context, const struct report_entry *entry)
{
    int *n = context;
    assert_true(entry->kind == REPORT_VALUE || entry->window.histogram->count > 0);
    ++*n;
    return 0;
}

static void test_decoding(void **unused)
{
    (void)unused;
    struct report_ring ring;
    struct statistics_window window = {.count = 0};
    fill(&ring, 1);
    for (int i = 1; i <= 3; i++) {
        add_buckets(&window, i);
        assert_int_equal(report_add_window(&ring, 1, 0, 1, &window), 0);
    }
    assert_int_equal(report_flush(&ring), 0);
    assert_int_equal(ring.last, 1);
    const struct report_block *block = (struct report_block *)index_first(&ring.index);
    for (int allocations = 0; allocations <= 4; allocations++) {
        struct report_header header = {9, 9, 9, 9};
        const char *why = NULL;
        int n = 0;
        allowed = allocations;
        int error = report_decode(block->bytes, block->len, &header, count, &n, &why);
        assert_int_equal(error, allocations < 4 ? ENOMEM : 0);
        assert_int_equal(n, error ? 0 : 4);
        assert_int_equal(header.version, error ? 9 : 2);
        assert_int_equal(!why, !error);
    }
    statistics_window_release(&window);
    report_close(&ring);
}

static void test_merging(void **unused)
{
    (void)unused;
    struct statistics_window window = {.count = 0}, into = {.count = 0};
    add_buckets(&window, 3);
    for (int i = 0; i < 2; i++) {
        const struct report_window part = {.window_ms = 1,
                                           .has_moments = i,
                                           .count = 3,
                                           .min = window.min,
                                           .max = window.max,
                                           .mean = window.mean,
                                           .m2 = window.m2,
                                           .histogram = &window.histogram};
        allowed = 0;
        assert_int_equal(report_window_merge(&into, &part), ENOMEM);
        assert_int_equal(into.count, 0);
        assert_int_equal(into.histogram.count, 0);
    }
    statistics_window_release(&window);
    statistics_window_release(&into);
}

static void add_block(struct report_ring *ring, int entries)
{
    const struct result value = {RESULT_VALID, entries + 0.5};
    for (int i = 0; i < entries; i++)
        assert_int_equal(report_add(ring, 1, 1000, &value), 0);
    assert_int_equal(report_flush(ring), 0);
}

static int has_its_length(void *context, const struct report_entry *entry)
{
    assert_true(entry->result.value == *(uint32_t *)context + 0.5);
    return 0;
}

static void check_blocks(const struct report_ring *ring)
{
    for (struct index_node *node = index_first(&ring->index); node; node = index_next(node)) {
        struct report_block *block = (struct report_block *)node;
        struct report_header header;
        const char *why = NULL;
        assert_int_equal(
            report_decode(block->bytes, block->len, &header, has_its_length, &block->entries, &why),
            0);
        assert_int_equal(header.sequence, block->sequence);
    }
}

/* A ring that has once been full of the longest blocks needs no more memory, whatever comes. */
static void test_a_full_ring_needs_no_more(void **unused)
{
    (void)unused;
    struct report_ring ring;
    const int longest = 14; /* entries in a block of this length */
    fill(&ring, 0);
    for (int i = 0; i < 300; i++)
        add_block(&ring, longest);
    assert_int_equal(ring.last, 300);
    assert_int_equal(ring.index.count, 100);
    unsigned random = 1;
    for (int i = 0; i < 3000; i++) {
        random = random * 1103515245 + 12345;
        allowed = 0;
        add_block(&ring, 1 + (int)((random >> 8) % (unsigned)longest));
        allowed = PLENTY;
        check_blocks(&ring);
    }
    report_close(&ring);
}

/* What malloc(3) keeps is so much for each size: histograms of any width have few. */
static void test_few_sizes(void **unused)
{
    (void)unused;
    n_sizes = 0;
    for (int n = 1; n < 300; n++) {
        struct histogram histogram = {0};
        assert_int_equal(histogram_add(&histogram, histogram_value(0)), 0);
        assert_int_equal(histogram_add(&histogram, histogram_value(n)), 0);
        histogram_release(&histogram);
    }
    assert_in_range(n_sizes, 2, 2 * 300 / 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_or_nothing), cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_merging),        cmocka_unit_test(test_a_full_ring_needs_no_more),
        cmocka_unit_test(test_few_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
