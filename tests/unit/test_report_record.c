/* Records of steps in blocks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#include "unit.h"

#define RECORDS_MAX 4000

struct seen {
    size_t n;
    struct report_entry entry[RECORDS_MAX];
};

static int see(void *context, const struct report_entry *entry)
{
    struct seen *seen = context;
    assert_true(seen->n < RECORDS_MAX);
    seen->entry[seen->n++] = *entry;
    return 0;
}

/* All blocks of the ring, in their order. */
static void decode_ring(struct report_ring *ring, struct seen *seen)
{
    struct report_header header;
    const char *why;
    assert_int_equal(report_flush(ring), 0);
    for (struct index_node *i = index_first(&ring->index); i; i = index_next(i)) {
        const struct report_block *block = (const struct report_block *)i;
        assert_int_equal(report_decode(block->bytes, block->len, &header, see, seen, &why), 0);
    }
}

static void check_record(const struct report_entry *entry, uint32_t series, int64_t wall_ms,
                         const struct report_record *wanted)
{
    const struct report_record *is = &entry->record;
    assert_int_equal(entry->kind, REPORT_RECORD);
    assert_int_equal(entry->series, series);
    assert_int_equal(entry->wall_ms, wall_ms);
    assert_int_equal(is->start_ns, wanted->start_ns);
    assert_int_equal(is->duration_ns, wanted->duration_ns);
    assert_int_equal(is->sequence, wanted->sequence);
    assert_int_equal(is->result, wanted->result);
    assert_int_equal(is->has_cpu, wanted->has_cpu);
    assert_int_equal(is->cpu_ns, wanted->has_cpu ? wanted->cpu_ns : 0);
    assert_int_equal(is->has_allocated, wanted->has_allocated);
    assert_int_equal(is->allocated, wanted->has_allocated ? wanted->allocated : 0);
    assert_int_equal(is->node_len, wanted->node_len);
}

/* -- Encoding ---------------------------------------------------------------------------------- */

/* By hand, from RFC 8949: two records of series 5, the second 12 ms later. */
static const uint8_t known[] = {
    0x85, 0x02, 0x07, 0x01, 0x1b, 0x00, 0x00, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x00, 0x82,
    0x83, 0x05, 0x00, 0x84, 0x1b, 0x17, 0x97, 0x9c, 0xfe, 0x36, 0x2a, 0x00, 0x00, /* start */
    0x1a, 0x00, 0x0f, 0x42, 0x40, 0x19, 0x12, 0x67, 0x00,       /* duration, sequence */
    0x83, 0x00, 0x0c, 0x85, 0x00, 0x18, 0x18, 0x00, 0x38, 0x63, /* result -100 */
    0x82, 0x19, 0x03, 0xe8, 0xf6,                               /* cpu, nothing allocated */
};

static const struct report_record plain = {
    .start_ns = UINT64_C(1700000000000000000),
    .duration_ns = 1000000,
    .sequence = 4711,
};
static const struct report_record with_cpu = {
    .duration_ns = 24, .result = -100, .has_cpu = true, .cpu_ns = 1000};

static void is_encoded_as_documented(void **state)
{
    (void)state;
    struct report_ring ring;
    struct seen *seen = calloc(1, sizeof *seen);
    assert_int_equal(report_open(&ring, 7, 16, REPORT_BLOCK_MAX), 0);
    assert_int_equal(report_add_record(&ring, 5, 1700000000000, &plain), 0);
    assert_int_equal(report_add_record(&ring, 5, 1700000000012, &with_cpu), 0);
    decode_ring(&ring, seen);
    const struct report_block *block =
        (const struct report_block *)index_find(&ring.index, &ring.last, 1);
    assert_int_equal(block->len, sizeof known);
    assert_memory_equal(block->bytes, known, sizeof known);
    assert_int_equal(seen->n, 2);
    check_record(&seen->entry[0], 5, 1700000000000, &plain);
    check_record(&seen->entry[1], 5, 1700000000012, &with_cpu);
    report_close(&ring);
    free(seen);
}

/* By hand as well: of a node below, whose CPU time is not known. */
static const uint8_t known_node[] = {
    0x85, 0x02, 0x07, 0x01, 0x1b, 0x00, 0x00, 0x01, 0x8b, 0xcf, 0xe5, 0x68,
    0x00, 0x81, 0x83, 0x05, 0x00, 0x85, 0x00, 0x18, 0x18, 0x01, 0x00, /* start, duration, sequence,
                                                                         result */
    0x83, 0xf6, 0xf6, 0x66, 'c',  '1',  '/',  'n',  '1',  '2',        /* its node */
};

