/* The inventory: what the samples of CPUs, disks, interfaces, file systems, hardware monitors and
 * control groups found, with its place and size. */
#ifndef DCAMP_SAMPLE_RESOURCE_H
#define DCAMP_SAMPLE_RESOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "sample/sample.h"

struct resource {
    enum resource_class class;
    char name[INSTANCE_SIZE];
    char parent[INSTANCE_SIZE]; /* the disk of a partition; else "" */
    uint64_t size; /* disk, partition, file system: octets; interface: bit/s; 0: not known */
};

/* The resources of the last passes, in the order of the sources and slots; of a source that was not
 * read there are none. The list belongs to the sampler and stays until the next call; it is made
 * anew only when the membership of one of the sets changed. Returns 0 or ENOMEM; then the old list
 * stays. */
int resource_list(struct sampler *sampler, struct resource **out, size_t *n);

#endif
