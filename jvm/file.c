#include "jvm/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/text.h"
#include "jvm/maps.h"

#define STATUS_SIZE 8192
#define CHUNK_SIZE (64u << 10)
#define USUAL_SIZE (32u << 10) /* the usual size of a file; -XX:PerfDataMemorySize changes it */

int jvm_reader_open(struct jvm_reader *reader)
{
    *reader = (struct jvm_reader){.octets = malloc(PERFDATA_SIZE_MAX), .lines = malloc(CHUNK_SIZE)};
    bool has_memory = reader->octets && reader->lines;
    int error = has_memory ? process_files_open(&reader->files, "/") : ENOMEM;
    if (error) {
        free(reader->octets);
        free(reader->lines);
    }
    return error;
}

void jvm_reader_close(struct jvm_reader *reader)
{
    process_files_close(&reader->files);
    free(reader->octets);
    free(reader->lines);
}

__attribute__((format(printf, 3, 4))) static int
fail(struct jvm_fault *fault, enum owner_problem problem, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->why, sizeof fault->why, format, arguments);
    va_end(arguments);
    fault->problem = problem;
    return EBADMSG;
}

/* -- Where it is ------------------------------------------------------------------------------- */

/* The pid of a process as it sees itself: the last one of those that its namespaces have for it. */
static unsigned inner_pid(const struct jvm_reader *reader, pid_t pid)
{
    char path[32], text[STATUS_SIZE];
    text_format(path, sizeof path, "%d/status", (int)pid);
    if (procfile_read_once(reader->files.folder, path, text, sizeof text) != 0)
        return 0;
    char *line = strstr(text, "\nNStgid:");
    if (!line)
        return (unsigned)pid;
    line[strcspn(line + 1, "\n") + 1] = '\0';
    const char *last = strrchr(line, '\t');
    return last ? (unsigned)strtoul(last, NULL, 10) : 0;
}

/* What the lines of a process are compared with, and what was found in them. */
struct place {
    unsigned pid; /* as the process sees it; 0: not read yet */
    char path[PATH_MAX];
    size_t base; /* see struct maps_file */
};

static bool take_line(const struct jvm_reader *reader, pid_t pid, const char *line, size_t len,
                      struct place *place)
{
    struct maps_file file;
    if (!maps_find(line, len, &file) || file.len >= sizeof place->path)
        return false;
    if (place->pid == 0)
        place->pid = inner_pid(reader, pid);
    if (file.number != place->pid)
        return false;
    memcpy(place->path, file.path, file.len);
    place->path[file.len] = '\0';
    place->base = file.base;
    return true;
}

/* Takes whole lines, and moves the beginning of the next line to the beginning of the text. */
static bool take_lines(const struct jvm_reader *reader, pid_t pid, char *text, size_t *len,
                       struct place *place)
{
    char *at = text, *end;
    while ((end = memchr(at, '\n', *len))) {
        if (take_line(reader, pid, at, (size_t)(end - at), place))
            return true;
        *len -= (size_t)(end + 1 - at);
        at = end + 1;
    }
    memmove(text, at, *len);
    return false;
}

/* Returns 0; ENOENT if the process has no such file; or E2BIG if it has more maps than are read. */
static int find_in(struct jvm_reader *reader, int fd, pid_t pid, struct place *place)
{
    size_t len = 0;
    ssize_t n;
    const uint64_t end = reader->read + JVM_FILE_MAPS_MAX;
    while ((n = read(fd, reader->lines + len, CHUNK_SIZE - len)) > 0) {
        reader->read += (size_t)n;
        len += (size_t)n;
        if (take_lines(reader, pid, reader->lines, &len, place))
            return 0;
        if (len == CHUNK_SIZE)
            return ENOENT; /* no line of the kernel is so long */
        if (reader->read >= end)
            return E2BIG;
    }
    return n < 0 && errno != ESRCH ? errno : ENOENT;
}

