/* Data items of CBOR (RFC 8949), read and written one at a time: histograms and report blocks are
 * made of them. Nothing is allocated, and no length that the octets claim is believed. */
#ifndef DCAMP_BASE_ITEM_H
#define DCAMP_BASE_ITEM_H

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The longest head of an item: RFC 8949, section 3. */
#define ITEM_HEAD_MAX 9

/* Up to this number every integer can be represented exactly by a double. */
#define ITEM_EXACT_MAX (INT64_C(1) << 53)

enum item_kind {
    ITEM_OTHER, /* any that is none of these */
    ITEM_UINT,
    ITEM_NEGINT,
    ITEM_ARRAY, /* only its head; the elements are the items that follow */
    ITEM_FLOAT, /* of 16, 32 or 64 bits */
    ITEM_NULL,
    ITEM_UNDEF,
    ITEM_TEXT,  /* with its length in the head, not in pieces */
    ITEM_OCTETS /* a byte string, likewise not in pieces */
};

struct item {
    enum item_kind kind;
    uint64_t number;  /* of an array or a text, its length, in elements or octets; of a negative
                         integer, -1 - value */
    const char *text; /* where the octets are; not checked, and without a NUL */
    double real;
    size_t length; /* of the octets of the item; of an array, of its head only */
};

struct item_reader {
    const uint8_t *at;
    size_t left;
};

/* Takes an item of any kind by libcbor; for item_take(). */
int item_take_any(struct item_reader *reader, struct item *item);

/* The number of a head: that of its first octet, info, or that in the 1, 2, 4 or 8 octets behind
 * it. */
static inline uint64_t item_number_behind(const uint8_t *at, unsigned info, size_t behind)
{
    uint64_t number = 0;
    if (behind == 0)
        return info;
    memcpy((uint8_t *)&number + sizeof number - behind, at, behind);
    return be64toh(number);
}

static inline double item_real_of(uint64_t bits, size_t octets)
{
    float single;
    double real;
    uint32_t few = (uint32_t)bits;
    memcpy(&single, &few, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return octets == sizeof single ? (double)single : real;
}

/* Takes the next item and moves on. Returns 0; ENODATA: the octets end within the item; EBADMSG: it
 * is not CBOR.
 *
 * The most frequent items are decoded here, without libcbor: integers, heads of arrays, and floats
 * of 32 and 64 bits, as in RFC 8949, section 3. A callback for each of them takes several times as
 * long, and there are millions. */
static inline int item_take(struct item_reader *reader, struct item *item)
{
    static const enum item_kind kinds[8] = {
        [0] = ITEM_UINT, [1] = ITEM_NEGINT, [4] = ITEM_ARRAY, [7] = ITEM_FLOAT};
    if (reader->left == 0)
        return ENODATA;
    unsigned major = *reader->at >> 5, info = *reader->at & 31;
    size_t behind = info < 24 ? 0 : (size_t)1 << (info - 24);
    if (kinds[major] == ITEM_OTHER || info > 27 || (major == 7 && info < 26) ||
        reader->left <= behind)
        return item_take_any(reader, item);
    uint64_t number = item_number_behind(reader->at + 1, info, behind);
    item->kind = kinds[major];
    item->number = major == 7 ? 0 : number;
    item->text = NULL;
    item->real = major == 7 ? item_real_of(number, behind) : 0;
    item->length = 1 + behind;
    reader->at += item->length;
    reader->left -= item->length;
    return 0;
}

/* Takes the head of an array with that number of elements, fewer than 24, if it comes next. */
static inline bool item_take_array(struct item_reader *reader, unsigned elements)
{
    if (reader->left == 0 || *reader->at != (4 << 5 | elements))
        return false;
    reader->at++;
    reader->left--;
    return true;
}

/* Takes an unsigned integer of at most 16 bits, if that comes next. */
static inline bool item_take_small(struct item_reader *reader, uint16_t *number)
{
    const uint8_t *at = reader->at;
    size_t length = reader->left == 0 || *at > 25 ? 0 : *at < 24 ? 1 : *at == 24 ? 2 : 3;
    if (length == 0 || length > reader->left)
        return false;
    *number = length == 1 ? at[0] : length == 2 ? at[1] : (uint16_t)((unsigned)at[1] << 8 | at[2]);
    reader->at += length;
    reader->left -= length;
    return true;
}

/* Decodes a float of 16 bits: RFC 8949, appendix D. False if it is 0, subnormal, infinite or not a
 * number. */
static inline bool item_half(unsigned bits, double *number)
{
    unsigned exponent = bits >> 10 & 31;
    uint64_t wide = (uint64_t)(bits >> 15) << 63 | (uint64_t)(exponent + 1023 - 15) << 52 |
                    (uint64_t)(bits & 0x3ff) << 42;
    if (exponent == 0 || exponent == 31)
        return false;
    memcpy(number, &wide, sizeof *number);
    return true;
}

/* Takes the next item as item_number() would convert it, if it is in one of the most frequent forms
 * and not among the last octets. */
static inline bool item_take_number(struct item_reader *reader, double *number)
{
    const uint8_t *at = reader->at;
    uint16_t small;
    if (item_take_small(reader, &small)) {
        *number = small;
        return true;
    }
    bool is_float = reader->left >= ITEM_HEAD_MAX && *at >= 0xf9 && *at <= 0xfb;
    if (!is_float && (reader->left < ITEM_HEAD_MAX || *at != 0x1a))
        return false;
    size_t behind = (size_t)1 << (*at & 3); /* 25 to 27: two octets, four or eight */
    uint64_t bits = item_number_behind(at + 1, 0, behind);
    if (!is_float)
        *number = (double)bits;
    else if (behind != sizeof(uint16_t))
        *number = item_real_of(bits, behind);
    else if (!item_half((unsigned)bits, number))
        return false;
    if (!isfinite(*number))
        return false;
    reader->at += 1 + behind;
    reader->left -= 1 + behind;
    return true;
}

/* False if the item is not an integer, or does not fit int64_t. */
static inline bool item_int(const struct item *item, int64_t *number)
{
    if ((item->kind != ITEM_UINT && item->kind != ITEM_NEGINT) || item->number > INT64_MAX)
        return false;
    *number = item->kind == ITEM_UINT ? (int64_t)item->number : ~(int64_t)item->number;
    return true;
}

/* A finite floating-point number, or an integer that a double represents exactly. False for any
 * other item. */
static inline bool item_number(const struct item *item, double *number)
{
    int64_t integer;
    *number = 0;
    if (item->kind == ITEM_FLOAT && isfinite(item->real))
        *number = item->real;
    else if (item_int(item, &integer) && integer >= -ITEM_EXACT_MAX && integer <= ITEM_EXACT_MAX)
        *number = (double)integer;
    else
        return false;
    return true;
}

/* Writes at most room octets and returns the length, or 0 if there is not enough room. */
size_t item_put_int(uint8_t *at, size_t room, int64_t number);

/* Writes at most room octets, at most ITEM_HEAD_MAX, and returns the length, or 0 if there is not
 * enough room. The number is finite. It is written exactly, in the shortest form that does so: as
 * an integer, or as a float of 16, 32 or 64 bits; as an integer if that is not longer. */
size_t item_put_number(uint8_t *at, size_t room, double value);

#endif
