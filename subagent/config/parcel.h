/* The octets of a document: packed by zlib, shared by all their users, in base64 in the state file.
 */
#ifndef DCAMP_CONFIG_PARCEL_H
#define DCAMP_CONFIG_PARCEL_H

#include "config/fault.h"

#define PARCEL_MAX (1u << 20)

/* The octets of a document, which may have several users. All access is under the lock, except by
 * users who only read what has been there since they became a user. */
struct parcel {
    unsigned users;
    uint8_t digest[CONFIG_DIGEST];
    uint32_t len;
    char *base64; /* malloced, for the state file; NULL: not made yet */
    uint8_t octets[];
};

struct parcel *parcel_use(struct parcel *parcel);
void parcel_drop(struct parcel *parcel); /* NULL is allowed */

/* Makes a copy of octets that are complete, with their digest. NULL: there is no memory, or there
 * are no octets, or more than PARCEL_MAX. */
struct parcel *parcel_of(const uint8_t *octets, size_t len);

/* The octets in base64; the text belongs to the parcel. NULL: no memory. */
const char *parcel_base64(struct parcel *parcel);
/* Returns 0; ENOMEM; or EBADMSG: the text is not base64, or of too many octets, or of none. */
int parcel_from_base64(const char *text, size_t len, struct parcel **parcel);

/* Unpacks the text, as packing_unpack does, with the reason of a failure in error. */
char *parcel_unpack(const uint8_t *octets, size_t n, size_t *len, char error[FAULT_SIZE]);

/* Packs a text. NULL: there is no memory, or the packed text is larger than PARCEL_MAX. */
struct parcel *parcel_make(const char *text, size_t len);

#endif