static int find(struct jvm_reader *reader, pid_t pid, struct place *place)
{
    char path[32];
    text_format(path, sizeof path, "%d/maps", (int)pid);
    int fd = openat(reader->files.folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? ESRCH : errno == EPERM ? EACCES : errno;
    int error = find_in(reader, fd, pid, place);
    close(fd);
    return error;
}

/* -- Opening ----------------------------------------------------------------------------------- */

/* Opens a path below the root of the process and nowhere else; no link is followed. */
static int open_below(int root, const char *path)
{
    const struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
                                 .resolve =
                                     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/* The path is that of the file in the mount namespace of the process. If the root of the process is
 * not that of its namespace, as after chroot(2), the file is where a JVM looks for it: in /tmp. */
static int open_path(const struct jvm_reader *reader, pid_t pid, const struct place *place)
{
    char path[sizeof "tmp/" + PATH_MAX];
    text_format(path, sizeof path, "%d/root", (int)pid);
    int root = openat(reader->files.folder, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -1;
    int fd = open_below(root, place->path + 1);
    if (fd < 0 && errno == ENOENT) {
        text_format(path, sizeof path, "tmp/%s", place->path + place->base);
        fd = open_below(root, path);
    }
    int error = errno;
    close(root);
    errno = error;
    return fd;
}

/* Checks the file through a handle that does not open it, because opening a device or a FIFO
 * already has effects. */
static int check(int fd, const struct candidate *candidate, const char *path,
                 struct jvm_fault *fault)
{
    struct stat is;
    if (fstat(fd, &is) != 0)
        return fail(fault, OWNER_UNREADABLE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(is.st_mode))
        return fail(fault, OWNER_UNSUITABLE, "%s is no regular file", path);
    if (is.st_uid != candidate->owner)
        return fail(fault, OWNER_UNSUITABLE, "%s belongs to user %u", path, is.st_uid);
    if (is.st_nlink != 1)
        return fail(fault, OWNER_UNSUITABLE, "%s has %u links", path, (unsigned)is.st_nlink);
    if (is.st_size > PERFDATA_SIZE_MAX)
        return fail(fault, OWNER_UNSUITABLE, "%s has %lld octets, and not more than %u are read",
                    path, (long long)is.st_size, PERFDATA_SIZE_MAX);
    return 0;
}

static int reopen(int handle)
{
    char path[32];
    text_format(path, sizeof path, "/proc/self/fd/%d", handle);
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static const char *word_for(int error)
{
    return error == ELOOP ? "there is a link in it" : strerror(error);
}

static int open_file(const struct jvm_reader *reader, const struct candidate *candidate,
                     const struct place *place, int *fd, struct jvm_fault *fault)
{
    int handle = open_path(reader, candidate->pid, place);
    if (handle < 0 && errno == ENOENT)
        return fail(fault, OWNER_UNREADABLE, "%s was removed, and comes again with the next start",
                    place->path);
    if (handle < 0)
        return fail(fault, errno == ELOOP ? OWNER_UNSUITABLE : OWNER_UNREADABLE, "%s: %s",
                    place->path, word_for(errno));
    int error = check(handle, candidate, place->path, fault);
    if (!error && (*fd = reopen(handle)) < 0)
        error = fail(fault, OWNER_UNREADABLE, "%s: %s", place->path, strerror(errno));
    close(handle);
    return error;
}

static bool is_still(struct jvm_file *file, const struct candidate *candidate,
                     struct process_values *values)
{
    return process_reader_read(&file->reader->files, &file->process, values) == 0 &&
           !values->ended && values->started == candidate->started;
}

/* The process may end at any time, and its number be given to another one. So the file is kept only
 * if the same process is there before and after opening it. */
static int open_of(struct jvm_file *file, const struct candidate *candidate,
                   const struct place *place, struct jvm_fault *fault)
{
    struct process_values values;
    if (!is_still(file, candidate, &values))
        return ESRCH;
    int error = open_file(file->reader, candidate, place, &file->fd, fault);
    return is_still(file, candidate, &values) ? error : ESRCH;
}

int jvm_file_open(struct jvm_reader *reader, const struct candidate *candidate,
                  struct jvm_file **opened, struct jvm_fault *fault)
{
    struct place place = {.pid = 0};
    int error = find(reader, candidate->pid, &place);
    if (error == E2BIG)
        return fail(fault, OWNER_MUCH_WORK,
                    "its maps have more than %u MiB: whether it is a JVM is not known",
                    JVM_FILE_MAPS_MAX >> 20);
    if (error)
        return error;
    struct jvm_file *file = calloc(1, sizeof *file);
    if (!file)
        return ENOMEM;
    file->reader = reader;
    file->fd = -1;
    process_reader_init(&file->process, candidate->pid);
    reader->opens(reader->context, candidate);
    error = open_of(file, candidate, &place, fault);
    if (error)
        jvm_file_close(file);
    else
        *opened = file;
    return error;
}

void jvm_file_close(struct jvm_file *file)
{
    process_reader_release(&file->reader->files, &file->process);
    if (file->fd >= 0)
        close(file->fd);
    free(file);
}

/* -- Reading ----------------------------------------------------------------------------------- */

/* Most files have the usual size. The rest of a larger one is read by a second call. */
static ssize_t copy(const struct jvm_file *file)
{
    uint8_t *octets = file->reader->octets;
    ssize_t n = pread(file->fd, octets, USUAL_SIZE, 0);
    if (n < (ssize_t)USUAL_SIZE)
        return n;
    ssize_t rest = pread(file->fd, octets + USUAL_SIZE, PERFDATA_SIZE_MAX - USUAL_SIZE, USUAL_SIZE);
    return rest < 0 ? rest : n + rest;
}

static void take_cpu(struct jvm *jvm, const struct process_values *values)
{
    jvm->cpu_us = values->field[PROCESS_CPU];
    jvm->cpu_user_us = values->field[PROCESS_CPU_USER];
    jvm->cpu_system_us = values->field[PROCESS_CPU_SYSTEM];
    if (!jvm->profile.name[0])
        text_instance(jvm->profile.name, values->name, strlen(values->name));
}

int jvm_file_read(struct jvm_file *file, const struct candidate *candidate, struct jvm *jvm,
                  struct jvm_fault *fault)
{
    char why[MESSAGE_SIZE];
    struct process_values values;
    if (!is_still(file, candidate, &values))
        return ESRCH;
    ssize_t n = copy(file);
    if (n < 0)
        return fail(fault, OWNER_UNREADABLE, "%s", strerror(errno));
    *jvm = (struct jvm){
        .pid = candidate->pid, .owner = candidate->owner, .started = candidate->started};
    int error = jvm_read(&file->plan, file->reader->octets, (size_t)n, &jvm->profile, why);
    if (error == EAGAIN)
        return error;
    if (error) {
        why[strcspn(why, "\n")] = '\0';
        size_t len = strlen(why);
        return fail(fault, error == EPROTONOSUPPORT ? OWNER_NEWER : OWNER_DAMAGED, "%.*s",
                    (int)(len > 0 && why[len - 1] == '.' ? len - 1 : len), why);
    }
    take_cpu(jvm, &values);
    return 0;
}
