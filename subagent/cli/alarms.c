#include "cli/alarms.h"

#include <stdlib.h>
#include <string.h>

#include "cli/question.h"
#include "cli/serial.h"
#include "cli/sheet.h"

/* Rows that are asked for at a time. */
#define CHUNK 24

/* More than any node keeps: an answer with more is not believed. */
#define ROWS_MAX 1000000

/* -- The tables ------------------------------------------------------------------------------ */

/* The columns of what is printed, with the objects that they come from. The first object is a
 * number that every row has. */
struct alarm_source {
    const struct sheet_column *columns;
    const enum mib_object *objects;
    size_t n_objects;
};

#define NO_OBJECT MIB_OBJECTS

/* The first column of this and of the log is the index, which is a sequence number; the others have
 * an object each. */
static const struct sheet_column alarm_columns[] = {{"index", NULL, SHEET_NUMBER},
                                                    {"severity", "SEVERITY", SHEET_TEXT},
                                                    {"since", "SINCE", SHEET_TIME},
                                                    {"path", "BELOW", SHEET_TEXT},
                                                    {"key", "KEY", SHEET_TEXT},
                                                    {"node", NULL, SHEET_TEXT},
                                                    {"threshold", NULL, SHEET_TEXT},
                                                    {"sensor", NULL, SHEET_TEXT},
                                                    {"instance", NULL, SHEET_TEXT},
                                                    {"value", "VALUE", SHEET_TEXT},
                                                    {"limit", "LIMIT", SHEET_TEXT},
                                                    {"held", "HELD", SHEET_TEXT},
                                                    {"acknowledged", "ACKNOWLEDGED", SHEET_TEXT},
                                                    {"acknowledgedAt", NULL, SHEET_TIME},
                                                    {"sequence", NULL, SHEET_NUMBER},
                                                    {"unconfirmedSince", "UNCONFIRMED", SHEET_TIME},
                                                    {"message", "MESSAGE", SHEET_TEXT}};
static const enum mib_object alarm_objects[] = {MIB_dcampAlarmSeverity,
                                                MIB_dcampAlarmSince,
                                                NO_OBJECT,
                                                MIB_dcampAlarmKey,
                                                MIB_dcampAlarmNode,
                                                MIB_dcampAlarmThreshold,
                                                MIB_dcampAlarmSensor,
                                                MIB_dcampAlarmInstance,
                                                MIB_dcampAlarmValueText,
                                                MIB_dcampAlarmThresholdText,
                                                MIB_dcampAlarmHeld,
                                                MIB_dcampAlarmAcknowledge,
                                                MIB_dcampAlarmAcknowledgedAt,
                                                MIB_dcampAlarmSequence,
                                                NO_OBJECT,
                                                MIB_dcampAlarmMessage};

/* For alarms below, the first column has an object, too: the index at the node that raised it. */
static const enum mib_object below_objects[] = {MIB_dcampChildAlarmIndex,
                                                MIB_dcampChildAlarmSeverity,
                                                MIB_dcampChildAlarmSince,
                                                MIB_dcampChildAlarmPath,
                                                MIB_dcampChildAlarmKey,
                                                MIB_dcampChildAlarmNode,
                                                MIB_dcampChildAlarmThreshold,
                                                MIB_dcampChildAlarmSensor,
                                                MIB_dcampChildAlarmInstance,
                                                MIB_dcampChildAlarmValueText,
                                                MIB_dcampChildAlarmThresholdText,
                                                NO_OBJECT,
                                                MIB_dcampChildAlarmAcknowledged,
                                                MIB_dcampChildAlarmAcknowledgedAt,
                                                NO_OBJECT,
                                                MIB_dcampChildAlarmUnconfirmedSince,
                                                MIB_dcampChildAlarmMessage};

