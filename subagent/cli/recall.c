#include "cli/recall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "publish/history.h"

/* How many of the existing names are told at most. */
#define TOLD_MAX 10

/* -- What is said ---------------------------------------------------------------------------- */

/* Says something about a text that somebody else has chosen. Always false. */
static bool fail_with(struct question *question, enum exit_status status, const char *text)
{
    char *clean = sheet_clean(text, strlen(text));
    if (!clean)
        return question_no_memory(question);
    question_fail(question, status, "%s", clean);
    free(clean);
    return false;
}

static enum exit_status status_of(int error)
{
    return error == EACCES || error == EPERM     ? EXIT_REFUSED
           : error == ENOENT || error == ENOTDIR ? EXIT_USAGE
                                                 : EXIT_BROKEN;
}

bool recall_check(struct recall *recall, int error)
{
    struct question *question = recall->question;
    const char *fault = history_fault(recall->history);
    if (error == 0)
        return true;
    if (error == ENOMEM)
        return question_no_memory(question);
    if (error == E2BIG)
        return question_fail(question, EXIT_USAGE,
                             "that is too much at once: a shorter range, or a longer --step");
    if (question->status == EXIT_GOOD)
        question_fail(question, EXIT_CUT, "%s; what it has is missing here",
                      *fault ? fault : strerror(error));
    return true;
}

const char *recall_name(const struct catalog_node *node)
{
    return *node->path ? node->path : node->name;
}

/* -- Files ----------------------------------------------------------------------------------- */

static bool open_directory(struct recall *recall, const char *directory)
{
    int error;
    text_format(recall->directory, sizeof recall->directory, "%s", directory);
    recall->history = history_open(directory, &error);
    if (error == ENOMEM)
        return question_no_memory(recall->question);
    if (!recall->history)
        return question_fail(recall->question, status_of(error), "%s: %s", directory,
                             strerror(error));
    if (!recall_check(recall, catalog_nodes(recall->history, &recall->nodes)))
        return false;
    if (recall->nodes.n > 0)
        return true;
    if (recall->question->status != EXIT_GOOD) {
        recall->question->status = EXIT_BROKEN;
        return false;
    }
    return question_fail(recall->question, EXIT_USAGE, "%s: there is no history yet", directory);
}

/* -- Where a node has them ------------------------------------------------------------------- */

#define SINKS_MAX 16 /* of the kind that writes a history */

struct sinks {
    char names[SINKS_MAX][NAME_SIZE];
    size_t n;
};

/* A client_take. */
static bool take_kind(void *context, const struct cell *cell)
{
    struct sinks *sinks = context;
    size_t at = 0;
    if (cell->kind == CELL_TEXT && strcmp(cell->text, "sqlite") == 0 && sinks->n < SINKS_MAX &&
        cell_index_text(cell, &at, sinks->names[sinks->n], NAME_SIZE))
        sinks->n++;
    return true;
}

/* Whether the files in that directory are those of the node with that name: this machine may have a
 * directory at the same path as the node. */
static bool is_of(const struct recall *recall, const char *name)
{
    for (size_t i = 0; i < recall->nodes.n; i++)
        if (!*recall->nodes.list[i].path && strcmp(recall->nodes.list[i].name, name) == 0)
            return true;
    return false;
}

static bool open_location(struct recall *recall, const struct cell *name, const struct cell *place)
{
    const char *directory = place->text_len > 0 ? place->text : DCAMP_PUBLISH_STATE_DIR "/history";
    char text[2 * MESSAGE_SIZE + 200];
    int error;
    text_format(recall->directory, sizeof recall->directory, "%s", directory);
    recall->history = history_open(directory, &error);
    if (error == ENOMEM)
        return question_no_memory(recall->question);
    if (error == EACCES) {
        text_format(text, sizeof text, "%s: %s", directory, strerror(error));
        return fail_with(recall->question, EXIT_REFUSED, text);
    }
    if (recall->history && !recall_check(recall, catalog_nodes(recall->history, &recall->nodes)))
        return false;
    if (recall->history && is_of(recall, name->text))
        return true;
    text_format(text, sizeof text,
                "the history of %s is not on this machine: on its own, \"dcamp history --directory "
                "%s\" reads it",
                name->text, directory);
    return fail_with(recall->question, EXIT_USAGE, text);
}

