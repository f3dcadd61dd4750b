#include "sample/hardware_chip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/text.h"
#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

/* -- The readings, in the threads of the worker ---------------------------------------------- */

static bool parse_value(const char *p, int64_t *value)
{
    bool negative = *p == '-';
    uint64_t number;
    p += negative;
    if (!scan_digits(&p, &number) || (*p != '\n' && *p != '\0') || number > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* Drivers give EIO, EAGAIN or ENODATA when the chip does not answer. Behind a slow bus each channel
 * takes milliseconds, so channels that nobody wants are not read. */
static void readings_run(void *data)
{
    struct readings *readings = data;
    for (size_t i = 0; i < readings->n; i++) {
        struct channel *channel = &readings->channels[i];
        char text[32];
        channel->error = ENODATA;
        if (!(readings->fields >> channel->field & 1))
            continue;
        channel->error = readings->read(readings->folder, channel->file, text, sizeof text);
        bool whole = !channel->error && strlen(text) < sizeof text - 1;
        if (!channel->error && !(whole && parse_value(text, &channel->value)))
            channel->error = EBADMSG;
    }
}

static const struct worker_call readings_call = {readings_run, readings_release};

/* -- The chips ------------------------------------------------------------------------------- */

static bool is_taken(const struct monitors *own, const char *name)
{
    for (size_t i = 0; i < own->n; i++)
        if (strcmp(own->chips[i].name, name) == 0)
            return true;
    return false;
}

static void read_name(const char *path, unsigned number, char name[INSTANCE_SIZE])
{
    char file[PATH_MAX];
    char text[INSTANCE_SIZE];
    text_format(file, sizeof file, "%s/name", path);
    if (procfile_read_once(AT_FDCWD, file, text, sizeof text) != 0)
        text[0] = '\0';
    text_instance(name, text, strcspn(text, "\n"));
    if (!*name)
        text_format(name, INSTANCE_SIZE, "hwmon%u", number);
}

/* If several chips have the same name, all but the first are told apart by their devices, whose
 * names stay the same after a boot: "nvme" and "nvme-nvme1". */
static void name_chip(const struct monitors *own, const char *path, struct chip *chip)
{
    char link[PATH_MAX];
    char target[PATH_MAX];
    char name[3 * INSTANCE_SIZE];
    char first[INSTANCE_SIZE];
    read_name(path, chip->number, first);
    memcpy(chip->name, first, sizeof first);
    if (!is_taken(own, chip->name))
        return;
    text_format(link, sizeof link, "%s/device", path);
    ssize_t len = readlink(link, target, sizeof target - 1);
    target[len > 0 ? len : 0] = '\0';
    const char *slash = strrchr(target, '/');
    text_format(name, sizeof name, "%s-%.64s", first, slash ? slash + 1 : target);
    text_instance(chip->name, name, strlen(name));
    if (len > 0 && !is_taken(own, chip->name))
        return;
    text_format(name, sizeof name, "%s-hwmon%u", first, chip->number);
    text_instance(chip->name, name, strlen(name));
}

/* A chip without channels is kept, so that it is not looked at again in every pass. */
static int add_chip(struct monitors *own, unsigned number, ino_t inode)
{
    char path[PATH_MAX];
    struct chip *chips = reallocarray(own->chips, own->n + 1, sizeof *chips);
    if (!chips)
        return ENOMEM;
    own->chips = chips;
    struct chip chip = {.number = number, .inode = inode, .seen = true};
    text_format(path, sizeof path, "%s/hwmon%u", own->path, number);
    name_chip(own, path, &chip);
    int error = chip_discover(path, chip.name, &chip.readings);
    if (error)
        return error;
    if (chip.readings) {
        chip.readings->read = own->read;
        chip.readings->fields = own->fields;
        chip.job = worker_add(own->worker, &readings_call, chip.readings, false);
        if (!chip.job) {
            readings_release(chip.readings);
            return ENOMEM;
        }
    }
    chips[own->n++] = chip;
    return 0;
}

static void drop_unseen(struct monitors *own)
{
    size_t kept = 0;
    for (size_t i = 0; i < own->n; i++) {
        struct chip *chip = &own->chips[i];
        if (chip->seen)
            own->chips[kept++] = *chip;
        else if (chip->job)
            worker_drop(own->worker, chip->job);
    }
    own->n = kept;
}

struct entry {
    unsigned number;
    ino_t inode;
};

static int compare(const void *a, const void *b)
{
    const struct entry *one = a;
    const struct entry *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

/* Lists at most max entries, in the order of their numbers, which is the order in which the drivers
 * came. */
static int list_entries(const char *path, struct entry *list, size_t max, size_t *n)
{
    DIR *dir = opendir(path);
    if (!dir)
        return errno;
    *n = 0;
    for (struct dirent *entry; *n < max && (entry = readdir(dir));) {
        const char *p = entry->d_name + strlen("hwmon");
        uint64_t number;
        if (strncmp(entry->d_name, "hwmon", strlen("hwmon")) == 0 && scan_digits(&p, &number) &&
            *p == '\0' && number <= UINT_MAX)
            list[(*n)++] = (struct entry){(unsigned)number, entry->d_ino};
    }
    closedir(dir);
    qsort(list, *n, sizeof *list, compare);
    return 0;
}

static struct chip *find_chip(const struct monitors *own, const struct entry *entry)
{
    for (size_t i = 0; i < own->n; i++)
        if (own->chips[i].number == entry->number && own->chips[i].inode == entry->inode)
            return &own->chips[i];
    return NULL;
}

/* A machine without any chip, or a kernel without hwmon, does not have the folder. */
static int update_chips(struct monitors *own)
{
    struct entry list[CHANNELS_MAX];
    size_t n = 0;
    int error = list_entries(own->path, list, CHANNELS_MAX, &n);
    if (error && error != ENOENT)
        return error;
    for (size_t i = 0; i < own->n; i++)
        own->chips[i].seen = false;
    for (size_t i = 0; i < n; i++) {
        struct chip *chip = find_chip(own, &list[i]);
        if (chip)
            chip->seen = true;
    }
    drop_unseen(own);
    error = 0;
    for (size_t i = 0; i < n && !error; i++)
        if (!find_chip(own, &list[i]))
            error = add_chip(own, list[i].number, list[i].inode);
    return error;
}

/* -- The source ------------------------------------------------------------------------------ */

int hardware_open(struct source *source)
{
    struct monitors *own = calloc(1, sizeof *own);
    source->own = own;
    if (!own)
        return ENOMEM;
    char path[PATH_MAX];
    int error = procfile_path(path, sizeof path, source->root, "/sys/class/hwmon");
    own->path = error ? NULL : strdup(path);
    own->worker = worker_new();
    own->read = procfile_read_once;
    if (!own->worker || (!own->path && !error))
        return ENOMEM;
    return error;
}

void hardware_close(struct source *source)
{
    struct monitors *own = source->own;
    if (!own)
        return;
    for (size_t i = 0; i < own->n; i++)
        own->chips[i].seen = false;
    drop_unseen(own);
    worker_free(own->worker);
    free(own->chips);
    free(own->path);
    free(own);
    source->own = NULL;
}

/* All channels of one name go into one slot, which is filled with the first of them. */
static void fill_channels(const struct readings *readings, size_t first, bool answered,
                          struct sample_slot *slot)
{
    uint32_t has = 0;
    for (size_t i = first; i < readings->n; i++) {
        const struct channel *channel = &readings->channels[i];
        if (strcmp(channel->name, readings->channels[first].name) != 0)
            continue;
        has |= 1u << channel->field;
        if (!answered || channel->error)
            continue;
        slot->field[channel->field] = (uint64_t)channel->value;
        slot->valid |= 1u << channel->field;
    }
    slot->lacks = ~has;
}

static void take_answers(struct source *source, const struct chip *chip)
{
    const struct monitors *own = source->own;
    bool answered = worker_answered(own->worker, chip->job);
    for (size_t i = 0; i < chip->readings->n; i++) {
        const char *name = chip->readings->channels[i].name;
        struct sample_slot *slot = source_slot(source, name, strlen(name));
        if (!slot)
            continue;
        slot->class = RESOURCE_HARDWARE;
        slot->valid = 0;
        memset(slot->field, 0, sizeof slot->field);
        fill_channels(chip->readings, i, answered, slot);
    }
}

/* A chip whose call is still running goes on with the fields that were wanted when the call began.
 */
static void update_fields(struct monitors *own, uint32_t fields)
{
    own->fields = fields;
    for (size_t i = 0; i < own->n; i++)
        if (own->chips[i].job && worker_answered(own->worker, own->chips[i].job))
            own->chips[i].readings->fields = fields;
}

int hardware_read(struct source *source, uint64_t now_ns)
{
    (void)now_ns;
    struct monitors *own = source->own;
    update_fields(own, source->fields);
    int error = update_chips(own);
    if (error)
        return error;
    worker_begin(own->worker);
    for (size_t i = 0; i < own->n; i++)
        if (own->chips[i].job)
            take_answers(source, &own->chips[i]);
    worker_end(own->worker);
    return 0;
}
