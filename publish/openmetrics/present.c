#include "publish/openmetrics/present.h"

#include <errno.h>
#include <stdlib.h>

#include "publish/lines.h"
#include "publish/openmetrics/node.h"

#define KINDS (1u << LINE_VALUE | 1u << LINE_WINDOW | 1u << LINE_ALARM | 1u << LINE_ALARM_CLEARED)

struct present {
    struct present_settings settings;
    struct nodes nodes;
    uint64_t version, blocks, values, left_out, nameless;
};

struct present *present_new(const struct present_settings *settings)
{
    struct present *present = calloc(1, sizeof *present);
    if (present)
        present->settings = *settings;
    return present;
}

void present_free(struct present *present)
{
    struct node *node, *next;
    if (!present)
        return;
    HASH_ITER(hh, present->nodes.by_path, node, next)
    {
        node_remove(&present->nodes, node);
    }
    families_release(&present->nodes.families);
    free(present);
}

uint64_t present_version(const struct present *present)
{
    return present->version;
}

void present_cursors(const struct present *present, sink_cursor_fn *each, void *context)
{
    for (const struct node *at = present->nodes.by_path; at; at = at->hh.next) {
        const struct sink_stream stream = {.boot = at->boot,
                                           .path = at->path,
                                           .name = at->name,
                                           .group = at->group,
                                           .engine_id = at->engine_id,
                                           .engine_id_len = at->engine_id_len};
        each(context, &stream, at->next);
    }
}

/* -- Silence --------------------------------------------------------------------------------- */

static void settle(const struct present *present, struct node *node, int64_t now_ms)
{
    int64_t settle_ms = present->settings.settle_ms;
    node->is_settled = node->is_settled || now_ms - node->came_ms >= settle_ms ||
                       now_ms - node->since_ms >= SETTLE_MOST * settle_ms;
}

/* A wall clock that went back makes nobody silent. */
static void look_for_silence(struct present *present, int64_t now_ms)
{
    for (struct node *at = present->nodes.by_path; at; at = at->hh.next) {
        if (at->came_ms > now_ms)
            at->came_ms = now_ms;
        at->is_silent = now_ms - at->came_ms > present->settings.silent_ms;
        settle(present, at, now_ms);
    }
}

static void forget_nodes(struct present *present, int64_t than_ms)
{
    struct node *node, *next;
    HASH_ITER(hh, present->nodes.by_path, node, next)
    {
        if (node->is_silent && node->came_ms < than_ms) {
            node_remove(&present->nodes, node);
            present->version++;
        }
    }
}

static void forget_windows(struct present *present, struct node *node, int64_t now_ms)
{
    for (struct series *at = node->series; at; at = at->of_node.next) {
        int64_t most_ms = at->window ? 3 * (int64_t)at->window->length_ms : 0;
        if (most_ms < present->settings.silent_ms)
            most_ms = present->settings.silent_ms;
        if (at->window && at->is_known && now_ms - at->window->came_ms > most_ms) {
            at->is_known = false;
            present->version++;
        }
    }
}

void present_step(struct present *present, int64_t now_ms)
{
    look_for_silence(present, now_ms);
    forget_nodes(present, now_ms - PRESENT_FORGET * present->settings.silent_ms);
    for (struct node *at = present->nodes.by_path; at; at = at->hh.next)
        forget_windows(present, at, now_ms);
}

/* -- What comes ------------------------------------------------------------------------------ */

struct taking {
    struct present *present;
    struct node *node;
    int64_t now_ms;
};

static size_t count(const struct present *present)
{
    return present->nodes.families.n_series + present->nodes.n_alarms;
}

/* To make room, silent nodes are removed. False: there is no room, and what is new is left out. */
static bool has_room(const struct taking *taking)
{
    struct present *present = taking->present;
    if (count(present) < present->settings.limit)
        return true;
    look_for_silence(present, taking->now_ms);
    taking->node->is_silent = false;
    forget_nodes(present, taking->now_ms);
    return count(present) < present->settings.limit;
}

static struct series *find(const struct node *node, uint32_t number, bool is_window)
{
    uint64_t key = series_key(number, is_window);
    struct series *series;
    HASH_FIND(of_node, node->series, &key, sizeof key, series);
    return series;
}

