/* What the samplers share; not for other stages. A source is a file of the kernel and the set
 * of instances found in it. One pass: begin, read, a slot for each line, end. */
#ifndef DCAMP_SAMPLE_SOURCE_H
#define DCAMP_SAMPLE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/procfile.h"
#include "metric/field.h"
#include "sample/sample.h"

struct slot_entry;
struct resource;
struct cgroup;
struct source;

/* What kind of source it is. Most are one file with a parser. The others, of several files or none,
 * have open, read and close, and keep what they need in source.own. */
struct source_type {
    const char *name; /* for people */
    const char *path; /* of the one file; NULL: read does without */
    void (*parse)(struct source *source);
    int (*open)(struct source *source);                  /* 0 or ENOMEM; NULL: nothing to open */
    int (*read)(struct source *source, uint64_t now_ns); /* between source_begin and source_end;
                                                          * 0 or an errno */
    void (*close)(struct source *source); /* of what was opened, in whole or in part */
    bool may_be_empty; /* no instance at all is no error: this machine has none */
};

struct source {
    const char *root;
    const struct source_type *type;
    void *own;                   /* of a source that has an open */
    const char *const *patterns; /* the instances that anybody wants: text_matches */
    size_t n_patterns;
    uint32_t fields;           /* likewise: bit 1 << field */
    uint64_t patterns_changed; /* grows with each sampler_select */
    struct procfile file;
    struct sample_set set;
    struct sampler_cost cost;
    struct pool *slot_entries;   /* of all sources together */
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
    struct pool slot_entries;
    struct source sources[SOURCE_COUNT];
    struct resource *resources;
    size_t resource_count;
    uint64_t resource_membership; /* that the resources were listed for */
    struct cgroup *groups;        /* all of them by name, for the resources */
    size_t n_groups;
    uint64_t groups_membership; /* grows whenever one comes or goes */
    uint64_t groups_ns;         /* monotonic, of the last look at them; 0: none yet */
};

/* Of what a source keeps for each of its instances. */
void slot_entries_init(struct pool *pool);

void source_begin(struct source *source);

/* The slot of an instance, a new one if need be: its class is then 0, for the sampler to set.
 * NULL: the line is to be skipped (the name is none, or came before in this pass; no memory).
 * A source lists its instances in the same order each time; that makes this one comparison. */
struct sample_slot *source_slot(struct source *source, const char *name, size_t len);

/* The slot of an instance that the last pass had and that nobody wants: it stays, without values,
 * and the rest of its line need not be read. NULL: any other one. */
struct sample_slot *source_unwanted(struct source *source, const char *name, size_t len);

/* Instead of a slot for each line: the instances are those of the last pass. */
void source_same(struct source *source);

/* Instances that did not come in this pass go. EBADMSG, and no change: none came at all, in a
 * source that may not be empty. */
int source_end(struct source *source);
void source_release(struct source *source);

/* One parser for each source: from source->file.text to slots. */
void cpu_parse(struct source *source);
void load_parse(struct source *source);
void memory_parse(struct source *source);
void network_parse(struct source *source);

/* The sources that are not one file with a parser. */
int disk_open(struct source *source);
int disk_read(struct source *source, uint64_t now_ns);
void disk_close(struct source *source);
int kernel_open(struct source *source);
int kernel_read(struct source *source, uint64_t now_ns);
int filesystem_open(struct source *source);
int filesystem_read(struct source *source, uint64_t now_ns);
void filesystem_close(struct source *source);
int pressure_open(struct source *source);
int pressure_read(struct source *source, uint64_t now_ns);
int protocol_open(struct source *source);
int protocol_read(struct source *source, uint64_t now_ns);
int hardware_open(struct source *source);
int hardware_read(struct source *source, uint64_t now_ns);
void hardware_close(struct source *source);
int cgroup_open(struct source *source);
int cgroup_read(struct source *source, uint64_t now_ns);
void cgroup_close(struct source *source);
int processes_open(struct source *source);
int processes_read(struct source *source, uint64_t now_ns);
void processes_close(struct source *source);

/* Whether any of the patterns selects the instance. */
bool patterns_select(const char *const *patterns, size_t n, const char *name);

/* The slot of an instance of the machine as a whole, with those of these fields that are wanted;
 * none is valid, wanted or not: no slot. */
void source_fill_node(struct source *source, const char *name, uint32_t valid,
                      const uint64_t *field, unsigned n);

/* What a source has in own that is several files. */
struct files {
    unsigned count;
    uint32_t selected;         /* of files that are instances: bit 1 << file */
    uint64_t patterns_changed; /* of the source, when that was found */
    struct procfile file[];
};

int files_open(struct source *source, const char *const *paths, unsigned n);
void files_close(struct source *source);

/* Reads those of the files that have a wanted field; has[i]: the fields in file i. error[i]: 0, an
 * errno or FILE_UNWANTED. The first errno, when not one of them could be read. */
#define FILE_UNWANTED (-1)
int files_read(const struct source *source, const uint32_t *has, int *error);

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

/* "12.34" as hundredths: with two decimals and no other number of them, up to the end of the word.
 */
bool scan_hundredths(const char *p, uint64_t *hundredths);

/* Decimal digits at *p, which moves behind them. False: there are none, or too many. */
bool scan_digits(const char **p, uint64_t *number);

/* Lines of a key and a number, "pgfault 123". */
struct scan_key {
    const char *text;
    unsigned char len;
    unsigned char field;
};

#define SCAN_KEY(text_, field_)                                                                    \
    {                                                                                              \
        (text_), sizeof(text_) - 1, (field_)                                                       \
    }
#define SCAN_KEYS(keys) (sizeof(keys) / sizeof *(keys))

/* The key that a word is; NULL: none of them. */
const struct scan_key *scan_key_find(const struct scan_key *keys, size_t n, const char *word,
                                     size_t len);

/* The fields of the keys. */
uint32_t scan_keys_fields(const struct scan_key *keys, size_t n);

/* Sets the field of a line whose key is one of them and came in no line before; what follows the
 * number is left. Returns valid with the bit of that field. */
uint32_t scan_keyed(const struct line *line, const struct scan_key *keys, size_t n, uint32_t valid,
                    uint64_t *field);
uint32_t scan_keyed_file(const struct procfile *file, const struct scan_key *keys, size_t n,
                         uint64_t *field);

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
