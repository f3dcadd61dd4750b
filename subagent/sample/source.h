/* What the samplers share; not for other stages. A source is a file of the kernel and the set
 * of instances found in it. One pass: begin, read, a slot for each line, end. */
#ifndef DCAMP_SAMPLE_SOURCE_H
#define DCAMP_SAMPLE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/procfile.h"
#include "metric/field.h"
#include "sample/sample.h"

struct slot_entry;
struct resource;

struct source {
    const char *root;
    struct procfile file;
    struct sample_set set;
    struct slot_entry *by_name;  /* hash of the instances that are there */
    struct slot_entry **entries; /* one for each slot; NULL: absent */
    size_t *order;               /* slot of the instance at each place of the last pass */
    size_t order_count;
    size_t capacity;  /* of slots, entries and order */
    size_t place;     /* of the next instance in this pass */
    size_t free_from; /* no slot below is free */
    uint64_t pass;
    int failure; /* of this pass: ENOMEM */
};

struct sampler {
    char *root;
    struct source sources[SOURCE_COUNT];
    struct resource *resources;
    size_t resource_count;
    uint64_t resource_membership[SOURCE_COUNT]; /* that the resources were listed for */
};

void source_begin(struct source *source);

/* The slot of an instance, a new one if need be: its class is then 0, for the sampler to set.
 * NULL: the line is to be skipped (the name is none, or came before in this pass; no memory).
 * A source lists its instances in the same order each time; that makes this one comparison. */
struct sample_slot *source_slot(struct source *source, const char *name, size_t len);

/* Instances that did not come in this pass go. EBADMSG, and no change: none came at all. */
int source_end(struct source *source);
void source_release(struct source *source);

/* One parser for each source: from source->file.text to slots. */
void cpu_parse(struct source *source);
void load_parse(struct source *source);
void memory_parse(struct source *source);
void network_parse(struct source *source);
void disk_parse(struct source *source);

/* A line of the text, without its newline; *end is that newline, so that scanning stops there
 * at the latest. A last line without newline was cut off, perhaps in a number: not a line. */
struct line {
    const char *begin;
    const char *end;
};

bool line_first(const struct procfile *file, struct line *line);
bool line_next(const struct procfile *file, struct line *line);

/* Words are separated by blanks. */
const char *scan_blanks(const char *p);
const char *scan_word(const char *p); /* to the end of the word */

/* Decimal digits at *p, which moves behind them. False: there are none, or too many. */
bool scan_digits(const char **p, uint64_t *number);

#define COLUMNS_MAX 12

/* Columns of numbers. A word that is no number takes its place, but is not valid. */
struct columns {
    unsigned count;
    uint32_t valid; /* bit 1 << column */
    uint64_t number[COLUMNS_MAX];
};

/* Reads up to max columns from p to the end of the line; the rest is left. */
void scan_columns(const char *p, unsigned max, struct columns *columns);

/* Sets field[i] from column map[i], for i < n; returns their valid bits. */
uint32_t columns_pick(const struct columns *columns, const uint8_t *map, unsigned n,
                      uint64_t *field);

#endif
