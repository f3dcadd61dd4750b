#include "application/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct maker {
    struct listing *listing;
    struct owners *names;
    uint32_t top_size;
    bool no_memory;
};

void listing_release(struct listing *listing)
{
    struct index_node *node;
    while ((node = index_first(&listing->index))) {
        index_remove(&listing->index, node);
        free(node);
    }
    index_release(&listing->index);
    listing->left_out = 0;
}

/* -- Keys -------------------------------------------------------------------------------------- */

struct row_key {
    uint32_t n;
    uint32_t id[LISTING_KEY_MAX];
};

/* A text of a segment either fills its field or ends with a zero octet. */
static void add_text(struct row_key *key, const char *field, size_t size, uint32_t max)
{
    char text[SEGMENT_INSTANCE + 1];
    text_format(text, sizeof text, "%.*s", (int)size, field);
    key->n += index_key_end(key->id + key->n, text, max);
}

static struct row_key key_of(const char *user, const struct application *application)
{
    struct row_key key = {0};
    key.n = index_key_end(key.id, user, LISTING_USER_MAX);
    add_text(&key, application->key.name, SEGMENT_NAME, SEGMENT_NAME);
    return key;
}

static struct row_key key_of_series(const char *user, const struct application_series *series,
                                    uint32_t instance_max)
{
    struct row_key key = key_of(user, series->application);
    add_text(&key, series->key.name, SEGMENT_NAME, SEGMENT_NAME);
    add_text(&key, series->key.instance, SEGMENT_INSTANCE, instance_max);
    return key;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* The node is the first member of a row, and the key is behind the row. NULL: the row is left out,
 * or there is no memory. */
static void *add_row(struct maker *maker, struct owner *owner, const struct row_key *key,
                     size_t size)
{
    struct listing *listing = maker->listing;
    if (listing->index.count >= LISTING_ROWS_MAX || owner->rows >= LISTING_USER_ROWS_MAX) {
        listing->left_out++;
        return NULL;
    }
    struct index_node *node = calloc(1, size + key->n * sizeof *key->id);
    if (!node) {
        maker->no_memory = true;
        return NULL;
    }
    uint32_t *id = (uint32_t *)(void *)((char *)node + size);
    memcpy(id, key->id, key->n * sizeof *id);
    node->key = id;
    node->key_len = key->n;
    if (index_add(&listing->index, node)) {
        owner->rows++;
        return node;
    }
    listing->left_out++;
    free(node);
    return NULL;
}

static void add_reason(char text[MESSAGE_SIZE], const char *whose, unsigned count, const char *what)
{
    size_t n = strlen(text);
    if (count > 0)
        text_format(text + n, MESSAGE_SIZE - n, "%s%s%u %s", n > 0 ? "; " : "", whose, count, what);
}

/* What is wrong with files whose application is not known. */
static void add_problems(char text[MESSAGE_SIZE], const char *whose, const struct owner *owner)
{
    for (int problem = 0; problem < OWNER_PROBLEMS; problem++)
        if (problem != OWNER_CLASH && problem != OWNER_MANY_SERIES && problem != OWNER_MUCH_MEMORY)
            add_reason(text, whose, owner->problem[problem].count,
                       owner_problem_text((enum owner_problem)problem));
}

static void list_application(struct maker *maker, const char *user,
                             const struct application *application)
{
    const struct row_key key = key_of(user, application);
    struct listed_application *row = add_row(maker, application->owner, &key, sizeof *row);
    unsigned in_part = 0, cut = 0;
    if (!row)
        return;
    row->processes = application->processes;
    row->ended = application->ended;
    row->sensors = HASH_COUNT(application->series);
    row->lost = application->lost;
    row->unreported = application->unreported;
    row->unread = application->unread;
    row->refused = application->refused;
    row->crowded = application->crowded;
    row->full = application->full;
    row->since_ns = application->since_ns;
    for (const struct application_series *series = application->series; series;
         series = series->hh.next) {
        in_part += series->departed_in_part;
        cut += series->departed_is_cut;
    }
    add_reason(row->error, "", application->over_quota, "sensors beyond the series of its user");
    add_reason(row->error, "", application->no_room, "sensors without room for all of them");
    add_reason(row->error, "", application->clashing,
               "sensors that differ in kind or unit from those of other processes");
    add_reason(row->error, "", in_part, "tops without what a process had that has ended");
    add_reason(row->error, "", cut, "tops with keys given up for room");
    add_problems(row->error, "its user has ", application->owner);
}

/* Which word of a kind counts what has come; a gauge has none. */
static uint64_t count_of(uint32_t kind, const uint64_t total[SEGMENT_STEP_WORDS])
{
    static const unsigned word[] = {
        [SEGMENT_COUNTER] = SEGMENT_COUNTER_VALUE, [SEGMENT_GAUGE] = SEGMENT_GAUGE_VALUE,
        [SEGMENT_TIMER] = SEGMENT_TIMER_COUNT,     [SEGMENT_HISTOGRAM] = SEGMENT_HISTOGRAM_COUNT,
        [SEGMENT_TOP] = SEGMENT_TOP_TOTAL,         [SEGMENT_STEP] = SEGMENT_STEP_COUNT,
    };
    return total[word[kind]];
}

static void list_sensor(struct maker *maker, const char *user,
                        const struct application_series *series)
{
    const struct row_key key = key_of_series(user, series, LISTING_INSTANCE_MAX);
    struct listed_sensor *row = add_row(maker, series->application->owner, &key, sizeof *row);
    if (!row)
        return;
    row->kind = series->kind;
    row->count = count_of(series->kind, series->total);
    row->since_ns = series->since_ns;
    memcpy(row->unit, series->unit, sizeof series->unit);
    memcpy(row->purpose, series->purpose, sizeof series->purpose);
    text_clean(row->unit, sizeof row->unit, '?');
    text_clean(row->purpose, sizeof row->purpose, '?');
    application_series_path(row->path, user, series);
}

static void list_key(struct maker *maker, struct owner *owner, const struct row_key *key,
                     const struct top_key *most, uint64_t rest)
{
    struct listed_top *row = add_row(maker, owner, key, sizeof *row);
    if (!row)
        return;
    row->count = most->count;
    row->error = most->error;
    row->is_guaranteed = most->count - most->error >= rest;
    row->len = strnlen(most->octets, sizeof most->octets);
    memcpy(row->octets, most->octets, sizeof row->octets);
}

static void list_top(struct maker *maker, const char *user, const struct application_series *series)
{
    struct row_key key = key_of_series(user, series, LISTING_INSTANCE_MAX);
    struct top_key most[LISTING_TOP_SIZE_MAX];
    struct top_keys keys = {0};
    uint64_t rest;
    if (application_keys(series, &keys)) {
        maker->no_memory = true;
        return;
    }
    size_t n = keys_most(&keys, most, maker->top_size, &rest);
    key.n++;
    for (size_t i = 0; i < n; i++) {
        key.id[key.n - 1] = (uint32_t)i + 1;
        list_key(maker, series->application->owner, &key, &most[i], rest);
    }
    keys_release(&keys);
}

static void list_thread(struct maker *maker, const struct application_series *series,
                        const struct row_key *key, const struct application_thread *is)
{
    static const unsigned nanoseconds[] = {
        [SEGMENT_TIMER] = SEGMENT_TIMER_NANOSECONDS, [SEGMENT_STEP] = SEGMENT_STEP_NANOSECONDS};
    struct listed_thread *row = add_row(maker, series->application->owner, key, sizeof *row);
    uint32_t kind = series->kind;
    if (!row)
        return;
    row->kind = kind;
    row->is_known = is->is_known;
    row->id = is->id;
    row->threads = is->threads;
    row->count = count_of(kind, is->word);
    if (kind == SEGMENT_TIMER || kind == SEGMENT_STEP)
        row->nanoseconds = is->word[nanoseconds[kind]];
    memcpy(&row->real, &is->word[kind == SEGMENT_HISTOGRAM ? SEGMENT_HISTOGRAM_SUM : 0],
           sizeof row->real);
    memcpy(row->name, is->name, sizeof is->name);
    text_clean(row->name, sizeof row->name, '?');
}

static void list_threads(struct maker *maker, const char *user,
                         const struct application_series *series)
{
    struct row_key key = key_of_series(user, series, LISTING_THREAD_INSTANCE_MAX);
    const struct application_part *part;
    key.n += 2;
    LIST_FOREACH(part, &series->parts, link)
    {
        maker->listing->left_out += part->threads_left_out;
        key.id[key.n - 2] = part->pid;
        for (unsigned i = 0; i < part->threads; i++) {
            key.id[key.n - 1] = part->thread[i].shard;
            list_thread(maker, series, &key, &part->thread[i]);
        }
    }
}

/* -- Tables ------------------------------------------------------------------------------------ */

static void list_series(struct maker *maker, enum listing_kind kind, const char *user,
                        const struct application_series *series)
{
    if (kind == LISTING_SENSORS)
        list_sensor(maker, user, series);
    else if (kind == LISTING_THREADS)
        list_threads(maker, user, series);
    else if (series->kind == SEGMENT_TOP)
        list_top(maker, user, series);
}

static void list(struct maker *maker, enum listing_kind kind, const struct application *application)
{
    const char *user = owners_name(maker->names, application->key.owner);
    if (!user) {
        maker->no_memory = true;
        return;
    }
    if (kind == LISTING_APPLICATIONS) {
        list_application(maker, user, application);
        return;
    }
    for (const struct application_series *series = application->series; series;
         series = series->hh.next)
        list_series(maker, kind, user, series);
}

int listing_make(struct listing *listing, enum listing_kind kind,
                 const struct applications *applications, struct owners *names, uint32_t top_size)
{
    struct maker maker = {.listing = listing, .names = names, .top_size = top_size};
    const struct application *application;
    index_init(&listing->index);
    listing->left_out = 0;
    for (application = applications->by_key; application; application = application->hh.next)
        application->owner->rows = 0;
    for (application = applications->by_key; application; application = application->hh.next)
        list(&maker, kind, application);
    if (maker.no_memory)
        listing_release(listing);
    return maker.no_memory ? ENOMEM : 0;
}

void listing_complaints(char text[MESSAGE_SIZE], const struct owner *owners, struct owners *names)
{
    *text = '\0';
    for (const struct owner *owner = owners; owner; owner = owner->hh.next) {
        char whose[NAME_SIZE + 8];
        const char *user = owners_name(names, owner->uid);
        text_format(whose, sizeof whose, "%s has ", user ? user : "somebody");
        for (int problem = 0; problem < OWNER_PROBLEMS; problem++)
            add_reason(text, whose, owner->problem[problem].count,
                       owner_problem_text((enum owner_problem)problem));
    }
}
