#include "report/block.h"

#include <cbor.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/item.h"
#include "calculate/histogram_cbor.h"
#include "calculate/histogram_packed.h"

static size_t put_result(uint8_t *at, size_t room, const struct result *result)
{
    double value = result->value;
    if (result->state == RESULT_UNAVAILABLE)
        return cbor_encode_null(at, room);
    if (result->state != RESULT_VALID || !isfinite(value))
        return cbor_encode_undef(at, room);
    return item_put_number(at, room, value);
}

size_t block_put_head(uint8_t at[BLOCK_HEAD_MAX], const struct report_header *header,
                      uint32_t entries)
{
    size_t n = cbor_encode_array_start(5, at, BLOCK_HEAD_MAX);
    n += cbor_encode_uint(header->version, at + n, BLOCK_HEAD_MAX - n);
    n += cbor_encode_uint(header->boot, at + n, BLOCK_HEAD_MAX - n);
    n += cbor_encode_uint(header->sequence, at + n, BLOCK_HEAD_MAX - n);
    n += item_put_int(at + n, BLOCK_HEAD_MAX - n, header->wall_ms);
    return n + cbor_encode_array_start(entries, at + n, BLOCK_HEAD_MAX - n);
}

size_t block_put_entry(uint8_t at[BLOCK_ENTRY_MAX], struct block_before *before, uint32_t series,
                       int32_t dt, const struct result *result)
{
    size_t n = block_put_start(at, before, series, dt);
    before->series = series;
    return n + put_result(at + n, BLOCK_ENTRY_MAX - n, result);
}

/* It reads to a fixed depth, and believes no length that the octets claim unless there are that
 * many octets. */
struct reader {
    struct item_reader items;
    uint32_t version;
    struct block_before before;
    const char *why; /* the first fault */
    int error;
};

struct decoded_entry {
    struct report_entry entry;
    struct histogram histogram; /* of a window */
};

/* Values have a struct of their own, since most entries are values and a report_entry is five times
 * as large. */
struct decoded_value {
    uint32_t series;
    bool is_other; /* the entry is the next of the others, and not a value */
    int64_t wall_ms;
    struct result result;
};

/* Up to so many values need no allocation. */
#define FEW 64

/* All entries are decoded before the first callback, so that no callback is made if there is an
 * error. */
struct block {
    struct report_header header;
    struct decoded_value few[FEW], *values;
    struct decoded_entry *others; /* NULL: there is none yet */
    uint64_t entries, n_others;
};

static bool reader_fail(struct reader *reader, const char *why)
{
    reader->why = why;
    reader->error = EBADMSG;
    return false;
}

static bool fail_memory(struct reader *reader)
{
    reader_fail(reader, "there is no memory for the block");
    reader->error = ENOMEM;
    return false;
}

static bool take_item(struct reader *reader, struct item *item)
{
    int error = item_take(&reader->items, item);
    return !error || reader_fail(reader, error == ENODATA ? "the block is cut short"
                                                          : "the block is not CBOR");
}

static bool take_array(struct reader *reader, uint64_t min, uint64_t max, uint64_t *length,
                       const char *why)
{
    struct item item;
    if (!take_item(reader, &item))
        return false;
    if (item.kind != ITEM_ARRAY || item.number < min || item.number > max)
        return reader_fail(reader, why);
    *length = item.number;
    return true;
}

static bool take_uint32(struct reader *reader, uint32_t *number, const char *why)
{
    struct item item;
    if (!take_item(reader, &item))
        return false;
    if (item.kind != ITEM_UINT || item.number > UINT32_MAX)
        return reader_fail(reader, why);
    *number = (uint32_t)item.number;
    return true;
}

static bool take_any_int(struct reader *reader, int64_t *number, const char *why)
{
    struct item item;
    return take_item(reader, &item) && (item_int(&item, number) || reader_fail(reader, why));
}

/* Nearly all integers are small. */
static inline bool take_int(struct reader *reader, int64_t *number, const char *why)
{
    uint16_t small;
    if (!item_take_small(&reader->items, &small))
        return take_any_int(reader, number, why);
    *number = small;
    return true;
}

static bool take_number(struct reader *reader, double *number, const char *why)
{
    struct item item;
    return take_item(reader, &item) && (item_number(&item, number) || reader_fail(reader, why));
}

