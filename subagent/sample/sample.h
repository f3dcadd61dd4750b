/* Sampling: one pass over one source, nearly always of the kernel, fills a plain set of instances.
 * Samplers return errors instead of printing them; they keep their file handles open. */
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

/* Records of executions of a step. Each of them goes to one sensor only. */
struct sample_records {
    const struct report_record *record;
    size_t n;
    bool is_taken;        /* a sensor has taken them */
    uint64_t *unreported; /* the number of records that could not be reported is added there */
};

/* How values are computed of all that comes in an interval, when no calculation can make them of
 * two fields, as a ratio of several counts. What came is kept in a state of the given size, all
 * octets of which are 0 at first; the series has one state for each of its intervals. Pure. */
struct sample_computed {
    size_t size;
    /* Takes what has come with a pass. What the first pass finds came before the interval, and does
     * not count. ENOMEM: what has come is not counted. */
    int (*take)(void *state, const struct sample_slot *slot);
    /* The value of a field after so many seconds; not a number if it is not known. */
    double (*value)(const void *state, unsigned field, double seconds);
    void (*begin)(void *state); /* begins the next interval */
    void (*release)(void *state);
};

/* Adds the keys of an instance, which is the context, to keys that are empty: calculate/keys.h.
 * ENOMEM: they are still empty. */
struct top_keys;
typedef int sample_keys_fn(const void *context, struct top_keys *keys);

/* One instance of a source. A slot keeps its place in the array while its instance is there, so
 * that a series can hold the slot's number; when the instance goes, present becomes false and the
 * slot may later be given to another instance, with a new incarnation. */
struct sample_slot {
    char name[INSTANCE_SIZE];
    enum resource_class class;
    bool present;
    bool unborn;                   /* a program that has not run yet: its counters begin at 0 */
    bool refused;                  /* the kernel does not show some of its values to this user */
    uint32_t incarnation;          /* grows each time the slot is given to an instance */
    uint32_t valid;                /* bit 1 << field: the kernel had this field */
    uint32_t lacks;                /* bit 1 << field: this instance never has this field */
    uint64_t field[SAMPLE_FIELDS]; /* raw; the field of a gauge holds an int64_t */
    uint32_t united;               /* bit 1 << field: its unit is the one below, not the metric's */
    char unit[SAMPLE_UNIT_SIZE];
    /* For metrics that have events: the events since the pass before, in the unit of the metric,
     * and their mean. NULL: there were none. Valid only until the next pass, and only if this one
     * had no error. */
    const struct histogram *events;
    double events_mean;
    struct sample_records *records; /* likewise, for metrics that have records; NULL: none came */
    const struct sample_computed *computed; /* for computed metrics; NULL: there are none */
    /* For a top that a program publishes: its keys. NULL: this pass did not read them. Valid only
     * until the next pass. */
    bool is_top;
    sample_keys_fn *keys;
    const void *keys_of;
    uint64_t origin; /* for a source whose values come from elsewhere, its identity of the instance;
                        0: none yet */
    uint64_t taken_ns; /* for values that are not those of the pass, when they were taken,
                          monotonic; 0: in the pass */
};

struct sample_set {
    struct sample_slot *slots;
    size_t count;
    uint64_t membership; /* grows whenever an instance comes or goes */
    uint64_t taken_ns;   /* monotonic, of the last pass */
    int error;           /* 0, or the errno of the last pass; then every slot is out of date */
};

/* What the passes over one source cost, whoever wanted them. */
struct sampler_cost {
    uint64_t passes;
    uint64_t errors; /* passes that could not read the source; they are counted in passes, too */
    uint64_t last_ns;
    uint64_t total_ns;
};

struct sampler; /* all sources, with their open files */

/* Reads below root ("/" on a real system; a captured tree in tests). NULL: out of memory. */
struct sampler *sampler_new(const char *root);
void sampler_free(struct sampler *sampler);

/* The reader of a source whose values come from elsewhere: like source_type.read of
 * sample/source.h, with the slots of sample/slot.h. A source without a reader gives ENOENT. The
 * context must stay. */
typedef int sampler_reader(void *context, struct source *source, uint64_t now_ns);
void sampler_provide(struct sampler *sampler, enum metric_source source, sampler_reader *read,
                     void *context);

/* Makes one pass over one source; now_ns becomes taken_ns. Returns 0 or an errno, which is also
 * kept in the set. A file that is missing or unreadable, or in which nothing can be recognized, is
 * an error; a field that is missing or strange only lacks its valid bit. */
int sampler_read(struct sampler *sampler, enum metric_source source, uint64_t now_ns);

/* Sets what the sensors want of a source: instances, as patterns of text_matches, and fields, as
 * bits 1 << field. The strings are copied. A source of several files does not read those in which
 * nothing is wanted, and leaves out the instances and the valid bits; a source that is a single
 * file ignores the selection. Without patterns nobody wants the source, and whoever reads it
 * nevertheless gets all fields, as before the first call. Returns 0 or ENOMEM; after ENOMEM the old
 * selection stays. */
int sampler_select(struct sampler *sampler, enum metric_source source, const char *const *patterns,
                   size_t n, uint32_t fields);

/* Whether anything of a source is wanted according to sampler_select; and which fields are. */
bool sampler_is_wanted(const struct sampler *sampler, enum metric_source source);
uint32_t sampler_fields(const struct sampler *sampler, enum metric_source source);

/* Prefetches the memory that passes over these sources need: bit 1 << source. */
void sampler_prefetch(const struct sampler *sampler, unsigned sources);

/* The set of a source. It is owned by the sampler, and does not change between passes. */
const struct sample_set *sampler_set(const struct sampler *sampler, enum metric_source source);

/* The times are elapsed times, because a pass makes everything else wait for that long. Owned by
 * the sampler. */
const struct sampler_cost *sampler_cost(const struct sampler *sampler, enum metric_source source);

/* The root below which the sampler reads. */
const char *sampler_root(const struct sampler *sampler);

/* "cpu", "filesystem": for people; these names do not change. */
const char *source_name(enum metric_source source);

#endif
