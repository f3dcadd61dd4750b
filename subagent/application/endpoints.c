#include "application/endpoints.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "application/endpoint.h"
#include "application/fetcher.h"
#include "base/log.h"
#include "metric/field.h"
#include "sample/slot.h"

#define BIT(field) (UINT32_C(1) << (field))
#define ALL_OF_SERIES (BIT(ENDPOINT_FIELDS) - BIT(ENDPOINT_COUNT))

/* A series that began with a certain answer of an endpoint, as one number. */
#define ANSWER_BITS 32

struct endpoints *endpoints_new(void)
{
    struct endpoints *endpoints = calloc(1, sizeof *endpoints);
    if (!endpoints)
        return NULL;
    pthread_mutex_init(&endpoints->lock, NULL);
    LIST_INIT(&endpoints->all);
    return endpoints;
}

void endpoints_free(struct endpoints *endpoints)
{
    if (!endpoints)
        return;
    fetcher_stop(endpoints->fetcher);
    while (!LIST_EMPTY(&endpoints->all)) {
        struct endpoint *endpoint = LIST_FIRST(&endpoints->all);
        LIST_REMOVE(endpoint, link);
        endpoint_free(endpoint);
    }
    endpoint_wishes_leave(endpoints->wishes);
    pthread_mutex_destroy(&endpoints->lock);
    free(endpoints);
}

/* -- The configuration ------------------------------------------------------------------------- */

/* Must agree with .change of the fields of the row: test_daemon_rows. */
static bool is_same(const struct endpoint_setup *a, const struct endpoint_setup *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->url, b->url) == 0 &&
           strcmp(a->socket, b->socket) == 0 && strcmp(a->ca, b->ca) == 0;
}

static bool is_among(const struct endpoint *endpoint, const struct endpoint_setup *setups, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_same(&endpoint->setup, &setups[i]))
            return true;
    return false;
}

static struct endpoint *find(const struct endpoints *endpoints, const struct endpoint_setup *setup)
{
    struct endpoint *endpoint;
    LIST_FOREACH(endpoint, &endpoints->all, link)
    if (!endpoint->is_dropped && is_same(&endpoint->setup, setup))
        return endpoint;
    return NULL;
}

/* Sets its settings; it is asked at once, and then as they say. */
static void change(struct endpoint *endpoint, const struct endpoint_setup *setup)
{
    if (memcmp(&endpoint->setup, setup, sizeof *setup) == 0)
        return;
    endpoint->setup = *setup;
    endpoint->due_ns = 0;
}

static bool add(struct endpoints *endpoints, const struct endpoint_setup *setup)
{
    struct endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (!endpoint)
        return false;
    endpoint->born = ++endpoints->born;
    endpoint->setup = *setup;
    LIST_INSERT_HEAD(&endpoints->all, endpoint, link);
    return true;
}

/* The thread frees those that it may be asking; without a thread, they are freed here. */
static void drop_others(struct endpoints *endpoints, const struct endpoint_setup *setups, size_t n)
{
    struct endpoint *next;
    for (struct endpoint *endpoint = LIST_FIRST(&endpoints->all); endpoint; endpoint = next) {
        next = LIST_NEXT(endpoint, link);
        endpoint->is_dropped |= !is_among(endpoint, setups, n);
        if (!endpoint->is_dropped || endpoints->fetcher)
            continue;
        LIST_REMOVE(endpoint, link);
        endpoint_free(endpoint);
    }
}

static int set_all(struct endpoints *endpoints, const struct endpoint_setup *setups, size_t n)
{
    struct endpoint *endpoint;
    int error = 0;
    drop_others(endpoints, setups, n);
    for (size_t i = 0; i < n; i++) {
        endpoint = find(endpoints, &setups[i]);
        if (endpoint)
            change(endpoint, &setups[i]);
        else if (!add(endpoints, &setups[i]))
            error = ENOMEM;
    }
    return error;
}

