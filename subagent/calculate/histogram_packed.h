/* A histogram as a string of bits, the first of which is the highest of the first octet.
 *
 * First comes the count of zeros plus 1. Then come the positive and the negative buckets, each as
 * the number of buckets with counts plus 1 and, if there are any: the first one in 12 bits,
 * HISTOGRAM_FIRST being 0; its count; and for each further one its distance from the one before and
 * its count. All except those 12 bits are numbers of at least 1 in the gamma code of P. Elias
 * (Universal Codeword Sets and Representations of the Integers. IEEE Transactions on Information
 * Theory 21(2), 1975): n zeros, and the n + 1 bits of the number, of which the highest is 1. Zeros
 * fill the last octet. Equal histograms are equal octets.
 *
 * Most buckets of a window have one or two values and are not far from each other, so that each of
 * them needs five or six bits; as integers of CBOR, a count and a gap are two octets. */
#ifndef DCAMP_CALCULATE_HISTOGRAM_PACKED_H
#define DCAMP_CALCULATE_HISTOGRAM_PACKED_H

#include "calculate/histogram.h"

/* Writes at most room octets and returns the length of the whole; if that is more than room, what
 * was written is useless. */
size_t histogram_pack(const struct histogram *histogram, uint8_t *octets, size_t room);

/* Replaces the histogram by the one that the octets are. EBADMSG with *why, or ENOMEM: nothing
 * changed. */
int histogram_unpack(struct histogram *histogram, const uint8_t *octets, size_t len,
                     const char **why);

#endif
