#include "application/exposed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The difference that is allowed between two clocks of one machine, and the numbers that a program
 * makes of them. */
#define CLOCK_SLACK_S 1.0

static void free_series(struct exposed_series *series)
{
    free(series->bucket);
    histogram_release(&series->grown);
    histogram_release(&series->shown);
    free(series);
}

static void free_all(struct exposed_series **table)
{
    struct exposed_series *series, *next;
    HASH_ITER(hh, *table, series, next)
    {
        HASH_DEL(*table, series);
        free_series(series);
    }
}

static void free_gone(struct exposed *exposed)
{
    while (exposed->gone) {
        struct exposed_series *series = exposed->gone;
        exposed->gone = series->hh.next;
        free_series(series);
    }
}

void exposed_release(struct exposed *exposed)
{
    free_all(&exposed->by_name);
    free_gone(exposed);
}

/* -- Counters ---------------------------------------------------------------------------------- */

double exposed_total(const struct exposed_total *total)
{
    return total->offset + total->last;
}

/* How a number of the program has to be understood after an earlier one. */
enum run {
    RUN_GOES_ON,
    RUN_IS_NEW,  /* it began at 0 since the last answer */
    RUN_UNKNOWN, /* it has fallen, and nobody knows when it began */
};

static void advance(struct exposed_total *total, double now, enum run run)
{
    if (run == RUN_IS_NEW)
        total->offset += total->last;
    else if (run == RUN_UNKNOWN)
        total->offset += total->last - now;
    total->last = now;
}

/* Whether the program says that it began after the last answer. */
static bool began_since(const struct exposed *exposed, const struct scraped *scraped,
                        const struct exposed_moment *moment)
{
    return scraped->has & SCRAPED_BEGUN && exposed->wall_s > 0 &&
           scraped->begun_s > exposed->wall_s - CLOCK_SLACK_S &&
           scraped->begun_s <= moment->wall_s + CLOCK_SLACK_S;
}

static bool has_fallen(const struct exposed_series *series, const struct scraped *scraped)
{
    if (scraped->has & SCRAPED_COUNT && scraped->count < series->count.last)
        return true;
    if (series->n_buckets != scraped->n_buckets)
        return true;
    for (size_t i = 0; i < series->n_buckets; i++)
        if (series->bucket[i].bound != scraped->bucket[i].bound ||
            series->bucket[i].count > scraped->bucket[i].count)
            return true;
    return false;
}

static enum run run_of(const struct exposed *exposed, const struct exposed_series *series,
                       const struct scraped *scraped, const struct exposed_moment *moment)
{
    bool says_so = scraped->begun_s > series->begun_s && began_since(exposed, scraped, moment);
    if (says_so)
        return RUN_IS_NEW;
    return has_fallen(series, scraped) ? RUN_UNKNOWN : RUN_GOES_ON;
}

/* -- Histograms -------------------------------------------------------------------------------- */

static int by_bound(const void *a, const void *b)
{
    double one = ((const struct bucket *)a)->bound, other = ((const struct bucket *)b)->bound;
    return (one > other) - (one < other);
}

static void sort_buckets(struct scraped *scraped)
{
    if (scraped->n_buckets > 1)
        qsort(scraped->bucket, scraped->n_buckets, sizeof *scraped->bucket, by_bound);
}

static void say_unfit(struct exposed *exposed, const struct exposed_series *series,
                      const struct bucket *bucket, size_t at, int error)
{
    if (error == ERANGE)
        text_format(exposed->unfit_why, sizeof exposed->unfit_why,
                    "%s: values between %.9g and %.9g", series->name,
                    at > 0 ? bucket[at - 1].bound : 0, bucket[at].bound);
    else
        text_format(exposed->unfit_why, sizeof exposed->unfit_why, "%s: %s", series->name,
                    error == EINVAL ? "its buckets are none of a histogram" : strerror(error));
}

/* Adds the events between the earlier buckets, all 0 if there are none, and those of the answer. */
static int add_events(struct exposed *exposed, struct exposed_series *series,
                      const struct scraped *scraped, bool from_zero, double tolerance)
{
    size_t n = scraped->n_buckets, at = 0;
    struct bucket *since = calloc(n + 1, sizeof *since);
    struct histogram events = {.count = 0};
    double error_made;
    if (!since)
        return ENOMEM;
    for (size_t i = 0; i < n; i++)
        since[i] =
            (struct bucket){scraped->bucket[i].bound,
                            scraped->bucket[i].count - (from_zero ? 0 : series->bucket[i].count)};
    int error = buckets_to_histogram(since, n, n > 0 && since[0].bound >= 0, tolerance, &events,
                                     &error_made, &at);
    if (!error)
        error = histogram_merge(&series->grown, &events);
    if (error)
        say_unfit(exposed, series, since, at < n ? at : 0, error);
    histogram_release(&events);
    free(since);
    return error;
}

static uint64_t events_in(const struct bucket *bucket, size_t n)
{
    return n > 0 ? bucket[n - 1].count : 0;
}

/* If the sum has grown while no event was counted, the growth belongs to the next events: a program
 * may be read while it is counting. */
static void grow(struct exposed *exposed, struct exposed_series *series,
                 const struct scraped *scraped, enum run run, const struct exposed_moment *moment)
{
    bool from_zero = run == RUN_IS_NEW;
    uint64_t before = from_zero ? 0 : events_in(series->bucket, series->n_buckets);
    double sum_before = from_zero ? 0 : series->events_sum;
    bool is_known = run != RUN_UNKNOWN && scraped->has & SCRAPED_SUM;
    bool has_events = events_in(scraped->bucket, scraped->n_buckets) != before;
    series->events_sum = is_known && !has_events ? sum_before : scraped->sum;
    if (!is_known || !has_events)
        return;
    int error = add_events(exposed, series, scraped, from_zero, moment->tolerance);
    if (!error)
        series->grown_sum += scraped->sum - sum_before;
    else if (error != ENOMEM)
        series->unfit_ns = moment->now_ns;
}

