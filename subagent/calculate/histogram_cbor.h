/* A histogram as a data item of CBOR (RFC 8949). */
#ifndef DCAMP_CALCULATE_HISTOGRAM_CBOR_H
#define DCAMP_CALCULATE_HISTOGRAM_CBOR_H

#include "calculate/histogram.h"

/* The item is [version, zero, positive, negative].
 * Each side is [] or [first, n, ...]: the index of the first bucket that is not empty, then the
 * counts from there on, where -k stands for k empty buckets. Integers and lengths have their
 * shortest form and the last element of a side is a count, so that equal histograms are equal
 * octets. */

/* Writes at most room octets and returns the length of the whole; if that is more than room, what
 * was written is of no use. */
size_t histogram_encode(const struct histogram *histogram, uint8_t *bytes, size_t room);

/* Replaces the histogram by the one that the octets begin with; *used is its length. With used
 * NULL, nothing may follow it. EBADMSG with *why, ENOMEM; then nothing changed. */
int histogram_decode(struct histogram *histogram, const uint8_t *bytes, size_t len, size_t *used,
                     const char **why);

#endif
