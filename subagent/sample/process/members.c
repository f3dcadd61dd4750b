#include "sample/process/members.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sample/process/read.h"
#include "sample/process/sums.h"

/* The start of a process is known to the tick before it, and its age at an exit to the microsecond.
 */
#define START_ROUNDING_US 12000

static struct process_member *find_member(struct process_member *members, pid_t pid)
{
    struct process_member *member;
    HASH_FIND(hh, members, &pid, sizeof pid, member);
    return member;
}

static struct process_member *add_member(struct processes *processes, const struct process *process)
{
    struct process_member *member = pool_take(&processes->member_pool);
    if (member) {
        member->process = *process;
        process_reader_init(&member->reader, process->pid);
        HASH_ADD(hh, processes->members, process.pid, sizeof member->process.pid, member);
        if (table_has(hh, member))
            return member;
        pool_give(&processes->member_pool, member);
    }
    processes->failure = ENOMEM;
    return NULL;
}

/* The member must have been removed from both hashes. */
static void free_member(struct processes *processes, struct process_member *member)
{
    for (enum process_view view = 0; view < PROCESS_VIEWS; view++)
        share_leave(processes, member, view);
    process_reader_release(&processes->files, &member->reader);
    pool_give(&processes->member_pool, member);
}

static void remove_member(struct processes *processes, struct process_member *member)
{
    HASH_DEL(processes->members, member);
    free_member(processes, member);
}

/* The last records of its tasks are still to be read. For that, even a process that was no member
 * becomes one, so that its records are not taken for those of a process that was never read. */
static void end_process(struct processes *processes, const struct process *process)
{
    struct process_member *member = find_member(processes->members, process->pid);
    /* If it was seen between its fork and its exec, it is not known what it became: its own record
     * tells that. */
    bool young = process->seen_ns >= processes->last_ns && process->seen_ns != processes->first_ns;
    if (!member && processes->exits >= 0 && !young)
        member = add_member(processes, process);
    if (!member)
        return;
    HASH_DEL(processes->members, member);
    HASH_ADD(hh, processes->ended, process.pid, sizeof member->process.pid, member);
    if (table_has(hh, member))
        return;
    processes->failure = ENOMEM;
    free_member(processes, member);
}

/* The instances of a process that the patterns want. */
struct wanted_instances {
    bool any;
    struct process_sum *sums[PROCESS_VIEWS];
    char instances[PROCESS_VIEWS][INSTANCE_SIZE];
};

static void find_wanted_view(struct processes *processes, const struct process *process,
                             enum process_view view, struct wanted_instances *wanted)
{
    char name[INSTANCE_SIZE];
    char tail[PROCESS_IDENTIFIER_SIZE + 1];
    const char *label = view_label(processes, view, process);
    if (!*label)
        return;
    view_name(name, view, label, "");
    wanted->sums[view] = sum_get(processes, name);
    if (view == VIEW_PROGRAM) {
        snprintf(name, sizeof name, "%s", process->identifier);
    } else {
        snprintf(tail, sizeof tail, "/%s", process->identifier);
        view_name(name, view, label, tail);
    }
    bool alone = processes_want(processes, name);
    if (alone)
        memcpy(wanted->instances[view], name, sizeof name);
    wanted->any |= alone || wanted->sums[view];
}

/* has_past: what the process has used so far does not belong to the sum. */
static void share_join(struct process_member *member, enum process_view view,
                       struct process_sum *sum, bool has_past)
{
    struct process_share *share = &member->shares[view];
    *share = (struct process_share){.sum = sum};
    if (!sum)
        return;
    sum->members++;
    sum->started++;
    share->pending = has_past && !member->was_read;
    if (has_past && member->was_read)
        memcpy(share->base, member->field, sizeof share->base);
}

static void apply_to_process(struct processes *processes, const struct process *process,
                             bool has_past)
{
    struct wanted_instances wanted = {.any = false};
    for (enum process_view view = 0; view < PROCESS_VIEWS; view++)
        if (processes->views[view])
            find_wanted_view(processes, process, view, &wanted);
    struct process_member *member = find_member(processes->members, process->pid);
    if (!wanted.any && member)
        remove_member(processes, member);
    if (!wanted.any)
        return;
    if (!member && !(member = add_member(processes, process)))
        return;
    member->process = *process;
    member->reader.io_refused = false;
    memcpy(member->instances, wanted.instances, sizeof member->instances);
    for (enum process_view view = 0; view < PROCESS_VIEWS; view++) {
        if (member->shares[view].sum == wanted.sums[view])
            continue;
        share_leave(processes, member, view);
        share_join(member, view, wanted.sums[view], has_past);
    }
}

