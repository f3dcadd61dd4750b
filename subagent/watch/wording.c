#include "watch/wording.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *const sources[] = {
    [INPUT_VALUE] = "",        [INPUT_RATE] = "rate of ",     [INPUT_FORECAST] = "forecast of ",
    [INPUT_MEAN] = "mean of ", [INPUT_STDDEV] = "stddev of ", [INPUT_MIN] = "min of ",
    [INPUT_MAX] = "max of ",   [INPUT_P50] = "p50 of ",       [INPUT_P90] = "p90 of ",
    [INPUT_P95] = "p95 of ",   [INPUT_P99] = "p99 of "};

/* " tasks/s, in 4h, R2 0.98": what the number means. */
static void say_unit(const struct watch_rule *rule, const char *unit, double confidence, char *text,
                     size_t size)
{
    const struct threshold_row *row = &rule->row;
    const char *blank = unit[0] && unit[0] != '%' ? " " : "";
    char time[DECIMAL_SIZE];
    if (row->source == INPUT_FORECAST) {
        text_from_millis(time, row->horizon_ms);
        text_format(text, size, "%s%s in %s, R2 %.2f", blank, unit, time, confidence);
    } else {
        text_format(text, size, "%s%s%s", blank, unit, row->source == INPUT_RATE ? "/s" : "");
    }
}

/* "Disk is full: fs.used on /" begins each message, so that each names its instance. Returns its
 * length. */
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

void wording_value(const struct watch_rule *rule, const char *own_unit, const char *how,
                   double confidence, struct alarm_facts *facts)
{
    char unit[DECIMAL_SIZE + UNIT_SIZE], number[DECIMAL_SIZE];
    size_t len = say_what(rule, facts);
    say_unit(rule, own_unit, confidence, unit, sizeof unit);
    /* "> 90" */
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
