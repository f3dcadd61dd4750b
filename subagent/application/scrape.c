#include "application/scrape.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "application/exposed_name.h"
#include "base/text.h"

#define STATUS_OK 200

void scrape_begin(struct scrape *scrape, const struct scrape_setup *setup)
{
    *scrape = (struct scrape){.setup = *setup};
}

void scrape_release(struct scrape *scrape)
{
    struct scraped *series, *next;
    HASH_ITER(hh, scrape->by_name, series, next)
    {
        HASH_DEL(scrape->by_name, series);
        free(series->bucket);
        free(series);
    }
    openmetrics_free(scrape->reader);
    scrape->reader = NULL;
    scrape->kept = 0;
}

/* -- Series ------------------------------------------------------------------------------------ */

static struct scraped *find(const struct scrape *scrape, const char *name)
{
    struct scraped *series;
    HASH_FIND_STR(scrape->by_name, name, series);
    return series;
}

static bool has_room(struct scrape *scrape)
{
    if (scrape->kept >= scrape->setup.series) {
        scrape->left_out++;
        return false;
    }
    scrape->kept++;
    return true;
}

static struct scraped *add(struct scrape *scrape, const char *name, enum scraped_kind kind,
                           const struct openmetrics_family *family)
{
    struct scraped *series = calloc(1, sizeof *series);
    if (!series)
        return NULL;
    memcpy(series->name, name, sizeof series->name);
    series->kind = kind;
    exposed_unit(series->unit, family);
    HASH_ADD_STR(scrape->by_name, name, series);
    if (table_has(hh, series))
        return series;
    free(series);
    return NULL;
}

/* The series with a name, made if necessary; *series NULL and 0: nobody wants it, or there is no
 * room. */
static int series_of(struct scrape *scrape, const char *name, enum scraped_kind kind,
                     const struct openmetrics_family *family, struct scraped **series)
{
    static const unsigned numbers[] = {[SCRAPED_COUNTER] = SCRAPED_COUNT,
                                       [SCRAPED_VALUE] = SCRAPED_LEVEL,
                                       [SCRAPED_HISTOGRAM] = SCRAPED_COUNT | SCRAPED_SUM,
                                       [SCRAPED_SUMMARY] = SCRAPED_COUNT | SCRAPED_SUM};
    *series = NULL;
    if (!scrape->setup.wants(scrape->setup.context, name, numbers[kind]))
        return 0;
    *series = find(scrape, name);
    if (*series && (*series)->kind == kind)
        return 0;
    if (*series) { /* two series that would have the same name here */
        *series = NULL;
        scrape->left_out++;
        return 0;
    }
    if (!has_room(scrape))
        return 0;
    *series = add(scrape, name, kind, family);
    return *series ? 0 : ENOMEM;
}

/* Puts a number of a series in its place. A second number for the same time is that of another
 * series that has the same name here. */
static int set(struct scrape *scrape, struct scraped *series, unsigned which, double *place,
               const struct openmetrics_sample *sample)
{
    if (series->has & which && !sample->has_time) {
        scrape->left_out++;
        return 0;
    }
    series->has |= which;
    *place = sample->value;
    return 0;
}

/* -- Samples ----------------------------------------------------------------------------------- */

/* A sample that is a series by itself, with the name in the text. */
static int take_alone(struct scrape *scrape, const struct openmetrics_sample *sample,
                      enum scraped_kind kind, const struct openmetrics_label *extra)
{
    char name[INSTANCE_SIZE];
    struct scraped *series;
    exposed_name(name, scrape->setup.endpoint, sample->name, sample->label, sample->n_labels,
                 extra);
    int error = series_of(scrape, name, kind, sample->family, &series);
    if (!series)
        return error;
    bool is_counter = kind == SCRAPED_COUNTER;
    return set(scrape, series, is_counter ? SCRAPED_COUNT : SCRAPED_LEVEL,
               is_counter ? &series->count : &series->level, sample);
}

static int add_bucket(struct scrape *scrape, struct scraped *series,
                      const struct openmetrics_sample *sample)
{
    if (!has_room(scrape))
        return 0;
    if (series->n_buckets == series->room) {
        size_t room = series->room ? 2 * series->room : 8;
        struct bucket *bucket = reallocarray(series->bucket, room, sizeof *bucket);
        if (!bucket)
            return ENOMEM;
        series->bucket = bucket;
        series->room = room;
    }
    bool is_count = sample->value >= 0 && sample->value < 0x1p64;
    series->bucket[series->n_buckets++] =
        (struct bucket){.bound = sample->bound, .count = is_count ? (uint64_t)sample->value : 0};
    return 0;
}

/* A part of a histogram or a summary, which are one series with a count and a sum. Buckets of a
 * histogram whose counts go up and down cannot be merged. */
static int take_part(struct scrape *scrape, const struct openmetrics_sample *sample)
{
    char name[INSTANCE_SIZE];
    struct scraped *series;
    bool is_summary = sample->family->type == OPENMETRICS_SUMMARY;
    exposed_name(name, scrape->setup.endpoint, sample->family->name, sample->label,
                 sample->n_labels, NULL);
    int error = series_of(scrape, name, is_summary ? SCRAPED_SUMMARY : SCRAPED_HISTOGRAM,
                          sample->family, &series);
    if (!series)
        return error;
    switch (sample->part) {
    case OPENMETRICS_COUNT:
        return set(scrape, series, SCRAPED_COUNT, &series->count, sample);
    case OPENMETRICS_SUM:
        return set(scrape, series, SCRAPED_SUM, &series->sum, sample);
    case OPENMETRICS_CREATED:
        return set(scrape, series, SCRAPED_BEGUN, &series->begun_s, sample);
    default:
        return add_bucket(scrape, series, sample);
    }
}

