/* Texts packed by zlib, and unpacked again within bounds, whoever packed them. */
#ifndef DCAMP_BASE_PACKING_H
#define DCAMP_BASE_PACKING_H

#include <stddef.h>
#include <stdint.h>

#define PACKING_TEXT_MAX (8u << 20)

/* Returns the text, malloced, with a NUL behind its end, which len does not count. NULL: it cannot
 * be unpacked, is larger than PACKING_TEXT_MAX, or there is no memory; then fault is the reason, a
 * constant, and errno is EBADMSG or ENOMEM. */
char *packing_unpack(const uint8_t *octets, size_t n, size_t *len, const char **fault);

/* The reverse; the octets are malloced. NULL: no memory. */
uint8_t *packing_pack(const char *text, size_t len, size_t *n);

#endif
