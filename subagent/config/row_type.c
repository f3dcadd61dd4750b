#include "config/row_type.h"

#include <ctype.h>
#include <string.h>

#include "base/hex.h"
#include "base/local_url.h"
#include "config/rule.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define LABELS(array) .labels = (array), .n_labels = N(array)

#define SECONDS(n) (INT64_C(1000) * (n))
#define DAYS(n) (SECONDS(86400) * (n))

#define ENGINE_ID_MIN 5 /* octets; RFC 3411, SnmpEngineID */

/* The largest number that text_from_decimal can print. */
#define DECIMAL_MAX INT64_C(1000000000000000000)

#define A_NAME "a name of 1 to 32 of A-Z a-z 0-9 . _ -"
#define A_PATTERN "a list of patterns, up to 128 characters; write for example \"*\" or \"!lo *\""
#define A_DECIMAL "a decimal number; write for example \"90\" or \"-0.5\""
#define A_POSITIVE "a decimal number from 0 on; write for example \"1\" or \"0.5\""
#define AN_OID                                                                                     \
    "an object identifier in numbers, with 2 to 128 arcs and up to 255 characters; write it as "   \
    "snmptranslate -On prints it"
#define A_KEY "a localized key: an even number of hexadecimal digits, up to 128"
#define A_DURATION(from, to)                                                                       \
    "a duration from " from " to " to "; write for example \"500ms\", \"10s\" or \"5m\""

#define TYPE(name, columns, check)                                                                 \
    {                                                                                              \
        .element = #name, .size = sizeof(struct name##_row), .fields = (columns),                  \
        .n_fields = N(columns), .fault = (check)                                                   \
    }

const char *const row_statuses[ROW_STATUSES] = {NULL, "active", "notInService", "notReady"};

/* -- Sensors --------------------------------------------------------------------------------- */

static const char *const calculations[] = {NULL, "basic", "delta", "rate", "average", "percent"};
static const char *const report_modes[] = {NULL, "pull", "push"};
static const char *const information_levels[] = {NULL, "threshold", "basic", "percentile"};

static const struct field sensor_fields[] = {
    {.name = "metric",
     .type = FIELD_METRIC,
     .offset = offsetof(struct sensor_row, metric),
     .change = CHANGE_RESTARTS,
     .initial = "",
     .expect = "a metric; write for example \"cpu.busy\""},
    {.name = "instances",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct sensor_row, instances),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "calculation",
     .type = FIELD_ENUM,
     .offset = offsetof(struct sensor_row, calculation),
     .change = CHANGE_RESTARTS,
     LABELS(calculations),
     .initial = "basic",
     .expect = "one of basic, delta, rate, average, percent"},
    {.name = "interval",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct sensor_row, interval_ms),
     .change = CHANGE_RESTARTS,
     .min = 100,
     .max = DAYS(1),
     .zero = "on-demand",
     .initial = "1s",
     .expect = "on-demand or " A_DURATION("100ms", "1d")},
    {.name = "filter",
     .type = FIELD_NAME,
     .offset = offsetof(struct sensor_row, filter),
     .change = CHANGE_CONTINUES,
     .initial = "",
     .expect = A_NAME},
    {.name = "window",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct sensor_row, window_ms),
     .change = CHANGE_CONTINUES,
     .min = SECONDS(1),
     .max = DAYS(1),
     .zero = "none",
     .initial = "1m",
     .expect = "none or " A_DURATION("1s", "1d")},
    {.name = "expression",
     .type = FIELD_EXPRESSION,
     .offset = offsetof(struct sensor_row, expression),
     .change = CHANGE_RESTARTS,
     .size = sizeof((struct sensor_row *)0)->expression,
     .initial = "",
     .expect = "an expression over sensors; write for example \"100% * mem.used / mem.total\""},
    {.name = "report",
     .type = FIELD_ENUM,
     .offset = offsetof(struct sensor_row, report),
     .change = CHANGE_CONTINUES,
     LABELS(report_modes),
     .initial = "pull",
     .expect = "one of pull, push"},
    {.name = "level",
     .type = FIELD_ENUM,
     .offset = offsetof(struct sensor_row, level),
     .change = CHANGE_CONTINUES,
     LABELS(information_levels),
     .initial = "percentile",
     .expect = "one of threshold, basic, percentile"},
};