static const struct sheet_column log_columns[] = {
    {"sequence", "NUMBER", SHEET_NUMBER}, {"event", "EVENT", SHEET_TEXT},
    {"time", "TIME", SHEET_TIME},         {"key", "KEY", SHEET_TEXT},
    {"severity", "SEVERITY", SHEET_TEXT}, {"node", NULL, SHEET_TEXT},
    {"threshold", NULL, SHEET_TEXT},      {"sensor", NULL, SHEET_TEXT},
    {"instance", NULL, SHEET_TEXT},       {"value", "VALUE", SHEET_TEXT},
    {"limit", "LIMIT", SHEET_TEXT},       {"notified", NULL, SHEET_TRUTH},
    {"held", NULL, SHEET_TEXT},           {"suppressed", NULL, SHEET_NUMBER},
    {"message", "MESSAGE", SHEET_TEXT}};
static const enum mib_object log_objects[] = {
    MIB_dcampAlarmLogEvent,         MIB_dcampAlarmLogTime,     MIB_dcampAlarmLogKey,
    MIB_dcampAlarmLogSeverity,      MIB_dcampAlarmLogNode,     MIB_dcampAlarmLogThreshold,
    MIB_dcampAlarmLogSensor,        MIB_dcampAlarmLogInstance, MIB_dcampAlarmLogValueText,
    MIB_dcampAlarmLogThresholdText, MIB_dcampAlarmLogNotified, MIB_dcampAlarmLogHeld,
    MIB_dcampAlarmLogSuppressed,    MIB_dcampAlarmLogMessage};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define OBJECTS_MAX COUNT(alarm_objects)
_Static_assert(COUNT(alarm_columns) == COUNT(alarm_objects) + 1, "a column for each object");
_Static_assert(COUNT(alarm_columns) == COUNT(below_objects), "a column for each object");
_Static_assert(COUNT(log_columns) == COUNT(log_objects) + 1, "a column for each object");
_Static_assert(COUNT(log_objects) <= OBJECTS_MAX, "room for a row of each");

static const struct alarm_source active = {alarm_columns, alarm_objects, COUNT(alarm_objects)};
static const struct alarm_source below = {alarm_columns, below_objects, COUNT(below_objects)};
static const struct alarm_source history = {log_columns, log_objects, COUNT(log_objects)};

/* -- Asking ---------------------------------------------------------------------------------- */

struct number_list {
    uint32_t *numbers;
    size_t n, room;
};

static bool list_add(struct number_list *list, uint32_t number)
{
    if (list->n == list->room) {
        size_t room = list->room * 2 + 64;
        uint32_t *numbers = reallocarray(list->numbers, room, sizeof *numbers);
        if (!numbers)
            return false;
        list->numbers = numbers;
        list->room = room;
    }
    list->numbers[list->n++] = number;
    return true;
}

/* The index of a row; 0: the cell is not one of a row. */
static uint32_t index_of(const struct cell *cell)
{
    uint32_t number;
    size_t at = 0;
    if (!cell_index_number(cell, &at, &number) ||
        cell->len != mib_objects[cell->object].oid_len + at)
        return 0;
    return number;
}

/* The value is left out if it says that nothing holds the alarm. */
static void alarm_value(struct sheet_value *value, enum sheet_kind kind, const struct cell *cell)
{
    bool none = (cell->object == MIB_dcampAlarmHeld && cell->number == dcampAlarmHeld_none) ||
                (cell->object == MIB_dcampAlarmLogHeld && cell->number == dcampAlarmLogHeld_none);
    question_value(value, kind, cell);
    value->given = value->given && !none;
}

/* Fills the columns of the objects, from the first of these columns on. */
static void fill_values(struct sheet_value *values, const struct sheet_column *columns,
                        const struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        alarm_value(&values[i], columns[i].kind, &cells[i]);
}

static bool add_alarm_row(struct sheet *sheet, const struct alarm_source *source, uint32_t number,
                          const struct cell *cells)
{
    struct sheet_value values[OBJECTS_MAX + 1] = {{.given = true, .number = number}};
    fill_values(values + 1, source->columns + 1, cells, source->n_objects);
    return sheet_add(sheet, values);
}

/* For an object that a table does not have, one is asked for that every node has, but not of such
 * an instance: the cell is then missing. */
static void start_cell(struct cell *cell, enum mib_object object)
{
    cell_start(cell, object == NO_OBJECT ? MIB_dcampNodeName : object);
}

