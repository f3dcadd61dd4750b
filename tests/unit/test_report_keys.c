/* Keys of tops in blocks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#include "scarce.h"
#include "unit.h"

#define WALL INT64_C(1700000000000)

static struct top_key key_of(const char *octets, uint64_t count, uint64_t error)
{
    struct top_key key = {.count = count, .error = error};
    memcpy(key.octets, octets, strnlen(octets, sizeof key.octets));
    return key;
}

/* What a parent gathers of one top, of which the parts must agree. */
struct gathered {
    uint32_t series;
    int64_t wall_ms;
    uint64_t absent;
    size_t size, n, parts;
    struct top_key key[REPORT_KEYS_MAX];
};

static int gather(void *context, const struct report_entry *entry)
{
    struct gathered *to = context;
    const struct report_keys *keys = &entry->keys;
    assert_int_equal(entry->kind, REPORT_KEYS);
    if (to->parts++ == 0)
        *to = (struct gathered){.series = entry->series,
                                .wall_ms = entry->wall_ms,
                                .absent = keys->absent,
                                .size = keys->size,
                                .parts = 1};
    assert_int_equal(entry->series, to->series);
    assert_int_equal(entry->wall_ms, to->wall_ms);
    assert_int_equal(keys->absent, to->absent);
    assert_int_equal(keys->size, to->size);
    assert_true(to->n + keys->n <= keys->size);
    report_keys_read(keys, to->key + to->n);
    to->n += keys->n;
    return 0;
}

/* From copies that end where their memory ends. The largest block. */
static size_t decode_all(const struct report_ring *ring, struct gathered *gathered)
{
    size_t longest = 0;
    for (struct index_node *i = index_first(&ring->index); i; i = index_next(i)) {
        const struct report_block *block = (const struct report_block *)i;
        struct report_header header;
        const char *why = "";
        uint8_t *copy = malloc(block->len);
        memcpy(copy, block->bytes, block->len);
        if (report_decode(copy, block->len, &header, gather, gathered, &why) != 0)
            fail_msg("block %u: %s", block->sequence, why);
        longest = block->len > longest ? block->len : longest;
        free(copy);
    }
    return longest;
}

/* -- Encoding ---------------------------------------------------------------------------------- */

/* By hand, from RFC 8949: the keys "a" and "tea" of series 5, of which no other has more than 7. */
static const uint8_t known[] = {
    0x85, 0x02, 0x07, 0x01, 0x1b, 0x00, 0x00, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x00, 0x81, /* head */
    0x83, 0x05, 0x00, 0x83, 0x07, 0x02, 0x86,                                           /* entry */
    0x41, 'a',  0x19, 0x03, 0xe8, 0x00, 0x43, 't',  'e',  'a',  0x18, 0x64, 0x18, 0x1e,
};

static void are_encoded_as_documented(void **state)
{
    (void)state;
    struct report_ring ring;
    struct gathered is = {.parts = 0};
    struct top_key key[] = {key_of("a", 1000, 0), key_of("tea", 100, 30)};
    const struct top_keys keys = {key, 2, 7};
    assert_int_equal(report_open(&ring, 7, 16, REPORT_BLOCK_MAX), 0);
    assert_int_equal(report_add_keys(&ring, 5, WALL, &keys), 0);
    assert_int_equal(report_flush(&ring), 0);
    const struct report_block *block = (const struct report_block *)index_first(&ring.index);
    assert_int_equal(block->len, sizeof known);
    assert_memory_equal(block->bytes, known, sizeof known);
    decode_all(&ring, &is);
    assert_int_equal(is.series, 5);
    assert_int_equal(is.n, 2);
    assert_memory_equal(is.key, key, sizeof key);
    report_close(&ring);
}

static void none_at_all_is_told(void **state)
{
    (void)state;
    struct report_ring ring;
    struct gathered is = {.parts = 0};
    static const struct top_keys none;
    assert_int_equal(report_open(&ring, 7, 16, REPORT_BLOCK_MIN), 0);
    assert_int_equal(report_add_keys(&ring, 5, WALL, &none), 0);
    assert_int_equal(report_flush(&ring), 0);
    decode_all(&ring, &is);
    assert_int_equal(is.parts, 1);
    assert_int_equal(is.size, 0);
    report_close(&ring);
}

