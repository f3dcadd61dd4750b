#include "cli/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/program.h"
#include "cli/question.h"
#include "cli/range.h"
#include "cli/recall.h"
#include "publish/curve.h"

#define PROGRAM "dcamp-plot"
#define WIDTH 960
#define HEIGHT 420
#define POINTS 480 /* of a series, at most */
#define SERIES_MAX 16

struct picture {
    struct recall recall;
    struct question *question;
    struct range range;
    json_t *series; /* an array */
    char unit[128]; /* of all of them */
    size_t n_values;
};

/* -- What is to be drawn --------------------------------------------------------------------- */

static json_t *point_of(const struct curve_slot *slot)
{
    const struct statistics_window *window = &slot->window;
    if (window->count == 0)
        return json_pack("[I]", (json_int_t)slot->start_ms);
    double p10 = curve_quantile(slot, 0.1), p90 = curve_quantile(slot, 0.9);
    if (!isfinite(p10) || !isfinite(p90))
        return json_pack("[Ifff]", (json_int_t)slot->start_ms, window->mean, window->min,
                         window->max);
    return json_pack("[Ifffff]", (json_int_t)slot->start_ms, window->mean, window->min, window->max,
                     p10, p90);
}

/* jansson accepts NULL for what could not be made, and fails at the end: CONTRIBUTING. */
static bool append_curve(struct picture *picture, const char *name, const struct curve *curve)
{
    json_t *points = json_array();
    int error = points ? 0 : -1;
    for (size_t i = 0; i < curve->n && !error; i++)
        error = json_array_append_new(points, point_of(&curve->slots[i]));
    char *clean = sheet_clean(name, strlen(name));
    json_t *series =
        json_pack("{s:s?, s:I, s:I, s:o?}", "name", clean, "step", (json_int_t)curve->step_ms,
                  "interval", (json_int_t)curve_interval(curve), "points", points);
    bool good = clean && !error && json_array_append_new(picture->series, series) == 0;
    free(clean);
    picture->n_values += curve->n_values;
    return good || question_no_memory(picture->question);
}

static bool add_curve(struct picture *picture, const struct catalog_series *series,
                      const char *const *paths, size_t n, const char *name)
{
    const struct curve_question question = {.paths = paths,
                                            .n_paths = n,
                                            .sensor = series->sensor,
                                            .instance = series->instance,
                                            .from_ms = picture->range.from_ms,
                                            .to_ms = picture->range.to_ms,
                                            .step_ms = picture->range.step_ms,
                                            .most = POINTS,
                                            .has_quantiles = true};
    struct curve curve;
    bool good =
        recall_check(&picture->recall, curve_read(picture->recall.history, &question, &curve));
    if (good && json_array_size(picture->series) == SERIES_MAX)
        good = question_fail(picture->question, EXIT_USAGE,
                             "more than %d curves: --merge makes one of all nodes", SERIES_MAX);
    else if (good && curve.n_values > 0)
        good = append_curve(picture, name, &curve);
    curve_release(&curve);
    return good;
}

/* A series in another unit is refused: it needs an axis of its own, and so a picture of its own. */
static bool has_unit(struct picture *picture, const struct catalog_series *series, bool is_first)
{
    if (is_first)
        text_format(picture->unit, sizeof picture->unit, "%s", series->unit);
    return strncmp(picture->unit, series->unit, sizeof picture->unit - 1) == 0 ||
           question_fail(picture->question, EXIT_USAGE,
                         "one picture has one unit: a picture for each of the sensors");
}

static void name_curve(const struct recall *recall, const struct catalog_node *node,
                       const struct catalog_series *series, char name[512])
{
    char others[32] = "";
    if (recall->n_chosen > 1 && !node)
        text_format(others, sizeof others, " and %zu more", recall->n_chosen - 1);
    text_format(name, 512, "%s%s %s %s", recall_name(node ? node : recall->chosen[0]), others,
                series->sensor, series->instance);
}

/* A curve for each node, or with --merge one for all of them. */
static bool add_sensor(struct picture *picture, const char *sensor, const char *instance,
                       bool is_first)
{
    struct recall *recall = &picture->recall;
    bool is_merged = command_has(picture->question->command, COMMAND_MERGE);
    struct catalog_series series;
    char name[512];
    bool good =
        recall_find(recall, sensor, instance, &series) && has_unit(picture, &series, is_first);
    if (good && is_merged) {
        name_curve(recall, NULL, &series, name);
        good = add_curve(picture, &series, recall->paths, recall->n_chosen, name);
    }
    for (size_t i = 0; i < recall->n_chosen && good && !is_merged; i++) {
        name_curve(recall, recall->chosen[i], &series, name);
        good = add_curve(picture, &series, &recall->paths[i], 1, name);
    }
    recall_release(&series);
    return good;
}

