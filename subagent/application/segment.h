/* A segment that some program has written (libdcamp/segment.h), read without trust. It is given as
 * private copies of its octets; every offset, count, name and kind in them is checked before
 * anything uses it, and an error names its place. Pure.
 *
 * What a sensor has counted is summed up over the shards of its program. */
#ifndef DCAMP_APPLICATION_SEGMENT_H
#define DCAMP_APPLICATION_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calculate/keys.h"
#include "libdcamp/segment.h"

/* Octets in the order in which they were read: the header first, and then the rest. They must be
 * aligned as uint64_t is, and stay valid as long as the segment is used. */
struct segment_copy {
    const void *octets;
    size_t size;
};

/* Copies that were made one after the other. The one in the middle is what is read. The others tell
 * which of its entries of tops and records of steps nobody was writing; for a dead writer all three
 * are the same copy. Without them (NULL, 0) there are no entries and no records. */
enum { SEGMENT_BEFORE, SEGMENT_READ, SEGMENT_AFTER, SEGMENT_COPIES };

enum segment_verdict {
    SEGMENT_SOUND,
    SEGMENT_UNFINISHED, /* there is no magic number: it is still being created, or never was */
    SEGMENT_FOREIGN,    /* another magic number: no segment */
    SEGMENT_NEWER,      /* an unknown major version */
    SEGMENT_DAMAGED,
};

/* For people: what is wrong, and where. */
#define SEGMENT_WHY_SIZE 192

/* The checked view; half a megabyte, of which little is used, for one file after the other. */
struct segment;

struct segment *segment_new(void); /* NULL: no memory */
void segment_free(struct segment *segment);

/* Checks all of it. What the same struct segment read before is not available any more. The
 * functions below may be called only for a sound segment. why: empty unless the segment is foreign,
 * newer or damaged. */
enum segment_verdict segment_open(struct segment *segment,
                                  const struct segment_copy copy[SEGMENT_COPIES],
                                  char why[SEGMENT_WHY_SIZE]);

/* The same for a file that was sound before. The function returns what its descriptors were then,
 * by index, NULL for one that is not known: those that have not changed need not be checked
 * again. */
struct segment_known {
    const struct segment_descriptor *(*descriptor)(const void *context, uint32_t index);
    const void *context;
};
enum segment_verdict segment_open_again(struct segment *segment,
                                        const struct segment_copy copy[SEGMENT_COPIES],
                                        const struct segment_known *known,
                                        char why[SEGMENT_WHY_SIZE]);

const struct segment_header *segment_header(const struct segment *segment);

/* How many panels are completely there, and of which kind one is: enum segment_panel_kind, or one
 * that was added by a later minor version. */
uint32_t segment_panels(const struct segment *segment);
unsigned segment_panel_kind(const struct segment *segment, uint32_t index);

/* How many sensors the segment has; and one of them, checked. NULL: it is of a kind that was added
 * by a later minor version. */
uint32_t segment_sensors(const struct segment *segment);
const struct segment_descriptor *segment_sensor(const struct segment *segment, uint32_t index);

/* Whether a text in a descriptor or in the header is that text. */
bool segment_text_is(const char *field, size_t size, const char *text);

/* Word number w of a sensor, counted from its first: the sum over all shards, modulo 2^64. */
uint64_t segment_word(const struct segment *segment, uint32_t index, unsigned word);

/* The words of a sensor in one shard: as many as its kind has. */
struct segment_part {
    unsigned shard;
    const uint64_t *word;
};

/* The parts of all shards that have a panel for the sensor, in the order of the shards; returns how
 * many. In the other shards the words are 0. The pointers are valid as long as the copies are. */
size_t segment_parts(const struct segment *segment, uint32_t index,
                     struct segment_part part[SEGMENT_SHARDS]);

/* What the header says of a shard; NULL: its thread was just changing, or there are no copies from
 * before and after. */
const struct segment_shard *segment_shard(const struct segment *segment, unsigned shard);

/* The same for a word that is a double, of a histogram; or what a gauge was last set to. It may be
 * any double. */
double segment_real(const struct segment *segment, uint32_t index, unsigned word);

/* The counts of one of the panels of a timer, histogram or step: sums over all shards, which wrap
 * around. False: no shard has the panel, and sum is unchanged. */
bool segment_buckets(const struct segment *segment, uint32_t index, uint32_t panel,
                     uint32_t sum[SEGMENT_BUCKETS_IN_PANEL]);

/* Merges the keys of a top over the shards into keys, which must be empty. ENOMEM: then it still
 * is. */
int segment_keys(const struct segment *segment, uint32_t index, struct top_keys *keys);

/* The record of a step with that number, from the ring of a shard. NULL: it was being written, is
 * not there yet or any more, or belongs to an unknown step. */
const struct segment_record *segment_record(const struct segment *segment, unsigned shard,
                                            uint64_t number);

/* What a kind of sensor has. words is 0 for unknown kinds. */
struct segment_form {
    uint32_t words, panels;
    enum segment_panel_kind kind; /* of its panels */
};
struct segment_form segment_form(uint32_t kind);

#endif