static const char *sensor_fault(const struct row *row)
{
    const struct sensor_row *sensor = (const struct sensor_row *)row;
    const struct metric *metric = metric_find(sensor->metric);
    if (sensor->expression[0] && sensor->metric[0])
        return "it has a metric and an expression: give one of the two";
    if (sensor->expression[0])
        return sensor->calculation == CALC_BASIC
                   ? NULL
                   : "an expression has no calculation but basic: give it to its sensors";
    if (!sensor->metric[0])
        return "it has neither a metric nor an expression: give one of the two";
    if (!metric)
        return "metric is not the name of a metric";
    if (!calc_allowed(metric, sensor->calculation))
        return "the metric has no base value for calculation average or percent: use basic, "
               "delta or rate";
    return NULL;
}

/* -- Filters --------------------------------------------------------------------------------- */

static const char *const gates[] = {NULL, "gt", "ge", "lt", "le", "eq", "ne", "none"};

static const struct field filter_fields[] = {
    {.name = "throttle",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct filter_row, throttle_ms),
     .change = CHANGE_CONTINUES,
     .max = DAYS(7),
     .initial = "0s",
     .expect = A_DURATION("0s", "7d")},
    {.name = "heartbeat",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct filter_row, heartbeat_ms),
     .change = CHANGE_CONTINUES,
     .max = DAYS(7),
     .initial = "0s",
     .expect = A_DURATION("0s", "7d")},
    {.name = "deadband",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct filter_row, deadband),
     .change = CHANGE_CONTINUES,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_POSITIVE},
    {.name = "deadband-percent",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct filter_row, deadband_percent),
     .change = CHANGE_CONTINUES,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_POSITIVE},
    {.name = "gate",
     .type = FIELD_ENUM,
     .offset = offsetof(struct filter_row, gate),
     .change = CHANGE_CONTINUES,
     LABELS(gates),
     .initial = "none",
     .expect = "one of gt, ge, lt, le, eq, ne, none"},
    {.name = "gate-limit",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct filter_row, gate_limit),
     .change = CHANGE_CONTINUES,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_DECIMAL},
};

static const char *filter_fault(const struct row *row)
{
    const struct filter_row *filter = (const struct filter_row *)row;
    if (filter->gate != 0 && filter->gate != COMPARE_NONE && !filter->gate_limit.text[0])
        return "gate needs a gate-limit";
    return NULL;
}

/* -- Thresholds ------------------------------------------------------------------------------ */

static const char *const operators[] = {NULL, "gt", "ge", "lt", "le", "eq", "ne"};
static const char *const severities[] = {NULL, NULL, "info", "warning", "critical"};
static const char *const truths[] = {NULL, "true", "false"};
static const char *const threshold_sources[] = {NULL,     "value", "rate",     "forecast", "mean",
                                                "stddev", "min",   "max",      "p50",      "p90",
                                                "p95",    "p99",   "deviation"};
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
     LABELS(threshold_sources),
     .initial = "value",
     .expect =
         "one of value, rate, forecast, mean, stddev, min, max, p50, p90, p95, p99, deviation"},
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