/* Reads the rows of n numbers, at most CHUNK. The numbers of rows that are gone by now are
 * removed. */
static bool read_chunk(struct question *question, const struct alarm_source *source,
                       struct number_list *list, size_t from, size_t n, struct sheet *sheet,
                       struct cell *cells)
{
    size_t width = source->n_objects, kept = from;
    for (size_t i = 0; i < n * width; i++) {
        start_cell(&cells[i], source->objects[i % width]);
        cell_add_number(&cells[i], list->numbers[from + i / width]);
    }
    if (!question_get(question, cells, n * width))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct cell *row = cells + i * width;
        if (row->kind != CELL_NUMBER)
            continue;
        list->numbers[kept++] = list->numbers[from + i];
        if (!add_alarm_row(sheet, source, list->numbers[kept - 1], row))
            return question_no_memory(question);
    }
    memmove(list->numbers + kept, list->numbers + from + n,
            (list->n - from - n) * sizeof *list->numbers);
    list->n -= from + n - kept;
    return true;
}

static bool read_rows(struct question *question, const struct alarm_source *source,
                      struct number_list *list, struct sheet *sheet)
{
    struct cell *cells = calloc(CHUNK * source->n_objects, sizeof *cells);
    bool good = cells || question_no_memory(question);
    for (size_t done = 0; good && done < list->n;) {
        size_t left = list->n - done, n = left < CHUNK ? left : CHUNK;
        good = read_chunk(question, source, list, done, n, sheet, cells);
        done += n - (left - (list->n - done));
    }
    free(cells);
    return good;
}

/* -- Active alarms --------------------------------------------------------------------------- */

enum { RANKS = dcampAlarmSeverity_critical + 1 };

/* Numbers of alarms by severity; rank 0 has those without one. */
struct alarm_ranks {
    struct question *question;
    struct number_list lists[RANKS];
    size_t n;
};

static bool take_alarm(void *context, const struct cell *cell)
{
    struct alarm_ranks *ranks = context;
    uint32_t number = index_of(cell);
    bool known = cell->kind == CELL_NUMBER && cell->number > 0 && cell->number < RANKS;
    question_progress(ranks->question);
    if (number == 0)
        return true;
    if (ranks->n++ == ROWS_MAX)
        return question_fail(ranks->question, EXIT_BROKEN, "more alarms than any node has");
    return list_add(&ranks->lists[known ? cell->number : 0], number) ||
           question_no_memory(ranks->question);
}

static bool find_alarms(struct question *question, struct alarm_ranks *ranks)
{
    struct cell column;
    cell_start(&column, MIB_dcampAlarmSeverity);
    return question_walk(question, &column, 4, take_alarm, ranks);
}

/* -- Active alarms of the nodes below -------------------------------------------------------- */

struct alarm_place {
    char child[NAME_SIZE];
    uint32_t number;
    int64_t severity;
};

struct alarm_places {
    struct question *question;
    struct alarm_place *places;
    size_t n, room;
};

static bool take_below(void *context, const struct cell *cell)
{
    struct alarm_places *list = context;
    struct alarm_place place = {.severity = cell->number};
    size_t at = 0;
    question_progress(list->question);
    if (cell->kind != CELL_NUMBER || !cell_index_text(cell, &at, place.child, sizeof place.child) ||
        !cell_index_number(cell, &at, &place.number))
        return true;
    if (list->n == ROWS_MAX)
        return question_fail(list->question, EXIT_BROKEN, "more alarms than any node has");
    if (list->n == list->room) {
        size_t room = list->room * 2 + 64;
        struct alarm_place *places = reallocarray(list->places, room, sizeof *places);
        if (!places)
            return question_no_memory(list->question);
        list->places = places;
        list->room = room;
    }
    list->places[list->n++] = place;
    return true;
}

static bool find_below(struct question *question, struct alarm_places *list)
{
    struct cell column;
    cell_start(&column, MIB_dcampChildAlarmSeverity);
    return question_walk(question, &column, 4, take_below, list);
}

