#include "cli/get.h"

#include "cli/values.h"

static void print_values(struct question *question, const struct value_choice *choice,
                         const struct value_list *list)
{
    struct sheet_column columns[VALUE_COLUMNS];
    values_columns(columns, choice->below, false);
    struct sheet *sheet = sheet_new(columns, VALUE_COLUMNS);
    bool good = sheet != NULL;
    for (size_t i = 0; good && i < list->n; i++)
        good = values_add(sheet, &list->rows[i]);
    if (good)
        question_print(question, sheet);
    else
        question_no_memory(question);
    sheet_free(sheet);
}

enum exit_status get_run(const struct command *command, struct client *client, FILE *to,
                         FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct value_choice choice = choice_of(command);
    struct value_list list = {0};
    if (question_is_dcamp(&question) && values_read(&question, &choice, &list)) {
        if (list.n == 0)
            values_explain(&question, &choice);
        if (question.status == EXIT_GOOD && list.n == 0 && command->format == SHEET_TABLE)
            fputs("no values\n", to);
        else if (question.status == EXIT_GOOD)
            print_values(&question, &choice, &list);
    }
    values_free(&list);
    return question.status;
}
