/* The octets of a document: packed by zlib, shared by all who look at them, in base64 in the state
 * file. */
#ifndef DCAMP_CONFIG_PARCEL_H
#define DCAMP_CONFIG_PARCEL_H

#include "config/fault.h"

#define PARCEL_MAX (1u << 20)

/* Octets of a document, of which there may be several users. Under the lock, but for those who only
 * read what has been there since they became one. */
struct parcel {
    unsigned users;
    uint8_t digest[CONFIG_DIGEST];
    uint32_t len;
    char *base64; /* malloced, for the state file; NULL: not made yet */
    uint8_t octets[];
};

struct parcel *parcel_use(struct parcel *parcel);
void parcel_drop(struct parcel *parcel); /* NULL is allowed */

/* Octets that are there as a whole, copied, with their digest. NULL: no memory, or there are none,
 * or more than PARCEL_MAX. */
struct parcel *parcel_of(const uint8_t *octets, size_t len);

/* Its octets in base64, which stay with it. NULL: no memory. */
const char *parcel_base64(struct parcel *parcel);
/* 0, ENOMEM, or EBADMSG: it is no base64, or of too many octets, or of none. */
int parcel_from_base64(const char *text, size_t len, struct parcel **parcel);

/* The text of packed octets, as packing_unpack has it, with the reason in error. */
char *parcel_unpack(const uint8_t *octets, size_t n, size_t *len, char error[FAULT_SIZE]);

/* A text, packed. NULL: no memory, or packed it is more than PARCEL_MAX. */
struct parcel *parcel_make(const char *text, size_t len);

#endif
