#include "cli/question.h"

#include <stdarg.h>
#include <string.h>

#include "base/clock.h"

bool question_fail(struct question *question, enum exit_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("dcamp: ", question->errors);
    vfprintf(question->errors, format, arguments);
    putc('\n', question->errors);
    va_end(arguments);
    question->status = status;
    return false;
}

bool question_no_memory(struct question *question)
{
    return question_fail(question, EXIT_BROKEN, "no memory");
}

bool question_client_failed(struct question *question)
{
    static const enum exit_status statuses[] = {[CLIENT_OK] = EXIT_BROKEN,
                                                [CLIENT_SILENT] = EXIT_SILENT,
                                                [CLIENT_REFUSED] = EXIT_REFUSED,
                                                [CLIENT_BROKEN] = EXIT_BROKEN};
    return question_fail(question, statuses[client_failure(question->client)], "%s",
                         client_error(question->client));
}

void question_progress(struct question *question)
{
    client_extend(question->client, clock_mono_ns() + question->command->timeout_s * NS_PER_S);
}

bool question_get(struct question *question, struct cell *cells, size_t n)
{
    question_progress(question);
    return client_get(question->client, cells, n) || question_client_failed(question);
}

bool question_walk(struct question *question, const struct cell *start, size_t expected,
                   client_take *take, void *context)
{
    question_progress(question);
    return (client_walk(question->client, start, expected, take, context) ||
            question_client_failed(question)) &&
           question->status == EXIT_GOOD;
}

bool question_is_dcamp(struct question *question)
{
    struct cell name;
    cell_scalar(&name, MIB_dcampNodeName);
    if (!question_get(question, &name, 1))
        return false;
    return name.kind == CELL_TEXT ||
           question_fail(question, EXIT_SILENT,
                         "snmpd answers, but there is no DCAMP-MIB: dcampd is not running, or the "
                         "user must not see it");
}

bool question_print(struct question *question, struct sheet *sheet)
{
    return sheet_print(sheet, question->command->format, question->to) ||
           question_no_memory(question);
}

void question_value(struct sheet_value *value, enum sheet_kind kind, const struct cell *cell)
{
    *value = (struct sheet_value){.given = cell->kind == CELL_NUMBER, .number = cell->number};
    if (kind == SHEET_TIME) {
        value->given = cell_date(cell, &value->number);
    } else if (kind == SHEET_TEXT && cell->kind == CELL_TEXT) {
        *value = (struct sheet_value){.given = true, .text = cell->text, .len = cell->text_len};
    } else if (kind == SHEET_TEXT) {
        value->text = cell_label(cell);
        value->len = strlen(value->text);
    } else if (kind == SHEET_TRUTH) {
        value->number = cell->number == 1; /* true(1) of RFC 2579 */
    }
}
