#include "plugins/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/own_rule.h"
#include "base/text.h"

static const enum mib_object columns[] = {
    MIB_dcampAlarmSeverity, MIB_dcampAlarmKey,      MIB_dcampAlarmNode,    MIB_dcampAlarmThreshold,
    MIB_dcampAlarmSensor,   MIB_dcampAlarmInstance, MIB_dcampAlarmMessage, MIB_dcampAlarmSince};
/* The same columns for an alarm of a node below. */
static const enum mib_object below_columns[] = {
    MIB_dcampChildAlarmSeverity,  MIB_dcampChildAlarmKey,    MIB_dcampChildAlarmNode,
    MIB_dcampChildAlarmThreshold, MIB_dcampChildAlarmSensor, MIB_dcampChildAlarmInstance,
    MIB_dcampChildAlarmMessage,   MIB_dcampChildAlarmSince};
enum { SEVERITY, KEY, NODE, THRESHOLD, SENSOR, INSTANCE, MESSAGE, SINCE, PER_ALARM };

/* Usually there are no alarms. */
#define EXPECTED 4

struct place {
    char child[NAME_SIZE]; /* of an alarm of a node below; "" for one of the node itself */
    uint32_t index;
};

struct alarms {
    struct run *run;
    struct place *places; /* of those alarms that are severe enough */
    size_t n;
    bool out_of_memory;
};

/* -- Rules: if one does not exist, "no active alarms" would be a lie -------------------------- */

static bool is_own_rule(const char *name)
{
    static const char *const own[] = OWN_RULES;
    for (size_t i = 0; own[i]; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return false;
}

static const enum mib_object rule_rows[] = {MIB_dcampThresholdRowStatus,
                                            MIB_dcampConditionRowStatus};
#define RULE_KINDS (sizeof rule_rows / sizeof *rule_rows)

struct suggestion {
    struct nearest nearest;
    char name[NAME_SIZE];
};

static bool take_rule(void *context, const struct cell *cell)
{
    struct suggestion *suggestion = context;
    char name[NAME_SIZE];
    size_t at = 0;
    if (!cell_index_text(cell, &at, name, sizeof name))
        return true;
    nearest_offer(&suggestion->nearest, name);
    if (suggestion->nearest.best == name) {
        text_format(suggestion->name, sizeof suggestion->name, "%s", name);
        suggestion->nearest.best = suggestion->name;
    }
    return true;
}

static bool complain_of_rule(struct run *run, const char *name)
{
    struct suggestion suggestion = {.nearest = {.text = name}};
    struct cell start;
    for (size_t i = 0; i < RULE_KINDS; i++) {
        cell_start(&start, rule_rows[i]);
        if (!client_walk(run->client, &start, EXPECTED, take_rule, &suggestion))
            return run_failed(run);
    }
    bool near = suggestion.nearest.best != NULL;
    result_worsen(run->result, STATUS_UNKNOWN);
    result_summary(run->result, "there is no threshold or condition \"%s\"%s%s%s", name,
                   near ? "; did you mean \"" : "", suggestion.name, near ? "\"?" : "");
    return false;
}

static bool rule_exists(struct run *run, const char *name)
{
    struct cell cells[RULE_KINDS];
    if (is_own_rule(name))
        return true;
    for (size_t i = 0; i < RULE_KINDS; i++) {
        cell_start(&cells[i], rule_rows[i]);
        cell_add_text(&cells[i], name);
    }
    if (!client_get(run->client, cells, RULE_KINDS))
        return run_failed(run);
    for (size_t i = 0; i < RULE_KINDS; i++)
        if (cells[i].kind == CELL_NUMBER)
            return true;
    return complain_of_rule(run, name);
}

/* Whether the words of the pattern that are names all exist. */
static bool rules_exist(struct run *run)
{
    const char *word = run->options->threshold;
    for (size_t len; *(word += strspn(word, " \t")); word += len) {
        char name[NAME_SIZE];
        len = strcspn(word, " \t");
        if (!text_is_name(word, len))
            continue;
        memcpy(name, word, len);
        name[len] = '\0';
        if (!rule_exists(run, name))
            return false;
    }
    return true;
}

/* -- Alarms ----------------------------------------------------------------------------------- */

static bool take_severity(void *context, const struct cell *cell)
{
    struct alarms *alarms = context;
    struct place place = {.index = 0};
    bool below = cell->object == MIB_dcampChildAlarmSeverity;
    size_t at = 0;
    if (cell->kind != CELL_NUMBER || cell->number < (int)alarms->run->options->severity ||
        (below && !cell_index_text(cell, &at, place.child, sizeof place.child)) ||
        !cell_index_number(cell, &at, &place.index))
        return true;
    struct place *places = run_grow(alarms->places, alarms->n, sizeof *places);
    alarms->out_of_memory = !places;
    if (!places)
        return false;
    alarms->places = places;
    places[alarms->n++] = place;
    return true;
}

static bool find_alarms(struct alarms *alarms)
{
    static const enum mib_object tables[] = {MIB_dcampAlarmSeverity, MIB_dcampChildAlarmSeverity};
    size_t n = alarms->run->options->below ? 2 : 1;
    struct cell column, node;
    if (!run_get_node(alarms->run, &node, 1))
        return false;
    for (size_t i = 0; i < n && !alarms->out_of_memory; i++) {
        cell_start(&column, tables[i]);
        if (!client_walk(alarms->run->client, &column, EXPECTED, take_severity, alarms))
            return run_failed(alarms->run);
    }
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
        /* If an alarm was cleared in the meantime, its cells do not exist any more. */
        if (cells[i * PER_ALARM].kind != CELL_NUMBER)
            continue;
        fill_row(&rows[n], cells + i * PER_ALARM);
        if (alarm_matches(&check, &rows[n]))
            n++;
    }
    /* The rules of the nodes below are not known here. */
    if (n == 0 && !options->below && !rules_exist(alarms->run))
        return;
    judge_alarms(&check, rows, n, alarms->run->result);
}

static void ask_for(struct cell *cells, const struct place *place)
{
    bool below = place->child[0] != '\0';
    for (size_t i = 0; i < PER_ALARM; i++) {
        cell_start(&cells[i], below ? below_columns[i] : columns[i]);
        if (below)
            cell_add_text(&cells[i], place->child);
        cell_add_number(&cells[i], place->index);
    }
}

static void read_alarms(const struct alarms *alarms)
{
    size_t n = alarms->n;
    struct cell *cells = calloc(n * PER_ALARM + 1, sizeof *cells);
    struct alarm_row *rows = calloc(n + 1, sizeof *rows);
    for (size_t i = 0; cells && i < n; i++)
        ask_for(cells + i * PER_ALARM, &alarms->places[i]);
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
    free(alarms.places);
}