static const char *source_fault(const struct threshold_row *row)
{
    if (row->source == INPUT_FORECAST && row->horizon_ms == 0)
        return "source forecast needs a horizon";
    if ((row->source == INPUT_FORECAST || row->source == INPUT_RATE) && row->span_ms == 0)
        return "source rate or forecast needs a span";
    if (row->source == INPUT_DEVIATION && row->span_ms > 0 && row->span_ms < SECONDS(10))
        return "source deviation needs a span of at least 10s, the length of the season; 0s is a "
               "day";
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

/* Limits are compared as numbers: 90.0 is the same limit as 90, and a clear limit that equals the
 * limit is the same as none. */
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

/* New numbers of a damper are taken over by what runs. But what is kept for each series is not the
 * same with and without a damper, nor for a plain threshold and another one. */
static bool threshold_restarts(const struct row *was, const struct row *is)
{
    const struct threshold_row *a = (const struct threshold_row *)was;
    const struct threshold_row *b = (const struct threshold_row *)is;
    return !same_limits(a, b) || a->confidence.value != b->confidence.value ||
           dampens(a) != dampens(b) || config_threshold_is_plain(a) != config_threshold_is_plain(b);
}

/* -- Children -------------------------------------------------------------------------------- */

static const char *const child_kinds[] = {NULL, "dcamp", "snmp"};

static const struct field child_fields[] = {
    {.name = "address",
     .type = FIELD_PEER,
     .offset = offsetof(struct child_row, address),
     .change = CHANGE_RESTARTS,
     .expect = "a numeric address; write for example \"udp:192.0.2.7:161\" or "
               "\"udp6:[2001:db8::7]:161\""},
    {.name = "credential",
     .type = FIELD_NAME,
     .offset = offsetof(struct child_row, credential),
     .change = CHANGE_RESTARTS,
     .expect = A_NAME},
    {.name = "group",
     .type = FIELD_NAME,
     .offset = offsetof(struct child_row, group),
     .change = CHANGE_RESTARTS,
     .initial = "default",
     .expect = A_NAME},
    {.name = "period",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct child_row, period_ms),
     .change = CHANGE_RESTARTS,
     .min = 100,
     .max = SECONDS(3600),
     .initial = "5s",
     .expect = A_DURATION("100ms", "1h")},
    {.name = "kind",
     .type = FIELD_ENUM,
     .offset = offsetof(struct child_row, kind),
     .change = CHANGE_RESTARTS,
     LABELS(child_kinds),
     .initial = "dcamp",
     .expect = "one of dcamp, snmp"},
    {.name = "behind",
     .type = FIELD_NAME,
     .offset = offsetof(struct child_row, behind),
     .change = CHANGE_CONTINUES,
     .initial = "",
     .expect = A_NAME},
    {.name = "engine",
     .type = FIELD_HEX,
     .offset = offsetof(struct child_row, engine),
     .change = CHANGE_RESTARTS,
     .size = CHILD_ENGINE_SIZE,
     .initial = "",
     .expect = "an engine ID: an even number of hexadecimal digits, 10 to 64"},
    {.name = "auth-key",
     .type = FIELD_KEY,
     .offset = offsetof(struct child_row, auth_key),
     .change = CHANGE_CONTINUES,
     .size = CHILD_KEY_SIZE,
     .initial = "",
     .expect = A_KEY},
    {.name = "priv-key",
     .type = FIELD_KEY,
     .offset = offsetof(struct child_row, priv_key),
     .change = CHANGE_CONTINUES,
     .size = CHILD_KEY_SIZE,
     .initial = "",
     .expect = A_KEY},
    {.name = "next-auth-key",
     .type = FIELD_KEY,
     .offset = offsetof(struct child_row, next_auth_key),
     .change = CHANGE_CONTINUES,
     .size = CHILD_KEY_SIZE,
     .initial = "",
     .expect = A_KEY},
    {.name = "next-priv-key",
     .type = FIELD_KEY,
     .offset = offsetof(struct child_row, next_priv_key),
     .change = CHANGE_CONTINUES,
     .size = CHILD_KEY_SIZE,
     .initial = "",
     .expect = A_KEY},
};

static bool has_bad_next_keys(const struct child_row *child)
{
    bool none = !child->next_auth_key && !child->next_priv_key;
    return !none && (!child->next_auth_key ||
                     key_length(child->next_auth_key) != key_length(child->auth_key) ||
                     key_length(child->next_priv_key) != key_length(child->priv_key));
}

static const char *child_fault(const struct row *row)
{
    const struct child_row *child = (const struct child_row *)row;
    int given = (child->engine[0] > 0) + (child->auth_key != NULL) + (child->priv_key != NULL);
    if (strcmp(child->behind, row->name) == 0)
        return "a child cannot be behind itself";
    if (given != 0 && given != 3)
        return "engine, auth-key and priv-key belong together: give all three or none";
    if (given != 0 && child->engine[0] < ENGINE_ID_MIN)
        return "engine is shorter than 5 octets, which is 10 digits";
    if (has_bad_next_keys(child))
        return "next-auth-key and next-priv-key belong together, and are as long as auth-key and "
               "priv-key";
    return NULL;
}

