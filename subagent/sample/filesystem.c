#include "sample/filesystem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

/* The job of one volume. */
struct probe {
    int (*statvfs)(const char *path, struct statvfs *result);
    struct statvfs result;
    int error;
    char path[]; /* with the root */
};

struct volume {
    UT_hash_handle hh;
    struct worker_job *job;
    struct probe *probe; /* owned by the job */
    uint64_t major;
    uint64_t minor;
    uint64_t listing; /* the number of the last listing that had it */
    char name[INSTANCE_SIZE];
    char point[];
};

/* A line of mountinfo while the volumes are listed. */
struct listed_mount {
    UT_hash_handle by_point;
    UT_hash_handle by_device;
    struct mount mount;
    bool hidden; /* a later mount at the same point hides it */
};

/* -- The calls, in the threads of the worker ------------------------------------------------- */

static void probe_run(void *data)
{
    struct probe *probe = data;
    probe->error = probe->statvfs(probe->path, &probe->result) == 0 ? 0 : errno;
}

static const struct worker_call probe_call = {probe_run, free};

/* -- The volumes ----------------------------------------------------------------------------- */

static void drop_volume(struct filesystems *own, struct volume *volume)
{
    HASH_DEL(own->volumes, volume);
    worker_drop(own->worker, volume->job);
    free(volume);
}

static bool start_probing(struct filesystems *own, struct volume *volume, const char *root,
                          bool remote)
{
    size_t size = strlen(root) + strlen(volume->point) + 1;
    struct probe *probe = calloc(1, sizeof *probe + size);
    if (!probe)
        return false;
    probe->statvfs = own->statvfs;
    procfile_path(probe->path, size, root, volume->point);
    volume->probe = probe;
    volume->job = worker_add(own->worker, &probe_call, probe, remote);
    if (!volume->job)
        free(probe);
    return volume->job != NULL;
}

static int add_volume(struct filesystems *own, const char *root, const struct mount *mount,
                      bool remote)
{
    struct volume *volume = calloc(1, sizeof *volume + mount->point.len + 1);
    if (!volume)
        return ENOMEM;
    size_t len = mounts_unescape(&mount->point, volume->point);
    text_instance(volume->name, volume->point, len);
    volume->major = mount->major;
    volume->minor = mount->minor;
    volume->listing = own->listing;
    if (!start_probing(own, volume, root, remote)) {
        free(volume);
        return ENOMEM;
    }
    HASH_ADD_STR(own->volumes, point, volume);
    if (table_has(hh, volume))
        return 0;
    worker_drop(own->worker, volume->job);
    free(volume);
    return ENOMEM;
}

/* If there is another device at the same point, it is another volume. */
static int see_volume(struct filesystems *own, const char *root, const struct mount *mount,
                      bool remote)
{
    char *point = malloc(mount->point.len + 1);
    if (!point)
        return ENOMEM;
    mounts_unescape(&mount->point, point);
    struct volume *volume;
    HASH_FIND_STR(own->volumes, point, volume);
    free(point);
    if (volume && volume->major == mount->major && volume->minor == mount->minor) {
        volume->listing = own->listing;
        return 0;
    }
    if (volume)
        drop_volume(own, volume);
    return add_volume(own, root, mount, remote);
}

static void drop_unseen(struct filesystems *own)
{
    struct volume *volume;
    struct volume *next;
    HASH_ITER(hh, own->volumes, volume, next)
    if (volume->listing != own->listing)
        drop_volume(own, volume);
}

/* -- Which mounts are volumes ---------------------------------------------------------------- */

static bool is_type(const struct mount_text *type, const char *name, size_t len)
{
    return type->len >= len && memcmp(type->text, name, len) == 0;
}

/* File systems that have no device in the kernel, but hold data nevertheless. The process of a user
 * (fuse) or the host of a virtual machine (9p) may fail to answer just as a server may. */
