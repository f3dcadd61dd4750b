#include <assert.h>
#include <cbor.h>
#include <string.h>

#include "base/item.h"
#include "base/text.h"
#include "report/block.h"

static_assert(REPORT_BLOCK_MIN - BLOCK_HEAD_MAX >= BLOCK_RECORD_MAX,
              "a record fits into an empty block");

static size_t put_if(uint8_t *at, size_t room, bool is_known, uint64_t number)
{
    return is_known ? cbor_encode_uint(number, at, room) : cbor_encode_null(at, room);
}

static size_t put_node(uint8_t *at, size_t room, const struct report_record *record)
{
    size_t n = cbor_encode_string_start(record->node_len, at, room);
    memcpy(at + n, record->node, record->node_len);
    return n + record->node_len;
}

size_t block_put_record(uint8_t at[BLOCK_RECORD_MAX], struct block_before *before, uint32_t series,
                        int32_t dt, const struct report_record *record)
{
    const size_t room = BLOCK_RECORD_MAX;
    bool is_long = record->has_cpu || record->has_allocated || record->node_len > 0;
    size_t n = block_put_start(at, before, series, dt);
    before->series = series;
    n += cbor_encode_array_start(is_long ? BLOCK_RECORD_ITEMS : BLOCK_RECORD_ITEMS_SHORT, at + n,
                                 room - n);
    n += cbor_encode_uint(record->start_ns, at + n, room - n);
    n += cbor_encode_uint(record->duration_ns, at + n, room - n);
    n += cbor_encode_uint(record->sequence, at + n, room - n);
    n += item_put_int(at + n, room - n, record->result);
    if (!is_long)
        return n;
    n += cbor_encode_array_start(record->node_len > 0 ? 3 : 2, at + n, room - n);
    n += put_if(at + n, room - n, record->has_cpu, record->cpu_ns);
    n += put_if(at + n, room - n, record->has_allocated, record->allocated);
    return record->node_len > 0 ? n + put_node(at + n, room - n, record) : n;
}

static bool take_uint(struct item_reader *items, uint64_t *number)
{
    struct item item;
    if (item_take(items, &item) != 0 || item.kind != ITEM_UINT)
        return false;
    *number = item.number;
    return true;
}

/* Takes a number or null. */
static bool take_if(struct item_reader *items, bool *is_known, uint64_t *number)
{
    struct item item;
    if (item_take(items, &item) != 0 || (item.kind != ITEM_UINT && item.kind != ITEM_NULL))
        return false;
    *is_known = item.kind == ITEM_UINT;
    *number = *is_known ? item.number : 0;
    return true;
}

/* Takes the head of an array and returns its number of elements; 0: it is not an array of two or
 * three. */
static uint64_t take_head(struct item_reader *items)
{
    struct item item;
    bool is_array = item_take(items, &item) == 0 && item.kind == ITEM_ARRAY;
    return is_array && (item.number == 2 || item.number == 3) ? item.number : 0;
}

static bool take_node(struct item_reader *items, struct report_record *record)
{
    struct item item;
    if (item_take(items, &item) != 0 || item.kind != ITEM_TEXT || item.number == 0 ||
        item.number >= ALARM_PATH_SIZE || !text_is_printable(item.text, item.number))
        return false;
    record->node = item.text;
    record->node_len = item.number;
    return true;
}

static bool take_result(struct item_reader *items, int32_t *result)
{
    struct item item;
    int64_t number;
    if (item_take(items, &item) != 0 || !item_int(&item, &number) || number < INT32_MIN ||
        number > INT32_MAX)
        return false;
    *result = (int32_t)number;
    return true;
}

const char *block_take_record(struct item_reader *items, uint64_t length,
                              struct report_record *record)
{
    *record = (struct report_record){.start_ns = 0};
    if (!take_uint(items, &record->start_ns) || !take_uint(items, &record->duration_ns) ||
        !take_uint(items, &record->sequence))
        return "the start, duration or sequence of a record is not a number";
    if (!take_result(items, &record->result))
        return "the result of a record is not a 32-bit integer";
    if (length == BLOCK_RECORD_ITEMS_SHORT)
        return NULL;
    uint64_t used = take_head(items);
    if (used == 0)
        return "what a record has used is not an array of two or three";
    if (!take_if(items, &record->has_cpu, &record->cpu_ns) ||
        !take_if(items, &record->has_allocated, &record->allocated))
        return "what a record has used is not a number or null";
    if (used == 3)
        return take_node(items, record) ? NULL : "the node of a record is no name of one";
    return record->has_cpu || record->has_allocated ? NULL
                                                    : "a record has used nothing that is known";
}
