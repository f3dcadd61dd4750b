/* The inventory: the CPUs, disks, interfaces, file systems, hardware monitors and control groups,
 * with place and size; from the samples, whoever wanted them, but for the control groups, of which
 * the samples have only what sensors want. */
#ifndef DCAMP_SAMPLE_RESOURCE_H
#define DCAMP_SAMPLE_RESOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "sample/sample.h"

struct cgroup;

struct resource {
    enum resource_class class;
    char name[INSTANCE_SIZE];
    char parent[INSTANCE_SIZE]; /* the disk of a partition; else "" */
    uint64_t size; /* disk, partition, file system: octets; interface: bit/s; 0: not known */
};

/* All zeros in the beginning. */
struct resources {
    struct resource *list;
    size_t n;
    uint64_t membership;   /* that the list was made for */
    struct cgroup *groups; /* all of them by name */
    size_t n_groups;
    uint64_t groups_membership; /* grows whenever one comes or goes */
    uint64_t groups_ns;         /* monotonic, of the last look at them; 0: none yet */
};

/* Reads what nobody has read for a minute (hardware monitors, whose chips may be slow: for ten),
 * and finds the control groups once a minute, without looking into them. What cannot be read stays
 * in the list as it was. */
void resources_refresh(struct resources *resources, struct sampler *sampler, uint64_t now_ns);

/* Grows whenever a resource comes or goes: in a pass, or in resources_refresh. */
uint64_t resources_membership(const struct resources *resources, const struct sampler *sampler);

/* The resources, in the order of the sources and slots; of a source that was never read there are
 * none. The list stays until the next call; it is made anew only when resources_membership has
 * grown, and else gets the present sizes of the file systems. Returns 0 or ENOMEM; then the old
 * list stays. */
int resources_list(struct resources *resources, const struct sampler *sampler,
                   const struct resource **out, size_t *n);

void resources_release(struct resources *resources);

#endif