static bool holds_data(const struct mount_text *type, bool *remote)
{
    static const struct {
        const char *name;
        bool remote;
    } types[] = {
        {"tmpfs", false},   {"overlay", false}, {"aufs", false}, {"zfs", false},   {"ubifs", false},
        {"jffs2", false},   {"nfs", true},      {"nfs4", true},  {"cifs", true},   {"smb3", true},
        {"ceph", true},     {"9p", true},       {"afs", true},   {"lustre", true}, {"fuse", true},
        {"virtiofs", true}, {"fuseblk", true},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t len = strlen(types[i].name);
        *remote = types[i].remote;
        if (is_type(type, types[i].name, len) &&
            (type->len == len || (*remote && type->text[len] == '.'))) /* such as "fuse.sshfs" */
            return true;
    }
    *remote = false;
    return false;
}

/* A type of the line "nodev\tproc" has no device, one of the line "\text4" has one. */
static bool has_device(const struct procfile *types, const struct mount_text *type)
{
    struct line line;
    for (bool more = line_first(types, &line); more; more = line_next(types, &line))
        if (*line.begin == '\t' && line.end - line.begin - 1 == (ptrdiff_t)type->len &&
            memcmp(line.begin + 1, type->text, type->len) == 0)
            return true;
    return false;
}

static size_t count_mounts(const struct mounts *mounts)
{
    size_t n = 0;
    struct mount mount;
    for (const char *at = NULL; mounts_next(mounts, &at, &mount);)
        n++;
    return n;
}

/* The later of two mounts at one point hides the earlier. */
static bool list_points(const struct mounts *mounts, struct listed_mount *list)
{
    struct listed_mount *points = NULL;
    bool ok = true;
    const char *at = NULL;
    for (struct listed_mount *p = list; ok && mounts_next(mounts, &at, &p->mount); p++) {
        struct listed_mount *before;
        HASH_FIND(by_point, points, p->mount.point.text, p->mount.point.len, before);
        if (before) {
            before->hidden = true;
            HASH_DELETE(by_point, points, before);
        }
        HASH_ADD_KEYPTR(by_point, points, p->mount.point.text, (unsigned)p->mount.point.len, p);
        ok = table_has(by_point, p);
    }
    HASH_CLEAR(by_point, points);
    return ok;
}

static int see_volumes(struct filesystems *own, const char *root, struct listed_mount *list,
                       size_t n)
{
    struct listed_mount *devices = NULL;
    int error = 0;
    for (size_t i = 0; i < n && !error; i++) {
        struct listed_mount *p = &list[i];
        struct listed_mount *same;
        bool remote;
        bool data = holds_data(&p->mount.type, &remote);
        if (p->hidden || (!data && !has_device(&own->types, &p->mount.type)))
            continue;
        HASH_FIND(by_device, devices, &p->mount.major, 2 * sizeof(uint64_t), same);
        if (same)
            continue;
        HASH_ADD(by_device, devices, mount.major, 2 * sizeof(uint64_t), p);
        error = table_has(by_device, p) ? see_volume(own, root, &p->mount, remote) : ENOMEM;
    }
    HASH_CLEAR(by_device, devices);
    return error;
}

/* A device that is mounted at many points is listed at the first that shows it. */
static int list_volumes(struct filesystems *own, const char *root)
{
    int error = procfile_read(&own->types);
    if (error)
        return error;
    size_t n = count_mounts(&own->mounts);
    if (n == 0)
        return EBADMSG;
    struct listed_mount *list = calloc(n + 1, sizeof *list);
    own->listing++;
    error = list && list_points(&own->mounts, list) ? see_volumes(own, root, list, n) : ENOMEM;
    free(list);
    if (!error)
        drop_unseen(own);
    own->listed = !error;
    return error;
}

/* -- The source ------------------------------------------------------------------------------ */

int filesystem_open(struct source *source)
{
    struct filesystems *own = calloc(1, sizeof *own);
    source->own = own;
    if (!own)
        return ENOMEM;
    own->statvfs = statvfs;
    own->worker = worker_new();
    int error = mounts_init(&own->mounts, source->root);
    int types_error = procfile_init(&own->types, source->root, "/proc/filesystems");
    if (!own->worker)
        return ENOMEM;
    return error ? error : types_error;
}