/* -- Aggregates ------------------------------------------------------------------------------ */

static const char *const functions[] = {NULL,    "sum",    "avg",        "min", "max",
                                        "count", "stddev", "percentile", "top", "share"};
static const char *const groupings[] = {NULL, "all", "group", "instance", "child"};

static const char *const aggregate_sources[] = {NULL, "value", "window"};

static const struct field aggregate_fields[] = {
    {.name = "sensor",
     .type = FIELD_NAME,
     .offset = offsetof(struct aggregate_row, sensor),
     .change = CHANGE_RESTARTS,
     .expect = A_NAME},
    {.name = "function",
     .type = FIELD_ENUM,
     .offset = offsetof(struct aggregate_row, function),
     .change = CHANGE_RESTARTS,
     LABELS(functions),
     .expect = "one of sum, avg, min, max, count, stddev, percentile, top, share"},
    {.name = "by",
     .type = FIELD_ENUM,
     .offset = offsetof(struct aggregate_row, by),
     .change = CHANGE_RESTARTS,
     LABELS(groupings),
     .initial = "all",
     .expect = "one of all, group, instance, child"},
    {.name = "parameter",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct aggregate_row, parameter),
     .change = CHANGE_RESTARTS,
     .max = DECIMAL_MAX,
     .initial = "",
     .expect = A_POSITIVE},
    {.name = "children",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct aggregate_row, children),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "groups",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct aggregate_row, groups),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "instances",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct aggregate_row, instances),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "interval",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct aggregate_row, interval_ms),
     .change = CHANGE_RESTARTS,
     .min = 100,
     .max = DAYS(1),
     .initial = "5s",
     .expect = A_DURATION("100ms", "1d")},
    {.name = "filter",
     .type = FIELD_NAME,
     .offset = offsetof(struct aggregate_row, filter),
     .change = CHANGE_CONTINUES,
     .initial = "",
     .expect = A_NAME},
    {.name = "report",
     .type = FIELD_ENUM,
     .offset = offsetof(struct aggregate_row, report),
     .change = CHANGE_CONTINUES,
     LABELS(report_modes),
     .initial = "pull",
     .expect = "one of pull, push"},
    {.name = "source",
     .type = FIELD_ENUM,
     .offset = offsetof(struct aggregate_row, source),
     .change = CHANGE_RESTARTS,
     LABELS(aggregate_sources),
     .initial = "value",
     .expect = "one of value, window"},
};

static const char *aggregate_row_fault(const struct row *row)
{
    const struct aggregate_row *aggregate = (const struct aggregate_row *)row;
    if (aggregate->function == AGGREGATE_TOP && aggregate->source == AGGREGATE_WINDOWS)
        return "the source window is not for the function top, which chooses among values";
    return aggregate_fault(aggregate->function, aggregate->parameter.text[0] != '\0',
                           aggregate->parameter.value);
}

/* -- Objects: what children of kind snmp are polled for -------------------------------------- */

static const char *const object_types[] = {NULL, "scalar", "column"};
static const char *const object_kinds[] = {NULL, "counter", "gauge"};
/* The other calculations need a base, which an object does not have. */
static const char *const object_calculations[] = {NULL, "basic", "delta", "rate"};

