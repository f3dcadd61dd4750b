/* The row types of everything about alarms. */
#include <string.h>

#include "base/text.h"
#include "config/row_fields.h"

static const char *const operators[] = {NULL, "gt", "ge", "lt", "le", "eq", "ne"};
static const char *const severities[] = {NULL, NULL, "info", "warning", "critical"};
static const char *const truths[] = {NULL, "true", "false"};
static const char *const sources[] = {NULL,  "value", "rate", "forecast", "mean", "stddev",
                                      "min", "max",   "p50",  "p90",      "p95",  "p99"};
static const char *const dampenings[] = {NULL, "none", "oncePer", "everyNth", "countWithin"};

static const struct field threshold_fields[] = {
    {.name = "sensor",
     .type = FIELD_NAME,
     .offset = offsetof(struct threshold_row, sensor),
     .change = CHANGE_RESTARTS,
     .expect = A_NAME},
    {.name = "instances",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct threshold_row, instances),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "children",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct threshold_row, children),
     .change = CHANGE_RESTARTS,
     .initial = "",
     .expect = A_PATTERN},
    {.name = "groups",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct threshold_row, groups),
     .change = CHANGE_RESTARTS,
     .initial = "",
     .expect = A_PATTERN},
    {.name = "operator",
     .type = FIELD_ENUM,
     .offset = offsetof(struct threshold_row, op),
     .change = CHANGE_RESTARTS,
     LABELS(operators),
     .expect = "one of gt, ge, lt, le, eq, ne"},
    {.name = "limit",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct threshold_row, limit),
     .change = CHANGE_DEPENDS,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .expect = A_DECIMAL},
    {.name = "clear",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct threshold_row, clear),
     .change = CHANGE_DEPENDS,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_DECIMAL},
    {.name = "match",
     .type = FIELD_COUNT,
     .offset = offsetof(struct threshold_row, match),
     .change = CHANGE_RESTARTS,
     .min = 1,
     .max = THRESHOLD_WINDOW_MAX,
     .initial = "1",
     .expect = "a number of samples from 1 to 64"},
    {.name = "window",
     .type = FIELD_COUNT,
     .offset = offsetof(struct threshold_row, window),
     .change = CHANGE_RESTARTS,
     .min = 1,
     .max = THRESHOLD_WINDOW_MAX,
     .initial = "1",
     .expect = "a number of samples from 1 to 64"},
    {.name = "duration",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, duration_ms),
     .change = CHANGE_RESTARTS,
     .max = DAYS(1),
     .initial = "0s",
     .expect = A_DURATION("0s", "1d")},
    {.name = "severity",
     .type = FIELD_ENUM,
     .offset = offsetof(struct threshold_row, severity),
     .change = CHANGE_CONTINUES,
     LABELS(severities),
     .initial = "warning",
     .expect = "one of info, warning, critical"},
    {.name = "description",
     .type = FIELD_TEXT,
     .offset = offsetof(struct threshold_row, description),
     .change = CHANGE_CONTINUES,
     .size = sizeof((struct threshold_row *)0)->description,
     .initial = "",
     .expect = "up to 127 octets of printable text without ; and |"},
    {.name = "warning-limit",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct threshold_row, warning_limit),
     .change = CHANGE_DEPENDS,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_DECIMAL},
    {.name = "warning-clear",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct threshold_row, warning_clear),
     .change = CHANGE_DEPENDS,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_DECIMAL},
    {.name = "critical-limit",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct threshold_row, critical_limit),
     .change = CHANGE_DEPENDS,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_DECIMAL},
    {.name = "critical-clear",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct threshold_row, critical_clear),
     .change = CHANGE_DEPENDS,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_DECIMAL},
    {.name = "source",
     .type = FIELD_ENUM,
     .offset = offsetof(struct threshold_row, source),
     .change = CHANGE_RESTARTS,
     LABELS(sources),
     .initial = "value",
     .expect = "one of value, rate, forecast, mean, stddev, min, max, p50, p90, p95, p99"},
    {.name = "span",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, span_ms),
     .change = CHANGE_RESTARTS,
     .max = DAYS(7),
     .initial = "0s",
     .expect = A_DURATION("0s", "7d")},
    {.name = "horizon",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, horizon_ms),
     .change = CHANGE_RESTARTS,
     .max = DAYS(49),
     .initial = "0s",
     .expect = A_DURATION("0s", "49d")},
    {.name = "confidence",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct threshold_row, confidence),
     .change = CHANGE_DEPENDS,
     .max = 1,
     .initial = "0.5",
     .expect = "a decimal number from 0 to 1; write for example \"0.5\""},
    {.name = "absence",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, absence_ms),
     .change = CHANGE_RESTARTS,
     .max = DAYS(1),
     .initial = "0s",
     .expect = A_DURATION("0s", "1d")},
    {.name = "notify",
     .type = FIELD_ENUM,
     .offset = offsetof(struct threshold_row, notify),
     .change = CHANGE_CONTINUES,
     LABELS(truths),
     .initial = "true",
     .expect = "one of true, false"},
    {.name = "repeat",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, repeat_ms),
     .change = CHANGE_CONTINUES,
     .max = DAYS(7),
     .initial = "0s",
     .expect = A_DURATION("0s", "7d")},
    {.name = "hold-off",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, hold_off_ms),
     .change = CHANGE_RESTARTS,
     .max = DAYS(1),
     .initial = "0s",
     .expect = A_DURATION("0s", "1d")},
    {.name = "dampening",
     .type = FIELD_ENUM,
     .offset = offsetof(struct threshold_row, dampening),
     .change = CHANGE_DEPENDS,
     LABELS(dampenings),
     .initial = "none",
     .expect = "one of none, oncePer, everyNth, countWithin"},
    {.name = "dampening-count",
     .type = FIELD_COUNT,
     .offset = offsetof(struct threshold_row, dampening_count),
     .change = CHANGE_DEPENDS,
     .min = 1,
     .max = DAMPER_COUNT_MAX,
     .initial = "1",
     .expect = "a number of raises from 1 to 64"},
    {.name = "dampening-time",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, dampening_ms),
     .change = CHANGE_DEPENDS,
     .max = DAYS(7),
     .initial = "0s",
     .expect = A_DURATION("0s", "7d")},
    {.name = "flap-count",
     .type = FIELD_COUNT,
     .offset = offsetof(struct threshold_row, flap_count),
     .change = CHANGE_DEPENDS,
     .max = DAMPER_COUNT_MAX,
     .initial = "0",
     .expect = "a number of raises and clears from 0 to 64"},
    {.name = "flap-time",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct threshold_row, flap_ms),
     .change = CHANGE_DEPENDS,
     .max = DAYS(1),
     .initial = "0s",
     .expect = A_DURATION("0s", "1d")},
    {.name = "disabled-by",
     .type = FIELD_NAME,
     .offset = offsetof(struct threshold_row, disabled_by),
     .change = CHANGE_DEPENDS,
     .initial = "",
     .expect = A_NAME},
};

