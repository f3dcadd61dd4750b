#include "children/series.h"

#include <stdlib.h>
#include <string.h>

#include "children/child.h"
#include "children/numbers.h"
#include "children/sorted.h"
#include "children/window.h"
#include "series/publish.h"

/* How long series of the previous boot wait for their names. */
#define PREVIOUS_NS (60 * NS_PER_S)
/* The same for series with an alarm: it is longer because a rate or an average has its first value
 * one interval later. */
#define PREVIOUS_ALARM_NS (900 * NS_PER_S)

/* What a series costs, including its places in two lists, which may be half as long again as
 * necessary, and the overhead of the heap. */
#define SERIES_COST (sizeof(struct child_series) + 3 * sizeof(struct child_series *) + 16)

void child_series_open(struct child *child)
{
    TAILQ_INIT(&child->series.unnamed);
    TAILQ_INIT(&child->series.named);
    TAILQ_INIT(&child->series.previous);
}

const struct statistics_window *child_series_window(const struct child_series *series)
{
    const struct window_parts *whole = series->window ? &series->window->whole : NULL;
    return whole && whole->window.count > 0 ? &whole->window : NULL;
}

uint64_t child_series_windows(const struct child_series *series)
{
    return series->window ? series->window->finished : 0;
}

const struct report_totals *child_series_totals(const struct child_series *series)
{
    const struct window_parts *whole = series->window ? &series->window->whole : NULL;
    return whole && whole->has_totals ? &whole->totals : NULL;
}

const struct statistics_window *child_series_present(const struct child_series *series,
                                                     uint64_t now_ns, uint64_t *age_ms)
{
    const struct statistics_window *window = child_series_window(series);
    if (!window || !child_is_there(series->child))
        return NULL;
    *age_ms = (now_ns - series->window->heard_ns) / NS_PER_MS;
    uint64_t most_ms = 2 * ((uint64_t)series->window->window_ms + series->child->period_ms);
    return *age_ms < most_ms ? window : NULL;
}

const struct top_keys *child_series_keys(const struct child_series *series, uint64_t *mark)
{
    const struct child_top *top = series->window ? series->window->top : NULL;
    if (!top || top->finished == 0)
        return NULL;
    *mark = (uint64_t)top->whole_ms * UINT64_C(0x9e3779b97f4a7c15) + top->finished;
    return &top->whole;
}

bool child_series_live(const struct child_series *series)
{
    return child_is_there(series->child) && series->state == RESULT_VALID;
}

bool child_series_current(const struct child_series *series)
{
    return series->state == RESULT_VALID && !child_is_lost(series->child) &&
           !series->child->cursor.replays;
}

/* -- For observers --------------------------------------------------------------------------- */

static struct series_view view_child_series(const void *context)
{
    const struct child_series *series = context;
    return (struct series_view){.node = series->child->name,
                                .group = series->child->group,
                                .sensor = series->name->sensor,
                                .instance = series->name->instance,
                                .unit = series->name->unit,
                                .result = child_series_result(series),
                                .wall_ms = series->wall_ms,
                                .is_current = child_series_current(series)};
}

static struct watch **watches_of_child_series(void *series)
{
    return &((struct child_series *)series)->watches;
}

static const struct statistics_window *window_of_child_series(const void *series, uint64_t now_ns,
                                                              uint64_t *number)
{
    (void)now_ns;
    *number = child_series_windows(series);
    return child_series_window(series);
}

static void charge_child_series(void *context, ptrdiff_t octets)
{
    struct child *child = ((struct child_series *)context)->child;
    if (octets >= 0)
        child_charge(child, (size_t)octets);
    else
        child_discharge(child, (size_t)-octets);
}

struct series_ref child_series_ref(struct child_series *series)
{
    static const struct series_type type = {view_child_series, watches_of_child_series,
                                            window_of_child_series, charge_child_series};
    return (struct series_ref){&type, series};
}

/* -- Look-ups -------------------------------------------------------------------------------- */

struct result child_series_result(const struct child_series *series)
{
    return (struct result){.state = series->state, .value = series->value};
}

