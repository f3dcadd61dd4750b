/* dcampResourceTable and dcampProcessTable. */
#include "agent/tables.h"
#include "agent/view.h"
#include "daemon/inventory.h"

/* The core scans while somebody reads. */
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