#define A_DATE                                                                                     \
    "a time as RFC 3339 has it; write for example \"2026-11-21T22:00:00Z\" or "                    \
    "\"2026-11-21T23:00:00+01:00\""

static const char *const requires[] = {NULL, "any", "all"};
static const char *const groupings[] = {NULL, "instance", "node", "all"};

static const struct field condition_fields[] = {
    {.name = "thresholds",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct condition_row, thresholds),
     .change = CHANGE_CONTINUES,
     .expect = A_PATTERN},
    {.name = "require",
     .type = FIELD_ENUM,
     .offset = offsetof(struct condition_row, require),
     .change = CHANGE_CONTINUES,
     LABELS(requires),
     .initial = "all",
     .expect = "one of any, all"},
    {.name = "by",
     .type = FIELD_ENUM,
     .offset = offsetof(struct condition_row, by),
     .change = CHANGE_CONTINUES,
     LABELS(groupings),
     .initial = "node",
     .expect = "one of instance, node, all"},
    {.name = "severity",
     .type = FIELD_ENUM,
     .offset = offsetof(struct condition_row, severity),
     .change = CHANGE_CONTINUES,
     LABELS(severities),
     .initial = "warning",
     .expect = "one of info, warning, critical"},
    {.name = "repeat",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct condition_row, repeat_ms),
     .change = CHANGE_CONTINUES,
     .max = DAYS(7),
     .initial = "0s",
     .expect = A_DURATION("0s", "7d")},
    {.name = "description",
     .type = FIELD_TEXT,
     .offset = offsetof(struct condition_row, description),
     .change = CHANGE_CONTINUES,
     .size = sizeof((struct condition_row *)0)->description,
     .initial = "",
     .expect = "up to 127 octets of printable text without ; and |"},
};

