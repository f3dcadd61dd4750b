#include "relay/relays.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "relay/relayed.h"

/* What an entry takes in a block: usually so much for a value, so much for a window without its
 * histogram; the histogram is counted by its counters. */
#define VALUE_OCTETS 8
#define WINDOW_OCTETS 40

static unsigned octets_of(const struct report_entry *entry)
{
    if (entry->kind == REPORT_VALUE)
        return VALUE_OCTETS;
    const struct histogram *histogram = entry->window.histogram;
    int span = histogram ? histogram->positive.end - histogram->positive.low +
                               histogram->negative.end - histogram->negative.low
                         : 0;
    return WINDOW_OCTETS + (unsigned)(span > 0 ? span : 0) / 4;
}

/* -- Rules ------------------------------------------------------------------------------------ */

const struct relay_rule *relays_find(const struct relays *relays, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (const struct relay_rule *)index_find(&relays->rules, key, index_key_text(key, name));
}

static bool is_meant(const struct relay_row *row, const struct series_name *name, const char *path)
{
    return text_matches(row->sensors, name->sensor) && text_matches(row->nodes, path) &&
           text_matches(row->instances, name->instance);
}

static struct relay_rule *rule_of(const struct relays *relays, const struct series_name *name,
                                  const char *path)
{
    for (struct index_node *node = index_first(&relays->rules); node; node = index_next(node)) {
        struct relay_rule *rule = (struct relay_rule *)node;
        if (!rule->goes && is_meant(&rule->row, name, path))
            return rule;
    }
    return NULL;
}

/* -- Series ----------------------------------------------------------------------------------- */

/* A child may have at most as many as it leaves for the others. */
static bool has_place(const struct relays *relays, const struct relayed_list *list)
{
    return list->n < RELAY_SERIES_MAX - relays->n_series;
}

static struct relayed_list *list_of(struct child *child)
{
    struct child_relaying *relaying = &child->relaying;
    if (!relaying->list)
        relaying->list = calloc(1, sizeof *relaying->list);
    return relaying->list;
}

static size_t cost_of(const struct relayed *relayed)
{
    return sizeof *relayed + sizeof(struct relayed_place) +
           strlen(dictionary_path(&relayed->entry)) + 1;
}

static void end_relayed(struct relays *relays, struct relayed *relayed, struct moment now)
{
    struct child *child = relayed->series->child;
    struct relayed_list *list = child->relaying.list;
    static const struct result ended = {.state = RESULT_UNAVAILABLE};
    if (relays->publisher->report && relayed->entry.is_reported && !relays->ends)
        report_add(relays->publisher->report, relayed->entry.number, now.wall_ms, &ended);
    dictionary_remove(&relays->publisher->dictionary, &relayed->entry);
    relayed->rule->n_series--;
    relays->n_series--;
    child_discharge(child, cost_of(relayed));
    relayed_free(list, relayed);
    if (list->n > 0)
        return;
    free(list->at);
    free(list);
    child->relaying.list = NULL;
}

/* A function of relay_taker. A series that is left out because there is no room is not tried again
 * before it begins again. */
static bool begun(void *context, struct child_series *series, struct moment now)
{
    struct relays *relays = context;
    char path[ALARM_PATH_SIZE];
    (void)now;
    if (series->child->device)
        return false;
    bool is_path = relayed_path(series, relays->node, path);
    struct relay_rule *rule = is_path ? rule_of(relays, series->name, path) : NULL;
    relays->left_out += !is_path;
    struct relayed_list *list = rule ? list_of(series->child) : NULL;
    if (!list)
        return false;
    struct relayed *relayed = has_place(relays, list) ? relayed_new(list, series, path) : NULL;
    if (!relayed) {
        relays->left_out++;
        if (list->n == 0) {
            free(list->at);
            free(list);
            series->child->relaying.list = NULL;
        }
        return false;
    }
    relayed->rule = rule;
    rule->n_series++;
    relays->n_series++;
    child_charge(series->child, cost_of(relayed));
    dictionary_add(&relays->publisher->dictionary, &relayed->entry);
    return true;
}

