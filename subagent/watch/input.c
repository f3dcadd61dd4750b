#include "watch/input.h"

#include <math.h>
#include <stdlib.h>

/* -- Beginning and end ---------------------------------------------------------------------- */

static bool needs_trend(const struct watch_rule *rule)
{
    return rule->row.source == INPUT_RATE || rule->row.source == INPUT_FORECAST;
}

static bool needs_season(const struct watch_rule *rule)
{
    return rule->row.source == INPUT_DEVIATION;
}

bool rule_is_on_windows(const struct watch_rule *rule)
{
    return rule->row.source != INPUT_VALUE && !needs_trend(rule) && !needs_season(rule);
}

struct watch_special *special_new(const struct watch_rule *rule, uint64_t now_ns)
{
    struct watch_special *special = calloc(1, sizeof *special);
    if (!special)
        return NULL;
    if (needs_trend(rule))
        special->trend = trend_new(rule->row.span_ms);
    if (needs_season(rule))
        special->season = season_new(rule_season_ms(rule));
    if (damper_needed(&rule->damper))
        special->damper = calloc(1, sizeof *special->damper);
    if ((needs_trend(rule) && !special->trend) || (needs_season(rule) && !special->season) ||
        (damper_needed(&rule->damper) && !special->damper)) {
        special_free(special);
        return NULL;
    }
    for (int i = 0; i < THRESHOLD_LEVELS_MAX - 1; i++)
        special->upper[i].phase = PHASE_UNKNOWN;
    special->valued_ns = now_ns;
    special->not_before_ns = now_ns + rule->row.hold_off_ms * NS_PER_MS;
    return special;
}

void special_free(struct watch_special *special)
{
    if (!special)
        return;
    trend_free(special->trend);
    season_free(special->season);
    free(special->damper);
    free(special);
}

/* Trends and dampers are so small that they are not counted. */
size_t special_octets(const struct watch_special *special)
{
    return sizeof *special + (special->season ? SEASON_OCTETS : 0);
}

/* -- What is compared with the limits ------------------------------------------------------- */

static double statistic(const struct statistics_window *window, enum threshold_source source)
{
    switch (source) {
    case INPUT_MEAN:
        return window->mean;
    case INPUT_STDDEV:
        return statistics_deviation(window);
    case INPUT_MIN:
        return window->min;
    case INPUT_MAX:
        return window->max;
    case INPUT_P50:
        return statistics_quantile(window, 0.50);
    case INPUT_P90:
        return statistics_quantile(window, 0.90);
    case INPUT_P95:
        return statistics_quantile(window, 0.95);
    default:
        return statistics_quantile(window, 0.99);
    }
}

static bool take_window(struct watch_special *special, const struct watch_rule *rule,
                        struct series_ref series, uint64_t now_ns)
{
    uint64_t number = 0;
    const struct statistics_window *window = series.type->window(series.series, now_ns, &number);
    if (!window || special->window == number)
        return false;
    double input = statistic(window, rule->row.source);
    if (isnan(input)) /* a percentile of a window that was reported without its histogram */
        return false;
    special->window = number;
    special->input = input;
    return true;
}

/* A value that does not grow any more has no trend to be confident of, and still must be able to
 * clear the alarm. */
static bool is_harmless(const struct watch_special *special, const struct watch_rule *rule)
{
    const struct threshold_rule *lowest = &rule->levels.rule[0];
    return !compare(special->input, lowest->op, lowest->clear);
}

static bool take_trend(struct watch_special *special, const struct watch_rule *rule, double value,
                       uint64_t now_ns)
{
    const struct threshold_row *row = &rule->row;
    struct trend_line line;
    trend_add(special->trend, value, now_ns);
    if (!trend_line(special->trend, now_ns, &line))
        return false;
    special->confidence = line.confidence;
    if (row->source == INPUT_RATE) {
        special->input = line.slope;
        return true;
    }
    special->input = line.value + line.slope * row->horizon_ms / 1000;
    return line.confidence >= row->confidence.value || is_harmless(special, rule);
}

/* What is usual depends on when a value was sampled, not on when it came. */
static bool take_season(struct watch_special *special, const struct series_view *view,
                        int64_t now_ms)
{
    struct season_verdict verdict;
    int64_t sampled_ms = view->wall_ms ? view->wall_ms : now_ms;
    if (!season_add(special->season, view->result.value, sampled_ms, &verdict))
        return false;
    special->input = verdict.deviation;
    special->expected = verdict.expected;
    return true;
}

bool special_take_input(struct watch_special *special, const struct watch_rule *rule,
                        struct series_ref series, const struct series_view *view, struct moment now)
{
    switch (rule->row.source) {
    case INPUT_VALUE:
        special->input = view->result.value;
        return true;
    case INPUT_RATE:
    case INPUT_FORECAST:
        return take_trend(special, rule, view->result.value, now.mono_ns);
    case INPUT_DEVIATION:
        return take_season(special, view, now.wall_ms);
    default:
        return take_window(special, rule, series, now.mono_ns);
    }
}

bool special_learns(const struct watch_special *special)
{
    return special->season && !season_is_known(special->season);
}
