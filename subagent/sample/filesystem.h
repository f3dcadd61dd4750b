/* What the source of the file systems keeps. It is in a header so that tests can replace the call
 * that may hang. Not for other stages. */
#ifndef DCAMP_SAMPLE_FILESYSTEM_H
#define DCAMP_SAMPLE_FILESYSTEM_H

#include <stdint.h>
#include <sys/statvfs.h>

#include "base/procfile.h"
#include "sample/mounts.h"
#include "sample/worker.h"

struct volume;

struct filesystems {
    struct mounts mounts;
    struct procfile types; /* /proc/filesystems */
    struct worker *worker;
    struct volume *volumes; /* hash by mount point, in the order in which the volumes came */
    bool listed;            /* the volumes are those of the last mounts_read */
    uint64_t listing;
    int (*statvfs)(const char *path,
                   struct statvfs *result); /* used for volumes that come from now on */
};

#endif