static void ended(void *context, struct child_series *series, struct moment now)
{
    struct relayed *relayed = relayed_find(series->child->relaying.list, series);
    if (relayed)
        end_relayed(context, relayed, now);
}

/* -- Values ------------------------------------------------------------------------------------ */

struct relay_publication {
    struct publication publication;
    struct report_ring *report;
    struct relayed *relayed;
    const struct report_entry *entry;
};

static void report_entry(struct publication *publication, struct moment now)
{
    const struct relay_publication *whole = (struct relay_publication *)publication;
    struct relayed *relayed = whole->relayed;
    const struct report_entry *entry = whole->entry;
    int error =
        entry->kind == REPORT_WINDOW
            ? report_add_part(whole->report, relayed->entry.number, now.wall_ms, &entry->window)
            : report_add(whole->report, relayed->entry.number, now.wall_ms, &entry->result);
    relayed->entry.is_reported |= error == 0;
    relayed->rule->dropped += error != 0;
}

static bool is_near(int64_t wall_ms, struct moment now)
{
    return wall_ms > 0 && wall_ms > now.wall_ms - RELAY_CLOCK_MS &&
           wall_ms < now.wall_ms + RELAY_CLOCK_MS;
}

/* The share of the present pass that belongs to a child. */
static struct pace_user *part_of(const struct relays *relays, struct relayed_list *list)
{
    if (list->pass != relays->pass)
        list->part = (struct pace_user){.admitted = 0};
    list->pass = relays->pass;
    return &list->part;
}

/* A function of relay_taker. The filter uses the time of the values, which may have come late.
 * Windows always pass, because they contain the values that are held back. */
static bool take(void *context, const struct child_series *series, const struct report_entry *entry,
                 struct moment now)
{
    struct relays *relays = context;
    struct relayed_list *list = series->child->relaying.list;
    struct relayed *relayed = relayed_find(list, series);
    if (!relayed || !relays->publisher->report)
        return true;
    if (!is_near(entry->wall_ms, now)) {
        relayed->rule->dropped++;
        return true;
    }
    if (!pace_admit(&relays->pace, part_of(relays, list), octets_of(entry)))
        return false;
    struct relay_rule *rule = relayed->rule;
    bool is_value = entry->kind == REPORT_VALUE;
    struct moment taken = {.mono_ns = (uint64_t)entry->wall_ms * NS_PER_MS,
                           .wall_ms = entry->wall_ms};
    if (is_value)
        relayed->result = entry->result;
    struct relay_publication whole = {.publication = {.result = &entry->result,
                                                      .rule = is_value ? &rule->filter : NULL,
                                                      .filter = &relayed->filter,
                                                      .passed = &rule->passed,
                                                      .held = &rule->held,
                                                      .report = report_entry},
                                      .report = relays->publisher->report,
                                      .relayed = relayed,
                                      .entry = entry};
    publish(NULL, &whole.publication, taken);
    return true;
}

/* A function of relay_taker: whether there is room for at least one block. */
static bool has_room(void *context, const struct child *child)
{
    const struct pace *pace = &((const struct relays *)context)->pace;
    (void)child;
    return pace->room >= (pace->most < 2 * REPORT_BLOCK_MAX ? pace->most / 2 : REPORT_BLOCK_MAX);
}

static void lost(void *context, const struct child *child, uint32_t blocks)
{
    (void)child;
    ((struct relays *)context)->lost += blocks;
}

/* -- The configuration ----------------------------------------------------------------------- */

/* Finds out again which rule one series has. */
static void judge_series(struct relays *relays, struct child_series *series, struct moment now)
{
    struct relayed *relayed = relayed_find(series->child->relaying.list, series);
    if (!relayed) {
        series->is_relayed = begun(relays, series, now);
        return;
    }
    struct relay_rule *rule = rule_of(relays, series->name, dictionary_path(&relayed->entry));
    if (!rule) {
        end_relayed(relays, relayed, now);
        series->is_relayed = false;
        return;
    }
    relayed->rule->n_series--;
    rule->n_series++;
    relayed->rule = rule;
}

static void judge_all(struct relays *relays, struct moment now)
{
    struct children *children = relays->children;
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        struct child_series *series = NULL;
        TAILQ_FOREACH(series, &((struct child *)node)->series.named, link)
        {
            judge_series(relays, series, now);
        }
    }
}

