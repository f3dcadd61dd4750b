#include "runs/wording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runs/profile.h"

/* -- Numbers --------------------------------------------------------------------------------- */

/* Four significant digits, without an exponent where that is readable. */
static void format_number(double value, const char *unit, char text[WORDING_SIZE])
{
    double size = fabs(value);
    int decimals = size >= 1000 || size == 0 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    const char *blank = unit[0] ? " " : "";
    if (size != 0 && (size < 1e-3 || size >= 1e15))
        text_format(text, WORDING_SIZE, "%.3e%s%.40s", value, blank, unit);
    else
        text_format(text, WORDING_SIZE, "%.*f%s%.40s", decimals, value, blank, unit);
}

static void format_scaled(double value, const char *unit, const char *const *prefixes, double least,
                          double factor, char text[WORDING_SIZE])
{
    char whole[WORDING_SIZE];
    double scale = least;
    size_t i = 0;
    while (prefixes[i + 1] && fabs(value) >= scale * factor) {
        scale *= factor;
        i++;
    }
    text_format(whole, sizeof whole, "%s%.40s", prefixes[i], unit);
    format_number(value / scale, whole, text);
}

void wording_unit(const struct compare_row *row, char text[WORDING_SIZE])
{
    bool is_growth = row->statistic == COMPARE_RATE && !row->is_step;
    text_format(text, WORDING_SIZE, "%.40s%s", row->unit, is_growth ? "/s" : "");
}

void wording_amount(double value, const char *unit, char text[WORDING_SIZE])
{
    static const char *const times[] = {"n", "u", "m", "", NULL};
    static const char *const sizes[] = {"", "k", "M", "G", "T", NULL};
    if (strcmp(unit, "s") == 0 && fabs(value) >= 1e-9)
        format_scaled(value, unit, times, 1e-9, 1000, text);
    else if ((strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0) && fabs(value) >= 1000)
        format_scaled(value, unit, sizes, 1, 1000, text);
    else
        format_number(value, unit, text);
}

void wording_value(double value, const struct compare_row *row, char text[WORDING_SIZE])
{
    char unit[WORDING_SIZE];
    wording_unit(row, unit);
    wording_amount(value, unit, text);
}

void wording_difference(const struct compare_row *row, char text[WORDING_SIZE])
{
    char value[WORDING_SIZE];
    if (row->a.fault == ESTIMATE_NONE || row->b.fault == ESTIMATE_NONE) {
        text_format(text, WORDING_SIZE, "-");
    } else if (row->is_relative) {
        text_format(text, WORDING_SIZE, "%+.1f %%", row->percent);
    } else {
        wording_value(row->difference, row, value);
        text_format(text, WORDING_SIZE, "%s%s", row->difference > 0 ? "+" : "", value);
    }
}

void wording_interval(const struct compare_row *row, char text[2 * WORDING_SIZE])
{
    char low[WORDING_SIZE], high[WORDING_SIZE];
    if (row->note)
        text[0] = '\0';
    else if (row->is_relative)
        text_format(text, WORDING_SIZE, "%+.1f to %+.1f %%", row->percent_low, row->percent_high);
    else {
        wording_value(row->low, row, low);
        wording_value(row->high, row, high);
        text_format(text, 2 * WORDING_SIZE, "%s to %s", low, high);
    }
}

/* -- Words ----------------------------------------------------------------------------------- */

const char *wording_verdict(const struct compare_row *row)
{
    bool is_time = row->group == COMPARE_RESPONSE;
    bool is_judged = is_time || row->group == COMPARE_THROUGHPUT;
    bool is_more = row->difference > 0;
    if (row->note)
        return row->note;
    if (!row->beyond_chance)
        return "alike";
    if (is_judged)
        return is_more == is_time ? "slower" : "faster";
    return is_more ? "more" : "less";
}

void wording_name(const struct run *a, const struct compare_row *row, char name[WORDING_NAME_SIZE])
{
    text_format(name, WORDING_NAME_SIZE, "%s %s %s", pairs_node_name(a, row->a_series->node),
                row->a_series->sensor, row->a_series->instance);
}

const char *wording_kind(const struct compare_row *row)
{
    bool is_step = row->is_step || strncmp(row->a_series->metric, "app.step.", 9) == 0;
    return is_step                            ? "step"
           : row->group == COMPARE_RESPONSE   ? "response time"
           : row->group == COMPARE_THROUGHPUT ? "throughput"
                                              : "series";
}

static void tell_culprit(const struct run *a, const struct compare_row *row,
                         char text[2 * WORDING_NAME_SIZE])
{
    char from[WORDING_SIZE], to[WORDING_SIZE], difference[WORDING_SIZE], interval[2 * WORDING_SIZE];
    wording_value(row->a.value, row, from);
    wording_value(row->b.value, row, to);
    wording_difference(row, difference);
    wording_interval(row, interval);
    text_format(text, 2 * WORDING_NAME_SIZE,
                "Slower: %s %.200s on %.100s, %s %s instead of %s: %s (%s)", wording_kind(row),
                row->a_series->instance, pairs_node_name(a, row->a_series->node),
                compare_statistic_name(row->statistic), to, from, difference, interval);
}

