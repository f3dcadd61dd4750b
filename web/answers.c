/* What there is, and its latest values: the answers that publish/follow.h gives. */
#include <stdlib.h>
#include <string.h>

#include "publish/alarms.h"
#include "publish/catalog.h"
#include "publish/database.h"
#include "publish/history.h"
#include "report/report.h"
#include "web/question.h"

#define TOP_SENSORS 3 /* that are shown if none is chosen */
#define TOP_MAX 1000
#define SERIES_MAX 1000

/* -- Status and nodes ------------------------------------------------------------------------ */

/* "" is the path of the node that publishes. */
static const char *own_name(const struct follow *follow)
{
    for (size_t i = 0; i < follow_n_nodes(follow); i++)
        if (!follow_node(follow, i)->path[0])
            return follow_node(follow, i)->name;
    return "";
}

json_t *answer_status(struct question *question)
{
    if (!request_end(question->request))
        return NULL;
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:I}", "version", PACKAGE_VERSION, "node",
                     question_text(own_name(question->follow)), "directory",
                     question_text(question->directory), "error", question_text(question->fault),
                     "now", (json_int_t)question->request->now_ms, "nodes",
                     (json_int_t)follow_n_nodes(question->follow), "series",
                     (json_int_t)follow_n_series(question->follow));
}

static bool is_silent(const struct question *question, const struct follow_node *node)
{
    return question->request->now_ms - node->came_ms > QUESTION_SILENT_MS;
}

/* Whether its latest value still holds now. An instance that is gone does not report its end. */
static bool is_present(const struct question *question, const struct follow_series *series)
{
    return series->latest.result.state == RESULT_VALID && !is_silent(question, series->node) &&
           question->request->now_ms - series->latest.wall_ms <= QUESTION_PRESENT_MS;
}

/* How many alarms a node has, by severity. */
struct alarm_counts {
    int info, warning, critical;
};

/* The list is ordered by path: the alarms of a node stand together, and are found by bisection. */
static struct alarm_counts count_alarms(const struct alarm_list *alarms, const char *path)
{
    struct alarm_counts counts = {0};
    size_t low = 0, high = alarms->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(alarms->list[middle].text[ALARM_PATH], path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < alarms->n && strcmp(alarms->list[low].text[ALARM_PATH], path) == 0; low++) {
        uint32_t severity = alarms->list[low].severity;
        counts.info += severity == REPORT_SEVERITY_MIN;
        counts.critical += severity == REPORT_SEVERITY_MAX;
        counts.warning += severity > REPORT_SEVERITY_MIN && severity < REPORT_SEVERITY_MAX;
    }
    return counts;
}

/* The worst of its alarms, or that it has not been heard of. */
static const char *state_of(const struct question *question, const struct follow_node *node,
                            const struct alarm_counts *counts)
{
    if (counts->critical > 0)
        return "critical";
    if (is_silent(question, node))
        return "silent";
    return counts->warning > 0 ? "warning" : counts->info > 0 ? "info" : "ok";
}

static json_t *node_object(const struct question *question, const struct follow_node *node,
                           const struct alarm_list *alarms)
{
    struct alarm_counts counts = count_alarms(alarms, node->path);
    return json_pack("{s:o, s:o, s:o, s:I, s:s, s:b, s:{s:i, s:i, s:i}}", "path",
                     question_text(node->path), "name", question_text(node->name), "group",
                     question_text(node->group), "last", (json_int_t)node->came_ms, "state",
                     state_of(question, node, &counts), "silent", (int)is_silent(question, node),
                     "alarms", "info", counts.info, "warning", counts.warning, "critical",
                     counts.critical);
}

json_t *answer_nodes(struct question *question)
{
    struct alarm_list alarms;
    if (!request_end(question->request))
        return NULL;
    int64_t now_ms = question->request->now_ms;
    int error = alarms_read(question->history, now_ms, now_ms, true, &alarms);
    if (!question_has_read(question, error)) {
        alarms_release(&alarms);
        return NULL;
    }
    json_t *nodes = json_array();
    for (size_t i = 0; i < follow_n_nodes(question->follow); i++)
        json_array_append_new(nodes,
                              node_object(question, follow_node(question->follow, i), &alarms));
    alarms_release(&alarms);
    return json_pack("{s:o}", "nodes", nodes);
}

