/* A reader of segments that knows libdcamp/segment.h and nothing of the library: it takes a copy by
 * pread(2), checks all of it, and adds up what the shards have. */
#ifndef DCAMP_TESTS_SEGMENTS_H
#define DCAMP_TESTS_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdcamp/segment.h"

struct copy {
    char *octets;
    size_t size;
    const struct segment_header *header;
    const struct segment_panel **panel; /* shard * SEGMENT_NUMBERS + number; NULL: not there */
    const struct segment_descriptor *descriptor[SEGMENT_DESCRIPTORS_MAX];
    uint32_t descriptors;
    char fault[128]; /* "": none */
};

/* NULL: it cannot be read, or has no magic number. A copy of what is damaged has a fault. */
struct copy *copy_of(const char *path);
void copy_free(struct copy *copy);

/* Directories for DCAMP_APPS: made anew and empty, removed with what is in them, and the path of
 * the file of a process there, with its start time. */
void segments_use(char *directory, size_t size);
void segments_remove(const char *directory);
const char *segment_path(const char *directory, int pid, char *path, size_t size);

/* How many files there are. */
unsigned segments_count(const char *directory);

/* A copy of the file of this process, which has no fault: the test ends where it has. */
struct copy *own_copy(const char *directory);

/* The descriptor of a sensor; the test ends where there is none. */
const struct segment_descriptor *copy_descriptor(const struct copy *copy, const char *name,
                                                 const char *instance);

/* A word: of one shard, and the sum over all of them; as a number that is a double. */
uint64_t copy_word_of(const struct copy *copy, unsigned shard, const struct segment_descriptor *is,
                      unsigned word);
uint64_t copy_word(const struct copy *copy, const struct segment_descriptor *is, unsigned word);
double copy_double(const struct copy *copy, const struct segment_descriptor *is, unsigned word);

/* The sum of a bucket over all shards, by its index as histogram_index() has it; and of all of one
 * sign. */
uint32_t copy_bucket(const struct copy *copy, const struct segment_descriptor *is, bool negative,
                     int index);
uint64_t copy_buckets(const struct copy *copy, const struct segment_descriptor *is, bool negative);

/* The entries of a top that shards have together: equal keys added up. Entries that are being
 * written are left out. The number of them; at most size. */
struct merged {
    char key[SEGMENT_KEY + 1];
    uint64_t count, error;
};
size_t copy_top(const struct copy *copy, const struct segment_descriptor *is, struct merged *merged,
                size_t size);

/* The record with that number of a shard; NULL: it is not there any more, or not yet. */
const struct segment_record *copy_record(const struct copy *copy, unsigned shard, uint64_t number);

#endif