static struct child_series *at_place(const struct child *child, uint32_t place)
{
    return place < child->series.sorted.n ? child->series.sorted.at[place] : NULL;
}

static struct child_series *if_of_sensor(struct child_series *series, const char *sensor)
{
    return series && strcmp(series->name->sensor, sensor) == 0 ? series : NULL;
}

struct child_series *child_series_first(const struct child *child, const char *sensor)
{
    uint32_t key[NAME_SIZE];
    size_t len = index_key_text(key, sensor);
    return if_of_sensor(at_place(child, sorted_place(&child->series.sorted, key, len)), sensor);
}

static struct child_series *behind(const struct child_series *series)
{
    return at_place(series->child, sorted_find(&series->child->series.sorted, series) + 1);
}

struct child_series *child_series_next(const struct child_series *series)
{
    return if_of_sensor(behind(series), series->name->sensor);
}

/* -- Those of all children ------------------------------------------------------------------- */

size_t child_series_key(const struct child_series *series, uint32_t *key)
{
    const struct index_node *child = &series->child->node;
    const struct index_tail *tail = &series->name->tail;
    memcpy(key, child->key, child->key_len * sizeof *key);
    memcpy(key + child->key_len, tail->key, tail->len * sizeof *key);
    return child->key_len + tail->len;
}

/* How much of a key is the name of a child; the key begins with the length of that name. */
static size_t length_of_name(const uint32_t *key, size_t len)
{
    return len > 0 && key[0] < len ? (size_t)key[0] + 1 : len;
}

/* The first series of a child that has some; NULL for NULL. */
static struct child_series *first_of(const struct child *child)
{
    return child ? child->series.sorted.at[0] : NULL;
}

/* The first series of the child, or of the next child that has any. */
static struct child_series *first_from(const struct children *children, struct index_node *node)
{
    return first_of(holders_from(children, (struct child *)node));
}

struct child_series *children_series_find(const struct children *children, const uint32_t *key,
                                          size_t len)
{
    size_t name = length_of_name(key, len);
    const struct child *child = (const struct child *)index_find(&children->index, key, name);
    if (!child)
        return NULL;
    uint32_t place = sorted_place(&child->series.sorted, key + name, len - name);
    return sorted_at(&child->series.sorted, place, key + name, len - name);
}

struct child_series *children_series_after(const struct children *children, const uint32_t *key,
                                           size_t len)
{
    size_t name = length_of_name(key, len);
    struct index_node *node = len > 0 ? index_find(&children->index, key, name) : NULL;
    if (!node)
        return first_from(children, index_after(&children->index, key, name));
    const struct child *child = (const struct child *)node;
    const struct child_list *sorted = &child->series.sorted;
    uint32_t place = sorted_place(sorted, key + name, len - name);
    if (sorted_at(sorted, place, key + name, len - name))
        place++;
    return place < sorted->n ? sorted->at[place] : first_from(children, index_next(node));
}

struct child_series *children_series_next(const struct child_series *series)
{
    struct child_series *next = behind(series);
    return next ? next : first_of(holders_next(series->child));
}

/* -- For whoever looks for series ------------------------------------------------------------ */

static void find_child_series(const void *context, const struct series_query *query)
{
    const struct children *children = context;
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        const struct child *child = (const struct child *)node;
        struct child_series *series = NULL;
        if (query->wants(query, child->name, child->group))
            series = child_series_first(child, query->sensor);
        for (; series; series = child_series_next(series))
            query->found(query, child_series_ref(series));
    }
}

static bool child_series_may_come(const void *context, const struct series_query *query,
                                  const char *node, struct moment now)
{
    const struct child *child = node ? children_find(context, node) : NULL;
    if (!child || !query->wants(query, child->name, child->group))
        return false;
    return child->contact.first_ns == 0 || child_is_lost(child) ||
           now.mono_ns - child->contact.first_ns < CHILD_KNOWN_NS;
}

struct series_producer children_producer(const struct children *children)
{
    return (struct series_producer){find_child_series, child_series_may_come, children};
}

