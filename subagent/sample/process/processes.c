#include "sample/process/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/process/events.h"
#include "sample/process/exited.h"
#include "sample/process/members.h"
#include "sample/process/sums.h"
#include "sample/slot.h"
#include "sample/sources.h"

/* How often to scan for what events may have missed. */
#define RESCAN_NS (60 * NS_PER_S)

int processes_open(struct source *source)
{
    struct processes *processes = calloc(1, sizeof *processes);
    if (!processes)
        return ENOMEM;
    pool_init(&processes->member_pool, sizeof(struct process_member));
    pool_init(&processes->hint_pool, sizeof(struct process_hint));
    processes->files.folder = -1;
    processes->events = -1;
    processes->exits = -1;
    source->own = processes;
    return 0;
}

static void forget_hints(struct processes *processes)
{
    struct process_hint *hint;
    struct process_hint *next;
    HASH_ITER(hh, processes->hints, hint, next)
    {
        HASH_DEL(processes->hints, hint);
        pool_give(&processes->hint_pool, hint);
    }
}

static void stop_listening(struct processes *processes)
{
    process_events_close(processes->events);
    processes->events = -1;
    if (processes->exits >= 0)
        close(processes->exits);
    processes->exits = -1;
}

static void processes_stop(struct processes *processes)
{
    stop_listening(processes);
    forget_hints(processes);
    members_release(processes);
    sums_release(processes);
    process_files_close(&processes->files);
    executables_release(&processes->executables);
    owners_release(&processes->owners);
    process_table_free(processes->table);
    processes->table = NULL;
    pool_release(&processes->member_pool);
    pool_release(&processes->hint_pool);
}

void processes_close(struct source *source)
{
    if (source->own)
        processes_stop(source->own);
    free(source->own);
    source->own = NULL;
}

/* The kernel tells of the processes below /proc, not of those of a captured tree. It is asked
 * before the first scan, so that nothing is missed in between. */
static void listen_to_kernel(struct processes *processes, const char *root)
{
    if (strspn(root, "/") != strlen(root))
        return;
    processes->events = process_events_open();
    if (processes->events >= 0)
        processes->exits = task_exits_open();
}

static int processes_start(struct processes *processes, const char *root)
{
    int error = process_files_open(&processes->files, root);
    if (error)
        return error;
    processes->table = process_table_new(root);
    if (!processes->table) {
        process_files_close(&processes->files);
        return ENOMEM;
    }
    listen_to_kernel(processes, root);
    process_table_watch(processes->table, members_follow, processes);
    process_table_told(processes->table, processes->events >= 0);
    processes->lost = true;
    processes->selected = 0;
    processes->first_ns = processes->now_ns;
    processes->boot_us = 0;
    return 0;
}

static struct process_hint *hint_of(struct processes *processes, pid_t pid)
{
    struct process_hint *hint;
    HASH_FIND(hh, processes->hints, &pid, sizeof pid, hint);
    if (hint)
        return hint;
    hint = pool_take(&processes->hint_pool);
    if (hint) {
        hint->pid = pid;
        HASH_ADD(hh, processes->hints, pid, sizeof hint->pid, hint);
        if (table_has(hh, hint))
            return hint;
        pool_give(&processes->hint_pool, hint);
    }
    processes->lost = true;
    return NULL;
}

/* A process begins in the control group of its parent. If it was moved since then, nobody tells of
 * it; /proc shows it while the process lives. */
static void take_event(void *context, pid_t pid, pid_t parent)
{
    struct processes *processes = context;
    struct process_hint *hint = hint_of(processes, pid);
    if (!hint || !parent || !processes->views[VIEW_UNIT])
        return;
    const struct process *known = process_find(processes->table, parent);
    const struct process_hint *other;
    HASH_FIND(hh, processes->hints, &parent, sizeof parent, other);
    const char *unit = known ? known->unit : other ? other->unit : "";
    memcpy(hint->unit, unit, strnlen(unit, sizeof hint->unit - 1) + 1);
}

static void take_events(struct processes *processes)
{
    if (processes->events < 0)
        return;
    int error = process_events_drain(processes->events, take_event, processes);
    processes->lost |= error != 0;
    if (!error || error == ENOBUFS)
        return;
    process_events_close(processes->events);
    processes->events = -1;
    process_table_told(processes->table, false);
}

