#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sample/source.h"

#define DISK_COLUMNS 11

/* reads merged sectors ms | writes merged sectors ms | in_flight io_ticks weighted_ms
 * (Documentation/admin-guide/iostats.rst). */
static const uint8_t disk_map[DISK_FIELDS] = {
    [DISK_READS] = 0,     [DISK_READ_SECTORS] = 2,  [DISK_READ_TIME] = 3,
    [DISK_WRITES] = 4,    [DISK_WRITE_SECTORS] = 6, [DISK_WRITE_TIME] = 7,
    [DISK_IN_FLIGHT] = 8, [DISK_BUSY] = 9,          [DISK_QUEUE_TIME] = 10,
};

/* Before Linux 2.6.25 a partition had four columns only: reads sectors writes sectors. */
#define OLD_PARTITION_COLUMNS 4
#define NOT_THERE (COLUMNS_MAX - 1)
static const uint8_t old_partition_map[DISK_FIELDS] = {
    [DISK_READS] = 0,
    [DISK_READ_SECTORS] = 1,
    [DISK_READ_TIME] = NOT_THERE,
    [DISK_WRITES] = 2,
    [DISK_WRITE_SECTORS] = 3,
    [DISK_WRITE_TIME] = NOT_THERE,
    [DISK_IN_FLIGHT] = NOT_THERE,
    [DISK_BUSY] = NOT_THERE,
    [DISK_QUEUE_TIME] = NOT_THERE,
};

struct device {
    uint64_t major;
    uint64_t minor;
    const char *name;
    size_t len;
};

static bool exists(const char *root, const char *path)
{
    char full[PATH_MAX];
    return procfile_path(full, sizeof full, root, path) == 0 && access(full, F_OK) == 0;
}

/* Only a partition has the attribute "partition" (block/partitions/core.c). By number where sysfs
 * has that, since a name may have a slash, which sysfs writes as '!'. */
static enum resource_class classify(const char *root, const struct device *device)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/partition", (unsigned)device->major,
             (unsigned)device->minor);
    bool partition = exists(root, path);
    if (!partition) {
        snprintf(path, sizeof path, "/sys/class/block/%.*s/partition", (int)device->len,
                 device->name);
        partition = exists(root, path);
    }
    return partition ? RESOURCE_PARTITION : RESOURCE_DISK;
}

/* Old kernels could count in_flight below 0 and print that as a huge unsigned number. */
static uint32_t check_gauge(uint32_t valid, uint64_t *field)
{
    if (field[DISK_IN_FLIGHT] <= INT_MAX)
        return valid;
    field[DISK_IN_FLIGHT] = 0;
    return valid & ~(1u << DISK_IN_FLIGHT);
}

/* "   8       1 sda1 ..." */
static bool scan_device(const char *p, struct device *device)
{
    p = scan_blanks(p);
    if (!scan_digits(&p, &device->major) || *p != ' ')
        return false;
    p = scan_blanks(p);
    if (!scan_digits(&p, &device->minor) || *p != ' ')
        return false;
    device->name = scan_blanks(p);
    device->len = (size_t)(scan_word(device->name) - device->name);
    return true;
}

static void parse_line(struct source *source, const struct line *line)
{
    struct device device;
    struct columns columns;
    uint64_t field[DISK_FIELDS];
    if (!scan_device(line->begin, &device))
        return;
    if (source_unwanted(source, device.name, device.len))
        return;
    scan_columns(device.name + device.len, DISK_COLUMNS, &columns);
    const uint8_t *map = columns.count == OLD_PARTITION_COLUMNS ? old_partition_map : disk_map;
    uint32_t valid = check_gauge(columns_pick(&columns, map, DISK_FIELDS, field), field);
    struct sample_slot *slot = valid ? source_slot(source, device.name, device.len) : NULL;
    if (!slot)
        return;
    if (!slot->class)
        slot->class = classify(source->root, &device);
    slot->valid = valid;
    memcpy(slot->field, field, sizeof field);
}

void disk_parse(struct source *source)
{
    struct line line;
    for (bool more = line_first(&source->file, &line); more; more = line_next(&source->file, &line))
        parse_line(source, &line);
}