struct child_series *child_series_at(const struct child *child, uint32_t number)
{
    return numbers_find(&child->series.numbers, number);
}

/* -- Beginning and end ---------------------------------------------------------------------- */

/* A node that relays has most of its series from others, and a number does not tell which. */
bool child_has_room(const struct child *child)
{
    uint32_t most =
        child->series.n_relayed ? CHILD_SERIES_MAX + CHILD_RELAYED_MAX : CHILD_SERIES_MAX;
    return child->series.numbers.n < most;
}

static bool is_of_child(const struct child_series *series)
{
    return !series->name || !series->name->path[0];
}

static struct child_series *begin_series(struct child *child, uint32_t number, uint64_t now_ns)
{
    struct child_series *series = child_has_room(child) ? calloc(1, sizeof *series) : NULL;
    if (!series)
        return NULL;
    series->child = child;
    series->number = number;
    series->seen_ns = now_ns;
    series->state = RESULT_WAITING;
    if (!numbers_add(&child->series.numbers, series)) {
        free(series);
        return NULL;
    }
    TAILQ_INSERT_TAIL(&child->series.unnamed, series, link);
    child_charge(child, SERIES_COST);
    return series;
}

/* begin_relaying is for a series that has got a name, end_relaying for one that loses it or its
 * number. */
static void begin_relaying(struct children *children, struct child_series *series,
                           struct moment now)
{
    const struct relay_taker *taker = children->relays;
    if (taker)
        series->is_relayed = taker->begun(taker->context, series, now);
}

static void end_relaying(struct children *children, struct child_series *series, struct moment now)
{
    if (series->is_relayed && children->relays)
        children->relays->ended(children->relays->context, series, now);
    series->is_relayed = false;
}

static void free_window(struct child_series *series)
{
    child_discharge(series->child, child_window_cost(series->window));
    child_window_free(series->window);
    series->window = NULL;
}

/* If several series end together, they may have been taken out already. */
static void take_out(const struct child_series *series)
{
    struct child_list *sorted = &series->child->series.sorted;
    uint32_t place = sorted_find(sorted, series);
    if (place < sorted->n)
        list_remove(sorted, place);
}

/* The series must have been removed from its list and from the numbers before. */
static void free_series(struct children *children, struct child_series *series, const char *why,
                        struct moment now)
{
    if (series->watches && children->observer)
        children->observer->ended(children->observer->context, child_series_ref(series), why, now);
    end_relaying(children, series, now);
    if (series->name) {
        if (is_of_child(series))
            take_out(series);
        else
            series->child->series.n_relayed--;
        holders_note(children, series->child);
        child_discharge(series->child, series->name->size);
        series_name_drop(&children->names, series->name);
        series->child->series.n_named--;
        children->membership++;
    }
    free_window(series);
    child_discharge(series->child, SERIES_COST);
    free(series);
}

void child_series_end(struct children *children, struct child_series *series, const char *why,
                      struct moment now)
{
    struct child *child = series->child;
    if (series->is_previous) {
        TAILQ_REMOVE(&child->series.previous, series, link);
    } else {
        TAILQ_REMOVE(series->name ? &child->series.named : &child->series.unnamed, series, link);
        numbers_remove(&child->series.numbers, series->number);
    }
    free_series(children, series, why, now);
}

static void end_list(struct children *children, struct child_series_list *list, const char *why,
                     struct moment now)
{
    while (!TAILQ_EMPTY(list))
        child_series_end(children, TAILQ_FIRST(list), why, now);
}

void child_end_series(struct children *children, struct child *child, const char *why,
                      struct moment now)
{
    list_clear(&child->series.numbers); /* taken out one by one, the others would move up each
                                         * time */
    list_clear(&child->series.sorted);
    holders_note(children, child);
    end_list(children, &child->series.previous, why, now);
    end_list(children, &child->series.unnamed, why, now);
    end_list(children, &child->series.named, why, now);
    list_release(&child->series.numbers);
    list_release(&child->series.sorted);
}

