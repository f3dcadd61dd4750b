#include "cli/deviations.h"

#include <stdlib.h>
#include <string.h>

#include "cli/assign.h"
#include "cli/question.h"

/* More than any node has: an answer with more is not believed. */
#define ROWS_MAX 100000

enum { ROW, WHAT, LOCAL, ERROR, COLUMNS };

static const struct sheet_column columns[COLUMNS] = {[ROW] = {"row", "ROW", SHEET_TEXT},
                                                     [WHAT] = {"what", "WHAT", SHEET_TEXT},
                                                     [LOCAL] = {"local", "LOCAL", SHEET_TRUTH},
                                                     [ERROR] = {"error", "ERROR", SHEET_TEXT}};

static const enum mib_object objects[COLUMNS] = {[WHAT] = MIB_dcampDeviationWhat,
                                                 [LOCAL] = MIB_dcampDeviationLocal,
                                                 [ERROR] = MIB_dcampDeviationError};

struct deviating {
    uint32_t kind;
    char name[NAME_SIZE];
};

struct deviating_list {
    struct question *question;
    struct deviating *rows;
    size_t n, room;
};

/* -- Which there are ------------------------------------------------------------------------- */

static bool have_room(struct deviating_list *list)
{
    if (list->n < list->room)
        return true;
    size_t room = list->room * 2 + 64;
    struct deviating *rows = reallocarray(list->rows, room, sizeof *rows);
    if (!rows)
        return question_no_memory(list->question);
    list->rows = rows;
    list->room = room;
    return true;
}

static bool take_row(void *context, const struct cell *cell)
{
    struct deviating_list *list = context;
    struct deviating row;
    size_t at = 0;
    question_progress(list->question);
    if (!cell_index_number(cell, &at, &row.kind) ||
        !cell_index_text(cell, &at, row.name, sizeof row.name))
        return true;
    if (list->n == ROWS_MAX)
        return question_fail(list->question, EXIT_BROKEN, "more deviations than any node has");
    if (!have_room(list))
        return false;
    list->rows[list->n++] = row;
    return true;
}

static bool find_rows(struct deviating_list *list)
{
    struct cell column;
    cell_start(&column, MIB_dcampDeviationWhat);
    return question_walk(list->question, &column, 20, take_row, list);
}

/* -- What they are --------------------------------------------------------------------------- */

/* A row that is gone by now is left out. */
static bool add_row(struct question *question, const struct deviating *row, struct sheet *sheet)
{
    struct cell cells[COLUMNS];
    struct sheet_value values[COLUMNS];
    char text[2 * NAME_SIZE] = "";
    for (size_t i = WHAT; i < COLUMNS; i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_number(&cells[i], row->kind);
        cell_add_text(&cells[i], row->name);
    }
    if (!question_get(question, &cells[WHAT], COLUMNS - WHAT))
        return false;
    if (cells[WHAT].kind != CELL_NUMBER)
        return true;
    for (size_t i = WHAT; i < COLUMNS; i++)
        question_value(&values[i], columns[i].kind, &cells[i]);
    assign_row_text(&cells[WHAT], text, sizeof text);
    values[ROW] = (struct sheet_value){.given = true, .text = text, .len = strlen(text)};
    return sheet_add(sheet, values) || question_no_memory(question);
}

static void print_rows(const struct deviating_list *list)
{
    struct question *question = list->question;
    struct sheet *sheet = sheet_new(columns, COLUMNS);
    bool good = sheet || question_no_memory(question);
    for (size_t i = 0; good && i < list->n; i++)
        good = add_row(question, &list->rows[i], sheet);
    if (good)
        question_print(question, sheet);
    sheet_free(sheet);
}

enum exit_status deviations_run(const struct command *command, struct client *client, FILE *to,
                                FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct deviating_list list = {.question = &question};
    if (question_is_dcamp(&question) && find_rows(&list)) {
        if (list.n == 0 && command->format == SHEET_TABLE)
            fputs("no deviations\n", to);
        else
            print_rows(&list);
    }
    free(list.rows);
    return question.status;
}
