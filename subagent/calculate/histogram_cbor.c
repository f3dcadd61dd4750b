#include "calculate/histogram_cbor.h"

#include <cbor.h>
#include <errno.h>

#include "base/item.h"

struct reader {
    struct item_reader items;
    const char *why; /* the first fault in the octets */
    int error;
};

static bool reader_fail(struct reader *reader, int error, const char *why)
{
    reader->error = error;
    reader->why = why;
    return false;
}

static bool bad(struct reader *reader, const char *why)
{
    return reader_fail(reader, EBADMSG, why);
}

/* Whether the head of a number or an array is as short as it can be. */
static bool is_shortest(const struct item *item)
{
    uint8_t head[ITEM_HEAD_MAX];
    bool has_number =
        item->kind == ITEM_UINT || item->kind == ITEM_NEGINT || item->kind == ITEM_ARRAY;
    return !has_number || cbor_encode_uint(item->number, head, sizeof head) == item->length;
}

static bool take_item(struct reader *reader, struct item *item)
{
    int error = item_take(&reader->items, item);
    if (error)
        return bad(reader,
                   error == ENODATA ? "the histogram is cut short" : "the histogram is not CBOR");
    return is_shortest(item) || bad(reader, "a number of the histogram is longer than it need be");
}

static bool take_array(struct reader *reader, uint64_t *length, const char *why)
{
    struct item item;
    if (!take_item(reader, &item))
        return false;
    if (item.kind != ITEM_ARRAY)
        return bad(reader, why);
    *length = item.number;
    return true;
}

static bool take_int(struct reader *reader, int64_t *number, const char *why)
{
    struct item item;
    if (!take_item(reader, &item))
        return false;
    /* No number in a histogram is beyond these limits. */
    if (!item_int(&item, number) || *number < -UINT16_MAX - 1 || *number > UINT32_MAX)
        return bad(reader, why);
    return true;
}

static bool take_uint32(struct reader *reader, uint32_t *number, const char *why)
{
    int64_t taken;
    if (!take_int(reader, &taken, why))
        return false;
    *number = (uint32_t)taken;
    return taken >= 0 || bad(reader, why);
}

/* Takes one count or gap; *index moves past the bucket or the empty buckets. */
static bool take_element(struct reader *reader, struct histogram_side *side, int *index,
                         bool *was_count, uint64_t *total)
{
    int64_t number;
    if (!take_int(reader, &number, "a count is not an integer of at most 32 bits"))
        return false;
    if (number == 0)
        return bad(reader, "a count is 0");
    if (number < 0 && !*was_count)
        return bad(reader, "a gap does not follow a count");
    *was_count = number > 0;
    if (number < 0 ? number < *index - HISTOGRAM_LAST : *index > HISTOGRAM_LAST)
        return bad(reader, "a bucket is beyond the last");
    if (number < 0) {
        *index -= (int)number;
        return true;
    }
    int error = histogram_side_add(side, (*index)++, (uint32_t)number);
    *total += (uint64_t)number;
    return !error || reader_fail(reader, error, NULL);
}

static bool take_side(struct reader *reader, struct histogram_side *side, uint64_t *total)
{
    uint64_t elements;
    int64_t first;
    if (!take_array(reader, &elements, "the buckets are not an array"))
        return false;
    if (elements == 0)
        return true;
    if (!take_int(reader, &first, "the first bucket is not an integer"))
        return false;
    if (first < HISTOGRAM_FIRST || first > HISTOGRAM_LAST)
        return bad(reader, "the first bucket is none of the scheme");
    bool was_count = false;
    int index = (int)first;
    for (uint64_t i = 1; i < elements; i++)
        if (!take_element(reader, side, &index, &was_count, total))
            return false;
    return was_count || bad(reader, "the buckets do not end with a count");
}

static bool take_histogram(struct reader *reader, struct histogram *histogram)
{
    uint64_t length;
    int64_t version;
    if (!take_array(reader, &length, "the histogram is not an array"))
        return false;
    if (length != 4)
        return bad(reader, "the histogram is not an array of four");
    if (!take_int(reader, &version, "the version of the histogram is not a number"))
        return false;
    if (version != HISTOGRAM_VERSION)
        return bad(reader, "the version of the histogram is not 1");
    if (!take_uint32(reader, &histogram->zero, "the count of zeros is not a 32-bit number"))
        return false;
    histogram->count = histogram->zero;
    return take_side(reader, &histogram->positive, &histogram->count) &&
           take_side(reader, &histogram->negative, &histogram->count);
}

static bool take_whole(struct reader *reader, struct histogram *histogram, bool to_the_end)
{
    if (!take_histogram(reader, histogram))
        return false;
    return !to_the_end || reader->items.left == 0 ||
           bad(reader, "there are octets after the histogram");
}

int histogram_decode(struct histogram *histogram, const uint8_t *bytes, size_t len, size_t *used,
                     const char **why)
{
    struct reader reader = {.items = {bytes, len}};
    struct histogram decoded = {0};
    if (!take_whole(&reader, &decoded, !used)) {
        histogram_release(&decoded);
        if (reader.error == EBADMSG)
            *why = reader.why;
        return reader.error;
    }
    if (used)
        *used = len - reader.items.left;
    histogram_release(histogram);
    *histogram = decoded;
    return 0;
}
