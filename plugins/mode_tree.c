#include "plugins/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const enum mib_object columns[] = {MIB_dcampChildError, MIB_dcampChildLastContact};
enum { ERROR, LAST_CONTACT, PER_CHILD };

#define EXPECTED 16

struct children {
    struct run *run;
    struct child_row *rows;
    size_t n;
    bool out_of_memory;
    struct alarms_below alarms;
};

static bool take_state(void *context, const struct cell *cell)
{
    struct children *children = context;
    struct child_row row = {0};
    size_t at = 0;
    if (cell->kind != CELL_NUMBER || !cell_index_text(cell, &at, row.name, sizeof row.name))
        return true;
    run_text(row.state, sizeof row.state, cell);
    struct child_row *rows = run_grow(children->rows, children->n, sizeof *rows);
    children->out_of_memory = !rows;
    if (!rows)
        return false;
    children->rows = rows;
    rows[children->n++] = row;
    return true;
}

/* Of children that are up, nothing more is needed unless all are to be listed. */
static bool needs_more(const struct children *children, const struct child_row *row)
{
    return children->run->options->verbose > 0 || strcmp(row->state, "up") != 0;
}

static bool read_more(struct children *children)
{
    struct cell *cells = calloc(children->n * PER_CHILD + 1, sizeof *cells);
    size_t n = 0;
    if (!cells)
        return run_no_memory(children->run);
    for (size_t i = 0; i < children->n; i++)
        for (size_t j = 0; needs_more(children, &children->rows[i]) && j < PER_CHILD; j++, n++) {
            cell_start(&cells[n], columns[j]);
            cell_add_text(&cells[n], children->rows[i].name);
        }
    bool good = client_get(children->run->client, cells, n);
    const struct cell *at = cells;
    for (size_t i = 0; good && i < children->n; i++) {
        struct child_row *row = &children->rows[i];
        if (!needs_more(children, row))
            continue;
        run_text(row->error, sizeof row->error, &at[ERROR]);
        run_date(row->last_contact, &at[LAST_CONTACT]);
        at += PER_CHILD;
    }
    free(cells);
    return good || run_failed(children->run);
}

static bool find_children(struct children *children)
{
    struct cell column, node;
    if (!run_get_node(children->run, &node, 1))
        return false;
    cell_start(&column, MIB_dcampChildState);
    if (!client_walk(children->run->client, &column, EXPECTED, take_state, children))
        return run_failed(children->run);
    return !children->out_of_memory || run_no_memory(children->run);
}

static bool add_alarms(void *context, const struct cell *cell)
{
    if (cell->kind == CELL_NUMBER && cell->number > 0)
        *(uint64_t *)context += (uint64_t)cell->number;
    return true;
}

static bool count_alarms(struct children *children)
{
    const struct {
        enum mib_object object;
        uint64_t *sum;
    } columns_of[] = {{MIB_dcampChildAlarmsCritical, &children->alarms.critical},
                      {MIB_dcampChildAlarmsWarning, &children->alarms.warning},
                      {MIB_dcampChildAlarmsInfo, &children->alarms.info}};
    for (size_t i = 0; i < sizeof columns_of / sizeof *columns_of; i++) {
        struct cell column;
        cell_start(&column, columns_of[i].object);
        if (!client_walk(children->run->client, &column, children->n, add_alarms,
                         columns_of[i].sum))
            return run_failed(children->run);
    }
    return true;
}

void mode_tree(struct run *run)
{
    struct children children = {.run = run};
    const struct tree_check check = {.warning = run->options->warning,
                                     .critical = run->options->critical,
                                     .all_lines = run->options->verbose > 0};
    if (find_children(&children) && read_more(&children) && count_alarms(&children))
        judge_tree(&check, children.rows, children.n, &children.alarms, run->result);
    free(children.rows);
}
