/* For sample/ and those who provide a source: a source is a file of the kernel, or several files,
 * and the set of instances found in it. A pass is: source_begin, read, a slot for each line,
 * source_end. */
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
struct source;

/* The kind of a source. Most sources are one file with a parser. The others, of several files or
 * none, have open, read and close, and keep what they need in source.own. */
struct source_type {
    const char *name; /* for people */
    const char *path; /* the file of a source that is one file; else NULL */
    void (*parse)(struct source *source);
    int (*open)(struct source *source);                  /* 0 or ENOMEM; NULL: nothing to open */
    int (*read)(struct source *source, uint64_t now_ns); /* between source_begin and source_end;
                                                          * 0 or an errno */
    void (*close)(struct source *source); /* releases what was opened, even if only a part was */
    bool may_be_empty;                    /* having no instance is no error: the machine has none */
};

struct source {
    const char *root;
    enum metric_source id;
    const struct source_type *type;
    void *own;                   /* for a source that has an open function */
    sampler_reader *provided;    /* from the owner of the sampler; NULL: none */
    void *provider;              /* the context of that reader */
    const char *const *patterns; /* of text_matches: the instances that anybody wants */
    size_t n_patterns;
    uint32_t fields;           /* the fields that anybody wants: bit 1 << field */
    uint64_t patterns_changed; /* grows with each sampler_select */
    struct procfile file;
    struct sample_set set;
    struct sampler_cost cost;
    struct pool *slot_entries;  /* shared by all sources */
    struct slot_entry *by_name; /* hash of the instances that exist */
    size_t n_entries; /* in by_name; kept here to spare a look into the table's own memory */
    struct slot_entry **entries; /* one for each slot; NULL: it has no instance */
    size_t *order; /* the slots of the instances that the last pass found, in their order */
    size_t order_count;
    size_t capacity;  /* of slots, entries and order */
    size_t place;     /* of the next instance in this pass, in order */
    size_t free_from; /* no slot below this one is free */
    uint64_t pass;
    int failure; /* of this pass: 0 or ENOMEM */
};

#endif