/* Whether what a process has used so far was used as another program or the like. If it came since
 * the pass before last, it may have been seen as a fork, before it executed its program: that
 * counts as its beginning, not as a past. */
static bool has_past(const struct processes *processes, const struct process *before)
{
    const struct process_member *member = find_member(processes->members, before->pid);
    return (member && member->was_read) || before->seen_ns < processes->last_ns ||
           before->seen_ns == processes->first_ns;
}

void members_follow(void *context, const struct process *before, const struct process *after)
{
    struct processes *processes = context;
    bool same = before && after && before->started == after->started;
    if (before && (!same || after->ended))
        end_process(processes, before);
    if (!after || after->ended)
        return;
    if (processes->exits >= 0)
        executables_learn(&processes->executables, processes->files.folder, after->pid,
                          after->name);
    apply_to_process(processes, after, same && has_past(processes, before));
}

/* Shares in sums that are no longer wanted end without leaving anything to the sum. */
static void leave_unwanted(struct processes *processes)
{
    for (struct process_member *member = processes->members; member; member = member->hh.next)
        for (enum process_view view = 0; view < PROCESS_VIEWS; view++) {
            struct process_sum *sum = member->shares[view].sum;
            if (sum && !processes_want(processes, sum->name))
                share_leave(processes, member, view);
        }
}

void members_select(struct processes *processes)
{
    leave_unwanted(processes);
    sums_select(processes);
    const struct process *process = process_first(processes->table);
    for (; process; process = process_next(process))
        if (!process->ended)
            apply_to_process(processes, process, false);
}

/* Counters never go back. */
static void take_values(struct process_member *member, const struct process_values *values)
{
    for (unsigned i = 0; i < PROCESS_FIELDS; i++) {
        bool keep = i < PROCESS_COUNTERS && values->field[i] < member->field[i];
        member->field[i] = keep ? member->field[i] : values->field[i];
    }
    member->valid = values->valid;
    member->was_read = true;
    memcpy(member->comm, values->name, sizeof member->comm);
    for (unsigned view = 0; view < PROCESS_VIEWS; view++) {
        struct process_share *share = &member->shares[view];
        if (share->pending)
            memcpy(share->base, member->field, sizeof share->base);
        share->pending = false;
    }
}

/* If there are no events of execs, another name in the line shows that another program was
 * executed. A process that cannot be read is about to go; the next pass will show it. After
 * process_look, the member may be another one, or gone. */
static int read_member(struct processes *processes, struct process_member *member)
{
    struct process_values values;
    pid_t pid = member->process.pid;
    int error = process_reader_read(&processes->files, &member->reader, &values);
    if (error)
        return process_own_error(error) ? error : 0;
    if (values.started != member->process.started ||
        (member->was_read && strcmp(values.name, member->comm) != 0)) {
        error = process_look(processes->table, pid, processes->now_ns);
        member = find_member(processes->members, pid);
        if (error || !member || values.started != member->process.started)
            return error;
    }
    take_values(member, &values);
    return values.ended ? process_look(processes->table, pid, processes->now_ns) : 0;
}

int members_read(struct processes *processes)
{
    struct process_member *member;
    struct process_member *next;
    int error = 0;
    HASH_ITER(hh, processes->members, member, next)
    {
        if (!error)
            error = read_member(processes, member);
    }
    return error;
}

/* The user part of the time, divided in the way in which the kernel divides the time that a process
 * has run by the scheduler's account (kernel/sched/cputime.c cputime_adjust). */
static uint64_t user_part(const struct task_usage *usage)
{
    if (usage->system == 0)
        return usage->running;
    double share = (double)usage->user / ((double)usage->user + (double)usage->system);
    return (uint64_t)(share * (double)usage->running);
}

void usage_to_counters(const struct task_usage *usage, uint64_t counters[PROCESS_COUNTERS])
{
    uint64_t user = user_part(usage);
    counters[PROCESS_CPU] = usage->running;
    counters[PROCESS_CPU_USER] = user;
    counters[PROCESS_CPU_SYSTEM] = usage->running - user;
    counters[PROCESS_FAULTS] = usage->minor_faults + usage->major_faults;
    counters[PROCESS_FAULTS_MAJOR] = usage->major_faults;
    counters[PROCESS_FAULTS_MINOR] = usage->minor_faults;
    counters[PROCESS_IO_READ] = usage->read_bytes;
    counters[PROCESS_IO_WRITE] = usage->write_bytes;
}