void filesystem_close(struct source *source)
{
    struct filesystems *own = source->own;
    if (!own)
        return;
    struct volume *volume;
    struct volume *next;
    HASH_ITER(hh, own->volumes, volume, next)
    drop_volume(own, volume);
    worker_free(own->worker);
    mounts_release(&own->mounts);
    procfile_release(&own->types);
    free(own);
    source->own = NULL;
}

static bool set_product(uint64_t *field, uint64_t blocks, uint64_t size)
{
    return !__builtin_mul_overflow(blocks, size, field) && *field <= INT64_MAX;
}

/* Network servers may report a size that is less than what is free; then it is not known how much
 * is used. */
static uint32_t fill_space(const struct statvfs *result, uint64_t *field)
{
    uint64_t unit = result->f_frsize ? result->f_frsize : result->f_bsize;
    uint32_t valid = 0;
    bool size = set_product(&field[FILESYSTEM_SIZE], result->f_blocks, unit);
    bool free = set_product(&field[FILESYSTEM_FREE], result->f_bfree, unit);
    bool available = set_product(&field[FILESYSTEM_AVAILABLE], result->f_bavail, unit);
    bool used = size && free && field[FILESYSTEM_FREE] <= field[FILESYSTEM_SIZE];
    if (used)
        field[FILESYSTEM_USED] = field[FILESYSTEM_SIZE] - field[FILESYSTEM_FREE];
    if (used && available)
        field[FILESYSTEM_USABLE] = field[FILESYSTEM_USED] + field[FILESYSTEM_AVAILABLE];
    valid |= (uint32_t)size << FILESYSTEM_SIZE | (uint32_t)free << FILESYSTEM_FREE;
    valid |= (uint32_t)available << FILESYSTEM_AVAILABLE | (uint32_t)used << FILESYSTEM_USED;
    return valid | (uint32_t)(used && available) << FILESYSTEM_USABLE;
}

/* File systems that make inodes when they are needed (btrfs, FAT) have no number of them. */
static uint32_t fill_inodes(const struct statvfs *result, uint64_t *field)
{
    if (result->f_files == 0 || result->f_files > INT64_MAX || result->f_ffree > result->f_files)
        return 0;
    field[FILESYSTEM_INODES] = result->f_files;
    field[FILESYSTEM_INODES_FREE] = result->f_ffree;
    field[FILESYSTEM_INODES_USED] = result->f_files - result->f_ffree;
    return 1u << FILESYSTEM_INODES | 1u << FILESYSTEM_INODES_FREE | 1u << FILESYSTEM_INODES_USED;
}

static void fill_volume(struct sample_slot *slot, const struct statvfs *result)
{
    slot->valid = fill_space(result, slot->field) | fill_inodes(result, slot->field);
    slot->field[FILESYSTEM_READ_ONLY] = (result->f_flag & ST_RDONLY) != 0;
    slot->valid |= 1u << FILESYSTEM_READ_ONLY;
    for (unsigned i = 0; i < FILESYSTEM_FIELDS; i++)
        if (!(slot->valid >> i & 1))
            slot->field[i] = 0;
}

/* A volume that has not answered, or has answered with an error, exists, but nothing is known of
 * it. */
static void take_answer(struct source *source, const struct volume *volume)
{
    struct filesystems *own = source->own;
    struct sample_slot *slot = source_slot(source, volume->name, strlen(volume->name));
    if (!slot)
        return;
    slot->class = RESOURCE_FILESYSTEM;
    slot->valid = 0;
    memset(slot->field, 0, sizeof slot->field);
    if (worker_answered(own->worker, volume->job) && !volume->probe->error)
        fill_volume(slot, &volume->probe->result);
}

int filesystem_read(struct source *source, uint64_t now_ns)
{
    (void)now_ns;
    struct filesystems *own = source->own;
    bool changed;
    int error = mounts_read(&own->mounts, &changed);
    if (changed)
        own->listed = false;
    if (!error && !own->listed)
        error = list_volumes(own, source->root);
    if (error)
        return error;
    worker_begin(own->worker);
    struct volume *next;
    for (struct volume *volume = own->volumes; volume; volume = next) {
        next = volume->hh.next;
        take_answer(source, volume);
    }
    worker_end(own->worker);
    return 0;
}
