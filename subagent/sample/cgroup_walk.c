#include "sample/cgroup_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/text.h"
#include "sample/cgroup_files.h"
#include "sample/select.h"

static void free_group(struct cgroups *own, struct cgroup *group)
{
    for (unsigned i = 0; i < CGROUP_FILES; i++)
        cgroup_close_file(own, group, i);
    free(group->path);
}

void cgroup_free_groups(struct cgroups *own, struct cgroup *groups, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free_group(own, &groups[i]);
    free(groups);
}

/* All folders, the root first; the path of the root is "". */
struct folders {
    struct cgroup *list;
    size_t n;
    size_t capacity;
};

static int add_folder(struct folders *folders, const char *parent, const char *name)
{
    if (folders->n == folders->capacity) {
        size_t capacity = folders->capacity ? 2 * folders->capacity : 64;
        struct cgroup *list = reallocarray(folders->list, capacity, sizeof *list);
        if (!list)
            return ENOMEM;
        folders->list = list;
        folders->capacity = capacity;
    }
    size_t size = strlen(parent) + strlen(name) + 2;
    struct cgroup *folder = &folders->list[folders->n];
    *folder = (struct cgroup){.path = malloc(size)};
    if (!folder->path)
        return ENOMEM;
    for (unsigned i = 0; i < CGROUP_FILES; i++)
        folder->fd[i] = -1;
    text_format(folder->path, size, "%s%s%s", parent, *parent ? "/" : "", name);
    folders->n++;
    return 0;
}

/* The watch is set before the folder is read, so that a folder that comes meanwhile is not missed.
 * Setting it for a folder that is watched already gives the same watch. */
static DIR *open_folder(struct cgroups *own, const char *path)
{
    char full[PATH_MAX];
    text_format(full, sizeof full, "%s/%s", own->mount, path);
    if (own->watch >= 0 &&
        inotify_add_watch(own->watch, full, IN_CREATE | IN_DELETE | IN_MOVE | IN_ONLYDIR) < 0)
        own->all_watched = false;
    int fd = openat(own->folder, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0)
        close(fd);
    return dir;
}

static bool is_folder(const struct dirent *entry)
{
    return (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
           strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* A folder that has gone meanwhile, or that is not a folder, has nothing below it. */
static int add_below(struct cgroups *own, struct folders *folders, size_t at)
{
    DIR *dir = open_folder(own, folders->list[at].path);
    if (!dir)
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? errno : 0;
    int error = 0;
    for (struct dirent *entry; !error && (entry = readdir(dir));)
        if (is_folder(entry))
            error = add_folder(folders, folders->list[at].path, entry->d_name);
    closedir(dir);
    return error;
}

/* Keeps the folders that are wanted, but not the root, which is the machine itself and has other
 * sources. */
static void keep_wanted(struct cgroups *own, struct folders *folders, const char *const *patterns,
                        size_t n_patterns)
{
    size_t kept = 0;
    for (size_t i = 0; i < folders->n; i++) {
        struct cgroup *folder = &folders->list[i];
        text_instance(folder->name, folder->path, strlen(folder->path));
        if (*folder->path && patterns_select(SOURCE_CGROUP, patterns, n_patterns, folder->name))
            folders->list[kept++] = *folder;
        else
            free_group(own, folder);
    }
    folders->n = kept;
}

/* Takes over the handles of groups that stayed. All walks find the groups in the same order, so the
 * search goes on behind the last one that was found. */
static void take_handles(struct cgroups *own, struct folders *folders)
{
    size_t from = 0;
    for (size_t i = 0; i < folders->n; i++)
        for (size_t j = from; j < own->n; j++) {
            struct cgroup *old = &own->groups[j];
            if (strcmp(old->path, folders->list[i].path) != 0)
                continue;
            memcpy(folders->list[i].fd, old->fd, sizeof old->fd);
            memset(old->fd, -1, sizeof old->fd);
            from = j + 1;
            break;
        }
}

int cgroup_walk(struct cgroups *own, const char *const *patterns, size_t n_patterns)
{
    struct folders folders = {0};
    own->all_watched = true;
    int error = add_folder(&folders, "", "");
    for (size_t i = 0; i < folders.n && !error; i++)
        error = add_below(own, &folders, i);
    if (error) {
        cgroup_free_groups(own, folders.list, folders.n);
        return error;
    }
    keep_wanted(own, &folders, patterns, n_patterns);
    take_handles(own, &folders);
    cgroup_free_groups(own, own->groups, own->n);
    own->groups = folders.list;
    own->n = folders.n;
    return 0;
}
