/* For the tests of SET: a fingerprint of all that a SET could change. */
#ifndef DCAMP_TESTS_FINGERPRINT_H
#define DCAMP_TESTS_FINGERPRINT_H

#include "config/config.h"
#include "node.h"

/* Of all rows with all that is in them, but for the key and its place in the index. */
uint64_t rows_fingerprint(struct node *node);

/* Of what a walk of the writable tables finds. */
uint64_t walk_fingerprint(struct node *node);

struct fingerprint {
    uint64_t rows, walk, sets;
    uint32_t serial;
    uint8_t digest[CONFIG_DIGEST];
};

struct fingerprint fingerprint(struct node *node);

/* The rows are as they were; the serial and the number of SETs need not be. */
void assert_same_rows(struct node *node, const struct fingerprint *before);
void assert_nothing_changed(struct node *node, const struct fingerprint *before);

#endif
