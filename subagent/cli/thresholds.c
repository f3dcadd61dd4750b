#include "cli/thresholds.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/question.h"
#include "cli/values.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* More than any node has: an answer with more is not believed. */
#define ROWS_MAX 100000

/* The first column is the name, and the last two are counted; each of the others is an object. */
static const struct sheet_column columns[] = {
    {"threshold", "THRESHOLD", SHEET_TEXT}, {"sensor", "SENSOR", SHEET_TEXT},
    {"instances", "INSTANCES", SHEET_TEXT}, {"source", NULL, SHEET_TEXT},
    {"operator", "OP", SHEET_TEXT},         {"limit", "LIMIT", SHEET_TEXT},
    {"clear", "CLEAR", SHEET_TEXT},         {"warningLimit", "WARNING", SHEET_TEXT},
    {"warningClear", NULL, SHEET_TEXT},     {"criticalLimit", "CRITICAL", SHEET_TEXT},
    {"criticalClear", NULL, SHEET_TEXT},    {"match", NULL, SHEET_NUMBER},
    {"window", NULL, SHEET_NUMBER},         {"duration", "FOR", SHEET_SPAN},
    {"severity", "SEVERITY", SHEET_TEXT},   {"status", "STATUS", SHEET_TEXT},
    {"raised", "RAISED", SHEET_NUMBER},     {"pending", NULL, SHEET_NUMBER},
    {"watched", "OF", SHEET_NUMBER},        {"error", "ERROR", SHEET_TEXT}};

enum { AT_PENDING = 17, AT_WATCHED, AT_ERROR, COLUMNS };
_Static_assert(COUNT(columns) == COLUMNS, "the numbers of columns");

#define NO_OBJECT MIB_OBJECTS
static const enum mib_object objects[COLUMNS] = {
    NO_OBJECT,
    MIB_dcampThresholdSensor,
    MIB_dcampThresholdInstances,
    MIB_dcampThresholdSource,
    MIB_dcampThresholdOperator,
    MIB_dcampThresholdLimit,
    MIB_dcampThresholdClear,
    MIB_dcampThresholdWarningLimit,
    MIB_dcampThresholdWarningClear,
    MIB_dcampThresholdCriticalLimit,
    MIB_dcampThresholdCriticalClear,
    MIB_dcampThresholdMatch,
    MIB_dcampThresholdWindow,
    MIB_dcampThresholdDuration,
    MIB_dcampThresholdSeverity,
    MIB_dcampThresholdRowStatus,
    MIB_dcampThresholdRaised,
    NO_OBJECT,
    NO_OBJECT,
    MIB_dcampThresholdError,
};

struct rule {
    char name[NAME_SIZE];
    int64_t watched, pending; /* series */
};

struct rule_list {
    struct question *question;
    const char *pattern; /* or NULL */
    struct rule *rules;  /* by name */
    size_t n, room;
};

/* -- Which there are ------------------------------------------------------------------------- */

static bool add_rule(struct rule_list *list, const char *name)
{
    if (list->n == list->room) {
        size_t room = list->room * 2 + 64;
        struct rule *rules = reallocarray(list->rules, room, sizeof *rules);
        if (!rules)
            return question_no_memory(list->question);
        list->rules = rules;
        list->room = room;
    }
    list->rules[list->n] = (struct rule){.watched = 0};
    text_format(list->rules[list->n++].name, NAME_SIZE, "%s", name);
    return true;
}

static bool take_rule(void *context, const struct cell *cell)
{
    struct rule_list *list = context;
    char name[NAME_SIZE];
    size_t at = 0;
    question_progress(list->question);
    if (!cell_index_text(cell, &at, name, sizeof name) || !choice_takes(list->pattern, name))
        return true;
    if (list->n == ROWS_MAX)
        return question_fail(list->question, EXIT_BROKEN, "more thresholds than any node has");
    return add_rule(list, name);
}

static int by_name(const void *left, const void *right)
{
    return strverscmp(((const struct rule *)left)->name, ((const struct rule *)right)->name);
}

static bool take_phase(void *context, const struct cell *cell)
{
    struct rule_list *list = context;
    struct rule wanted = {.watched = 0};
    size_t at = 0;
    question_progress(list->question);
    if (!cell_index_text(cell, &at, wanted.name, sizeof wanted.name))
        return true;
    struct rule *rule = bsearch(&wanted, list->rules, list->n, sizeof *rule, by_name);
    if (rule) {
        rule->watched++;
        rule->pending += cell->number == dcampThresholdStatePhase_pending;
    }
    return true;
}

static bool find_rules(struct rule_list *list)
{
    struct cell column;
    cell_start(&column, MIB_dcampThresholdRowStatus);
    if (!question_walk(list->question, &column, 20, take_rule, list))
        return false;
    if (list->n == 0)
        return true;
    qsort(list->rules, list->n, sizeof *list->rules, by_name);
    cell_start(&column, MIB_dcampThresholdStatePhase);
    return question_walk(list->question, &column, 40, take_phase, list);
}

/* -- What they say --------------------------------------------------------------------------- */

static void fill_values(const struct rule *rule, const struct cell *cells,
                        struct sheet_value *values)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (objects[i] != NO_OBJECT)
            question_value(&values[i], columns[i].kind, &cells[i]);
    values[0] = (struct sheet_value){.given = true, .text = rule->name, .len = strlen(rule->name)};
    values[AT_PENDING] = (struct sheet_value){.given = true, .number = rule->pending};
    values[AT_WATCHED] = (struct sheet_value){.given = true, .number = rule->watched};
}

/* For a column without an object, one is asked for that every row has. A rule that is gone by now
 * is left out. */
static bool add_row(struct question *question, const struct rule *rule, struct sheet *sheet)
{
    struct cell cells[COLUMNS];
    struct sheet_value values[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        cell_start(&cells[i], objects[i] == NO_OBJECT ? MIB_dcampThresholdRowStatus : objects[i]);
        cell_add_text(&cells[i], rule->name);
    }
    if (!question_get(question, cells, COLUMNS))
        return false;
    if (cells[0].kind != CELL_NUMBER)
        return true;
    fill_values(rule, cells, values);
    return sheet_add(sheet, values) || question_no_memory(question);
}

static void print_rules(const struct rule_list *list)
{
    struct question *question = list->question;
    struct sheet *sheet = sheet_new(columns, COLUMNS);
    bool good = sheet || question_no_memory(question);
    for (size_t i = 0; good && i < list->n; i++)
        good = add_row(question, &list->rules[i], sheet);
    if (good)
        question_print(question, sheet);
    sheet_free(sheet);
}

enum exit_status thresholds_run(const struct command *command, struct client *client, FILE *to,
                                FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct rule_list list = {.question = &question,
                             .pattern = command->n_words > 0 ? command->words[0] : NULL};
    if (question_is_dcamp(&question) && find_rules(&list)) {
        if (list.n == 0 && list.pattern)
            question_fail(&question, EXIT_USAGE, "no threshold is \"%s\"", list.pattern);
        else if (list.n == 0 && command->format == SHEET_TABLE)
            fputs("no thresholds\n", to);
        else
            print_rules(&list);
    }
    free(list.rules);
    return question.status;
}