static bool add_sensors(struct picture *picture)
{
    const struct command *command = picture->question->command;
    char *words = strdup(command->words[1]), *rest = words, *word;
    bool good = words != NULL || question_no_memory(picture->question);
    for (bool is_first = true; good && (word = strsep(&rest, ",")); is_first = false)
        good = add_sensor(picture, word, command->n_words > 2 ? command->words[2] : NULL, is_first);
    free(words);
    return good;
}

static json_t *document_of(const struct picture *picture)
{
    const struct command *command = picture->question->command;
    char title[512];
    text_format(title, sizeof title, "%s %s%s%s", command->words[0], command->words[1],
                command->n_words > 2 ? " " : "", command->n_words > 2 ? command->words[2] : "");
    char *clean = sheet_clean(title, strlen(title));
    char *unit = sheet_clean(picture->unit, strlen(picture->unit));
    json_t *document = json_pack(
        "{s:s, s:s, s:I, s:I, s:b, s:i, s:i, s:O}", "title", clean ? clean : "", "unit",
        unit ? unit : "", "from", (json_int_t)picture->range.from_ms, "to",
        (json_int_t)(picture->range.to_ms > picture->range.from_ms ? picture->range.to_ms
                                                                   : picture->range.from_ms + 1),
        "dark", (int)command_has(command, COMMAND_DARK), "width", WIDTH, "height", HEIGHT, "series",
        picture->series);
    bool good = clean && unit;
    free(clean);
    free(unit);
    if (good)
        return document;
    json_decref(document);
    return NULL;
}

/* -- Who draws it ---------------------------------------------------------------------------- */

static void run_program(const char *output)
{
    program_become(PROGRAM, (char *[]){(char *)PROGRAM, (char *)output, NULL});
    _exit(127);
}

/* Writing to a program that has ended raises no signal; the status of the program shows it. */
static int run_with_input(const char *output, const char *text, size_t len)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        run_program(output);
    }
    close(ends[0]);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    for (ssize_t n = 1; child > 0 && len > 0 && n > 0; len -= (size_t)n, text += n)
        if ((n = write(ends[1], text, len)) < 0)
            break;
    signal(SIGPIPE, before);
    close(ends[1]);
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void draw(struct picture *picture)
{
    const char *output = picture->question->command->output;
    json_t *document = document_of(picture);
    char *text = document ? json_dumps(document, JSON_COMPACT) : NULL;
    json_decref(document);
    if (!text) {
        question_no_memory(picture->question);
        return;
    }
    int status = run_with_input(output, text, strlen(text));
    free(text);
    if (status == 127)
        question_fail(picture->question, EXIT_BROKEN,
                      PROGRAM ", which draws, is not installed: package dcamp-plot");
    else if (status != 0)
        question_fail(picture->question, EXIT_BROKEN, "%s was not written", output);
}

static bool is_picture(struct question *question)
{
    const char *output = question->command->output;
    size_t len = strlen(output);
    bool good =
        len > 4 && (strcmp(output + len - 4, ".svg") == 0 || strcmp(output + len - 4, ".png") == 0);
    return good ||
           question_fail(question, EXIT_USAGE,
                         "--output %s: expected a name that ends with .svg or .png", output);
}

enum exit_status plot_run(const struct command *command, struct client *client, FILE *to,
                          FILE *errors)
{
    struct question question = {
        .command = command, .client = client, .to = to, .errors = errors, .status = EXIT_GOOD};
    struct picture picture = {.question = &question, .series = json_array()};
    char error[512];
    if (!range_read(command, clock_now().wall_ms, &picture.range, error))
        question_fail(&question, EXIT_USAGE, "%s", error);
    else if (!picture.series)
        question_no_memory(&question);
    else if (recall_open(&picture.recall, &question) && is_picture(&question) &&
             recall_choose(&picture.recall, command->words[0]) && add_sensors(&picture)) {
        if (picture.n_values > 0)
            draw(&picture);
        else
            question_fail(&question, EXIT_CUT, "nothing of that time in the history");
    }
    recall_close(&picture.recall);
    json_decref(picture.series);
    return question.status;
}
