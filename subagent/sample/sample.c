#include "sample/sample.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sample/source.h"

static_assert(CPU_FIELDS <= SAMPLE_FIELDS && LOAD_FIELDS <= SAMPLE_FIELDS &&
                  MEMORY_FIELDS <= SAMPLE_FIELDS && NETWORK_FIELDS <= SAMPLE_FIELDS &&
                  DISK_FIELDS <= SAMPLE_FIELDS,
              "every source fits in a slot");

struct source_type {
    const char *path;
    void (*parse)(struct source *source);
};

static const struct source_type source_types[SOURCE_COUNT] = {
    [SOURCE_CPU] = {"/proc/stat", cpu_parse},
    [SOURCE_LOAD] = {"/proc/loadavg", load_parse},
    [SOURCE_MEMORY] = {"/proc/meminfo", memory_parse},
    [SOURCE_NETWORK] = {"/proc/net/dev", network_parse},
    [SOURCE_DISK] = {"/proc/diskstats", disk_parse},
};

struct sampler *sampler_new(const char *root)
{
    struct sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return NULL;
    sampler->root = strdup(root);
    bool ok = sampler->root != NULL;
    for (unsigned i = 0; i < SOURCE_COUNT; i++) {
        sampler->sources[i].root = sampler->root;
        if (procfile_init(&sampler->sources[i].file, root, source_types[i].path) != 0)
            ok = false;
    }
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
        source_release(&sampler->sources[i]);
    free(sampler->resources);
    free(sampler->root);
    free(sampler);
}

static int source_read(struct source *source, void (*parse)(struct source *source))
{
    int error = procfile_read(&source->file);
    if (error)
        return error;
    source_begin(source);
    parse(source);
    return source_end(source);
}

int sampler_read(struct sampler *sampler, enum metric_source source, uint64_t now_ns)
{
    struct source *read = &sampler->sources[source];
    read->set.error = source_read(read, source_types[source].parse);
    read->set.taken_ns = now_ns;
    return read->set.error;
}

const struct sample_set *sampler_set(const struct sampler *sampler, enum metric_source source)
{
    return &sampler->sources[source].set;
}
