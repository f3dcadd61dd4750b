#include "config/row.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"
#include "config/field.h"
#include "config/row_fields.h"

const char *const row_statuses[ROW_STATUSES] = {NULL, "active", "notInService", "notReady"};

static const char *const calculations[] = {NULL, "basic", "delta", "rate", "average", "percent"};
static const char *const gates[] = {NULL, "gt", "ge", "lt", "le", "eq", "ne", "none"};
static const char *const functions[] = {NULL,    "sum",    "avg",        "min", "max",
                                        "count", "stddev", "percentile", "top", "share"};
static const char *const groupings[] = {NULL, "all", "group", "instance", "child"};
static const char *const child_kinds[] = {NULL, "dcamp", "snmp"};
static const char *const auth_protocols[] = {NULL, "SHA-256", "SHA-512"};
static const char *const priv_protocols[] = {NULL, "AES-128", "AES-256"};
static const char *const report_modes[] = {NULL, "pull", "push"};

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
};

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
};

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
};

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
     .expect = "the absolute path of a file"},
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

static const char *filter_fault(const struct row *row)
{
    const struct filter_row *filter = (const struct filter_row *)row;
    if (filter->gate != 0 && filter->gate != COMPARE_NONE && !filter->gate_limit.text[0])
        return "gate needs a gate-limit";
    return NULL;
}

static const char *child_fault(const struct row *row)
{
    return strcmp(((const struct child_row *)row)->behind, row->name) == 0
               ? "a child cannot be behind itself"
               : NULL;
}

static const char *no_fault(const struct row *row)
{
    (void)row;
    return NULL;
}

static const char *aggregate_row_fault(const struct row *row)
{
    const struct aggregate_row *aggregate = (const struct aggregate_row *)row;
    return aggregate_fault(aggregate->function, aggregate->parameter.text[0] != '\0',
                           aggregate->parameter.value);
}

static const struct row_type row_types[ROW_KINDS] = {
    [ROW_SENSOR] = TYPE(sensor, sensor_fields, sensor_fault),
    [ROW_FILTER] = TYPE(filter, filter_fields, filter_fault),
    [ROW_CHILD] = TYPE(child, child_fields, child_fault),
    [ROW_AGGREGATE] = TYPE(aggregate, aggregate_fields, aggregate_row_fault),
    [ROW_CREDENTIAL] = TYPE(credential, credential_fields, no_fault),
};

/* row_new gives back a struct row, whatever it is part of. */
_Static_assert(offsetof(struct sensor_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct filter_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct child_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct aggregate_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct credential_row, row) == 0, "the row comes first");
_Static_assert(offsetof(struct row, node) == 0, "the node comes first");

const struct row_type *row_type(enum row_kind kind)
{
    const struct row_type *type = row_type_of_alarms(kind);
    if (type)
        return type;
    return kind == ROW_OBJECT ? &row_type_object : &row_types[kind];
}

const struct field *row_field(enum row_kind kind, const char *name)
{
    return fields_find(row_type(kind)->fields, row_type(kind)->n_fields, name);
}

void config_filter_rule(const struct filter_row *row, struct filter_rule *rule)
{
    *rule = (struct filter_rule){
        .throttle_ms = row->throttle_ms,
        .heartbeat_ms = row->heartbeat_ms,
        .deadband = row->deadband.value,
        .deadband_percent = row->deadband_percent.value,
        .gate = row->gate ? row->gate : COMPARE_NONE,
        .gate_limit = row->gate_limit.value,
    };
}

static void set_key(struct row *row)
{
    row->node.key_len = index_key_text(row->key, row->name);
    row->node.key = row->key;
}

struct row *row_new(enum row_kind kind, const char *name)
{
    size_t len = strnlen(name, NAME_SIZE);
    if (!text_is_name(name, len))
        return NULL;
    const struct row_type *type = row_type(kind);
    struct row *row = calloc(1, type->size);
    if (!row)
        return NULL;
    row->kind = kind;
    memcpy(row->name, name, len);
    set_key(row);
    row->status = ROW_NOT_READY;
    row->storage = STORAGE_NONVOLATILE;
    fields_reset(row, type->fields, type->n_fields);
    return row;
}

struct row *row_clone(const struct row *row)
{
    struct row *copy = malloc(row_type(row->kind)->size);
    if (!copy)
        return NULL;
    memcpy(copy, row, row_type(row->kind)->size);
    memset(&copy->node, 0, sizeof copy->node); /* it is in no index */
    copy->saved = NULL;
    set_key(copy);
    return copy;
}

void row_free(struct row *row)
{
    if (row)
        free(row->saved);
    free(row);
}

const char *row_missing(const struct row *row)
{
    const struct row_type *type = row_type(row->kind);
    for (size_t i = 0; i < type->n_fields; i++)
        if (!type->fields[i].initial && !(row->given & UINT32_C(1) << i))
            return type->fields[i].name;
    return NULL;
}

const char *row_fault(const struct row *row)
{
    const char *missing = row_missing(row);
    return missing ? missing : row_type(row->kind)->fault(row);
}

bool row_restarts(const struct row *was, const struct row *is)
{
    const struct row_type *type = row_type(was->kind);
    for (size_t i = 0; i < type->n_fields; i++)
        if (type->fields[i].change == CHANGE_RESTARTS && !field_same(was, is, &type->fields[i]))
            return true;
    return type->restarts && type->restarts(was, is);
}

void row_activate(struct row *row, int64_t wall_ms)
{
    const struct row_type *type = row_type(row->kind);
    if (type->activate)
        type->activate(row, wall_ms);
}

static void put_text(row_text_fn *put, void *context, const char *text)
{
    put(context, text, strlen(text));
}

/* One line each: no name and no field holds a line break. */
void row_canonical(const struct row *row, bool whole, row_text_fn *put, void *context)
{
    const struct row_type *type = row_type(row->kind);
    char text[MESSAGE_SIZE];
    put_text(put, context, type->element);
    put_text(put, context, " ");
    put_text(put, context, row->name);
    put_text(put, context, "\n");
    if (whole) {
        put_text(put, context, row_statuses[row->status]);
        put_text(put, context, "\n");
    }
    for (size_t i = 0; i < type->n_fields; i++) {
        if (!whole && !(row->given & UINT32_C(1) << i))
            continue;
        put_text(put, context, type->fields[i].name);
        put_text(put, context, "=");
        put(context, text, field_text(row, &type->fields[i], text));
        put_text(put, context, "\n");
    }
}

static void add_crc(void *context, const char *text, size_t len)
{
    uLong *sum = context;
    *sum = crc32_z(*sum, (const Bytef *)text, len);
}

uint32_t row_checksum(const struct row *row)
{
    uLong sum = crc32_z(0, Z_NULL, 0);
    row_canonical(row, false, add_crc, &sum);
    return sum ? (uint32_t)sum : 1;
}