/* The number of the series does not mean anything any more. */
static void move_to_previous(struct children *children, struct child *child,
                             struct child_series *series, struct moment now)
{
    if (!is_of_child(series)) {
        TAILQ_REMOVE(&child->series.named, series, link);
        free_series(children, series, CHILD_SERIES_GONE, now);
        return;
    }
    end_relaying(children, series, now);
    TAILQ_REMOVE(&child->series.named, series, link);
    TAILQ_INSERT_TAIL(&child->series.previous, series, link);
    series->is_previous = true;
    series->state = RESULT_WAITING;
    series->value = 0;
    series->heard_ns = 0;
    free_window(series);
}

static bool has_alarm(const struct children *children, struct child_series *series)
{
    return series->watches && children->observer &&
           children->observer->holds(children->observer->context, child_series_ref(series));
}

/* Ends the series of the previous boot, perhaps except for those with an alarm. They are taken out
 * of the order of names together: one by one, the others would move up each time. */
static void end_previous(struct children *children, struct child *child, bool keep_alarms,
                         struct moment now)
{
    struct child_series *series, *next;
    TAILQ_FOREACH(series, &child->series.previous, link)
    {
        series->ends = !keep_alarms || !has_alarm(children, series);
    }
    sorted_sweep(&child->series.sorted);
    holders_note(children, child);
    TAILQ_FOREACH_SAFE(series, &child->series.previous, link, next)
    {
        if (series->ends)
            child_series_end(children, series, CHILD_SERIES_GONE, now);
    }
}

void child_series_begin_boot(struct children *children, struct child *child, struct moment now)
{
    struct child_series *series;
    list_clear(&child->series.numbers);
    end_previous(children, child, true, now);
    end_list(children, &child->series.unnamed, CHILD_SERIES_GONE, now);
    while ((series = TAILQ_FIRST(&child->series.named)))
        move_to_previous(children, child, series, now);
    child->series.previous_until_ns = now.mono_ns + PREVIOUS_NS;
    child->series.doubt = (struct child_doubt){.due_ns = 0};
}

void child_await_no_more(struct child *child, struct moment now)
{
    if (child->series.previous_until_ns > now.mono_ns)
        child->series.previous_until_ns = now.mono_ns;
}

void child_end_previous(struct children *children, struct child *child, struct moment now)
{
    if (TAILQ_EMPTY(&child->series.previous) || now.mono_ns < child->series.previous_until_ns)
        return;
    bool keep_alarms =
        now.mono_ns - child->series.previous_until_ns < PREVIOUS_ALARM_NS - PREVIOUS_NS;
    end_previous(children, child, keep_alarms, now);
}

/* -- Values --------------------------------------------------------------------------------- */

/* The series may have ended, because this is the last that a child says of a series then. So the
 * next look-up asks for it, as if it had never been heard of. */
static void ask_next(struct child_series *series)
{
    struct child *child = series->child;
    series->seen_ns = 0;
    TAILQ_REMOVE(&child->series.named, series, link);
    TAILQ_INSERT_HEAD(&child->series.named, series, link);
}

/* Values from before the child was polled are history; only the latest of them is current. */
void child_end_replay(struct children *children, struct child *child, struct moment now)
{
    const struct series_observer *observer = children->observer;
    struct child_series *series;
    child->cursor.replays = false;
    TAILQ_FOREACH(series, &child->series.named, link)
    {
        if (series->watches && observer && child_series_current(series))
            observer->valued(observer->context, child_series_ref(series), false, now);
    }
}

struct child_series *child_series_of(struct children *children, struct child *child,
                                     uint32_t number, struct moment now)
{
    struct child_series *series = child_series_at(child, number);
    if (!series) {
        series = begin_series(child, number, now.mono_ns);
        child_work(children, child, WORK_OF_SERIES, now.mono_ns);
    }
    if (!series)
        return NULL;
    series->seen_ns = now.mono_ns;
    if (series->name) {
        TAILQ_REMOVE(&child->series.named, series, link);
        TAILQ_INSERT_TAIL(&child->series.named, series, link);
    }
    return series;
}

