#include <errno.h>
#include <string.h>

#include "report/report.h"

#include "unit.h"

static const struct result one = {RESULT_VALID, 1};
/* Takes the most octets that a value can. */
static const struct result longest = {RESULT_VALID, 0.1};

static struct report_block *find(const struct report_ring *ring, uint32_t sequence)
{
    return (struct report_block *)index_find(&ring->index, &sequence, 1);
}

/* What must be so between any two calls. */
static void check_ring(const struct report_ring *ring, size_t block_bytes, uint32_t keep)
{
    uint32_t sequence = ring->first;
    uint64_t bytes = 0;
    assert_true(ring->index.count <= keep);
    assert_int_equal(ring->index.count, ring->last ? ring->last - ring->first + 1 : 0);
    for (struct index_node *node = index_first(&ring->index); node; node = index_next(node)) {
        struct report_block *block = (struct report_block *)node;
        assert_int_equal(block->sequence, sequence);
        assert_ptr_equal(find(ring, sequence), block);
        assert_in_range(block->len, 1, block_bytes);
        assert_true(block->entries > 0);
        bytes += block->len;
        sequence++;
    }
    assert_int_equal(ring->bytes, bytes);
}

struct expected {
    uint32_t series;
    uint32_t count;
    int64_t wall_ms; /* of every entry, or with step, of the first */
    int64_t step;
};

static int each_is_next(void *context, const struct report_entry *entry)
{
    struct expected *expected = context;
    assert_int_equal(entry->series, expected->series++);
    assert_int_equal(entry->wall_ms, expected->wall_ms);
    assert_int_equal(entry->kind, REPORT_VALUE);
    assert_int_equal(entry->result.state, RESULT_VALID);
    expected->wall_ms += expected->step;
    expected->count++;
    return 0;
}

static void decode(const struct report_block *block, struct report_header *header,
                   struct expected *expected)
{
    const char *why = NULL;
    uint32_t before = expected->count;
    if (report_decode(block->bytes, block->len, header, each_is_next, expected, &why) != 0)
        fail_msg("block %u: %s", block->sequence, why);
    assert_int_equal(header->version, 2);
    assert_int_equal(header->sequence, block->sequence);
    assert_int_equal(header->wall_ms, block->wall_ms);
    assert_int_equal(expected->count - before, block->entries);
}

static void test_open(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t keep;
        size_t block_bytes;
        int error;
    } rows[] = {{1, REPORT_BLOCK_MIN, 0},
                {UINT32_MAX, REPORT_BLOCK_MAX, 0},
                {0, REPORT_BLOCK_MIN, EINVAL},
                {1, REPORT_BLOCK_MIN - 1, EINVAL},
                {1, REPORT_BLOCK_MAX + 1, EINVAL},
                {1, 0, EINVAL},
                {1, SIZE_MAX, EINVAL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct report_ring ring;
        memset(&ring, 0xff, sizeof ring);
        assert_int_equal(report_open(&ring, 1, rows[i].keep, rows[i].block_bytes), rows[i].error);
        if (rows[i].error)
            continue;
        assert_int_equal(ring.first, 0);
        assert_int_equal(ring.last, 0);
        check_ring(&ring, REPORT_BLOCK_MAX, 1);
        report_close(&ring);
        report_close(&ring);
    }
}

