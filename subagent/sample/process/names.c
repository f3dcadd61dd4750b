#include "sample/process/names.h"

#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/table.h"
#include "sample/process/read.h"

#define PASSWD_SIZE 4096

/* The key has no padding, because all its octets count. For owners, device is 0. */
struct learned_name {
    UT_hash_handle hh;
    struct executable_id id;
    char name[NAME_SIZE];
};

static void forget_all(struct learned_name **names)
{
    struct learned_name *name;
    struct learned_name *next;
    HASH_ITER(hh, *names, name, next)
    {
        HASH_DEL(*names, name);
        free(name);
    }
}

static void forget_names(struct names *names)
{
    forget_all(&names->recent);
    forget_all(&names->older);
}

/* Makes a name that is in neither hash a recent one. NULL: there is no memory, and the name was
 * freed. */
static struct learned_name *add_recent(struct names *names, struct learned_name *name,
                                       unsigned most)
{
    if (HASH_COUNT(names->recent) >= most) {
        forget_all(&names->older);
        names->older = names->recent;
        names->recent = NULL;
    }
    HASH_ADD(hh, names->recent, id, sizeof name->id, name);
    if (table_has(hh, name))
        return name;
    free(name);
    return NULL;
}

static struct learned_name *find_name(struct names *names, struct executable_id id, unsigned most)
{
    struct learned_name *name;
    HASH_FIND(hh, names->recent, &id, sizeof id, name);
    if (name)
        return name;
    HASH_FIND(hh, names->older, &id, sizeof id, name);
    if (!name)
        return NULL;
    HASH_DEL(names->older, name);
    return add_recent(names, name, most);
}

static struct learned_name *learn_name(struct names *names, struct executable_id id,
                                       const char *text, unsigned most)
{
    struct learned_name *name = find_name(names, id, most);
    if (!name) {
        name = calloc(1, sizeof *name);
        if (!name)
            return NULL;
        name->id = id;
        name = add_recent(names, name, most);
    }
    if (name)
        snprintf(name->name, sizeof name->name, "%s", text);
    return name;
}

void executables_release(struct executables *executables)
{
    forget_names(&executables->by_id);
}

/* Encodes a device in 32 bits as the kernel does (include/linux/kdev_t.h new_encode_dev). */
static uint64_t encode_device(dev_t device)
{
    uint64_t minor_number = minor(device);
    return (minor_number & 0xff) | (uint64_t)major(device) << 8 |
           (minor_number & ~UINT64_C(0xff)) << 12;
}

void executables_learn(struct executables *executables, int folder, pid_t pid, const char *name)
{
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "%d/exe", (int)pid);
    if (fstatat(folder, path, &status, 0) != 0)
        return;
    struct executable_id id = {encode_device(status.st_dev), status.st_ino};
    learn_name(&executables->by_id, id, name, EXECUTABLES_RECENT);
}

static bool is_file(const char *path, struct executable_id id)
{
    struct stat status;
    return stat(path, &status) == 0 && encode_device(status.st_dev) == id.device &&
           status.st_ino == id.inode;
}

static struct learned_name *look_for(struct executables *executables, struct executable_id id,
                                     const char *comm)
{
    static const char *const folders[] = {"/usr/bin", "/usr/sbin",      "/bin",
                                          "/sbin",    "/usr/local/bin", "/usr/local/sbin"};
    char path[64];
    char target[PATH_MAX];
    char name[NAME_SIZE];
    if (!*comm || strchr(comm, '/'))
        return NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], comm);
        if (!is_file(path, id) || !realpath(path, target))
            continue;
        process_path_name(name, target);
        return learn_name(&executables->by_id, id, name, EXECUTABLES_RECENT);
    }
    return NULL;
}

const char *executables_find(struct executables *executables, struct executable_id id,
                             const char *comm)
{
    if (id.inode == 0)
        return NULL;
    const struct learned_name *name = find_name(&executables->by_id, id, EXECUTABLES_RECENT);
    if (!name)
        name = look_for(executables, id, comm);
    return name ? name->name : NULL;
}

void owners_release(struct owners *owners)
{
    forget_names(&owners->by_number);
}

static void look_up(uid_t owner, char name[NAME_SIZE])
{
    char buffer[PASSWD_SIZE];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwuid_r(owner, &entry, buffer, sizeof buffer, &found) == 0 && found)
        process_label(name, NAME_SIZE, found->pw_name, strlen(found->pw_name), PROCESS_LABEL_MORE);
    else
        snprintf(name, NAME_SIZE, "%u", (unsigned)owner);
}

const char *owners_name(struct owners *owners, uid_t owner)
{
    struct executable_id id = {0, owner};
    struct learned_name *known = find_name(&owners->by_number, id, OWNERS_RECENT);
    if (known)
        return known->name;
    char name[NAME_SIZE];
    look_up(owner, name);
    known = learn_name(&owners->by_number, id, name, OWNERS_RECENT);
    return known ? known->name : NULL;
}
