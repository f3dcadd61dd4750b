#define HASH_NONFATAL_OOM 1 /* an out-of-memory shows as hh.tbl == NULL, not as exit(3) */

#include "sample/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/clock.h"
#include "sample/source.h"

#define REREAD_NS (600 * NS_PER_S)
#define MS_PER_TICK 10 /* USER_HZ is 100 */

struct process_entry {
    struct process process; /* first: process_next finds the entry by it */
    UT_hash_handle hh;
    ino_t inode;     /* of the directory when the details were read */
    uint64_t due_ns; /* when to read them again */
    uint64_t scan;   /* that saw the process last */
};

struct process_table {
    char *path;
    DIR *folder; /* NULL: closed */
    struct process_entry *entries;
    uint64_t scan;
    uint64_t membership;
    bool unsorted;
};

struct process_table *process_table_new(const char *root)
{
    char path[PATH_MAX];
    struct process_table *table = calloc(1, sizeof *table);
    if (!table || procfile_path(path, sizeof path, root, "/proc") != 0) {
        free(table);
        return NULL;
    }
    table->path = strdup(path);
    if (!table->path) {
        free(table);
        return NULL;
    }
    return table;
}

static void drop(struct process_table *table, struct process_entry *entry)
{
    HASH_DEL(table->entries, entry);
    free(entry);
}

static void close_folder(struct process_table *table)
{
    if (table->folder)
        closedir(table->folder);
    table->folder = NULL;
}

void process_table_free(struct process_table *table)
{
    if (!table)
        return;
    struct process_entry *entry;
    struct process_entry *next;
    HASH_ITER(hh, table->entries, entry, next)
    drop(table, entry);
    close_folder(table);
    free(table->path);
    free(table);
}

/* Keeps the characters of a name (text_is_name), and as many as fit. */
static void set_name(struct process *process, const char *text, size_t len)
{
    size_t n = len < NAME_SIZE - 1 ? len : NAME_SIZE - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        bool ok = c < 0x80 && (isalnum(c) || strchr("._-", c));
        process->name[i] = c && ok ? text[i] : '_';
    }
    if (n == 0)
        process->name[n++] = '_';
    process->name[n] = '\0';
}

/* The kernel shows what a worker does at the moment behind its name, "kworker/0:1-events"
 * (kernel/workqueue.c wq_worker_comm); that must not make it another process. Rescuers,
 * "kworker/R-writeback", have their work in the name itself. */
static size_t worker_length(const char *comm, size_t len)
{
    static const char worker[] = "kworker/";
    size_t start = sizeof worker - 1;
    if (len <= start || strncmp(comm, worker, start) != 0 || comm[start] == 'R')
        return len;
    size_t name = strcspn(comm, "+-");
    return name < len ? name : len;
}

/* "pid (comm) state ppid ...": field 2 may hold blanks and brackets; started is field 22. */
static bool scan_stat(const char *text, struct process *process)
{
    const char *open = strchr(text, '(');
    const char *close = strrchr(text, ')');
    if (!open || !close || close < open || !strchr(close, '\n'))
        return false;
    const char *p = close + 1;
    for (int field = 3; field < 22; field++)
        p = scan_word(scan_blanks(p));
    p = scan_blanks(p);
    uint64_t ticks;
    if (!scan_digits(&p, &ticks) || p != scan_word(p))
        return false;
    process->started = ticks * MS_PER_TICK;
    size_t len = (size_t)(close - open - 1);
    set_name(process, open + 1, worker_length(open + 1, len));
    return true;
}

/* Kernel threads have no executable, and that of others' processes needs CAP_SYS_PTRACE. */
static void take_executable(int folder, struct process *process)
{
    static const char deleted[] = " (deleted)";
    char path[32];
    char target[PATH_MAX];
    snprintf(path, sizeof path, "%d/exe", (int)process->pid);
    ssize_t got = readlinkat(folder, path, target, sizeof target - 1);
    if (got <= 0)
        return;
    target[got] = '\0';
    const char *slash = strrchr(target, '/');
    const char *base = slash ? slash + 1 : target;
    size_t len = strlen(base);
    size_t suffix = sizeof deleted - 1;
    if (len >= suffix && strcmp(base + len - suffix, deleted) == 0)
        len -= suffix;
    if (len > 0)
        set_name(process, base, len);
}

/* EBADMSG: the kernel gave no line of the known form. */
static int read_process(int folder, pid_t pid, struct process *process)
{
    char path[32];
    char text[1024];
    *process = (struct process){.pid = pid};
    snprintf(path, sizeof path, "%d/stat", (int)pid);
    int error = procfile_read_once(folder, path, text, sizeof text);
    if (error)
        return error;
    if (!scan_stat(text, process))
        return EBADMSG;
    take_executable(folder, process);
    snprintf(process->identifier, sizeof process->identifier, "%s/%d", process->name, (int)pid);
    return 0;
}