static void begin_children(struct relays *relays)
{
    struct children *children = relays->children;
    children->relays = &relays->taker;
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node))
        child_relay_begin((struct child *)node);
}

/* Marks rules that are no longer configured, so that their series pass to other rules before they
 * go. True: some are marked. */
static bool mark_stale(struct relays *relays, const struct config *config)
{
    bool any = false;
    for (struct index_node *node = index_first(&relays->rules); node; node = index_next(node)) {
        struct relay_rule *rule = (struct relay_rule *)node;
        const struct row *row = config_find(config, ROW_RELAY, rule->row.row.name);
        rule->goes = !row || row->status != ROW_ACTIVE;
        any |= rule->goes;
    }
    return any;
}

static void remove_stale(struct relays *relays)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&relays->rules); node; node = next) {
        next = index_next(node);
        if (!((struct relay_rule *)node)->goes)
            continue;
        index_remove(&relays->rules, node);
        free(node);
    }
}

static struct relay_rule *add_rule(struct relays *relays, const struct relay_row *row,
                                   uint64_t now_ns)
{
    struct relay_rule *rule = calloc(1, sizeof *rule);
    if (!rule)
        return NULL;
    rule->row = *row;
    rule->since_ns = now_ns;
    rule->node.key = rule->key;
    rule->node.key_len = index_key_text(rule->key, rule->row.row.name);
    index_add(&relays->rules, &rule->node);
    return rule;
}

/* True: the rule may now select other series. */
static bool sync_rule(struct relays *relays, const struct relay_row *row,
                      const struct config *config, uint64_t now_ns, bool *whole)
{
    struct relay_rule *rule = (struct relay_rule *)relays_find(relays, row->row.name);
    bool is_new = !rule;
    if (is_new)
        rule = add_rule(relays, row, now_ns);
    *whole &= rule != NULL;
    if (!rule)
        return false;
    bool changes = is_new || rule->row.row.version != row->row.version;
    rule->row = *row;
    rule->filter = config_filter(config, row->filter);
    return changes;
}

bool relays_sync(struct relays *relays, const struct config *config, struct moment now)
{
    bool whole = true, changes = mark_stale(relays, config);
    text_format(relays->node, sizeof relays->node, "%s", config->node.name);
    for (struct index_node *node = index_first(&config->rows[ROW_RELAY]); node;
         node = index_next(node)) {
        const struct relay_row *row = (const struct relay_row *)node;
        if (row->row.status == ROW_ACTIVE)
            changes |= sync_rule(relays, row, config, now.mono_ns, &whole);
    }
    if (relays->rules.count > 0 && !relays->children->relays)
        begin_children(relays);
    if (changes)
        judge_all(relays, now);
    remove_stale(relays);
    if (relays->rules.count == 0)
        relays->children->relays = NULL;
    return whole;
}

/* -- Beginning and end ----------------------------------------------------------------------- */

void relays_open(struct relays *relays, struct children *children, struct publisher *publisher)
{
    *relays = (struct relays){.children = children, .publisher = publisher};
    index_init(&relays->rules);
    relays->taker = (struct relay_taker){begun, ended, take, has_room, lost, relays};
}

void relays_begin(struct relays *relays, uint64_t now_ns)
{
    struct report_ring *report = relays->publisher->report;
    if (relays->rules.count == 0 || !report)
        return;
    relays->pace.most = (double)report_keep(report) * (double)report_room(report) / RELAY_PART;
    relays->pace.per_second = relays->pace.most / RELAY_SECONDS;
    relays->pass++;
    pace_begin(&relays->pace, now_ns);
}

void relays_close(struct relays *relays)
{
    struct index_node *node;
    relays->ends = true;
    for (node = index_first(&relays->rules); node; node = index_next(node))
        ((struct relay_rule *)node)->goes = true;
    judge_all(relays, (struct moment){0});
    relays->children->relays = NULL;
    while ((node = index_first(&relays->rules))) {
        index_remove(&relays->rules, node);
        free(node);
    }
    index_release(&relays->rules);
}
