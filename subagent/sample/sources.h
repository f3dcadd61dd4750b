/* Inside sample/: the sources. sample.c has the list of them. */
#ifndef DCAMP_SAMPLE_SOURCES_H
#define DCAMP_SAMPLE_SOURCES_H

#include "sample/files.h"
#include "sample/source.h"

struct sampler {
    char *root;
    struct pool slot_entries;
    struct source sources[SOURCE_COUNT];
};

/* One parser for each of these sources, from source->file.text to slots. */
void cpu_parse(struct source *source);
void load_parse(struct source *source);
void memory_parse(struct source *source);
void network_parse(struct source *source);

/* The sources that are not simply one file with a parser. */
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

#endif
