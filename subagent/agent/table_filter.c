/* dcampFilterTable. */
#include <string.h>

#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "series/measure.h"
#include "children/children.h"
#include "rollup/aggregates.h"

static uint64_t sum_of_objects(const struct view *view, const char *name, bool passed)
{
    const struct polled_object *object = view->children->objects;
    uint64_t total = 0;
    for (; object; object = object->hh.next)
        if (strcmp(object->row.filter, name) == 0)
            total += passed ? object->passed : object->held;
    return total;
}

/* Sums a counter over all sensors and aggregates that use the filter. */
static uint64_t sum(const struct view *view, const void *row, size_t counter, size_t other)
{
    const char *name = ((const struct row *)row)->name;
    uint64_t total = 0;
    for (struct index_node *node = index_first(&view->aggregates->index); node;
         node = index_next(node)) {
        const struct rollup *running = (struct rollup *)node;
        if (strcmp(running->row.filter, name) == 0)
            total += *(const uint64_t *)(const void *)((const char *)running + other);
    }
    for (struct index_node *node = index_first(&view->measure->sensors); node;
         node = index_next(node)) {
        const struct sensor *sensor = (struct sensor *)node;
        if (strcmp(sensor->row.filter, name) == 0)
            total += *(const uint64_t *)(const void *)((const char *)sensor + counter);
    }
    return total;
}

static bool passed(const struct view *view, const void *row, struct mib_value *value)
{
    const char *name = ((const struct row *)row)->name;
    return give_number(value, sum_of_objects(view, name, true) +
                                  sum(view, row, offsetof(struct sensor, passed),
                                      offsetof(struct rollup, passed)));
}

static bool held(const struct view *view, const void *row, struct mib_value *value)
{
    const char *name = ((const struct row *)row)->name;
    return give_number(
        value, sum_of_objects(view, name, false) +
                   sum(view, row, offsetof(struct sensor, held), offsetof(struct rollup, held)));
}

/* A change of the configuration may change who uses the filter, and so what the sums are over. */
static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_stamp(view, value, view->applied_ns);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_FILTER];
}

static const struct column columns[] = {
    {MIB_dcampFilterThrottle, NULL, "throttle"},
    {MIB_dcampFilterHeartbeat, NULL, "heartbeat"},
    {MIB_dcampFilterDeadband, NULL, "deadband"},
    {MIB_dcampFilterDeadbandPercent, NULL, "deadband-percent"},
    {MIB_dcampFilterGate, NULL, "gate"},
    {MIB_dcampFilterGateLimit, NULL, "gate-limit"},
    {MIB_dcampFilterPassed, passed, NULL},
    {MIB_dcampFilterHeld, held, NULL},
    {MIB_dcampFilterSince, since, NULL},
    {MIB_dcampFilterStorageType, give_storage, NULL},
    {MIB_dcampFilterRowStatus, give_status, NULL},
};

const struct table table_filter = {
    .object = MIB_dcampFilterTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_FILTER,
};
