#include "application/jvm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define NANOSECONDS 1000000000u
#define FREQUENCY "sun.os.hrt.frequency"

/* Values that are one entry, or the sum of several, of which some are subtracted. */
static const struct scalar {
    const char *name;
    enum jvm_field value;
    bool is_taken_off, is_time;
} scalars[] = {
    {"sun.gc.metaspace.used", JVM_METASPACE_USED, false, false},
    {"sun.gc.metaspace.capacity", JVM_METASPACE_CAPACITY, false, false},
    {"java.threads.live", JVM_THREADS, false, false},
    {"java.threads.daemon", JVM_THREADS_DAEMON, false, false},
    {"java.threads.livePeak", JVM_THREADS_PEAK, false, false},
    {"java.threads.started", JVM_THREADS_STARTED, false, false},
    {"java.cls.loadedClasses", JVM_CLASSES, false, false},
    {"java.cls.sharedLoadedClasses", JVM_CLASSES, false, false},
    {"java.cls.unloadedClasses", JVM_CLASSES, true, false},
    {"java.cls.sharedUnloadedClasses", JVM_CLASSES, true, false},
    {"java.ci.totalTime", JVM_JIT_TIME, false, true},
    {"sun.rt.safepointTime", JVM_SAFEPOINT_TIME, false, true},
    {"sun.rt.safepoints", JVM_SAFEPOINTS, false, false},
};
#define SCALARS (sizeof scalars / sizeof *scalars)
_Static_assert(SCALARS <= sizeof((struct jvm_plan *)0)->scalar / sizeof(uint32_t), "room");

/* When the used octets of the heap are updated. */
enum moment {
    AT_COLLECTIONS,
    ALWAYS,
    SAMPLED /* as long as the JVM has a sampler, as it had until JDK 24: JDK-8241678 */
};

/* The collectors, by the beginnings of their names, including those of JDK 8. In a heap of regions
 * each generation may become the whole heap; otherwise each has a share of it. */
static const struct family {
    const char *name;
    bool is_of_regions;
    enum moment moment;
} families[] = {
    {"G1 ", true, ALWAYS},           {"ZGC ", true, AT_COLLECTIONS}, {"Z ", true, AT_COLLECTIONS},
    {"Shenandoah ", true, ALWAYS},   {"Serial ", false, SAMPLED},    {"Copy", false, SAMPLED},
    {"MSC", false, SAMPLED},         {"Parallel ", false, SAMPLED},  {"PSScavenge", false, SAMPLED},
    {"PSMarkSweep", false, SAMPLED}, {"PSParallel", false, SAMPLED}, {"PCopy", false, SAMPLED},
    {"CMS", false, SAMPLED},
};

/* Until JDK 23, G1 adds up to 24 octets to sizes that might otherwise be 0; regions are far larger
 * than this: g1MonitoringSupport.hpp. */
#define G1_PADDING 1024

/* -- The plan -------------------------------------------------------------------------------- */

static bool is_number(const struct perfdata_entry *entry, bool is_time)
{
    return entry->type == PERFDATA_LONG && entry->vector == 0 &&
           (entry->unit == PERFDATA_TICKS) == is_time;
}

static void copy_text(char text[INSTANCE_SIZE], const uint8_t *octets,
                      const struct perfdata_entry *entry)
{
    const char *begin = (const char *)octets + entry->data;
    if (entry->type == PERFDATA_OCTETS)
        text_instance(text, begin, strnlen(begin, entry->vector));
}

/* What the JVM runs, without the directory of an archive, the module of a class, and arguments. */
static void copy_command(char name[INSTANCE_SIZE], const uint8_t *octets,
                         const struct perfdata_entry *entry)
{
    const char *begin = (const char *)octets + entry->data;
    if (entry->type != PERFDATA_OCTETS)
        return;
    size_t len = strnlen(begin, entry->vector);
    const char *blank = memchr(begin, ' ', len);
    len = blank ? (size_t)(blank - begin) : len;
    const char *slash = memrchr(begin, '/', len);
    if (slash) {
        len -= (size_t)(slash + 1 - begin);
        begin = slash + 1;
    }
    text_instance(name, begin, len);
}

static void plan_collector(struct jvm_plan *plan, unsigned number, const char *what,
                           const uint8_t *octets, const struct perfdata_entry *entry)
{
    if (number >= JVM_COLLECTORS)
        return;
    if (strcmp(what, "name") == 0)
        copy_text(plan->collector[number].name, octets, entry);
    else if (strcmp(what, "invocations") == 0 && is_number(entry, false))
        plan->collector[number].count = entry->data;
    else if (strcmp(what, "time") == 0 && is_number(entry, true))
        plan->collector[number].time = entry->data;
}

