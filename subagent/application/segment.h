/* A segment that some program has written (libdcamp/segment.h), read without trust. What is given
 * here are private copies of its octets; every offset, count, name and kind in them is checked
 * before anything uses it, and an error names its place. Pure.
 *
 * What a sensor has counted is summed up over the shards of its program. */
#ifndef DCAMP_APPLICATION_SEGMENT_H
#define DCAMP_APPLICATION_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calculate/keys.h"
#include "libdcamp/segment.h"

/* Octets as they were read: the header first, and then the rest. They are aligned as uint64_t is,
 * and stay as long as the segment is used. */
struct segment_copy {
    const void *octets;
    size_t size;
};

/* Copies that were made one after the other. The one in the middle is what is read. The others tell
 * which of its entries of tops and records of steps nobody was writing; of a writer that is dead
 * all three are the same copy. Without them (NULL, 0) there are no entries and no records. */
enum { SEGMENT_BEFORE, SEGMENT_READ, SEGMENT_AFTER, SEGMENT_COPIES };

enum segment_verdict {
    SEGMENT_SOUND,
    SEGMENT_UNFINISHED, /* there is no magic number: it is still being created, or never was */
    SEGMENT_FOREIGN,    /* another magic number: no segment */
    SEGMENT_NEWER,      /* a major version that is not known */
    SEGMENT_DAMAGED,
};

/* For people: what is wrong, and where. */
#define SEGMENT_WHY_SIZE 192

/* The checked view; half a megabyte, of which little is touched, for one file after the other. */
struct segment;

struct segment *segment_new(void); /* NULL: no memory */
void segment_free(struct segment *segment);

/* Checks all of it. What was read by the same struct segment before is gone. Only of what is sound
 * may anything below be asked. why: empty unless it is foreign, newer or damaged. */
enum segment_verdict segment_open(struct segment *segment,
                                  const struct segment_copy copy[SEGMENT_COPIES],
                                  char why[SEGMENT_WHY_SIZE]);

/* The same of a file that was sound before. What its descriptors were then, by index, is what the
 * function returns, NULL for one that is not known: those that still are so need no second look. */
struct segment_known {
    const struct segment_descriptor *(*descriptor)(const void *context, uint32_t index);
    const void *context;
};
enum segment_verdict segment_open_again(struct segment *segment,
                                        const struct segment_copy copy[SEGMENT_COPIES],
                                        const struct segment_known *known,
                                        char why[SEGMENT_WHY_SIZE]);

const struct segment_header *segment_header(const struct segment *segment);

/* How many panels are there in full, and of which kind one is: enum segment_panel_kind, or one that
 * a later minor version has added. */
uint32_t segment_panels(const struct segment *segment);
unsigned segment_panel_kind(const struct segment *segment, uint32_t index);

/* How many sensors it has; and one of them, checked. NULL: it is of a kind that a later minor
 * version has added. */
uint32_t segment_sensors(const struct segment *segment);
const struct segment_descriptor *segment_sensor(const struct segment *segment, uint32_t index);

/* Whether a text of a descriptor or of the header is that one. */
bool segment_text_is(const char *field, size_t size, const char *text);

/* Word number w of a sensor, counted from its first: the sum over all shards, modulo 2^64. */
uint64_t segment_word(const struct segment *segment, uint32_t index, unsigned word);

/* The words of a sensor in one shard: as many as its kind has. */
struct segment_part {
    unsigned shard;
    const uint64_t *word;
};

/* Those of all shards that have a panel for them, in the order of the shards; the number of them is
 * returned. In the others they are 0. They stay as long as the copies do. */
size_t segment_parts(const struct segment *segment, uint32_t index,
                     struct segment_part part[SEGMENT_SHARDS]);

/* What the header says of a shard; NULL: its thread was changing, or there are no copies from
 * before and after. */
const struct segment_shard *segment_shard(const struct segment *segment, unsigned shard);

/* The same of a word that is a double, of a histogram; or what a gauge was set to last. It may be
 * any double. */
double segment_real(const struct segment *segment, uint32_t index, unsigned word);

/* The counts of one of the panels of a timer, histogram or step: sums over all shards, which wrap.
 * False: no shard has it, and sum stays as it was. */
bool segment_buckets(const struct segment *segment, uint32_t index, uint32_t panel,
                     uint32_t sum[SEGMENT_BUCKETS_IN_PANEL]);

/* The keys of a top, merged over the shards into keys that are empty. ENOMEM; then they still are.
 */
int segment_keys(const struct segment *segment, uint32_t index, struct top_keys *keys);

/* The record of a step with that number, from the ring of a shard. NULL: it was being written, is
 * not there yet or no longer, or is not of a step that is known. */
const struct segment_record *segment_record(const struct segment *segment, unsigned shard,
                                            uint64_t number);

/* What a kind of sensor has. words is 0 for kinds that are not known. */
struct segment_form {
    uint32_t words, panels;
    enum segment_panel_kind kind; /* of its panels */
};
struct segment_form segment_form(uint32_t kind);

#endif
