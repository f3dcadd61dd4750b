#include "calculate/statistics.h"

#include <errno.h>
#include <math.h>

static const struct statistics_window no_values;

void statistics_window_release(struct statistics_window *window)
{
    histogram_release(&window->histogram);
    *window = no_values;
}

void statistics_window_reset(struct statistics_window *window)
{
    histogram_reset(&window->histogram);
    struct histogram kept = window->histogram;
    *window = no_values;
    window->histogram = kept;
}

int statistics_window_add(struct statistics_window *window, double value)
{
    if (!(fabs(value) <= STATISTICS_LARGEST))
        return EDOM;
    int error = histogram_add(&window->histogram, value);
    if (error)
        return error;
    if (window->count == 0)
        window->min = window->max = value;
    window->min = value < window->min ? value : window->min;
    window->max = value > window->max ? value : window->max;
    window->count++;
    double difference = value - window->mean;
    window->mean += difference / (double)window->count;
    window->m2 += difference * (value - window->mean);
    return 0;
}

static void merge_moments(struct statistics_window *into, const struct statistics_window *from)
{
    double a = (double)into->count, b = (double)from->count;
    double difference = from->mean - into->mean;
    into->mean += difference * (b / (a + b));
    into->m2 += from->m2 + difference * difference * (a * (b / (a + b)));
}

int statistics_merge(struct statistics_window *into, const struct statistics_window *from)
{
    if (from->count == 0)
        return 0;
    int error = histogram_merge(&into->histogram, &from->histogram);
    if (error)
        return error;
    if (into->count == 0) {
        into->min = from->min;
        into->max = from->max;
    }
    into->min = from->min < into->min ? from->min : into->min;
    into->max = from->max > into->max ? from->max : into->max;
    merge_moments(into, from);
    into->count += from->count;
    return 0;
}

/* Adds n equal values. */
static void add_bucket(struct statistics_window *window, double value, uint32_t n)
{
    if (n == 0)
        return;
    struct statistics_window bucket = {.count = n, .min = value, .max = value, .mean = value};
    if (window->count == 0)
        window->min = value;
    window->max = value;
    merge_moments(window, &bucket);
    window->count += n;
}

struct statistics_window statistics_of_histogram(const struct histogram *values, double mean)
{
    const struct histogram_side *negative = &values->negative, *positive = &values->positive;
    struct statistics_window window = no_values;
    for (int i = negative->end; i > negative->low; i--)
        add_bucket(&window, -histogram_value(i - 1), histogram_side_count(negative, i - 1));
    add_bucket(&window, 0, values->zero);
    for (int i = positive->low; i < positive->end; i++)
        add_bucket(&window, histogram_value(i), histogram_side_count(positive, i));
    window.mean = mean;
    window.min = mean < window.min ? mean : window.min;
    window.max = mean > window.max ? mean : window.max;
    window.histogram = *values;
    return window;
}

double statistics_deviation(const struct statistics_window *window)
{
    return window->count > 0 ? sqrt(window->m2 / (double)window->count) : 0;
}

double statistics_quantile(const struct statistics_window *window, double q)
{
    double quantile = histogram_quantile(&window->histogram, q);
    if (quantile < window->min)
        return window->min;
    return quantile > window->max ? window->max : quantile;
}

void statistics_release(struct statistics *statistics)
{
    statistics_window_release(&statistics->current);
    statistics_window_release(&statistics->last);
    *statistics = (struct statistics){0};
}

void statistics_reset(struct statistics *statistics)
{
    statistics_window_reset(&statistics->current);
    statistics_window_reset(&statistics->last);
    statistics->complete = false;
    statistics->window_ns = 0;
    statistics->n_waiting = 0;
}

void statistics_settle(struct statistics *statistics)
{
    for (unsigned i = 0; i < statistics->n_waiting; i++)
        statistics_window_add(&statistics->current, statistics->waiting[i]);
    statistics->n_waiting = 0;
}

/* How many windows after the current one the time lies; 0 also for a time before it. */
static uint64_t windows_since(const struct statistics *statistics, uint64_t now_ns)
{
    uint64_t begin_ns = statistics->begin_ns;
    if (now_ns < begin_ns || now_ns - begin_ns < statistics->window_ns)
        return 0;
    return (now_ns - begin_ns) / statistics->window_ns;
}

/* A window starts without memory and gets what its own values need. If it took over that of the
 * windows before it, every series would come to the memory of the widest window that it ever had.
 */
static void move_on(struct statistics *statistics, uint64_t windows)
{
    statistics_window_release(&statistics->last);
    statistics->last = statistics->current;
    statistics->current = no_values;
    if (windows > 1)
        statistics_window_release(&statistics->last);
    statistics->begin_ns += windows * statistics->window_ns;
    statistics->complete = true;
}

void statistics_advance(struct statistics *statistics, uint64_t now_ns)
{
    uint64_t windows = statistics->window_ns > 0 ? windows_since(statistics, now_ns) : 0;
    if (windows == 0)
        return;
    statistics_settle(statistics);
    move_on(statistics, windows);
}

/* EINVAL: the window has no length. */
static int begin_or_advance(struct statistics *statistics, uint64_t now_ns, uint64_t window_ns)
{
    if (window_ns == 0)
        return EINVAL;
    if (window_ns != statistics->window_ns) {
        statistics_reset(statistics);
        statistics->window_ns = window_ns;
        statistics->begin_ns = now_ns - now_ns % window_ns;
    }
    statistics_advance(statistics, now_ns);
    return 0;
}

int statistics_add_all(struct statistics *statistics, const struct histogram *values, double mean,
                       uint64_t now_ns, uint64_t window_ns)
{
    int error = begin_or_advance(statistics, now_ns, window_ns);
    if (error || values->count == 0)
        return error;
    if (!(fabs(mean) <= STATISTICS_LARGEST))
        return EDOM;
    const struct statistics_window all = statistics_of_histogram(values, mean);
    return statistics_merge(&statistics->current, &all);
}

int statistics_add(struct statistics *statistics, double value, uint64_t now_ns, uint64_t window_ns)
{
    int error = begin_or_advance(statistics, now_ns, window_ns);
    if (error)
        return error;
    if (!(fabs(value) <= STATISTICS_LARGEST))
        return EDOM;
    if (statistics->n_waiting == STATISTICS_WAITING)
        statistics_settle(statistics);
    statistics->waiting[statistics->n_waiting++] = value;
    return 0;
}

struct statistics_view statistics_view(struct statistics *statistics, uint64_t now_ns)
{
    statistics_settle(statistics);
    uint64_t window_ns = statistics->window_ns, begin_ns = statistics->begin_ns;
    if (window_ns == 0)
        return (struct statistics_view){false, 0, &no_values};
    uint64_t windows = windows_since(statistics, now_ns);
    if (windows > 1)
        return (struct statistics_view){true, begin_ns + (windows - 1) * window_ns, &no_values};
    if (windows == 1)
        return (struct statistics_view){true, begin_ns, &statistics->current};
    if (statistics->complete)
        return (struct statistics_view){true, begin_ns - window_ns, &statistics->last};
    return (struct statistics_view){false, begin_ns, &statistics->current};
}