/* After a value that did not fit, what was counted before it would be only a part of what came. */
static void look_at_fit(struct exposed *exposed, struct exposed_series *series, uint64_t now_ns)
{
    if (series->unfit_ns == 0)
        return;
    if (now_ns - series->unfit_ns >= EXPOSED_UNFIT_NS) {
        series->unfit_ns = 0;
        return;
    }
    exposed->unfit++;
    histogram_reset(&series->grown);
    series->grown_sum = 0;
}

static void keep_buckets(struct exposed_series *series, struct scraped *scraped)
{
    free(series->bucket);
    series->bucket = scraped->bucket;
    series->n_buckets = scraped->n_buckets;
    scraped->bucket = NULL;
    scraped->n_buckets = scraped->room = 0;
}

/* -- Series ------------------------------------------------------------------------------------ */

static struct exposed_series *find(const struct exposed *exposed, const char *name)
{
    struct exposed_series *series;
    HASH_FIND_STR(exposed->by_name, name, series);
    return series;
}

static void remove_series(struct exposed *exposed, struct exposed_series *series)
{
    HASH_DEL(exposed->by_name, series);
    series->hh.next = exposed->gone;
    exposed->gone = series;
}

/* A series that says that it began since the last answer has counted everything since then. */
static struct exposed_series *add(struct exposed *exposed, const struct scraped *scraped,
                                  const struct exposed_moment *moment)
{
    struct exposed_series *series = calloc(1, sizeof *series);
    if (!series)
        return NULL;
    memcpy(series->name, scraped->name, sizeof series->name);
    series->kind = scraped->kind;
    series->born = exposed->answers;
    HASH_ADD_STR(exposed->by_name, name, series);
    if (!table_has(hh, series)) {
        free(series);
        return NULL;
    }
    bool is_new = began_since(exposed, scraped, moment);
    if (scraped->kind == SCRAPED_HISTOGRAM)
        grow(exposed, series, scraped, is_new ? RUN_IS_NEW : RUN_UNKNOWN, moment);
    series->count.last = scraped->has & SCRAPED_COUNT ? scraped->count : 0;
    series->sum.last = scraped->has & SCRAPED_SUM ? scraped->sum : 0;
    return series;
}

/* If a number is not valid, the series does not have it. */
static unsigned sound_numbers(const struct scraped *scraped)
{
    unsigned has = scraped->has;
    if (!(scraped->count >= 0) || !isfinite(scraped->count))
        has &= ~(SCRAPED_COUNT | SCRAPED_SUM);
    if (!isfinite(scraped->sum))
        has &= ~SCRAPED_SUM;
    if (!isfinite(scraped->level))
        has &= ~SCRAPED_LEVEL;
    return has;
}

static void go_on(struct exposed *exposed, struct exposed_series *series, struct scraped *scraped,
                  const struct exposed_moment *moment)
{
    enum run run = run_of(exposed, series, scraped, moment);
    if (scraped->kind == SCRAPED_HISTOGRAM)
        grow(exposed, series, scraped, run, moment);
    if (scraped->has & SCRAPED_COUNT)
        advance(&series->count, scraped->count, run);
    if (scraped->has & SCRAPED_SUM)
        advance(&series->sum, scraped->sum, run);
    if (run == RUN_UNKNOWN)
        scraped->has &= ~(SCRAPED_COUNT | SCRAPED_SUM);
}

/* False: no memory. */
static bool take(struct exposed *exposed, struct scraped *scraped,
                 const struct exposed_moment *moment)
{
    struct exposed_series *series = find(exposed, scraped->name);
    scraped->has = sound_numbers(scraped);
    sort_buckets(scraped);
    if (series && series->kind != scraped->kind) {
        remove_series(exposed, series);
        series = NULL;
    }
    if (series)
        go_on(exposed, series, scraped, moment);
    else
        series = add(exposed, scraped, moment);
    if (!series)
        return false;
    memcpy(series->unit, scraped->unit, sizeof series->unit);
    series->answer = exposed->answers;
    series->taken_ns = moment->now_ns;
    series->has = scraped->has;
    series->level = scraped->level;
    series->begun_s = scraped->begun_s;
    keep_buckets(series, scraped);
    look_at_fit(exposed, series, moment->now_ns);
    return true;
}

size_t exposed_take(struct exposed *exposed, struct scrape *scrape,
                    const struct exposed_moment *moment)
{
    size_t starved = 0;
    struct exposed_series *series, *next;
    exposed->answers++;
    exposed->unfit = 0;
    for (struct scraped *scraped = scrape->by_name; scraped; scraped = scraped->hh.next)
        starved += !take(exposed, scraped, moment);
    HASH_ITER(hh, exposed->by_name, series, next)
    {
        if (series->answer != exposed->answers)
            remove_series(exposed, series);
    }
    exposed->wall_s = moment->wall_s;
    return starved;
}

/* -- Events ------------------------------------------------------------------------------------ */

void exposed_collect(struct exposed *exposed)
{
    free_gone(exposed);
    for (struct exposed_series *series = exposed->by_name; series; series = series->hh.next) {
        struct histogram shown = series->shown;
        if (series->kind != SCRAPED_HISTOGRAM)
            continue;
        histogram_reset(&shown);
        series->shown = series->grown;
        series->shown_mean = series->grown_sum / (double)series->grown.count;
        series->grown = shown;
        series->grown_sum = 0;
    }
}