/* If there are several, the first one is opened. */
static bool open_of_node(struct recall *recall)
{
    struct question *question = recall->question;
    struct sinks sinks = {.n = 0};
    struct cell kinds, cells[2];
    cell_start(&kinds, MIB_dcampSinkKind);
    if (!question_is_dcamp(question) || !question_walk(question, &kinds, 4, take_kind, &sinks))
        return false;
    if (sinks.n == 0)
        return question_fail(question, EXIT_USAGE,
                             "the node keeps no history: it has no sink of the kind sqlite");
    cell_scalar(&cells[0], MIB_dcampNodeName);
    cell_start(&cells[1], MIB_dcampSinkLocation);
    cell_add_text(&cells[1], sinks.names[0]);
    return question_get(question, cells, 2) && open_location(recall, &cells[0], &cells[1]);
}

bool recall_open(struct recall *recall, struct question *question)
{
    const char *directory = question->command->directory;
    *recall = (struct recall){.question = question};
    return directory ? open_directory(recall, directory) : open_of_node(recall);
}

void recall_close(struct recall *recall)
{
    history_close(recall->history);
    catalog_nodes_release(&recall->nodes);
    free(recall->chosen);
    free(recall->paths);
}

/* -- Nodes ----------------------------------------------------------------------------------- */

static bool is_chosen(const struct recall *recall, const struct catalog_node *node)
{
    for (size_t i = 0; i < recall->n_chosen; i++)
        if (recall->chosen[i] == node)
            return true;
    return false;
}

static bool no_such_node(struct recall *recall, const char *text)
{
    struct nearest nearest = {.text = text};
    char list[512] = "";
    size_t at = 0, n = recall->nodes.n;
    for (size_t i = 0; i < n; i++)
        nearest_offer(&nearest, recall_name(&recall->nodes.list[i]));
    if (nearest.best)
        text_format(list, sizeof list, "%s: the history has no such node; did you mean \"%s\"?",
                    text, nearest.best);
    else
        at = (size_t)snprintf(list, sizeof list, "%.100s: the history has no such node; it has",
                              text);
    for (size_t i = 0; !nearest.best && i < n && i < TOLD_MAX && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s %.40s", i ? "," : "",
                               recall_name(&recall->nodes.list[i]));
    if (at < sizeof list && !nearest.best && n > TOLD_MAX)
        text_format(list + at, sizeof list - at, " and %zu others", n - TOLD_MAX);
    return fail_with(recall->question, EXIT_USAGE, list);
}

/* Chooses all nodes that a word means. If it is the exact path of a node, only that node is meant,
 * whatever else has it as a name. */
static bool choose_word(struct recall *recall, const char *word)
{
    bool is_path = false, found = false;
    for (size_t i = 0; i < recall->nodes.n; i++)
        is_path = is_path || (*word && strcmp(recall->nodes.list[i].path, word) == 0);
    for (size_t i = 0; i < recall->nodes.n; i++) {
        const struct catalog_node *node = &recall->nodes.list[i];
        if (is_path ? strcmp(node->path, word) != 0 : !catalog_is_meant(node, word))
            continue;
        found = true;
        if (is_chosen(recall, node))
            continue;
        recall->paths[recall->n_chosen] = node->path;
        recall->chosen[recall->n_chosen++] = node;
    }
    return found || no_such_node(recall, word);
}

bool recall_choose(struct recall *recall, const char *text)
{
    char *words = strdup(text), *rest = words, *word;
    bool good = words != NULL;
    free(recall->chosen);
    free(recall->paths);
    recall->n_chosen = 0;
    recall->chosen = calloc(recall->nodes.n, sizeof *recall->chosen);
    recall->paths = calloc(recall->nodes.n, sizeof *recall->paths);
    if (!words || !recall->chosen || !recall->paths)
        good = question_no_memory(recall->question);
    while (good && (word = strsep(&rest, ",")))
        good = choose_word(recall, word);
    free(words);
    return good;
}

