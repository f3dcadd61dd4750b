/* How sensors count: in the shard of the calling thread if the panel exists there, which takes a
 * few instructions; otherwise in what dcamp_process_place() finds. */
#ifndef DCAMP_COUNT_H
#define DCAMP_COUNT_H

#include "libdcamp/bucket.h"
#include "libdcamp/process.h"
#include "libdcamp/sensor.h"
#include "libdcamp/words.h"

void dcamp_count_elsewhere(uint32_t panel, uint32_t word, uint64_t n);
void dcamp_count_bucket_elsewhere(uint32_t panel, uint32_t bucket, uint32_t n);

/* Adds n to a word of the sensor. word is its index among the words of the sensor:
 * SEGMENT_..._... */
static inline void count_word(const struct handle *handle, unsigned word, uint64_t n)
{
    struct segment_panel *panel = dcamp_process_own_panel(handle->word_panel);
    if (__builtin_expect(panel != NULL, 1))
        words_add_own(&panel->word[handle->word + word], n);
    else
        dcamp_count_elsewhere(handle->word_panel, handle->word + word, n);
}

/* Counts n values in a bucket, numbered from 0; first is the number of the first of its panels. */
static inline void count_bucket(uint32_t first, unsigned bucket, uint32_t n)
{
    uint32_t number = first + bucket / SEGMENT_BUCKETS_IN_PANEL;
    struct segment_panel *panel = dcamp_process_own_panel(number);
    if (__builtin_expect(panel != NULL, 1))
        words_count_own(&panel->bucket[bucket % SEGMENT_BUCKETS_IN_PANEL], n);
    else
        dcamp_count_bucket_elsewhere(number, bucket % SEGMENT_BUCKETS_IN_PANEL, n);
}

/* Adds n to a word that is an f64. */
void dcamp_count_double(const struct handle *handle, unsigned word, double n);

/* For timers and steps: counts n more durations, in two adjacent words and in the buckets. */
static inline void count_durations(const struct handle *handle, unsigned word, uint64_t ns,
                                   uint32_t n)
{
    count_word(handle, word, n);
    count_word(handle, word + 1, ns * n);
    count_bucket(handle->panel, dcamp_bucket_of_nanoseconds(ns), n);
}

static inline void count_duration(const struct handle *handle, unsigned word, uint64_t ns)
{
    count_durations(handle, word, ns, 1);
}

/* The nanoseconds since a moment of dcamp_clock_now(). */
uint64_t dcamp_count_elapsed(uint64_t moment);

#endif