static const char *const days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

static const struct field maintenance_fields[] = {
    {.name = "nodes",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct maintenance_row, nodes),
     .change = CHANGE_CONTINUES,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "thresholds",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct maintenance_row, thresholds),
     .change = CHANGE_CONTINUES,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "begin",
     .type = FIELD_DATE,
     .offset = offsetof(struct maintenance_row, begin_ms),
     .change = CHANGE_CONTINUES,
     .initial = "",
     .expect = A_DATE},
    {.name = "end",
     .type = FIELD_DATE,
     .offset = offsetof(struct maintenance_row, end_ms),
     .change = CHANGE_CONTINUES,
     .initial = "",
     .expect = A_DATE},
    {.name = "duration",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct maintenance_row, duration_ms),
     .change = CHANGE_CONTINUES,
     .max = MAINTENANCE_LONGEST_MS,
     .initial = "0s",
     .expect = A_DURATION("0s", "7d")},
    {.name = "days",
     .type = FIELD_BITS,
     .offset = offsetof(struct maintenance_row, days),
     .change = CHANGE_CONTINUES,
     LABELS(days),
     .initial = "",
     .expect = "days of the week; write for example \"sat sun\""},
    {.name = "time",
     .type = FIELD_TEXT,
     .offset = offsetof(struct maintenance_row, time),
     .change = CHANGE_CONTINUES,
     .size = sizeof((struct maintenance_row *)0)->time,
     .initial = "00:00",
     .expect = "a time of day; write for example \"22:30\""},
};

/* -- What the rows mean --------------------------------------------------------------------- */

static void add_level(struct threshold_levels *levels, enum severity severity,
                      const struct decimal *limit, const struct decimal *clear)
{
    if (!limit->text[0])
        return;
    levels->severity[levels->n] = severity;
    levels->rule[levels->n] = levels->rule[0];
    levels->rule[levels->n].limit = limit->value;
    levels->rule[levels->n].clear = clear->text[0] ? clear->value : limit->value;
    levels->n++;
}

void config_threshold_levels(const struct threshold_row *row, struct threshold_levels *levels)
{
    *levels = (struct threshold_levels){
        .n = 1,
        .severity = {row->severity},
        .rule = {{
            .op = row->op,
            .limit = row->limit.value,
            .clear = row->clear.text[0] ? row->clear.value : row->limit.value,
            .match = row->match,
            .window = row->window,
            .duration_ms = row->duration_ms,
        }},
    };
    add_level(levels, SEVERITY_WARNING, &row->warning_limit, &row->warning_clear);
    add_level(levels, SEVERITY_CRITICAL, &row->critical_limit, &row->critical_clear);
}

void config_damper_rule(const struct threshold_row *row, struct damper_rule *rule)
{
    *rule = (struct damper_rule){.dampening = row->dampening,
                                 .count = row->dampening_count,
                                 .time_ms = row->dampening_ms,
                                 .flap_count = row->flap_count,
                                 .flap_ms = row->flap_ms};
}

void config_maintenance(const struct maintenance_row *row, struct maintenance *maintenance)
{
    *maintenance = (struct maintenance){.begin_ms = row->begin_ms,
                                        .end_ms = row->end_ms,
                                        .duration_ms = row->duration_ms,
                                        .days = row->days};
    maintenance_minute(row->time, &maintenance->minute);
}

static const char *maintenance_row_fault(const struct row *row)
{
    const struct maintenance_row *maintenance = (const struct maintenance_row *)row;
    struct maintenance rule;
    if (!maintenance_minute(maintenance->time, &rule.minute))
        return "time is not one of the day; write for example 22:30";
    config_maintenance(maintenance, &rule);
    return maintenance_fault(&rule);
}

