#include "cli/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

/* Values that are asked for at a time: five cells each, which fit into one message. */
#define CHUNK 6

/* More than any node has: an answer with more is not believed. */
#define ROWS_MAX 1000000

/* -- Where values are ------------------------------------------------------------------------ */

enum { PART_STATE, PART_TEXT, PART_UNIT, PART_TIME, PART_AGE, PARTS };

struct value_source {
    enum mib_object parts[PARTS];
    bool of_children; /* the name of the child is the first index */
};

static const struct value_source own = {{MIB_dcampValueState, MIB_dcampValueText,
                                         MIB_dcampValueUnit, MIB_dcampValueTime, MIB_dcampValueAge},
                                        false};
static const struct value_source aggregates = {
    {MIB_dcampAggregateValueState, MIB_dcampAggregateValueText, MIB_dcampAggregateValueUnit,
     MIB_dcampAggregateValueTime, MIB_dcampAggregateValueAge},
    false};
static const struct value_source children = {{MIB_dcampChildValueState, MIB_dcampChildValueText,
                                              MIB_dcampChildValueUnit, MIB_dcampChildValueTime,
                                              MIB_dcampChildValueAge},
                                             true};

/* -- Which are wanted ------------------------------------------------------------------------ */

/* The very name is taken, too: as a pattern, a name with a blank or a bracket, which an instance
 * may have, does not match itself. */
bool choice_takes(const char *pattern, const char *name)
{
    return !pattern || strcmp(pattern, name) == 0 || text_matches(pattern, name);
}

struct value_choice choice_of(const struct command *command)
{
    return (struct value_choice){.sensor = command->n_words > 0 ? command->words[0] : NULL,
                                 .instance = command->n_words > 1 ? command->words[1] : NULL,
                                 .below = command_has(command, COMMAND_BELOW)};
}

struct value_walk {
    struct question *question;
    const struct value_choice *choice;
    const struct value_source *source;
    struct value_list *list;
};

static bool make_room(struct value_list *list)
{
    if (list->n < list->room)
        return true;
    size_t room = list->room * 2 + 64;
    struct value_row *rows = reallocarray(list->rows, room, sizeof *rows);
    if (!rows)
        return false;
    list->rows = rows;
    list->room = room;
    return true;
}

static bool read_name(const struct cell *cell, bool of_child, struct value_row *row)
{
    size_t at = 0;
    *row = (struct value_row){.state = "?"};
    return (!of_child || cell_index_text(cell, &at, row->node, sizeof row->node)) &&
           cell_index_text(cell, &at, row->sensor, sizeof row->sensor) &&
           cell_index_text(cell, &at, row->instance, sizeof row->instance) &&
           cell->len == mib_objects[cell->object].oid_len + at;
}

static bool take_name(void *context, const struct cell *cell)
{
    struct value_walk *walk = context;
    struct value_row row;
    question_progress(walk->question);
    if (!read_name(cell, walk->source->of_children, &row) ||
        !choice_takes(walk->choice->sensor, row.sensor) ||
        !choice_takes(walk->choice->instance, row.instance))
        return true;
    if (walk->list->n == ROWS_MAX)
        return question_fail(walk->question, EXIT_BROKEN, "more values than any node has");
    if (!make_room(walk->list))
        return question_no_memory(walk->question);
    walk->list->rows[walk->list->n++] = row;
    return true;
}

/* -- Reading them ---------------------------------------------------------------------------- */

static void name_cells(const struct value_source *source, const struct value_row *row,
                       struct cell cells[PARTS])
{
    for (size_t i = 0; i < PARTS; i++) {
        cell_start(&cells[i], source->parts[i]);
        if (source->of_children)
            cell_add_text(&cells[i], row->node);
        cell_add_text(&cells[i], row->sensor);
        cell_add_text(&cells[i], row->instance);
    }
}

static void copy_text(char *to, size_t size, const struct cell *cell)
{
    if (cell->kind == CELL_TEXT)
        text_format(to, size, "%s", cell->text);
}

/* False: the row is gone by now. */
static bool fill_row(struct value_row *row, const struct cell cells[PARTS])
{
    copy_text(row->text, sizeof row->text, &cells[PART_TEXT]);
    copy_text(row->unit, sizeof row->unit, &cells[PART_UNIT]);
    row->state = cell_label(&cells[PART_STATE]);
    row->has_time = cell_date(&cells[PART_TIME], &row->wall_ms);
    row->has_age = cells[PART_AGE].kind == CELL_NUMBER;
    row->age_ms = cells[PART_AGE].number;
    return cells[PART_STATE].kind == CELL_NUMBER;
}

/* Fills the rows from from on; those that are gone are removed from the list. */
static bool fill_rows(const struct value_walk *walk, size_t from)
{
    struct value_list *list = walk->list;
    size_t kept = from;
    struct cell *cells = calloc(CHUNK * PARTS, sizeof *cells);
    bool good = cells || question_no_memory(walk->question);
    for (size_t done = from; good && done < list->n; done += CHUNK) {
        size_t n = list->n - done < CHUNK ? list->n - done : CHUNK;
        for (size_t i = 0; i < n; i++)
            name_cells(walk->source, &list->rows[done + i], cells + i * PARTS);
        good = question_get(walk->question, cells, n * PARTS);
        for (size_t i = 0; good && i < n; i++) {
            struct value_row row = list->rows[done + i];
            if (fill_row(&row, cells + i * PARTS))
                list->rows[kept++] = row;
        }
    }
    free(cells);
    if (good)
        list->n = kept;
    return good;
}