int endpoints_set(struct endpoints *endpoints, const struct endpoint_setup *setups, size_t n)
{
    pthread_mutex_lock(&endpoints->lock);
    int error = set_all(endpoints, setups, n);
    pthread_mutex_unlock(&endpoints->lock);
    if (endpoints->fetcher)
        fetcher_wake(endpoints->fetcher);
    return error;
}

/* -- What is wanted ---------------------------------------------------------------------------- */

static struct endpoint_wishes *copy_wishes(const struct endpoint_wish *wish, size_t n)
{
    struct endpoint_wishes *wishes = calloc(1, sizeof *wishes + n * sizeof *wish);
    if (!wishes)
        return NULL;
    wishes->users = 1;
    for (; wishes->n < n; wishes->n++) {
        struct endpoint_wish *copy = &wishes->wish[wishes->n];
        *copy = (struct endpoint_wish){strdup(wish[wishes->n].pattern), wish[wishes->n].fields};
        if (copy->pattern)
            continue;
        endpoint_wishes_leave(wishes);
        return NULL;
    }
    return wishes;
}

static bool are_same(const struct endpoint_wishes *wishes, const struct endpoint_wish *wish,
                     size_t n)
{
    if (!wishes || wishes->n != n)
        return !wishes && n == 0;
    for (size_t i = 0; i < n; i++)
        if (wishes->wish[i].fields != wish[i].fields ||
            strcmp(wishes->wish[i].pattern, wish[i].pattern) != 0)
            return false;
    return true;
}

/* What is newly wanted must not wait for the next interval. */
static void renew(struct endpoints *endpoints, struct endpoint_wishes *wishes)
{
    struct endpoint *endpoint;
    pthread_mutex_lock(&endpoints->lock);
    endpoint_wishes_leave(endpoints->wishes);
    endpoints->wishes = wishes;
    LIST_FOREACH(endpoint, &endpoints->all, link)
    endpoint->due_ns = 0;
    pthread_mutex_unlock(&endpoints->lock);
}

/* The thread is started when it is first needed, and stays from then on. */
static int run(struct endpoints *endpoints)
{
    if (endpoints->fetcher)
        fetcher_wake(endpoints->fetcher);
    else if (endpoints->wishes && !LIST_EMPTY(&endpoints->all))
        endpoints->fetcher = fetcher_start(endpoints);
    else
        return 0;
    return endpoints->fetcher ? 0 : EAGAIN;
}

int endpoints_wish(struct endpoints *endpoints, const struct endpoint_wish *wish, size_t n)
{
    /* This is safe without the lock, because only the core changes them. */
    if (!are_same(endpoints->wishes, wish, n)) {
        struct endpoint_wishes *wishes = n > 0 ? copy_wishes(wish, n) : NULL;
        if (n > 0 && !wishes)
            return ENOMEM;
        renew(endpoints, wishes);
    }
    return run(endpoints);
}

/* -- Slots ------------------------------------------------------------------------------------- */

static void fill_endpoint(struct sample_slot *slot, const struct endpoint *endpoint,
                          uint32_t wanted, uint64_t now_ns)
{
    const struct endpoint_status *status = &endpoint->status;
    uint32_t of_answer = BIT(ENDPOINT_TIME) | BIT(ENDPOINT_OCTETS) | BIT(ENDPOINT_KEPT) |
                         BIT(ENDPOINT_LEFT_OUT) | BIT(ENDPOINT_BEYOND);
    uint32_t counters = BIT(ENDPOINT_ANSWERS) | BIT(ENDPOINT_FAILURES) | BIT(ENDPOINT_FAULTS);
    bool is_up = endpoint_is_up(endpoint, now_ns);
    slot->field[ENDPOINT_UP] = is_up;
    slot->field[ENDPOINT_TIME] = status->took_ns;
    slot->field[ENDPOINT_OCTETS] = status->octets;
    slot->field[ENDPOINT_ANSWERS] = status->answers;
    slot->field[ENDPOINT_FAILURES] = status->failures;
    slot->field[ENDPOINT_FAULTS] = status->faults;
    slot->field[ENDPOINT_KEPT] = status->kept;
    slot->field[ENDPOINT_LEFT_OUT] = status->left_out;
    slot->field[ENDPOINT_BEYOND] = status->beyond;
    slot->valid =
        (counters | (status->is_known ? BIT(ENDPOINT_UP) : 0) | (is_up ? of_answer : 0)) & wanted;
    slot->lacks = ALL_OF_SERIES;
}

