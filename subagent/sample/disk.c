#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/scan.h"
#include "sample/select.h"
#include "sample/slot.h"
#include "sample/sources.h"

/* /proc/diskstats lists all devices, and each line of it costs time. Each device also has a file of
 * its own with the same numbers (Documentation/block/stat.rst), which costs as much as two or three
 * lines of the list. If few devices are wanted, their files are read instead, and the list is read
 * only every LIST_NS, to find devices that have come since. */
#define LIST_NS (5 * NS_PER_S)
#define LINES_PER_FILE 3

struct stat_file {
    int fd;
    size_t slot;
};

struct disks {
    struct stat_file *files; /* of the wanted devices; none if reading the list costs less */
    size_t n_files;
    uint64_t listed_ns;                    /* when the list was last read */
    uint64_t membership, patterns_changed; /* those of the source when the files were chosen */
    bool stale;                            /* the files are to be chosen again */
};

#define DISK_COLUMNS 11

/* The columns: reads merged sectors ms | writes merged sectors ms | in_flight io_ticks weighted_ms
 * (Documentation/admin-guide/iostats.rst). */
static const uint8_t disk_map[DISK_FIELDS] = {
    [DISK_READS] = 0,     [DISK_READ_SECTORS] = 2,  [DISK_READ_TIME] = 3,
    [DISK_WRITES] = 4,    [DISK_WRITE_SECTORS] = 6, [DISK_WRITE_TIME] = 7,
    [DISK_IN_FLIGHT] = 8, [DISK_BUSY] = 9,          [DISK_QUEUE_TIME] = 10,
};

/* Before Linux 2.6.25 a partition had only four columns: reads sectors writes sectors. */
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

/* Only a partition has the attribute "partition" (block/partitions/core.c). The device is looked up
 * by its number if sysfs has that, because a name may have a slash, which sysfs writes as '!'. */
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

/* Reads the numbers of a device, which are the same in the list and in its file. Returns the valid
 * bits. */
static uint32_t pick(const char *text, uint64_t *field)
{
    struct columns columns;
    scan_columns(text, DISK_COLUMNS, &columns);
    const uint8_t *map = columns.count == OLD_PARTITION_COLUMNS ? old_partition_map : disk_map;
    return check_gauge(columns_pick(&columns, map, DISK_FIELDS, field), field);
}

static void fill_disk(struct sample_slot *slot, uint32_t valid, const uint64_t *field)
{
    slot->valid = valid;
    memcpy(slot->field, field, DISK_FIELDS * sizeof *field);
}

static void parse_line(struct source *source, const struct line *line)
{
    struct device device;
    uint64_t field[DISK_FIELDS];
    if (!scan_device(line->begin, &device))
        return;
    if (source_unwanted(source, device.name, device.len))
        return;
    uint32_t valid = pick(device.name + device.len, field);
    struct sample_slot *slot = valid ? source_slot(source, device.name, device.len) : NULL;
    if (!slot)
        return;
    if (!slot->class)
        slot->class = classify(source->root, &device);
    fill_disk(slot, valid, field);
}

static int read_list(struct source *source)
{
    int error = procfile_read(&source->file);
    if (error)
        return error;
    struct line line;
    for (bool more = line_first(&source->file, &line); more; more = line_next(&source->file, &line))
        parse_line(source, &line);
    return 0;
}

/* -- The files of the wanted ones -------------------------------------------------------------- */

static void close_files(struct disks *disks)
{
    for (size_t i = 0; i < disks->n_files; i++)
        close(disks->files[i].fd);
    free(disks->files);
    disks->files = NULL;
    disks->n_files = 0;
}

static bool is_wanted(const struct source *source, const struct sample_slot *slot)
{
    return slot->present &&
           (source->n_patterns == 0 ||
            patterns_select(source->id, source->patterns, source->n_patterns, slot->name));
}

static size_t count_wanted(const struct source *source)
{
    size_t n = 0;
    for (size_t i = 0; i < source->set.count; i++)
        n += is_wanted(source, &source->set.slots[i]);
    return n;
}

/* sysfs writes the slash of a name as '!'. */
static int open_stat(const char *root, const char *name)
{
    char path[128], full[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/block/%s/stat", name);
    for (char *p = path + strlen("/sys/class/block/"), *end = p + strlen(name); p < end; p++)
        *p = *p == '/' ? '!' : *p;
    if (procfile_path(full, sizeof full, root, path) != 0)
        return -1;
    return procfile_open(AT_FDCWD, full);
}

/* Opens all of them, or none. */
static void open_files(struct source *source, struct disks *disks, size_t wanted)
{
    disks->files = calloc(wanted, sizeof *disks->files);
    for (size_t i = 0; disks->files && i < source->set.count; i++) {
        struct sample_slot *slot = &source->set.slots[i];
        if (!is_wanted(source, slot)) {
            slot->valid = 0;
            continue;
        }
        int fd = open_stat(source->root, slot->name);
        if (fd < 0) {
            close_files(disks);
            return;
        }
        disks->files[disks->n_files++] = (struct stat_file){fd, i};
    }
}

static void choose_files(struct source *source, struct disks *disks)
{
    close_files(disks);
    size_t wanted = count_wanted(source);
    if (wanted > 0 && wanted * LINES_PER_FILE <= source->order_count)
        open_files(source, disks, wanted);
    disks->membership = source->set.membership;
    disks->patterns_changed = source->patterns_changed;
    disks->stale = false;
}

static bool read_file(struct source *source, const struct stat_file *file)
{
    char text[512];
    uint64_t field[DISK_FIELDS];
    ssize_t got = pread(file->fd, text, sizeof text - 1, 0);
    if (got <= 0 || text[got - 1] != '\n')
        return false;
    text[got] = '\0';
    uint32_t valid = pick(text, field);
    if (valid)
        fill_disk(&source->set.slots[file->slot], valid, field);
    return valid != 0;
}

/* False: one of the files has gone, or does not have the numbers of a device. */
static bool read_files(struct source *source, const struct disks *disks)
{
    for (size_t i = 0; i < disks->n_files; i++)
        if (!read_file(source, &disks->files[i]))
            return false;
    source_same(source);
    return true;
}

int disk_open(struct source *source)
{
    source->own = calloc(1, sizeof(struct disks));
    return source->own ? procfile_init(&source->file, source->root, "/proc/diskstats") : ENOMEM;
}

int disk_read(struct source *source, uint64_t now_ns)
{
    struct disks *disks = source->own;
    if (disks->stale || disks->membership != source->set.membership ||
        disks->patterns_changed != source->patterns_changed)
        choose_files(source, disks);
    if (disks->n_files > 0 && now_ns < disks->listed_ns + LIST_NS) {
        if (read_files(source, disks))
            return 0;
        disks->stale = true;
    }
    int error = read_list(source);
    disks->listed_ns = error ? 0 : now_ns;
    return error;
}

void disk_close(struct source *source)
{
    struct disks *disks = source->own;
    if (disks)
        close_files(disks);
    free(disks);
    source->own = NULL;
}
