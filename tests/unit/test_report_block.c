#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#include "unit.h"

#define ENTRIES_MAX 256
#define EXP53 9007199254740992.0

struct value {
    uint32_t series;
    int64_t wall_ms;
    struct result result;
};

struct list {
    size_t n;
    size_t stop_after;
    struct value entries[ENTRIES_MAX];
};

static int append(void *context, const struct report_entry *entry)
{
    struct list *list = context;
    assert_true(list->n < ENTRIES_MAX);
    assert_int_equal(entry->kind, REPORT_VALUE);
    list->entries[list->n++] = (struct value){entry->series, entry->wall_ms, entry->result};
    return list->n == list->stop_after;
}

/* Decodes a copy that ends where its memory ends, so that the sanitizer sees any octet too far.
 * Checks what holds for every outcome. */
static int decode(const uint8_t *bytes, size_t len, struct report_header *header, struct list *list,
                  const char **why)
{
    const struct report_header untouched = {9, 9, 9, 9};
    uint8_t *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    *header = untouched;
    *why = NULL;
    list->n = 0;
    int error = report_decode(copy, len, header, append, list, why);
    free(copy);
    if (error) {
        assert_int_equal(error, EBADMSG);
        assert_int_equal(list->n, 0);
        assert_memory_equal(header, &untouched, sizeof untouched);
        assert_non_null(*why);
        assert_true(strlen(*why) > 5);
    } else {
        assert_true(list->n > 0);
        for (size_t i = 0; i < list->n; i++)
            assert_true(isfinite(list->entries[i].result.value));
    }
    return error;
}

static void open_ring(struct report_ring *ring, uint32_t boot)
{
    assert_int_equal(report_open(ring, boot, 16, REPORT_BLOCK_MAX), 0);
}

static const struct report_block *flushed(struct report_ring *ring)
{
    assert_int_equal(report_flush(ring), 0);
    return (const struct report_block *)index_find(&ring->index, &ring->last, 1);
}

/* By hand, from RFC 8949, sections 3 and 3.3: what version 1 was, of the same entries. */
static const uint8_t known_1[] = {
    0x85, 0x01, 0x07, 0x01, 0x1b, 0x00, 0x00, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x00,    /* head */
    0x86,                                                                            /* entries */
    0x83, 0x05, 0x00, 0x0c,                                                          /* 12 */
    0x83, 0x18, 0x18, 0x38, 0xf9, 0xfb, 0xbf, 0xf8, 0,    0,    0,    0,    0,    0, /* -1.5 */
    0x83, 0x19, 0x01, 0x00, 0x19, 0x03, 0xe8, 0xf6,                                  /* null */
    0x83, 0x1a, 0xff, 0xff, 0xff, 0xff, 0x00, 0xf7,                                  /* undefined */
    0x83, 0x00, 0x20, 0x19, 0x03, 0xe8,                                              /* 1000 */
    0x83, 0x00, 0x00, 0x39, 0x03, 0xe7,                                              /* -1000 */
};
static const uint8_t known[] = {
    0x85, 0x02, 0x07, 0x01, 0x1b, 0x00, 0x00, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x00, /* head */
    0x86,                                                                         /* entries */
    0x83, 0x05, 0x00, 0x0c,                                                       /* 12 */
    0x83, 0x13, 0x38, 0xf9, 0xf9, 0xbe, 0x00,                                     /* -1.5 */
    0x83, 0x18, 0xe8, 0x19, 0x03, 0xe8, 0xf6,                                     /* null */
    0x83, 0x1a, 0xff, 0xff, 0xfe, 0xff, 0x00, 0xf7,                               /* undefined */
    0x83, 0x3a, 0xff, 0xff, 0xff, 0xfe, 0x20, 0x19, 0x03, 0xe8,                   /* 1000 */
    0x83, 0x00, 0x00, 0x39, 0x03, 0xe7,                                           /* -1000 */
};
static const struct value known_entries[] = {
    {5, 1700000000000, {RESULT_VALID, 12}},
    {24, 1700000000000 - 250, {RESULT_VALID, -1.5}},
    {256, 1700000000000 + 1000, {RESULT_UNAVAILABLE, 0}},
    {UINT32_MAX, 1700000000000, {RESULT_GAP, 0}},
    {0, 1700000000000 - 1, {RESULT_VALID, 1000}},
    {0, 1700000000000, {RESULT_VALID, -1000}},
};
#define KNOWN_ENTRIES (sizeof known_entries / sizeof known_entries[0])

