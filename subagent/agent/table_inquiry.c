/* What dcampInquiry has: dcampResourceTable, dcampProcessTable and dcampProcessRankTable. */
#include "agent/tables.h"
#include "agent/view.h"
#include "daemon/inventory.h"
#include "daemon/ranked.h"

/* The core scans only while somebody reads. */
static void inquired(const struct view *view)
{
    if (!atomic_exchange(&view->inventory->asked, true))
        view_wake(view);
}

static bool resource_parent(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct resource_row *)row)->resource.parent);
}

static bool resource_size(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct resource_row *)row)->resource.size);
}

static const struct index *resources(const struct view *view)
{
    return &view->inventory->resources;
}

static const struct column resource_columns[] = {
    {MIB_dcampResourceParent, resource_parent, NULL},
    {MIB_dcampResourceSize, resource_size, NULL},
};

const struct table table_resource = {
    .object = MIB_dcampResourceTable,
    .rows = resources,
    .touched = inquired,
    .columns = resource_columns,
    .n_columns = sizeof resource_columns / sizeof *resource_columns,
};

static bool process_identifier(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct process_row *)row)->identifier);
}

static bool process_started(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_date(value, ((const struct process_row *)row)->started_ms);
}

static const struct index *processes(const struct view *view)
{
    return &view->inventory->processes;
}

static const struct column process_columns[] = {
    {MIB_dcampProcessIdentifier, process_identifier, NULL},
    {MIB_dcampProcessStarted, process_started, NULL},
};

const struct table table_process = {
    .object = MIB_dcampProcessTable,
    .rows = processes,
    .touched = inquired,
    .columns = process_columns,
    .n_columns = sizeof process_columns / sizeof *process_columns,
};

/* -- Which processes use most ----------------------------------------------------------------- */

/* The core looks at the processes only while somebody reads. */
static void rank_asked(const struct view *view)
{
    if (ranked_ask(view->ranked))
        view_wake(view);
}

static bool rank_age(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    uint64_t looked_ns = view->ranked->looked_ns;
    uint64_t age_ms =
        view->now.mono_ns > looked_ns ? (view->now.mono_ns - looked_ns) / NS_PER_MS : 0;
    return looked_ns > 0 && give_number(value, age_ms < UINT32_MAX ? age_ms : UINT32_MAX);
}

static bool rank_span(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    uint64_t span_ms = view->ranked->span_ns / NS_PER_MS;
    return span_ms > 0 && give_number(value, span_ms < UINT32_MAX ? span_ms : UINT32_MAX);
}

static bool rank_processes(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return view->ranked->looked_ns > 0 && give_number(value, view->ranked->processes);
}

static const struct column inquiry_scalars[] = {
    {MIB_dcampProcessRankAge, rank_age, NULL},
    {MIB_dcampProcessRankSpan, rank_span, NULL},
    {MIB_dcampProcessRankProcesses, rank_processes, NULL},
};

const struct table table_inquiry = {
    .object = MIB_dcampInquiry,
    .touched = rank_asked,
    .columns = inquiry_scalars,
    .n_columns = sizeof inquiry_scalars / sizeof *inquiry_scalars,
};

static const struct usage_rank *rank_of(const void *row)
{
    return &((const struct ranked_row *)row)->rank;
}

static bool rank_pid(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, (uint64_t)rank_of(row)->pid);
}

static bool rank_name(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, rank_of(row)->name);
}

static bool rank_owner(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, rank_of(row)->owner);
}

static bool rank_cpu(const struct view *view, const void *row, struct mib_value *value)
{
    return view->ranked->span_ns > 0 && give_number(value, rank_of(row)->cpu_milli);
}

static bool rank_time(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, rank_of(row)->cpu_ms);
}

static bool rank_memory(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, rank_of(row)->memory_kb);
}

static bool rank_threads(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, rank_of(row)->threads);
}

static const struct index *ranks(const struct view *view)
{
    return &view->ranked->rows;
}

static const struct column rank_columns[] = {
    {MIB_dcampProcessRankPid, rank_pid, NULL},
    {MIB_dcampProcessRankName, rank_name, NULL},
    {MIB_dcampProcessRankOwner, rank_owner, NULL},
    {MIB_dcampProcessRankCpu, rank_cpu, NULL},
    {MIB_dcampProcessRankTime, rank_time, NULL},
    {MIB_dcampProcessRankMemory, rank_memory, NULL},
    {MIB_dcampProcessRankThreads, rank_threads, NULL},
};

const struct table table_process_rank = {
    .object = MIB_dcampProcessRankTable,
    .rows = ranks,
    .touched = rank_asked,
    .columns = rank_columns,
    .n_columns = sizeof rank_columns / sizeof *rank_columns,
};
