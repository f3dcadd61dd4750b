/* For tests: segments that no library has written, octet by octet, so that every one of them can
 * lie. */
#ifndef DCAMP_TESTS_FORGED_H
#define DCAMP_TESTS_FORGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "application/segment.h"
#include "libdcamp/segment.h"

struct forged {
    char *octets; /* SEGMENT_SIZE_MAX of them */
    size_t size;  /* of the file */
    struct segment_header *header;
    uint32_t numbers;           /* that are given away */
    uint32_t word_panel, words; /* the number of the last panel of words, and how many are taken */
};

/* A sound one without sensors. */
struct forged *forged_new(const char *name);
void forged_free(struct forged *forged);

/* A panel, made if need be. */
struct segment_panel *forged_panel(struct forged *forged, unsigned kind, unsigned shard,
                                   uint32_t number);

/* A sensor, with its numbers and its words in shard 0, as libdcamp would make it. */
struct segment_descriptor *forged_sensor(struct forged *forged, enum segment_kind kind,
                                         const char *name, const char *instance, const char *unit);

/* The places of what a sensor has in a shard, which are made if need be. An entry has a key then.
 */
uint64_t *forged_word(struct forged *forged, const struct segment_descriptor *is, unsigned shard,
                      unsigned word);
void forged_real(struct forged *forged, const struct segment_descriptor *is, unsigned shard,
                 unsigned word, double value);
uint32_t *forged_bucket(struct forged *forged, const struct segment_descriptor *is, unsigned shard,
                        bool negative, int index);
struct segment_entry *forged_entry(struct forged *forged, const struct segment_descriptor *is,
                                   unsigned shard, unsigned entry, const char *key, uint64_t count);

/* The record with that number; segment_shard.steps becomes that if it was less. */
struct segment_record *forged_record(struct forged *forged, unsigned shard, uint64_t number,
                                     uint32_t descriptor);

/* Makes a file of it, with the lock of a writer that lives, which the file descriptor keeps; or, as
 * one whose writer is dead: -1. */
int forged_publish(const struct forged *forged, const char *file, bool lives);

/* Opens it, as one whose writer is dead. */
enum segment_verdict forged_open(const struct forged *forged, struct segment *segment,
                                 char why[SEGMENT_WHY_SIZE]);

#endif
