#include "sample/cgroup.h"
#include "sample/cgroup_files.h"
#include "sample/cgroup_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/slot.h"
#include "sample/sources.h"

/* The times of the folders do not show whether a group came or went, because the kernel does not
 * keep them; inotify does show it. A walk now and then finds what inotify did not tell, because it
 * had no watches left or because the kernel itself removed a group. Files of controllers that have
 * been switched on are looked for every LOOK_NS. */
#define WALK_NS (10 * NS_PER_S)
#define WATCHED_WALK_NS (60 * NS_PER_S)
#define LOOK_NS (10 * NS_PER_S)

/* At most a quarter of the files that the process may open may be those of groups. */
#define HANDLES_SHARE 4
#define HANDLES_MAX 65536

/* A group of which no file is there has gone: every folder of a hierarchy has some of these files.
 */
static void fill_group(struct source *source, struct cgroup *group)
{
    struct cgroups *own = source->own;
    uint64_t field[CGROUP_FIELDS] = {0};
    uint32_t valid = cgroup_read_files(own, group, source->fields, field) & source->fields;
    if (group->absent == (1u << CGROUP_FILES) - 1) {
        own->walked = false;
        return;
    }
    struct sample_slot *slot = source_slot(source, group->name, strlen(group->name));
    if (!slot)
        return;
    slot->class = RESOURCE_CGROUP;
    slot->valid = valid;
    for (unsigned i = 0; i < CGROUP_FIELDS; i++)
        slot->field[i] = valid >> i & 1 ? field[i] : 0;
}

/* -- The hierarchy --------------------------------------------------------------------------- */

static void forget(struct cgroups *own)
{
    if (own->folder >= 0)
        close(own->folder);
    if (own->watch >= 0)
        close(own->watch);
    free(own->mount);
    cgroup_free_groups(own, own->groups, own->n);
    own->mount = NULL;
    own->folder = -1;
    own->watch = -1;
    own->groups = NULL;
    own->n = 0;
    own->walked = false;
}

static bool find_hierarchy(const struct mounts *mounts, struct mount *mount)
{
    for (const char *at = NULL; mounts_next(mounts, &at, mount);)
        if (mount->type.len == strlen("cgroup2") &&
            memcmp(mount->type.text, "cgroup2", mount->type.len) == 0)
            return true;
    return false;
}

/* If there is no inotify, changes are found only by the walks now and then. */
static int open_hierarchy(struct cgroups *own, const struct mount *mount, char *path)
{
    if (own->mount && strcmp(own->mount, path) == 0 && own->major == mount->major &&
        own->minor == mount->minor) {
        free(path);
        return 0;
    }
    forget(own);
    own->mount = path;
    own->major = mount->major;
    own->minor = mount->minor;
    own->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own->folder < 0) {
        int error = errno;
        forget(own);
        return error;
    }
    own->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return 0;
}

/* In a hybrid setup, cgroup v2 is one of many mounts. If it is mounted several times, the first one
 * is as good as any other. */
static int update_hierarchy(struct cgroups *own, const char *root)
{
    struct mount mount;
    if (!find_hierarchy(&own->mounts, &mount)) {
        forget(own);
        return 0;
    }
    char *point = malloc(mount.point.len + 1);
    size_t size = strlen(root) + mount.point.len + 1;
    char *path = point ? malloc(size) : NULL;
    if (path) {
        mounts_unescape(&mount.point, point);
        procfile_path(path, size, root, point);
    }
    free(point);
    return path ? open_hierarchy(own, &mount, path) : ENOMEM;
}

/* Whether a folder came or went. What the events of inotify say in detail does not matter. */
static bool was_touched(const struct cgroups *own)
{
    char events[4096];
    bool touched = false;
    while (own->watch >= 0 && read(own->watch, events, sizeof events) > 0)
        touched = true;
    return touched;
}

static void look_again(struct cgroups *own, uint64_t now_ns)
{
    for (size_t i = 0; i < own->n; i++)
        own->groups[i].absent = 0;
    own->looked_ns = now_ns;
}

static int walk_when_due(struct source *source, uint64_t now_ns)
{
    struct cgroups *own = source->own;
    uint64_t pause = own->watch >= 0 && own->all_watched ? WATCHED_WALK_NS : WALK_NS;
    bool touched = was_touched(own);
    if (now_ns - own->looked_ns >= LOOK_NS)
        look_again(own, now_ns);
    if (own->walked && !touched && own->patterns_changed == source->patterns_changed &&
        now_ns - own->walked_ns < pause)
        return 0;
    int error = cgroup_walk(own, source->patterns, source->n_patterns);
    own->walked = !error;
    own->walked_ns = now_ns;
    own->patterns_changed = source->patterns_changed;
    return error;
}

/* -- The source ------------------------------------------------------------------------------ */

int cgroup_open(struct source *source)
{
    struct cgroups *own = calloc(1, sizeof *own);
    source->own = own;
    if (!own)
        return ENOMEM;
    own->folder = -1;
    own->watch = -1;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        own->max_open = limit.rlim_cur < HANDLES_MAX ? limit.rlim_cur / HANDLES_SHARE
                                                     : HANDLES_MAX / HANDLES_SHARE;
    return mounts_init(&own->mounts, source->root);
}

void cgroup_close(struct source *source)
{
    struct cgroups *own = source->own;
    if (!own)
        return;
    forget(own);
    mounts_release(&own->mounts);
    free(own->text);
    free(own);
    source->own = NULL;
}

/* If nobody wants anything of the groups, they are not looked at. */
int cgroup_read(struct source *source, uint64_t now_ns)
{
    struct cgroups *own = source->own;
    bool changed;
    if (source->n_patterns == 0)
        return 0;
    if (!own->text && !(own->text = malloc(CGROUP_TEXT_SIZE)))
        return ENOMEM;
    int error = mounts_read(&own->mounts, &changed);
    if (!error && (changed || !own->mount))
        error = update_hierarchy(own, source->root);
    if (error || !own->mount)
        return error;
    error = walk_when_due(source, now_ns);
    for (size_t i = 0; i < own->n && !error; i++)
        fill_group(source, &own->groups[i]);
    return error;
}
