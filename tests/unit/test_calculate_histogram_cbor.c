#include <cbor.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/item.h"
#include "calculate/histogram.h"
#include "calculate/histogram_cbor.h"

#include "unit.h"

#define ROOM 20000

/* -- What version 1 of the report blocks has written ----------------------------------------- */

struct writer {
    uint8_t *at;
    size_t room;
    size_t length; /* of what was to be written */
};

static void put_head(struct writer *writer, const uint8_t *head, size_t n)
{
    if (writer->length <= writer->room && n <= writer->room - writer->length)
        memcpy(writer->at + writer->length, head, n);
    writer->length += n;
}

static void put_int(struct writer *writer, int64_t number)
{
    uint8_t head[ITEM_HEAD_MAX];
    put_head(writer, head, item_put_int(head, sizeof head, number));
}

static void put_array(struct writer *writer, size_t length)
{
    uint8_t head[ITEM_HEAD_MAX];
    put_head(writer, head, cbor_encode_array_start(length, head, sizeof head));
}

/* Counts and gaps of a side that is not empty; returns how many elements they are. With writer
 * NULL it only counts them. */
static size_t put_counts(struct writer *writer, const struct histogram_side *side)
{
    size_t elements = 0;
    int64_t gap = 0;
    for (int i = side->low; i < side->end; i++) {
        uint32_t count = histogram_side_count(side, i);
        if (count == 0) {
            gap++;
            continue;
        }
        elements += gap > 0 ? 2 : 1;
        if (writer && gap > 0)
            put_int(writer, -gap);
        if (writer)
            put_int(writer, count);
        gap = 0;
    }
    return elements;
}

static void put_side(struct writer *writer, const struct histogram_side *side)
{
    if (side->low == side->end) {
        put_array(writer, 0);
        return;
    }
    put_array(writer, 1 + put_counts(NULL, side));
    put_int(writer, side->low);
    put_counts(writer, side);
}

static size_t histogram_encode(const struct histogram *histogram, uint8_t *bytes, size_t room)
{
    struct writer writer = {.at = bytes, .room = room};
    put_array(&writer, 4);
    put_int(&writer, HISTOGRAM_VERSION);
    put_int(&writer, histogram->zero);
    put_side(&writer, &histogram->positive);
    put_side(&writer, &histogram->negative);
    return writer.length;
}

