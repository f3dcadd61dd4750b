/* Object identifiers as people write them: decimal numbers between dots. Pure. */
#ifndef DCAMP_BASE_OID_H
#define DCAMP_BASE_OID_H

#include <stddef.h>
#include <stdint.h>

#define OID_MAX 128       /* RFC 3416, section 4.1 */
#define OID_TEXT_SIZE 256 /* with the NUL: 128 arcs of one digit each just fit */

/* Returns the number of arcs, 2 to OID_MAX; 0: it is not an object identifier. A dot before the
 * first arc is allowed. The first arc is 0 to 2, and the second is below 40 unless the first is 2:
 * others cannot be encoded (ITU-T X.690, 8.19.4). arcs: room for OID_MAX, or NULL. */
size_t oid_from_text(const char *text, size_t len, uint32_t *arcs);

/* The reverse, without a dot before the first arc. Returns the length of the text; 0: it does not
 * fit. */
size_t oid_to_text(const uint32_t *arcs, size_t n, char text[OID_TEXT_SIZE]);

/* Compares in the lexicographic order of RFC 2578, section 7.10: returns less than 0, 0 or more
 * than 0. */
int oid_compare(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len);

#endif
