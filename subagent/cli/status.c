#include "cli/status.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/question.h"
#include "cli/span.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* -- What there is to be known --------------------------------------------------------------- */

enum {
    NODE,
    DCAMPD_VERSION,
    ROLE,
    GROUP,
    BOOT,
    UP_TIME,
    CONFIG_SERIAL,
    CPU_TIME,
    MEMORY,
    CYCLES,
    LATE_CYCLES,
    SAMPLES,
    SAMPLE_ERRORS,
    SERIES,
    SETS,
    RECONNECTS,
    SENT,
    QUEUED,
    SUPPRESSED,
    DROPPED,
    STATE_SAVED,
    STATE_ERRORS,
    SET_ERROR,
    SET_ERROR_TIME,
    SCALARS
};

/* The columns for programs, in the units of the MIB but for the time since the start, which is in
 * milliseconds, as all spans are. */
static const struct {
    const char *name;
    enum mib_object object;
    enum sheet_kind kind;
} scalars[SCALARS] = {
    [NODE] = {"node", MIB_dcampNodeName, SHEET_TEXT},
    [DCAMPD_VERSION] = {"version", MIB_dcampNodeVersion, SHEET_TEXT},
    [ROLE] = {"role", MIB_dcampNodeRole, SHEET_TEXT},
    [GROUP] = {"group", MIB_dcampNodeGroup, SHEET_TEXT},
    [BOOT] = {"boot", MIB_dcampNodeBoot, SHEET_NUMBER},
    [UP_TIME] = {"upTime", MIB_dcampNodeUpTime, SHEET_SPAN},
    [CONFIG_SERIAL] = {"configSerial", MIB_dcampNodeConfigSerial, SHEET_NUMBER},
    [CPU_TIME] = {"cpuTime", MIB_dcampSelfCpuTime, SHEET_NUMBER},
    [MEMORY] = {"memory", MIB_dcampSelfMemory, SHEET_NUMBER},
    [CYCLES] = {"cycles", MIB_dcampSelfCycles, SHEET_NUMBER},
    [LATE_CYCLES] = {"lateCycles", MIB_dcampSelfLateCycles, SHEET_NUMBER},
    [SAMPLES] = {"samples", MIB_dcampSelfSamples, SHEET_NUMBER},
    [SAMPLE_ERRORS] = {"sampleErrors", MIB_dcampSelfSampleErrors, SHEET_NUMBER},
    [SERIES] = {"series", MIB_dcampSelfSeries, SHEET_NUMBER},
    [SETS] = {"sets", MIB_dcampSelfSets, SHEET_NUMBER},
    [RECONNECTS] = {"reconnects", MIB_dcampSelfReconnects, SHEET_NUMBER},
    [SENT] = {"notificationsSent", MIB_dcampSelfNotificationsSent, SHEET_NUMBER},
    [QUEUED] = {"notificationsQueued", MIB_dcampSelfNotificationsQueued, SHEET_NUMBER},
    [SUPPRESSED] = {"notificationsSuppressed", MIB_dcampSelfNotificationsSuppressed, SHEET_NUMBER},
    [DROPPED] = {"notificationsDropped", MIB_dcampSelfNotificationsDropped, SHEET_NUMBER},
    [STATE_SAVED] = {"stateSaved", MIB_dcampSelfStateSaved, SHEET_TIME},
    [STATE_ERRORS] = {"stateErrors", MIB_dcampSelfStateErrors, SHEET_NUMBER},
    [SET_ERROR] = {"setError", MIB_dcampSelfSetError, SHEET_TEXT},
    [SET_ERROR_TIME] = {"setErrorTime", MIB_dcampSelfSetErrorTime, SHEET_TIME},
};

/* Rows of a table, by what one of its columns says; a state is the number of its label. */
enum { STATES = 8 };

enum { SENSORS, THRESHOLDS, ALARMS, CHILDREN, ALARMS_BELOW, AGGREGATES, SINKS, TALLIES };

static const struct {
    const char *name, *one; /* of all, and of one of them */
    enum mib_object state;  /* counted */
    int most;               /* labels beyond it are of requests, and not of states */
    enum mib_object error;  /* what is wrong with a row; MIB_OBJECTS: it has no such column */
} tables[TALLIES] = {
    [SENSORS] = {"sensors", "sensor", MIB_dcampSensorState, STATES - 1, MIB_dcampSensorError},
    [AGGREGATES] = {"aggregates", "aggregate", MIB_dcampAggregateRowStatus,
                    dcampAggregateRowStatus_notReady, MIB_dcampAggregateError},
    [THRESHOLDS] = {"thresholds", "threshold", MIB_dcampThresholdRowStatus,
                    dcampThresholdRowStatus_notReady, MIB_dcampThresholdError},
    [ALARMS] = {"alarms", "alarm", MIB_dcampAlarmSeverity, STATES - 1, MIB_OBJECTS},
    [ALARMS_BELOW] = {"alarmsBelow", "alarm", MIB_dcampChildAlarmSeverity, STATES - 1, MIB_OBJECTS},
    [SINKS] = {"sinks", "sink", MIB_dcampSinkState, STATES - 1, MIB_dcampSinkError},
    [CHILDREN] = {"children", "child", MIB_dcampChildState, STATES - 1, MIB_dcampChildError},
};

