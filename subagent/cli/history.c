#include "cli/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/text.h"
#include "cli/question.h"
#include "cli/range.h"
#include "cli/recall.h"
#include "cli/spark.h"
#include "publish/curve.h"

#define TABLE_ROWS 24 /* at most, without --step */
#define WIDTH_LEAST 10
#define WIDTH_MOST 1000
#define WIDTH 80 /* if it is not known */

struct report {
    struct recall recall;
    struct question *question;
    struct range range;
    struct catalog_series series;
    struct curve curve;
};

/* -- What there is --------------------------------------------------------------------------- */

static struct sheet_value text_value(const char *text)
{
    return (struct sheet_value){.given = true, .text = text, .len = strlen(text)};
}

static struct sheet_value time_value(int64_t ms)
{
    return (struct sheet_value){.given = true, .number = ms};
}

static void list_nodes(struct report *report)
{
    static const struct sheet_column columns[] = {
        {"node", "NODE", SHEET_TEXT}, {"name", NULL, SHEET_TEXT}, {"group", "GROUP", SHEET_TEXT}};
    const struct catalog_nodes *nodes = &report->recall.nodes;
    struct sheet *sheet = sheet_new(columns, sizeof columns / sizeof *columns);
    bool good = sheet != NULL;
    for (size_t i = 0; i < nodes->n && good; i++) {
        const struct sheet_value values[] = {text_value(recall_name(&nodes->list[i])),
                                             text_value(nodes->list[i].name),
                                             text_value(nodes->list[i].group)};
        good = sheet_add(sheet, values);
    }
    good = good ? question_print(report->question, sheet) : question_no_memory(report->question);
    sheet_free(sheet);
}

static bool add_series(struct sheet *sheet, const struct catalog_node *node,
                       const struct catalog_series_list *list)
{
    bool good = true;
    for (size_t i = 0; i < list->n && good; i++) {
        const struct catalog_series *series = &list->list[i];
        bool has_time = series->first_ms <= series->last_ms;
        const struct sheet_value values[] = {
            text_value(recall_name(node)),
            text_value(series->sensor),
            text_value(series->instance),
            text_value(series->unit),
            text_value(series->metric),
            has_time ? time_value(series->first_ms) : (struct sheet_value){0},
            has_time ? time_value(series->last_ms) : (struct sheet_value){0}};
        good = sheet_add(sheet, values);
    }
    return good;
}

static void list_series(struct report *report)
{
    static const struct sheet_column columns[] = {
        {"node", "NODE", SHEET_TEXT},         {"sensor", "SENSOR", SHEET_TEXT},
        {"instance", "INSTANCE", SHEET_TEXT}, {"unit", "UNIT", SHEET_TEXT},
        {"metric", NULL, SHEET_TEXT},         {"first", "FIRST", SHEET_TIME},
        {"last", "LAST", SHEET_TIME}};
    struct recall *recall = &report->recall;
    struct sheet *sheet = sheet_new(columns, sizeof columns / sizeof *columns);
    bool good = sheet != NULL || question_no_memory(report->question);
    for (size_t i = 0; i < recall->n_chosen && good; i++) {
        struct catalog_series_list list;
        good =
            recall_check(recall, catalog_series(recall->history, recall->paths[i], &list)) &&
            (add_series(sheet, recall->chosen[i], &list) || question_no_memory(report->question));
        catalog_series_release(&list);
    }
    if (good)
        question_print(report->question, sheet);
    sheet_free(sheet);
}

/* -- For programs ---------------------------------------------------------------------------- */

