#include "calculate/histogram_packed.h"

#include <assert.h>
#include <errno.h>

#include "base/bits.h"

#define FIRST_BITS 12
static_assert(HISTOGRAM_LAST - HISTOGRAM_FIRST < 1 << FIRST_BITS, "a bucket has a number");

/* The zeros before the largest number that can occur, 2^32. */
#define ZEROS_MAX 32

/* -- Writing --------------------------------------------------------------------------------- */

static void put_gamma(struct bit_writer *writer, uint64_t number)
{
    unsigned zeros = 63 - (unsigned)__builtin_clzll(number);
    bits_put(writer, 0, zeros);
    bits_put(writer, number, zeros + 1);
}

static uint64_t count_buckets(const struct histogram_side *side)
{
    uint64_t n = 0;
    for (int i = side->low; i < side->end; i++)
        n += histogram_side_count(side, i) > 0;
    return n;
}

static void put_side(struct bit_writer *writer, const struct histogram_side *side)
{
    uint64_t n = count_buckets(side);
    int before = side->low;
    put_gamma(writer, n + 1);
    if (n > 0)
        bits_put(writer, (uint64_t)(side->low - HISTOGRAM_FIRST), FIRST_BITS);
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
    struct bit_writer writer = {.at = octets, .room = room};
    put_gamma(&writer, UINT64_C(1) + histogram->zero);
    put_side(&writer, &histogram->positive);
    put_side(&writer, &histogram->negative);
    return bits_end(&writer);
}

/* -- Reading --------------------------------------------------------------------------------- */

struct reader {
    struct bit_reader bits;
    const char *why; /* the first fault in the octets */
    int error;
};

static bool reader_fail(struct reader *reader, int error, const char *why)
{
    reader->error = error;
    reader->why = why;
    return false;
}

static const char cut_short[] = "the histogram is cut short";

/* Takes at most 33 bits. */
static bool take_bits(struct reader *reader, unsigned n, uint64_t *number)
{
    if (bits_left(&reader->bits) < n)
        return reader_fail(reader, EBADMSG, cut_short);
    *number = bits_take(&reader->bits, n);
    return true;
}

static bool take_gamma(struct reader *reader, uint64_t most, uint64_t *number, const char *why)
{
    uint64_t word = bits_peek(&reader->bits), rest;
    unsigned zeros = word ? (unsigned)__builtin_clzll(word) : 64;
    if (zeros > ZEROS_MAX)
        return reader_fail(reader, EBADMSG, bits_left(&reader->bits) > ZEROS_MAX ? why : cut_short);
    bits_take(&reader->bits, zeros + 1);
    if (!take_bits(reader, zeros, &rest))
        return false;
    *number = UINT64_C(1) << zeros | rest;
    return *number <= most || reader_fail(reader, EBADMSG, why);
}

/* Takes the count of that bucket, which is not beyond the last one. */
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
        !take_side(reader, &histogram->negative, &histogram->count))
        return false;
    size_t left = bits_left(&reader->bits);
    rest = bits_take(&reader->bits, left % 8);
    return (left < 8 && rest == 0) ||
           reader_fail(reader, EBADMSG, "there is something after the histogram");
}

int histogram_unpack(struct histogram *histogram, const uint8_t *octets, size_t len,
                     const char **why)
{
    struct reader reader = {.bits = {.at = octets, .length = len}};
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