static void assert_same_entry(const struct value *a, const struct value *b)
{
    assert_int_equal(a->series, b->series);
    assert_int_equal(a->wall_ms, b->wall_ms);
    assert_int_equal(a->result.state, b->result.state);
    if (a->result.value != b->result.value)
        fail_msg("%.17g is not %.17g", a->result.value, b->result.value);
}

static void check_known(const uint8_t *bytes, size_t len, uint32_t version)
{
    struct report_header header;
    struct list list = {0};
    const char *why;
    assert_int_equal(decode(bytes, len, &header, &list, &why), 0);
    assert_int_equal(header.version, version);
    assert_int_equal(header.boot, 7);
    assert_int_equal(header.sequence, 1);
    assert_int_equal(header.wall_ms, 1700000000000);
    assert_int_equal(list.n, KNOWN_ENTRIES);
    for (size_t i = 0; i < list.n; i++)
        assert_same_entry(&list.entries[i], &known_entries[i]);
}

static void test_known_block(void **unused)
{
    (void)unused;
    struct report_ring ring;
    open_ring(&ring, 7);
    for (size_t i = 0; i < KNOWN_ENTRIES; i++)
        report_add(&ring, known_entries[i].series, known_entries[i].wall_ms,
                   &known_entries[i].result);
    const struct report_block *block = flushed(&ring);
    assert_int_equal(block->len, sizeof known);
    assert_memory_equal(block->bytes, known, sizeof known);
    check_known(known, sizeof known, 2);
    report_close(&ring);
}

static void test_version_1_is_read(void **unused)
{
    (void)unused;
    check_known(known_1, sizeof known_1, 1);
}