/* -- Alarms ----------------------------------------------------------------------------------- */

static const char *severity_word(uint32_t severity)
{
    return severity >= REPORT_SEVERITY_MAX   ? "critical"
           : severity <= REPORT_SEVERITY_MIN ? "info"
                                             : "warning";
}

static json_t *alarm_object(const struct alarm_span *span)
{
    static const char *const names[ALARM_TEXTS] = {"node",    "key",         "name",  "threshold",
                                                   "sensor",  "instance",    "value", "limit",
                                                   "message", "acknowledged"};
    json_t *object = json_pack("{s:s, s:I}", "severity", severity_word(span->severity), "since",
                               (json_int_t)span->since_ms);
    for (size_t i = 0; i < ALARM_TEXTS; i++)
        json_object_set_new(object, names[i], question_text(span->text[i]));
    json_object_set_new(object, "until",
                        span->cleared_ms ? json_integer(span->cleared_ms) : json_null());
    return object;
}

json_t *answer_alarms(struct question *question)
{
    struct request *request = question->request;
    struct alarm_list alarms;
    int64_t from_ms, to_ms;
    bool only_active = request_number(request, "active", 0, 1, 0) == 1;
    request_range(request, only_active ? request->now_ms : DAY_MS, &from_ms, &to_ms);
    if (!request_end(request))
        return NULL;
    int error = alarms_read(question->history, from_ms, to_ms, only_active, &alarms);
    bool has_read = question_has_read(question, error);
    json_t *list = has_read ? json_array() : NULL;
    for (size_t i = 0; has_read && i < alarms.n; i++)
        json_array_append_new(list, alarm_object(&alarms.list[i]));
    alarms_release(&alarms);
    return has_read ? json_pack("{s:o}", "alarms", list) : NULL;
}

/* -- Series ------------------------------------------------------------------------------------ */

/* The series with its latest value; null where it has none, or where that is too old. */
static json_t *series_object(const struct question *question, const char *path,
                             const struct catalog_series *series)
{
    const struct follow *follow = question->follow;
    size_t place = follow_find(follow, path, series->sensor, series->instance);
    const struct follow_series *known = place == SIZE_MAX ? NULL : follow_series(follow, place);
    json_t *value = known && is_present(question, known)
                        ? question_number(known->latest.result.value)
                        : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "sensor", question_text(series->sensor),
                     "instance", question_text(series->instance), "metric",
                     question_text(series->metric), "unit", question_text(series->unit), "first",
                     (json_int_t)series->first_ms, "last", (json_int_t)series->last_ms, "value",
                     value);
}

json_t *answer_series(struct question *question)
{
    const char *text = request_text(question->request, "node", "");
    if (!request_end(question->request))
        return NULL;
    const char *path = question_node(question, text);
    if (!path)
        return NULL;
    struct catalog_series_list list = {0};
    bool has_read = question_has_read(question, catalog_series(question->history, path, &list));
    json_t *series = has_read ? json_array() : NULL;
    for (size_t i = 0; has_read && i < list.n; i++)
        json_array_append_new(series, series_object(question, path, &list.list[i]));
    catalog_series_release(&list);
    return has_read ? json_pack("{s:o}", "series", series) : NULL;
}

/* -- Sensors and who has most of them -------------------------------------------------------- */

struct sensor {
    const char *name, *unit;
};
struct sensors {
    struct sensor *list;
    size_t n;
};

static int order_sensors(const void *a, const void *b)
{
    return strcmp(((const struct sensor *)a)->name, ((const struct sensor *)b)->name);
}