static void plan_generation(struct jvm_plan *plan, unsigned generation, const char *what,
                            const struct perfdata_entry *entry)
{
    unsigned space;
    int end = 0;
    if (generation >= JVM_GENERATIONS || !is_number(entry, false))
        return;
    if (strcmp(what, "maxCapacity") == 0)
        plan->max[generation] = entry->data;
    else if (sscanf(what, "space.%3u.used%n", &space, &end) == 1 && end > 0 && !what[end]) {
        if (space < JVM_SPACES)
            plan->used[generation][space] = entry->data;
        else
            plan->has_more_spaces = true;
    }
}

static void plan_scalar(struct jvm_plan *plan, const struct perfdata_entry *entry)
{
    for (size_t i = 0; i < SCALARS; i++)
        if (strcmp(scalars[i].name, entry->name) == 0 && is_number(entry, scalars[i].is_time))
            plan->scalar[i] = entry->data;
}

static void plan_entry(struct jvm_plan *plan, const uint8_t *octets,
                       const struct perfdata_entry *entry)
{
    unsigned number;
    int end = 0;
    if (sscanf(entry->name, "sun.gc.collector.%3u.%n", &number, &end) == 1 && end > 0)
        plan_collector(plan, number, entry->name + end, octets, entry);
    else if (sscanf(entry->name, "sun.gc.generation.%3u.%n", &number, &end) == 1 && end > 0)
        plan_generation(plan, number, entry->name + end, entry);
    else if (strcmp(entry->name, "sun.rt.javaCommand") == 0)
        copy_command(plan->name, octets, entry);
    else if (strcmp(entry->name, "sun.os.hrt.ticks") == 0)
        plan->is_sampled = true;
    else if (strcmp(entry->name, FREQUENCY) == 0 && is_number(entry, false))
        plan->frequency = (uint64_t)perfdata_long(octets, &plan->header, entry->data);
    else
        plan_scalar(plan, entry);
}

static int make_plan(struct jvm_plan *plan, const uint8_t *octets,
                     const struct perfdata_header *header, char why[MESSAGE_SIZE])
{
    struct jvm_plan made = {.is_made = true, .header = *header};
    struct perfdata_cursor cursor = perfdata_begin(header);
    while (perfdata_has_next(header, &cursor)) {
        struct perfdata_entry entry;
        int error = perfdata_next(octets, header, &cursor, &entry, why);
        if (error)
            return error;
        plan_entry(&made, octets, &entry);
    }
    *plan = made;
    return 0;
}

/* The end of what is used must not be smaller than before, because the plan was checked against
 * that. */
static bool is_still_right(const struct jvm_plan *plan, const struct perfdata_header *header)
{
    return plan->is_made && plan->header.is_little == header->is_little &&
           plan->header.modified == header->modified && plan->header.count == header->count &&
           plan->header.first == header->first && plan->header.used == header->used;
}

/* -- The values ------------------------------------------------------------------------------ */

/* One number of the file; negative ones are useless. False: not known. */
static bool take(const struct jvm_plan *plan, const uint8_t *octets, uint32_t at, uint64_t *number)
{
    int64_t value = at ? perfdata_long(octets, &plan->header, at) : -1;
    *number = (uint64_t)value;
    return value >= 0;
}

static bool take_time(const struct jvm_plan *plan, const uint8_t *octets, uint32_t at,
                      uint64_t *time_ns)
{
    uint64_t ticks;
    if (plan->frequency == 0 || plan->frequency > INT64_MAX || !take(plan, octets, at, &ticks))
        return false;
    __extension__ unsigned __int128 exact = (unsigned __int128)ticks * NANOSECONDS;
    exact /= plan->frequency;
    *time_ns = (uint64_t)exact;
    return exact <= UINT64_MAX;
}

/* Sums of numbers that no JVM has may exceed any possible value: then they are not known. */
static void know(struct jvm_profile *profile, enum jvm_field value, uint64_t number)
{
    if (number > INT64_MAX)
        return;
    profile->known |= 1u << value;
    profile->value[value] = number;
}

/* A value is known if all of its entries are. Each of them is less than 2^63, so that the sum of a
 * few, even if it wraps around, is wrong only if the right one would be negative or that large. */