static bool value_of(struct reader *reader, const struct item *item, struct result *result)
{
    *result = (struct result){.state = RESULT_VALID};
    if (item->kind == ITEM_NULL)
        result->state = RESULT_UNAVAILABLE;
    else if (item->kind == ITEM_UNDEF)
        result->state = RESULT_GAP;
    else if (!item_number(item, &result->value))
        return reader_fail(reader,
                           "a value is no exact integer, finite float, null, undefined or array");
    return true;
}

static bool take_moments(struct reader *reader, struct report_window *window)
{
    static const char why[] = "a moment is no exact integer or finite float";
    struct item item;
    window->has_moments = true;
    if (!take_item(reader, &item))
        return false;
    if (item.kind != ITEM_UINT)
        return reader_fail(reader, "the count of a window is not a number");
    window->count = item.number;
    return take_number(reader, &window->min, why) && take_number(reader, &window->max, why) &&
           take_number(reader, &window->mean, why) && take_number(reader, &window->m2, why);
}

static bool take_totals(struct reader *reader, struct report_window *window)
{
    static const char why[] = "what an aggregate expects, or its age, is not a 32-bit number";
    struct report_totals *totals = &window->totals;
    window->has_totals = true;
    return take_number(reader, &totals->sum, "a sum is no exact integer or finite float") &&
           take_uint32(reader, &totals->expected, why) &&
           take_uint32(reader, &totals->oldest_ms, why);
}

static bool histogram_taken(struct reader *reader, int error, const char *why)
{
    if (error == 0)
        return true;
    return error == EBADMSG ? reader_fail(reader, why) : fail_memory(reader);
}

static bool unpack_histogram(struct reader *reader, const struct item *item,
                             struct histogram *histogram)
{
    const char *why = NULL;
    if (item->kind != ITEM_OCTETS)
        return reader_fail(reader, "a histogram is not octets");
    int error = histogram_unpack(histogram, (const uint8_t *)item->text, item->number, &why);
    return histogram_taken(reader, error, why);
}

/* In blocks of version 1 a histogram is an array. */
static bool take_histogram(struct reader *reader, struct histogram *histogram)
{
    struct item item;
    size_t used = 0;
    const char *why = NULL;
    if (reader->version > 1)
        return take_item(reader, &item) && unpack_histogram(reader, &item, histogram);
    int error = histogram_decode(histogram, reader->items.at, reader->items.left, &used, &why);
    reader->items.at += used;
    reader->items.left -= used;
    return histogram_taken(reader, error, why);
}

static bool take_length(struct reader *reader, struct report_window *window)
{
    if (!take_uint32(reader, &window->window_ms, "the length of a window is not a 32-bit number"))
        return false;
    if (window->window_ms == 0 && reader->version > 1)
        window->window_ms = reader->before.window_ms;
    reader->before.window_ms = window->window_ms;
    return true;
}

static void set_moments(struct report_window *window, const struct statistics_window *values)
{
    window->has_moments = true;
    window->count = values->count;
    window->min = values->min;
    window->max = values->max;
    window->mean = values->mean;
    window->m2 = values->m2;
}

static bool set_equal(struct reader *reader, const struct item *count, const struct item *value,
                      struct report_window *window)
{
    double number;
    if (count->kind != ITEM_UINT || !item_number(value, &number))
        return reader_fail(reader, "a window of equal values has no count, or no value");
    const struct statistics_window values = {
        .count = count->number, .min = number, .max = number, .mean = number};
    set_moments(window, &values);
    return true;
}

/* Takes the null that stands for the histogram of equal values. */
static bool take_equal_histogram(struct reader *reader, struct decoded_entry *decoded)
{
    struct report_window *window = &decoded->entry.window;
    struct item item;
    if (!take_item(reader, &item))
        return false;
    if (item.kind != ITEM_NULL || window->count > UINT32_MAX)
        return reader_fail(reader, "the histogram of equal values is not null, or too large");
    window->histogram = &decoded->histogram;
    int error = window->count == 0 ? 0
                                   : histogram_add_equal(&decoded->histogram, window->mean,
                                                         (uint32_t)window->count);
    return !error || fail_memory(reader);
}

static bool take_buckets(struct reader *reader, const struct item *mean,
                         const struct item *histogram, struct decoded_entry *decoded)
{
    struct report_window *window = &decoded->entry.window;
    double number;
    if (!item_number(mean, &number))
        return reader_fail(reader, "a mean is no exact integer or finite float");
    if (!unpack_histogram(reader, histogram, &decoded->histogram))
        return false;
    window->histogram = &decoded->histogram;
    const struct statistics_window values = statistics_of_histogram(&decoded->histogram, number);
    set_moments(window, &values);
    return true;
}

