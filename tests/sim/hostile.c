#include "hostile.h"

#include <cbor.h>

#include "base/item.h"
#include "calculate/histogram.h"
#include "calculate/histogram_packed.h"

/* The longest entry that is made here, and the head of a block with fewer than 65536 entries. */
#define ENTRY_MAX 128
#define HEAD_MAX 24
#define BUCKETS_MAX 8

struct writer {
    uint8_t *at;
    size_t len;
    int64_t series; /* of the latest entry */
};

static uint32_t below(struct hostile *hostile, uint32_t n)
{
    /* xorshift64 (G. Marsaglia: Xorshift RNGs, 2003) */
    hostile->random ^= hostile->random << 13;
    hostile->random ^= hostile->random >> 7;
    hostile->random ^= hostile->random << 17;
    return (uint32_t)((hostile->random >> 32) % n);
}

static void put_array(struct writer *writer, size_t n)
{
    writer->len += cbor_encode_array_start(n, writer->at + writer->len, 9);
}

static void put_int(struct writer *writer, int64_t number)
{
    writer->len += item_put_int(writer->at + writer->len, 9, number);
}

/* Buckets with one value each, far apart. */
static void fill_side(struct hostile *hostile, struct histogram *histogram,
                      struct histogram_side *side)
{
    int buckets = HISTOGRAM_LAST - HISTOGRAM_FIRST + 1;
    uint32_t n = hostile->wide ? 2 : below(hostile, BUCKETS_MAX);
    int bucket = HISTOGRAM_FIRST + (hostile->wide ? 0 : (int)below(hostile, 100));
    int distance = hostile->wide ? buckets - 1 : 1 + (int)below(hostile, 300);
    for (uint32_t i = 0; i < n; i++, bucket += distance)
        histogram->count += histogram_side_add(side, bucket, 1) == 0;
}

static void put_histogram(struct writer *writer, const struct histogram *histogram)
{
    size_t len = histogram_pack(histogram, NULL, 0);
    writer->len += cbor_encode_bytestring_start(len, writer->at + writer->len, 9);
    writer->len += histogram_pack(histogram, writer->at + writer->len, len);
}

/* Its moments say that all values are 1, which contradicts nothing that anybody compares. */
static void put_window(struct hostile *hostile, struct writer *writer)
{
    uint32_t kind = hostile->wide ? 1 : below(hostile, 3);
    size_t length[] = {2, 7, 10};
    struct histogram histogram = {.count = 1, .zero = 1};
    fill_side(hostile, &histogram, &histogram.positive);
    fill_side(hostile, &histogram, &histogram.negative);
    int64_t n = (int64_t)histogram.count;
    put_array(writer, length[kind]);
    put_int(writer, 10000);
    if (kind > 0) {
        const int64_t moments[] = {n, 1, 1, 1, 0}; /* count, min, max, mean, m2 */
        for (size_t i = 0; i < 5; i++)
            put_int(writer, moments[i]);
    }
    put_histogram(writer, &histogram);
    if (kind == 2) {
        put_int(writer, n);     /* sum */
        put_int(writer, n);     /* expected */
        put_int(writer, 10000); /* oldest_ms */
    }
    histogram_release(&histogram);
}

static void put_value(struct hostile *hostile, struct writer *writer)
{
    switch (below(hostile, 4)) {
    case 0:
        writer->len += cbor_encode_null(writer->at + writer->len, 1);
        return;
    case 1:
        writer->len += cbor_encode_undef(writer->at + writer->len, 1);
        return;
    case 2:
        writer->len +=
            cbor_encode_double(below(hostile, UINT32_MAX) / 7.0 - 1e8, writer->at + writer->len, 9);
        return;
    default:
        put_int(writer, (int64_t)below(hostile, 1000) - 500);
    }
}

static void put_entry(struct hostile *hostile, struct writer *writer)
{
    uint32_t place = hostile->wide ? hostile->next++ : below(hostile, hostile->series_max);
    put_array(writer, 3);
    int64_t series = 1 + place % hostile->series_max;
    put_int(writer, series - writer->series);
    writer->series = series;
    put_int(writer, -(int64_t)below(hostile, 1000));
    if (hostile->wide || below(hostile, 4) == 0)
        put_window(hostile, writer);
    else
        put_value(hostile, writer);
}

size_t hostile_block(struct hostile *hostile, uint32_t boot, uint32_t sequence, uint8_t *room_at,
                     size_t room)
{
    uint8_t all[8192];
    struct writer entries = {.at = all}, block = {.at = room_at};
    size_t n = 0, most = room < sizeof all ? room : sizeof all;
    while (entries.len + ENTRY_MAX + HEAD_MAX <= most) {
        put_entry(hostile, &entries);
        n++;
    }
    put_array(&block, 5);
    put_int(&block, 2); /* the version */
    put_int(&block, boot);
    put_int(&block, sequence);
    put_int(&block, hostile->wall_ms);
    put_array(&block, n);
    for (size_t i = 0; i < entries.len; i++)
        block.at[block.len++] = all[i];
    return block.len;
}
