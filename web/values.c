/* Values of a series, and what changed at a moment: the answers that read curves (publish/curve.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "publish/curve.h"
#include "publish/database.h"
#include "publish/history.h"
#include "web/changes.h"
#include "web/question.h"

#define NODES_MAX 32
#define POINTS_MOST 5000
#define VALUES_MOST 100000 /* in an answer: each takes up to a kilobyte while it is made */
#define RANGE_MS HOUR_MS

static const char *const tiers[] = {
    [CURVE_ANY] = "any", [CURVE_RAW] = "raw", [CURVE_MINUTES] = "minutes", [CURVE_HOURS] = "hours"};

/* -- Values ----------------------------------------------------------------------------------- */

/* A gap has a time only. */
static json_t *value_object(const struct curve_slot *slot)
{
    const struct statistics_window *window = &slot->window;
    if (window->count == 0)
        return json_pack("{s:I, s:n}", "t", (json_int_t)slot->start_ms, "value");
    return json_pack("{s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "t",
                     (json_int_t)slot->start_ms, "value", question_number(window->mean), "min",
                     question_number(window->min), "max", question_number(window->max), "count",
                     (json_int_t)window->count, "p10", question_number(curve_quantile(slot, 0.1)),
                     "p50", question_number(curve_quantile(slot, 0.5)), "p90",
                     question_number(curve_quantile(slot, 0.9)), "p99",
                     question_number(curve_quantile(slot, 0.99)));
}

static enum curve_tier tier_of(struct request *request)
{
    const char *text = request_text(request, "tier", "any");
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
        if (strcmp(tiers[i], text) == 0)
            return (enum curve_tier)i;
    request_fail(request, "tier=%.40s: expected any, raw, minutes or hours", text);
    return CURVE_ANY;
}

/* The series as publish/follow.h knows it, of the first of the nodes that has it. */
static const struct follow_series *known_series(const struct question *question,
                                                const struct curve_question *of)
{
    for (size_t i = 0; i < of->n_paths; i++) {
        size_t place = follow_find(question->follow, of->paths[i], of->sensor, of->instance);
        if (place != SIZE_MAX)
            return follow_series(question->follow, place);
    }
    return NULL;
}