/* When a counter began: here the sample has the name of its family. */
static int take_begin_of_counter(struct scrape *scrape, const struct openmetrics_sample *sample)
{
    char name[INSTANCE_SIZE], total[OPENMETRICS_NAME_MAX + sizeof "_total"];
    struct scraped *series;
    text_format(total, sizeof total, "%s_total", sample->family->name);
    exposed_name(name, scrape->setup.endpoint, total, sample->label, sample->n_labels, NULL);
    int error = series_of(scrape, name, SCRAPED_COUNTER, sample->family, &series);
    return series ? set(scrape, series, SCRAPED_BEGUN, &series->begun_s, sample) : error;
}

static int take_bucket(struct scrape *scrape, const struct openmetrics_sample *sample)
{
    char bound[DECIMAL_SIZE];
    const struct openmetrics_label le = {"le", bound};
    bool is_gauge = sample->family->type == OPENMETRICS_GAUGE_HISTOGRAM;
    if (isinf(sample->bound))
        text_format(bound, sizeof bound, "%s", sample->bound > 0 ? "+Inf" : "-Inf");
    else
        text_format(bound, sizeof bound, "%.9g", sample->bound);
    int error = take_alone(scrape, sample, is_gauge ? SCRAPED_VALUE : SCRAPED_COUNTER, &le);
    return error || is_gauge ? error : take_part(scrape, sample);
}

static int take(void *context, const struct openmetrics_sample *sample)
{
    struct scrape *scrape = context;
    char number[DECIMAL_SIZE];
    const struct openmetrics_label quantile = {"quantile", number};
    const struct openmetrics_label state = {sample->family->name, sample->state};
    bool is_gauge = sample->family->type == OPENMETRICS_GAUGE_HISTOGRAM;
    switch (sample->part) {
    case OPENMETRICS_TOTAL:
        return take_alone(scrape, sample, SCRAPED_COUNTER, NULL);
    case OPENMETRICS_BUCKET:
        return take_bucket(scrape, sample);
    case OPENMETRICS_COUNT:
    case OPENMETRICS_SUM:
        return is_gauge ? take_alone(scrape, sample, SCRAPED_VALUE, NULL)
                        : take_part(scrape, sample);
    case OPENMETRICS_CREATED:
        return sample->family->type == OPENMETRICS_COUNTER ? take_begin_of_counter(scrape, sample)
                                                           : take_part(scrape, sample);
    case OPENMETRICS_QUANTILE:
        text_format(number, sizeof number, "%.9g", sample->bound);
        return take_alone(scrape, sample, SCRAPED_VALUE, &quantile);
    case OPENMETRICS_STATE:
        return take_alone(scrape, sample, SCRAPED_VALUE, &state);
    default:
        return take_alone(scrape, sample, SCRAPED_VALUE, NULL);
    }
}

static void note_fault(void *context, uint64_t line, const char *why)
{
    struct scrape *scrape = context;
    if (!scrape->first_fault[0])
        text_format(scrape->first_fault, sizeof scrape->first_fault, "line %" PRIu64 ": %s", line,
                    why);
}

/* -- The answer -------------------------------------------------------------------------------- */

static bool refuse(struct scrape *scrape, const char *why)
{
    text_format(scrape->why, sizeof scrape->why, "%s", why);
    return false;
}

static bool refuse_status(struct scrape *scrape, long status)
{
    text_format(scrape->why, sizeof scrape->why, "it answers with the status %ld, not 200", status);
    return false;
}

static bool lack_memory(struct scrape *scrape)
{
    scrape->is_out_of_memory = true;
    return refuse(scrape, "there is no memory to read it");
}

/* An answer without a Content-Type is taken to have Prometheus' format, because its first exporters
 * sent none. */
static bool open_reader(struct scrape *scrape, const char *content_type)
{
    static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
    const struct openmetrics_listener listener = {take, note_fault, scrape};
    enum openmetrics_format format = OPENMETRICS_PROMETHEUS;
    if (content_type && !openmetrics_format(content_type, &format)) {
        text_format(scrape->why, sizeof scrape->why,
                    "its Content-Type is \"%.100s\", which is no format of metrics", content_type);
        text_clean(scrape->why, sizeof scrape->why, '?');
        return false;
    }
    scrape->reader = openmetrics_new(format, &limits, scrape->setup.seed, &listener);
    return scrape->reader || lack_memory(scrape);
}

bool scrape_feed(struct scrape *scrape, long status, const char *content_type, const char *text,
                 size_t len)
{
    if (scrape->why[0])
        return false;
    if (status != STATUS_OK)
        return refuse_status(scrape, status);
    if (!scrape->reader && !open_reader(scrape, content_type))
        return false;
    scrape->octets += len;
    if (scrape->octets > SCRAPE_OCTETS_MAX)
        return refuse(scrape, "its answer is longer than 16 MiB");
    return openmetrics_feed(scrape->reader, text, len) == 0 || lack_memory(scrape);
}

bool scrape_end(struct scrape *scrape, long status)
{
    if (scrape->why[0])
        return false;
    if (status != STATUS_OK)
        return refuse_status(scrape, status);
    if (!scrape->reader)
        return refuse(scrape, "its answer is empty");
    openmetrics_end(scrape->reader, &scrape->summary);
    openmetrics_free(scrape->reader);
    scrape->reader = NULL;
    if (!scrape->summary.is_whole)
        return refuse(scrape, "its answer is not whole: the end is missing");
    if (scrape->summary.samples > 0)
        return true;
    text_format(scrape->why, sizeof scrape->why, "there is no metric in its answer%s%.200s",
                scrape->first_fault[0] ? "; " : "", scrape->first_fault);
    return false;
}
