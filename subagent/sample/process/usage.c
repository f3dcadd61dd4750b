#include "sample/process/usage.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/procfile.h"
#include "base/table.h"
#include "sample/process/names.h"
#include "sample/process/read.h"
#include "sample/scan.h"

/* What is kept of a process from one look to the next. */
struct usage_entry {
    UT_hash_handle hh;
    pid_t pid;            /* the key */
    uint64_t started;     /* ticks since boot: if it differs, it is another process */
    uint64_t cpu, before; /* ticks of CPU time used, up to this look and up to the one before */
    uint64_t memory_kb, threads;
    uint64_t look; /* the last look that saw it */
    char comm[NAME_SIZE];
    char name[NAME_SIZE]; /* "": not read yet */
    uid_t owner;
};

struct process_usage {
    char *path;
    DIR *folder; /* NULL: closed */
    uint64_t page_kb;
    uint64_t looks, looked_ns; /* 0: there was none yet */
    struct pool pool;
    struct usage_entry *entries;
    struct usage_entry **sorted; /* the entries that this look has seen */
    size_t n, room;
    struct owners owners;
};

struct process_usage *process_usage_new(const char *root)
{
    char path[PATH_MAX];
    struct process_usage *usage = calloc(1, sizeof *usage);
    if (!usage || procfile_path(path, sizeof path, root, "/proc") != 0) {
        free(usage);
        return NULL;
    }
    usage->path = strdup(path);
    usage->page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    pool_init(&usage->pool, sizeof(struct usage_entry));
    if (usage->path)
        return usage;
    free(usage);
    return NULL;
}

static void drop_entry(struct process_usage *usage, struct usage_entry *entry)
{
    HASH_DEL(usage->entries, entry);
    pool_give(&usage->pool, entry);
}

void process_usage_free(struct process_usage *usage)
{
    struct usage_entry *entry, *next;
    if (!usage)
        return;
    HASH_ITER(hh, usage->entries, entry, next)
    drop_entry(usage, entry);
    pool_release(&usage->pool);
    owners_release(&usage->owners);
    if (usage->folder)
        closedir(usage->folder);
    free(usage->sorted);
    free(usage->path);
    free(usage);
}

/* -- Looking --------------------------------------------------------------------------------- */

static int open_folder(struct process_usage *usage)
{
    if (usage->folder)
        rewinddir(usage->folder);
    else
        usage->folder = opendir(usage->path);
    return usage->folder ? 0 : errno;
}

static struct usage_entry *entry_of(struct process_usage *usage, pid_t pid)
{
    struct usage_entry *entry;
    HASH_FIND(hh, usage->entries, &pid, sizeof pid, entry);
    if (entry)
        return entry;
    entry = pool_take(&usage->pool);
    if (!entry)
        return NULL;
    entry->pid = pid;
    HASH_ADD(hh, usage->entries, pid, sizeof entry->pid, entry);
    if (table_has(hh, entry))
        return entry;
    pool_give(&usage->pool, entry);
    return NULL;
}

static bool sort_in(struct process_usage *usage, struct usage_entry *entry)
{
    if (usage->n == usage->room) {
        size_t room = usage->room * 2 + 256;
        struct usage_entry **grown =
            reallocarray(usage->sorted, room, sizeof(struct usage_entry *));
        if (!grown)
            return false;
        usage->sorted = grown;
        usage->room = room;
    }
    usage->sorted[usage->n++] = entry;
    return true;
}

static uint64_t number_of(const struct process_stat *stat, unsigned field)
{
    return stat->valid >> field & 1 ? stat->number[field] : 0;
}

/* A new process, or another one under a pid that was used before, has used nothing before this
 * look. A process that has executed another program has another name, but is the same process. */
static void take_stat(const struct process_usage *usage, struct usage_entry *entry,
                      const struct process_stat *stat)
{
    char comm[NAME_SIZE];
    bool same = entry->look > 0 && entry->started == stat->number[STAT_STARTED];
    process_comm_name(comm, stat->comm, stat->comm_len);
    entry->before = same ? entry->cpu : 0;
    if (!same || strcmp(comm, entry->comm) != 0)
        entry->name[0] = '\0';
    memcpy(entry->comm, comm, sizeof comm);
    entry->started = stat->number[STAT_STARTED];
    entry->cpu = number_of(stat, STAT_USER) + number_of(stat, STAT_SYSTEM);
    entry->memory_kb = number_of(stat, STAT_RSS) * usage->page_kb;
    entry->threads = number_of(stat, STAT_THREADS);
    entry->look = usage->looks;
}

