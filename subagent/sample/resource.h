/* The inventory: the CPUs, disks, interfaces, file systems, hardware monitors and control groups,
 * with their place and size. They come from the samples, whoever wanted those; only the control
 * groups are looked for separately, since the samples have only those that sensors want. */
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

/* All octets are zero in the beginning. */
struct resources {
    struct resource *list;
    size_t n;
    uint64_t membership;   /* the one for which the list was made */
    struct cgroup *groups; /* all control groups by name */
    size_t n_groups;
    uint64_t groups_membership; /* grows whenever a group comes or goes */
    uint64_t groups_ns;         /* when the groups were last looked for, monotonic; 0: not yet */
};

/* Reads sources that nobody has read for a minute (hardware monitors, whose chips may be slow: for
 * ten minutes), and finds the control groups once a minute, without reading their files. What
 * cannot be read stays in the list as it was. */
void resources_refresh(struct resources *resources, struct sampler *sampler, uint64_t now_ns);

/* Grows whenever a resource comes or goes, be it found by a pass or by resources_refresh. */
uint64_t resources_membership(const struct resources *resources, const struct sampler *sampler);

/* The resources, in the order of the sources and slots. A source that was never read has none. The
 * list stays until the next call; it is made anew only when resources_membership has grown,
 * otherwise only the sizes of the file systems are updated. Returns 0 or ENOMEM; after ENOMEM the
 * old list stays. */
int resources_list(struct resources *resources, const struct sampler *sampler,
                   const struct resource **out, size_t *n);

void resources_release(struct resources *resources);

#endif
