#include "web/api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "publish/database.h"
#include "publish/history.h"
#include "web/question.h"
#include "web/table.h"

/* How often the files are listed anew, and how often at most new values are read for answers. */
#define LIST_MS MINUTE_MS
#define STEP_MS 500

struct api {
    const char *directory;
    struct history *history; /* NULL: it could not be opened */
    int64_t opened_ms, stepped_ms;
    int error; /* why it could not be opened or read */
    struct follow *follow;
    follow_point_fn *each; /* who listens; NULL: nobody */
    void *context;
};

static const struct route {
    const char *path;
    question_fn *answer;
    bool is_table; /* a table for spreadsheets */
} routes[] = {
    {"/api/v1/status", answer_status, false},    {"/api/v1/nodes", answer_nodes, false},
    {"/api/v1/series", answer_series, false},    {"/api/v1/sensors", answer_sensors, false},
    {"/api/v1/top", answer_top, false},          {"/api/v1/values", answer_values, false},
    {"/api/v1/values.csv", answer_values, true}, {"/api/v1/changes", answer_changes, false},
    {"/api/v1/alarms", answer_alarms, false},    {"/api/v1/analysis", answer_analysis, false},
};

static const struct route *find_route(const char *path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(routes[i].path, path) == 0)
            return &routes[i];
    return NULL;
}

bool api_has(const char *path)
{
    return find_route(path) != NULL;
}

struct api *api_open(const char *directory)
{
    struct api *api = calloc(1, sizeof *api);
    if (!api)
        return NULL;
    api->directory = directory;
    api->follow = follow_open();
    if (api->follow)
        return api;
    free(api);
    return NULL;
}

void api_close(struct api *api)
{
    if (!api)
        return;
    if (api->history)
        history_close(api->history);
    follow_close(api->follow);
    free(api);
}

/* A clock that was set back must not keep old files open. */
static void list_files(struct api *api, int64_t now_ms)
{
    int64_t age_ms = now_ms - api->opened_ms;
    if (api->history && age_ms >= 0 && age_ms < LIST_MS)
        return;
    if (api->history)
        history_close(api->history);
    api->history = history_open(api->directory, &api->error);
    api->opened_ms = now_ms;
}

void api_listen(struct api *api, follow_point_fn *each, void *context)
{
    api->each = each;
    api->context = context;
}

bool api_step(struct api *api, int64_t now_ms)
{
    list_files(api, now_ms);
    if (api->history)
        api->error = follow_step(api->follow, api->history, now_ms, api->each, api->context);
    api->stepped_ms = now_ms;
    return api->history && !api->error;
}

const struct follow *api_follow(const struct api *api)
{
    return api->follow;
}

static struct question question_of(struct api *api, struct request *request)
{
    return (struct question){.request = request,
                             .history = api->history,
                             .follow = api->follow,
                             .directory = api->directory,
                             .fault = !api->error    ? ""
                                      : api->history ? history_fault(api->history)
                                                     : strerror(api->error),
                             .status = 400};
}

const char *api_path(const struct api *api, const char *text)
{
    const struct follow_node *node = question_find(api->follow, text);
    return node ? node->path : text;
}

/* Puts the warning into the answer. A spreadsheet has no place for one, so that is a failure: NULL.
 */
static json_t *warn(struct question *question, json_t *answer, bool is_table)
{
    if (!answer || !question->warning[0])
        return answer;
    if (!is_table && json_object_set_new(answer, "warning", question_text(question->warning)) == 0)
        return answer;
    json_decref(answer);
    return is_table ? question_fail(question, 503, "%s", question->warning)
                    : question_fail(question, 507, "out of memory");
}

char *api_answer(struct api *api, struct request *request, unsigned *status, const char **type)
{
    const struct route *route = find_route(request->path);
    int64_t age_ms = request->now_ms - api->stepped_ms;
    if (age_ms < 0 || age_ms >= STEP_MS)
        api_step(api, request->now_ms);
    struct question question = question_of(api, request);
    json_t *answer = NULL;
    if (api->history)
        answer = warn(&question, route->answer(&question), route->is_table);
    else
        question_fail(&question, 503, "%s: %s", api->directory, strerror(api->error));
    char *text = NULL;
    if (answer)
        text = route->is_table ? table_of(answer)
                               : json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (answer && !text)
        question_fail(&question, 507, "out of memory");
    json_decref(answer);
    *status = question.status;
    *type = route->is_table ? "text/csv; charset=utf-8; header=present" : "application/json";
    return text;
}
