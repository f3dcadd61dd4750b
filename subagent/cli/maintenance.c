#include "cli/maintenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/assign.h"
#include "cli/question.h"

/* More than any node has: an answer with more is not believed. */
#define ROWS_MAX 100000

enum { NAME, NOW, NODES, THRESHOLDS, BEGIN, END, DURATION, DAYS, TIME, STORAGE, STATUS, COLUMNS };

static const struct sheet_column columns[COLUMNS] = {
    [NAME] = {"name", "NAME", SHEET_TEXT},
    [NOW] = {"now", "NOW", SHEET_TRUTH},
    [NODES] = {"nodes", "NODES", SHEET_TEXT},
    [THRESHOLDS] = {"thresholds", "THRESHOLDS", SHEET_TEXT},
    [BEGIN] = {"begin", "BEGIN", SHEET_TIME},
    [END] = {"end", "END", SHEET_TIME},
    [DURATION] = {"duration", "FOR", SHEET_SPAN},
    [DAYS] = {"days", "DAYS", SHEET_TEXT},
    [TIME] = {"time", "TIME", SHEET_TEXT},
    [STORAGE] = {"storage", NULL, SHEET_TEXT},
    [STATUS] = {"status", "STATUS", SHEET_TEXT}};

/* The name is the index; instead of it, an object is asked for that every row has. */
static const enum mib_object objects[COLUMNS] = {
    [NAME] = MIB_dcampMaintenanceRowStatus,    [NOW] = MIB_dcampMaintenanceNow,
    [NODES] = MIB_dcampMaintenanceNodes,       [THRESHOLDS] = MIB_dcampMaintenanceThresholds,
    [BEGIN] = MIB_dcampMaintenanceBegin,       [END] = MIB_dcampMaintenanceEnd,
    [DURATION] = MIB_dcampMaintenanceDuration, [DAYS] = MIB_dcampMaintenanceDays,
    [TIME] = MIB_dcampMaintenanceTime,         [STORAGE] = MIB_dcampMaintenanceStorageType,
    [STATUS] = MIB_dcampMaintenanceRowStatus};

/* -- Which there are ------------------------------------------------------------------------- */

struct name_list {
    struct question *question;
    char (*names)[NAME_SIZE];
    size_t n, room;
};

static bool take_name(void *context, const struct cell *cell)
{
    struct name_list *list = context;
    char name[NAME_SIZE];
    size_t at = 0;
    question_progress(list->question);
    if (!cell_index_text(cell, &at, name, sizeof name))
        return true;
    if (list->n == ROWS_MAX)
        return question_fail(list->question, EXIT_BROKEN, "more maintenances than any node has");
    if (list->n == list->room) {
        size_t room = list->room * 2 + 64;
        char(*names)[NAME_SIZE] = reallocarray(list->names, room, sizeof *names);
        if (!names)
            return question_no_memory(list->question);
        list->names = names;
        list->room = room;
    }
    text_format(list->names[list->n++], NAME_SIZE, "%s", name);
    return true;
}

static int by_name(const void *left, const void *right)
{
    return strverscmp(left, right);
}

static bool find_names(struct name_list *list)
{
    struct cell column;
    cell_start(&column, MIB_dcampMaintenanceRowStatus);
    if (!question_walk(list->question, &column, 10, take_name, list))
        return false;
    if (list->n > 0)
        qsort(list->names, list->n, sizeof *list->names, by_name);
    return true;
}

/* -- What they say --------------------------------------------------------------------------- */

#define DAYS_SIZE 64

/* BITS (RFC 2578, section 7.1.4): the first is the most significant bit of the first octet. */
static void write_days(const struct cell *cell, char days[DAYS_SIZE])
{
    const struct mib_info *info = &mib_objects[cell->object];
    size_t at = 0;
    days[0] = '\0';
    for (size_t i = 0; cell->kind == CELL_TEXT && i < info->n_labels; i++) {
        size_t bit = (size_t)info->labels[i].value;
        if (bit / 8 >= cell->text_len || !((uint8_t)cell->text[bit / 8] & 0x80 >> bit % 8))
            continue;
        text_format(days + at, DAYS_SIZE - at, "%s%s", at ? "," : "", info->labels[i].name);
        at = strlen(days);
    }
}

static void fill_values(const char *name, const struct cell *cells, char days[DAYS_SIZE],
                        struct sheet_value *values)
{
    for (size_t i = NAME + 1; i < COLUMNS; i++)
        question_value(&values[i], columns[i].kind, &cells[i]);
    values[NAME] = (struct sheet_value){.given = true, .text = name, .len = strlen(name)};
    write_days(&cells[DAYS], days);
    values[DAYS] = (struct sheet_value){.given = true, .text = days, .len = strlen(days)};
    values[TIME].given = values[TIME].given && days[0];
    values[DURATION].given = values[DURATION].given && values[DURATION].number > 0;
    if (!days[0] && !values[END].given && values[BEGIN].given && values[DURATION].given)
        values[END] = (struct sheet_value){
            .given = true, .number = values[BEGIN].number + values[DURATION].number};
}

/* Asks for a row. False: it is not there, or status says why. */
static bool ask_row(struct question *question, const char *name, struct cell cells[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_text(&cells[i], name);
    }
    return question_get(question, cells, COLUMNS) && cells[STATUS].kind == CELL_NUMBER;
}

/* A row that is gone by now is left out. */
static bool add_row(struct question *question, const char *name, struct sheet *sheet)
{
    struct cell cells[COLUMNS];
    struct sheet_value values[COLUMNS];
    char days[DAYS_SIZE];
    if (!ask_row(question, name, cells))
        return question->status == EXIT_GOOD;
    fill_values(name, cells, days, values);
    return sheet_add(sheet, values) || question_no_memory(question);
}

