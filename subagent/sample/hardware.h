/* What the source of the hardware monitors keeps. It is in a header so that tests can replace the
 * reading that may hang. Not for other stages. */
#ifndef DCAMP_SAMPLE_HARDWARE_H
#define DCAMP_SAMPLE_HARDWARE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"
#include "metric/field.h"
#include "sample/worker.h"

#define CHANNEL_FILE_SIZE 24
#define CHANNELS_MAX 256

/* One file of a chip. */
struct channel {
    enum hardware_field field;
    unsigned number;              /* of temp3_input: 3 */
    char file[CHANNEL_FILE_SIZE]; /* "temp3_input" */
    char name[INSTANCE_SIZE];     /* "coretemp/Core 1" */
    int64_t value;
    int error;
};

/* The job of one chip. A chip is behind one bus: if that hangs, all its channels do. */
struct readings {
    int (*read)(int folder, const char *file, char *text, size_t size); /* procfile_read_once */
    int folder;
    uint32_t fields; /* the wanted ones */
    size_t n;
    struct channel channels[];
};

struct chip {
    struct worker_job *job;
    struct readings *readings; /* owned by the job */
    unsigned number; /* of hwmon4: 4; may be given to another chip when this one has gone */
    ino_t inode;     /* not given to another chip soon */
    bool seen;
    char name[INSTANCE_SIZE]; /* unique */
};

struct monitors {
    char *path; /* /sys/class/hwmon with the root */
    struct worker *worker;
    struct chip *chips; /* in the order in which they came */
    size_t n;
    uint32_t fields; /* the wanted ones, for chips yet to come, like the next one: */
    int (*read)(int folder, const char *file, char *text, size_t size);
};

#endif