static const struct field object_fields[] = {
    {.name = "oid",
     .type = FIELD_OID,
     .offset = offsetof(struct object_row, oid),
     .change = CHANGE_RESTARTS,
     .expect = AN_OID},
    {.name = "type",
     .type = FIELD_ENUM,
     .offset = offsetof(struct object_row, type),
     .change = CHANGE_RESTARTS,
     LABELS(object_types),
     .initial = "column",
     .expect = "one of scalar, column"},
    {.name = "kind",
     .type = FIELD_ENUM,
     .offset = offsetof(struct object_row, kind),
     .change = CHANGE_RESTARTS,
     LABELS(object_kinds),
     .initial = "gauge",
     .expect = "one of counter, gauge"},
    {.name = "unit",
     .type = FIELD_TEXT,
     .offset = offsetof(struct object_row, unit),
     .change = CHANGE_RESTARTS,
     .size = sizeof((struct object_row *)0)->unit,
     .initial = "",
     .expect = "up to 30 octets of printable text without ; and |"},
    {.name = "scale",
     .type = FIELD_DECIMAL,
     .offset = offsetof(struct object_row, scale),
     .change = CHANGE_RESTARTS,
     .min = -DECIMAL_MAX,
     .max = DECIMAL_MAX,
     .initial = "1",
     .expect = A_DECIMAL},
    {.name = "calculation",
     .type = FIELD_ENUM,
     .offset = offsetof(struct object_row, calculation),
     .change = CHANGE_RESTARTS,
     LABELS(object_calculations),
     .initial = "basic",
     .expect = "one of basic, delta, rate"},
    {.name = "children",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct object_row, children),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "groups",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct object_row, groups),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "instances",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct object_row, instances),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "window",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct object_row, window_ms),
     .change = CHANGE_RESTARTS,
     .min = SECONDS(1),
     .max = DAYS(1),
     .zero = "none",
     .initial = "1m",
     .expect = "none or " A_DURATION("1s", "1d")},
    {.name = "filter",
     .type = FIELD_NAME,
     .offset = offsetof(struct object_row, filter),
     .change = CHANGE_CONTINUES,
     .initial = "",
     .expect = A_NAME},
    {.name = "label",
     .type = FIELD_OID,
     .offset = offsetof(struct object_row, label),
     .change = CHANGE_RESTARTS,
     .initial = "",
     .expect = AN_OID},
};

static const char *object_fault(const struct row *row)
{
    const struct object_row *object = (const struct object_row *)row;
    if (object->type == OBJECT_SCALAR && object->label[0])
        return "a scalar has no label: it has one instance, \"" METRIC_NODE_INSTANCE "\"";
    return NULL;
}

/* -- Conditions ------------------------------------------------------------------------------ */

static const char *const requires[] = {NULL, "any", "all"};
static const char *const condition_groupings[] = {NULL, "instance", "node", "all"};

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
     LABELS(condition_groupings),
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

/* -- Maintenance ----------------------------------------------------------------------------- */

#define A_DATE                                                                                     \
    "a time as RFC 3339 has it; write for example \"2026-11-21T22:00:00Z\" or "                    \
    "\"2026-11-21T23:00:00+01:00\""

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

static const char *maintenance_row_fault(const struct row *row)
{
    const struct maintenance_row *maintenance = (const struct maintenance_row *)row;
    struct maintenance rule;
    if (!maintenance_minute(maintenance->time, &rule.minute))
        return "time is not one of the day; write for example 22:30";
    config_maintenance(maintenance, &rule);
    return maintenance_fault(&rule);
}

/* A maintenance that has a duration, but neither days nor a beginning, begins at once. */
static const char *maintenance_time_field(const struct row *row)
{
    const struct maintenance_row *maintenance = (const struct maintenance_row *)row;
    bool at_once =
        maintenance->days == 0 && maintenance->begin_ms == 0 && maintenance->duration_ms > 0;
    return at_once ? "begin" : NULL;
}

/* -- Relays ---------------------------------------------------------------------------------- */

static const struct field relay_fields[] = {
    {.name = "sensors",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct relay_row, sensors),
     .change = CHANGE_CONTINUES,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "nodes",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct relay_row, nodes),
     .change = CHANGE_CONTINUES,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "instances",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct relay_row, instances),
     .change = CHANGE_CONTINUES,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "filter",
     .type = FIELD_NAME,
     .offset = offsetof(struct relay_row, filter),
     .change = CHANGE_CONTINUES,
     .initial = "",
     .expect = A_NAME},
};

/* -- Endpoints ------------------------------------------------------------------------------- */

