#include "watch/wording.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *const sources[] = {
    [INPUT_VALUE] = "",        [INPUT_RATE] = "rate of ",     [INPUT_FORECAST] = "forecast of ",
    [INPUT_MEAN] = "mean of ", [INPUT_STDDEV] = "stddev of ", [INPUT_MIN] = "min of ",
    [INPUT_MAX] = "max of ",   [INPUT_P50] = "p50 of ",       [INPUT_P90] = "p90 of ",
    [INPUT_P95] = "p95 of ",   [INPUT_P99] = "p99 of ",       [INPUT_DEVIATION] = "deviation of "};

static void with_unit(const char *unit, const char *behind, char *text, size_t size)
{
    text_format(text, size, "%s%s%s", unit[0] && unit[0] != '%' ? " " : "", unit, behind);
}

/* For example " usual deviations, 93% where 41% was expected". */
static void say_season(const struct series_view *view, double expected, char *text, size_t size)
{
    char unit[1 + UNIT_SIZE], value[DECIMAL_SIZE], usual[DECIMAL_SIZE];
    with_unit(view->unit, "", unit, sizeof unit);
    text_from_rounded(value, view->result.value, expected);
    text_from_rounded(usual, expected, view->result.value);
    text_format(text, size, " usual deviations, %s%s where %s%s was expected", value, unit, usual,
                unit);
}

/* For example " tasks/s in 4h, R2 0.98": what the number means. */
static void say_unit(const struct watch_rule *rule, const struct series_view *view,
                     const struct watch_special *special, char *text, size_t size)
{
    const struct threshold_row *row = &rule->row;
    char unit[2 + UNIT_SIZE + 2], time[DECIMAL_SIZE];
    with_unit(view->unit, row->source == INPUT_RATE ? "/s" : "", unit, sizeof unit);
    if (row->source == INPUT_FORECAST) {
        text_from_millis(time, row->horizon_ms);
        text_format(text, size, "%s in %s, R2 %.2f", unit, time, special->confidence);
    } else if (row->source == INPUT_DEVIATION) {
        say_season(view, special->expected, text, size);
    } else {
        text_format(text, size, "%s", unit);
    }
}

/* Each message begins with words like "Disk is full: fs.used on /", so that it names its instance.
 * Returns the length. */
static size_t say_what(const struct watch_rule *rule, struct alarm_facts *facts)
{
    const struct threshold_row *row = &rule->row;
    text_format(facts->message, sizeof facts->message, "%s: %s%s on %s%s%s",
                row->description[0] ? row->description : row->row.name, sources[row->source],
                facts->sensor, facts->instance, rule->of_children ? " of " : "",
                rule->of_children ? facts->node : "");
    return strlen(facts->message);
}

void wording_reason(const struct watch_rule *rule, const char *why, struct alarm_facts *facts)
{
    size_t len = say_what(rule, facts);
    text_format(facts->message + len, sizeof facts->message - len, ": %s", why);
}

void wording_value(const struct watch_rule *rule, const struct series_view *view, const char *how,
                   const struct watch_special *special, struct alarm_facts *facts)
{
    char unit[3 * DECIMAL_SIZE + 2 * UNIT_SIZE], number[DECIMAL_SIZE];
    size_t len = say_what(rule, facts);
    say_unit(rule, view, special, unit, sizeof unit);
    /* such as "> 90" */
    text_from_rounded(number, strtod(facts->value, NULL),
                      strtod(facts->limit + strcspn(facts->limit, " "), NULL));
    text_format(facts->message + len, sizeof facts->message - len, " %s %s%s (limit %s)", how,
                number, unit, facts->limit);
}

void wording_limit(const struct watch_rule *rule, enum severity severity, struct alarm_facts *facts)
{
    static const char *const signs[] = {"", ">", ">=", "<", "<=", "=", "!="};
    const struct threshold_row *row = &rule->row;
    const char *limit = row->limit.text;
    if (severity != row->severity && severity == SEVERITY_WARNING)
        limit = row->warning_limit.text;
    if (severity != row->severity && severity == SEVERITY_CRITICAL)
        limit = row->critical_limit.text;
    text_format(facts->limit, sizeof facts->limit, "%s %s", signs[row->op], limit);
}