/* Lists each sensor once, ordered by name. False: no memory. */
static bool list_sensors(const struct follow *follow, struct sensors *sensors)
{
    size_t all = follow_n_series(follow), n = 0;
    sensors->n = 0;
    sensors->list = calloc(all + 1, sizeof *sensors->list);
    if (!sensors->list)
        return false;
    for (size_t i = 0; i < all; i++) {
        const struct follow_series *series = follow_series(follow, i);
        sensors->list[i] = (struct sensor){series->sensor, series->unit};
    }
    qsort(sensors->list, all, sizeof *sensors->list, order_sensors);
    for (size_t i = 0; i < all; i++)
        if (n == 0 || strcmp(sensors->list[n - 1].name, sensors->list[i].name) != 0)
            sensors->list[n++] = sensors->list[i];
    sensors->n = n;
    return true;
}

json_t *answer_sensors(struct question *question)
{
    struct sensors sensors;
    if (!request_end(question->request))
        return NULL;
    if (!list_sensors(question->follow, &sensors))
        return question_fail(question, 507, "out of memory");
    json_t *names = json_array();
    for (size_t i = 0; i < sensors.n; i++)
        json_array_append_new(names, question_text(sensors.list[i].name));
    free(sensors.list);
    return json_pack("{s:o}", "sensors", names);
}

static int order_values(const void *a, const void *b)
{
    double one = (*(const struct follow_series *const *)a)->latest.result.value;
    double other = (*(const struct follow_series *const *)b)->latest.result.value;
    return (one < other) - (one > other);
}

/* The series of a sensor that have a value now, the largest first. NULL: no memory. */
static const struct follow_series **rank(const struct question *question, const char *sensor,
                                         size_t *n)
{
    const struct follow *follow = question->follow;
    const struct follow_series **ranked = calloc(follow_n_series(follow) + 1, sizeof *ranked);
    *n = 0;
    for (size_t i = 0; ranked && i < follow_n_series(follow); i++) {
        const struct follow_series *series = follow_series(follow, i);
        if (strcmp(series->sensor, sensor) == 0 && is_present(question, series))
            ranked[(*n)++] = series;
    }
    if (ranked)
        qsort(ranked, *n, sizeof *ranked, order_values);
    return ranked;
}

static json_t *top_object(const struct question *question, const struct sensor *sensor, size_t most)
{
    size_t n;
    const struct follow_series **ranked = rank(question, sensor->name, &n);
    json_t *values = ranked ? json_array() : NULL;
    for (size_t i = 0; ranked && i < n && i < most; i++)
        json_array_append_new(values, json_pack("{s:o, s:o, s:I, s:o}", "node",
                                                question_text(ranked[i]->node->path), "instance",
                                                question_text(ranked[i]->instance), "t",
                                                (json_int_t)ranked[i]->latest.wall_ms, "value",
                                                question_number(ranked[i]->latest.result.value)));
    free(ranked);
    return json_pack("{s:o, s:o, s:o}", "sensor", question_text(sensor->name), "unit",
                     question_text(sensor->unit), "values", values);
}

/* Percentages come first: they can be compared from node to node. */
static bool is_wanted(const struct sensor *sensor, const char *name, bool percents)
{
    return name ? strcmp(sensor->name, name) == 0 : (strcmp(sensor->unit, "%") == 0) == percents;
}

json_t *answer_top(struct question *question)
{
    const char *name = request_text(question->request, "sensor", NULL);
    size_t n = (size_t)request_number(question->request, "n", 1, TOP_MAX, 10);
    struct sensors sensors;
    if (!request_end(question->request))
        return NULL;
    if (!list_sensors(question->follow, &sensors))
        return question_fail(question, 507, "out of memory");
    json_t *tops = json_array();
    for (int pass = 0; pass < (name ? 1 : 2); pass++)
        for (size_t i = 0; i < sensors.n && json_array_size(tops) < TOP_SENSORS; i++)
            if (is_wanted(&sensors.list[i], name, pass == 0))
                json_array_append_new(tops, top_object(question, &sensors.list[i], n));
    free(sensors.list);
    return json_pack("{s:o}", "top", tops);
}