static int look_at_hints(struct processes *processes)
{
    int error = 0;
    for (const struct process_hint *hint = processes->hints; hint && !error; hint = hint->hh.next)
        error = process_look(processes->table, hint->pid, processes->now_ns);
    processes->lost |= error != 0;
    return error;
}

/* Scans in each pass if there are no events; else only when events may have missed something. */
static int scan_if_due(struct processes *processes)
{
    if (processes->events >= 0 && !processes->lost && processes->now_ns < processes->rescan_ns)
        return 0;
    if (processes->lost)
        process_table_forget(processes->table);
    int error = process_scan(processes->table, processes->now_ns);
    if (error)
        return error;
    processes->lost = false;
    processes->rescan_ns = processes->now_ns + RESCAN_NS;
    return 0;
}

static void apply_patterns(struct processes *processes, const struct source *source)
{
    processes->patterns = source->patterns;
    processes->n_patterns = source->n_patterns;
    if (processes->selected == source->patterns_changed && !processes->failure)
        return;
    processes->failure = 0;
    members_select(processes);
    process_table_units(processes->table, processes->views[VIEW_UNIT]);
    processes->rescan_ns = 0; /* so that a scan reads the units if they are wanted from now on */
    processes->selected = source->patterns_changed;
}

static void begin_pass(struct processes *processes)
{
    processes->last_boot_us = processes->boot_us;
    processes->boot_us = clock_boot_us();
    processes->suspended_us = processes->boot_us - clock_mono_ns() / NS_PER_US;
}

static int run_pass(struct processes *processes)
{
    begin_pass(processes);
    take_events(processes);
    int error = look_at_hints(processes);
    if (!error)
        error = scan_if_due(processes);
    if (!error)
        error = members_read(processes);
    /* This is done after an error, too: processes that have gone from /proc have left their records
     * by now, and the records will not wait. */
    exited_take_records(processes);
    members_finish_ended(processes);
    forget_hints(processes);
    return error;
}

static struct sample_slot *fill_slot(struct source *source, const char *name,
                                     enum resource_class class, uint32_t valid,
                                     const uint64_t field[PROCESS_FIELDS])
{
    struct sample_slot *slot = source_slot(source, name, strlen(name));
    if (!slot)
        return NULL;
    slot->class = class;
    slot->valid = valid;
    memcpy(slot->field, field, PROCESS_FIELDS * sizeof *field);
    return slot;
}

static void publish_sum(struct source *source, const struct process_sum *sum)
{
    struct sample_slot *slot =
        fill_slot(source, sum->name, RESOURCE_PROGRAM, sum->valid, sum->field);
    if (!slot)
        return;
    slot->unborn = sum->started == 0;
    slot->refused = sum->refused;
}

static void publish_member(struct source *source, const struct process_member *member,
                           unsigned view)
{
    struct sample_slot *slot =
        fill_slot(source, member->instances[view], RESOURCE_PROCESS, member->valid, member->field);
    if (slot)
        slot->refused = member->reader.io_refused;
}

static void publish_all(struct source *source)
{
    const struct processes *processes = source->own;
    for (const struct process_sum *sum = processes->sums; sum; sum = sum->hh.next)
        publish_sum(source, sum);
    for (const struct process_member *member = processes->members; member; member = member->hh.next)
        for (unsigned view = 0; view < PROCESS_VIEWS; view++)
            if (member->was_read && member->instances[view][0])
                publish_member(source, member, view);
}

int processes_read(struct source *source, uint64_t now_ns)
{
    struct processes *processes = source->own;
    if (source->n_patterns == 0) {
        if (processes->table)
            processes_stop(processes);
        return 0;
    }
    processes->last_ns = processes->now_ns;
    processes->now_ns = now_ns;
    int error = processes->table ? 0 : processes_start(processes, source->root);
    if (error)
        return error;
    apply_patterns(processes, source);
    error = run_pass(processes);
    if (error)
        return error;
    sums_make(processes);
    publish_all(source);
    return processes->failure;
}