/* Takes the second element of a window that has two: the histogram of a further part, or one of the
 * short forms. */
static bool take_second(struct reader *reader, struct decoded_entry *decoded)
{
    struct report_window *window = &decoded->entry.window;
    struct item item, first, second;
    if (!take_item(reader, &item))
        return false;
    if (item.kind != ITEM_ARRAY) {
        window->histogram = &decoded->histogram;
        return unpack_histogram(reader, &item, &decoded->histogram);
    }
    if (item.number != 2 && item.number != 3)
        return reader_fail(reader, "a short window is not an array of two or three");
    if (!take_item(reader, &first) || !take_item(reader, &second))
        return false;
    if (item.number == 2 && second.kind == ITEM_OCTETS)
        return take_buckets(reader, &first, &second, decoded);
    return set_equal(reader, &first, &second, window) &&
           (item.number == 2 || take_equal_histogram(reader, decoded));
}

static bool take_rest(struct reader *reader, uint64_t length, struct decoded_entry *decoded)
{
    struct report_window *window = &decoded->entry.window;
    if (length == 2 && reader->version > 1)
        return take_second(reader, decoded);
    window->histogram = length == 6 ? NULL : &decoded->histogram;
    return (length == 2 || take_moments(reader, window)) &&
           (!window->histogram || take_histogram(reader, &decoded->histogram)) &&
           (length <= 7 || take_totals(reader, window));
}

static bool take_window(struct reader *reader, uint64_t length, struct decoded_entry *decoded)
{
    struct report_window *window = &decoded->entry.window;
    if (length != 2 && length != 6 && length != 7 && length != 10)
        return reader_fail(
            reader,
            "a window is not an array of two, six, seven or ten, a record one of four or five, "
            "nor keys one of three");
    if (!take_length(reader, window) || !take_rest(reader, length, decoded))
        return false;
    const char *why = block_window_fault(window);
    return !why || reader_fail(reader, why);
}

static bool take_record(struct reader *reader, uint64_t length, struct report_entry *entry)
{
    const char *why = block_take_record(&reader->items, length, &entry->record);
    entry->kind = REPORT_RECORD;
    return !why || reader_fail(reader, why);
}

static bool take_keys(struct reader *reader, struct report_entry *entry)
{
    const char *why = block_take_keys(&reader->items, &entry->keys);
    entry->kind = REPORT_KEYS;
    return !why || reader_fail(reader, why);
}

/* An array that is neither a record nor keys must be a window. */
static bool take_array_of(struct reader *reader, uint64_t length, struct decoded_entry *decoded)
{
    if (length == BLOCK_RECORD_ITEMS || length == BLOCK_RECORD_ITEMS_SHORT)
        return take_record(reader, length, &decoded->entry);
    if (length == BLOCK_KEYS_ITEMS)
        return take_keys(reader, &decoded->entry);
    decoded->entry.kind = REPORT_WINDOW;
    return take_window(reader, length, decoded);
}

static bool take_time(struct reader *reader, int64_t block_ms, int64_t *wall_ms)
{
    int64_t dt;
    if (!take_int(reader, &dt, "a time is not an integer"))
        return false;
    return (dt >= INT32_MIN && dt <= INT32_MAX && !__builtin_add_overflow(block_ms, dt, wall_ms)) ||
           reader_fail(reader, "a time is out of range");
}

static bool take_alarm(struct reader *reader, struct report_entry *entry)
{
    const char *why = block_take_alarm(&reader->items, entry);
    return !why || reader_fail(reader, why);
}

/* In blocks of version 1 it is the series itself, not the difference from the one before. */
static bool take_series(struct reader *reader, uint32_t *series)
{
    static const char why[] = "a series is not a 32-bit number";
    uint32_t before = reader->version > 1 ? reader->before.series : 0;
    int64_t difference;
    if (!take_int(reader, &difference, why))
        return false;
    if (__builtin_add_overflow(difference, before, series))
        return reader_fail(reader, why);
    reader->before.series = *series;
    return true;
}

/* Finds a place for entry i. The memory does not move, because a window points to its histogram. */
static struct decoded_entry *other_of(struct reader *reader, struct block *block, uint64_t i)
{
    if (!block->others)
        block->others = calloc(block->entries - i, sizeof *block->others);
    if (!block->others)
        fail_memory(reader);
    else
        block->values[i].is_other = true;
    return block->others ? &block->others[block->n_others++] : NULL;
}

