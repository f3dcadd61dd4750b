#include "sample/resource.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/source.h"

/* In the order of the list. */
static const enum metric_source inventory[] = {SOURCE_CPU,        SOURCE_DISK,     SOURCE_NETWORK,
                                               SOURCE_FILESYSTEM, SOURCE_HARDWARE, SOURCE_CGROUP};
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

/* 0 when it cannot be read, is no number, or (the speed of an interface that is down: -1) is
 * negative. */
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

/* /sys/class/block/sda1 is a link to .../block/sda/sda1. Were it none, the folder above would be
 * no disk and have no size. */
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

static void describe(const char *root, const struct sample_slot *slot, struct resource *resource)
{
    *resource = (struct resource){.class = slot->class, .size = size_of(root, slot)};
    memcpy(resource->name, slot->name, sizeof resource->name);
    if (slot->class == RESOURCE_PARTITION)
        find_parent(root, resource);
}

/* The sum of all CPUs is no resource of its own. */
static bool is_resource(const struct sample_slot *slot)
{
    return slot->present && slot->class != RESOURCE_NODE;
}

static size_t list_set(const char *root, const struct sample_set *set, struct resource *list)
{
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++)
        if (is_resource(&set->slots[i]))
            describe(root, &set->slots[i], &list[n++]);
    return n;
}

static int list_anew(struct sampler *sampler)
{
    size_t room = 1;
    for (size_t i = 0; i < INVENTORY; i++)
        room += sampler->sources[inventory[i]].set.count;
    struct resource *list = calloc(room, sizeof *list);
    if (!list)
        return ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < INVENTORY; i++) {
        const struct sample_set *set = &sampler->sources[inventory[i]].set;
        n += list_set(sampler->root, set, list + n);
        sampler->resource_membership[inventory[i]] = set->membership;
    }
    free(sampler->resources);
    sampler->resources = list;
    sampler->resource_count = n;
    return 0;
}

/* File systems grow while they stay, and one may answer only later. */
static void update_sizes(const struct sampler *sampler)
{
    size_t n = 0;
    for (size_t i = 0; i < INVENTORY; i++) {
        const struct sample_set *set = &sampler->sources[inventory[i]].set;
        for (size_t j = 0; j < set->count; j++) {
            const struct sample_slot *slot = &set->slots[j];
            if (!is_resource(slot))
                continue;
            if (slot->class == RESOURCE_FILESYSTEM)
                sampler->resources[n].size = size_of(sampler->root, slot);
            n++;
        }
    }
}

int resource_list(struct sampler *sampler, struct resource **out, size_t *n)
{
    bool changed = false;
    for (size_t i = 0; i < INVENTORY; i++)
        if (sampler->sources[inventory[i]].set.membership !=
            sampler->resource_membership[inventory[i]])
            changed = true;
    int error = changed ? list_anew(sampler) : 0;
    if (!error)
        update_sizes(sampler);
    *out = sampler->resources;
    *n = sampler->resource_count;
    return error;
}
