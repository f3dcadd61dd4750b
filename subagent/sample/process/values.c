#include "sample/process/values.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sample/process/read.h"
#include "sample/scan.h"

#define US_PER_TICK (PROCESS_MS_PER_TICK * UINT64_C(1000))
#define KEPT_MAX 8192

/* Outside of procfs, and in procfs of older kernels, the size of a directory is something else. */
static bool counts_files(int folder)
{
    struct statfs system;
    struct stat status;
    return fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC &&
           fstatat(folder, "self/fd", &status, 0) == 0 && status.st_size > 0;
}

int process_files_open(struct process_files *files, const char *root)
{
    char path[PATH_MAX];
    struct rlimit limit = {.rlim_cur = 0};
    *files = (struct process_files){.folder = -1, .page = (uint64_t)sysconf(_SC_PAGESIZE)};
    int error = procfile_path(path, sizeof path, root, "/proc");
    if (error)
        return error;
    files->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (files->folder < 0)
        return errno;
    files->counted = counts_files(files->folder);
    getrlimit(RLIMIT_NOFILE, &limit);
    files->kept_max = limit.rlim_cur / 2 < KEPT_MAX ? limit.rlim_cur / 2 : KEPT_MAX;
    return 0;
}

void process_files_close(struct process_files *files)
{
    if (files->folder >= 0)
        close(files->folder);
    files->folder = -1;
}

void process_reader_init(struct process_reader *reader, pid_t pid)
{
    *reader = (struct process_reader){.pid = pid, .stat = -1, .io = -1};
}

static void drop_handle(struct process_files *files, int *handle)
{
    if (*handle < 0)
        return;
    close(*handle);
    *handle = -1;
    files->kept--;
}

void process_reader_release(struct process_files *files, struct process_reader *reader)
{
    drop_handle(files, &reader->stat);
    drop_handle(files, &reader->io);
}

static int read_handle(int handle, char *text, size_t size)
{
    ssize_t got;
    do
        got = pread(handle, text, size - 1, 0);
    while (got < 0 && errno == EINTR);
    text[got > 0 ? got : 0] = '\0';
    return got < 0 ? errno : 0;
}

/* Reads a file of a process through its handle, which is kept open while there is room for it. */
static int read_file(struct process_files *files, const struct process_reader *reader, int *handle,
                     const char *name, char *text, size_t size)
{
    char path[32];
    if (*handle >= 0)
        return read_handle(*handle, text, size);
    snprintf(path, sizeof path, "%d/%s", (int)reader->pid, name);
    int opened = procfile_open(files->folder, path);
    if (opened < 0)
        return errno;
    int error = read_handle(opened, text, size);
    if (error || files->kept >= files->kept_max) {
        close(opened);
        return error;
    }
    *handle = opened;
    files->kept++;
    return 0;
}

static void set_value(struct process_values *values, unsigned field, uint64_t number)
{
    values->field[field] = number;
    values->valid |= 1u << field;
}

/* Sets a value from a field of the line, each count of which stands for `unit` of the value. */
static void take(struct process_values *values, unsigned field, const struct process_stat *stat,
                 unsigned from, uint64_t unit)
{
    uint64_t number;
    if (stat->valid >> from & 1 && !__builtin_mul_overflow(stat->number[from], unit, &number))
        set_value(values, field, number);
}

static void add_values(struct process_values *values, unsigned field, unsigned a, unsigned b)
{
    if (values->valid >> a & 1 && values->valid >> b & 1)
        set_value(values, field, values->field[a] + values->field[b]);
}

static void take_stat(const struct process_files *files, const struct process_stat *stat,
                      struct process_values *values)
{
    values->started = stat->number[STAT_STARTED] * PROCESS_MS_PER_TICK;
    values->ended = stat->ended;
    process_comm_name(values->name, stat->comm, stat->comm_len);
    take(values, PROCESS_CPU_USER, stat, STAT_USER, US_PER_TICK);
    take(values, PROCESS_CPU_SYSTEM, stat, STAT_SYSTEM, US_PER_TICK);
    take(values, PROCESS_FAULTS_MINOR, stat, STAT_MINOR_FAULTS, 1);
    take(values, PROCESS_FAULTS_MAJOR, stat, STAT_MAJOR_FAULTS, 1);
    take(values, PROCESS_RSS, stat, STAT_RSS, files->page);
    take(values, PROCESS_VSIZE, stat, STAT_VSIZE, 1);
    take(values, PROCESS_THREADS, stat, STAT_THREADS, 1);
    add_values(values, PROCESS_CPU, PROCESS_CPU_USER, PROCESS_CPU_SYSTEM);
    add_values(values, PROCESS_FAULTS, PROCESS_FAULTS_MINOR, PROCESS_FAULTS_MAJOR);
    set_value(values, PROCESS_COUNT, 1);
}

/* What was read from and written to storage, not from and to the page cache. */
static void read_io(struct process_files *files, struct process_reader *reader,
                    struct process_values *values)
{
    static const struct scan_key keys[] = {SCAN_KEY("read_bytes:", PROCESS_IO_READ),
                                           SCAN_KEY("write_bytes:", PROCESS_IO_WRITE)};
    char text[512];
    if (reader->io_refused)
        return;
    int error = read_file(files, reader, &reader->io, "io", text, sizeof text);
    reader->io_refused = error == EACCES || error == EPERM;
    if (error)
        return;
    const struct procfile file = {.fd = -1, .text = text, .length = strlen(text)};
    values->valid |= scan_keyed_file(&file, keys, SCAN_KEYS(keys), values->field);
}

static bool count_entries(int folder, const char *path, uint64_t *number)
{
    int opened = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = opened < 0 ? NULL : fdopendir(opened);
    if (!directory) {
        if (opened >= 0)
            close(opened);
        return false;
    }
    *number = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        *number += entry->d_name[0] != '.';
    closedir(directory);
    return true;
}

static void count_files(const struct process_files *files, const struct process_reader *reader,
                        struct process_values *values)
{
    char path[32];
    struct stat status;
    uint64_t number;
    snprintf(path, sizeof path, "%d/fd", (int)reader->pid);
    if (!files->counted) {
        if (count_entries(files->folder, path, &number))
            set_value(values, PROCESS_FILES, number);
    } else if (fstatat(files->folder, path, &status, 0) == 0) {
        set_value(values, PROCESS_FILES, (uint64_t)status.st_size);
    }
}

int process_reader_read(struct process_files *files, struct process_reader *reader,
                        struct process_values *values)
{
    char text[PROCESS_STAT_SIZE];
    struct process_stat stat;
    *values = (struct process_values){.valid = 0};
    int error = read_file(files, reader, &reader->stat, "stat", text, sizeof text);
    if (error)
        return error;
    if (!process_stat_scan(text, &stat))
        return EBADMSG;
    take_stat(files, &stat, values);
    read_io(files, reader, values);
    count_files(files, reader, values);
    return 0;
}