static json_t *curve_object(const struct question *question, const struct curve_question *of,
                            const struct curve *curve)
{
    const struct follow_series *known = known_series(question, of);
    json_t *values = json_array(), *nodes = json_array();
    for (size_t i = 0; i < curve->n; i++)
        json_array_append_new(values, value_object(&curve->slots[i]));
    for (size_t i = 0; i < of->n_paths; i++)
        json_array_append_new(nodes, question_text(of->paths[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:o}", "nodes", nodes, "sensor",
                     question_text(of->sensor), "instance", question_text(of->instance), "metric",
                     question_text(known ? known->metric : ""), "unit",
                     question_text(known ? known->unit : ""), "tier", tiers[curve->tier], "step",
                     (json_int_t)curve->step_ms, "values", values);
}

/* False: a node is not there, or too many are asked for. */
static bool take_nodes(struct question *question, const char *paths[NODES_MAX], size_t *n)
{
    size_t place = 0;
    const char *text;
    *n = 0;
    while ((text = request_each(question->request, "node", &place))) {
        if (*n == NODES_MAX) {
            request_fail(question->request, "more than %d nodes", NODES_MAX);
            return false;
        }
        const char *path = question_node(question, text);
        if (!path)
            return false;
        paths[(*n)++] = path;
    }
    if (*n == 0)
        paths[(*n)++] = "";
    return true;
}

static json_t *read_values(struct question *question, const struct curve_question *of)
{
    struct curve curve = {0};
    bool has_read = question_has_read(question, curve_read(question->history, of, &curve));
    json_t *answer = NULL;
    if (has_read && curve.n > VALUES_MOST)
        question_failed(question, E2BIG);
    else if (has_read && curve.n_values == 0 && !known_series(question, of))
        question_no_series(question, of->sensor, of->instance);
    else if (has_read)
        answer = curve_object(question, of, &curve);
    curve_release(&curve);
    return answer;
}

json_t *answer_values(struct question *question)
{
    struct request *request = question->request;
    const char *paths[NODES_MAX];
    struct curve_question of = {.paths = paths, .has_quantiles = true};
    if (!take_nodes(question, paths, &of.n_paths))
        return NULL;
    of.sensor = request_text(request, "sensor", NULL);
    of.instance = request_text(request, "instance", "");
    of.tier = tier_of(request);
    of.most = (size_t)request_number(request, "points", 0, POINTS_MOST, 0);
    request_range(request, RANGE_MS, &of.from_ms, &of.to_ms);
    if (!of.sensor)
        request_fail(request, "sensor is missing");
    return request_end(request) ? read_values(question, &of) : NULL;
}

/* -- Changes ----------------------------------------------------------------------------------- */

#define EXAMINED_MAX 4000   /* series */
#define EXAMINE_NS NS_PER_S /* the longest that others wait for an answer */
#define CHANGES_MAX 200

/* What is asked about a moment. */
struct moment_question {
    const char *node, *sensor; /* their series come first; NULL: none */
    int64_t at_ms, window_ms;
};

/* Reads minutes: all series have them, and they are read fastest. False: the question has failed.
 */
static bool window_of(struct question *question, const struct follow_series *series,
                      int64_t from_ms, int64_t to_ms, struct statistics_window *window)
{
    const struct curve_question of = {.paths = &series->node->path,
                                      .n_paths = 1,
                                      .sensor = series->sensor,
                                      .instance = series->instance,
                                      .from_ms = from_ms,
                                      .to_ms = to_ms,
                                      .tier = CURVE_MINUTES};
    struct curve curve = {0};
    bool has_read = question_has_read(question, curve_read(question->history, &of, &curve));
    int error = has_read ? curve_total(&curve, window) : 0;
    if (error)
        question_failed(question, error);
    curve_release(&curve);
    return has_read && !error;
}

/* False: the question has failed. */
static bool examine(struct question *question, const struct moment_question *moment, size_t place,
                    struct changes *changes)
{
    const struct follow_series *series = follow_series(question->follow, place);
    struct statistics_window before = {0}, after = {0};
    bool good =
        window_of(question, series, moment->at_ms - moment->window_ms, moment->at_ms - 1,
                  &before) &&
        window_of(question, series, moment->at_ms, moment->at_ms + moment->window_ms, &after);
    if (good)
        changes_take(changes, &(struct change){.series = place,
                                               .before = before.mean,
                                               .after = after.mean,
                                               .score = changes_score(&before, &after)});
    statistics_window_release(&before);
    statistics_window_release(&after);
    return good;
}

/* The series of the node come first, then the same sensor of other nodes, then all others. */
static int order_of(const struct moment_question *moment, const struct follow_series *series)
{
    if (moment->node && strcmp(series->node->path, moment->node) == 0)
        return 0;
    return moment->sensor && strcmp(series->sensor, moment->sensor) == 0 ? 1 : 2;
}

/* False: the question has failed. */
static bool examine_all(struct question *question, const struct moment_question *moment,
                        struct changes *changes, size_t *examined)
{
    uint64_t end_ns = clock_mono_ns() + EXAMINE_NS;
    *examined = 0;
    for (int order = 0; order < 3; order++)
        for (size_t i = 0; i < follow_n_series(question->follow); i++) {
            if (*examined == EXAMINED_MAX || clock_mono_ns() >= end_ns)
                return true;
            if (order_of(moment, follow_series(question->follow, i)) != order)
                continue;
            if (!examine(question, moment, i, changes))
                return false;
            ++*examined;
        }
    return true;
}

static json_t *change_object(const struct question *question, const struct change *change)
{
    const struct follow_series *series = follow_series(question->follow, change->series);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "node", question_text(series->node->path), "sensor",
        question_text(series->sensor), "instance", question_text(series->instance), "unit",
        question_text(series->unit), "before", question_number(change->before), "after",
        question_number(change->after), "score", question_number(change->score));
}

static json_t *read_changes(struct question *question, const struct moment_question *moment,
                            size_t most)
{
    struct change list[CHANGES_MAX];
    struct changes changes = {.list = list, .room = most};
    size_t examined;
    if (!examine_all(question, moment, &changes, &examined))
        return NULL;
    json_t *answer = json_array();
    for (size_t i = 0; i < changes.n; i++)
        json_array_append_new(answer, change_object(question, &list[i]));
    return json_pack("{s:I, s:I, s:o}", "examined", (json_int_t)examined, "series",
                     (json_int_t)follow_n_series(question->follow), "changes", answer);
}

json_t *answer_changes(struct question *question)
{
    struct request *request = question->request;
    struct moment_question moment = {0};
    const char *node = request_text(request, "node", NULL);
    if (node && !(moment.node = question_node(question, node)))
        return NULL;
    moment.sensor = request_text(request, "sensor", NULL);
    moment.at_ms = request_time(request, "at", request->now_ms);
    moment.window_ms = MINUTE_MS * request_number(request, "minutes", 1, 1440, 15);
    size_t most = (size_t)request_number(request, "n", 1, CHANGES_MAX, 25);
    return request_end(request) ? read_changes(question, &moment, most) : NULL;
}
