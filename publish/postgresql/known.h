/* Numbers that a database has for names, as far as they were asked for lately. Pure but for
 * memory. */
#ifndef DCAMP_PUBLISH_POSTGRESQL_KNOWN_H
#define DCAMP_PUBLISH_POSTGRESQL_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known;

/* Of those that were found or added last, at least half of `most` are kept, and never more than
 * `most`, which is at least 2. NULL: no memory. known_free(NULL) is legal. */
struct known *known_new(size_t most);
void known_free(struct known *known);

/* The key is any octets. False: it is not known, or not any more. */
bool known_find(struct known *known, const void *key, size_t len, int32_t *number);

/* Adds one that is not known. 0 or ENOMEM. */
int known_add(struct known *known, const void *key, size_t len, int32_t number);

#endif
