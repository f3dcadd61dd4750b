#include "plugins/run.h"

#include <stdlib.h>

#include "base/text.h"

static const enum mib_object columns[] = {
    MIB_dcampAlarmSeverity, MIB_dcampAlarmKey,      MIB_dcampAlarmNode,    MIB_dcampAlarmThreshold,
    MIB_dcampAlarmSensor,   MIB_dcampAlarmInstance, MIB_dcampAlarmMessage, MIB_dcampAlarmSince};
enum { SEVERITY, KEY, NODE, THRESHOLD, SENSOR, INSTANCE, MESSAGE, SINCE, PER_ALARM };

/* Mostly there are none. */
#define EXPECTED 4

struct alarms {
    struct run *run;
    uint32_t *indexes; /* of those that are severe enough */
    size_t n;
    bool out_of_memory;
};

static bool take_severity(void *context, const struct cell *cell)
{
    struct alarms *alarms = context;
    uint32_t index;
    size_t at = 0;
    if (cell->kind != CELL_NUMBER || cell->number < (int)alarms->run->options->severity ||
        !cell_index_number(cell, &at, &index))
        return true;
    uint32_t *indexes = run_grow(alarms->indexes, alarms->n, sizeof *indexes);
    alarms->out_of_memory = !indexes;
    if (!indexes)
        return false;
    alarms->indexes = indexes;
    indexes[alarms->n++] = index;
    return true;
}

static bool find_alarms(struct alarms *alarms)
{
    struct cell column, node;
    if (!run_get_node(alarms->run, &node, 1))
        return false;
    cell_start(&column, MIB_dcampAlarmSeverity);
    if (!client_walk(alarms->run->client, &column, EXPECTED, take_severity, alarms))
        return run_failed(alarms->run);
    return !alarms->out_of_memory || run_no_memory(alarms->run);
}

static void fill_row(struct alarm_row *row, const struct cell *cells)
{
    *row = (struct alarm_row){.severity = (int)cells[SEVERITY].number};
    run_text(row->key, sizeof row->key, &cells[KEY]);
    run_text(row->node, sizeof row->node, &cells[NODE]);
    run_text(row->threshold, sizeof row->threshold, &cells[THRESHOLD]);
    run_text(row->sensor, sizeof row->sensor, &cells[SENSOR]);
    run_text(row->instance, sizeof row->instance, &cells[INSTANCE]);
    run_text(row->message, sizeof row->message, &cells[MESSAGE]);
    run_date(row->since, &cells[SINCE]);
}

static void judge(const struct alarms *alarms, const struct cell *cells, struct alarm_row *rows)
{
    const struct options *options = alarms->run->options;
    const struct alarm_check check = {.least = options->severity,
                                      .node = options->node,
                                      .threshold = options->threshold,
                                      .sensor = options->sensor,
                                      .instance = options->instances,
                                      .warning = options->warning.range,
                                      .critical = options->critical.range};
    size_t n = 0;
    for (size_t i = 0; i < alarms->n; i++) {
        /* An alarm that was cleared in between has no cells left. */
        if (cells[i * PER_ALARM].kind != CELL_NUMBER)
            continue;
        fill_row(&rows[n], cells + i * PER_ALARM);
        if (alarm_matches(&check, &rows[n]))
            n++;
    }
    judge_alarms(&check, rows, n, alarms->run->result);
}

static void read_alarms(const struct alarms *alarms)
{
    size_t n = alarms->n;
    struct cell *cells = calloc(n * PER_ALARM + 1, sizeof *cells);
    struct alarm_row *rows = calloc(n + 1, sizeof *rows);
    for (size_t i = 0; cells && i < n * PER_ALARM; i++) {
        cell_start(&cells[i], columns[i % PER_ALARM]);
        cell_add_number(&cells[i], alarms->indexes[i / PER_ALARM]);
    }
    if (!cells || !rows)
        run_no_memory(alarms->run);
    else if (!client_get(alarms->run->client, cells, n * PER_ALARM))
        run_failed(alarms->run);
    else
        judge(alarms, cells, rows);
    free(cells);
    free(rows);
}

void mode_alarms(struct run *run)
{
    struct alarms alarms = {.run = run};
    if (find_alarms(&alarms))
        read_alarms(&alarms);
    free(alarms.indexes);
}