static int look_at(struct process_usage *usage, pid_t pid)
{
    char path[32], text[PROCESS_STAT_SIZE];
    struct process_stat stat;
    snprintf(path, sizeof path, "%d/stat", (int)pid);
    int error = procfile_read_once(dirfd(usage->folder), path, text, sizeof text);
    if (error)
        return process_own_error(error) ? error : 0;
    if (!process_stat_scan(text, &stat))
        return 0;
    struct usage_entry *entry = entry_of(usage, pid);
    if (!entry)
        return ENOMEM;
    if (entry->look == usage->looks)
        return 0; /* the directory listed it twice */
    take_stat(usage, entry, &stat);
    return sort_in(usage, entry) ? 0 : ENOMEM;
}

/* Returns 0 if the name is not a pid. */
static pid_t to_pid(const char *name)
{
    uint64_t number;
    bool ok = *name >= '1' && *name <= '9' && scan_digits(&name, &number) && *name == '\0' &&
              number <= INT_MAX;
    return ok ? (pid_t)number : 0;
}

static int look_at_all(struct process_usage *usage)
{
    int error = open_folder(usage);
    const struct dirent *file;
    usage->n = 0;
    for (errno = 0; !error && (file = readdir(usage->folder)); errno = 0) {
        pid_t pid = to_pid(file->d_name);
        if (pid)
            error = look_at(usage, pid);
    }
    return error ? error : errno;
}

static void forget_gone(struct process_usage *usage)
{
    struct usage_entry *entry, *next;
    HASH_ITER(hh, usage->entries, entry, next)
    {
        if (entry->look != usage->looks)
            drop_entry(usage, entry);
    }
}

/* -- Ranking --------------------------------------------------------------------------------- */

static uint64_t used(const struct usage_entry *entry)
{
    return entry->cpu > entry->before ? entry->cpu - entry->before : 0;
}

static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int by_cpu(const void *left, const void *right)
{
    const struct usage_entry *a = *(struct usage_entry *const *)left,
                             *b = *(struct usage_entry *const *)right;
    int order = descending(used(a), used(b));
    return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

static int by_memory(const void *left, const void *right)
{
    const struct usage_entry *a = *(struct usage_entry *const *)left,
                             *b = *(struct usage_entry *const *)right;
    int order = descending(a->memory_kb, b->memory_kb);
    return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

/* A process that is gone by now keeps the name that came with its numbers. */
static void name_entry(const struct process_usage *usage, struct usage_entry *entry)
{
    struct process process;
    ino_t inode;
    memcpy(entry->name, entry->comm, sizeof entry->name);
    entry->owner = (uid_t)-1;
    if (process_read(dirfd(usage->folder), entry->pid, false, &process, &inode) != 0)
        return;
    memcpy(entry->name, process.name, sizeof entry->name);
    entry->owner = process.owner;
}

static void set_rank(struct process_usage *usage, struct usage_entry *entry, uint64_t span_ns,
                     struct usage_rank *rank)
{
    if (!entry->name[0])
        name_entry(usage, entry);
    const char *owner =
        entry->owner == (uid_t)-1 ? NULL : owners_name(&usage->owners, entry->owner);
    *rank = (struct usage_rank){.pid = entry->pid,
                                .cpu_ms = entry->cpu * PROCESS_MS_PER_TICK,
                                .memory_kb = entry->memory_kb,
                                .threads = entry->threads};
    if (span_ns > 0)
        rank->cpu_milli = used(entry) * PROCESS_MS_PER_TICK * 1000 * NS_PER_MS / span_ns;
    memcpy(rank->name, entry->name, sizeof rank->name);
    snprintf(rank->owner, sizeof rank->owner, "%s", owner ? owner : "_");
}

static void rank_all(struct process_usage *usage, enum usage_order order, uint64_t span_ns,
                     struct usage_ranking *ranking)
{
    ranking->n[order] = usage->n < USAGE_RANKS ? usage->n : USAGE_RANKS;
    if (usage->n > 1)
        qsort(usage->sorted, usage->n, sizeof(struct usage_entry *),
              order == USAGE_CPU ? by_cpu : by_memory);
    for (size_t i = 0; i < ranking->n[order]; i++)
        set_rank(usage, usage->sorted[i], span_ns, &ranking->ranks[order][i]);
}

int process_usage_look(struct process_usage *usage, uint64_t now_ns, struct usage_ranking *ranking)
{
    bool first = usage->looks == 0;
    usage->looks++;
    int error = look_at_all(usage);
    if (error) { /* some have new numbers by now, others do not: there is no span that fits both */
        usage->looks = 0;
        for (struct usage_entry *entry = usage->entries; entry; entry = entry->hh.next)
            entry->look = 0;
        return error;
    }
    forget_gone(usage);
    ranking->span_ns = first || now_ns <= usage->looked_ns ? 0 : now_ns - usage->looked_ns;
    ranking->processes = usage->n;
    ranking->n[USAGE_CPU] = 0;
    if (ranking->span_ns > 0)
        rank_all(usage, USAGE_CPU, ranking->span_ns, ranking);
    rank_all(usage, USAGE_MEMORY, ranking->span_ns, ranking);
    usage->looked_ns = now_ns;
    return 0;
}