/* -------------------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

struct golden {
    const char *name;
    struct {
        bool negative;
        int index;
        uint32_t n;
    } counts[4];
    uint32_t zero;
    size_t len;
    uint8_t bytes[24];
};

static const struct golden golden[] = {
    {"empty", {{0}}, 0, 5, {0x84, 0x01, 0x00, 0x80, 0x80}},
    {"a zero", {{0}}, 1, 5, {0x84, 0x01, 0x01, 0x80, 0x80}},
    {"most zeros", {{0}}, UINT32_MAX, 9, {0x84, 0x01, 0x1a, 0xff, 0xff, 0xff, 0xff, 0x80, 0x80}},
    {"bucket 0", {{false, 0, 1}}, 0, 7, {0x84, 0x01, 0x00, 0x82, 0x00, 0x01, 0x80}},
    {"negative value", {{true, 0, 1}}, 0, 7, {0x84, 0x01, 0x00, 0x80, 0x82, 0x00, 0x01}},
    {"bucket -1", {{false, -1, 23}}, 0, 7, {0x84, 0x01, 0x00, 0x82, 0x20, 0x17, 0x80}},
    {"first and last",
     {{false, HISTOGRAM_FIRST, 24}, {true, HISTOGRAM_LAST, 256}},
     0,
     16,
     {0x84, 0x01, 0x00, 0x82, 0x39, 0x04, 0x0b, 0x18, 0x18, 0x82, 0x19, 0x08, 0x19, 0x19, 0x01,
      0x00}},
    {"neighbours",
     {{false, 5, 1}, {false, 6, 65536}},
     0,
     12,
     {0x84, 0x01, 0x00, 0x83, 0x05, 0x01, 0x1a, 0x00, 0x01, 0x00, 0x00, 0x80}},
    {"gaps of 1, 24 and 25",
     {{false, 5, 1}, {false, 7, 2}, {false, 32, 3}, {false, 58, 4}},
     0,
     14,
     {0x84, 0x01, 0x00, 0x88, 0x05, 0x01, 0x20, 0x02, 0x37, 0x03, 0x38, 0x18, 0x04, 0x80}},
    {"the widest gap",
     {{true, HISTOGRAM_FIRST, 1}, {true, HISTOGRAM_LAST, UINT32_MAX}},
     0,
     17,
     {0x84, 0x01, 0x00, 0x80, 0x84, 0x39, 0x04, 0x0b, 0x01, 0x39, 0x0c, 0x23, 0x1a, 0xff, 0xff,
      0xff, 0xff}},
};

static struct histogram golden_histogram(const struct golden *row)
{
    struct histogram h = {.zero = row->zero, .count = row->zero};
    for (size_t i = 0; i < 4 && row->counts[i].n > 0; i++) {
        assert_int_equal(histogram_side_add(row->counts[i].negative ? &h.negative : &h.positive,
                                            row->counts[i].index, row->counts[i].n),
                         0);
        h.count += row->counts[i].n;
    }
    return h;
}

static void test_golden_octets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        struct histogram h = golden_histogram(&golden[i]), decoded = {0};
        uint8_t bytes[64];
        const char *why = NULL;
        size_t len = histogram_encode(&h, bytes, sizeof bytes);
        if (len != golden[i].len || memcmp(bytes, golden[i].bytes, len) != 0)
            fail_msg("%s: other octets", golden[i].name);
        assert_int_equal(histogram_decode(&decoded, golden[i].bytes, len, NULL, &why), 0);
        assert_null(why);
        assert_true(histogram_equal(&h, &decoded));
        histogram_release(&h);
        histogram_release(&decoded);
    }
}

/* Sparse and dense ones. */
static struct histogram random_histogram(uint64_t *seed)
{
    struct histogram h = {0};
    unsigned values = (unsigned)(next(seed) % 3000), spread = 1 + (unsigned)(next(seed) % 3000);
    for (unsigned i = 0; i < values; i++) {
        double magnitude = pow(1.02, (double)(next(seed) % spread) - 1000);
        assert_int_equal(histogram_add(&h, next(seed) % 3 == 0 ? -magnitude : magnitude), 0);
    }
    return h;
}

static void test_what_was_encoded_is_decoded(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static uint8_t bytes[ROOM];
    struct histogram decoded = {0};
    for (int round = 0; round < 200; round++) {
        struct histogram h = random_histogram(&seed);
        size_t len = histogram_encode(&h, bytes, sizeof bytes), used = 0;
        const char *why = NULL;
        assert_in_range(len, 5, sizeof bytes - 1);
        assert_int_equal(histogram_decode(&decoded, bytes, len, NULL, &why), 0);
        assert_true(histogram_equal(&h, &decoded));
        bytes[len] = 0xff;
        assert_int_equal(histogram_decode(&decoded, bytes, len + 1, &used, &why), 0);
        assert_int_equal(used, len);
        assert_true(histogram_equal(&h, &decoded));
        histogram_release(&h);
    }
    histogram_release(&decoded);
}

static void test_encode_never_writes_beyond_its_room(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct histogram h = random_histogram(&seed);
    static uint8_t whole[ROOM];
    size_t len = histogram_encode(&h, whole, sizeof whole);
    assert_int_equal(histogram_encode(&h, NULL, 0), len);
    for (size_t room = 0; room <= len; room++) {
        uint8_t *exact = malloc(room + 1);
        assert_non_null(exact);
        exact[room] = 0x55;
        assert_int_equal(histogram_encode(&h, exact, room), len);
        assert_int_equal(exact[room], 0x55);
        if (room == len)
            assert_memory_equal(exact, whole, len);
        free(exact);
    }
    histogram_release(&h);
}

