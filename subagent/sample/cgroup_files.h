/* Inside sample/: what the files of a control group say. */
#ifndef DCAMP_SAMPLE_CGROUP_FILES_H
#define DCAMP_SAMPLE_CGROUP_FILES_H

#include "sample/cgroup.h"

/* Reads those files of a group that have wanted fields and sets all fields that they have; returns
 * the valid bits of these. */
uint32_t cgroup_read_files(struct cgroups *own, struct cgroup *group, uint32_t wanted,
                           uint64_t *field);
void cgroup_close_file(struct cgroups *own, struct cgroup *group, unsigned file);

#endif