/* False: no memory. */
static bool store_window(struct child_series *series, const struct report_entry *entry,
                         uint64_t now_ns, bool *is_whole)
{
    child_discharge(series->child, child_window_cost(series->window));
    int error = child_window_take(&series->window, entry, is_whole);
    child_charge(series->child, child_window_cost(series->window));
    if (*is_whole) {
        series->window->heard_ns = now_ns;
        series->window->window_ms = entry->window.window_ms;
    }
    return error == 0;
}

/* False: no memory. */
static bool store_keys(struct child_series *series, const struct report_entry *entry)
{
    child_discharge(series->child, child_window_cost(series->window));
    int error = child_window_take_keys(&series->window, entry);
    child_charge(series->child, child_window_cost(series->window));
    return error == 0;
}

static void store_value(struct child_series *series, const struct report_entry *entry,
                        uint64_t now_ns)
{
    series->state = entry->result.state;
    series->value = entry->result.value;
    series->wall_ms = entry->wall_ms;
    series->heard_ns = now_ns;
    if (series->name && entry->result.state == RESULT_UNAVAILABLE)
        ask_next(series);
}

struct entry_publication {
    struct publication publication;
    struct children *children;
    struct child *child;
    const struct report_entry *entry;
    bool left_out;
};

/* What children report is not reported again: it is stored in their series. */
static void store_entry(struct publication *publication, struct moment now)
{
    struct entry_publication *whole = (struct entry_publication *)publication;
    const struct report_entry *entry = whole->entry;
    struct child_series *series =
        child_series_of(whole->children, whole->child, entry->series, now);
    bool is_sample = entry->kind != REPORT_KEYS;
    whole->left_out = !series;
    if (!series)
        return;
    publication->is_window = entry->kind == REPORT_WINDOW;
    if (!is_of_child(series) && entry->kind != REPORT_VALUE)
        is_sample = false;
    else if (publication->is_window)
        whole->left_out = !store_window(series, entry, now.mono_ns, &is_sample);
    else if (entry->kind == REPORT_KEYS)
        whole->left_out = !store_keys(series, entry);
    else
        store_value(series, entry, now.mono_ns);
    publication->series = child_series_ref(series);
    publication->is_watched =
        !whole->left_out && is_sample && series->watches && child_series_current(series);
}

bool child_take_entry(struct children *children, struct child *child,
                      const struct report_entry *entry, struct moment now)
{
    struct entry_publication whole = {.publication = {.report = store_entry},
                                      .children = children,
                                      .child = child,
                                      .entry = entry};
    publish(children->observer, &whole.publication, now);
    return !whole.left_out;
}

void child_filter_entry(struct children *children, struct child *child,
                        const struct report_entry *entry, struct polled_object *object,
                        struct filter_state *filter, struct moment now)
{
    struct entry_publication whole = {.publication = {.result = &entry->result,
                                                      .rule = &object->filter,
                                                      .filter = filter,
                                                      .passed = &object->passed,
                                                      .held = &object->held,
                                                      .report = store_entry},
                                      .children = children,
                                      .child = child,
                                      .entry = entry};
    publish(children->observer, &whole.publication, now);
}

void child_say_too_many(struct child *child, struct moment now)
{
    static const char text[] = "it has too many series, further ones are left out";
    child_complain(child, text, text, now);
}

/* -- Names ---------------------------------------------------------------------------------- */

/* Puts the series in its place among those with a name. If a series of this or the previous boot
 * has had this name so far, the series takes its place, and that one is returned; else NULL. */
static struct child_series *put_in_order(struct child_series *series)
{
    struct child_list *sorted = &series->child->series.sorted;
    const struct index_tail *tail = &series->name->tail;
    uint32_t place = sorted_place(sorted, tail->key, tail->len);
    struct child_series *other = sorted_at(sorted, place, tail->key, tail->len);
    if (other)
        sorted->at[place] = series;
    else
        list_insert(sorted, place, series);
    return other;
}

/* The watches move to the series that takes the place, unless only the ends of the instances are
 * the same: the key contains only the end of a long instance. */
