#include "sample/sample.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/clock.h"
#include "sample/slot.h"
#include "sample/sources.h"

static_assert(CPU_FIELDS <= SAMPLE_FIELDS && LOAD_FIELDS <= SAMPLE_FIELDS &&
                  MEMORY_FIELDS <= SAMPLE_FIELDS && NETWORK_FIELDS <= SAMPLE_FIELDS &&
                  DISK_FIELDS <= SAMPLE_FIELDS && KERNEL_FIELDS <= SAMPLE_FIELDS &&
                  FILESYSTEM_FIELDS <= SAMPLE_FIELDS && PRESSURE_FIELDS <= SAMPLE_FIELDS &&
                  PROTOCOL_FIELDS <= SAMPLE_FIELDS && HARDWARE_FIELDS <= SAMPLE_FIELDS &&
                  CGROUP_FIELDS <= SAMPLE_FIELDS && PROCESS_FIELDS <= SAMPLE_FIELDS &&
                  APPLICATION_FIELDS <= SAMPLE_FIELDS && JVM_FIELDS <= SAMPLE_FIELDS,
              "every source fits in a slot");

static int provided_read(struct source *source, uint64_t now_ns)
{
    return source->provided ? source->provided(source->provider, source, now_ns) : ENOENT;
}

static const struct source_type source_types[SOURCE_COUNT] = {
    [SOURCE_CPU] = {.name = "cpu", .path = "/proc/stat", .parse = cpu_parse},
    [SOURCE_LOAD] = {.name = "load", .path = "/proc/loadavg", .parse = load_parse},
    [SOURCE_MEMORY] = {.name = "memory", .path = "/proc/meminfo", .parse = memory_parse},
    [SOURCE_NETWORK] = {.name = "network", .path = "/proc/net/dev", .parse = network_parse},
    [SOURCE_DISK] = {.name = "disk", .open = disk_open, .read = disk_read, .close = disk_close},
    [SOURCE_KERNEL] = {.name = "kernel",
                       .open = kernel_open,
                       .read = kernel_read,
                       .close = files_close},
    [SOURCE_FILESYSTEM] = {.name = "filesystem",
                           .open = filesystem_open,
                           .read = filesystem_read,
                           .close = filesystem_close,
                           .may_be_empty = true},
    [SOURCE_PRESSURE] = {.name = "pressure",
                         .open = pressure_open,
                         .read = pressure_read,
                         .close = files_close,
                         .may_be_empty = true},
    [SOURCE_PROTOCOL] = {.name = "protocol",
                         .open = protocol_open,
                         .read = protocol_read,
                         .close = files_close},
    [SOURCE_HARDWARE] = {.name = "hardware",
                         .open = hardware_open,
                         .read = hardware_read,
                         .close = hardware_close,
                         .may_be_empty = true},
    [SOURCE_CGROUP] = {.name = "cgroup",
                       .open = cgroup_open,
                       .read = cgroup_read,
                       .close = cgroup_close,
                       .may_be_empty = true},
    [SOURCE_PROCESS] = {.name = "process",
                        .open = processes_open,
                        .read = processes_read,
                        .close = processes_close,
                        .may_be_empty = true},
    [SOURCE_APPLICATION] = {.name = "application", .read = provided_read, .may_be_empty = true},
    [SOURCE_JVM] = {.name = "jvm", .read = provided_read, .may_be_empty = true},
    [SOURCE_ENDPOINT] = {.name = "endpoint", .read = provided_read, .may_be_empty = true},
};

static int source_open(struct source *source, enum metric_source id, const char *root,
                       struct pool *slot_entries)
{
    const struct source_type *type = &source_types[id];
    source->root = root;
    source->id = id;
    source->type = type;
    source->slot_entries = slot_entries;
    source->fields = SAMPLE_ALL_FIELDS;
    int error = type->path ? procfile_init(&source->file, root, type->path) : 0;
    return !error && type->open ? type->open(source) : error;
}

static void free_patterns(struct source *source)
{
    for (size_t i = 0; i < source->n_patterns; i++)
        free((char *)source->patterns[i]);
    free((void *)source->patterns);
    source->patterns = NULL;
    source->n_patterns = 0;
}

