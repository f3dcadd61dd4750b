#include "application/application.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/text.h"
#include "calculate/statistics.h"

/* -- Memory ------------------------------------------------------------------------------------ */

void application_charge(struct applications *applications, struct owner *owner, size_t octets)
{
    applications->memory += octets;
    owner->memory += octets;
}

void application_discharge(struct applications *applications, struct owner *owner, size_t octets)
{
    applications->memory -= octets;
    owner->memory -= octets;
}

static size_t octets_of(const struct top_keys *keys)
{
    return keys->size * sizeof *keys->key;
}

/* Takes the series out of the lists of departed keys; to be called before those keys change. */
static void take_departed_out(struct applications *applications, struct application_series *series)
{
    struct owner *owner = series->application->owner;
    if (!series->earlier)
        return;
    application_discharge(applications, owner, octets_of(&series->departed));
    DL_DELETE2(owner->departed, series, earlier, later);
    DL_DELETE2(applications->departed, series, earlier_of_all, later_of_all);
    series->earlier = NULL;
}

/* To be called after they have changed: puts the series into the lists as the latest one. */
static void put_departed_in(struct applications *applications, struct application_series *series)
{
    struct owner *owner = series->application->owner;
    if (series->departed.size == 0)
        return;
    application_charge(applications, owner, octets_of(&series->departed));
    DL_APPEND2(owner->departed, series, earlier, later);
    DL_APPEND2(applications->departed, series, earlier_of_all, later_of_all);
}

/* The largest count that any of them can have had is still known. */
static void give_up_departed(struct applications *applications, struct application_series *series)
{
    take_departed_out(applications, series);
    keys_cut(&series->departed, 0);
    series->departed_is_cut = true;
}

static size_t room_of(size_t used, size_t most)
{
    return used < most ? most - used : 0;
}

static size_t room_for(const struct applications *applications, const struct owner *owner)
{
    size_t of_owner = room_of(owner->memory, OWNER_MEMORY_MAX);
    size_t of_all = room_of(applications->memory, OWNERS_MEMORY_MAX);
    return of_owner < of_all ? of_owner : of_all;
}

bool application_has_room(struct applications *applications, struct owner *owner, size_t octets)
{
    while (room_for(applications, owner) < octets && owner->departed)
        give_up_departed(applications, owner->departed);
    while (room_of(owner->memory, OWNER_MEMORY_MAX) >= octets &&
           room_for(applications, owner) < octets && applications->departed)
        give_up_departed(applications, applications->departed);
    return room_for(applications, owner) >= octets;
}

/* -- Series ------------------------------------------------------------------------------------ */

static void free_series(struct applications *applications, struct application_series *series)
{
    struct owner *owner = series->application->owner;
    take_departed_out(applications, series);
    application_discharge(applications, owner, sizeof *series + series->grown_octets);
    HASH_DEL(series->application->series, series);
    owner->series--;
    histogram_release(&series->grown);
    keys_release(&series->departed);
    free(series->record);
    free(series);
}

static struct application_series *make_series(struct applications *applications,
                                              struct application *application,
                                              const struct application_series_key *key,
                                              const struct segment_descriptor *is)
{
    struct application_series *series = calloc(1, sizeof *series);
    if (!series)
        return NULL;
    series->application = application;
    series->key = *key;
    series->kind = is->kind;
    series->born = applications->pass;
    series->since_ns = applications->now_ns;
    series->grown_mean = NAN;
    series->records.unreported = &application->unreported;
    memcpy(series->unit, is->unit, sizeof series->unit);
    memcpy(series->purpose, is->purpose, sizeof series->purpose);
    LIST_INIT(&series->parts);
    HASH_ADD(hh, application->series, key, sizeof series->key, series);
    if (table_has(hh, series)) {
        application->owner->series++;
        application_charge(applications, application->owner, sizeof *series);
        return series;
    }
    free(series);
    return NULL;
}

struct application_series *application_series_get(struct applications *applications,
                                                  struct application *application,
                                                  const struct segment_descriptor *is, int *error)
{
    struct application_series_key key;
    struct application_series *series;
    memcpy(key.name, is->name, sizeof key.name);
    memcpy(key.instance, is->instance, sizeof key.instance);
    HASH_FIND(hh, application->series, &key, sizeof key, series);
    *error = 0;
    if (series &&
        (series->kind != is->kind || memcmp(series->unit, is->unit, sizeof series->unit) != 0)) {
        *error = EEXIST;
        return NULL;
    }
    if (series)
        return series;
    if (application->owner->series >= OWNER_SERIES_MAX) {
        *error = EDQUOT;
        return NULL;
    }
    if (!application_has_room(applications, application->owner, sizeof *series)) {
        *error = ENOSPC;
        return NULL;
    }
    series = make_series(applications, application, &key, is);
    *error = series ? 0 : ENOMEM;
    return series;
}

void application_path(char path[APPLICATION_PATH_SIZE], const char *user,
                      const struct application *application,
                      const struct application_series_key *key)
{
    text_format(path, APPLICATION_PATH_SIZE, "%s/%.*s:%.*s%s%.*s", user, SEGMENT_NAME,
                application->key.name, SEGMENT_NAME, key->name, *key->instance ? ":" : "",
                SEGMENT_INSTANCE, key->instance);
}

