#include "sample/process/exited.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/process/members.h"
#include "sample/process/read.h"
#include "sample/process/sums.h"

struct exited_process {
    UT_hash_handle hh;
    pid_t pid;
    bool dead; /* the record of its last task was read */
    uid_t owner;
    char comm[TASK_COMM_SIZE];
    struct executable_id executable;
    struct task_usage usage;
};

static void set_unit(const struct processes *processes, struct process *process)
{
    const struct process_hint *hint;
    HASH_FIND(hh, processes->hints, &process->pid, sizeof process->pid, hint);
    if (hint)
        memcpy(process->unit, hint->unit, sizeof process->unit);
}

static void add_to_sum(struct processes *processes, enum process_view view,
                       const struct process *process, const uint64_t counters[PROCESS_COUNTERS])
{
    char name[INSTANCE_SIZE];
    const char *label = view_label(processes, view, process);
    view_name(name, view, label, "");
    struct process_sum *sum = *label ? sum_get(processes, name) : NULL;
    if (!sum)
        return;
    for (unsigned i = 0; i < PROCESS_COUNTERS; i++)
        sum->left[i] += counters[i];
    sum->started++;
    if (sum->members == 0)
        sum->empty_ns = processes->now_ns;
}

/* If nothing is known of the program's file, the name that the kernel has of the process is used:
 * the first 15 characters of the name that was executed. */
static void count_exited(struct processes *processes, const struct exited_process *exited)
{
    uint64_t counters[PROCESS_COUNTERS];
    struct process process = {.pid = exited->pid, .owner = exited->owner};
    const char *known = executables_find(&processes->executables, exited->executable, exited->comm);
    if (known)
        memcpy(process.name, known, sizeof process.name);
    else
        process_comm_name(process.name, exited->comm, strlen(exited->comm));
    set_unit(processes, &process);
    usage_to_counters(&exited->usage, counters);
    for (enum process_view view = 0; view < PROCESS_VIEWS; view++)
        if (processes->views[view])
            add_to_sum(processes, view, &process, counters);
}

static struct exited_process *get_exited(struct processes *processes, pid_t pid)
{
    struct exited_process *exited;
    HASH_FIND(hh, processes->exited, &pid, sizeof pid, exited);
    if (exited)
        return exited;
    exited = calloc(1, sizeof *exited);
    if (exited) {
        exited->pid = pid;
        HASH_ADD(hh, processes->exited, pid, sizeof exited->pid, exited);
        if (table_has(hh, exited))
            return exited;
        free(exited);
    }
    processes->failure = ENOMEM;
    return NULL;
}

static void begin_anew(struct exited_process *exited)
{
    exited->dead = false;
    exited->comm[0] = '\0';
    exited->executable = (struct executable_id){0, 0};
    exited->usage = (struct task_usage){.running = 0};
}

static void take_exit(void *context, const struct task_exit *exit)
{
    struct processes *processes = context;
    if (members_take_exit(processes, exit))
        return;
    struct exited_process *exited = get_exited(processes, exit->pid);
    if (!exited)
        return;
    if (exited->dead && exit->last) { /* the pid was used twice since the last pass */
        count_exited(processes, exited);
        begin_anew(exited);
    }
    task_usage_add(&exited->usage, &exit->usage);
    exited->dead |= exit->last;
    exited->owner = exit->owner;
    if (exit->executable.inode)
        exited->executable = exit->executable;
    if (exit->tid == exit->pid || !exited->comm[0])
        memcpy(exited->comm, exit->comm, sizeof exited->comm);
}

/* Records of a process that lives on are dropped: /proc will show all that it has used. */
static void count_all_exited(struct processes *processes)
{
    struct exited_process *next;
    for (struct exited_process *exited = processes->exited; exited; exited = next) {
        next = exited->hh.next;
        if (exited->dead)
            count_exited(processes, exited);
        HASH_DEL(processes->exited, exited);
        free(exited);
    }
}

void exited_take_records(struct processes *processes)
{
    if (processes->exits < 0)
        return;
    int error = task_exits_drain(processes->exits, take_exit, processes);
    count_all_exited(processes);
    if (!error || error == ENOBUFS)
        return;
    close(processes->exits);
    processes->exits = -1;
}