/* Without days and a beginning it begins now. */
static void activate_maintenance(struct row *row, int64_t wall_ms)
{
    struct maintenance_row *maintenance = (struct maintenance_row *)row;
    if (maintenance->days == 0 && maintenance->begin_ms == 0 && maintenance->duration_ms)
        field_set_number(row, row_field(ROW_MAINTENANCE, "begin"), wall_ms);
}

static const char *source_fault(const struct threshold_row *row)
{
    if (row->source == INPUT_FORECAST && row->horizon_ms == 0)
        return "source forecast needs a horizon";
    if ((row->source == INPUT_FORECAST || row->source == INPUT_RATE) && row->span_ms == 0)
        return "source rate or forecast needs a span";
    return NULL;
}

static const char *threshold_row_fault(const struct row *row)
{
    const struct threshold_row *threshold = (const struct threshold_row *)row;
    struct threshold_levels levels;
    struct damper_rule damper;
    config_threshold_levels(threshold, &levels);
    config_damper_rule(threshold, &damper);
    const char *fault = threshold_levels_fault(&levels);
    if (!fault)
        fault = source_fault(threshold);
    if (!fault)
        fault = damper_fault(&damper);
    if (!fault && strcmp(threshold->disabled_by, row->name) == 0)
        fault = "a threshold cannot be disabled by itself";
    return fault;
}

static bool dampens(const struct threshold_row *row)
{
    struct damper_rule damper;
    config_damper_rule(row, &damper);
    return damper_needed(&damper);
}

bool config_threshold_is_plain(const struct threshold_row *row)
{
    return !row->warning_limit.text[0] && !row->critical_limit.text[0] &&
           row->source == INPUT_VALUE && row->absence_ms == 0 && row->hold_off_ms == 0 &&
           !row->disabled_by[0] && !dampens(row);
}

/* As numbers: 90.0 is no other limit than 90, and a clear limit that is the limit is none. */
static bool same_limits(const struct threshold_row *a, const struct threshold_row *b)
{
    struct threshold_levels of_a, of_b;
    config_threshold_levels(a, &of_a);
    config_threshold_levels(b, &of_b);
    for (unsigned i = 0; i < of_a.n && of_a.n == of_b.n; i++)
        if (of_a.rule[i].limit != of_b.rule[i].limit || of_a.rule[i].clear != of_b.rule[i].clear)
            return false;
    return of_a.n == of_b.n;
}

/* Other numbers of a damper are taken over; what is kept for each series is another where there was
 * none, and for a threshold that was plain. */
static bool threshold_restarts(const struct row *was, const struct row *is)
{
    const struct threshold_row *a = (const struct threshold_row *)was;
    const struct threshold_row *b = (const struct threshold_row *)is;
    return !same_limits(a, b) || a->confidence.value != b->confidence.value ||
           dampens(a) != dampens(b) || config_threshold_is_plain(a) != config_threshold_is_plain(b);
}

static const char *no_fault(const struct row *row)
{
    (void)row;
    return NULL;
}

/* -- The types ------------------------------------------------------------------------------ */

static const struct row_type row_types[ROW_KINDS] = {
    [ROW_THRESHOLD] = {.element = "threshold",
                       .size = sizeof(struct threshold_row),
                       .fields = threshold_fields,
                       .n_fields = N(threshold_fields),
                       .fault = threshold_row_fault,
                       .restarts = threshold_restarts},
    [ROW_CONDITION] = TYPE(condition, condition_fields, no_fault),
    [ROW_MAINTENANCE] = {.element = "maintenance",
                         .size = sizeof(struct maintenance_row),
                         .fields = maintenance_fields,
                         .n_fields = N(maintenance_fields),
                         .fault = maintenance_row_fault,
                         .activate = activate_maintenance},
};

_Static_assert(offsetof(struct threshold_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct condition_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct maintenance_row, row) == 0, "the row comes first");
_Static_assert(N(threshold_fields) <= 32, "struct row has a bit for each");

const struct row_type *row_type_of_alarms(enum row_kind kind)
{
    return row_types[kind].fields ? &row_types[kind] : NULL;
}
