/* Inside sample/: which control groups there are. */
#ifndef DCAMP_SAMPLE_CGROUP_WALK_H
#define DCAMP_SAMPLE_CGROUP_WALK_H

#include "sample/cgroup.h"

/* Finds all groups whose names are wanted. Returns 0 or an errno; after an error the old groups
 * stay. */
int cgroup_walk(struct cgroups *own, const char *const *patterns, size_t n_patterns);

void cgroup_free_groups(struct cgroups *own, struct cgroup *groups, size_t n);

#endif
