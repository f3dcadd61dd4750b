#include "base/item.h"

#include <cbor.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void on_number(void *context, enum item_kind kind, uint64_t number)
{
    struct item *item = context;
    item->kind = kind;
    item->number = number;
}

static void on_uint8(void *context, uint8_t number)
{
    on_number(context, ITEM_UINT, number);
}

static void on_uint16(void *context, uint16_t number)
{
    on_number(context, ITEM_UINT, number);
}

static void on_uint32(void *context, uint32_t number)
{
    on_number(context, ITEM_UINT, number);
}

static void on_uint64(void *context, uint64_t number)
{
    on_number(context, ITEM_UINT, number);
}

static void on_negint8(void *context, uint8_t number)
{
    on_number(context, ITEM_NEGINT, number);
}

static void on_negint16(void *context, uint16_t number)
{
    on_number(context, ITEM_NEGINT, number);
}

static void on_negint32(void *context, uint32_t number)
{
    on_number(context, ITEM_NEGINT, number);
}

static void on_negint64(void *context, uint64_t number)
{
    on_number(context, ITEM_NEGINT, number);
}

static void on_array(void *context, size_t length)
{
    on_number(context, ITEM_ARRAY, length);
}

static void on_text(void *context, cbor_data text, size_t length)
{
    on_number(context, ITEM_TEXT, length);
    ((struct item *)context)->text = (const char *)text;
}

static void on_octets(void *context, cbor_data octets, size_t length)
{
    on_text(context, octets, length);
    ((struct item *)context)->kind = ITEM_OCTETS;
}

static void on_float8(void *context, double real)
{
    struct item *item = context;
    item->kind = ITEM_FLOAT;
    item->real = real;
}

static void on_float(void *context, float real)
{
    on_float8(context, (double)real);
}

static void on_null(void *context)
{
    on_number(context, ITEM_NULL, 0);
}

static void on_undefined(void *context)
{
    on_number(context, ITEM_UNDEF, 0);
}

static const struct cbor_callbacks callbacks = {
    .uint8 = on_uint8,
    .uint16 = on_uint16,
    .uint32 = on_uint32,
    .uint64 = on_uint64,
    .negint8 = on_negint8,
    .negint16 = on_negint16,
    .negint32 = on_negint32,
    .negint64 = on_negint64,
    .byte_string_start = cbor_null_byte_string_start_callback,
    .byte_string = on_octets,
    .string_start = cbor_null_string_start_callback,
    .string = on_text,
    .indef_array_start = cbor_null_indef_array_start_callback,
    .array_start = on_array,
    .indef_map_start = cbor_null_indef_map_start_callback,
    .map_start = cbor_null_map_start_callback,
    .tag = cbor_null_tag_callback,
    .float2 = on_float,
    .float4 = on_float,
    .float8 = on_float8,
    .undefined = on_undefined,
    .null = on_null,
    .boolean = cbor_null_boolean_callback,
    .indef_break = cbor_null_indef_break_callback,
};

int item_take_any(struct item_reader *reader, struct item *item)
{
    *item = (struct item){.kind = ITEM_OTHER};
    struct cbor_decoder_result got = cbor_stream_decode(reader->at, reader->left, &callbacks, item);
    if (got.status == CBOR_DECODER_NEDATA)
        return ENODATA;
    if (got.status != CBOR_DECODER_FINISHED)
        return EBADMSG;
    item->length = got.read;
    reader->at += got.read;
    reader->left -= got.read;
    return 0;
}

size_t item_put_int(uint8_t *at, size_t room, int64_t number)
{
    /* RFC 8949, section 3.1: a negative integer is carried as -1 - number. */
    return number < 0 ? cbor_encode_negint((uint64_t)~number, at, room)
                      : cbor_encode_uint((uint64_t)number, at, room);
}

/* Whether a number that fits a float of 32 bits fits one of 16 bits, too. Numbers so small that
 * they lose digits there are left out: they are rare. */
static bool has_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x1fff) == 0 && fabsf(value) >= 0x1p-14f && fabsf(value) < 0x1p16f;
}

/* Up to this number an integer is not longer than a float of 32 bits. */
#define SHORT_MAX ((INT64_C(1) << 32) - 1)

static bool is_integer_up_to(double value, int64_t most)
{
    return fabs(value) <= (double)most && !islessgreater(value, trunc(value));
}

size_t item_put_number(uint8_t *at, size_t room, double value)
{
    if (is_integer_up_to(value, SHORT_MAX))
        return item_put_int(at, room, (int64_t)value);
    float single = fabs(value) <= (double)FLT_MAX ? (float)value : 0;
    if (!islessgreater((double)single, value))
        return has_half(single) ? cbor_encode_half(single, at, room)
                                : cbor_encode_single(single, at, room);
    if (is_integer_up_to(value, ITEM_EXACT_MAX))
        return item_put_int(at, room, (int64_t)value);
    return cbor_encode_double(value, at, room);
}