static void raise_to(uint64_t *value, uint64_t least)
{
    *value = *value > least ? *value : least;
}

/* The records of all tasks give the total that the process has used, unless some tasks exited
 * before it was watched; then the last values that were read may be larger. The additional time is
 * divided so that neither its user nor its system part goes back. */
static void take_exits(struct process_member *member)
{
    uint64_t last[PROCESS_COUNTERS];
    uint64_t *field = member->field;
    usage_to_counters(&member->exits, last);
    raise_to(&last[PROCESS_CPU], field[PROCESS_CPU]);
    uint64_t user_most = last[PROCESS_CPU] - field[PROCESS_CPU_SYSTEM];
    if (last[PROCESS_CPU_USER] > user_most)
        last[PROCESS_CPU_USER] = user_most;
    raise_to(&last[PROCESS_CPU_USER], field[PROCESS_CPU_USER]);
    last[PROCESS_CPU_SYSTEM] = last[PROCESS_CPU] - last[PROCESS_CPU_USER];
    for (unsigned i = 0; i < PROCESS_COUNTERS; i++)
        raise_to(&field[i], last[i]);
    field[PROCESS_FAULTS] = field[PROCESS_FAULTS_MINOR] + field[PROCESS_FAULTS_MAJOR];
}

static bool has_share(const struct process_member *member)
{
    for (unsigned view = 0; view < PROCESS_VIEWS; view++)
        if (member->shares[view].sum)
            return true;
    return false;
}

/* The last values of a zombie can still be read; its handle never reads another process. */
static void finish_member(struct processes *processes, struct process_member *member)
{
    struct process_values values;
    if (has_share(member) &&
        process_reader_read(&processes->files, &member->reader, &values) == 0 &&
        values.started == member->process.started)
        take_values(member, &values);
    if (member->has_exits)
        take_exits(member);
    HASH_DEL(processes->ended, member);
    free_member(processes, member);
}

void members_finish_ended(struct processes *processes)
{
    struct process_member *member;
    struct process_member *next;
    HASH_ITER(hh, processes->ended, member, next)
    finish_member(processes, member);
}

void members_release(struct processes *processes)
{
    struct process_member *member;
    struct process_member *next;
    HASH_ITER(hh, processes->ended, member, next)
    {
        HASH_DEL(processes->ended, member);
        free_member(processes, member);
    }
    HASH_ITER(hh, processes->members, member, next)
    remove_member(processes, member);
}

/* Whether the age of the process at the exit fits to the process: its pid may have belonged to
 * another one in the same interval. The exit was not later than now, and not before the process was
 * last known to live: in this pass if its last task is exiting only now, else in the pass before.
 * The age does not include time in which the machine was suspended. */
static bool exit_fits(const struct processes *processes, const struct process *process, bool living,
                      const struct task_exit *exit)
{
    uint64_t exited_us = process->started * 1000 + exit->age_us;
    uint64_t living_us = process->seen_ns < processes->now_ns ? processes->last_boot_us : 0;
    if (living && exit->last)
        living_us = processes->boot_us;
    return exited_us <= clock_boot_us() &&
           exited_us + processes->suspended_us + START_ROUNDING_US >= living_us;
}

static bool take_exit(const struct processes *processes, struct process_member *member, bool living,
                      const struct task_exit *exit)
{
    if (!member || !exit_fits(processes, &member->process, living, exit))
        return false;
    member->has_exits = true;
    member->has_last |= exit->last;
    task_usage_add(&member->exits, &exit->usage);
    return true;
}

/* Records come in the order of the exits: up to the record of its last task, they belong to the
 * process that had the pid first. */
bool members_take_exit(struct processes *processes, const struct task_exit *exit)
{
    struct process_member *ended = find_member(processes->ended, exit->pid);
    if (ended && ended->has_last)
        ended = NULL;
    const struct process *known = process_find(processes->table, exit->pid);
    bool dead_on_arrival = known && known->ended && known->seen_ns == processes->now_ns;
    return take_exit(processes, ended, false, exit) ||
           take_exit(processes, find_member(processes->members, exit->pid), true, exit) ||
           (known && !dead_on_arrival && exit_fits(processes, known, !known->ended, exit));
}
