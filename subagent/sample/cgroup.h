/* Inside sample/: what the source of the control groups keeps. */
#ifndef DCAMP_SAMPLE_CGROUP_H
#define DCAMP_SAMPLE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "sample/mounts.h"

#define CGROUP_FILES 7
#define CGROUP_TEXT_SIZE 65536 /* io.stat has a line for each device */

struct cgroup {
    char *path;           /* below the mount, without a slash at its beginning */
    int fd[CGROUP_FILES]; /* -1: closed */
    unsigned absent;      /* bit 1 << file: it was not there at the last look */
    char name[INSTANCE_SIZE];
};

struct cgroups {
    struct mounts mounts;
    char *mount; /* the folder of the hierarchy, with the root; NULL: there is none */
    uint64_t major;
    uint64_t minor;
    int folder;       /* that folder, open; -1: closed */
    int watch;        /* inotify(7) of all folders; -1: there is none */
    bool all_watched; /* every folder got a watch */
    struct cgroup *groups;
    size_t n;
    bool walked;
    uint64_t walked_ns;
    uint64_t looked_ns; /* when files that had been absent were last looked for */
    size_t n_open;      /* handles of files that are kept */
    size_t max_open;
    uint64_t patterns_changed; /* that of the source at the last walk */
    char *text;                /* of the file that is being read */
};

#endif
