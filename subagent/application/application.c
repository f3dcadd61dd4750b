#include "application/application.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calculate/statistics.h"

/* -- Series ------------------------------------------------------------------------------------ */

static void free_series(struct application_series *series)
{
    HASH_DEL(series->application->series, series);
    series->application->owner->series--;
    histogram_release(&series->grown);
    keys_release(&series->departed);
    free(series->record);
    free(series);
}

static struct application_series *make_series(const struct applications *applications,
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
        return series;
    }
    free(series);
    return NULL;
}

struct application_series *application_series_get(const struct applications *applications,
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
    free_series(series);
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

#define RECORDS_KEPT 64 /* the room for so many stays, pass after pass */

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

/* Those that no sensor has taken are lost: there was no memory for its series. */
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

static void begin(struct application *application, uint64_t now_ns)
{
    struct application_series *series, *next;
    application->over_quota = application->clashing = 0;
    HASH_ITER(hh, application->series, series, next)
    {
        histogram_reset(&series->grown);
        forget_records(series);
        series->grown_mean = NAN;
        if (is_forgotten(series, now_ns))
            free_series(series);
    }
}

void applications_begin(struct applications *applications, uint64_t now_ns)
{
    struct application *application, *next;
    applications->pass++;
    applications->now_ns = now_ns;
    HASH_ITER(hh, applications->by_key, application, next)
    {
        begin(application, now_ns);
        if (!application->series && application->processes == 0)
            free_application(applications, application);
    }
}

/* -- What has grown ---------------------------------------------------------------------------- */

/* Between which magnitudes those of a bucket lie: the first one has what took no time as well, and
 * the last one all that is beyond. */
static double nearest_of(int bucket)
{
    return bucket > HISTOGRAM_FIRST ? histogram_border(bucket - 1) : 0;
}

static double farthest_of(int bucket)
{
    return bucket < HISTOGRAM_LAST ? histogram_border(bucket) : STATISTICS_LARGEST;
}

/* Between which values those of a histogram lie, which is not empty. */
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

/* Sum by count, unless it is that of other events than those in the buckets. */
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
    /* More than every shard can be ahead: these have found no room for their bucket. */
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
    unsigned room = room_for_threads(applications, owner), kept = threads < room ? threads : room;
    part->thread = kept > 0 ? malloc(kept * sizeof *thread) : NULL;
    part->threads = part->thread ? kept : 0;
    part->threads_left_out = threads - kept;
    if (part->thread)
        memcpy(part->thread, thread, kept * sizeof *thread);
    applications->threads += part->threads;
    owner->threads += part->threads;
    return kept == part->threads ? 0 : ENOMEM;
}

void application_leave(struct applications *applications, struct application_series *series,
                       struct application_part *part, bool is_over)
{
    LIST_REMOVE(part, link);
    application_share(applications, series, part, NULL, 0);
    if (LIST_EMPTY(&series->parts))
        series->empty_ns = applications->now_ns;
    if (is_over && part->keys.size + part->keys.absent > 0 &&
        keys_merge(&series->departed, part->keys.key, part->keys.size, part->keys.absent))
        series->departed_in_part = true;
    keys_release(&part->keys);
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
