#include "cli/set.h"

#include <stdlib.h>
#include <string.h>

#include "cli/assign.h"
#include "cli/question.h"

static void print_settings(struct question *question, const struct assignments *set)
{
    static const struct sheet_column columns[] = {
        {"object", "", SHEET_TEXT}, {"row", "", SHEET_TEXT}, {"value", "", SHEET_TEXT}};
    struct sheet *sheet = sheet_new(columns, sizeof columns / sizeof *columns);
    bool good = sheet != NULL;
    for (size_t i = 0; good && i < set->n; i++) {
        const struct cell *cell = &set->cells[i];
        const char *object = mib_objects[cell->object].name;
        char row[2 * NAME_SIZE] = "";
        assign_row_text(cell, row, sizeof row);
        const struct sheet_value values[] = {{true, object, strlen(object), 0},
                                             {true, row, strlen(row), 0},
                                             {true, set->values[i], strlen(set->values[i]), 0}};
        good = sheet_add(sheet, values);
    }
    if (good)
        question_print(question, sheet);
    else
        question_no_memory(question);
    sheet_free(sheet);
}

static void set_all(struct question *question, const struct assignments *wanted)
{
    if (question_is_dcamp(question) && question_set(question, wanted->cells, wanted->n, 1))
        print_settings(question, wanted);
}

enum exit_status set_run(const struct command *command, struct client *client, FILE *to,
                         FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct assignments *wanted = calloc(1, sizeof *wanted);
    bool create = command_has(command, COMMAND_CREATE);
    bool delete = command_has(command, COMMAND_DELETE);
    enum assign_row row = create ? ASSIGN_CREATE : delete ? ASSIGN_DELETE : ASSIGN_CHANGE;
    char error[512];
    if (!wanted)
        question_no_memory(&question);
    else if (create && delete)
        question_fail(&question, EXIT_USAGE, "--create does not go with --delete");
    else if (!assign_read(command->words, command->n_words, row, wanted, error))
        question_fail(&question, EXIT_USAGE, "%s", error);
    else
        set_all(&question, wanted);
    free(wanted);
    return question.status;
}