/* *series is NULL if it is left out. 0 or ENOMEM. */
static int need(const struct taking *taking, const struct line *line, struct series **series)
{
    bool is_window = line->kind == LINE_WINDOW;
    *series = find(taking->node, line->series, is_window);
    if (*series)
        return 0;
    if (!has_room(taking)) {
        taking->present->left_out++;
        return 0;
    }
    *series = series_add(&taking->present->nodes.families, taking->node, line, is_window);
    return *series ? 0 : ENOMEM;
}

/* "unavailable" is also the last word of a series that has ended, whose number does not come again.
 */
static int take_value(const struct taking *taking, const struct line *line)
{
    struct families *families = &taking->present->nodes.families;
    struct series *series = find(taking->node, line->series, false);
    struct series *windows = find(taking->node, line->series, true);
    if (line->state[0] == 'v') {
        int error = need(taking, line, &series);
        if (series)
            series_set(series, line->value);
        return error;
    }
    if (line->state[0] == 'g') {
        if (series)
            series->is_known = false;
        return 0;
    }
    if (series)
        series_remove(families, series);
    if (windows)
        series_remove(families, windows);
    return 0;
}

static int take_window(const struct taking *taking, const struct line *line)
{
    struct series *series;
    if (line->window->count == 0) {
        series = find(taking->node, line->series, true);
        if (series)
            series->is_known = false;
        return 0;
    }
    int error = need(taking, line, &series);
    if (series)
        series_set_window(series, line, taking->now_ms);
    return error;
}

static int take_alarm(const struct taking *taking, const struct line *line)
{
    struct present *present = taking->present;
    size_t *n = &present->nodes.n_alarms;
    size_t others = present->nodes.families.n_series;
    has_room(taking);
    size_t most = present->settings.limit > others ? present->settings.limit - others : 0;
    int error = alarm_take(&taking->node->alarms, line, n, most);
    present->left_out += error == ENOSPC;
    return error == ENOSPC ? 0 : error;
}

/* A line_fn. */
static int take(void *context, const struct line *line)
{
    const struct taking *taking = context;
    taking->present->values++;
    if (line->wall_ms > taking->node->newest_ms)
        taking->node->newest_ms = line->wall_ms;
    switch (line->kind) {
    case LINE_VALUE:
        return take_value(taking, line);
    case LINE_WINDOW:
        return take_window(taking, line);
    case LINE_ALARM:
        return take_alarm(taking, line);
    default:
        alarm_end(&taking->node->alarms, line->alarm_id, &taking->present->nodes.n_alarms);
        return 0;
    }
}

/* A report_entry_fn. */
static int stop(void *context, const struct report_entry *entry)
{
    (void)context, (void)entry;
    return 1;
}

/* *node is NULL if the block is of a boot that is over. */
static int need_node(struct present *present, const struct sink_block *block, struct node **node)
{
    struct report_header header;
    const char *why;
    *node = node_find(&present->nodes, block->stream);
    if (*node)
        return 0;
    int error = report_decode(block->octets, block->len, &header, stop, NULL, &why);
    return error ? error : node_of(&present->nodes, block->stream, header.wall_ms, node);
}

int present_take(struct present *present, const struct sink_block *block, int64_t now_ms)
{
    struct taking taking = {.present = present, .now_ms = now_ms};
    int error = need_node(present, block, &taking.node);
    if (error || !taking.node)
        return error;
    if (taking.node->since_ms == 0)
        taking.node->since_ms = taking.node->came_ms = now_ms;
    settle(present, taking.node, now_ms);
    taking.node->came_ms = now_ms;
    taking.node->is_silent = false;
    taking.node->next = block->number + 1;
    present->blocks++;
    present->version++;
    return lines_each(block, KINDS, present->settings.sensors, take, &taking, &present->nameless);
}

void present_count_anew(struct present *present, const struct sink_stream *stream)
{
    struct node *node = node_find(&present->nodes, stream);
    if (!node)
        return;
    node_clear(&present->nodes, node);
    node->next = 0;
    present->version++;
}

/* -- What is there --------------------------------------------------------------------------- */