static void has_the_node_that_it_is_of(void **state)
{
    (void)state;
    struct report_ring ring;
    struct seen *seen = calloc(1, sizeof *seen);
    const struct report_record below = {
        .duration_ns = 24, .sequence = 1, .node = "c1/n12 and more", .node_len = 6};
    assert_int_equal(report_open(&ring, 7, 16, REPORT_BLOCK_MAX), 0);
    assert_int_equal(report_add_record(&ring, 5, 1700000000000, &below), 0);
    decode_ring(&ring, seen);
    const struct report_block *block =
        (const struct report_block *)index_find(&ring.index, &ring.last, 1);
    assert_int_equal(block->len, sizeof known_node);
    assert_memory_equal(block->bytes, known_node, sizeof known_node);
    assert_int_equal(seen->n, 1);
    check_record(&seen->entry[0], 5, 1700000000000, &below);
    assert_memory_equal(seen->entry[0].record.node, "c1/n12", 6);
    report_close(&ring);
    free(seen);
}

/* The longest one there can be, in the smallest blocks and at each place in them. */
static void nodes_of_any_length(void **state)
{
    (void)state;
    struct report_ring ring;
    struct seen *seen = calloc(1, sizeof *seen);
    char node[ALARM_PATH_SIZE];
    memset(node, 'n', sizeof node);
    assert_int_equal(report_open(&ring, 1, 10000, REPORT_BLOCK_MIN), 0);
    for (size_t len = 0; len < ALARM_PATH_SIZE; len++) {
        const struct report_record record = {.start_ns = UINT64_MAX,
                                             .duration_ns = UINT64_MAX,
                                             .sequence = UINT64_MAX,
                                             .result = INT32_MIN,
                                             .has_cpu = true,
                                             .cpu_ns = UINT64_MAX,
                                             .has_allocated = true,
                                             .allocated = UINT64_MAX,
                                             .node = node,
                                             .node_len = len};
        for (int i = 0; i < 3; i++)
            assert_int_equal(report_add_record(&ring, UINT32_MAX, INT64_MAX - i, &record), 0);
    }
    decode_ring(&ring, seen);
    assert_int_equal(seen->n, 3 * ALARM_PATH_SIZE);
    for (size_t i = 0; i < seen->n; i++) {
        assert_int_equal(seen->entry[i].record.node_len, i / 3);
        assert_int_equal(seen->entry[i].record.allocated, UINT64_MAX);
    }
    report_close(&ring);
    free(seen);
}

/* Whatever a program says, in the smallest blocks, beside values. */
static void any_record_comes_back(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 1, 23, 24, UINT32_MAX, UINT64_MAX};
    static const int32_t results[] = {0, 1, -1, INT32_MIN, INT32_MAX};
    struct report_ring ring;
    struct seen *seen = calloc(1, sizeof *seen);
    struct report_record wanted[N_OF(numbers) * N_OF(numbers) * N_OF(results) * 4];
    size_t n = 0;
    assert_int_equal(report_open(&ring, 1, 10000, REPORT_BLOCK_MIN), 0);
    for (size_t i = 0; i < N_OF(wanted); i++) {
        uint64_t one = numbers[i % N_OF(numbers)];
        uint64_t other = numbers[i / N_OF(numbers) % N_OF(numbers)];
        wanted[n] = (struct report_record){.start_ns = one,
                                           .duration_ns = other,
                                           .sequence = one,
                                           .result = results[i % N_OF(results)],
                                           .has_cpu = i & 1,
                                           .cpu_ns = other,
                                           .has_allocated = i & 2,
                                           .allocated = one};
        uint32_t series = i % 3 ? UINT32_MAX : 1;
        assert_int_equal(report_add_record(&ring, series, INT64_MIN + (int64_t)i, &wanted[n++]), 0);
    }
    decode_ring(&ring, seen);
    assert_int_equal(seen->n, n);
    for (size_t i = 0; i < n; i++)
        check_record(&seen->entry[i], i % 3 ? UINT32_MAX : 1, INT64_MIN + (int64_t)i, &wanted[i]);
    report_close(&ring);
    free(seen);
}

/* Of its start, which a program says, nothing depends: a record is no reason for a block. */
static void a_strange_start_makes_no_block(void **state)
{
    (void)state;
    struct report_ring ring;
    assert_int_equal(report_open(&ring, 1, 16, REPORT_BLOCK_MAX), 0);
    for (unsigned i = 0; i < 50; i++) {
        const struct report_record record = {.start_ns = i % 2 ? UINT64_MAX : 0};
        assert_int_equal(report_add_record(&ring, 1, 1700000000000, &record), 0);
    }
    assert_int_equal(ring.last, 0);
    assert_int_equal(report_add_record(&ring, 1, 0, &plain), 0);
    assert_int_equal(ring.last, 1);
    report_close(&ring);
}

/* -- Decoding ---------------------------------------------------------------------------------- */