struct fault {
    const char *why;
    size_t len;
    uint8_t bytes[16];
};

#define HEAD 0x84, 0x01, 0x00

static const struct fault faults[] = {
    {"the histogram is cut short", 0, {0}},
    {"the histogram is cut short", 1, {0x84}},
    {"the histogram is cut short", 1, {0x19}},
    {"the histogram is not CBOR", 1, {0x1c}},
    {"the histogram is not CBOR", 1, {0xdc}},
    {"the histogram is not an array", 1, {0x01}},
    {"the histogram is not an array", 1, {0x9f}},
    {"the histogram is not an array", 1, {0xa4}},
    {"the histogram is not an array", 1, {0xf6}},
    {"the histogram is not an array", 3, {0xc1, 0x84, 0x01}},
    {"the histogram is not an array of four", 4, {0x83, 0x01, 0x00, 0x80}},
    {"the histogram is not an array of four", 6, {0x85, 0x01, 0x00, 0x80, 0x80, 0x80}},
    {"a number of the histogram is longer than it need be", 6, {0x98, 4, 1, 0, 0x80, 0x80}},
    {"a number of the histogram is longer than it need be", 6, {0x84, 0x18, 1, 0, 0x80, 0x80}},
    {"the version of the histogram is not 1", 5, {0x84, 0x00, 0x00, 0x80, 0x80}},
    {"the version of the histogram is not 1", 5, {0x84, 0x02, 0x00, 0x80, 0x80}},
    {"the version of the histogram is not 1", 5, {0x84, 0x20, 0x00, 0x80, 0x80}},
    {"the version of the histogram is not a number", 5, {0x84, 0x80, 0x00, 0x80, 0x80}},
    {"the count of zeros is not a 32-bit number", 5, {0x84, 0x01, 0x20, 0x80, 0x80}},
    {"the count of zeros is not a 32-bit number", 5, {0x84, 0x01, 0x60, 0x80, 0x80}},
    {"the count of zeros is not a 32-bit number",
     13,
     {0x84, 1, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 0x80, 0x80}},
    {"the buckets are not an array", 5, {HEAD, 0x00, 0x80}},
    {"the buckets are not an array", 5, {HEAD, 0x80, 0xf7}},
    {"the buckets are not an array", 6, {HEAD, 0x9f, 0xff, 0x80}},
    {"the buckets do not end with a count", 6, {HEAD, 0x81, 0x00, 0x80}},
    {"the buckets do not end with a count", 8, {HEAD, 0x83, 0x00, 0x01, 0x20, 0x80}},
    {"a gap does not follow a count", 8, {HEAD, 0x83, 0x00, 0x20, 0x01, 0x80}},
    {"a gap does not follow a count", 10, {HEAD, 0x85, 0x00, 0x01, 0x20, 0x20, 0x01, 0x80}},
    {"a count is 0", 7, {HEAD, 0x82, 0x00, 0x00, 0x80}},
    {"a count is 0", 7, {HEAD, 0x80, 0x82, 0x00, 0x00}},
    {"a count is not an integer of at most 32 bits", 7, {HEAD, 0x82, 0x00, 0xf6, 0x80}},
    {"a count is not an integer of at most 32 bits",
     15,
     {HEAD, 0x82, 0x00, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 0x80}},
    {"a count is not an integer of at most 32 bits",
     12,
     {HEAD, 0x82, 0x00, 0x3a, 0x7f, 0xff, 0xff, 0xff, 0x01, 0x80}},
    {"the first bucket is not an integer", 7, {HEAD, 0x82, 0x60, 0x01, 0x80}},
    {"the first bucket is none of the scheme", 9, {HEAD, 0x82, 0x39, 0x04, 0x0c, 0x01, 0x80}},
    {"the first bucket is none of the scheme", 9, {HEAD, 0x82, 0x19, 0x08, 0x1a, 0x01, 0x80}},
    {"a bucket is beyond the last", 10, {HEAD, 0x83, 0x19, 0x08, 0x19, 0x01, 0x01, 0x80}},
    {"a bucket is beyond the last", 11, {HEAD, 0x84, 0x19, 0x08, 0x18, 0x01, 0x20, 0x01, 0x80}},
    {"a bucket is beyond the last", 12, {HEAD, 0x84, 0x00, 0x01, 0x39, 0xff, 0xff, 0x01, 0x80}},
    {"the histogram is cut short",
     12,
     {HEAD, 0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {"there are octets after the histogram", 6, {HEAD, 0x80, 0x80, 0x00}},
};

static void test_every_fault_is_named(void **state)
{
    (void)state;
    struct histogram h = {0}, before = {0};
    histogram_add(&h, 7);
    histogram_add(&before, 7);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        /* A copy that ends where its memory ends: a sanitizer sees any octet too far. */
        uint8_t *exact = malloc(faults[i].len + !faults[i].len);
        assert_non_null(exact);
        memcpy(exact, faults[i].bytes, faults[i].len);
        const char *why = NULL;
        assert_int_equal(histogram_decode(&h, exact, faults[i].len, NULL, &why), EBADMSG);
        if (!why || strcmp(why, faults[i].why) != 0)
            fail_msg("row %zu: \"%s\" instead of \"%s\"", i, why ? why : "", faults[i].why);
        assert_true(histogram_equal(&h, &before));
        free(exact);
    }
    histogram_release(&h);
    histogram_release(&before);
}

static void test_every_cut_is_seen(void **state)
{
    (void)state;
    uint64_t seed = 9;
    struct histogram h = random_histogram(&seed), decoded = {0};
    static uint8_t bytes[ROOM];
    size_t len = histogram_encode(&h, bytes, sizeof bytes), used = 77;
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *exact = malloc(cut + !cut);
        assert_non_null(exact);
        memcpy(exact, bytes, cut);
        const char *why = NULL;
        assert_int_equal(histogram_decode(&decoded, exact, cut, &used, &why), EBADMSG);
        assert_string_equal(why, "the histogram is cut short");
        assert_int_equal(used, 77);
        free(exact);
    }
    histogram_release(&h);
}

