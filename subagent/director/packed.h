/* A document as it goes to a node: packed by zlib, and known by the SHA-256 of its packed octets.
 */
#ifndef DCAMP_DIRECTOR_PACKED_H
#define DCAMP_DIRECTOR_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

/* More than that no node takes. */
#define PACKED_MAX 1048576

struct packed {
    uint32_t users; /* it is freed with the last of them */
    uint8_t digest[CONFIG_DIGEST];
    uint32_t len;
    uint8_t octets[];
};

/* NULL: there is no memory, or it is more than PACKED_MAX. It has one user. */
struct packed *packed_make(const char *text, size_t len);

/* One user more; one user less, of NULL, too. */
struct packed *packed_use(struct packed *packed);
void packed_drop(struct packed *packed);

#endif
