#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/histogram.h"
#include "calculate/histogram_packed.h"

#include "unit.h"

#define ROOM 20000

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

/* By hand; bucket 0 is 1036 = 010000001100 in 12 bits. */
static const struct golden {
    const char *name;
    struct {
        bool negative;
        int index;
        uint32_t n;
    } counts[4];
    uint32_t zero;
    size_t len;
    uint8_t octets[24];
} golden[] = {
    {"empty: 1 1 1", {{0}}, 0, 1, {0xe0}},
    {"a zero: 010 1 1", {{0}}, 1, 1, {0x58}},
    {"most zeros: 2^32 after 32 zeros", {{0}}, UINT32_MAX, 9, {0, 0, 0, 0, 0x80, 0, 0, 0, 0x60}},
    {"bucket 0: 1 010 010000001100 1 1", {{false, 0, 1}}, 0, 3, {0xa4, 0x0c, 0xc0}},
    {"negative: 1 1 010 010000001100 1", {{true, 0, 1}}, 0, 3, {0xd2, 0x06, 0x40}},
    {"bucket -1, 23 times: 1 010 010000001011 000010111 1",
     {{false, -1, 23}},
     0,
     4,
     {0xa4, 0x0b, 0x0b, 0xc0}},
    {"neighbours: 1 011 010000001100 1 1 00100 1",
     {{false, 0, 1}, {false, 1, 4}},
     0,
     3,
     {0xb4, 0x0c, 0xc9}},
    {"the ends: 1 010 000000000000 1 010 110000100101 010",
     {{false, HISTOGRAM_FIRST, 1}, {true, HISTOGRAM_LAST, 2}},
     0,
     5,
     {0xa0, 0x00, 0xac, 0x25, 0x40}},
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

static void golden_octets(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(golden); i++) {
        struct histogram h = golden_histogram(&golden[i]), unpacked = {0};
        uint8_t octets[64];
        const char *why = NULL;
        size_t len = histogram_pack(&h, octets, sizeof octets);
        if (len != golden[i].len || memcmp(octets, golden[i].octets, len) != 0)
            fail_msg("%s: other octets", golden[i].name);
        assert_int_equal(histogram_unpack(&unpacked, golden[i].octets, len, &why), 0);
        assert_null(why);
        assert_true(histogram_equal(&h, &unpacked));
        histogram_release(&h);
        histogram_release(&unpacked);
    }
}

/* Sparse and dense ones, with counts of all lengths. */
static struct histogram random_histogram(uint64_t *seed)
{
    struct histogram h = {.zero = (uint32_t)(next(seed) >> (32 + next(seed) % 32))};
    h.count = h.zero;
    unsigned n = (unsigned)(next(seed) % 1000);
    for (unsigned i = 0; i < n; i++) {
        int index =
            HISTOGRAM_FIRST + (int)(next(seed) % (HISTOGRAM_LAST - HISTOGRAM_FIRST + 1) >> n % 9);
        uint32_t count = 1 + (uint32_t)(next(seed) >> (36 + next(seed) % 28));
        assert_int_equal(
            histogram_side_add(next(seed) % 3 ? &h.positive : &h.negative, index, count), 0);
        h.count += count;
    }
    return h;
}

static void what_was_packed_is_unpacked(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static uint8_t octets[ROOM];
    struct histogram unpacked = {0};
    for (int round = 0; round < 300; round++) {
        struct histogram h = random_histogram(&seed);
        size_t len = histogram_pack(&h, octets, sizeof octets);
        const char *why = NULL;
        assert_in_range(len, 1, sizeof octets - 1);
        assert_int_equal(histogram_unpack(&unpacked, octets, len, &why), 0);
        assert_true(histogram_equal(&h, &unpacked));
        octets[len] = 0;
        assert_int_equal(histogram_unpack(&unpacked, octets, len + 1, &why), EBADMSG);
        assert_string_equal(why, "there is something after the histogram");
        assert_true(histogram_equal(&h, &unpacked));
        histogram_release(&h);
    }
    histogram_release(&unpacked);
}

static void nothing_is_written_beyond_the_room(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct histogram h = random_histogram(&seed);
    static uint8_t whole[ROOM];
    size_t len = histogram_pack(&h, whole, sizeof whole);
    assert_int_equal(histogram_pack(&h, NULL, 0), len);
    for (size_t room = 0; room <= len; room++) {
        uint8_t *exact = malloc(room + 1);
        assert_non_null(exact);
        exact[room] = 0x55;
        assert_int_equal(histogram_pack(&h, exact, room), len);
        assert_int_equal(exact[room], 0x55);
        assert_memory_equal(exact, whole, room);
        free(exact);
    }
    histogram_release(&h);
}