struct tally {
    int64_t all, of[STATES];
};

struct status {
    struct question question;
    struct cell cells[SCALARS];
    struct tally tallies[TALLIES];
    struct sheet *complaints; /* table, name, error */
    int table;                /* that is being walked */
};

static const struct sheet_column complaint_columns[] = {
    {"table", "", SHEET_TEXT}, {"name", "", SHEET_TEXT}, {"error", "", SHEET_TEXT}};

/* -- Asking ---------------------------------------------------------------------------------- */

static bool read_scalars(struct status *status)
{
    for (int i = 0; i < SCALARS; i++)
        cell_scalar(&status->cells[i], scalars[i].object);
    if (!question_get(&status->question, status->cells, SCALARS))
        return false;
    status->cells[UP_TIME].number *= 10; /* TimeTicks */
    return true;
}

static bool take_state(void *context, const struct cell *cell)
{
    struct status *status = context;
    struct tally *tally = &status->tallies[status->table];
    question_progress(&status->question);
    tally->all++;
    if (cell->kind == CELL_NUMBER && cell->number > 0 && cell->number < STATES)
        tally->of[cell->number]++;
    return true;
}

static struct sheet_value text_value(const char *text)
{
    return (struct sheet_value){.given = true, .text = text, .len = strlen(text)};
}

static bool take_complaint(void *context, const struct cell *cell)
{
    struct status *status = context;
    char name[NAME_SIZE];
    size_t at = 0;
    question_progress(&status->question);
    if (cell->kind != CELL_TEXT || cell->text_len == 0 ||
        !cell_index_text(cell, &at, name, sizeof name))
        return true;
    const struct sheet_value values[] = {text_value(tables[status->table].one),
                                         text_value(name),
                                         {true, cell->text, cell->text_len, 0}};
    return sheet_add(status->complaints, values) || question_no_memory(&status->question);
}

/* If all children are up, none of them complains, and there may be very many. Without children no
 * aggregate has a value, as it should be: the default configuration has some aggregates. */
static bool may_complain(const struct status *status, int table)
{
    const struct tally *children = &status->tallies[CHILDREN];
    return tables[table].error != MIB_OBJECTS &&
           (table != CHILDREN || children->of[dcampChildState_up] < children->all) &&
           (table != AGGREGATES || children->all > 0);
}

static bool read_table(struct status *status, int table)
{
    struct cell start;
    status->table = table;
    cell_start(&start, tables[table].state);
    if (!question_walk(&status->question, &start, 30, take_state, status))
        return false;
    if (!may_complain(status, table))
        return true;
    cell_start(&start, tables[table].error);
    return question_walk(&status->question, &start, (size_t)status->tallies[table].all,
                         take_complaint, status);
}

/* -- For programs ---------------------------------------------------------------------------- */

#define LABEL_SIZE 64
#define COLUMNS_MAX (SCALARS + TALLIES * (STATES + 1))

/* The columns of one row with everything; names that are made, as "childrenUp", are in names. */
struct status_row {
    struct sheet_column columns[COLUMNS_MAX];
    struct sheet_value values[COLUMNS_MAX];
    char names[COLUMNS_MAX][LABEL_SIZE];
    size_t n;
};

static void add_count(struct status_row *row, const char *name, const char *label, int64_t number)
{
    char *made = row->names[row->n];
    text_format(made, LABEL_SIZE, "%s%c%s", name, toupper((unsigned char)*label), label + !!*label);
    row->columns[row->n] = (struct sheet_column){made, NULL, SHEET_NUMBER};
    row->values[row->n++] = (struct sheet_value){.given = true, .number = number};
}

static void fill_status_row(const struct status *status, struct status_row *row)
{
    for (; row->n < SCALARS; row->n++) {
        row->columns[row->n] =
            (struct sheet_column){scalars[row->n].name, NULL, scalars[row->n].kind};
        question_value(&row->values[row->n], scalars[row->n].kind, &status->cells[row->n]);
    }
    for (int i = 0; i < TALLIES; i++) {
        const struct mib_info *info = &mib_objects[tables[i].state];
        add_count(row, tables[i].name, "", status->tallies[i].all);
        for (size_t j = 0; j < info->n_labels; j++)
            if (info->labels[j].value <= tables[i].most)
                add_count(row, tables[i].name, info->labels[j].name,
                          status->tallies[i].of[info->labels[j].value]);
    }
}

static void print_data(struct status *status)
{
    struct status_row *row = calloc(1, sizeof *row);
    struct sheet *sheet = NULL;
    if (row) {
        fill_status_row(status, row);
        sheet = sheet_new(row->columns, row->n);
    }
    if (sheet && sheet_add(sheet, row->values))
        (void)(question_print(&status->question, sheet) &&
               question_print(&status->question, status->complaints));
    else
        question_no_memory(&status->question);
    sheet_free(sheet);
    free(row);
}