static bool read_places(struct question *question, const struct alarm_place *places, size_t n,
                        struct cell *cells, struct sheet *sheet, size_t *found)
{
    struct sheet_value values[OBJECTS_MAX + 1];
    size_t width = below.n_objects;
    for (size_t i = 0; i < n * width; i++) {
        start_cell(&cells[i], below.objects[i % width]);
        cell_add_text(&cells[i], places[i / width].child);
        cell_add_number(&cells[i], places[i / width].number);
    }
    if (!question_get(question, cells, n * width))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (cells[i * width].kind != CELL_NUMBER)
            continue; /* it is over by now */
        fill_values(values, below.columns, cells + i * width, width);
        if (!sheet_add(sheet, values))
            return question_no_memory(question);
        ++*found;
    }
    return true;
}

/* Reads those of one severity, in the order of the table. */
static bool read_below(struct question *question, const struct alarm_places *list, int severity,
                       struct sheet *sheet, size_t *found)
{
    struct cell *cells = calloc(CHUNK * below.n_objects, sizeof *cells);
    struct alarm_place chunk[CHUNK];
    size_t n = 0;
    bool good = cells || question_no_memory(question);
    for (size_t i = 0; good && i < list->n; i++) {
        if (list->places[i].severity == severity)
            chunk[n++] = list->places[i];
        if (n == CHUNK || (n > 0 && i == list->n - 1)) {
            good = read_places(question, chunk, n, cells, sheet, found);
            n = 0;
        }
    }
    free(cells);
    return good;
}

/* -- All active alarms ----------------------------------------------------------------------- */

/* Leaves out the columns that only alarms below have, unless there are such alarms. */
static void choose_columns(struct sheet_column *columns, bool all)
{
    memcpy(columns, alarm_columns, sizeof alarm_columns);
    for (size_t i = 0; i < active.n_objects; i++)
        if (!all && active.objects[i] == NO_OBJECT)
            columns[i + 1].heading = NULL;
}

static void print_alarms(struct question *question, struct sheet *sheet, size_t n)
{
    if (n == 0 && question->command->format == SHEET_TABLE)
        fputs("no active alarms\n", question->to);
    else
        question_print(question, sheet);
}

/* The most severe first; of each severity the node's own, then those below. */
static void active_alarms(struct question *question)
{
    struct alarm_ranks ranks = {.question = question};
    struct alarm_places places = {.question = question};
    struct sheet_column columns[COUNT(alarm_columns)];
    bool good = find_alarms(question, &ranks) && find_below(question, &places);
    choose_columns(columns, places.n > 0);
    struct sheet *sheet = sheet_new(columns, COUNT(columns));
    good = good && (sheet || question_no_memory(question));
    size_t n = 0;
    for (int i = RANKS - 1; i >= 0; i--) {
        struct number_list *list = &ranks.lists[i];
        serial_order(list->numbers, list->n);
        good = good && read_rows(question, &active, list, sheet) &&
               read_below(question, &places, i, sheet, &n);
        n += list->n;
        free(list->numbers);
    }
    free(places.places);
    if (good)
        print_alarms(question, sheet, n);
    sheet_free(sheet);
}

/* -- The log --------------------------------------------------------------------------------- */

struct log_walk {
    struct question *question;
    uint32_t since; /* 0: all */
    bool round;     /* the walk has begun again at 1 */
    struct number_list list;
};

/* An entry that is not after since was made before the numbers wrapped, as were all that follow it
 * in the walk, which ends there. A second walk ends where the first one began. */
static bool take_entry(void *context, const struct cell *cell)
{
    struct log_walk *entries = context;
    uint32_t number = index_of(cell);
    question_progress(entries->question);
    if (number == 0)
        return true;
    if ((entries->since && !serial_is_after(number, entries->since)) ||
        (entries->round && number > entries->since))
        return false;
    if (entries->list.n == ROWS_MAX)
        return question_fail(entries->question, EXIT_BROKEN, "more entries than any node keeps");
    return list_add(&entries->list, number) || question_no_memory(entries->question);
}

/* Finds the entries after since, up to where the numbers wrap; then, if 1 counts as after since,
 * those from 1 on. */
