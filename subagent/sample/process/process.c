#include "sample/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/table.h"
#include "sample/process/read.h"
#include "sample/scan.h"

#define REREAD_NS (600 * NS_PER_S)

struct process_entry {
    struct process process; /* first member: process_next finds the entry by it */
    UT_hash_handle hh;
    ino_t inode;     /* of the directory when the details were read */
    uint64_t due_ns; /* when to read them again */
    uint64_t scan;   /* the last scan that saw the process */
};

/* A process that a scan has found and that the table does not have yet. */
struct newcomer {
    pid_t pid;
    ino_t inode;
};

struct process_table {
    char *path;
    DIR *folder; /* NULL: closed */
    struct pool pool;
    struct process_entry *entries;
    struct newcomer *newcomers; /* of this scan */
    size_t n_newcomers;
    size_t room; /* for newcomers */
    uint64_t scan;
    uint64_t membership;
    bool unsorted;
    bool units;
    bool told;
    process_changed *changed; /* NULL: nobody watches */
    void *context;
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
    pool_init(&table->pool, sizeof(struct process_entry));
    return table;
}

void process_table_watch(struct process_table *table, process_changed *changed, void *context)
{
    table->changed = changed;
    table->context = context;
}

void process_table_forget(struct process_table *table)
{
    for (struct process_entry *entry = table->entries; entry; entry = entry->hh.next)
        entry->due_ns = 0;
}

void process_table_units(struct process_table *table, bool wanted)
{
    if (table->units != wanted)
        process_table_forget(table);
    table->units = wanted;
}

void process_table_told(struct process_table *table, bool told)
{
    table->told = told;
}

static void tell_watcher(const struct process_table *table, const struct process *before,
                         const struct process *after)
{
    if (table->changed)
        table->changed(table->context, before, after);
}

static void drop_entry(struct process_table *table, struct process_entry *entry)
{
    HASH_DEL(table->entries, entry);
    pool_give(&table->pool, entry);
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
    drop_entry(table, entry);
    pool_release(&table->pool);
    close_folder(table);
    free(table->path);
    free(table);
}

/* The times are spread by pid, so that the processes of the first scan are not all read again at
 * once. */
static uint64_t next_reading(const struct process_table *table, pid_t pid, uint64_t now_ns)
{
    if (table->told && !table->units)
        return UINT64_MAX;
    return now_ns + REREAD_NS + (uint64_t)(pid % 600) * NS_PER_S;
}

static int add_process(struct process_table *table, const struct process *process, ino_t inode,
                       uint64_t now_ns)
{
    struct process_entry *entry = pool_take(&table->pool);
    if (!entry)
        return ENOMEM;
    *entry = (struct process_entry){.process = *process, .inode = inode, .scan = table->scan};
    entry->process.seen_ns = now_ns;
    if (table->told)
        entry->due_ns = next_reading(table, process->pid, now_ns);
    HASH_ADD(hh, table->entries, process.pid, sizeof entry->process.pid, entry);
    if (!table_has(hh, entry)) {
        pool_give(&table->pool, entry);
        return ENOMEM;
    }
    table->membership++;
    table->unsorted = true;
    tell_watcher(table, NULL, &entry->process);
    return 0;
}

static void update_process(struct process_table *table, struct process_entry *entry,
                           const struct process *process, ino_t inode, uint64_t now_ns)
{
    struct process before = entry->process;
    bool reused = before.started != process->started;
    bool other = reused || strcmp(before.name, process->name) != 0;
    bool moved = before.owner != process->owner || before.ended != process->ended ||
                 strcmp(before.unit, process->unit) != 0;
    entry->process = *process;
    entry->process.seen_ns = reused ? now_ns : before.seen_ns;
    entry->inode = inode;
    entry->scan = table->scan;
    /* This program, too, may soon be followed by another one, as in a new process. */
    entry->due_ns = other && !table->told ? 0 : next_reading(table, process->pid, now_ns);
    table->membership += other;
    if (other || moved)
        tell_watcher(table, &before, &entry->process);
}