static void replace_series(struct children *children, struct child_series *old,
                           struct child_series *series, struct moment now)
{
    if (old->watches && children->observer &&
        strcmp(old->name->instance, series->name->instance) == 0)
        children->observer->moved(children->observer->context, child_series_ref(old),
                                  child_series_ref(series));
    child_series_end(children, old, CHILD_SERIES_GONE, now);
}

/* Another series that already has the same name is of the previous boot, or of an instance that has
 * gone and come back. */
static void name_series(struct children *children, struct child_series *series,
                        const struct series_words *words, struct moment now)
{
    struct child *child = series->child;
    series->name =
        list_reserve(&child->series.sorted) ? series_name_use(&children->names, words) : NULL;
    if (!series->name)
        return; /* no memory: the next look-up asks again */
    child_charge(child, series->name->size);
    struct child_series *other = is_of_child(series) ? put_in_order(series) : NULL;
    holders_note(children, child);
    if (other)
        replace_series(children, other, series, now);
    TAILQ_REMOVE(&child->series.unnamed, series, link);
    TAILQ_INSERT_TAIL(&child->series.named, series, link);
    child->series.n_named++;
    begin_relaying(children, series, now);
    if (!is_of_child(series)) {
        child->series.n_relayed++;
        free_window(series);
        return;
    }
    children->membership++;
    if (children->observer)
        children->observer->begun(children->observer->context, child_series_ref(series), now);
}

/* Whether the words still mean the name that the series has. */
static bool is_same_name(const struct series_name *name, const struct series_words *words)
{
    return strcmp(name->sensor, words->sensor) == 0 &&
           strcmp(name->instance, words->instance) == 0 && strcmp(name->path, words->path) == 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t few_polls_ns(const struct child *child)
{
    return later(CHILD_CONFIRM_NS, CHILD_CONFIRM_POLLS * child->period_ms * NS_PER_MS);
}

void child_series_doubt(struct child *child, uint64_t now_ns)
{
    struct child_doubt *doubt = &child->series.doubt;
    doubt->again = doubt->due_ns != 0;
    if (doubt->again)
        return;
    doubt->since_ns = now_ns;
    doubt->due_ns = now_ns + few_polls_ns(child);
}

void child_series_settle_doubt(struct child *child, uint64_t now_ns)
{
    struct child_doubt *doubt = &child->series.doubt;
    const struct child_series *silent = TAILQ_FIRST(&child->series.named);
    if (doubt->due_ns == 0 || now_ns < doubt->due_ns ||
        (silent && silent->seen_ns <= doubt->since_ns))
        return;
    bool again = doubt->again;
    *doubt = (struct child_doubt){.due_ns = 0};
    if (again)
        child_series_doubt(child, now_ns);
}

static bool is_doubtful(const struct child_series *series, uint64_t now_ns)
{
    const struct child_doubt *doubt = &series->child->series.doubt;
    return doubt->due_ns != 0 && now_ns >= doubt->due_ns && series->seen_ns <= doubt->since_ns;
}

bool child_series_needs_look(const struct child_series *series, uint64_t now_ns)
{
    const struct child *child = series->child;
    uint64_t silent_s = CHILD_CONFIRM_SILENT_S + child->id % CHILD_CONFIRM_SILENT_S;
    if (series->seen_ns == 0 || is_doubtful(series, now_ns))
        return true;
    return now_ns - series->seen_ns >= later(silent_s * NS_PER_S, few_polls_ns(child));
}

static void confirm_series(struct child_series *series, uint64_t now_ns)
{
    struct child *child = series->child;
    series->seen_ns = now_ns;
    TAILQ_REMOVE(&child->series.named, series, link);
    TAILQ_INSERT_TAIL(&child->series.named, series, link);
}

const char *child_series_take_words(struct children *children, struct child_series *series,
                                    const struct series_words *words, struct moment now)
{
    const char *fault = series_words_fault(words);
    if (!fault && series->name && !is_same_name(series->name, words))
        fault = "a series has another name than before";
    if (fault)
        child_series_end(children, series, fault, now);
    else if (series->name)
        confirm_series(series, now.mono_ns);
    else
        name_series(children, series, words, now);
    return fault;
}
