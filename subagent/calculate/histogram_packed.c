#include "calculate/histogram_packed.h"

#include <assert.h>
#include <errno.h>

#define FIRST_BITS 12
static_assert(HISTOGRAM_LAST - HISTOGRAM_FIRST < 1 << FIRST_BITS, "a bucket has a number");

/* The zeros before the largest number that there is, 2^32. */
#define ZEROS_MAX 32

/* -- Writing --------------------------------------------------------------------------------- */

struct writer {
    uint8_t *at;
    size_t room;
    size_t length;   /* of what was to be written */
    uint64_t held;   /* bits that are no octet yet, the lowest last */
    unsigned n_held; /* how many */
};

/* At most 33 bits. */
static void put_bits(struct writer *writer, uint64_t number, unsigned n)
{
    writer->held = writer->held << n | number;
    writer->n_held += n;
    for (; writer->n_held >= 8; writer->n_held -= 8) {
        if (writer->length < writer->room)
            writer->at[writer->length] = (uint8_t)(writer->held >> (writer->n_held - 8));
        writer->length++;
    }
}

static void put_gamma(struct writer *writer, uint64_t number)
{
    unsigned zeros = 63 - (unsigned)__builtin_clzll(number);
    put_bits(writer, 0, zeros);
    put_bits(writer, number, zeros + 1);
}

static uint64_t count_buckets(const struct histogram_side *side)
{
    uint64_t n = 0;
    for (int i = side->low; i < side->end; i++)
        n += histogram_side_count(side, i) > 0;
    return n;
}

static void put_side(struct writer *writer, const struct histogram_side *side)
{
    uint64_t n = count_buckets(side);
    int before = side->low;
    put_gamma(writer, n + 1);
    if (n > 0)
        put_bits(writer, (uint64_t)(side->low - HISTOGRAM_FIRST), FIRST_BITS);
    for (int i = side->low; i < side->end; i++) {
        uint32_t count = histogram_side_count(side, i);
        if (count == 0)
            continue;
        if (i > before)
            put_gamma(writer, (uint64_t)(i - before));
        put_gamma(writer, count);
        before = i;
    }
}

size_t histogram_pack(const struct histogram *histogram, uint8_t *octets, size_t room)
{
    struct writer writer = {.at = octets, .room = room};
    put_gamma(&writer, UINT64_C(1) + histogram->zero);
    put_side(&writer, &histogram->positive);
    put_side(&writer, &histogram->negative);
    put_bits(&writer, 0, (8 - writer.n_held) % 8);
    return writer.length;
}

/* -- Reading --------------------------------------------------------------------------------- */

struct reader {
    const uint8_t *at;
    size_t left;
    uint64_t held;
    unsigned n_held;
    const char *why; /* the first fault in the octets */
    int error;
};

static bool reader_fail(struct reader *reader, int error, const char *why)
{
    reader->error = error;
    reader->why = why;
    return false;
}

/* At most 33 bits. */
static bool take_bits(struct reader *reader, unsigned n, uint64_t *number)
{
    for (; reader->n_held < n; reader->n_held += 8, reader->left--) {
        if (reader->left == 0)
            return reader_fail(reader, EBADMSG, "the histogram is cut short");
        reader->held = reader->held << 8 | *reader->at++;
    }
    reader->n_held -= n;
    *number = reader->held >> reader->n_held & ((UINT64_C(1) << n) - 1);
    return true;
}

static bool take_gamma(struct reader *reader, uint64_t most, uint64_t *number, const char *why)
{
    uint64_t bit, rest;
    unsigned zeros = 0;
    for (;; zeros++) {
        if (!take_bits(reader, 1, &bit))
            return false;
        if (bit)
            break;
        if (zeros == ZEROS_MAX)
            return reader_fail(reader, EBADMSG, why);
    }
    if (!take_bits(reader, zeros, &rest))
        return false;
    *number = UINT64_C(1) << zeros | rest;
    return *number <= most || reader_fail(reader, EBADMSG, why);
}

/* The bucket comes next; it is none beyond the last. */
static bool take_count(struct reader *reader, struct histogram_side *side, int bucket,
                       uint64_t *total)
{
    uint64_t count;
    if (!take_gamma(reader, UINT32_MAX, &count, "a count of the histogram is above 32 bits"))
        return false;
    *total += count;
    int error = histogram_side_add(side, bucket, (uint32_t)count);
    return !error || reader_fail(reader, error, NULL);
}

static bool take_side(struct reader *reader, struct histogram_side *side, uint64_t *total)
{
    static const char beyond[] = "a bucket is beyond the last";
    uint64_t n, bucket, distance;
    if (!take_gamma(reader, UINT64_C(1) + HISTOGRAM_LAST - HISTOGRAM_FIRST + 1, &n,
                    "the histogram has more buckets than there are"))
        return false;
    if (n == 1)
        return true;
    if (!take_bits(reader, FIRST_BITS, &bucket))
        return false;
    if (bucket > HISTOGRAM_LAST - HISTOGRAM_FIRST)
        return reader_fail(reader, EBADMSG, beyond);
    if (!take_count(reader, side, HISTOGRAM_FIRST + (int)bucket, total))
        return false;
    for (; n > 2; n--) {
        if (!take_gamma(reader, HISTOGRAM_LAST - HISTOGRAM_FIRST - bucket, &distance, beyond))
            return false;
        bucket += distance;
        if (!take_count(reader, side, HISTOGRAM_FIRST + (int)bucket, total))
            return false;
    }
    return true;
}

static bool take_histogram(struct reader *reader, struct histogram *histogram)
{
    uint64_t zero, rest;
    if (!take_gamma(reader, UINT64_C(1) << 32, &zero, "the count of zeros is above 32 bits"))
        return false;
    histogram->zero = (uint32_t)(zero - 1);
    histogram->count = histogram->zero;
    if (!take_side(reader, &histogram->positive, &histogram->count) ||
        !take_side(reader, &histogram->negative, &histogram->count) ||
        !take_bits(reader, reader->n_held, &rest))
        return false;
    return (reader->left == 0 && rest == 0) ||
           reader_fail(reader, EBADMSG, "there is something after the histogram");
}

int histogram_unpack(struct histogram *histogram, const uint8_t *octets, size_t len,
                     const char **why)
{
    struct reader reader = {.at = octets, .left = len};
    struct histogram unpacked = {0};
    if (!take_histogram(&reader, &unpacked)) {
        histogram_release(&unpacked);
        if (reader.error == EBADMSG)
            *why = reader.why;
        return reader.error;
    }
    histogram_release(histogram);
    *histogram = unpacked;
    return 0;
}
