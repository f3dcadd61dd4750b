/* Sampling: one pass over one source, nearly always of the kernel, fills a plain set of instances.
 * Samplers return an error and print nothing; they keep their file handles open. */
#ifndef DCAMP_SAMPLE_SAMPLE_H
#define DCAMP_SAMPLE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "metric/metric.h"
#include "sample/select.h"

#define SAMPLE_FIELDS 32
#define SAMPLE_ALL_FIELDS UINT32_MAX
#define SAMPLE_UNIT_SIZE 20

struct histogram;
struct report_record;
struct sample_slot;
struct source;

/* Records of executions of a step, each of which is for one sensor only. */
struct sample_records {
    const struct report_record *record;
    size_t n;
    bool is_taken;        /* a sensor has them */
    uint64_t *unreported; /* how many could not be reported is added there */
};

/* How values are computed of all that comes in an interval, as a ratio of several counts is, which
 * no calculation makes of two fields. What came is kept in a state of that size, which begins with
 * all octets 0; the series has one for each of its intervals. Pure. */
struct sample_computed {
    size_t size;
    /* Takes what has come with a pass. What the first one finds came before, and does not count.
     * ENOMEM: it does not count either. */
    int (*take)(void *state, const struct sample_slot *slot);
    /* The value of a field, after so many seconds; not a number: it is not known. */
    double (*value)(const void *state, unsigned field, double seconds);
    void (*begin)(void *state); /* the next interval */
    void (*release)(void *state);
};

/* One instance of a source. A slot keeps its place in the array while its instance is there,
 * so that a series can hold the slot's number; when the instance goes, present becomes false
 * and the slot may later be given to another instance, with a new incarnation. */
/* Adds up the keys of an instance, its context, into keys that are empty: calculate/keys.h. ENOMEM;
 * then they still are. */
struct top_keys;
typedef int sample_keys_fn(const void *context, struct top_keys *keys);

struct sample_slot {
    char name[INSTANCE_SIZE];
    enum resource_class class;
    bool present;
    bool unborn;                   /* a program that has not run: its counters begin at 0 */
    bool refused;                  /* the kernel does not show some of it to this user */
    uint32_t incarnation;          /* grows each time the slot is given to an instance */
    uint32_t valid;                /* bit 1 << field: the kernel had this field */
    uint32_t lacks;                /* bit 1 << field: this instance has no such field, ever */
    uint64_t field[SAMPLE_FIELDS]; /* raw; a gauge is an int64_t in disguise */
    uint32_t united;               /* bit 1 << field: its unit is this one, not the metric's */
    char unit[SAMPLE_UNIT_SIZE];
    /* Of metrics that have events: those that came since the pass before, in the unit of the
     * metric, and their mean. NULL: none came. Only valid until the next pass, and only if this one
     * had no error. */
    const struct histogram *events;
    double events_mean;
    struct sample_records *records; /* of metrics that have records, likewise; NULL: none came */
    const struct sample_computed *computed; /* of metrics that are computed; NULL: none is */
    /* Of a top that a program publishes: its keys. NULL: this pass did not read them. Only valid
     * until the next pass. */
    bool is_top;
    sample_keys_fn *keys;
    const void *keys_of;
    uint64_t origin;   /* of a source whose values come from elsewhere: its own; 0: none yet */
    uint64_t taken_ns; /* of one whose values are not those of the pass: when they were, monotonic;
                          0: in the pass */
};

struct sample_set {
    struct sample_slot *slots;
    size_t count;
    uint64_t membership; /* grows whenever an instance comes or goes */
    uint64_t taken_ns;   /* monotonic, of the last pass */
    int error;           /* 0, or the errno of the last pass: every slot is then stale */
};

/* What the passes over one source took, of whoever wanted them. */
struct sampler_cost {
    uint64_t passes;
    uint64_t errors; /* passes that could not read it; they are in passes, too */
    uint64_t last_ns;
    uint64_t total_ns;
};

struct sampler; /* all sources, with their open files */

/* Reads below root ("/" on a real system; a captured tree in tests). NULL: out of memory. */
struct sampler *sampler_new(const char *root);
void sampler_free(struct sampler *sampler);

/* Who reads a source whose values come from elsewhere: as source_type.read of sample/source.h, with
 * the slots of sample/slot.h. Without a reader it is not there: ENOENT. The context must stay. */
typedef int sampler_reader(void *context, struct source *source, uint64_t now_ns);
void sampler_provide(struct sampler *sampler, enum metric_source source, sampler_reader *read,
                     void *context);

/* One pass over one source; now_ns becomes taken_ns. Returns 0 or an errno, kept in the set.
 * A file that is missing or unreadable, or in which nothing can be recognized, is an error;
 * a field that is missing or strange only lacks its valid bit. */
int sampler_read(struct sampler *sampler, enum metric_source source, uint64_t now_ns);

/* What of a source the sensors want: instances, as patterns of text_matches, and fields, bit
 * 1 << field. The strings are copied. A source of several files reads none in which nothing is
 * wanted, and leaves out the instances and the valid bits; one that is a single file ignores it.
 * Without patterns nobody wants the source, and whoever reads it nevertheless gets all fields, as
 * before the first call. 0 or ENOMEM; then the old selection stays. */
int sampler_select(struct sampler *sampler, enum metric_source source, const char *const *patterns,
                   size_t n, uint32_t fields);

/* Whether somebody wants anything of a source, by that; and which fields. */
bool sampler_is_wanted(const struct sampler *sampler, enum metric_source source);
uint32_t sampler_fields(const struct sampler *sampler, enum metric_source source);

/* Asks memory for what passes over these sources need: bit 1 << source. */
void sampler_prefetch(const struct sampler *sampler, unsigned sources);

/* The set of a source: owned by the sampler, unchanged between passes. */
const struct sample_set *sampler_set(const struct sampler *sampler, enum metric_source source);

/* Elapsed time, which is what a pass makes all others wait. Owned by the sampler. */
const struct sampler_cost *sampler_cost(const struct sampler *sampler, enum metric_source source);

/* Below what it reads. */
const char *sampler_root(const struct sampler *sampler);

/* "cpu", "filesystem": for people, and fixed. */
const char *source_name(enum metric_source source);

#endif