static const struct fault {
    const char *why;
    size_t len;
    uint8_t octets[16];
} faults[] = {
    {"the histogram is cut short", 0, {0}},
    {"the histogram is cut short", 1, {0x00}},
    {"the histogram is cut short", 1, {0xa4}},
    {"the count of zeros is above 32 bits", 5, {0, 0, 0, 0, 0x40}},
    {"the count of zeros is above 32 bits", 9, {0, 0, 0, 0, 0x80, 0, 0, 0, 0xe0}},
    {"the count of zeros is above 32 bits", 9, {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xe0}},
    {"the histogram has more buckets than there are", 6, {0x80, 0, 0, 0, 0, 0x60}},
    /* 3111 and 1 in the gamma code: 11 zeros, 110000101000. */
    {"the histogram has more buckets than there are", 3, {0x80, 0x0c, 0x28}},
    /* The bucket after the last, 110000100110. */
    {"a bucket is beyond the last", 3, {0xac, 0x26, 0xc0}},
    /* Two: the last, and one further. */
    {"a bucket is beyond the last", 3, {0xbc, 0x25, 0xf8}},
    {"a count of the histogram is above 32 bits",
     11,
     {0xa4, 0x0c, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x60}},
    {"there is something after the histogram", 1, {0xf0}},
    {"there is something after the histogram", 1, {0xe1}},
    {"there is something after the histogram", 2, {0xe0, 0x00}},
};

static void every_fault_is_named(void **state)
{
    (void)state;
    struct histogram h = {0}, before = {0};
    histogram_add(&h, 7);
    histogram_add(&before, 7);
    for (size_t i = 0; i < N_OF(faults); i++) {
        /* A copy that ends where its memory ends: a sanitizer sees any octet too far. */
        uint8_t *exact = malloc(faults[i].len + !faults[i].len);
        assert_non_null(exact);
        memcpy(exact, faults[i].octets, faults[i].len);
        const char *why = NULL;
        assert_int_equal(histogram_unpack(&h, exact, faults[i].len, &why), EBADMSG);
        if (!why || strcmp(why, faults[i].why) != 0)
            fail_msg("row %zu: \"%s\" instead of \"%s\"", i, why ? why : "", faults[i].why);
        assert_true(histogram_equal(&h, &before));
        free(exact);
    }
    histogram_release(&h);
    histogram_release(&before);
}

static void every_cut_is_seen(void **state)
{
    (void)state;
    uint64_t seed = 9;
    struct histogram h = random_histogram(&seed), unpacked = {0};
    static uint8_t octets[ROOM];
    size_t len = histogram_pack(&h, octets, sizeof octets);
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *exact = malloc(cut + !cut);
        assert_non_null(exact);
        memcpy(exact, octets, cut);
        const char *why = NULL;
        assert_int_equal(histogram_unpack(&unpacked, exact, cut, &why), EBADMSG);
        assert_string_equal(why, "the histogram is cut short");
        free(exact);
    }
    histogram_release(&h);
}

/* Whatever is accepted is what packing it would write. */
static void damaged_octets_are_refused_or_canonical(void **state)
{
    (void)state;
    uint64_t seed = 11;
    static uint8_t octets[ROOM], again[ROOM];
    unsigned accepted = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        struct histogram h = golden_histogram(&golden[next(&seed) % N_OF(golden)]), unpacked = {0};
        size_t len = histogram_pack(&h, octets, sizeof octets);
        const char *why = NULL;
        for (uint64_t n = 1 + next(&seed) % 3; n > 0; n--)
            octets[next(&seed) % len] ^= (uint8_t)(1 << next(&seed) % 8);
        if (histogram_unpack(&unpacked, octets, len, &why) == 0) {
            accepted++;
            assert_int_equal(histogram_pack(&unpacked, again, sizeof again), len);
            assert_memory_equal(again, octets, len);
        } else {
            refused++;
            assert_non_null(why);
            assert_null(unpacked.positive.counts);
        }
        histogram_release(&h);
        histogram_release(&unpacked);
    }
    assert_true(accepted > 100 && refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_octets),
        cmocka_unit_test(what_was_packed_is_unpacked),
        cmocka_unit_test(nothing_is_written_beyond_the_room),
        cmocka_unit_test(every_fault_is_named),
        cmocka_unit_test(every_cut_is_seen),
        cmocka_unit_test(damaged_octets_are_refused_or_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
