/* What /proc says of one process; not for other stages. */
#ifndef DCAMP_SAMPLE_PROCESS_READ_H
#define DCAMP_SAMPLE_PROCESS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample/process/process.h"

/* Fields of the line of /proc/PID/stat, by their numbers in proc(5). */
enum {
    STAT_FLAGS = 9,
    STAT_MINOR_FAULTS = 10,
    STAT_MAJOR_FAULTS = 12,
    STAT_USER = 14, /* in ticks of USER_HZ, like the next one and the start */
    STAT_SYSTEM = 15,
    STAT_THREADS = 20,
    STAT_STARTED = 22,
    STAT_VSIZE = 23, /* in octets */
    STAT_RSS = 24,   /* in pages */
    STAT_FIELDS
};

#define PROCESS_STAT_SIZE 1024
#define PROCESS_MS_PER_TICK 10 /* USER_HZ is 100 */

struct process_stat {
    const char *comm; /* in the text; for a kernel worker without what it does at the moment */
    size_t comm_len;
    bool ended;     /* a zombie without other threads: nothing but its pid is left */
    uint32_t valid; /* bit 1 << field */
    uint64_t number[STAT_FIELDS];
};

/* False: the text has not the known form, at least up to the start time. */
bool process_stat_scan(const char *text, struct process_stat *stat);

/* Reads who a process is, below an open /proc; *inode is that of its directory. units: its cgroup
 * is read as well. Returns 0 or an errno, EBADMSG if the kernel's line has not the known form. */
int process_read(int folder, pid_t pid, bool units, struct process *process, ino_t *inode);

/* Whether the error is ours (EMFILE, ENFILE, ENOMEM), and says nothing about the process. */
bool process_own_error(int error);

/* Keeps letters, digits and the characters of more, as many as fit; other characters become '_'. */
void process_label(char *label, size_t size, const char *text, size_t len, const char *more);

/* The name of a process that has no executable, or one that may not be read. */
void process_comm_name(char name[NAME_SIZE], const char *comm, size_t len);

/* The name of a process by the path of its executable. False, and no change: the path has none. */
bool process_path_name(char name[NAME_SIZE], const char *path);

/* The characters that labels of owners and cgroups keep besides letters and digits. */
#define PROCESS_LABEL_MORE "._-@:+"

#endif
