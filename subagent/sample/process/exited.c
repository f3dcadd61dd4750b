#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/process/read.h"
#include "sample/process/processes.h"

struct process_stranger {
    UT_hash_handle hh;
    pid_t pid;
    bool dead; /* the record of the last task was read */
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

/* Where the file of the program says nothing, the kernel's name of the process has to do: the first
 * 15 characters of the name that was executed. */
static void bury(struct processes *processes, const struct process_stranger *stranger)
{
    uint64_t counters[PROCESS_COUNTERS];
    struct process process = {.pid = stranger->pid, .owner = stranger->owner};
    const char *known =
        executables_find(&processes->executables, stranger->executable, stranger->comm);
    if (known)
        memcpy(process.name, known, sizeof process.name);
    else
        process_comm_name(process.name, stranger->comm, strlen(stranger->comm));
    set_unit(processes, &process);
    usage_to_counters(&stranger->usage, counters);
    for (enum process_view view = 0; view < PROCESS_VIEWS; view++)
        if (processes->views[view])
            add_to_sum(processes, view, &process, counters);
}

static struct process_stranger *find(struct processes *processes, pid_t pid)
{
    struct process_stranger *stranger;
    HASH_FIND(hh, processes->strangers, &pid, sizeof pid, stranger);
    if (stranger)
        return stranger;
    stranger = calloc(1, sizeof *stranger);
    if (stranger) {
        stranger->pid = pid;
        HASH_ADD(hh, processes->strangers, pid, sizeof stranger->pid, stranger);
        if (table_has(hh, stranger))
            return stranger;
        free(stranger);
    }
    processes->failure = ENOMEM;
    return NULL;
}

static void begin_anew(struct process_stranger *stranger)
{
    stranger->dead = false;
    stranger->comm[0] = '\0';
    stranger->executable = (struct executable_id){0, 0};
    stranger->usage = (struct task_usage){.running = 0};
}

static void take_exit(void *context, const struct task_exit *exit)
{
    struct processes *processes = context;
    if (members_take_exit(processes, exit))
        return;
    struct process_stranger *stranger = find(processes, exit->pid);
    if (!stranger)
        return;
    if (stranger->dead && exit->last) { /* the pid was used twice since the last pass */
        bury(processes, stranger);
        begin_anew(stranger);
    }
    task_usage_add(&stranger->usage, &exit->usage);
    stranger->dead |= exit->last;
    stranger->owner = exit->owner;
    if (exit->executable.inode)
        stranger->executable = exit->executable;
    if (exit->tid == exit->pid || !stranger->comm[0])
        memcpy(stranger->comm, exit->comm, sizeof stranger->comm);
}

/* Of a stranger that lives on nothing is taken: /proc will show all it has used. */
static void bury_all(struct processes *processes)
{
    struct process_stranger *next;
    for (struct process_stranger *stranger = processes->strangers; stranger; stranger = next) {
        next = stranger->hh.next;
        if (stranger->dead)
            bury(processes, stranger);
        HASH_DEL(processes->strangers, stranger);
        free(stranger);
    }
}

void strangers_take(struct processes *processes)
{
    if (processes->exits < 0)
        return;
    int error = task_exits_drain(processes->exits, take_exit, processes);
    bury_all(processes);
    if (!error || error == ENOBUFS)
        return;
    close(processes->exits);
    processes->exits = -1;
}