void application_series_path(char path[APPLICATION_PATH_SIZE], const char *user,
                             const struct application_series *series)
{
    application_path(path, user, series->application, &series->key);
}

/* -- Applications ------------------------------------------------------------------------------ */

static void free_application(struct applications *applications, struct application *application)
{
    struct application_series *series, *next;
    HASH_ITER(hh, application->series, series, next)
    free_series(applications, series);
    HASH_DEL(applications->by_key, application);
    free(application);
}

void applications_release(struct applications *applications)
{
    struct application *application, *next;
    HASH_ITER(hh, applications->by_key, application, next)
    free_application(applications, application);
    *applications = (struct applications){0};
}

struct application *application_get(struct applications *applications, struct owner *owner,
                                    const char name[SEGMENT_NAME])
{
    struct application_key key = {.owner = owner->uid};
    struct application *application;
    memcpy(key.name, name, sizeof key.name);
    HASH_FIND(hh, applications->by_key, &key, sizeof key, application);
    if (application)
        return application;
    application = calloc(1, sizeof *application);
    if (!application)
        return NULL;
    application->key = key;
    application->owner = owner;
    application->born = applications->pass;
    application->since_ns = applications->now_ns;
    HASH_ADD(hh, applications->by_key, key, sizeof application->key, application);
    if (table_has(hh, application))
        return application;
    free(application);
    return NULL;
}

/* -- Records of steps -------------------------------------------------------------------------- */

#define RECORDS_KEPT 64 /* the room for so many is kept from pass to pass */

bool application_keep_record(struct application_series *series, const struct report_record *record)
{
    if (series->records.n == series->records_room) {
        size_t room = series->records_room ? 2 * series->records_room : 8;
        struct report_record *more = realloc(series->record, room * sizeof *more);
        if (!more)
            return false;
        series->record = more;
        series->records_room = room;
    }
    series->record[series->records.n++] = *record;
    series->records.record = series->record;
    return true;
}

/* Records that no sensor has taken are lost: there was no memory for its series. */
static void forget_records(struct application_series *series)
{
    if (!series->records.is_taken)
        series->application->unreported += series->records.n;
    if (series->records_room > RECORDS_KEPT) {
        free(series->record);
        series->record = NULL;
        series->records_room = 0;
    }
    series->records = (struct sample_records){.unreported = &series->application->unreported};
}

static bool is_forgotten(const struct application_series *series, uint64_t now_ns)
{
    return LIST_EMPTY(&series->parts) && now_ns - series->empty_ns >= APPLICATION_EMPTY_NS;
}

/* The reset may have freed memory. */
static void reset_grown(struct applications *applications, struct application_series *series)
{
    struct owner *owner = series->application->owner;
    histogram_reset(&series->grown);
    application_discharge(applications, owner, series->grown_octets);
    series->grown_octets = histogram_octets(&series->grown);
    application_charge(applications, owner, series->grown_octets);
}

static void begin(struct applications *applications, struct application *application)
{
    struct application_series *series, *next;
    application->over_quota = application->clashing = application->no_room = 0;
    HASH_ITER(hh, application->series, series, next)
    {
        reset_grown(applications, series);
        forget_records(series);
        series->grown_mean = NAN;
        if (is_forgotten(series, applications->now_ns))
            free_series(applications, series);
    }
}

void applications_begin(struct applications *applications, uint64_t now_ns)
{
    struct application *application, *next;
    applications->pass++;
    applications->now_ns = now_ns;
    HASH_ITER(hh, applications->by_key, application, next)
    {
        begin(applications, application);
        if (!application->series && application->processes == 0)
            free_application(applications, application);
    }
}

/* -- What has grown ---------------------------------------------------------------------------- */

int application_grow(struct applications *applications, struct application_series *series,
                     bool is_negative, int index, uint32_t n)
{
    struct owner *owner = series->application->owner;
    struct histogram_side *side = is_negative ? &series->grown.negative : &series->grown.positive;
    size_t more = histogram_side_growth(side, index);
    if (more > 0 && !application_has_room(applications, owner, more))
        return EDQUOT;
    int error = histogram_side_add(side, index, n);
    if (error == ENOMEM)
        return ENOMEM;
    application_charge(applications, owner, more);
    series->grown_octets += more;
    series->grown.count += error ? 0 : n;
    return 0;
}

/* The bounds of the magnitudes of the values in a bucket: the first bucket also has what took no
 * time, and the last one everything beyond. */
static double nearest_of(int bucket)
{
    return bucket > HISTOGRAM_FIRST ? histogram_border(bucket - 1) : 0;
}

static double farthest_of(int bucket)
{
    return bucket < HISTOGRAM_LAST ? histogram_border(bucket) : STATISTICS_LARGEST;
}

/* The bounds of the values in a histogram, which must not be empty. */
static double lowest(const struct histogram *grown)
{
    if (grown->negative.end > grown->negative.low)
        return -farthest_of(grown->negative.end - 1);
    return grown->zero > 0 ? 0 : nearest_of(grown->positive.low);
}