void history_number(char text[HISTORY_NUMBER_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, HISTORY_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

/* The figure of a slot at a place: value, min, max, then the percentiles. */
static double figure_of(const struct report *report, const struct curve_slot *slot, size_t place)
{
    const struct statistics_window *window = &slot->window;
    return place == 0   ? window->mean
           : place == 1 ? window->min
           : place == 2 ? window->max
                        : curve_quantile(slot, report->range.percentiles[place - 3] / 100);
}

static void name_figure(const struct report *report, size_t place, char name[DECIMAL_SIZE + 1])
{
    static const char *const names[] = {"value", "min", "max"};
    name[0] = 'p';
    if (place < 3)
        text_format(name, DECIMAL_SIZE + 1, "%s", names[place]);
    else
        text_from_decimal(name + 1, report->range.percentiles[place - 3]);
}

static void print_json(const struct report *report)
{
    FILE *to = report->question->to;
    char name[DECIMAL_SIZE + 1], number[HISTORY_NUMBER_SIZE];
    for (size_t i = 0; i < report->curve.n; i++) {
        const struct curve_slot *slot = &report->curve.slots[i];
        fprintf(to, "{\"t\": %lld", (long long)slot->start_ms);
        for (size_t place = 0; place < 3 + report->range.n_percentiles; place++) {
            name_figure(report, place, name);
            double figure = slot->window.count > 0 ? figure_of(report, slot, place) : (double)NAN;
            text_format(number, sizeof number, "null");
            if (isfinite(figure))
                history_number(number, figure);
            fprintf(to, ", \"%s\": %s", name, number);
        }
        fprintf(to, ", \"count\": %llu}\n", (unsigned long long)slot->window.count);
    }
}

/* Times in milliseconds for programs, and as RFC 3339 has them in whole seconds for spreadsheets.
 */
static void print_tsv(const struct report *report)
{
    FILE *to = report->question->to;
    char name[DECIMAL_SIZE + 1], text[HISTORY_NUMBER_SIZE + DECIMAL_SIZE];
    size_t figures = 3 + report->range.n_percentiles;
    fputs("t\ttime", to);
    for (size_t place = 0; place < figures; place++) {
        name_figure(report, place, name);
        fprintf(to, "\t%s", name);
    }
    fputs("\tcount\n", to);
    for (size_t i = 0; i < report->curve.n; i++) {
        const struct curve_slot *slot = &report->curve.slots[i];
        date_to_text(text, slot->start_ms);
        fprintf(to, "%lld\t%s", (long long)slot->start_ms, text);
        for (size_t place = 0; place < figures; place++) {
            double figure = slot->window.count > 0 ? figure_of(report, slot, place) : (double)NAN;
            text[0] = '\0';
            if (isfinite(figure))
                history_number(text, figure);
            fprintf(to, "\t%s", text);
        }
        fprintf(to, "\t%llu\n", (unsigned long long)slot->window.count);
    }
}

/* -- For people ------------------------------------------------------------------------------ */

static size_t width_of(FILE *to)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
    if (ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    return width == 0            ? WIDTH
           : width < WIDTH_LEAST ? WIDTH_LEAST
           : width > WIDTH_MOST  ? WIDTH_MOST
                                 : width;
}

static struct curve_question question_of(const struct report *report)
{
    return (struct curve_question){.paths = report->recall.paths,
                                   .n_paths = report->recall.n_chosen,
                                   .sensor = report->series.sensor,
                                   .instance = report->series.instance,
                                   .from_ms = report->range.from_ms,
                                   .to_ms = report->range.to_ms,
                                   .step_ms = report->range.step_ms};
}

static void print_bars(struct report *report)
{
    struct curve_question question = question_of(report);
    double values[WIDTH_MOST];
    char text[SPARK_OCTETS * WIDTH_MOST + 1];
    struct curve curve;
    question.step_ms = 0;
    question.most = width_of(report->question->to);
    bool is_utf8 = spark_is_utf8(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"));
    if (recall_check(&report->recall, curve_read(report->recall.history, &question, &curve))) {
        for (size_t i = 0; i < curve.n; i++)
            values[i] = curve.slots[i].window.count > 0 ? curve.slots[i].window.mean : NAN;
        spark_format(values, curve.n, is_utf8, text);
        fprintf(report->question->to, "%s\n", text);
    }
    curve_release(&curve);
}

/* Prints the names, and what the figures are made of. */
static bool print_title(struct report *report)
{
    static const char *const tiers[] = {
        [CURVE_RAW] = "values", [CURVE_MINUTES] = "minutes", [CURVE_HOURS] = "hours"};
    char text[512];
    const struct recall *recall = &report->recall;
    int at = snprintf(text, sizeof text, "%s", recall_name(recall->chosen[0]));
    if (recall->n_chosen > 1)
        at += snprintf(text + at, sizeof text - (size_t)at, " and %zu more", recall->n_chosen - 1);
    snprintf(text + at, sizeof text - (size_t)at, " %s %s%s%s, by %s", report->series.sensor,
             report->series.instance, report->series.unit[0] ? ", " : "", report->series.unit,
             tiers[report->curve.tier]);
    char *clean = sheet_clean(text, strlen(text));
    if (!clean)
        return question_no_memory(report->question);
    fprintf(report->question->to, "%s\n", clean);
    free(clean);
    return true;
}

static void print_total(FILE *to, const struct statistics_window *total)
{
    const struct curve_slot all = {.window = *total};
    char low[DECIMAL_SIZE], mean[DECIMAL_SIZE], high[DECIMAL_SIZE], text[DECIMAL_SIZE];
    char p95[DECIMAL_SIZE + 8] = "";
    double quantile = curve_quantile(&all, 0.95);
    text_from_rounded(low, total->min, NAN);
    text_from_rounded(mean, total->mean, NAN);
    text_from_rounded(high, total->max, NAN);
    text_from_rounded(text, quantile, NAN);
    if (isfinite(quantile))
        text_format(p95, sizeof p95, "p95 %s, ", text);
    fprintf(to, "lowest %s, mean %s, %shighest %s; %llu values\n", low, mean, p95, high,
            (unsigned long long)total->count);
}

static bool print_summary(struct report *report)
{
    struct statistics_window total;
    int error = curve_total(&report->curve, &total);
    if (!error)
        print_total(report->question->to, &total);
    statistics_window_release(&total);
    return error != ENOMEM || question_no_memory(report->question);
}

#define FIGURES_MAX (3 + RANGE_PERCENTILES_MAX)

static bool add_slot(const struct report *report, struct sheet *sheet,
                     const struct curve_slot *slot)
{
    char texts[FIGURES_MAX][DECIMAL_SIZE];
    struct sheet_value values[FIGURES_MAX + 2] = {time_value(slot->start_ms)};
    size_t figures = 3 + report->range.n_percentiles;
    for (size_t place = 0; place < figures && slot->window.count > 0; place++) {
        double figure = figure_of(report, slot, place);
        text_from_rounded(texts[place], figure, NAN);
        if (isfinite(figure))
            values[1 + place] = text_value(texts[place]);
    }
    values[1 + figures] = (struct sheet_value){.given = slot->window.count > 0,
                                               .number = (int64_t)slot->window.count};
    return sheet_add(sheet, values);
}

/* Of gaps that follow each other, only the first one is printed. */
static void print_rows(struct report *report)
{
    char names[FIGURES_MAX][DECIMAL_SIZE + 1];
    struct sheet_column columns[FIGURES_MAX + 2] = {{"time", "TIME", SHEET_TIME}};
    size_t figures = 3 + report->range.n_percentiles;
    for (size_t place = 0; place < figures; place++) {
        name_figure(report, place, names[place]);
        for (char *c = names[place]; *c; c++)
            *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
        columns[1 + place] = (struct sheet_column){names[place], names[place], SHEET_TEXT};
    }
    columns[1 + figures] = (struct sheet_column){"count", "COUNT", SHEET_NUMBER};
    struct sheet *sheet = sheet_new(columns, figures + 2);
    bool good = sheet != NULL;
    for (size_t i = 0; i < report->curve.n && good; i++) {
        const struct curve_slot *slot = &report->curve.slots[i];
        if (slot->window.count > 0 || i == 0 || slot[-1].window.count > 0)
            good = add_slot(report, sheet, slot);
    }
    if (good)
        question_print(report->question, sheet);
    else
        question_no_memory(report->question);
    sheet_free(sheet);
}

static void print_table(struct report *report)
{
    if (!print_title(report))
        return;
    print_bars(report);
    if (print_summary(report))
        print_rows(report);
}

/* -- All ------------------------------------------------------------------------------------- */

static void say_nothing_there(const struct report *report)
{
    char first[DECIMAL_SIZE], last[DECIMAL_SIZE];
    date_to_text(first, report->series.first_ms);
    date_to_text(last, report->series.last_ms);
    if (report->series.first_ms <= report->series.last_ms)
        question_fail(report->question, EXIT_CUT,
                      "nothing of that time: the history has it from %s to %s", first, last);
    else
        question_fail(report->question, EXIT_CUT, "nothing of that time in the history");
}

static void tell_series(struct report *report)
{
    const struct command *command = report->question->command;
    struct curve_question question = question_of(report);
    bool is_table = command->format == SHEET_TABLE;
    question.most = is_table ? TABLE_ROWS : 0;
    question.has_quantiles = is_table || report->range.n_percentiles > 0;
    if (!recall_check(&report->recall,
                      curve_read(report->recall.history, &question, &report->curve)))
        return;
    if (report->curve.n_values == 0)
        say_nothing_there(report);
    else if (is_table)
        print_table(report);
    else
        (command->format == SHEET_JSON ? print_json : print_tsv)(report);
}

static void tell(struct report *report)
{
    const struct command *command = report->question->command;
    char *const *words = command->words;
    if (command->n_words == 0)
        list_nodes(report);
    else if (!recall_choose(&report->recall, words[0]))
        return;
    else if (command->n_words == 1)
        list_series(report);
    else if (recall_find(&report->recall, words[1], command->n_words > 2 ? words[2] : NULL,
                         &report->series))
        tell_series(report);
}

enum exit_status history_run(const struct command *command, struct client *client, FILE *to,
                             FILE *errors)
{
    struct question question = {
        .command = command, .client = client, .to = to, .errors = errors, .status = EXIT_GOOD};
    struct report report = {.question = &question};
    char error[512];
    if (!range_read(command, clock_now().wall_ms, &report.range, error)) {
        question_fail(&question, EXIT_USAGE, "%s", error);
        return question.status;
    }
    if (recall_open(&report.recall, &question))
        tell(&report);
    curve_release(&report.curve);
    recall_release(&report.series);
    recall_close(&report.recall);
    return question.status;
}