/* Each value as the only entry: how long it is tells how it was written. */
static void test_values(void **unused)
{
    (void)unused;
    static const struct {
        double value;
        size_t len;
        enum result_state state; /* as decoded */
    } rows[] = {
        {0, 1, RESULT_VALID},
        {-0.0, 1, RESULT_VALID},
        {23, 1, RESULT_VALID},
        {24, 2, RESULT_VALID},
        {255, 2, RESULT_VALID},
        {256, 3, RESULT_VALID},
        {65535, 3, RESULT_VALID},
        {65536, 5, RESULT_VALID},
        {4294967295.0, 5, RESULT_VALID},
        {4294967296.0, 5, RESULT_VALID},
        {-1, 1, RESULT_VALID},
        {-24, 1, RESULT_VALID},
        {-25, 2, RESULT_VALID},
        {-256, 2, RESULT_VALID},
        {-257, 3, RESULT_VALID},
        {-4294967296.0, 5, RESULT_VALID},
        {-4294967297.0, 9, RESULT_VALID},
        {EXP53, 5, RESULT_VALID},
        {-EXP53, 5, RESULT_VALID},
        {EXP53 - 1, 9, RESULT_VALID},
        {EXP53 + 2, 9, RESULT_VALID},
        {1e300, 9, RESULT_VALID},
        {0.5, 3, RESULT_VALID},
        {0.1, 9, RESULT_VALID},
        {1 - DBL_EPSILON, 9, RESULT_VALID},
        {DBL_MAX, 9, RESULT_VALID},
        {-DBL_MAX, 9, RESULT_VALID},
        {DBL_MIN, 9, RESULT_VALID},
        {DBL_TRUE_MIN, 9, RESULT_VALID},
        {NAN, 1, RESULT_GAP},
        {INFINITY, 1, RESULT_GAP},
        {-INFINITY, 1, RESULT_GAP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct report_ring ring;
        struct report_header header;
        struct list list = {0};
        const char *why;
        struct result result = {RESULT_VALID, rows[i].value};
        struct value expected = {1, 0, {rows[i].state, 0}};
        if (rows[i].state == RESULT_VALID)
            expected.result.value = rows[i].value;
        open_ring(&ring, 1);
        report_add(&ring, 1, 0, &result);
        const struct report_block *block = flushed(&ring);
        assert_int_equal(block->len, 6 + 3 + rows[i].len);
        assert_int_equal(decode(block->bytes, block->len, &header, &list, &why), 0);
        assert_same_entry(&list.entries[0], &expected);
        report_close(&ring);
    }
}

/* Beyond 2^53 a value that is integral is a float on the wire, and before that where it is shorter.
 */
static void test_where_integers_end(void **unused)
{
    (void)unused;
    static const struct {
        double value;
        uint8_t first;
    } rows[] = {{EXP53 - 1, 0x1b}, {1 - EXP53, 0x3b}, {EXP53, 0xfa},
                {-EXP53, 0xfa},    {EXP53 + 2, 0xfb}, {-EXP53 - 2, 0xfb}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct report_ring ring;
        struct result result = {RESULT_VALID, rows[i].value};
        open_ring(&ring, 1);
        report_add(&ring, 1, 0, &result);
        assert_int_equal(flushed(&ring)->bytes[9], rows[i].first);
        report_close(&ring);
    }
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static struct value random_entry(uint64_t *random, int64_t wall_ms)
{
    struct value entry = {.result = {RESULT_VALID, 0}};
    entry.series = (uint32_t)(next_random(random) >> (next_random(random) % 32 + 32));
    int64_t dt = (int32_t)(next_random(random) >> 32);
    entry.wall_ms = wall_ms + dt / (1 << next_random(random) % 31);
    uint64_t kind = next_random(random) % 8;
    if (kind == 0)
        entry.result.state = RESULT_UNAVAILABLE;
    else if (kind == 1)
        entry.result.state = RESULT_GAP;
    else if (kind < 5)
        entry.result.value = (double)((int64_t)next_random(random) >> next_random(random) % 64);
    else
        entry.result.value = (double)(int64_t)next_random(random) / 1e9;
    return entry;
}

static void test_random_round_trips(void **unused)
{
    (void)unused;
    uint64_t random = 314159265358979;
    static const int64_t times[] = {0, -1, 1700000000000, INT64_MAX / 2, INT64_MIN / 2};
    for (int round = 0; round < 300; round++) {
        struct report_ring ring;
        struct report_header header;
        struct value sent[100];
        struct list list = {0};
        const char *why;
        int64_t wall_ms = times[round % 5];
        uint32_t boot = (uint32_t)next_random(&random);
        open_ring(&ring, boot);
        size_t n = 1 + next_random(&random) % 100;
        for (size_t i = 0; i < n; i++) {
            sent[i] = random_entry(&random, wall_ms);
            sent[i].wall_ms = i ? sent[i].wall_ms : wall_ms;
            assert_int_equal(report_add(&ring, sent[i].series, sent[i].wall_ms, &sent[i].result),
                             0);
        }
        const struct report_block *block = flushed(&ring);
        assert_int_equal(ring.last, 1);
        assert_int_equal(decode(block->bytes, block->len, &header, &list, &why), 0);
        assert_int_equal(header.boot, boot);
        assert_int_equal(header.wall_ms, wall_ms);
        assert_int_equal(list.n, n);
        for (size_t i = 0; i < n; i++)
            assert_same_entry(&list.entries[i], &sent[i]);
        report_close(&ring);
    }
}

static void test_callback_stops(void **unused)
{
    (void)unused;
    struct report_header header;
    const char *why;
    for (size_t stop = 1; stop <= KNOWN_ENTRIES; stop++) {
        struct list list = {.stop_after = stop};
        assert_int_equal(decode(known, sizeof known, &header, &list, &why), 0);
        assert_int_equal(list.n, stop);
    }
}

static void test_every_truncation_is_rejected(void **unused)
{
    (void)unused;
    struct report_header header;
    struct list list = {0};
    const char *why;
    for (size_t len = 0; len < sizeof known; len++)
        assert_int_equal(decode(known, len, &header, &list, &why), EBADMSG);
    assert_int_equal(report_decode(NULL, 0, &header, append, &list, &why), EBADMSG);
    assert_string_equal(why, "the block is cut short");
}

static void test_trailing_octets_are_rejected(void **unused)
{
    (void)unused;
    struct report_header header;
    struct list list = {0};
    const char *why;
    uint8_t bytes[sizeof known + 1];
    memcpy(bytes, known, sizeof known);
    for (int octet = 0; octet < 256; octet++) {
        bytes[sizeof known] = (uint8_t)octet;
        assert_int_equal(decode(bytes, sizeof bytes, &header, &list, &why), EBADMSG);
        assert_string_equal(why, "there are octets after the block");
    }
}

/* Where the arrays of the known block begin: no other octet is right there. */
static bool is_array_head(size_t at)
{
    static const size_t heads[] = {0, 13, 14, 18, 25, 32, 40, 50};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (heads[i] == at)
            return true;
    return false;
}

static void test_every_single_octet_mutation(void **unused)
{
    (void)unused;
    struct report_header header;
    struct list list = {0};
    const char *why;
    uint8_t bytes[sizeof known];
    memcpy(bytes, known, sizeof known);
    for (size_t i = 0; i < sizeof known; i++) {
        for (int octet = 0; octet < 256; octet++) {
            bytes[i] = (uint8_t)octet;
            int error = decode(bytes, sizeof bytes, &header, &list, &why);
            if (is_array_head(i) && octet != known[i])
                assert_int_equal(error, EBADMSG);
        }
        bytes[i] = known[i];
    }
}

static void test_random_damage(void **unused)
{
    (void)unused;
    struct report_header header;
    struct list list = {0};
    const char *why;
    uint64_t random = 27182818284590;
    for (int i = 0; i < 50000; i++) {
        uint8_t bytes[sizeof known];
        memcpy(bytes, known, sizeof known);
        for (uint64_t n = 1 + next_random(&random) % 8; n; n--)
            bytes[next_random(&random) % sizeof bytes] = (uint8_t)next_random(&random);
        decode(bytes, 1 + next_random(&random) % sizeof bytes, &header, &list, &why);
    }
}

#define HEAD 0x85, 1, 1, 1, 0
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define FF4 0xff, 0xff, 0xff, 0xff
#define FF8 FF4, FF4

static const struct {
    const char *name;
    const uint8_t *bytes;
    size_t len;
    const char *why; /* a part of the reason; NULL: valid */
} crafted[] = {
    {"the least block", BYTES(HEAD, 0x81, 0x83, 0, 0, 0), NULL},
    {"longer forms of numbers",
     BYTES(0x98, 5, 0x18, 1, 0x19, 0, 1, 0x1a, 0, 0, 0, 1, 0, 0x81, 0x83, 0x1b, 0, 0, 0, 0, 0, 0, 0,
           1, 0, 0),
     NULL},
    {"empty array", BYTES(0x80), "array of five"},
    {"array of four", BYTES(0x84, 1, 1, 1, 0), "array of five"},
    {"array of six", BYTES(0x86, 1, 1, 1, 0, 0x81, 0x83, 0, 0, 0, 0), "array of five"},
    {"indefinite block", BYTES(0x9f, 1, 1, 1, 0, 0x81, 0x83, 0, 0, 0, 0xff), "array of five"},
    {"indefinite entries", BYTES(HEAD, 0x9f, 0x83, 0, 0, 0, 0xff), "entries"},
    {"indefinite entry", BYTES(HEAD, 0x81, 0x9f, 0, 0, 0, 0xff), "array of three"},
    {"a break", BYTES(0xff), "array of five"},
    {"a map", BYTES(0xa1, 1, 1), "array of five"},
    {"an indefinite map", BYTES(0xbf, 0xff), "array of five"},
    {"a string", BYTES(0x61, 'a'), "array of five"},
    {"an indefinite string", BYTES(0x7f, 0x61, 'a', 0xff), "array of five"},
    {"octets", BYTES(0x41, 'a'), "array of five"},
    {"a tag", BYTES(0xc1, HEAD, 0x81, 0x83, 0, 0, 0), "array of five"},
    {"reserved additional information", BYTES(0x1c), "not CBOR"},
    {"array of 2^64 - 1", BYTES(0x9b, FF8), "array of five"},
    {"map of 2^64 - 1", BYTES(0xbb, FF8), "array of five"},
    {"octets, 2^64 - 1", BYTES(0x5b, FF8), "cut short"},
    {"a string of 2^64 - 1", BYTES(0x7b, FF8, 'a'), "cut short"},
    {"a string of 2^63", BYTES(0x7b, 0x80, 0, 0, 0, 0, 0, 0, 0, 'a'), "cut short"},
    {"a string of 4 GiB", BYTES(0x7a, FF4, 'a'), "cut short"},
    {"version 0", BYTES(0x85, 0, 1, 1, 0, 0x81, 0x83, 0, 0, 0), "version is not 1 or 2"},
    {"version 2", BYTES(0x85, 2, 1, 1, 0, 0x81, 0x83, 0, 0, 0), NULL},
    {"version 3", BYTES(0x85, 3, 1, 1, 0, 0x81, 0x83, 0, 0, 0), "version is not 1 or 2"},
    {"a series less", BYTES(0x85, 2, 1, 1, 0, 0x82, 0x83, 1, 0, 0, 0x83, 0x20, 0, 0), NULL},
    {"a series below 0", BYTES(0x85, 2, 1, 1, 0, 0x82, 0x83, 1, 0, 0, 0x83, 0x21, 0, 0), "series"},
    {"the last series",
     BYTES(0x85, 2, 1, 1, 0, 0x82, 0x83, 1, 0, 0, 0x83, 0x1a, 0xff, 0xff, 0xff, 0xfe, 0, 0), NULL},
    {"a series beyond", BYTES(0x85, 2, 1, 1, 0, 0x82, 0x83, 1, 0, 0, 0x83, 0x1a, FF4, 0, 0),
     "series"},
    {"a series far beyond", BYTES(0x85, 2, 1, 1, 0, 0x82, 0x83, 1, 0, 0, 0x83, 0x1b, FF8, 0, 0),
     "series"},
    {"version -1", BYTES(0x85, 0x20, 1, 1, 0, 0x81, 0x83, 0, 0, 0), "version is not a number"},
    {"version null", BYTES(0x85, 0xf6, 1, 1, 0, 0x81, 0x83, 0, 0, 0), "version is not a number"},
    {"boot 2^32", BYTES(0x85, 1, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0x81, 0x83, 0, 0, 0), "boot"},
    {"boot true", BYTES(0x85, 1, 0xf5, 1, 0, 0x81, 0x83, 0, 0, 0), "boot"},
    {"sequence 0", BYTES(0x85, 1, 1, 0, 0, 0x81, 0x83, 0, 0, 0), "sequence is 0"},
    {"sequence -1", BYTES(0x85, 1, 1, 0x20, 0, 0x81, 0x83, 0, 0, 0), "sequence is not"},
    {"time 2^63", BYTES(0x85, 1, 1, 1, 0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x83, 0, 0, 0),
     "block's time"},
    {"time -2^63 - 1", BYTES(0x85, 1, 1, 1, 0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x83, 0, 0, 0),
     "block's time"},
    {"time -2^63", BYTES(0x85, 1, 1, 1, 0x3b, 0x7f, 0xff, 0xff, 0xff, FF4, 0x81, 0x83, 0, 0, 0),
     NULL},
    {"time as float", BYTES(0x85, 1, 1, 1, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x83, 0, 0, 0),
     "block's time"},
    {"no entries", BYTES(HEAD, 0x80), "entries"},
    {"entries are a number", BYTES(HEAD, 1, 0, 0, 0), "entries"},
    {"more entries than there are", BYTES(HEAD, 0x82, 0x83, 0, 0, 0x19, 1, 1, 0x83), "cut short"},
    {"more entries than octets", BYTES(HEAD, 0x83, 0x83, 0, 0, 0), "entries"},
    {"2^64 - 1 entries", BYTES(HEAD, 0x9b, FF8, 0x83, 0, 0, 0), "entries"},
    {"2^62 entries", BYTES(HEAD, 0x9b, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x83, 0, 0, 0), "entries"},
    {"fewer entries than there are", BYTES(HEAD, 0x81, 0x83, 0, 0, 0, 0x83, 0, 0, 0), "after"},
    {"an entry of two", BYTES(HEAD, 0x81, 0x82, 0, 0, 0), "alarms"},
    {"an entry of one", BYTES(HEAD, 0x81, 0x81, 0, 0, 0), "array of three"},
    {"an entry of four", BYTES(HEAD, 0x81, 0x84, 0, 0, 0, 0), "array of three"},
    {"an entry of 2^64 - 1", BYTES(HEAD, 0x81, 0x9b, FF8, 0, 0, 0), "array of three"},
    {"an entry is a number", BYTES(HEAD, 0x81, 0, 0, 0, 0), "array of three"},
    {"series 2^32", BYTES(HEAD, 0x81, 0x83, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), "series"},
    {"series -1", BYTES(HEAD, 0x81, 0x83, 0x20, 0, 0), "series"},
    {"dt 2^31 - 1", BYTES(HEAD, 0x81, 0x83, 0, 0x1a, 0x7f, 0xff, 0xff, 0xff, 0), NULL},
    {"dt 2^31", BYTES(HEAD, 0x81, 0x83, 0, 0x1a, 0x80, 0, 0, 0, 0), "out of range"},
    {"dt -2^31", BYTES(HEAD, 0x81, 0x83, 0, 0x3a, 0x7f, 0xff, 0xff, 0xff, 0), NULL},
    {"dt -2^31 - 1", BYTES(HEAD, 0x81, 0x83, 0, 0x3a, 0x80, 0, 0, 0, 0), "out of range"},
    {"dt null", BYTES(HEAD, 0x81, 0x83, 0, 0xf6, 0), "a time is not"},
    {"time beyond 2^63 by dt",
     BYTES(0x85, 1, 1, 1, 0x1b, 0x7f, 0xff, 0xff, 0xff, FF4, 0x81, 0x83, 0, 1, 0), "out of range"},
    {"time beyond -2^63 by dt",
     BYTES(0x85, 1, 1, 1, 0x3b, 0x7f, 0xff, 0xff, 0xff, FF4, 0x81, 0x83, 0, 0x20, 0),
     "out of range"},
    {"value 2^53", BYTES(HEAD, 0x81, 0x83, 0, 0, 0x1b, 0, 0x20, 0, 0, 0, 0, 0, 0), NULL},
    {"value 2^53 + 1", BYTES(HEAD, 0x81, 0x83, 0, 0, 0x1b, 0, 0x20, 0, 0, 0, 0, 0, 1), "value"},
    {"value -2^53", BYTES(HEAD, 0x81, 0x83, 0, 0, 0x3b, 0, 0x1f, 0xff, 0xff, FF4), NULL},
    {"value -2^53 - 1", BYTES(HEAD, 0x81, 0x83, 0, 0, 0x3b, 0, 0x20, 0, 0, 0, 0, 0, 0), "value"},
    {"value 2^64 - 1", BYTES(HEAD, 0x81, 0x83, 0, 0, 0x1b, FF8), "value"},
    {"value -2^64", BYTES(HEAD, 0x81, 0x83, 0, 0, 0x3b, FF8), "value"},
    {"value infinite", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xfb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0), "value"},
    {"value NaN", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0), "value"},
    {"value 16-bit float", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xf9, 0x3c, 0), NULL},
    {"value 16-bit, infinite", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xf9, 0x7c, 0), "value"},
    {"value 32-bit float", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xfa, 0x3f, 0x80, 0, 0), NULL},
    {"value 32-bit, not a number", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xfa, 0x7f, 0xc0, 0, 0), "value"},
    {"value true", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xf5), "value"},
    {"value a string", BYTES(HEAD, 0x81, 0x83, 0, 0, 0x61, '1'), "value"},
    {"value a tagged one", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xc0, 0), "value"},
    {"value a break", BYTES(HEAD, 0x81, 0x83, 0, 0, 0xff), "value"},
};

