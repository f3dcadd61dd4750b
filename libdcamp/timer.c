/* Timers and histograms: how values are distributed. */
#include "libdcamp/many.h"

#include <math.h>

#include "libdcamp/app.h"
#include "libdcamp/clock.h"
#include "libdcamp/count.h"

struct dcamp_timer {
    struct handle handle;
};

struct dcamp_histogram {
    struct handle handle;
};

struct dcamp_timer *dcamp_timer_new(struct dcamp_app *app, const char *name, const char *instance)
{
    struct dcamp_timer *timer = dcamp_app_sensor(
        app, &(struct dcamp_app_sensor){SEGMENT_TIMER, name, instance, "s", NULL, sizeof *timer});
    return timer ? timer : (struct dcamp_timer *)&dcamp_app_unpublished;
}

uint64_t dcamp_timer_start(struct dcamp_timer *timer)
{
    (void)timer;
    return dcamp_clock_now();
}

uint64_t dcamp_timer_stop(struct dcamp_timer *timer, uint64_t start)
{
    uint64_t ns = dcamp_count_elapsed(start);
    if (timer)
        count_duration(&timer->handle, SEGMENT_TIMER_COUNT, ns);
    return ns;
}

void dcamp_timer_record(struct dcamp_timer *timer, uint64_t nanoseconds)
{
    if (timer)
        count_duration(&timer->handle, SEGMENT_TIMER_COUNT, nanoseconds);
}

void dcamp_timer_record_many(struct dcamp_timer *timer, uint64_t nanoseconds, uint32_t n)
{
    if (timer && n > 0)
        count_durations(&timer->handle, SEGMENT_TIMER_COUNT, nanoseconds, n);
}

struct dcamp_histogram *dcamp_histogram_new(struct dcamp_app *app, const char *name,
                                            const char *instance, const char *unit)
{
    struct dcamp_histogram *histogram =
        dcamp_app_sensor(app, &(struct dcamp_app_sensor){SEGMENT_HISTOGRAM, name, instance, unit,
                                                         NULL, sizeof *histogram});
    return histogram ? histogram : (struct dcamp_histogram *)&dcamp_app_unpublished;
}

static void record(const struct dcamp_histogram *histogram, double value, uint32_t n)
{
    if (!histogram || !isfinite(value) || n == 0)
        return;
    const struct handle *handle = &histogram->handle;
    double magnitude = fabs(value);
    count_word(handle, SEGMENT_HISTOGRAM_COUNT, n);
    dcamp_count_double(handle, SEGMENT_HISTOGRAM_SUM, value * n);
    if (magnitude < SEGMENT_LEAST)
        count_word(handle, SEGMENT_HISTOGRAM_ZERO, n);
    else
        count_bucket(handle->panel + (value < 0 ? SEGMENT_PANELS_OF_SIGN : 0),
                     dcamp_bucket_of(magnitude), n);
}

void dcamp_histogram_record(struct dcamp_histogram *histogram, double value)
{
    record(histogram, value, 1);
}

void dcamp_histogram_record_many(struct dcamp_histogram *histogram, double value, uint32_t n)
{
    record(histogram, value, n);
}