static bool take_alarm_entry(struct reader *reader, struct block *block, uint64_t i)
{
    struct decoded_entry *other = other_of(reader, block, i);
    return other && take_time(reader, block->header.wall_ms, &other->entry.wall_ms) &&
           take_alarm(reader, &other->entry);
}

/* Takes a third element that is not a number in one of its most frequent forms. */
static bool take_any_value(struct reader *reader, struct block *block, uint64_t i)
{
    struct decoded_value *value = &block->values[i];
    struct item item;
    if (!take_item(reader, &item))
        return false;
    if (item.kind != ITEM_ARRAY)
        return value_of(reader, &item, &value->result);
    struct decoded_entry *other = other_of(reader, block, i);
    if (!other)
        return false;
    other->entry.series = value->series;
    other->entry.wall_ms = value->wall_ms;
    return take_array_of(reader, item.number, other);
}

static bool take_entry(struct reader *reader, struct block *block, uint64_t i)
{
    struct decoded_value *value = &block->values[i];
    uint64_t length = 3;
    value->is_other = false;
    if (!item_take_array(&reader->items, 3) &&
        !take_array(reader, 2, 3, &length, "an entry is not an array of three, or of two"))
        return false;
    if (length == 2)
        return take_alarm_entry(reader, block, i);
    if (!take_series(reader, &value->series) ||
        !take_time(reader, block->header.wall_ms, &value->wall_ms))
        return false;
    value->result.state = RESULT_VALID;
    return item_take_number(&reader->items, &value->result.value) ||
           take_any_value(reader, block, i);
}

static bool take_head(struct reader *reader, struct report_header *header, uint64_t *entries)
{
    uint64_t length;
    if (!take_array(reader, 5, 5, &length, "the block is not an array of five") ||
        !take_uint32(reader, &header->version, "the version is not a number"))
        return false;
    if (header->version < BLOCK_VERSION_OLDEST || header->version > BLOCK_VERSION)
        return reader_fail(reader, "the version is not 1 or 2");
    reader->version = header->version;
    if (!take_uint32(reader, &header->boot, "the boot count is not a 32-bit number") ||
        !take_uint32(reader, &header->sequence, "the sequence is not a 32-bit number"))
        return false;
    if (header->sequence == 0)
        return reader_fail(reader, "the sequence is 0");
    /* An entry takes at least four octets. */
    return take_int(reader, &header->wall_ms, "the block's time is not an integer") &&
           take_array(reader, 1, reader->items.left / 4, entries,
                      "the entries are not an array of 1 to as many as there are octets for");
}

static bool take_block(struct reader *reader, struct block *block)
{
    if (reader->items.left > REPORT_BLOCK_MAX)
        return reader_fail(reader, "the block is too long");
    if (!take_head(reader, &block->header, &block->entries))
        return false;
    if (block->entries > FEW)
        block->values = reallocarray(NULL, block->entries, sizeof *block->values);
    if (!block->values)
        return fail_memory(reader);
    for (uint64_t i = 0; i < block->entries; i++)
        if (!take_entry(reader, block, i))
            return false;
    return reader->items.left == 0 || reader_fail(reader, "there are octets after the block");
}

static void release(struct block *block)
{
    for (uint64_t i = 0; i < block->n_others; i++)
        if (block->others[i].entry.kind == REPORT_WINDOW)
            histogram_release(&block->others[i].histogram);
    free(block->others);
    if (block->values != block->few)
        free(block->values);
}

static void tell(const struct block *block, report_entry_fn *each, void *context)
{
    struct report_entry entry = {.kind = REPORT_VALUE};
    const struct decoded_entry *other = block->others;
    int ended = 0;
    for (uint64_t i = 0; i < block->entries && ended == 0; i++) {
        const struct decoded_value *value = &block->values[i];
        if (value->is_other) {
            ended = each(context, &other++->entry);
            continue;
        }
        entry.series = value->series;
        entry.wall_ms = value->wall_ms;
        entry.result = value->result;
        ended = each(context, &entry);
    }
}

int report_decode(const uint8_t *bytes, size_t len, struct report_header *header,
                  report_entry_fn *each, void *context, const char **why)
{
    struct block block;
    struct reader reader = {.items = {bytes, len}};
    block.values = block.few;
    block.others = NULL;
    block.entries = block.n_others = 0;
    if (take_block(&reader, &block)) {
        *header = block.header;
        tell(&block, each, context);
    } else {
        *why = reader.why;
    }
    release(&block);
    return reader.error;
}
