/* The series of a child: numbers, names and values. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "children/child.h"
#include "series/publish.h"

/* A child that does not answer a look-up for so long is asked again. */
#define LOOK_UP_NS (10 * NS_PER_S)
/* A filter may hold back what does not move, and blocks may be lost: the dictionary is asked about
 * what was not heard of for so long. */
#define CONFIRM_NS (60 * NS_PER_S)
/* How long rows of the boot before wait for their names. */
#define FORMER_NS (60 * NS_PER_S)
/* The array of numbers grows by half and so many. */
#define NUMBERS_MORE 8
/* Those with an alarm: a rate or an average has its first value an interval later. */
#define FORMER_ALARM_NS (900 * NS_PER_S)

#define GONE "the child has the series no more"

/* A window comes in parts, in one block or in several. */
struct gathered {
    struct statistics_window window;
    struct report_totals totals;
    bool has_totals; /* it is of an aggregate */
};

struct child_window {
    int64_t wall_ms; /* of the parts */
    struct gathered parts, whole;
    uint64_t finished; /* how many were whole */
};

/* With its places in the array of numbers and in the index. */
#define SERIES_COST (sizeof(struct child_series) + 2 * sizeof(struct child_number) + 48)

static size_t counters_cost(const struct statistics_window *window)
{
    return sizeof(uint32_t) *
           (size_t)(window->histogram.positive.size + window->histogram.negative.size);
}

static size_t window_cost(const struct child_window *window)
{
    return window ? sizeof *window + counters_cost(&window->parts.window) +
                        counters_cost(&window->whole.window)
                  : 0;
}

const struct statistics_window *child_series_window(const struct child_series *series)
{
    const struct gathered *whole = series->window ? &series->window->whole : NULL;
    return whole && whole->window.count > 0 ? &whole->window : NULL;
}

uint64_t child_series_windows(const struct child_series *series)
{
    return series->window ? series->window->finished : 0;
}

const struct report_totals *child_series_totals(const struct child_series *series)
{
    const struct gathered *whole = series->window ? &series->window->whole : NULL;
    return whole && whole->has_totals ? &whole->totals : NULL;
}

bool child_series_live(const struct child_series *series)
{
    return (series->child->state == CHILD_UP || series->child->state == CHILD_LATE) &&
           series->result.state == RESULT_VALID;
}

bool child_series_current(const struct child_series *series)
{
    return series->result.state == RESULT_VALID && series->child->silent < CHILD_LOST_AFTER &&
           !series->child->replays;
}

static struct series_view view_of(const void *context)
{
    const struct child_series *series = context;
    return (struct series_view){.node = series->child->name,
                                .group = series->child->group,
                                .sensor = series->name->sensor,
                                .instance = series->name->instance,
                                .unit = series->name->unit,
                                .result = &series->result,
                                .is_current = child_series_current(series)};
}

static struct watch **watches_of(void *series)
{
    return &((struct child_series *)series)->watches;
}

static const struct statistics_window *window_of(const void *series, uint64_t now_ns,
                                                 uint64_t *number)
{
    (void)now_ns;
    *number = child_series_windows(series);
    return child_series_window(series);
}

static void charge_to(void *context, ptrdiff_t octets)
{
    struct child *child = ((struct child_series *)context)->child;
    if (octets >= 0)
        child_charge(child, (size_t)octets);
    else
        child_discharge(child, (size_t)-octets);
}

struct series_ref child_series_ref(struct child_series *series)
{
    static const struct series_type type = {view_of, watches_of, window_of, charge_to};
    return (struct series_ref){&type, series};
}

static struct child_series *of_sensor(struct index_node *node, const struct child *child,
                                      const char *sensor)
{
    struct child_series *series = (struct child_series *)node;
    return series && series->child == child && strcmp(series->name->sensor, sensor) == 0 ? series
                                                                                         : NULL;
}

