/* For sample/ and those who provide a source: a source is a file of the kernel, or several, and the
 * set of instances found in it. One pass: source_begin, read, a slot for each line, source_end. */
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
    enum metric_source id;
    const struct source_type *type;
    void *own;                   /* of a source that has an open */
    sampler_reader *provided;    /* of one that the owner of the sampler reads; NULL: nobody */
    void *provider;              /* its context */
    const char *const *patterns; /* the instances that anybody wants: text_matches */
    size_t n_patterns;
    uint32_t fields;           /* likewise: bit 1 << field */
    uint64_t patterns_changed; /* grows with each sampler_select */
    struct procfile file;
    struct sample_set set;
    struct sampler_cost cost;
    struct pool *slot_entries;   /* of all sources together */
    struct slot_entry *by_name;  /* hash of the instances that are there */
    size_t n_entries;            /* in by_name, which would have to be asked for it elsewhere */
    struct slot_entry **entries; /* one for each slot; NULL: absent */
    size_t *order;               /* slot of the instance at each place of the last pass */
    size_t order_count;
    size_t capacity;  /* of slots, entries and order */
    size_t place;     /* of the next instance in this pass */
    size_t free_from; /* no slot below is free */
    uint64_t pass;
    int failure; /* of this pass: ENOMEM */
};

#endif