static void print_rows(struct question *question, const char (*names)[NAME_SIZE], size_t n)
{
    struct sheet *sheet = sheet_new(columns, COLUMNS);
    bool good = sheet || question_no_memory(question);
    for (size_t i = 0; good && i < n; i++)
        good = add_row(question, names[i], sheet);
    if (good)
        question_print(question, sheet);
    sheet_free(sheet);
}

static void list_all(struct question *question)
{
    struct name_list list = {.question = question};
    if (find_names(&list)) {
        if (list.n == 0 && question->command->format == SHEET_TABLE)
            fputs("no maintenance\n", question->to);
        else
            print_rows(question, (const char(*)[NAME_SIZE])list.names, list.n);
    }
    free(list.names);
}

/* -- One more, one less ---------------------------------------------------------------------- */

/* What start takes: how long, and for which alarms. All else is left to dcamp set. */
static bool is_of_start(enum mib_object object)
{
    return object == MIB_dcampMaintenanceNodes || object == MIB_dcampMaintenanceThresholds ||
           object == MIB_dcampMaintenanceDuration || object == MIB_dcampMaintenanceRowStatus;
}

static bool read_start(struct question *question, struct assignments *wanted)
{
    char kind[] = "maintenance", field[] = "duration";
    const struct command *command = question->command;
    char *words[MAINTENANCE_WORDS + 1] = {kind, command->words[1], field}, error[512];
    uint32_t duration;
    for (int i = 2; i < command->n_words; i++)
        words[i + 1] = command->words[i];
    if (!text_to_millis(words[3], strlen(words[3]), &duration) || duration == 0)
        return question_fail(question, EXIT_USAGE, "start %s: expected a time such as 2h",
                             words[3]);
    if (!assign_read(words, command->n_words + 1, ASSIGN_CREATE, wanted, error))
        return question_fail(question, EXIT_USAGE, "%s", error);
    for (size_t i = 0; i < wanted->n; i++)
        if (!is_of_start(wanted->cells[i].object))
            return question_fail(question, EXIT_USAGE,
                                 "%s: start takes nodes and thresholds; for all else there is "
                                 "dcamp set --create",
                                 mib_objects[wanted->cells[i].object].name);
    return true;
}

/* A name is not free if there is a row with it, even one whose maintenance is over. */
static bool is_free(struct question *question, const char *name)
{
    struct cell cells[COLUMNS];
    if (!ask_row(question, name, cells))
        return question->status == EXIT_GOOD;
    bool now = cells[NOW].number == dcampMaintenanceNow_true;
    return question_fail(question, EXIT_REFUSED,
                         "%s is there already, and it is %smaintenance by it now: end it first, or "
                         "take another name",
                         name, now ? "" : "not ");
}

static void start_one(struct question *question, struct assignments *wanted)
{
    char names[1][NAME_SIZE];
    text_format(names[0], NAME_SIZE, "%s", question->command->words[1]);
    if (read_start(question, wanted) && question_is_dcamp(question) &&
        is_free(question, names[0]) && question_set(question, wanted->cells, wanted->n, 1))
        print_rows(question, (const char(*)[NAME_SIZE])names, 1);
}

static void tell_end(struct question *question, const char *name)
{
    static const struct sheet_column ended[] = {{"name", NULL, SHEET_TEXT},
                                                {"ended", NULL, SHEET_TRUTH}};
    const struct sheet_value values[] = {{.given = true, .text = name, .len = strlen(name)},
                                         {.given = true, .number = 1}};
    if (question->command->format == SHEET_TABLE) {
        fprintf(question->to, "%s: it has ended\n", name);
        return;
    }
    struct sheet *sheet = sheet_new(ended, sizeof ended / sizeof *ended);
    if (!sheet || !sheet_add(sheet, values))
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
}

/* What is not there cannot be ended, although a SET that destroys it would succeed (RFC 2579). */
static bool is_there(struct question *question, const char *name)
{
    struct cell cells[COLUMNS];
    if (ask_row(question, name, cells))
        return true;
    return question->status == EXIT_GOOD &&
           question_fail(question, EXIT_USAGE, "no maintenance is \"%s\"", name);
}

static void end_one(struct question *question, struct assignments *wanted)
{
    char kind[] = "maintenance";
    const char *name = question->command->words[1];
    char *words[] = {kind, question->command->words[1]}, error[512];
    if (!assign_read(words, 2, ASSIGN_DELETE, wanted, error))
        question_fail(question, EXIT_USAGE, "%s", error);
    else if (question_is_dcamp(question) && is_there(question, name) &&
             question_set(question, wanted->cells, wanted->n, 1))
        tell_end(question, name);
}

/* -- All of them ----------------------------------------------------------------------------- */

enum exit_status alarms_maintenance_run(const struct command *command, struct client *client,
                                        FILE *to, FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct assignments *wanted = calloc(1, sizeof *wanted);
    int n = command->n_words;
    const char *verb = n > 0 ? command->words[0] : "list";
    if (!wanted)
        question_no_memory(&question);
    else if (strcmp(verb, "start") == 0 && n >= 3)
        start_one(&question, wanted);
    else if (strcmp(verb, "end") == 0 && n == 2)
        end_one(&question, wanted);
    else if (strcmp(verb, "list") != 0 || n > 1)
        question_fail(&question, EXIT_USAGE,
                      "alarms maintenance %s: expected list, start NAME DURATION, or end NAME",
                      verb);
    else if (question_is_dcamp(&question))
        list_all(&question);
    free(wanted);
    return question.status;
}