static const struct field endpoint_fields[] = {
    {.name = "url",
     .type = FIELD_TEXT,
     .offset = offsetof(struct endpoint_row, url),
     .change = CHANGE_RESTARTS,
     .size = sizeof((struct endpoint_row *)0)->url,
     .expect = "up to 255 characters without ; and |, which are %3B and %7C there; write for "
               "example \"http://127.0.0.1:9121/metrics\""},
    {.name = "interval",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct endpoint_row, interval_ms),
     .change = CHANGE_CONTINUES,
     .min = SECONDS(1),
     .max = DAYS(1),
     .initial = "5s",
     .expect = A_DURATION("1s", "1d")},
    {.name = "timeout",
     .type = FIELD_MILLIS,
     .offset = offsetof(struct endpoint_row, timeout_ms),
     .change = CHANGE_CONTINUES,
     .min = 100,
     .max = SECONDS(60),
     .initial = "1s",
     .expect = A_DURATION("100ms", "1m")},
    {.name = "socket",
     .type = FIELD_PATH,
     .offset = offsetof(struct endpoint_row, socket),
     .change = CHANGE_RESTARTS,
     .size = sizeof((struct endpoint_row *)0)->socket,
     .initial = "",
     .expect = "the absolute path of a UNIX socket, of up to 107 octets"},
    {.name = "ca",
     .type = FIELD_PATH,
     .offset = offsetof(struct endpoint_row, ca),
     .change = CHANGE_RESTARTS,
     .size = sizeof((struct endpoint_row *)0)->ca,
     .initial = "",
     .expect = "the absolute path of a file"},
    {.name = "secrets",
     .type = FIELD_PATH,
     .offset = offsetof(struct endpoint_row, secrets),
     .change = CHANGE_CONTINUES,
     .size = sizeof((struct endpoint_row *)0)->secrets,
     .initial = "",
     .expect = "the absolute path of a file"},
    {.name = "series",
     .type = FIELD_COUNT,
     .offset = offsetof(struct endpoint_row, series),
     .change = CHANGE_CONTINUES,
     .min = 1,
     .max = ENDPOINT_SERIES_MAX,
     .initial = "1000",
     .expect = "a number of series from 1 to 10000"},
    {.name = "tolerance",
     .type = FIELD_COUNT,
     .offset = offsetof(struct endpoint_row, tolerance),
     .change = CHANGE_CONTINUES,
     .min = 1,
     .max = 100,
     .initial = "10",
     .expect = "a number of percent from 1 to 100"},
};

static const char *endpoint_fault(const struct row *row)
{
    const struct endpoint_row *endpoint = (const struct endpoint_row *)row;
    const char *fault = local_url_fault(endpoint->url);
    if (fault)
        return fault;
    if (endpoint->ca[0] && strncmp(endpoint->url, "https:", 6) != 0)
        return "ca is for https only";
    return endpoint->timeout_ms > endpoint->interval_ms ? "timeout is longer than interval" : NULL;
}

/* -- Sinks ----------------------------------------------------------------------------------- */

#define A_SIZE(from, to)                                                                           \
    "a size from " from " to " to " octets, with k, M or G for 1024, 1024^2 or 1024^3 of them; "   \
    "write for example \"64M\""
#define A_SPAN "a duration from 1h to 3650d, in whole seconds; write for example \"2d\" or \"12h\""

#define KILO INT64_C(1024)
#define MEGA (1024 * KILO)
#define GIGA (1024 * MEGA)
#define HOUR_S 3600
#define DAY_S (24 * HOUR_S)

static const char *const sink_modes[] = {NULL, "sync", "async"};