/* -- Series ---------------------------------------------------------------------------------- */

void recall_release(struct catalog_series *series)
{
    free(series->sensor);
    free(series->instance);
    free(series->metric);
    free(series->unit);
    *series = (struct catalog_series){0};
}

static bool copy_series(struct recall *recall, const struct catalog_series *from,
                        struct catalog_series *series)
{
    *series = (struct catalog_series){.sensor = strdup(from->sensor),
                                      .instance = strdup(from->instance),
                                      .metric = strdup(from->metric),
                                      .unit = strdup(from->unit),
                                      .first_ms = from->first_ms,
                                      .last_ms = from->last_ms};
    return (series->sensor && series->instance && series->metric && series->unit) ||
           question_no_memory(recall->question);
}

/* What was seen in the search for a series, to be told if nothing is found. */
struct search {
    const char *sensor, *instance;
    const struct catalog_series *found;
    size_t n_instances;
    char instances[256], meant_sensor[128], meant_instance[128];
};

static void look_at(struct search *search, const struct catalog_series_list *list)
{
    struct nearest sensors = {.text = search->sensor};
    struct nearest instances = {.text = search->instance ? search->instance : ""};
    const struct catalog_series *only = NULL;
    size_t n = 0, at = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct catalog_series *series = &list->list[i];
        nearest_offer(&sensors, series->sensor);
        if (strcmp(series->sensor, search->sensor) != 0)
            continue;
        nearest_offer(&instances, series->instance);
        if (at < sizeof search->instances && n < TOLD_MAX)
            at += (size_t)snprintf(search->instances + at, sizeof search->instances - at, "%s%s",
                                   n ? ", " : "", series->instance);
        only = n++ == 0 ? series : NULL;
        if (strcmp(series->instance, search->instance ? search->instance : "total") == 0)
            search->found = series;
    }
    if (!search->found && !search->instance)
        search->found = only;
    search->n_instances += n;
    if (sensors.best)
        text_format(search->meant_sensor, sizeof search->meant_sensor, "%s", sensors.best);
    if (instances.best)
        text_format(search->meant_instance, sizeof search->meant_instance, "%s", instances.best);
}

static bool not_found(struct recall *recall, const struct search *search)
{
    char text[800];
    const char *node = recall_name(recall->chosen[0]);
    if (search->n_instances == 0 && search->meant_sensor[0])
        text_format(text, sizeof text,
                    "%.100s: no such sensor of %.100s in the history; did you mean \"%s\"?",
                    search->sensor, node, search->meant_sensor);
    else if (search->n_instances == 0)
        text_format(text, sizeof text, "%.100s: no such sensor of %.100s in the history",
                    search->sensor, node);
    else if (search->instance && search->meant_instance[0])
        text_format(text, sizeof text,
                    "%.100s: no such instance of %.100s of %.100s; did you mean \"%s\"?",
                    search->instance, search->sensor, node, search->meant_instance);
    else
        text_format(text, sizeof text, "%.100s%s: %.100s of %.100s has %s%s",
                    search->instance ? search->instance : "which instance",
                    search->instance ? ": no such instance" : "", search->sensor, node,
                    search->instances, search->n_instances > TOLD_MAX ? " and others" : "");
    return fail_with(recall->question, EXIT_USAGE, text);
}

bool recall_find(struct recall *recall, const char *sensor, const char *instance,
                 struct catalog_series *series)
{
    struct search search = {.sensor = sensor, .instance = instance};
    *series = (struct catalog_series){0};
    for (size_t i = 0; i < recall->n_chosen; i++) {
        struct catalog_series_list list;
        bool good = recall_check(recall, catalog_series(recall->history, recall->paths[i], &list));
        if (good)
            look_at(&search, &list);
        if (good && search.found)
            good = copy_series(recall, search.found, series);
        catalog_series_release(&list);
        if (!good || search.found)
            return good;
    }
    return not_found(recall, &search);
}