static void source_close(struct source *source)
{
    if (source->type && source->type->close)
        source->type->close(source);
    free_patterns(source);
    source_release(source);
}

struct sampler *sampler_new(const char *root)
{
    struct sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return NULL;
    sampler->root = strdup(root);
    bool ok = sampler->root != NULL;
    slot_entries_init(&sampler->slot_entries);
    for (unsigned i = 0; i < SOURCE_COUNT; i++)
        sampler->sources[i].file.fd = -1;
    for (unsigned i = 0; ok && i < SOURCE_COUNT; i++)
        ok = source_open(&sampler->sources[i], (enum metric_source)i, sampler->root,
                         &sampler->slot_entries) == 0;
    if (ok)
        return sampler;
    sampler_free(sampler);
    return NULL;
}

void sampler_free(struct sampler *sampler)
{
    if (!sampler)
        return;
    for (unsigned i = 0; i < SOURCE_COUNT; i++)
        source_close(&sampler->sources[i]);
    pool_release(&sampler->slot_entries);
    free(sampler->root);
    free(sampler);
}

static int source_read(struct source *source, uint64_t now_ns)
{
    int error = source->type->path ? procfile_read(&source->file) : 0;
    if (error)
        return error;
    source_begin(source);
    if (source->type->parse)
        source->type->parse(source);
    if (source->type->read)
        error = source->type->read(source, now_ns);
    return error ? error : source_end(source);
}

void sampler_provide(struct sampler *sampler, enum metric_source source, sampler_reader *read,
                     void *context)
{
    sampler->sources[source].provided = read;
    sampler->sources[source].provider = context;
}

static void count_pass(struct sampler_cost *cost, bool failed, uint64_t elapsed_ns)
{
    cost->passes++;
    cost->errors += failed;
    cost->last_ns = elapsed_ns;
    cost->total_ns += elapsed_ns;
}

int sampler_read(struct sampler *sampler, enum metric_source source, uint64_t now_ns)
{
    struct source *read = &sampler->sources[source];
    uint64_t begun_ns = clock_mono_ns();
    read->set.error = source_read(read, now_ns);
    read->set.taken_ns = now_ns;
    count_pass(&read->cost, read->set.error != 0, clock_mono_ns() - begun_ns);
    return read->set.error;
}

void sampler_prefetch(const struct sampler *sampler, unsigned sources)
{
    for (unsigned i = 0; i < SOURCE_COUNT; i++)
        if (sources & 1u << i)
            cache_prefetch(&sampler->sources[i], sizeof sampler->sources[i]);
    for (unsigned i = 0; i < SOURCE_COUNT; i++)
        if (sources & 1u << i)
            source_prefetch(&sampler->sources[i]);
}

const struct sample_set *sampler_set(const struct sampler *sampler, enum metric_source source)
{
    return &sampler->sources[source].set;
}

const struct sampler_cost *sampler_cost(const struct sampler *sampler, enum metric_source source)
{
    return &sampler->sources[source].cost;
}

const char *sampler_root(const struct sampler *sampler)
{
    return sampler->root;
}

const char *source_name(enum metric_source source)
{
    return source_types[source].name;
}

bool sampler_is_wanted(const struct sampler *sampler, enum metric_source source)
{
    return sampler->sources[source].n_patterns > 0;
}

uint32_t sampler_fields(const struct sampler *sampler, enum metric_source source)
{
    return sampler_is_wanted(sampler, source) ? sampler->sources[source].fields : 0;
}

int sampler_select(struct sampler *sampler, enum metric_source source, const char *const *patterns,
                   size_t n, uint32_t fields)
{
    struct source *selected = &sampler->sources[source];
    const char **copies = calloc(n + 1, sizeof *copies);
    bool ok = copies != NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = (copies[i] = strdup(patterns[i])) != NULL;
    if (!ok) {
        for (size_t i = 0; copies && i < n; i++)
            free((char *)copies[i]);
        free((void *)copies);
        return ENOMEM;
    }
    free_patterns(selected);
    selected->patterns = copies;
    selected->n_patterns = n;
    selected->fields = n > 0 ? fields : SAMPLE_ALL_FIELDS;
    selected->patterns_changed++;
    return 0;
}