static const struct field sink_fields[] = {
    {.name = "kind",
     .type = FIELD_NAME,
     .offset = offsetof(struct sink_row, kind),
     .change = CHANGE_RESTARTS,
     .expect = "a word of 1 to 32 of a-z 0-9 -; write for example \"sqlite\""},
    {.name = "mode",
     .type = FIELD_ENUM,
     .offset = offsetof(struct sink_row, mode),
     .change = CHANGE_RESTARTS,
     LABELS(sink_modes),
     .initial = "sync",
     .expect = "one of sync, async"},
    {.name = "location",
     .type = FIELD_TEXT,
     .offset = offsetof(struct sink_row, location),
     .change = CHANGE_RESTARTS,
     .size = sizeof((struct sink_row *)0)->location,
     .initial = "",
     .expect =
         "up to 255 octets of printable text without ; and |, which are %3B and %7C in a URL"},
    {.name = "credentials",
     .type = FIELD_PATH,
     .offset = offsetof(struct sink_row, credentials),
     .change = CHANGE_RESTARTS,
     .size = sizeof((struct sink_row *)0)->credentials,
     .initial = "",
     .expect = "the absolute path of a file"},
    {.name = "sensors",
     .type = FIELD_PATTERN,
     .offset = offsetof(struct sink_row, sensors),
     .change = CHANGE_RESTARTS,
     .initial = "*",
     .expect = A_PATTERN},
    {.name = "queue",
     .type = FIELD_SIZE,
     .offset = offsetof(struct sink_row, queue),
     .change = CHANGE_RESTARTS,
     .min = 64 * KILO,
     .max = GIGA,
     .initial = "16M",
     .expect = A_SIZE("64k", "1G")},
    {.name = "limit",
     .type = FIELD_SIZE,
     .offset = offsetof(struct sink_row, limit),
     .change = CHANGE_RESTARTS,
     .min = MEGA,
     .max = 1024 * 1024 * GIGA,
     .zero = "none",
     .initial = "1G",
     .expect = "none or " A_SIZE("1M", "1048576G")},
    {.name = "rotate",
     .type = FIELD_SIZE,
     .offset = offsetof(struct sink_row, rotate),
     .change = CHANGE_RESTARTS,
     .min = 64 * KILO,
     .max = 1024 * GIGA,
     .zero = "none",
     .initial = "64M",
     .expect = "none or " A_SIZE("64k", "1024G")},
    {.name = "raw",
     .type = FIELD_SECONDS,
     .offset = offsetof(struct sink_row, raw_s),
     .change = CHANGE_RESTARTS,
     .min = HOUR_S,
     .max = 3650 * DAY_S,
     .initial = "2d",
     .expect = A_SPAN},
    {.name = "minutes",
     .type = FIELD_SECONDS,
     .offset = offsetof(struct sink_row, minutes_s),
     .change = CHANGE_RESTARTS,
     .min = HOUR_S,
     .max = 3650 * DAY_S,
     .initial = "60d",
     .expect = A_SPAN},
    {.name = "hours",
     .type = FIELD_SECONDS,
     .offset = offsetof(struct sink_row, hours_s),
     .change = CHANGE_RESTARTS,
     .min = HOUR_S,
     .max = 3650 * DAY_S,
     .initial = "730d",
     .expect = A_SPAN},
};

/* Reads one character of a text; it may be percent-encoded (RFC 3986, section 2.1). */
static char decoded(const char **at)
{
    const char *text = *at;
    int high = text[0] == '%' ? hex_digit(text[1]) : -1, low = high < 0 ? -1 : hex_digit(text[2]);
    *at += low < 0 ? 1 : 3;
    return low < 0 ? text[0] : (char)(high * 16 + low);
}

/* Whether the text begins with the word and then '=', with or without blanks between them. */
static bool is_set_at(const char *at, const char *word)
{
    char c = '\0';
    while (*word && *at)
        if (tolower((unsigned char)decoded(&at)) != *word++)
            return false;
    while (*at && isspace((unsigned char)(c = decoded(&at))))
        ;
    return !*word && c == '=';
}

/* The location is shown to everybody who may read the MIB, so it must not contain a password. What
 * stands before the @ of a URL is the userinfo of RFC 3986, section 3.2.1. The other form is that
 * of libpq, which may have blanks around '='; its URIs have the same words, percent-encoded. */
static bool has_password(const char *location)
{
    const char *scheme = strstr(location, "://");
    if (scheme) {
        const char *authority = scheme + 3;
        size_t len = strcspn(authority, "/?#");
        const char *at = memchr(authority, '@', len);
        if (at && memchr(authority, ':', (size_t)(at - authority)))
            return true;
    }
    for (const char *at = location; *at; at++)
        if (is_set_at(at, "password"))
            return true;
    return false;
}

