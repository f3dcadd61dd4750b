#include "config/derived.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "calculate/expression_cycle.h"
#include "calculate/expression_unit.h"

/* A sensor that was reached on the way. */
struct visited_sensor {
    UT_hash_handle hh;
    const struct sensor_row *row;
    struct expression *expression; /* NULL: the sensor is measured */
    bool has_unit;
    unsigned height; /* how many expressions are above each other, up to and including this one */
    char unit[UNIT_SIZE];
};

struct walk {
    derived_row_fn *rows;
    void *context;
    struct visited_sensor *visited; /* hash, by name */
    unsigned depth; /* of the recursion, which must be limited: a chain may be as long as there are
                       sensors */
    unsigned highest; /* the greatest height of those inputs of the present expression that were
                         seen so far */
    struct derived_fault *fault;
    const char *unknown; /* the first sensor that does not exist */
    bool failed;         /* there is a fault further down, which fault describes */
    bool no_memory;
};

static struct visited_sensor *add_visited(struct walk *walk, const struct sensor_row *row)
{
    struct expression_error error;
    struct visited_sensor *visited = calloc(1, sizeof *visited);
    if (!visited) {
        walk->no_memory = true;
        return NULL;
    }
    visited->row = row;
    if (row->expression[0] && expression_parse(row->expression, &visited->expression, &error) != 0)
        walk->no_memory = true; /* no row has an expression that cannot be parsed */
    HASH_ADD_KEYPTR(hh, walk->visited, row->row.name, strlen(row->row.name), visited);
    if (table_has(hh, visited))
        return visited;
    expression_free(visited->expression);
    free(visited);
    walk->no_memory = true;
    return NULL;
}

/* Returns NULL if there is no such sensor. */
static struct visited_sensor *visit(struct walk *walk, const char *name)
{
    struct visited_sensor *visited;
    HASH_FIND_STR(walk->visited, name, visited);
    if (visited)
        return visited;
    const struct sensor_row *row = walk->rows(walk->context, name);
    if (row)
        return add_visited(walk, row);
    if (!walk->unknown)
        walk->unknown = name;
    return NULL;
}

static const struct expression *expression_of(void *context, const char *name)
{
    const struct visited_sensor *visited = visit(context, name);
    return visited ? visited->expression : NULL;
}

static const char *unit_of(void *context, const char *name);

static bool too_deep(struct expression_error *error)
{
    error->column = 1;
    text_format(error->text, sizeof error->text,
                "it derives from sensors that derive from others, more than %d deep",
                DERIVED_DEPTH_MAX);
    return false;
}

static bool find_unit(struct walk *walk, struct visited_sensor *visited,
                      struct expression_error *error)
{
    const struct metric *metric = metric_find(visited->row->metric);
    if (!visited->expression) {
        if (metric)
            calc_unit(metric, visited->row->calculation, visited->unit, sizeof visited->unit);
        return metric != NULL;
    }
    if (walk->depth == DERIVED_DEPTH_MAX)
        return too_deep(error);
    unsigned highest = walk->highest;
    walk->highest = 0;
    walk->depth++;
    int code = expression_unit(visited->expression, unit_of, walk, visited->unit, error);
    walk->depth--;
    visited->height = walk->highest + 1;
    walk->highest = highest;
    return code == 0 && (visited->height <= DERIVED_DEPTH_MAX || too_deep(error));
}

/* A fault further down is reported for the sensor that has it, not for the one that refers to that.
 */
static const char *unit_of(void *context, const char *name)
{
    struct walk *walk = context;
    struct visited_sensor *visited = visit(walk, name);
    struct expression_error error;
    if (!visited || walk->failed)
        return NULL;
    if (!visited->has_unit && !find_unit(walk, visited, &error)) {
        if (!walk->unknown && !walk->failed)
            text_format(walk->fault->error.text, sizeof walk->fault->error.text,
                        "sensor \"%s\": %.180s", name, error.text);
        walk->failed = true;
        return NULL;
    }
    visited->has_unit = true;
    walk->highest = visited->height > walk->highest ? visited->height : walk->highest;
    return visited->unit;
}

static bool check_row(struct walk *walk, const struct sensor_row *row, bool complete)
{
    struct derived_fault *fault = walk->fault;
    struct visited_sensor *first = add_visited(walk, row);
    if (!first || walk->no_memory)
        return false;
    int code = expression_cycle(row->row.name, expression_of, walk, fault->error.text);
    walk->no_memory |= code == ENOMEM;
    if (code != 0) {
        char cycle[MESSAGE_SIZE];
        memcpy(cycle, fault->error.text, sizeof cycle);
        fault->error.column = 1;
        text_format(fault->error.text, sizeof fault->error.text, "it derives from itself: %.220s",
                    cycle);
        return false;
    }
    if (walk->unknown && !complete)
        return true;
    struct expression_error error;
    walk->unknown = NULL;
    if (find_unit(walk, first, &error))
        return true;
    fault->error.column = error.column;
    if (!walk->failed)
        fault->error = error;
    if (walk->unknown)
        text_format(fault->unknown, sizeof fault->unknown, "%s", walk->unknown);
    return false;
}

bool derived_check(const struct sensor_row *row, derived_row_fn *rows, void *context, bool complete,
                   struct derived_fault *fault)
{
    struct walk walk = {.rows = rows, .context = context, .fault = fault};
    *fault = (struct derived_fault){.error = {.column = 1}};
    bool right = check_row(&walk, row, complete);
    if (walk.no_memory) {
        right = false;
        text_format(fault->error.text, sizeof fault->error.text, "out of memory");
    }
    struct visited_sensor *each, *next;
    HASH_ITER(hh, walk.visited, each, next)
    {
        HASH_DEL(walk.visited, each);
        expression_free(each->expression);
        free(each);
    }
    return right;
}