/* A step that fails may be fast. */
static void add_failing(const struct run *a, const struct compare_row *row,
                        char text[2 * WORDING_NAME_SIZE])
{
    char from[WORDING_SIZE], to[WORDING_SIZE];
    size_t len = strlen(text);
    wording_value(row->a.value, row, from);
    wording_value(row->b.value, row, to);
    text_format(text + len, 2 * WORDING_NAME_SIZE - len,
                "; but %s of %.200s on %.100s failed instead of %s", to, row->a_series->instance,
                pairs_node_name(a, row->a_series->node), from);
}

void wording_conclusion(const struct run *a, const struct run *b,
                        const struct comparison *comparison,
                        const struct compare_settings *settings, char text[2 * WORDING_NAME_SIZE])
{
    (void)b;
    if (comparison->culprit)
        tell_culprit(a, comparison->culprit, text);
    else if (comparison->n_faster > 0)
        text_format(text, 2 * WORDING_NAME_SIZE,
                    "Not slower; faster by more than %g %%, beyond chance, are %zu figures",
                    settings->limit, comparison->n_faster);
    else if (comparison->n_judged == 0)
        text_format(text, 2 * WORDING_NAME_SIZE,
                    "Not known: too few values of any response time or throughput");
    else
        text_format(text, 2 * WORDING_NAME_SIZE,
                    "Alike: no response time or throughput is slower by more than %g %%, beyond "
                    "chance",
                    settings->limit);
    if (comparison->failing)
        add_failing(a, comparison->failing, text);
}

/* The node whose last values are furthest behind the end of the run; NULL if no node is behind. */
static const struct run_node *furthest_of(const struct run *run)
{
    int64_t behind_ms = 0;
    const struct run_node *furthest = NULL;
    for (size_t i = 0; i < run->n_nodes; i++)
        if (run->nodes[i].last_ms >= run->start_ms &&
            run->stop_ms - run->nodes[i].last_ms > behind_ms) {
            furthest = &run->nodes[i];
            behind_ms = run->stop_ms - furthest->last_ms;
        }
    return furthest;
}

static const struct run_node *node_of(const struct run *run, const struct run_series *series)
{
    for (size_t i = 0; i < run->n_nodes; i++)
        if (strcmp(run->nodes[i].path, series->node) == 0)
            return &run->nodes[i];
    return NULL;
}

/* Whether the last executions of the run may be missing. They come with the next value of
 * app.records. The series had not ended, but the values of the node had not come as far as that
 * next one. It may come earlier by a tenth of the interval. */
static bool misses_records(const struct run *run, const struct run_series *series)
{
    const struct run_node *node = node_of(run, series);
    size_t n = series->n_points;
    if (strcmp(series->metric, "app.records") != 0 || n < 2 || !node)
        return false;
    int64_t last_ms = series->points[n - 1].ms, distance_ms = last_ms - series->points[n - 2].ms;
    return last_ms + 2 * distance_ms >= run->stop_ms && node->last_ms >= run->stop_ms &&
           node->last_ms < last_ms + distance_ms - distance_ms / 10;
}

static void add_missing(const struct run *run, char text[WORDING_NAME_SIZE])
{
    size_t len = strlen(text);
    for (size_t i = 0; i < run->n_series; i++) {
        const struct run_series *series = &run->series[i];
        if (!misses_records(run, series))
            continue;
        text_format(text + len, WORDING_NAME_SIZE - len,
                    "%sof %.100s records of the last %.1f s may be missing", len > 0 ? "; " : "",
                    series->instance,
                    (double)(run->stop_ms - series->points[series->n_points - 1].ms) / 1e3);
        return;
    }
}

/* Adds for which steps the rates are not known. */
static void add_lost(const struct run *run, char text[WORDING_NAME_SIZE])
{
    const struct run_series *first = NULL;
    size_t n = 0, len = strlen(text);
    for (size_t i = 0; i < run->n_series; i++)
        if (profile_has_lost(run, &run->series[i])) {
            first = first ? first : &run->series[i];
            n++;
        }
    if (n > 0)
        text_format(text + len, WORDING_NAME_SIZE - len,
                    "%srecords of executions were lost, of %.100s%s: executions, arrivals and "
                    "capacity are of those that were kept",
                    len > 0 ? "; " : "", first->instance, n > 1 ? " and other steps" : "");
}

void wording_doubt(const struct run *run, char text[WORDING_NAME_SIZE])
{
    const struct run_node *furthest = furthest_of(run);
    text[0] = '\0';
    if (run->state == RUN_INTERRUPTED)
        text_format(text, WORDING_NAME_SIZE, "it was interrupted");
    else if (furthest)
        text_format(text, WORDING_NAME_SIZE, "of %.200s the last %.1f s are missing",
                    *furthest->path ? furthest->path : furthest->name,
                    (double)(run->stop_ms - furthest->last_ms) / 1e3);
    add_missing(run, text);
    add_lost(run, text);
}
