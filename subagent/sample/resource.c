#include "sample/resource.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "metric/field.h"
#include "sample/cgroup_walk.h"
#include "sample/mounts.h"
#include "sample/scan.h"

#define MINUTE_NS (60 * NS_PER_S)

/* The sources that resources come from, in the order of the list, in which the control groups
 * follow; and how old the last pass of each may become before a pass is made only for the
 * inventory. */
static const struct {
    enum metric_source source;
    uint64_t age_ns;
} inventory[] = {
    {SOURCE_CPU, MINUTE_NS},        {SOURCE_DISK, MINUTE_NS},          {SOURCE_NETWORK, MINUTE_NS},
    {SOURCE_FILESYSTEM, MINUTE_NS}, {SOURCE_HARDWARE, 10 * MINUTE_NS},
};
#define INVENTORY (sizeof inventory / sizeof *inventory)

#define OCTETS_PER_SECTOR 512
#define BITS_PER_MBIT UINT64_C(1000000)

/* sysfs writes the slash of a device name (cciss/c0d0) as '!' (lib/kobject.c kobject_set_name). */
static void exchange(char *name, char from, char to)
{
    for (; (name = strchr(name, from)); name++)
        *name = to;
}

static bool attribute_path(char path[PATH_MAX], const char *root, const char *folder,
                           const char *name, const char *attribute)
{
    char below[128];
    char file[INSTANCE_SIZE];
    snprintf(file, sizeof file, "%s", name);
    exchange(file, '/', '!');
    snprintf(below, sizeof below, "/sys/class/%s/%s/%s", folder, file, attribute);
    return procfile_path(path, PATH_MAX, root, below) == 0;
}

/* 0 if the attribute cannot be read, is not a number, or is negative (as is the speed of an
 * interface that is down: -1). */
static uint64_t attribute_number(const char *root, const char *folder, const char *name,
                                 const char *attribute)
{
    char path[PATH_MAX];
    char text[32];
    uint64_t number;
    const char *p = text;
    if (!attribute_path(path, root, folder, name, attribute) ||
        procfile_read_once(AT_FDCWD, path, text, sizeof text) != 0)
        return 0;
    return scan_digits(&p, &number) && (*p == '\n' || *p == '\0') ? number : 0;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

static uint64_t size_of(const char *root, const struct sample_slot *slot)
{
    switch (slot->class) {
    case RESOURCE_DISK:
    case RESOURCE_PARTITION:
        return multiply(attribute_number(root, "block", slot->name, "size"), OCTETS_PER_SECTOR);
    case RESOURCE_INTERFACE:
        return multiply(attribute_number(root, "net", slot->name, "speed"), BITS_PER_MBIT);
    case RESOURCE_FILESYSTEM:
        return slot->valid >> FILESYSTEM_SIZE & 1 ? slot->field[FILESYSTEM_SIZE] : 0;
    default:
        return 0;
    }
}

/* /sys/class/block/sda1 is a link to .../block/sda/sda1. If it were not a link, the folder above
 * would not be a disk, and would have no size. */
static void find_parent(const char *root, struct resource *resource)
{
    char path[PATH_MAX];
    if (!attribute_path(path, root, "block", resource->name, "../size") ||
        access(path, F_OK) != 0 || !attribute_path(path, root, "block", resource->name, ".."))
        return;
    char *disk = realpath(path, NULL);
    const char *name = disk ? strrchr(disk, '/') : NULL;
    if (name && strlen(name + 1) < sizeof resource->parent) {
        memcpy(resource->parent, name + 1, strlen(name + 1) + 1);
        exchange(resource->parent, '!', '/');
    }
    free(disk);
}

static void describe_slot(const char *root, const struct sample_slot *slot,
                          struct resource *resource)
{
    *resource = (struct resource){.class = slot->class, .size = size_of(root, slot)};
    memcpy(resource->name, slot->name, sizeof resource->name);
    if (slot->class == RESOURCE_PARTITION)
        find_parent(root, resource);
}

/* The sum of all CPUs is not a resource. */
static bool is_resource(const struct sample_slot *slot)
{
    return slot->present && slot->class != RESOURCE_NODE;
}

static size_t list_set(const char *root, const struct sample_set *set, struct resource *list)
{
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++)
        if (is_resource(&set->slots[i]))
            describe_slot(root, &set->slots[i], &list[n++]);
    return n;
}

static const struct sample_set *inventory_set(const struct sampler *sampler, size_t i)
{
    return sampler_set(sampler, inventory[i].source);
}

/* -- The control groups ---------------------------------------------------------------------- */

static bool is_cgroup2(const struct mount_text *type)
{
    return type->len == strlen("cgroup2") && memcmp(type->text, "cgroup2", type->len) == 0;
}

/* Finds where the hierarchy is, with the root; "": there is none. The source of the control groups
 * does not know it while no sensor wants any of them. */