#define ONE 0x85, 1, 1, 1, 0, 0x81, 0x83, 0, 0 /* one entry, of series 0 at time 0 */
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define FF4 0xff, 0xff, 0xff, 0xff

static const struct {
    const char *name;
    const uint8_t *bytes;
    size_t len;
    const char *why; /* a part of the reason; NULL: valid */
} crafted[] = {
    {"the least", BYTES(ONE, 0x84, 0, 0, 0, 0), NULL},
    {"all of it", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x82, 0, 0), NULL},
    {"no cpu", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x82, 0xf6, 0), NULL},
    {"longer numbers", BYTES(ONE, 0x84, 0x18, 0, 0x19, 0, 0, 0x1a, 0, 0, 0, 0, 0x18, 0), NULL},
    {"nothing known", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x82, 0xf6, 0xf6), "nothing that is known"},
    {"a negative start", BYTES(ONE, 0x84, 0x20, 0, 0, 0), "not a number"},
    {"a duration that is null", BYTES(ONE, 0x84, 0, 0xf6, 0, 0), "not a number"},
    {"a sequence that is a double", BYTES(ONE, 0x84, 0, 0, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0, 0),
     "not a number"},
    {"a result of 2^31", BYTES(ONE, 0x84, 0, 0, 0, 0x1a, 0x80, 0, 0, 0), "32-bit integer"},
    {"a result of -2^31 - 1", BYTES(ONE, 0x84, 0, 0, 0, 0x3a, 0x80, 0, 0, 0), "32-bit integer"},
    {"a result of 2^64 - 1", BYTES(ONE, 0x84, 0, 0, 0, 0x1b, FF4, FF4), "32-bit integer"},
    {"a result that is a text", BYTES(ONE, 0x84, 0, 0, 0, 0x60), "32-bit integer"},
    {"a negative cpu", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x82, 0x20, 0), "has used"},
    {"an array allocated", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x82, 0, 0x80), "has used"},
    {"more than four", BYTES(ONE, 0x84, 0, 0, 0, 0, 0), "after the block"},
    {"three", BYTES(ONE, 0x83, 0, 0, 0), "of 1 to as many"},
    {"a number that was used", BYTES(ONE, 0x85, 0, 0, 0, 0, 0), "an array of two"},
    {"one that was used", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x81, 0), "an array of two"},
    {"four that were used", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x84, 0, 0, 0x61, 'n', 0),
     "an array of two"},
    {"a node", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x83, 0xf6, 0, 0x61, 'n'), NULL},
    {"a node, and nothing else known", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x83, 0xf6, 0xf6, 0x61, 'n'),
     NULL},
    {"a node that is a number", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x83, 0, 0, 0), "name of one"},
    {"an empty node", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x83, 0, 0, 0x60), "name of one"},
    {"a node that cannot be printed", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x83, 0, 0, 0x62, 'n', 7),
     "name of one"},
    {"a node of octets", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x83, 0, 0, 0x41, 'n'), "name of one"},
    {"a node that is cut short", BYTES(ONE, 0x85, 0, 0, 0, 0, 0x83, 0, 0, 0x62, 'n'),
     "name of one"},
};

static void check_decoding(const uint8_t *bytes, size_t len, const char *name, const char *wanted)
{
    struct report_header header;
    struct seen *seen = calloc(1, sizeof *seen);
    const char *why = NULL;
    uint8_t *copy = malloc(len);
    memcpy(copy, bytes, len);
    int error = report_decode(copy, len, &header, see, seen, &why);
    if (error != (wanted ? EBADMSG : 0) || seen->n != (wanted ? 0 : 1) ||
        (wanted && !strstr(why, wanted)))
        fail_msg("%s: %s", name, why ? why : "is valid");
    free(copy);
    free(seen);
}

static void what_is_no_record_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(crafted); i++)
        check_decoding(crafted[i].bytes, crafted[i].len, crafted[i].name, crafted[i].why);
}

static void what_is_cut_short_is_refused(void **state)
{
    (void)state;
    struct report_header header;
    struct seen *seen = calloc(1, sizeof *seen);
    const char *why;
    for (size_t len = 0; len < sizeof known; len++) {
        uint8_t *copy = malloc(len ? len : 1);
        memcpy(copy, known, len);
        assert_int_equal(report_decode(copy, len, &header, see, seen, &why), EBADMSG);
        free(copy);
    }
    assert_int_equal(seen->n, 0);
    free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_encoded_as_documented),
        cmocka_unit_test(has_the_node_that_it_is_of),
        cmocka_unit_test(nodes_of_any_length),
        cmocka_unit_test(any_record_comes_back),
        cmocka_unit_test(a_strange_start_makes_no_block),
        cmocka_unit_test(what_is_no_record_is_refused),
        cmocka_unit_test(what_is_cut_short_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