static int add_process(struct process_table *table, const struct process *process, ino_t inode)
{
    struct process_entry *entry = malloc(sizeof *entry);
    if (!entry)
        return ENOMEM;
    *entry = (struct process_entry){.process = *process, .inode = inode, .scan = table->scan};
    HASH_ADD(hh, table->entries, process.pid, sizeof entry->process.pid, entry);
    if (!entry->hh.tbl) {
        free(entry);
        return ENOMEM;
    }
    table->membership++;
    table->unsorted = true;
    return 0;
}

/* Spread by pid, so that the processes of the first scan are not all read again at once. */
static uint64_t next_reading(pid_t pid, uint64_t now_ns)
{
    return now_ns + REREAD_NS + (uint64_t)(pid % 600) * NS_PER_S;
}

static void update_process(struct process_table *table, struct process_entry *entry,
                           const struct process *process, ino_t inode, uint64_t now_ns)
{
    bool other = entry->process.started != process->started ||
                 strcmp(entry->process.name, process->name) != 0;
    entry->process = *process;
    entry->inode = inode;
    entry->scan = table->scan;
    /* Another program may come once more soon, like a new process. */
    entry->due_ns = other ? 0 : next_reading(process->pid, now_ns);
    table->membership += other;
}

/* An error of ours (EMFILE, ENOMEM), which says nothing about the process. */
static bool is_own_error(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* A directory of /proc keeps its inode number while its process lives and memory is not short:
 * a new number asks for a reading, and the same number proves nothing. */
static int see_process(struct process_table *table, pid_t pid, ino_t inode, uint64_t now_ns)
{
    struct process_entry *entry;
    HASH_FIND(hh, table->entries, &pid, sizeof pid, entry);
    if (entry && entry->inode == inode && now_ns < entry->due_ns) {
        entry->scan = table->scan;
        return 0;
    }
    struct process process;
    int error = read_process(dirfd(table->folder), pid, &process);
    if (error)
        return is_own_error(error) ? error : 0;
    if (!entry)
        return add_process(table, &process, inode);
    update_process(table, entry, &process, inode, now_ns);
    return 0;
}

/* 0 for what is no pid. */
static pid_t to_pid(const char *name)
{
    if (*name < '1' || *name > '9')
        return 0;
    uint64_t number;
    bool ok = scan_digits(&name, &number) && *name == '\0' && number <= INT_MAX;
    return ok ? (pid_t)number : 0;
}

static int see_all(struct process_table *table, uint64_t now_ns)
{
    int error = 0;
    struct dirent *entry;
    for (errno = 0; !error && (entry = readdir(table->folder)); errno = 0) {
        pid_t pid = to_pid(entry->d_name);
        if (pid)
            error = see_process(table, pid, entry->d_ino, now_ns);
    }
    return error ? error : errno;
}

static void remove_gone(struct process_table *table)
{
    struct process_entry *entry;
    struct process_entry *next;
    HASH_ITER(hh, table->entries, entry, next)
    {
        if (entry->scan == table->scan)
            continue;
        drop(table, entry);
        table->membership++;
    }
}

static int compare(const struct process_entry *a, const struct process_entry *b)
{
    return (a->process.pid > b->process.pid) - (a->process.pid < b->process.pid);
}

/* The kept handle is rewound; the first time, and after an error, it is opened. */
static int open_folder(struct process_table *table)
{
    if (table->folder) {
        rewinddir(table->folder);
        return 0;
    }
    table->folder = opendir(table->path);
    return table->folder ? 0 : errno;
}

int process_scan(struct process_table *table, uint64_t now_ns)
{
    int error = open_folder(table);
    if (error)
        return error;
    table->scan++;
    error = see_all(table, now_ns);
    if (error)
        close_folder(table);
    else
        remove_gone(table);
    if (table->unsorted)
        HASH_SORT(table->entries, compare);
    table->unsorted = false;
    return error;
}

uint64_t process_membership(const struct process_table *table)
{
    return table->membership;
}

size_t process_count(const struct process_table *table)
{
    return HASH_COUNT(table->entries);
}

const struct process *process_find(const struct process_table *table, pid_t pid)
{
    struct process_entry *entry;
    HASH_FIND(hh, table->entries, &pid, sizeof pid, entry);
    return entry ? &entry->process : NULL;
}

const struct process *process_first(const struct process_table *table)
{
    return table->entries ? &table->entries->process : NULL;
}

const struct process *process_next(const struct process *process)
{
    const struct process_entry *entry = (const struct process_entry *)process;
    const struct process_entry *next = entry->hh.next;
    return next ? &next->process : NULL;
}
