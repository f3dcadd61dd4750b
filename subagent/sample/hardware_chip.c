#include "sample/hardware_chip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/text.h"
#include "sample/scan.h"

void readings_release(void *data)
{
    struct readings *readings = data;
    close(readings->folder);
    free(readings);
}

/* The names are those of Documentation/hwmon/sysfs-interface.rst. */
static const struct {
    const char *prefix;
    enum hardware_field field;
} kinds[] = {
    {"temp", HARDWARE_TEMPERATURE}, {"fan", HARDWARE_FAN},     {"in", HARDWARE_VOLTAGE},
    {"curr", HARDWARE_CURRENT},     {"power", HARDWARE_POWER},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Accepts "temp3_input", or "power1_average" of a chip that has no "power1_input". */
static bool parse_file(int folder, const char *file, struct channel *channel)
{
    for (size_t i = 0; i < KINDS; i++) {
        const char *p = file + strlen(kinds[i].prefix);
        uint64_t number;
        if (strncmp(file, kinds[i].prefix, strlen(kinds[i].prefix)) != 0 ||
            !scan_digits(&p, &number) || number > 9999 || strlen(file) >= sizeof channel->file)
            continue;
        bool average = kinds[i].field == HARDWARE_POWER && strcmp(p, "_average") == 0;
        if (strcmp(p, "_input") != 0 && !average)
            return false;
        *channel = (struct channel){.field = kinds[i].field, .number = (unsigned)number};
        memcpy(channel->file, file, strlen(file) + 1);
        char input[CHANNEL_FILE_SIZE];
        text_format(input, sizeof input, "power%u_input", (unsigned)number);
        return !average || faccessat(folder, input, F_OK, 0) != 0;
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    const struct channel *one = a;
    const struct channel *other = b;
    if (one->field != other->field)
        return one->field < other->field ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

static const char *prefix_of(enum hardware_field field)
{
    size_t i = 0;
    while (kinds[i].field != field)
        i++;
    return kinds[i].prefix;
}

/* The name is "coretemp/Core 1", or "coretemp/temp3" if the channel has no label. */
static void name_channel(int folder, const char *chip, struct channel *channel, bool by_label)
{
    char file[CHANNEL_FILE_SIZE];
    char label[64];
    char name[2 * INSTANCE_SIZE];
    const char *prefix = prefix_of(channel->field);
    text_format(file, sizeof file, "%s%u_label", prefix, channel->number);
    if (!by_label || procfile_read_once(folder, file, label, sizeof label) != 0)
        label[0] = '\0';
    label[strcspn(label, "\n")] = '\0';
    if (label[strspn(label, " ")])
        text_format(name, sizeof name, "%s/%s", chip, label);
    else
        text_format(name, sizeof name, "%s/%s%u", chip, prefix, channel->number);
    text_instance(channel->name, name, strlen(name));
}

/* A temperature and a fan may have the same label, and are then one instance; if two temperatures
 * have the same label, the second one is named without it. */
static void name_channels(const char *chip, struct readings *readings)
{
    for (size_t i = 0; i < readings->n; i++) {
        struct channel *channel = &readings->channels[i];
        name_channel(readings->folder, chip, channel, true);
        for (size_t j = 0; j < i; j++)
            if (readings->channels[j].field == channel->field &&
                strcmp(readings->channels[j].name, channel->name) == 0)
                name_channel(readings->folder, chip, channel, false);
    }
}

static size_t find_channels(int folder, struct channel *channels)
{
    size_t n = 0;
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir) {
        if (again >= 0)
            close(again);
        return 0;
    }
    for (struct dirent *entry; n < CHANNELS_MAX && (entry = readdir(dir));)
        n += parse_file(folder, entry->d_name, &channels[n]);
    closedir(dir);
    qsort(channels, n, sizeof *channels, compare);
    return n;
}

static struct readings *new_readings(int folder, const struct channel *channels, size_t n)
{
    struct readings *readings = calloc(1, sizeof *readings + n * sizeof *channels);
    if (!readings)
        return NULL;
    readings->folder = folder;
    readings->n = n;
    memcpy(readings->channels, channels, n * sizeof *channels);
    return readings;
}

int chip_discover(const char *path, const char *chip_name, struct readings **out)
{
    struct channel *channels = calloc(CHANNELS_MAX, sizeof *channels);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t n = channels && folder >= 0 ? find_channels(folder, channels) : 0;
    struct readings *readings = n > 0 ? new_readings(folder, channels, n) : NULL;
    bool no_memory = !channels || (n > 0 && !readings);
    free(channels);
    if (readings)
        name_channels(chip_name, readings);
    else if (folder >= 0)
        close(folder);
    *out = readings;
    return no_memory ? ENOMEM : 0;
}
