#include "cli/question.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"

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

void question_sleep(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
        continue;
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

/* The node keeps only the latest refusal, whoever was refused: it counts as ours if it is of an
 * object of ours. It does not include what snmpd itself refuses. */
static bool is_of(const struct cell *reason, const struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = mib_objects[cells[i].object].name;
        size_t len = strlen(name);
        if (strncmp(reason->text, name, len) == 0 && strchr(".:", reason->text[len]))
            return true;
    }
    return false;
}

static bool tell_refusal(struct question *question, const struct cell *cells, size_t n)
{
    struct cell reason;
    long status = client_error_status(question->client);
    if (status == SNMP_ERR_NOACCESS || status == SNMP_ERR_AUTHORIZATIONERROR)
        return question_fail(question, EXIT_REFUSED, "snmpd does not let this user set it");
    /* The next question overwrites what the client says of the SET. */
    char generic[256], *why = NULL;
    text_format(generic, sizeof generic, "%s", client_error(question->client));
    cell_scalar(&reason, MIB_dcampSelfSetError);
    question_progress(question);
    if (client_get(question->client, &reason, 1) && reason.kind == CELL_TEXT &&
        is_of(&reason, cells, n))
        why = sheet_clean(reason.text, reason.text_len);
    question_fail(question, EXIT_REFUSED, "%s", why ? why : generic);
    free(why);
    return false;
}

bool question_set_failed(struct question *question, const struct cell *cells, size_t n)
{
    struct client *client = question->client;
    return client_failure(client) == CLIENT_REFUSED && client_error_status(client) != 0
               ? tell_refusal(question, cells, n)
               : question_client_failed(question);
}

bool question_set(struct question *question, const struct cell *cells, size_t n, unsigned tries)
{
    struct client *client = question->client;
    for (;;) {
        question_progress(question);
        if (client_set(client, cells, n))
            return true;
        if (client_failure(client) != CLIENT_SILENT || tries <= 1)
            break;
        tries--;
    }
    return question_set_failed(question, cells, n);
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
        value->number = cell_is_true(cell);
    }
}
