/* Data items of CBOR (RFC 8949), one at a time: what histograms and report blocks are made of.
 * Nothing is allocated, and no length that the octets claim is believed. */
#ifndef DCAMP_BASE_ITEM_H
#define DCAMP_BASE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest head of an item: RFC 8949, section 3. */
#define ITEM_HEAD_MAX 9

enum item_kind {
    ITEM_OTHER, /* any that is not one of these */
    ITEM_UINT,
    ITEM_NEGINT,
    ITEM_ARRAY, /* its head; the elements are the items that follow */
    ITEM_FLOAT, /* of 16, 32 or 64 bits */
    ITEM_NULL,
    ITEM_UNDEF,
    ITEM_TEXT,  /* of a length that it says: not in pieces */
    ITEM_OCTETS /* likewise: a byte string */
};

struct item {
    enum item_kind kind;
    uint64_t number;  /* the length of an array, or of a text in octets; of a negative integer,
                       * -1 - value */
    const char *text; /* not checked, without a NUL; where the octets are */
    double real;
    size_t length; /* of its octets; of an array, of its head */
};

struct item_reader {
    const uint8_t *at;
    size_t left;
};

/* Takes the next item and moves on. 0; ENODATA: the octets end in it; EBADMSG: it is not CBOR. */
int item_take(struct item_reader *reader, struct item *item);

/* False for what is no integer of int64_t. */
bool item_int(const struct item *item, int64_t *number);

/* A finite floating-point number, or an integer that has a double of its own. False for any other.
 */
bool item_number(const struct item *item, double *number);

/* Writes at most room octets and returns the length, or 0 without enough room. */
size_t item_put_int(uint8_t *at, size_t room, int64_t number);

/* Writes at most room octets, at most ITEM_HEAD_MAX, and returns the length, or 0 without enough
 * room. The number is finite. It is written exactly, in the shortest form that does so: an integer,
 * or a float of 16, 32 or 64 bits; an integer where it is not longer. */
size_t item_put_number(uint8_t *at, size_t room, double value);

#endif