/* If a sensor is named, only its own rows are asked for: the index begins with its name. */
static bool read_source(struct question *question, const struct value_choice *choice,
                        const struct value_source *source, struct value_list *list)
{
    struct value_walk walk = {question, choice, source, list};
    const char *sensor = choice->sensor;
    struct cell start;
    size_t from = list->n;
    cell_start(&start, source->parts[PART_STATE]);
    if (sensor && !source->of_children && text_is_name(sensor, strlen(sensor)))
        cell_add_text(&start, sensor);
    return question_walk(question, &start, 4, take_name, &walk) && fill_rows(&walk, from);
}

static int by_place(const void *left, const void *right)
{
    const struct value_row *a = left, *b = right;
    int order = strverscmp(a->node, b->node);
    order = order ? order : strverscmp(a->sensor, b->sensor);
    return order ? order : strverscmp(a->instance, b->instance);
}

bool values_read(struct question *question, const struct value_choice *choice,
                 struct value_list *list)
{
    bool good = read_source(question, choice, &own, list) &&
                read_source(question, choice, &aggregates, list) &&
                (!choice->below || read_source(question, choice, &children, list));
    if (list->n > 0)
        qsort(list->rows, list->n, sizeof *list->rows, by_place);
    return good;
}

void values_free(struct value_list *list)
{
    free(list->rows);
    *list = (struct value_list){0};
}

const struct value_row *values_find(const struct value_list *list, const struct value_row *row)
{
    return list->n > 0 ? bsearch(row, list->rows, list->n, sizeof *row, by_place) : NULL;
}

/* -- Why there are none ---------------------------------------------------------------------- */

struct sensor_search {
    struct question *question;
    const char *pattern;
    struct nearest nearest;
    char best[NAME_SIZE];
    char found[NAME_SIZE]; /* the first that the pattern takes; empty: none */
};

static bool take_sensor(void *context, const struct cell *cell)
{
    struct sensor_search *search = context;
    char name[NAME_SIZE];
    size_t at = 0;
    question_progress(search->question);
    if (!cell_index_text(cell, &at, name, sizeof name))
        return true;
    nearest_offer(&search->nearest, name);
    if (search->nearest.best == name) {
        text_format(search->best, sizeof search->best, "%s", name);
        search->nearest.best = search->best;
    }
    if (!search->found[0] && choice_takes(search->pattern, name))
        text_format(search->found, sizeof search->found, "%s", name);
    return true;
}

static bool find_sensor(struct sensor_search *search, enum mib_object column)
{
    struct cell start;
    cell_start(&start, column);
    return question_walk(search->question, &start, 40, take_sensor, search);
}

/* What the node says of a sensor, or an aggregate, that has no values. */
static void explain_row(struct sensor_search *search, enum mib_object error)
{
    struct cell cell;
    cell_start(&cell, error);
    cell_add_text(&cell, search->found);
    if (!question_get(search->question, &cell, 1))
        return;
    bool known = cell.kind == CELL_TEXT && cell.text_len > 0;
    char *why = sheet_clean(cell.text, cell.text_len);
    if (why)
        question_fail(search->question, EXIT_USAGE, "%s has no value%s%s", search->found,
                      known ? ": " : " yet", why);
    else
        question_no_memory(search->question);
    free(why);
}

void values_explain(struct question *question, const struct value_choice *choice)
{
    struct sensor_search search = {
        .question = question, .pattern = choice->sensor, .nearest = {.text = choice->sensor}};
    if (!choice->sensor)
        return;
    if (!find_sensor(&search, MIB_dcampSensorState))
        return;
    bool sensor = search.found[0] != '\0';
    if (!sensor && !find_sensor(&search, MIB_dcampAggregateRowStatus))
        return;
    if (!search.found[0])
        question_fail(question, EXIT_USAGE, "no sensor and no aggregate is \"%s\"%s%s%s",
                      choice->sensor, search.nearest.best ? "; did you mean \"" : "",
                      search.nearest.best ? search.nearest.best : "",
                      search.nearest.best ? "\"?" : "");
    else if (choice->instance)
        question_fail(question, EXIT_USAGE, "%s has no instance \"%s\"", search.found,
                      choice->instance);
    else
        explain_row(&search, sensor ? MIB_dcampSensorError : MIB_dcampAggregateError);
}

/* -- As rows of a sheet ---------------------------------------------------------------------- */

void values_columns(struct sheet_column columns[VALUE_COLUMNS], bool below, bool with_time)
{
    const struct sheet_column all[VALUE_COLUMNS] = {{"time", with_time ? "TIME" : NULL, SHEET_TIME},
                                                    {"node", below ? "NODE" : NULL, SHEET_TEXT},
                                                    {"sensor", "SENSOR", SHEET_TEXT},
                                                    {"instance", "INSTANCE", SHEET_TEXT},
                                                    {"value", "VALUE", SHEET_TEXT},
                                                    {"unit", "UNIT", SHEET_TEXT},
                                                    {"state", "STATE", SHEET_TEXT},
                                                    {"age", with_time ? NULL : "AGE", SHEET_SPAN}};
    memcpy(columns, all, sizeof all);
}

static struct sheet_value text_value(const char *text)
{
    return (struct sheet_value){.given = true, .text = text, .len = strlen(text)};
}

bool values_add(struct sheet *sheet, const struct value_row *row)
{
    const struct sheet_value values[VALUE_COLUMNS] = {
        {.given = row->has_time, .number = row->wall_ms},
        text_value(row->node),
        text_value(row->sensor),
        text_value(row->instance),
        text_value(row->text),
        text_value(row->unit),
        text_value(row->state),
        {.given = row->has_age, .number = row->age_ms}};
    return sheet_add(sheet, values);
}