/* The longest keys and numbers, in the smallest blocks. */
static void they_are_cut_into_blocks(void **state)
{
    (void)state;
    static struct top_key key[REPORT_KEYS_MAX];
    struct report_ring ring;
    struct gathered is = {.parts = 0};
    for (unsigned i = 0; i < REPORT_KEYS_MAX; i++) {
        char text[SEGMENT_KEY + 1];
        snprintf(text, sizeof text, "%03u%061u", i, i);
        key[i] = key_of(text, UINT64_MAX - i, UINT64_MAX - i);
    }
    const struct top_keys keys = {key, REPORT_KEYS_MAX, UINT64_MAX - 500};
    assert_int_equal(report_open(&ring, UINT32_MAX, 1000, REPORT_BLOCK_MIN), 0);
    assert_int_equal(report_add_keys(&ring, UINT32_MAX, WALL, &keys), 0);
    assert_int_equal(report_flush(&ring), 0);
    assert_true(decode_all(&ring, &is) <= REPORT_BLOCK_MIN);
    assert_int_equal(is.parts, REPORT_KEYS_MAX / 2);
    assert_int_equal(is.n, REPORT_KEYS_MAX);
    assert_memory_equal(is.key, key, sizeof key);
    assert_int_equal(is.absent, UINT64_MAX - 500);
    report_close(&ring);
}

/* What is left out is in what others may have; an error above its count is none that can be. */
static void those_that_have_most_are_told(void **state)
{
    (void)state;
    static struct top_key key[KEYS_MAX];
    struct report_ring ring;
    struct gathered is = {.parts = 0};
    for (unsigned i = 0; i < KEYS_MAX; i++) {
        char text[SEGMENT_KEY];
        snprintf(text, sizeof text, "%04u", i);
        key[i] = key_of(text, i * 7 % KEYS_MAX, KEYS_MAX);
    }
    const struct top_keys keys = {key, KEYS_MAX, 12};
    assert_int_equal(report_open(&ring, 1, 1000, REPORT_BLOCK_MAX), 0);
    assert_int_equal(report_add_keys(&ring, 1, WALL, &keys), 0);
    assert_int_equal(report_flush(&ring), 0);
    decode_all(&ring, &is);
    assert_int_equal(is.n, REPORT_KEYS_MAX);
    assert_int_equal(is.absent, KEYS_MAX - REPORT_KEYS_MAX - 1);
    for (size_t i = 0; i < is.n; i++) {
        assert_true(is.key[i].count > is.absent);
        assert_int_equal(is.key[i].error, is.key[i].count);
        assert_true(i == 0 || strcmp(is.key[i - 1].octets, is.key[i].octets) < 0);
    }
    report_close(&ring);
}

/* Both would be "a" for whoever reads the block, and the second refused. */
static void keys_with_a_zero_inside_are_refused(void **state)
{
    (void)state;
    struct report_ring ring;
    struct gathered is = {.parts = 0};
    struct top_key key[] = {key_of("a", 2, 0), key_of("a", 1, 0)};
    const struct top_keys keys = {key, 2, 0};
    assert_int_equal(report_open(&ring, 1, 10, REPORT_BLOCK_MIN), 0);
    for (size_t at = 2; at < SEGMENT_KEY; at++) {
        key[0].octets[at] = 'b';
        key[1].octets[at] = 'c';
        assert_int_equal(report_add_keys(&ring, 5, WALL, &keys), EINVAL);
        key[0].octets[at] = key[1].octets[at] = '\0';
    }
    assert_false(report_pending(&ring));
    assert_int_equal(report_add_keys(&ring, 5, WALL, &keys), 0);
    assert_int_equal(report_flush(&ring), 0);
    decode_all(&ring, &is);
    assert_int_equal(is.n, 1);
    assert_memory_equal(is.key, key, sizeof *key);
    report_close(&ring);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    static struct top_key key[REPORT_KEYS_MAX];
    struct report_ring ring;
    for (unsigned i = 0; i < REPORT_KEYS_MAX; i++) {
        char text[SEGMENT_KEY];
        snprintf(text, sizeof text, "%050u", i);
        key[i] = key_of(text, UINT64_MAX, 0);
    }
    const struct top_keys keys = {key, REPORT_KEYS_MAX, 0};
    const struct result one = {RESULT_VALID, 1};
    bool has_failed = true;
    size_t failures = 0;
    for (size_t nth = 1; has_failed; nth++) {
        assert_int_equal(report_open(&ring, 1, 1000, REPORT_BLOCK_MIN), 0);
        assert_int_equal(report_add(&ring, 3, WALL, &one), 0);
        scarce_fail(nth);
        int error = report_add_keys(&ring, 1, WALL, &keys);
        has_failed = scarce_stop();
        failures += error != 0;
        assert_true(error == 0 || (has_failed && error == ENOMEM));
        assert_true(error ? ring.last == 0 && report_pending(&ring) : ring.last > 10);
        report_close(&ring);
    }
    assert_true(failures > 0);
}

/* -- Decoding ---------------------------------------------------------------------------------- */

#define ONE 0x85, 1, 1, 1, 0, 0x81, 0x83, 0, 0 /* one entry, of series 0 at time 0 */
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define A64                                                                                        \
    'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', \
        'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a',  \
        'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a',  \
        'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'

