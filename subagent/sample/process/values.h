/* The numbers of one process, read again and again; for callers who look at processes one by one.
 */
#ifndef DCAMP_SAMPLE_PROCESS_VALUES_H
#define DCAMP_SAMPLE_PROCESS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"
#include "metric/field.h"

/* The first fields are counters, which sums add up over living and dead processes. */
#define PROCESS_COUNTERS PROCESS_STARTED

/* What the readers of all processes share. */
struct process_files {
    int folder;    /* /proc; -1: closed */
    bool counted;  /* the kernel gives the number of open files as a size: since Linux 6.2 */
    uint64_t page; /* size of a page in octets */
    size_t kept;   /* how many handles the readers keep open */
    size_t kept_max;
};

/* Returns 0 or an errno. Handles are kept up to half the number that RLIMIT_NOFILE permits. */
int process_files_open(struct process_files *files, const char *root);
void process_files_close(struct process_files *files);

struct process_reader {
    pid_t pid;
    int stat; /* -1: not kept open */
    int io;
    bool io_refused;
};

struct process_values {
    uint64_t started; /* milliseconds since boot */
    bool ended;
    char name[NAME_SIZE]; /* as the kernel has it: see process_comm_name */
    uint32_t valid;       /* bit 1 << field */
    uint64_t field[PROCESS_FIELDS];
};

void process_reader_init(struct process_reader *reader, pid_t pid);
void process_reader_release(struct process_files *files, struct process_reader *reader);

/* Returns 0 or an errno: ESRCH or ENOENT if the process is gone. Values that the kernel refuses are
 * not valid. */
int process_reader_read(struct process_files *files, struct process_reader *reader,
                        struct process_values *values);

#endif