/* -- For people ------------------------------------------------------------------------------ */

#define LINE_SIZE 400

struct page {
    struct sheet *sheet;
    bool complete;
};

__attribute__((format(printf, 3, 4))) static void add_line(struct page *page, const char *label,
                                                           const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const struct sheet_value values[] = {text_value(label), text_value(line)};
    page->complete = page->complete && sheet_add(page->sheet, values);
}

/* "12: 11 sampling, 1 unavailable", or just "0" if there are none. */
static void add_tally(struct page *page, const struct status *status, int table)
{
    char line[LINE_SIZE];
    const struct tally *tally = &status->tallies[table];
    const struct mib_info *info = &mib_objects[tables[table].state];
    size_t at = (size_t)snprintf(line, sizeof line, "%" PRId64, tally->all);
    const char *separator = ": ";
    for (size_t i = 0; i < info->n_labels; i++) {
        int value = info->labels[i].value;
        if (value >= STATES || tally->of[value] == 0)
            continue;
        at += (size_t)snprintf(line + at, sizeof line - at, "%s%" PRId64 " %s", separator,
                               tally->of[value], info->labels[i].name);
        separator = ", ";
    }
    add_line(page, table == ALARMS_BELOW ? "alarms below" : tables[table].name, "%s", line);
}

static void add_cost(struct page *page, const struct cell *cells)
{
    double cpu_ms = (double)cells[CPU_TIME].number / 1000, up_ms = (double)cells[UP_TIME].number;
    char spent[SPAN_SIZE];
    span_format(spent, cells[CPU_TIME].number / 1000);
    add_line(page, "cost", "%s of CPU, %.2f %% since the start; %.1f MB of memory", spent,
             up_ms > 0 ? 100 * cpu_ms / up_ms : 0, (double)cells[MEMORY].number / 1000);
}

static void add_work(struct page *page, const struct cell *cells)
{
    add_line(page, "series", "%" PRId64, cells[SERIES].number);
    add_line(page, "cycles", "%" PRId64 ", %" PRId64 " late", cells[CYCLES].number,
             cells[LATE_CYCLES].number);
    add_line(page, "samples", "%" PRId64 ", %" PRId64 " errors", cells[SAMPLES].number,
             cells[SAMPLE_ERRORS].number);
    add_cost(page, cells);
    add_line(page, "notifications",
             "%" PRId64 " sent, %" PRId64 " queued, %" PRId64 " suppressed, %" PRId64 " dropped",
             cells[SENT].number, cells[QUEUED].number, cells[SUPPRESSED].number,
             cells[DROPPED].number);
    add_line(page, "configuration",
             "serial %" PRId64 ", %" PRId64 " SETs; %" PRId64 " errors when it was saved",
             cells[CONFIG_SERIAL].number, cells[SETS].number, cells[STATE_ERRORS].number);
    if (cells[SET_ERROR].text_len > 0)
        add_line(page, "refused last", "%s", cells[SET_ERROR].text);
}

static void print_page(struct status *status)
{
    static const struct sheet_column columns[] = {{"", "", SHEET_TEXT}, {"", "", SHEET_TEXT}};
    const struct cell *cells = status->cells;
    struct page page = {.sheet = sheet_new(columns, COUNT(columns)), .complete = true};
    char up[SPAN_SIZE];
    if (!page.sheet) {
        question_no_memory(&status->question);
        return;
    }
    span_format(up, cells[UP_TIME].number);
    add_line(&page, "node", "%s, %s, dcampd %s", cells[NODE].text, cell_label(&cells[ROLE]),
             cells[DCAMPD_VERSION].text);
    add_line(&page, "up", "%s, boot %" PRId64, up, cells[BOOT].number);
    for (int i = 0; i < TALLIES; i++)
        add_tally(&page, status, i);
    add_work(&page, cells);
    if (!page.complete)
        question_no_memory(&status->question);
    else if (question_print(&status->question, page.sheet))
        question_print(&status->question, status->complaints);
    sheet_free(page.sheet);
}

enum exit_status status_run(const struct command *command, struct client *client, FILE *to,
                            FILE *errors)
{
    struct status *status = calloc(1, sizeof *status);
    if (!status) {
        fputs("dcamp: no memory\n", errors);
        return EXIT_BROKEN;
    }
    status->question = (struct question){command, client, to, errors, EXIT_GOOD};
    status->complaints = sheet_new(complaint_columns, COUNT(complaint_columns));
    bool good = (status->complaints || question_no_memory(&status->question)) &&
                question_is_dcamp(&status->question) && read_scalars(status);
    for (int i = 0; good && i < TALLIES; i++)
        good = read_table(status, i);
    if (good && command->format == SHEET_TABLE)
        print_page(status);
    else if (good)
        print_data(status);
    enum exit_status left = status->question.status;
    sheet_free(status->complaints);
    free(status);
    return left;
}