static int find_hierarchy(const char *root, char path[PATH_MAX])
{
    struct mounts mounts;
    struct mount mount;
    char point[PATH_MAX];
    bool changed;
    int error = mounts_init(&mounts, root);
    if (!error)
        error = mounts_read(&mounts, &changed);
    path[0] = '\0';
    for (const char *at = NULL; !error && !*path && mounts_next(&mounts, &at, &mount);) {
        if (!is_cgroup2(&mount.type) || mount.point.len >= sizeof point)
            continue;
        mounts_unescape(&mount.point, point);
        error = procfile_path(path, PATH_MAX, root, point);
    }
    mounts_release(&mounts);
    return error;
}

/* Finds all groups without setting watches, because a user may have only so many of them. */
static int find_groups(const char *root, struct cgroups *found)
{
    static const char *const all = "*";
    char path[PATH_MAX];
    int error = find_hierarchy(root, path);
    if (error || !*path)
        return error;
    found->mount = path;
    found->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = found->folder >= 0 ? cgroup_walk(found, &all, 1) : errno;
    if (found->folder >= 0)
        close(found->folder);
    found->folder = -1;
    found->mount = NULL;
    return error;
}

static bool same_groups(const struct resources *resources, const struct cgroups *found)
{
    if (found->n != resources->n_groups)
        return false;
    for (size_t i = 0; i < found->n; i++)
        if (strcmp(found->groups[i].name, resources->groups[i].name) != 0)
            return false;
    return true;
}

static void free_groups(struct resources *resources)
{
    struct cgroups none = {.n_open = 0}; /* no file of these groups was opened */
    cgroup_free_groups(&none, resources->groups, resources->n_groups);
}

static void refresh_groups(struct resources *resources, const char *root)
{
    struct cgroups found = {.folder = -1, .watch = -1};
    if (find_groups(root, &found) != 0)
        return;
    if (!same_groups(resources, &found))
        resources->groups_membership++;
    free_groups(resources);
    resources->groups = found.groups;
    resources->n_groups = found.n;
}

static void list_groups(const struct resources *resources, struct resource *list)
{
    for (size_t i = 0; i < resources->n_groups; i++) {
        list[i].class = RESOURCE_CGROUP;
        memcpy(list[i].name, resources->groups[i].name, sizeof list[i].name);
    }
}

/* -- The list -------------------------------------------------------------------------------- */

static bool is_old(uint64_t taken_ns, uint64_t now_ns, uint64_t age_ns)
{
    return taken_ns == 0 || now_ns - taken_ns >= age_ns;
}

void resources_refresh(struct resources *resources, struct sampler *sampler, uint64_t now_ns)
{
    for (size_t i = 0; i < INVENTORY; i++)
        if (is_old(inventory_set(sampler, i)->taken_ns, now_ns, inventory[i].age_ns))
            sampler_read(sampler, inventory[i].source, now_ns);
    if (!is_old(resources->groups_ns, now_ns, MINUTE_NS))
        return;
    refresh_groups(resources, sampler_root(sampler));
    resources->groups_ns = now_ns;
}

uint64_t resources_membership(const struct resources *resources, const struct sampler *sampler)
{
    uint64_t membership = resources->groups_membership;
    for (size_t i = 0; i < INVENTORY; i++)
        membership += inventory_set(sampler, i)->membership;
    return membership;
}

static int list_anew(struct resources *resources, const struct sampler *sampler)
{
    size_t room = resources->n_groups + 1;
    for (size_t i = 0; i < INVENTORY; i++)
        room += inventory_set(sampler, i)->count;
    struct resource *list = calloc(room, sizeof *list);
    if (!list)
        return ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < INVENTORY; i++)
        n += list_set(sampler_root(sampler), inventory_set(sampler, i), list + n);
    list_groups(resources, list + n);
    free(resources->list);
    resources->list = list;
    resources->n = n + resources->n_groups;
    resources->membership = resources_membership(resources, sampler);
    return 0;
}

/* The size of a file system may change while it is mounted, or become known only later. */
static void update_sizes(struct resources *resources, const struct sampler *sampler)
{
    size_t n = 0;
    for (size_t i = 0; i < INVENTORY; i++) {
        const struct sample_set *set = inventory_set(sampler, i);
        for (size_t j = 0; j < set->count; j++) {
            const struct sample_slot *slot = &set->slots[j];
            if (!is_resource(slot))
                continue;
            if (slot->class == RESOURCE_FILESYSTEM)
                resources->list[n].size = size_of(sampler_root(sampler), slot);
            n++;
        }
    }
}

int resources_list(struct resources *resources, const struct sampler *sampler,
                   const struct resource **out, size_t *n)
{
    int error = 0;
    if (resources_membership(resources, sampler) != resources->membership)
        error = list_anew(resources, sampler);
    else
        update_sizes(resources, sampler);
    *out = resources->list;
    *n = resources->n;
    return error;
}

void resources_release(struct resources *resources)
{
    free(resources->list);
    free_groups(resources);
    *resources = (struct resources){.n = 0};
}
