#include "agent/row_error.h"

#include <string.h>

#include "base/text.h"
#include "config/fault.h"
#include "agent/view.h"
#include "series/measure.h"
#include "watch/watches.h"
#include "children/children.h"
#include "rollup/aggregates.h"

/* A series that waits or has a gap counts as one with a value, because it had one or will have
 * one. */
static bool has_any_value(const struct sensor *sensor)
{
    const struct series *series = sensor->series;
    while (series && series->result.state == RESULT_UNAVAILABLE)
        series = series->next;
    return series != NULL;
}

/* Says why series have no value. */
static void lack_error(const struct sensor *sensor, char text[FAULT_SIZE])
{
    size_t lacking[LACK_RIGHT + 1] = {0};
    for (const struct series *series = sensor->series; series; series = series->next)
        if (series->result.state == RESULT_UNAVAILABLE)
            lacking[series->lack]++;
    if (lacking[LACK_RIGHT])
        text_format(text, FAULT_SIZE,
                    "%zu of %u instances: what processes of other users read and write is shown to "
                    "who has CAP_SYS_PTRACE only; see dcamp.xml(5)",
                    lacking[LACK_RIGHT], sensor->n_series);
    else if (has_any_value(sensor))
        return;
    else if (lacking[LACK_PROCESS])
        text_format(text, FAULT_SIZE,
                    "no process: nothing of instances=\"%s\" has run since dcampd began to look",
                    sensor->row.instances);
    else if (lacking[LACK_BASE])
        text_format(
            text, FAULT_SIZE,
            "it is a share of what this machine has none of, as of swap space: the whole is 0");
    else
        text_format(text, FAULT_SIZE, "nothing of instances=\"%s\" is there at present",
                    sensor->row.instances);
}

static void sensor_error(const struct view *view, const struct row *row, char text[FAULT_SIZE])
{
    const struct sensor *sensor = measure_find(view->measure, row->name);
    if (!sensor || !sensor->sampled)
        return;
    if (sensor->error && sensor->metric)
        text_format(text, FAULT_SIZE, "its source cannot be read: %s", strerror(sensor->error));
    else if (!sensor->series)
        text_format(text, FAULT_SIZE, "instances=\"%s\" matches nothing that is there",
                    sensor->row.instances);
    else
        lack_error(sensor, text);
}

static bool is_on_child(const struct watch_rule *rule, const struct child *child)
{
    return rule_is_on_node(rule, child->name, child->group);
}

static bool is_on_any_child(const struct view *view, const struct watch_rule *rule)
{
    const struct index *children = &view->children->index;
    struct index_node *node = index_first(children);
    while (node && !is_on_child(rule, (const struct child *)node))
        node = index_next(node);
    return node != NULL;
}

static void threshold_error(const struct view *view, const struct row *row, char text[FAULT_SIZE])
{
    const struct watch_rule *rule = watches_find(view->watches, row->name);
    if (!rule || rule->watches)
        return;
    const struct threshold_row *of = &rule->row;
    if (rule->of_children && !is_on_any_child(view, rule))
        text_format(text, FAULT_SIZE, "children=\"%s\" groups=\"%s\" matches no child",
                    of->children, of->groups);
    else if (rule->of_children)
        text_format(text, FAULT_SIZE, "no child reports instances=\"%s\" of sensor=\"%s\"",
                    of->instances, of->sensor);
    else
        text_format(text, FAULT_SIZE, "instances=\"%s\" matches no series of sensor=\"%s\"",
                    of->instances, of->sensor);
}

static void aggregate_error(const struct view *view, const struct row *row, char text[FAULT_SIZE])
{
    const struct aggregate_row *rule = (const struct aggregate_row *)row;
    const struct rollup *rollup = aggregates_find(view->aggregates, row->name);
    if (measure_find(view->measure, row->name))
        text_format(text, FAULT_SIZE, "a sensor has the same name; give it another");
    else if (rollup && !rollup->values)
        text_format(text, FAULT_SIZE,
                    "no child that it is over reports instances=\"%s\" of "
                    "sensor=\"%s\"",
                    rule->instances, rule->sensor);
}

static void condition_error(const struct view *view, const struct row *row, char text[FAULT_SIZE])
{
    const struct condition_row *rule = (const struct condition_row *)row;
    const struct index *thresholds = &view->config->rows[ROW_THRESHOLD];
    char hint[NAME_SIZE + 32];
    struct index_node *node = index_first(thresholds);
    while (node && !text_matches(rule->thresholds, ((const struct row *)node)->name))
        node = index_next(node);
    if (node)
        return;
    fault_hint(view->config, ROW_THRESHOLD, rule->thresholds, hint);
    text_format(text, FAULT_SIZE, "thresholds=\"%s\" matches no threshold of this node; %s",
                rule->thresholds, hint);
}

bool give_error(const struct view *view, const void *row, struct mib_value *value)
{
    static void (*const errors[ROW_KINDS])(const struct view *view, const struct row *row,
                                           char text[FAULT_SIZE]) = {
        [ROW_SENSOR] = sensor_error,
        [ROW_THRESHOLD] = threshold_error,
        [ROW_AGGREGATE] = aggregate_error,
        [ROW_CONDITION] = condition_error,
    };
    const struct row *own = row;
    char text[FAULT_SIZE] = "";
    if (own->status == ROW_ACTIVE && !fault_of_references(view->config, own, "node", text) &&
        errors[own->kind])
        errors[own->kind](view, own, text);
    text_format(value->room, sizeof value->room, "%s", text);
    return give_text(value, value->room);
}
