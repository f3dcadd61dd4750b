/* The inventory: the CPUs, disks, interfaces, file systems, hardware monitors and control groups,
 * with place and size; from the samples, whoever wanted them, but for the control groups, of which
 * the samples have only what sensors want. */
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

/* Reads what nobody has read for a minute (hardware monitors, whose chips may be slow: for ten),
 * and finds the control groups once a minute, without looking into them. What cannot be read stays
 * in the list as it was. */
void resource_refresh(struct sampler *sampler, uint64_t now_ns);

/* Grows whenever a resource comes or goes: in a pass, or in resource_refresh. */
uint64_t resource_membership(const struct sampler *sampler);

/* The resources, in the order of the sources and slots; of a source that was never read there are
 * none. The list belongs to the sampler and stays until the next call; it is made anew only when
 * resource_membership has grown, and else gets the present sizes of the file systems. Returns 0 or
 * ENOMEM; then the old list stays. */
int resource_list(struct sampler *sampler, struct resource **out, size_t *n);

/* For sampler_free. */
void resource_release(struct sampler *sampler);

#endif