static int note_newcomer(struct process_table *table, pid_t pid, ino_t inode)
{
    if (table->n_newcomers == table->room) {
        size_t room = table->room ? 2 * table->room : 64;
        struct newcomer *grown = realloc(table->newcomers, room * sizeof *grown);
        if (!grown)
            return ENOMEM;
        table->newcomers = grown;
        table->room = room;
    }
    table->newcomers[table->n_newcomers++] = (struct newcomer){pid, inode};
    return 0;
}

static void forget_newcomers(struct process_table *table)
{
    free(table->newcomers);
    table->newcomers = NULL;
    table->n_newcomers = table->room = 0;
}

/* A directory of /proc keeps its inode number while its process lives and memory is not short. So a
 * new number is a reason to read the details again, but the same number proves nothing. */
static int see_process(struct process_table *table, pid_t pid, ino_t inode, uint64_t now_ns)
{
    struct process_entry *entry;
    HASH_FIND(hh, table->entries, &pid, sizeof pid, entry);
    if (!entry)
        return note_newcomer(table, pid, inode);
    if (entry->inode == inode && now_ns < entry->due_ns) {
        entry->scan = table->scan;
        return 0;
    }
    struct process process;
    ino_t itself;
    int error = process_read(dirfd(table->folder), pid, table->units, &process, &itself);
    if (error)
        return process_own_error(error) ? error : 0;
    update_process(table, entry, &process, inode, now_ns);
    return 0;
}

static int meet_newcomer(struct process_table *table, const struct newcomer *newcomer,
                         uint64_t now_ns)
{
    struct process process;
    ino_t itself;
    if (process_find(table, newcomer->pid)) /* the directory listed it twice */
        return 0;
    int error = process_read(dirfd(table->folder), newcomer->pid, table->units, &process, &itself);
    if (error)
        return process_own_error(error) ? error : 0;
    return add_process(table, &process, newcomer->inode, now_ns);
}

static int meet_newcomers(struct process_table *table, uint64_t now_ns)
{
    int error = 0;
    for (size_t i = 0; i < table->n_newcomers && !error; i++)
        error = meet_newcomer(table, &table->newcomers[i], now_ns);
    return error;
}

/* Returns 0 if the name is not a pid. */
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

static void lose(struct process_table *table, struct process_entry *entry)
{
    tell_watcher(table, &entry->process, NULL);
    drop_entry(table, entry);
    table->membership++;
}

static void remove_gone(struct process_table *table)
{
    struct process_entry *entry;
    struct process_entry *next;
    HASH_ITER(hh, table->entries, entry, next)
    {
        if (entry->scan != table->scan)
            lose(table, entry);
    }
}

static int compare(const struct process_entry *a, const struct process_entry *b)
{
    return (a->process.pid > b->process.pid) - (a->process.pid < b->process.pid);
}

/* Opens the folder the first time and after an error; then it is kept open. */
static int open_folder(struct process_table *table)
{
    if (!table->folder)
        table->folder = opendir(table->path);
    return table->folder ? 0 : errno;
}

int process_scan(struct process_table *table, uint64_t now_ns)
{
    int error = open_folder(table);
    if (error)
        return error;
    rewinddir(table->folder);
    table->scan++;
    error = see_all(table, now_ns);
    /* Processes that are gone are removed before others are added, which can then take their room.
     */
    if (!error) {
        remove_gone(table);
        error = meet_newcomers(table, now_ns);
    }
    forget_newcomers(table);
    if (error)
        close_folder(table);
    if (table->unsorted)
        HASH_SORT(table->entries, compare);
    table->unsorted = false;
    return error;
}

int process_look(struct process_table *table, pid_t pid, uint64_t now_ns)
{
    struct process_entry *entry;
    struct process process;
    ino_t inode;
    int error = open_folder(table);
    if (error)
        return error;
    HASH_FIND(hh, table->entries, &pid, sizeof pid, entry);
    error = process_read(dirfd(table->folder), pid, table->units, &process, &inode);
    if (error && process_own_error(error))
        return error;
    if (error && entry)
        lose(table, entry);
    else if (!error && entry)
        update_process(table, entry, &process, inode, now_ns);
    else if (!error)
        return add_process(table, &process, inode, now_ns);
    return 0;
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
