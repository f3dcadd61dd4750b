/* The fields of objects: what children of kind snmp are polled for. */
#include "config/row_fields.h"

static const char *const object_types[] = {NULL, "scalar", "column"};
static const char *const object_kinds[] = {NULL, "counter", "gauge"};
/* The others need a base, which an object has not. */
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

_Static_assert(offsetof(struct object_row, row) == 0, "the row comes first");

const struct row_type row_type_object = TYPE(object, object_fields, object_fault);