static void test_nothing_makes_no_block(void **unused)
{
    (void)unused;
    struct report_ring ring;
    const struct result waiting = {RESULT_WAITING, 0};
    assert_int_equal(report_open(&ring, 1, 4, 256), 0);
    assert_int_equal(report_flush(&ring), 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(report_add(&ring, 1, 1, &waiting), 0);
    assert_int_equal(report_flush(&ring), 0);
    assert_int_equal(ring.last, 0);
    check_ring(&ring, 256, 4);
    report_close(&ring);
}

static void test_flush_numbers_without_holes(void **unused)
{
    (void)unused;
    struct report_ring ring;
    struct expected expected = {.series = 1, .wall_ms = 1000};
    assert_int_equal(report_open(&ring, 77, 3, 256), 0);
    for (uint32_t i = 1; i <= 10; i++) {
        struct report_header header;
        assert_int_equal(report_add(&ring, i, 1000, &one), 0);
        assert_int_equal(ring.last, i - 1);
        assert_int_equal(report_flush(&ring), 0);
        assert_int_equal(report_flush(&ring), 0);
        assert_int_equal(ring.last, i);
        assert_int_equal(ring.first, i < 3 ? 1 : i - 2);
        check_ring(&ring, 256, 3);
        assert_null(find(&ring, ring.first - 1));
        assert_null(find(&ring, ring.last + 1));
        decode(find(&ring, i), &header, &expected);
        assert_int_equal(header.boot, 77);
    }
    assert_int_equal(expected.count, 10);
    report_close(&ring);
}

static void test_keep_one(void **unused)
{
    (void)unused;
    struct report_ring ring;
    assert_int_equal(report_open(&ring, 1, 1, 256), 0);
    for (uint32_t i = 1; i <= 3; i++) {
        report_add(&ring, i, 0, &one);
        report_flush(&ring);
        assert_int_equal(ring.first, i);
        assert_int_equal(ring.last, i);
        check_ring(&ring, 256, 1);
    }
    report_close(&ring);
}

/* Entries of the greatest length, through blocks of each size: none is lost, none is in another
 * order, no block is too long, and none is left half empty. */
static void fill(size_t block_bytes)
{
    struct report_ring ring;
    struct expected expected = {.series = UINT32_MAX - 999, .wall_ms = INT64_MIN, .step = 70000};
    assert_int_equal(report_open(&ring, UINT32_MAX, 1000, block_bytes), 0);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(
            report_add(&ring, UINT32_MAX - 999 + i, INT64_MIN + 70000 * (int64_t)i, &longest), 0);
    assert_int_equal(report_flush(&ring), 0);
    check_ring(&ring, block_bytes, 1000);
    for (uint32_t i = 1; i <= ring.last; i++) {
        struct report_header header;
        struct report_block *block = find(&ring, i);
        assert_true(block->len + 46 > block_bytes || i == ring.last);
        assert_int_equal(block->wall_ms, expected.wall_ms);
        decode(block, &header, &expected);
    }
    assert_int_equal(expected.count, 1000);
    report_close(&ring);
}

static void test_full_drafts_become_blocks(void **unused)
{
    (void)unused;
    for (size_t block_bytes = REPORT_BLOCK_MIN; block_bytes < REPORT_BLOCK_MIN + 64; block_bytes++)
        fill(block_bytes);
    fill(1200);
    fill(REPORT_BLOCK_MAX);
}

static void test_time_that_dt_cannot_hold(void **unused)
{
    (void)unused;
    static const struct {
        int64_t first, second;
        uint32_t blocks;
    } rows[] = {
        {0, INT32_MAX, 1},
        {0, INT32_MAX + INT64_C(1), 2},
        {0, INT32_MIN, 1},
        {0, INT32_MIN - INT64_C(1), 2},
        {1700000000000, 1700000000000 - 3600000, 1},
        {INT64_MIN, INT64_MAX, 2},
        {INT64_MAX, INT64_MIN, 2},
        {INT64_MAX, INT64_MAX + (int64_t)INT32_MIN, 1},
        {-1, INT64_MAX, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct report_ring ring;
        struct report_header header;
        struct expected expected = {.series = 1, .wall_ms = rows[i].first};
        expected.step = rows[i].blocks == 1 ? rows[i].second - rows[i].first : 0;
        assert_int_equal(report_open(&ring, 1, 4, 256), 0);
        assert_int_equal(report_add(&ring, 1, rows[i].first, &one), 0);
        assert_int_equal(report_add(&ring, 2, rows[i].second, &one), 0);
        assert_int_equal(report_flush(&ring), 0);
        assert_int_equal(ring.last, rows[i].blocks);
        decode(find(&ring, 1), &header, &expected);
        if (rows[i].blocks == 2) {
            expected.wall_ms = rows[i].second;
            decode(find(&ring, 2), &header, &expected);
        }
        assert_int_equal(expected.count, 2);
        report_close(&ring);
    }
}

static void test_close_frees_the_draft(void **unused)
{
    (void)unused;
    struct report_ring ring;
    assert_int_equal(report_open(&ring, 1, 4, 256), 0);
    for (uint32_t i = 0; i < 30; i++)
        assert_int_equal(report_add(&ring, i, 0, &longest), 0);
    assert_true(ring.last > 0);
    report_close(&ring);
    assert_int_equal(ring.index.count, 0);
    assert_null(ring.draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_nothing_makes_no_block),
        cmocka_unit_test(test_flush_numbers_without_holes),
        cmocka_unit_test(test_keep_one),
        cmocka_unit_test(test_full_drafts_become_blocks),
        cmocka_unit_test(test_time_that_dt_cannot_hold),
        cmocka_unit_test(test_close_frees_the_draft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