static bool find_entries(struct question *question, struct log_walk *entries)
{
    struct cell column, after;
    cell_start(&column, MIB_dcampAlarmLogEvent);
    after = column;
    cell_add_number(&after, entries->since);
    question_progress(question);
    if (!client_walk_after(question->client, &column, &after, 4, take_entry, entries))
        return question_client_failed(question);
    entries->round = entries->since > 1 && serial_is_after(1, entries->since);
    if (question->status == EXIT_GOOD && entries->round &&
        !client_walk(question->client, &column, 4, take_entry, entries))
        return question_client_failed(question);
    if (!entries->since)
        serial_order(entries->list.numbers, entries->list.n);
    return question->status == EXIT_GOOD;
}

/* Keeps only the latest entries (count 0: all). Nobody has asked for those before them, so that
 * they do not count as missing. */
static void keep_latest(struct log_walk *entries, size_t count)
{
    struct number_list *list = &entries->list;
    if (count == 0 || list->n <= count)
        return;
    memmove(list->numbers, list->numbers + list->n - count, count * sizeof *list->numbers);
    list->n = count;
    entries->since = 0;
}

static void tell_gaps(struct question *question, const struct log_walk *entries)
{
    uint32_t before = entries->since;
    for (size_t i = 0; i < entries->list.n; i++) {
        uint32_t number = entries->list.numbers[i];
        uint32_t missing = before ? serial_gap(before, number) : 0;
        if (missing)
            question_fail(question, EXIT_CUT,
                          "%u %s after %u %s not kept any more: the next one is %u", missing,
                          missing == 1 ? "entry" : "entries", before, missing == 1 ? "is" : "are",
                          number);
        before = number;
    }
}

/* For a log that has nothing after since. A log always keeps its latest entry: all is well if that
 * is since. */
static bool is_latest(struct question *question, uint32_t since)
{
    struct cell event;
    cell_start(&event, MIB_dcampAlarmLogEvent);
    cell_add_number(&event, since);
    if (!question_get(question, &event, 1))
        return false;
    return event.kind == CELL_NUMBER ||
           question_fail(
               question, EXIT_CUT,
               "there is no entry %u and none after it: the log began anew, or this is another "
               "node (--since 0 prints what there is)",
               since);
}

static void print_last(const struct question *question, uint32_t last)
{
    enum sheet_format format = question->command->format;
    if (format == SHEET_JSON)
        fprintf(question->to, "{\"last\":%u}\n", last);
    else
        fprintf(question->to, "%s%u\n", format == SHEET_TSV ? "#last\t" : "last: ", last);
}

static bool read_log(struct question *question, struct log_walk *entries, struct sheet *sheet)
{
    if (!find_entries(question, entries))
        return false;
    keep_latest(entries, question->command->count);
    return read_rows(question, &history, &entries->list, sheet);
}

static void alarm_log(struct question *question)
{
    struct sheet *sheet = sheet_new(history.columns, history.n_objects + 1);
    struct log_walk entries = {.question = question, .since = question->command->since};
    struct number_list *list = &entries.list;
    if ((sheet || question_no_memory(question)) && read_log(question, &entries, sheet) &&
        (list->n > 0 || !entries.since || is_latest(question, entries.since))) {
        tell_gaps(question, &entries);
        question_print(question, sheet);
        if (question->status != EXIT_BROKEN)
            print_last(question, list->n > 0 ? list->numbers[list->n - 1] : entries.since);
    }
    free(list->numbers);
    sheet_free(sheet);
}

/* -- Both ------------------------------------------------------------------------------------ */

enum exit_status alarms_run(const struct command *command, struct client *client, FILE *to,
                            FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    if (question_is_dcamp(&question) && command_has(command, COMMAND_SINCE))
        alarm_log(&question);
    else if (question.status == EXIT_GOOD)
        active_alarms(&question);
    return question.status;
}

enum exit_status alarms_history_run(const struct command *command, struct client *client, FILE *to,
                                    FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    if (question_is_dcamp(&question))
        alarm_log(&question);
    return question.status;
}