static void test_crafted(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof crafted / sizeof crafted[0]; i++) {
        struct report_header header;
        struct list list = {0};
        const char *why;
        decode(crafted[i].bytes, crafted[i].len, &header, &list, &why);
        if (!why != !crafted[i].why || (why && !strstr(why, crafted[i].why)))
            fail_msg("%s: %s", crafted[i].name, why ? why : "accepted");
    }
}

/* The same octet over and over: arrays in arrays, maps, tags, indefinite ones, floats. */
static void test_deep_and_long(void **unused)
{
    (void)unused;
    static const size_t lens[] = {1, 100, REPORT_BLOCK_MAX, REPORT_BLOCK_MAX + 1, 1000000};
    uint8_t *bytes = malloc(1000000);
    assert_non_null(bytes);
    for (int octet = 0; octet < 256; octet++) {
        memset(bytes, octet, 1000000);
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            struct report_header header;
            struct list list = {0};
            const char *why = NULL;
            assert_int_equal(report_decode(bytes, lens[i], &header, append, &list, &why), EBADMSG);
            assert_int_equal(list.n, 0);
            assert_int_equal(strcmp(why, "the block is too long") == 0, lens[i] > REPORT_BLOCK_MAX);
        }
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_block),
        cmocka_unit_test(test_version_1_is_read),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_where_integers_end),
        cmocka_unit_test(test_random_round_trips),
        cmocka_unit_test(test_callback_stops),
        cmocka_unit_test(test_every_truncation_is_rejected),
        cmocka_unit_test(test_trailing_octets_are_rejected),
        cmocka_unit_test(test_every_single_octet_mutation),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_crafted),
        cmocka_unit_test(test_deep_and_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