static void add_figure(struct octets *octets, enum writing_format format,
                       const struct writing_family *family, double value)
{
    writing_add_family(octets, format, family);
    writing_add_sample(octets, family->name, family->type == WRITING_COUNTER ? "_total" : "", "", 0,
                       value);
}

/* A figure of a node, which is written with its labels. */
typedef double node_figure(const struct node *node, int64_t now_ms);

static double is_up(const struct node *node, int64_t now_ms)
{
    (void)now_ms;
    return node->is_silent ? 0 : 1;
}

static double age(const struct node *node, int64_t now_ms)
{
    return (double)(now_ms - node->came_ms) / 1000;
}

static void add_nodes(const struct present *present, struct octets *octets,
                      enum writing_format format, int64_t now_ms,
                      const struct writing_family *family, node_figure *figure)
{
    if (!present->nodes.by_path)
        return;
    writing_add_family(octets, format, family);
    for (const struct node *at = present->nodes.by_path; at; at = at->hh.next) {
        struct octets labels = {0};
        writing_add_label(&labels, 0, "node", node_name(at));
        if (at->group[0])
            writing_add_label(&labels, 0, "group", at->group);
        octets->failed = octets->failed || labels.failed;
        writing_add_sample(octets, family->name, "", labels.at, labels.len, figure(at, now_ms));
        octets_release(&labels);
    }
}

static void add_alarms(const struct present *present, struct octets *octets,
                       enum writing_format format)
{
    size_t n = 0;
    const struct alarm **list =
        present->nodes.n_alarms > 0 ? malloc(present->nodes.n_alarms * sizeof *list) : NULL;
    if (!list) {
        octets->failed = octets->failed || present->nodes.n_alarms > 0;
        return;
    }
    for (const struct node *node = present->nodes.by_path; node; node = node->hh.next)
        for (const struct alarm *at = node->is_silent || !node->is_settled ? NULL : node->alarms;
             at; at = at->hh.next)
            list[n++] = at;
    alarms_write(list, n, octets, format);
    free(list);
}

static void add_own(const struct present *present, struct octets *octets,
                    enum writing_format format, size_t n_series)
{
    static const struct writing_family
        series = {"dcamp_publish_series", WRITING_GAUGE, "", "Series that are shown here"},
        limit = {"dcamp_publish_series_limit", WRITING_GAUGE, "",
                 "How many may be kept here, and alarms with them"},
        left_out = {"dcamp_publish_left_out", WRITING_COUNTER, "",
                    "Values, windows and alarms of which nothing is shown, as "
                    "the limit was reached"},
        nameless = {"dcamp_publish_nameless", WRITING_COUNTER, "",
                    "Values and windows whose series has no name, or "
                    "is not wanted"},
        blocks = {"dcamp_publish_blocks", WRITING_COUNTER, "",
                  "Blocks that have come since this publisher began"},
        values = {"dcamp_publish_values", WRITING_COUNTER, "",
                  "Values, windows and words on alarms in them"};
    add_figure(octets, format, &series, (double)n_series);
    add_figure(octets, format, &limit, (double)present->settings.limit);
    add_figure(octets, format, &left_out, (double)present->left_out);
    add_figure(octets, format, &nameless, (double)present->nameless);
    add_figure(octets, format, &blocks, (double)present->blocks);
    add_figure(octets, format, &values, (double)present->values);
}

void present_write(struct present *present, struct octets *octets, enum writing_format format,
                   int64_t now_ms)
{
    static const struct writing_family up = {
        "dcamp_node_up", WRITING_GAUGE, "",
        "1: the node is heard; 0: it is silent, and its series are not shown"};
    static const struct writing_family node_age = {"dcamp_node_age_seconds", WRITING_GAUGE,
                                                   "seconds",
                                                   "Since when nothing has come of the node"};
    look_for_silence(present, now_ms);
    size_t n = series_write(&present->nodes.families, octets, format);
    add_alarms(present, octets, format);
    add_nodes(present, octets, format, now_ms, &up, is_up);
    add_nodes(present, octets, format, now_ms, &node_age, age);
    add_own(present, octets, format, n);
    writing_add_end(octets, format);
}
