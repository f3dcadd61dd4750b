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
    const char *comm; /* in the text; of a kernel worker without what it does at the moment */
    size_t comm_len;
    bool ended;     /* a zombie without threads: only its pid is left */
    uint32_t valid; /* bit 1 << field */
    uint64_t number[STAT_FIELDS];
};

/* False: no line of the known form up to the start time. */
bool process_stat_scan(const char *text, struct process_stat *stat);

/* Who a process is, below an open /proc; *inode is of its directory. units: its cgroup as well.
 * An errno, EBADMSG where the kernel gave no line of the known form. */
int process_read(int folder, pid_t pid, bool units, struct process *process, ino_t *inode);

/* An error of ours (EMFILE, ENFILE, ENOMEM), which says nothing about the process. */
bool process_own_error(int error);

/* Keeps letters, digits and the characters of more, and as many as fit; others become '_'. */
void process_label(char *label, size_t size, const char *text, size_t len, const char *more);

/* The name of a process that has no executable, or none that may be read. */
void process_comm_name(char name[NAME_SIZE], const char *comm, size_t len);

/* The name of a process by its executable; false, and no change: the path has none. */
bool process_path_name(char name[NAME_SIZE], const char *path);

/* Characters of the labels of owners and cgroups besides letters and digits. */
#define PROCESS_LABEL_MORE "._-@:+"

#endif