/* The fields that a series has, whether they have a value or not. */
static uint32_t fields_of(const struct exposed_series *series)
{
    switch (series->kind) {
    case SCRAPED_COUNTER:
        return BIT(ENDPOINT_COUNT);
    case SCRAPED_VALUE:
        return BIT(ENDPOINT_VALUE);
    default:
        return BIT(ENDPOINT_COUNT) | BIT(ENDPOINT_SUM) | BIT(ENDPOINT_EVENTS);
    }
}

static void fill_series(struct sample_slot *slot, const struct exposed_series *series, bool is_up,
                        uint32_t wanted)
{
    uint32_t valid = 0, fields = fields_of(series);
    double count = exposed_total(&series->count);
    if (series->has & SCRAPED_COUNT) {
        valid |= slot_set_real(slot, ENDPOINT_COUNT, count) | BIT(ENDPOINT_EVENTS);
        slot->field[ENDPOINT_EVENTS] = count < 0x1p64 ? (uint64_t)count : UINT64_MAX;
    }
    if (series->has & SCRAPED_SUM)
        valid |= slot_set_real(slot, ENDPOINT_SUM, exposed_total(&series->sum));
    if (series->has & SCRAPED_LEVEL)
        valid |= slot_set_real(slot, ENDPOINT_VALUE, series->level);
    slot->valid = is_up ? valid & fields & wanted : 0;
    slot->lacks = ALL_OF_SERIES & ~fields;
    slot->united = series->kind == SCRAPED_COUNTER ? BIT(ENDPOINT_COUNT)
                                                   : BIT(ENDPOINT_SUM) | BIT(ENDPOINT_VALUE);
    memcpy(slot->unit, series->unit, sizeof slot->unit);
    slot->taken_ns = series->taken_ns;
    slot->events = series->shown.count > 0 ? &series->shown : NULL;
    slot->events_mean = series->shown_mean;
}

static void show(struct endpoints *endpoints, struct source *source, struct endpoint *endpoint,
                 uint64_t now_ns)
{
    bool is_up = endpoint_is_up(endpoint, now_ns);
    struct sample_slot *slot = source_slot_of(source, endpoint->setup.name, RESOURCE_ENDPOINT,
                                              endpoint->born, &endpoints->hidden);
    if (slot)
        fill_endpoint(slot, endpoint, source->fields, now_ns);
    exposed_collect(&endpoint->exposed);
    for (const struct exposed_series *series = endpoint->exposed.by_name; series;
         series = series->hh.next) {
        slot = source_slot_of(source, series->name, RESOURCE_ENDPOINT_SERIES,
                              endpoint->born << ANSWER_BITS | series->born, &endpoints->hidden);
        if (slot)
            fill_series(slot, series, is_up, source->fields);
    }
}

int endpoints_read(void *context, struct source *source, uint64_t now_ns)
{
    struct endpoints *endpoints = context;
    struct endpoint *endpoint;
    endpoints->hidden = 0;
    pthread_mutex_lock(&endpoints->lock);
    LIST_FOREACH(endpoint, &endpoints->all, link)
    if (!endpoint->is_dropped)
        show(endpoints, source, endpoint, now_ns);
    pthread_mutex_unlock(&endpoints->lock);
    if (endpoints->hidden > 0 && !endpoints->is_hiding_told)
        log_warning("endpoint",
                    "%zu series of endpoints are not shown: their names are none, or are those of "
                    "others",
                    endpoints->hidden);
    endpoints->is_hiding_told |= endpoints->hidden > 0;
    return 0;
}