static void read_scalars(const struct jvm_plan *plan, const uint8_t *octets,
                         struct jvm_profile *profile)
{
    uint64_t sum[JVM_VALUES] = {0};
    uint32_t of = 0, missing = 0;
    for (size_t i = 0; i < SCALARS; i++) {
        const struct scalar *scalar = &scalars[i];
        uint64_t number;
        bool is_there = scalar->is_time ? take_time(plan, octets, plan->scalar[i], &number)
                                        : take(plan, octets, plan->scalar[i], &number);
        of |= 1u << scalar->value;
        if (!is_there)
            missing |= 1u << scalar->value;
        else
            sum[scalar->value] += scalar->is_taken_off ? -number : number;
    }
    for (unsigned i = 0; i < JVM_VALUES; i++)
        if ((of & ~missing) >> i & 1)
            know(profile, i, sum[i]);
}

static void read_used(const struct jvm_plan *plan, const uint8_t *octets,
                      struct jvm_profile *profile)
{
    uint64_t sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < JVM_GENERATIONS * JVM_SPACES; i++) {
        uint32_t at = plan->used[i / JVM_SPACES][i % JVM_SPACES];
        uint64_t used;
        if (!at)
            continue;
        if (!take(plan, octets, at, &used) || __builtin_add_overflow(sum, used, &sum))
            return;
        n++;
    }
    if (n > 0 && !plan->has_more_spaces)
        know(profile, JVM_HEAP_USED, sum);
}

static const struct family *family_of(const struct jvm_plan *plan)
{
    for (unsigned i = 0; i < JVM_COLLECTORS; i++)
        for (size_t j = 0; j < sizeof families / sizeof *families; j++)
            if (strncmp(plan->collector[i].name, families[j].name, strlen(families[j].name)) == 0)
                return &families[j];
    return NULL;
}

/* A heap without generations has a single one, number 1. Only the collector tells how two of them
 * share the heap. */
static void read_max(const struct jvm_plan *plan, const uint8_t *octets,
                     const struct family *family, struct jvm_profile *profile)
{
    uint64_t young, old;
    bool has_young = take(plan, octets, plan->max[0], &young);
    bool has_old = take(plan, octets, plan->max[1], &old);
    if (has_old && !plan->max[0])
        know(profile, JVM_HEAP_MAX, old);
    if (!has_young || !has_old || !family)
        return;
    if (!family->is_of_regions)
        know(profile, JVM_HEAP_MAX, young + old);
    else
        know(profile, JVM_HEAP_MAX, (young > old ? young : old) / G1_PADDING * G1_PADDING);
}

static void read_collectors(const struct jvm_plan *plan, const uint8_t *octets,
                            struct jvm_profile *profile)
{
    for (unsigned i = 0; i < JVM_COLLECTORS; i++) {
        if (!plan->collector[i].name[0])
            continue;
        struct jvm_collector *collector = &profile->collector[profile->n_collectors++];
        memcpy(collector->name, plan->collector[i].name, sizeof collector->name);
        collector->has_count = take(plan, octets, plan->collector[i].count, &collector->count);
        collector->has_time = take_time(plan, octets, plan->collector[i].time, &collector->time_ns);
    }
}

/* A JVM without a collector counts what it allocates; if the collector is not known, nothing else
 * can be said. */
static bool is_of_last_collection(const struct jvm_plan *plan, const struct family *family,
                                  unsigned n_collectors)
{
    if (!family)
        return n_collectors > 0;
    return family->moment == AT_COLLECTIONS || (family->moment == SAMPLED && !plan->is_sampled);
}

int jvm_read(struct jvm_plan *plan, const uint8_t *octets, size_t size, struct jvm_profile *profile,
             char why[MESSAGE_SIZE])
{
    struct perfdata_header header;
    int error = perfdata_header_read(octets, size, &header, why);
    if (!error && !is_still_right(plan, &header))
        error = make_plan(plan, octets, &header, why);
    if (error)
        return error;
    const struct family *family = family_of(plan);
    *profile = (struct jvm_profile){.overflow = header.overflow};
    memcpy(profile->name, plan->name, sizeof profile->name);
    read_scalars(plan, octets, profile);
    read_used(plan, octets, profile);
    read_max(plan, octets, family, profile);
    read_collectors(plan, octets, profile);
    profile->heap_is_of_last_collection =
        is_of_last_collection(plan, family, profile->n_collectors);
    return 0;
}