/* Whatever is accepted is the one encoding of what was decoded. */
static void test_damaged_octets_are_refused_or_canonical(void **state)
{
    (void)state;
    uint64_t seed = 11;
    static uint8_t bytes[ROOM], again[ROOM];
    unsigned accepted = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        struct histogram h = golden_histogram(&golden[next(&seed) % 10]), decoded = {0};
        size_t len = histogram_encode(&h, bytes, sizeof bytes), used;
        const char *why = NULL;
        for (uint64_t n = 1 + next(&seed) % 3; n > 0; n--)
            bytes[next(&seed) % len] = (uint8_t)next(&seed);
        if (histogram_decode(&decoded, bytes, len, &used, &why) == 0) {
            accepted++;
            assert_true(used <= len);
            assert_int_equal(histogram_encode(&decoded, again, sizeof again), used);
            assert_memory_equal(again, bytes, used);
        } else {
            refused++;
            assert_non_null(why);
            assert_null(decoded.positive.counts);
        }
        histogram_release(&h);
        histogram_release(&decoded);
    }
    assert_true(accepted > 100 && refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_octets),
        cmocka_unit_test(test_what_was_encoded_is_decoded),
        cmocka_unit_test(test_encode_never_writes_beyond_its_room),
        cmocka_unit_test(test_every_fault_is_named),
        cmocka_unit_test(test_every_cut_is_seen),
        cmocka_unit_test(test_damaged_octets_are_refused_or_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