struct child_series *child_series_first(const struct children *children, const struct child *child,
                                        const char *sensor)
{
    uint32_t key[2 * NAME_SIZE];
    size_t len = index_key_text(key, child->name);
    len += index_key_text(key + len, sensor);
    return of_sensor(index_after(&children->values, key, len), child, sensor);
}

struct child_series *child_series_next(struct child_series *series)
{
    return of_sensor(index_next(&series->node), series->child, series->name->sensor);
}

/* -- Numbers -------------------------------------------------------------------------------- */

/* Where a number is, or would be. Children count their series from 1 on, mostly without gaps. */
static uint32_t place(const struct child *child, uint32_t number)
{
    uint32_t low = 0, high = child->n_numbers;
    if (number > 0 && number <= high && child->numbers[number - 1].number == number)
        return number - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (child->numbers[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct child_series *find(const struct child *child, uint32_t number)
{
    uint32_t at = place(child, number);
    bool found = at < child->n_numbers && child->numbers[at].number == number;
    return found ? child->numbers[at].series : NULL;
}

/* Of one that is not there. */
static bool number_add(struct child *child, struct child_series *series)
{
    if (child->n_numbers == child->numbers_room) {
        uint32_t room = child->numbers_room + child->numbers_room / 2 + NUMBERS_MORE;
        struct child_number *numbers = reallocarray(child->numbers, room, sizeof *numbers);
        if (!numbers)
            return false;
        child->numbers = numbers;
        child->numbers_room = room;
    }
    uint32_t at = place(child, series->number);
    memmove(&child->numbers[at + 1], &child->numbers[at],
            (child->n_numbers++ - at) * sizeof *child->numbers);
    child->numbers[at] = (struct child_number){series->number, series};
    return true;
}

static void number_remove(struct child *child, uint32_t number)
{
    uint32_t at = place(child, number);
    if (at < child->n_numbers && child->numbers[at].number == number)
        memmove(&child->numbers[at], &child->numbers[at + 1],
                (--child->n_numbers - at) * sizeof *child->numbers);
}

/* -- Beginning and end ---------------------------------------------------------------------- */

static struct child_series *series_begin(struct child *child, uint32_t number, uint64_t now_ns)
{
    struct child_series *series =
        child->n_numbers < CHILD_SERIES_MAX ? calloc(1, sizeof *series) : NULL;
    if (!series)
        return NULL;
    series->child = child;
    series->number = number;
    series->seen_ns = now_ns;
    series->result.state = RESULT_WAITING;
    if (!number_add(child, series)) {
        free(series);
        return NULL;
    }
    TAILQ_INSERT_TAIL(&child->unnamed, series, link);
    child_charge(child, SERIES_COST);
    return series;
}

static void free_window(struct child_series *series)
{
    if (!series->window)
        return;
    child_discharge(series->child, window_cost(series->window));
    statistics_window_release(&series->window->parts.window);
    statistics_window_release(&series->window->whole.window);
    free(series->window);
    series->window = NULL;
}

/* It is out of the list it was in, and of the numbers. */
static void series_free(struct children *children, struct child_series *series, const char *why,
                        struct moment now)
{
    if (series->watches && children->observer)
        children->observer->ended(children->observer->context, child_series_ref(series), why, now);
    if (series->name) {
        index_remove(&children->values, &series->node);
        child_discharge(series->child, series->name->size);
        series_name_drop(children, series->name);
        series->child->n_series--;
        children->membership++;
    }
    free_window(series);
    child_discharge(series->child, SERIES_COST);
    free(series);
}

static void series_end(struct children *children, struct child_series *series, const char *why,
                       struct moment now)
{
    struct child *child = series->child;
    if (series->is_former) {
        TAILQ_REMOVE(&child->former, series, link);
    } else {
        TAILQ_REMOVE(series->name ? &child->named : &child->unnamed, series, link);
        number_remove(child, series->number);
    }
    series_free(children, series, why, now);
}

static void end_all(struct children *children, struct child_series_list *list, const char *why,
                    struct moment now)
{
    while (!TAILQ_EMPTY(list))
        series_end(children, TAILQ_FIRST(list), why, now);
}

void child_end_series(struct children *children, struct child *child, const char *why,
                      struct moment now)
{
    child->n_numbers = 0; /* all at once: one by one, each time the others would move up */
    end_all(children, &child->former, why, now);
    end_all(children, &child->unnamed, why, now);
    end_all(children, &child->named, why, now);
    free(child->numbers);
    child->numbers = NULL;
    child->numbers_room = 0;
}

/* Its number counts no more. */
static void move_to_former(struct child *child, struct child_series *series)
{
    TAILQ_REMOVE(&child->named, series, link);
    TAILQ_INSERT_TAIL(&child->former, series, link);
    series->is_former = true;
    series->result = (struct result){.state = RESULT_WAITING};
    series->heard_ns = 0;
    free_window(series);
}

static bool holds(const struct children *children, struct child_series *series)
{
    return series->watches && children->observer &&
           children->observer->holds(children->observer->context, child_series_ref(series));
}

static void end_without_alarm(struct children *children, struct child_series_list *list,
                              struct moment now)
{
    struct child_series *series = TAILQ_FIRST(list), *next;
    for (; series; series = next) {
        next = TAILQ_NEXT(series, link);
        if (!holds(children, series))
            series_end(children, series, GONE, now);
    }
}

void child_begin_boot(struct children *children, struct child *child, struct moment now)
{
    struct child_series *series;
    child->n_numbers = 0;
    end_without_alarm(children, &child->former, now);
    end_all(children, &child->unnamed, GONE, now);
    while ((series = TAILQ_FIRST(&child->named)))
        move_to_former(child, series);
    child->former_until_ns = now.mono_ns + FORMER_NS;
    child->n_asked = 0;
    child->bad_name = child->bad_look_up = false;
    child_alarms_restart(children, child, now.mono_ns);
}

void child_end_former(struct children *children, struct child *child, struct moment now)
{
    if (TAILQ_EMPTY(&child->former) || now.mono_ns < child->former_until_ns)
        return;
    if (now.mono_ns - child->former_until_ns < FORMER_ALARM_NS - FORMER_NS)
        end_without_alarm(children, &child->former, now);
    else
        end_all(children, &child->former, GONE, now);
}

/* -- Values --------------------------------------------------------------------------------- */

/* It is whole: the one before it gives its memory to the parts of the next. */
static bool finish(struct child_window *window)
{
    struct gathered whole = window->parts;
    window->parts = window->whole;
    window->whole = whole;
    window->finished++;
    statistics_window_reset(&window->parts.window);
    return true;
}

/* A first part begins anew; a further one counts if it is of the same window. What cannot be added
 * up is left out: the window is never whole then. True: it is now. */
static bool take_part(struct child_series *series, const struct report_entry *entry)
{
    const struct report_window *part = &entry->window;
    if (!series->window)
        series->window = calloc(1, sizeof *series->window);
    struct child_window *window = series->window;
    if (!window)
        return false;
    struct gathered *parts = &window->parts;
    if (part->has_moments) {
        statistics_window_reset(&parts->window);
        window->wall_ms = entry->wall_ms;
        parts->has_totals = part->has_totals;
        parts->totals = part->totals;
    } else if (window->wall_ms != entry->wall_ms || parts->window.count == 0) {
        return false;
    }
    if (report_window_merge(&parts->window, part) != 0)
        statistics_window_reset(&parts->window);
    else if (parts->window.count == parts->window.histogram.count)
        return finish(window);
    return false;
}

/* It may have ended: that is what its child says last of it. The dictionary is asked next. */
static void doubt(struct child_series *series, uint64_t now_ns)
{
    struct child *child = series->child;
    series->seen_ns = now_ns > CONFIRM_NS ? now_ns - CONFIRM_NS : 0;
    TAILQ_REMOVE(&child->named, series, link);
    TAILQ_INSERT_HEAD(&child->named, series, link);
}

/* What came before the child was polled is history: only the latest of it is the present. */
void child_end_replay(struct children *children, struct child *child, struct moment now)
{
    const struct series_observer *observer = children->observer;
    struct child_series *series;
    child->replays = false;
    TAILQ_FOREACH(series, &child->named, link)
    {
        if (series->watches && observer && child_series_current(series))
            observer->valued(observer->context, child_series_ref(series), false, now);
    }
}

/* The series that an entry is of. NULL: there are too many, or no memory. */
static struct child_series *series_of_entry(struct children *children, struct child *child,
                                            const struct report_entry *entry, uint64_t now_ns)
{
    struct child_series *series = find(child, entry->series);
    if (!series) {
        series = series_begin(child, entry->series, now_ns);
        child_work(children, child, WORK_OF_SERIES, now_ns);
    }
    if (!series)
        return NULL;
    series->seen_ns = now_ns;
    if (series->name) {
        TAILQ_REMOVE(&child->named, series, link);
        TAILQ_INSERT_TAIL(&child->named, series, link);
    }
    return series;
}

/* True: the window is whole. */
static bool store_window(struct child_series *series, const struct report_entry *entry)
{
    child_discharge(series->child, window_cost(series->window));
    bool is_whole = take_part(series, entry);
    child_charge(series->child, window_cost(series->window));
    return is_whole;
}

static void store_value(struct child_series *series, const struct report_entry *entry,
                        uint64_t now_ns)
{
    series->result = entry->result;
    series->wall_ms = entry->wall_ms;
    series->heard_ns = now_ns;
    if (series->name && entry->result.state == RESULT_UNAVAILABLE)
        doubt(series, now_ns);
}

struct entry_publication {
    struct publication publication;
    struct children *children;
    struct child *child;
    const struct report_entry *entry;
    bool left_out;
};

/* Where a child is reported: in its series. */
static void store_entry(struct publication *publication, struct moment now)
{
    struct entry_publication *whole = (struct entry_publication *)publication;
    const struct report_entry *entry = whole->entry;
    struct child_series *series =
        series_of_entry(whole->children, whole->child, entry, now.mono_ns);
    bool is_sample = true;
    whole->left_out = !series;
    if (!series)
        return;
    publication->is_window = entry->kind == REPORT_WINDOW;
    if (publication->is_window)
        is_sample = store_window(series, entry);
    else
        store_value(series, entry, now.mono_ns);
    publication->series = child_series_ref(series);
    publication->is_watched = is_sample && series->watches && child_series_current(series);
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

/* -- Names ---------------------------------------------------------------------------------- */

static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* Instances are whatever the child's kernel has; what the index cannot hold they are not. */
static const char *name_fault(const struct message_series *message)
{
    if (!is_text(message->sensor, sizeof message->sensor) ||
        !text_is_name(message->sensor, strlen(message->sensor)))
        return "a series has no name of a sensor";
    if (!is_text(message->instance, sizeof message->instance) || !message->instance[0])
        return "a series has no instance";
    if (!is_text(message->metric, sizeof message->metric) ||
        !text_is_printable(message->metric, strlen(message->metric)))
        return "a series has no name of a metric";
    if (!is_text(message->unit, sizeof message->unit) ||
        !text_is_printable(message->unit, strlen(message->unit)))
        return "a series has an unprintable unit";
    return NULL;
}

/* A series of that name, of this boot or of the one before. */
static struct child_series *find_named(const struct children *children, const struct child *child,
                                       const struct series_name *name)
{
    uint32_t key[2 * NAME_SIZE + INSTANCE_KEY_MAX + 1];
    memcpy(key, child->key, child->node.key_len * sizeof *key);
    memcpy(key + child->node.key_len, name->tail.key, name->tail.len * sizeof *key);
    return (struct child_series *)index_find(&children->values, key,
                                             child->node.key_len + name->tail.len);
}

/* Of instances whose ends are all that the key has, the thresholds tell one from another. */
static void replace(struct children *children, struct child_series *old,
                    struct child_series *series, struct moment now)
{
    if (old->watches && children->observer &&
        strcmp(old->name->instance, series->name->instance) == 0)
        children->observer->moved(children->observer->context, child_series_ref(old),
                                  child_series_ref(series));
    series_end(children, old, GONE, now);
}

/* A series of the same name was of the boot before, or of an instance that went and came back. */
static void series_name(struct children *children, struct child_series *series,
                        const struct message_series *message, struct moment now)
{
    struct child *child = series->child;
    series->name = series_name_use(children, message);
    if (!series->name)
        return; /* asked again */
    child_charge(child, series->name->size);
    struct child_series *other = find_named(children, child, series->name);
    if (other)
        replace(children, other, series, now);
    series->node.key = child->key;
    series->node.key_len = child->node.key_len;
    series->node.tail = &series->name->tail;
    TAILQ_REMOVE(&child->unnamed, series, link);
    TAILQ_INSERT_TAIL(&child->named, series, link);
    index_add(&children->values, &series->node);
    child->n_series++;
    children->membership++;
    if (children->observer)
        children->observer->begun(children->observer->context, child_series_ref(series), now);
}

/* Of one that has its name already: whether it is still the same. */
static bool confirm(struct child_series *series, const struct message_series *message,
                    uint64_t now_ns)
{
    struct child *child = series->child;
    if (strcmp(series->name->sensor, message->sensor) != 0 ||
        strcmp(series->name->instance, message->instance) != 0)
        return false;
    series->seen_ns = now_ns;
    TAILQ_REMOVE(&child->named, series, link);
    TAILQ_INSERT_TAIL(&child->named, series, link);
    return true;
}

const char *child_take_name(struct children *children, struct child *child,
                            const struct message_series *message, struct moment now)
{
    struct child_series *series =
        message->report_boot == child->report_boot ? find(child, message->series) : NULL;
    if (!series)
        return NULL; /* what it was asked for has ended meanwhile */
    if (child->n_asked > 0 && series->request == child->request)
        child->n_asked--;
    series->request = 0;
    if (!message->exists) {
        series_end(children, series, GONE, now);
        return NULL;
    }
    const char *fault = name_fault(message);
    if (!fault && series->name && !confirm(series, message, now.mono_ns))
        fault = "a series has another name than before";
    if (fault)
        series_end(children, series, fault, now);
    else if (!series->name)
        series_name(children, series, message, now);
    return fault;
}

/* Neither list is gone through further than to what is asked for: none of it has been. */
static uint32_t choose(struct child *child, struct message_look_up *ask, uint64_t now_ns)
{
    struct child_series *series;
    uint32_t n = 0;
    TAILQ_FOREACH(series, &child->unnamed, link)
    {
        if (n == POLL_SERIES_MAX)
            return n;
        series->request = child->request;
        ask->series[n++] = series->number;
    }
    TAILQ_FOREACH(series, &child->named, link)
    {
        if (n == POLL_SERIES_MAX || now_ns - series->seen_ns < CONFIRM_NS)
            return n;
        series->request = child->request;
        ask->series[n++] = series->number;
    }
    return n;
}

void child_look_up(struct children *children, struct child *child, uint64_t now_ns)
{
    struct message_look_up ask = {
        .head = {.kind = MESSAGE_LOOK_UP, .length = sizeof ask},
        .id = child->id,
    };
    if (!children->send || (child->n_asked > 0 && now_ns - child->asked_ns < LOOK_UP_NS))
        return;
    if (++child->request == 0)
        child->request = 1; /* what still says so was asked for 2^32 look-ups ago */
    ask.n = child->n_asked = choose(child, &ask, now_ns);
    child->asked_ns = now_ns;
    child->bad_look_up &= ask.n > 0;
    if (ask.n > 0)
        children->send(children->context, child->id, &ask.head);
}