static const struct {
    const char *name;
    const uint8_t *bytes;
    size_t len;
    const char *why; /* a part of the reason; NULL: valid */
} crafted[] = {
    {"none", BYTES(ONE, 0x83, 0, 0, 0x80), NULL},
    {"one", BYTES(ONE, 0x83, 9, 1, 0x83, 0x41, 'a', 2, 1), NULL},
    {"one of 100", BYTES(ONE, 0x83, 9, 0x18, 100, 0x83, 0x41, 'a', 2, 1), NULL},
    {"the empty key", BYTES(ONE, 0x83, 0, 1, 0x83, 0x40, 2, 2), NULL},
    {"any octets", BYTES(ONE, 0x83, 0, 1, 0x83, 0x42, 0xff, 0x0a, 2, 2), NULL},
    {"the empty one first", BYTES(ONE, 0x83, 0, 2, 0x86, 0x40, 2, 2, 0x41, 1, 2, 2), NULL},
    {"64 octets", BYTES(ONE, 0x83, 0, 1, 0x83, 0x58, 64, A64, 2, 2), NULL},
    {"65 octets", BYTES(ONE, 0x83, 0, 1, 0x83, 0x58, 65, A64, 'a', 2, 2), "up to 64"},
    {"an octet of 0", BYTES(ONE, 0x83, 0, 1, 0x83, 0x42, 'a', 0, 2, 2), "other than 0"},
    {"a text", BYTES(ONE, 0x83, 0, 1, 0x83, 0x61, 'a', 2, 2), "not a string"},
    {"octets of no length", BYTES(ONE, 0x83, 0, 1, 0x83, 0x5f, 0x41, 'a', 0xff), "not a string"},
    {"a negative count", BYTES(ONE, 0x83, 0, 1, 0x83, 0x41, 'a', 0x20, 0), "not a number"},
    {"an error that is null", BYTES(ONE, 0x83, 0, 1, 0x83, 0x41, 'a', 2, 0xf6), "not a number"},
    {"more error than count", BYTES(ONE, 0x83, 0, 1, 0x83, 0x41, 'a', 2, 3), "above its count"},
    {"a negative absent", BYTES(ONE, 0x83, 0x20, 0, 0x80), "not a number"},
    {"a size that is a double", BYTES(ONE, 0x83, 0, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0, 0x80),
     "not a number"},
    {"101", BYTES(ONE, 0x83, 0, 0x18, 101, 0x83, 0x41, 'a', 2, 1), "more keys"},
    {"no array", BYTES(ONE, 0x83, 0, 1, 1), "three for each"},
    {"two thirds", BYTES(ONE, 0x83, 0, 1, 0x82, 0x41, 'a', 2), "three for each"},
    {"two of one", BYTES(ONE, 0x83, 0, 1, 0x86, 0x41, 'a', 2, 1, 0x41, 'b', 2, 1), "as many"},
    {"none of one", BYTES(ONE, 0x83, 0, 1, 0x80), "of 1 to as many"},
    {"one of none", BYTES(ONE, 0x83, 0, 0, 0x83, 0x41, 'a', 2, 1), "as many"},
    {"the same twice", BYTES(ONE, 0x83, 0, 2, 0x86, 0x41, 'a', 2, 1, 0x41, 'a', 2, 1), "ascending"},
    {"not in order", BYTES(ONE, 0x83, 0, 2, 0x86, 0x41, 'b', 2, 1, 0x41, 'a', 2, 1), "ascending"},
    {"too many elements", BYTES(ONE, 0x83, 0, 0, 0x80, 0), "after the block"},
};

static int count(void *context, const struct report_entry *entry)
{
    struct top_key key[REPORT_KEYS_MAX];
    report_keys_read(&entry->keys, key);
    ++*(size_t *)context;
    return 0;
}

static void what_is_no_keys_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(crafted); i++) {
        struct report_header header;
        const char *why = NULL, *wanted = crafted[i].why;
        size_t n = 0;
        uint8_t *copy = malloc(crafted[i].len);
        memcpy(copy, crafted[i].bytes, crafted[i].len);
        int error = report_decode(copy, crafted[i].len, &header, count, &n, &why);
        if (error != (wanted ? EBADMSG : 0) || n != (wanted ? 0 : 1) ||
            (wanted && !strstr(why, wanted)))
            fail_msg("%s: %s", crafted[i].name, why ? why : "is valid");
        free(copy);
    }
}

static void what_is_cut_short_is_refused(void **state)
{
    (void)state;
    struct report_header header;
    const char *why;
    size_t n = 0;
    for (size_t len = 0; len < sizeof known; len++) {
        uint8_t *copy = malloc(len ? len : 1);
        memcpy(copy, known, len);
        assert_int_equal(report_decode(copy, len, &header, count, &n, &why), EBADMSG);
        free(copy);
    }
    assert_int_equal(n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_encoded_as_documented),
        cmocka_unit_test(none_at_all_is_told),
        cmocka_unit_test(they_are_cut_into_blocks),
        cmocka_unit_test(those_that_have_most_are_told),
        cmocka_unit_test(keys_with_a_zero_inside_are_refused),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(what_is_no_keys_is_refused),
        cmocka_unit_test(what_is_cut_short_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