static const char *sink_fault(const struct row *row)
{
    const struct sink_row *sink = (const struct sink_row *)row;
    if (strspn(sink->kind, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(sink->kind))
        return "kind is not a word of a-z 0-9 -; write for example sqlite";
    if (has_password(sink->location))
        return "location has a password, and is shown over SNMP: put it into the file that "
               "credentials names";
    if (sink->raw_s > sink->minutes_s || sink->minutes_s > sink->hours_s)
        return "raw is longer than minutes, or minutes than hours: values become minutes, and "
               "these hours, as they grow older";
    return NULL;
}

/* -- Credentials ----------------------------------------------------------------------------- */

static const char *const auth_protocols[] = {NULL, "SHA-256", "SHA-512"};
static const char *const priv_protocols[] = {NULL, "AES-128", "AES-256"};

static const struct field credential_fields[] = {
    {.name = "user",
     .type = FIELD_NAME,
     .offset = offsetof(struct credential_row, user),
     .change = CHANGE_CONTINUES,
     .expect = A_NAME},
    {.name = "auth",
     .type = FIELD_ENUM,
     .offset = offsetof(struct credential_row, auth),
     .change = CHANGE_CONTINUES,
     LABELS(auth_protocols),
     .initial = "SHA-256",
     .expect = "one of SHA-256, SHA-512"},
    {.name = "priv",
     .type = FIELD_ENUM,
     .offset = offsetof(struct credential_row, priv),
     .change = CHANGE_CONTINUES,
     LABELS(priv_protocols),
     .initial = "AES-128",
     .expect = "one of AES-128, AES-256"},
    {.name = "secrets",
     .type = FIELD_PATH,
     .offset = offsetof(struct credential_row, secrets),
     .change = CHANGE_CONTINUES,
     .size = sizeof((struct credential_row *)0)->secrets,
     .initial = "",
     .expect = "the absolute path of a file"},
};

/* -- All of them ----------------------------------------------------------------------------- */

static const char *no_fault(const struct row *row)
{
    (void)row;
    return NULL;
}

#define FIELDS(name)                                                                               \
    .element = #name, .size = sizeof(struct name##_row), .fields = name##_fields,                  \
    .n_fields = N(name##_fields)

static const struct row_type row_types[ROW_KINDS] = {
    [ROW_SENSOR] = {FIELDS(sensor), .fault = sensor_fault},
    [ROW_FILTER] = {FIELDS(filter), .fault = filter_fault},
    [ROW_THRESHOLD] = {FIELDS(threshold), .fault = threshold_row_fault,
                       .restarts = threshold_restarts},
    [ROW_CHILD] = {FIELDS(child), .fault = child_fault},
    [ROW_AGGREGATE] = {FIELDS(aggregate), .fault = aggregate_row_fault},
    [ROW_OBJECT] = {FIELDS(object), .fault = object_fault},
    [ROW_CONDITION] = {FIELDS(condition), .fault = no_fault},
    [ROW_MAINTENANCE] = {FIELDS(maintenance), .fault = maintenance_row_fault,
                         .time_field = maintenance_time_field},
    [ROW_RELAY] = {FIELDS(relay), .fault = no_fault},
    [ROW_ENDPOINT] = {FIELDS(endpoint), .fault = endpoint_fault},
    [ROW_SINK] = {FIELDS(sink), .fault = sink_fault},
    [ROW_CREDENTIAL] = {FIELDS(credential), .fault = no_fault},
};

/* Functions are given the struct row of a row, whatever its kind, so it must come first. */
_Static_assert(offsetof(struct sensor_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct filter_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct threshold_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct child_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct aggregate_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct object_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct condition_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct maintenance_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct relay_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct endpoint_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct sink_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct credential_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct row, node) == 0, "the node comes first");
_Static_assert(N(threshold_fields) <= 32, "struct row has a bit for each");

const struct row_type *row_type(enum row_kind kind)
{
    return &row_types[kind];
}

const struct field *row_field(enum row_kind kind, const char *name)
{
    return fields_find(row_type(kind)->fields, row_type(kind)->n_fields, name);
}