static double highest(const struct histogram *grown)
{
    if (grown->positive.end > grown->positive.low)
        return farthest_of(grown->positive.end - 1);
    return grown->zero > 0 ? 0 : -nearest_of(grown->negative.low);
}

/* The sum divided by the count, unless the sum is that of other events than those in the
 * buckets. */
static double mean_of(const struct application_series *series)
{
    double mean = series->pending_sum / series->pending;
    double low = lowest(&series->grown), high = highest(&series->grown);
    if (!(series->pending > 0))
        return histogram_quantile(&series->grown, 0.5);
    if (!(mean >= low))
        return low;
    return mean > high ? high : mean;
}

static void settle(struct application_series *series)
{
    double n = (double)series->grown.count;
    if (n == 0)
        return;
    series->grown_mean = mean_of(series);
    series->pending -= n;
    series->pending_sum -= series->grown_mean * n;
    /* More than all shards can be ahead: for these events there was no room for a bucket. */
    if (!(fabs(series->pending) <= SEGMENT_SHARDS) || !isfinite(series->pending_sum))
        series->pending = series->pending_sum = 0;
}

void applications_end(struct applications *applications)
{
    struct application *application, *next;
    struct application_series *series, *after;
    HASH_ITER(hh, applications->by_key, application, next)
    HASH_ITER(hh, application->series, series, after)
    settle(series);
}

/* -- Parts ------------------------------------------------------------------------------------- */

void application_join(struct application_series *series, struct application_part *part)
{
    part->gauge = NAN;
    series->empty_ns = 0;
    LIST_INSERT_HEAD(&series->parts, part, link);
}

static unsigned room_for_threads(const struct applications *applications, const struct owner *owner)
{
    unsigned of_all = APPLICATION_THREADS_MAX - applications->threads;
    unsigned of_user = APPLICATION_USER_THREADS_MAX - owner->threads;
    return of_all < of_user ? of_all : of_user;
}

int application_share(struct applications *applications, struct application_series *series,
                      struct application_part *part, const struct application_thread *thread,
                      unsigned threads)
{
    struct owner *owner = series->application->owner;
    free(part->thread);
    applications->threads -= part->threads;
    owner->threads -= part->threads;
    application_discharge(applications, owner, part->threads * sizeof *thread);
    unsigned room = room_for_threads(applications, owner), kept = threads < room ? threads : room;
    part->thread = kept > 0 ? malloc(kept * sizeof *thread) : NULL;
    part->threads = part->thread ? kept : 0;
    part->threads_left_out = threads - kept;
    if (part->thread)
        memcpy(part->thread, thread, kept * sizeof *thread);
    applications->threads += part->threads;
    owner->threads += part->threads;
    application_charge(applications, owner, part->threads * sizeof *thread);
    return kept == part->threads ? 0 : ENOMEM;
}

static void release_keys(struct applications *applications, struct application_series *series,
                         struct application_part *part)
{
    application_discharge(applications, series->application->owner, octets_of(&part->keys));
    keys_release(&part->keys);
}

bool application_take_keys(struct applications *applications, struct application_series *series,
                           struct application_part *part, struct top_keys *keys)
{
    struct owner *owner = series->application->owner;
    release_keys(applications, series, part);
    bool is_all = application_has_room(applications, owner, octets_of(keys));
    if (!is_all)
        keys_cut(keys, room_for(applications, owner) / sizeof *keys->key);
    application_charge(applications, owner, octets_of(keys));
    part->keys = *keys;
    *keys = (struct top_keys){0};
    return is_all;
}

/* Together they take no more room than each took by itself. */
static void keep_departed(struct applications *applications, struct application_series *series,
                          struct application_part *part)
{
    if (part->keys.size + part->keys.absent == 0)
        return;
    take_departed_out(applications, series);
    if (keys_merge(&series->departed, part->keys.key, part->keys.size, part->keys.absent))
        series->departed_in_part = true;
    put_departed_in(applications, series);
}

void application_leave(struct applications *applications, struct application_series *series,
                       struct application_part *part, bool is_over)
{
    LIST_REMOVE(part, link);
    application_share(applications, series, part, NULL, 0);
    if (LIST_EMPTY(&series->parts))
        series->empty_ns = applications->now_ns;
    if (is_over)
        keep_departed(applications, series, part);
    release_keys(applications, series, part);
}

double application_gauge(const struct application_series *series)
{
    double sum = NAN;
    const struct application_part *part;
    LIST_FOREACH(part, &series->parts, link)
    if (isfinite(part->gauge))
        sum = isnan(sum) ? part->gauge : sum + part->gauge;
    return sum;
}

int application_keys(const struct application_series *series, struct top_keys *keys)
{
    const struct top_keys *departed = &series->departed;
    const struct application_part *part;
    int error = keys_merge(keys, departed->key, departed->size, departed->absent);
    LIST_FOREACH(part, &series->parts, link)
    if (!error)
        error = keys_merge(keys, part->keys.key, part->keys.size, part->keys.absent);
    if (error)
        keys_release(keys);
    return error;
}
