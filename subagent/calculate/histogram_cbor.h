/* A histogram as it is in report blocks of version 1: a data item of CBOR (RFC 8949). It is only
 * read; calculate/histogram_packed.h says how histograms are written. */
#ifndef DCAMP_CALCULATE_HISTOGRAM_CBOR_H
#define DCAMP_CALCULATE_HISTOGRAM_CBOR_H

#include "calculate/histogram.h"

/* The item is [version, zero, positive, negative].
 * Each side is [] or [first, n, ...]: the index of the first bucket that is not empty, then the
 * counts from there on, where -k stands for k empty buckets. Integers and lengths have their
 * shortest form and the last element of a side is a count, so that equal histograms are equal
 * octets. */

/* Replaces the histogram by the one at the beginning of the octets; *used is its length. With used
 * NULL, nothing may follow it. EBADMSG with *why, or ENOMEM: nothing changed. */
int histogram_decode(struct histogram *histogram, const uint8_t *bytes, size_t len, size_t *used,
                     const char **why);

#endif
