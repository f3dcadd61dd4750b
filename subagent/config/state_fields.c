#include "config/state_fields.h"

#include "config/row.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define ONE_OF(array, names) .labels = (array), .n_labels = N(array), .expect = "one of " names

#define AT(type, member_)                                                                          \
    .offset = offsetof(struct type, member_), .size = sizeof((struct type *)0)->member_

#define A_NUMBER                                                                                   \
    .type = FIELD_COUNT, .max = UINT32_MAX, .expect = "a whole number from 0 to 4294967295"
#define AN_INTEGER(least)                                                                          \
    .type = FIELD_INTEGER, .min = (least), .max = INT64_MAX, .initial = "0",                       \
    .expect = "a whole number"
#define A_TEXT .type = FIELD_TEXT, .initial = "", .expect = "printable text without ; and |"
#define NAMED .type = FIELD_NAME, .expect = "a name of 1 to 32 of A-Z a-z 0-9 . _ -"
#define A_MASK .type = FIELD_MASK, .initial = "0", .expect = "up to 16 hexadecimal digits"

static const char *const storages[] = {NULL, NULL, NULL, "nonVolatile", "permanent"};
static const char *const truths[] = {NULL, "true", "false"};
static const char *const phases[] = {NULL, "unknown", "clear", "pending", "raised"};
static const char *const kinds[] = {"threshold", "node", "condition", "role", "sink"};
static const char *const documents[] = {NULL, "share", "tree"};
static const char *const severities[] = {NULL, "clear", "info", "warning", "critical"};
static const char *const told[] = {"all", "clear", "info", "warning", "critical"};
static const char *const events[] = {NULL,         "raised",  "cleared",  "acknowledged",
                                     "suppressed", "changed", "repeated", "flapping"};
#define EVENTS "raised, cleared, acknowledged, suppressed, changed, repeated, flapping"
static const char *const holds[] = {NULL,           "none",     "rate",
                                    "acknowledged", "quiet",    "maintenance",
                                    "dependency",   "dampened", "flapping"};

static const struct field head[] = {
    {.name = "version", AT(state_head, version), A_NUMBER},
    {.name = "boot", AT(state_head, boot), A_NUMBER},
    {.name = "sequence", AT(state_head, sequence), A_NUMBER},
    {.name = "reserved", AT(state_head, reserved), A_NUMBER, .initial = "0"},
    {.name = "held", AT(state_head, held), A_NUMBER, .initial = "0"},
    {.name = "serial", AT(state_head, serial), A_NUMBER},
    {.name = "top-size",
     .type = FIELD_COUNT,
     AT(state_head, top_size),
     .max = 100,
     .initial = "0",
     .expect = "a whole number from 0 to 100"},
    {.name = "digest", AT(state_head, digest), A_TEXT},
};

static const struct field row[] = {
    {.name = "status",
     .type = FIELD_ENUM,
     AT(row, status),
     .labels = row_statuses,
     .n_labels = ROW_STATUSES,
     .expect = "one of active, notInService, notReady"},
    {.name = "storage",
     .type = FIELD_ENUM,
     AT(row, storage),
     ONE_OF(storages, "nonVolatile, permanent")},
    {.name = "origin", AT(row, origin), A_NUMBER, .initial = "0"},
    {.name = "local",
     .type = FIELD_ENUM,
     AT(row, local),
     ONE_OF(truths, "true, false"),
     .initial = "false"},
};

static const struct field series[] = {
    {.name = "threshold", AT(saved_series, threshold), NAMED},
    {.name = "node", AT(saved_series, node), NAMED, .initial = ""},
    {.name = "sensor", AT(saved_series, sensor), NAMED},
    {.name = "instance",
     .type = FIELD_OCTETS,
     AT(saved_series, instance),
     .expect = "an instance of 1 to 64 octets, %XX for those that are not plain"},
    {.name = "phase",
     .type = FIELD_ENUM,
     AT(saved_series, state.phase),
     ONE_OF(phases, "unknown, clear, pending, raised")},
    {.name = "samples", AT(saved_series, state.samples), A_NUMBER, .initial = "0"},
    {.name = "breached", AT(saved_series, state.breached), A_MASK},
    {.name = "unsettled", AT(saved_series, state.unsettled), A_MASK},
    {.name = "since", AT(saved_series, state.since_ns), AN_INTEGER(0)},
};

static const struct field child[] = {
    {.name = "name", AT(saved_child, name), NAMED},
    {.name = "engine-id", AT(saved_child, engine_id), A_TEXT},
    {.name = "engine-boots", AT(saved_child, engine_boots), A_NUMBER, .initial = "0"},
};

static const struct field document[] = {
    {.name = "kind",
     .type = FIELD_ENUM,
     AT(saved_document, kind),
     ONE_OF(documents, "share, tree")},
    {.name = "term", AT(saved_document, term), A_NUMBER},
    {.name = "epoch", AT(saved_document, epoch), A_NUMBER},
    {.name = "root", AT(saved_document, root), NAMED, .initial = ""},
    {.name = "ordered", AT(saved_document, ordered), A_TEXT},
    {.name = "length", AT(saved_document, length), A_NUMBER, .initial = "0"},
    {.name = "digest", AT(saved_document, digest), A_TEXT},
    {.name = "serial", AT(saved_document, serial), A_NUMBER, .initial = "0"},
};

static const struct field previous[] = {
    {.name = "digest", AT(saved_previous, digest), A_TEXT},
    {.name = "serial", AT(saved_previous, serial), A_NUMBER, .initial = "0"},
};

static const struct field alarm[] = {
    {.name = "index", AT(alarm, index), A_NUMBER},
    {.name = "told",
     .type = FIELD_ENUM,
     AT(alarm, memory.told),
     ONE_OF(told, "all, clear, info, warning, critical"),
     .initial = "all"},
    {.name = "acknowledged", AT(alarm, memory.acknowledged), A_TEXT},
    {.name = "acknowledged-at", AT(alarm, memory.acknowledged_ms), AN_INTEGER(INT64_MIN)},
    {.name = "acknowledged-severity",
     .type = FIELD_ENUM,
     AT(alarm, memory.acknowledged_at),
     ONE_OF(told, "all, clear, info, warning, critical"),
     .initial = "all"},
};

/* The notice of a clear. */
static const struct field waiting[] = {
    {.name = "told",
     .type = FIELD_ENUM,
     AT(saved_clear, told),
     ONE_OF(told, "clear, info, warning, critical")},
};

static const struct field entry[] = {
    {.name = "number", AT(saved_entry, number), A_NUMBER},
    {.name = "time", AT(saved_entry, wall_ms), AN_INTEGER(INT64_MIN)},
    {.name = "notified", AT(saved_entry, notified), A_NUMBER, .initial = "0"},
    {.name = "held",
     .type = FIELD_ENUM,
     AT(saved_entry, hold),
     ONE_OF(holds, "none, rate, acknowledged, quiet, maintenance, dependency, dampened, flapping"),
     .initial = "none"},
};

static const struct field notification[] = {
    {.name = "index", AT(notification, index), A_NUMBER, .initial = "0"},
};

static const struct field facts[] = {
    {.name = "kind",
     .type = FIELD_ENUM,
     AT(alarm_facts, kind),
     ONE_OF(kinds, "threshold, node, condition, role"),
     .initial = "threshold"},
    {.name = "key", AT(alarm_facts, key), A_TEXT},
    {.name = "node", AT(alarm_facts, node), A_TEXT},
    {.name = "threshold", AT(alarm_facts, threshold), A_TEXT},
    {.name = "sensor", AT(alarm_facts, sensor), A_TEXT},
    {.name = "instance", AT(alarm_facts, instance), A_TEXT},
    {.name = "value", AT(alarm_facts, value), A_TEXT},
    {.name = "limit", AT(alarm_facts, limit), A_TEXT},
    {.name = "severity",
     .type = FIELD_ENUM,
     AT(alarm_facts, severity),
     ONE_OF(severities, "clear, info, warning, critical"),
     .initial = "clear"},
    {.name = "event",
     .type = FIELD_ENUM,
     AT(alarm_facts, event),
     ONE_OF(events, EVENTS),
     .initial = "raised"},
    {.name = "sequence", AT(alarm_facts, sequence), A_NUMBER, .initial = "0"},
    {.name = "since", AT(alarm_facts, since_ms), AN_INTEGER(INT64_MIN)},
    {.name = "suppressed", AT(alarm_facts, suppressed), A_NUMBER, .initial = "0"},
    {.name = "message", AT(alarm_facts, message), A_TEXT},
};

const struct fields state_head_fields = {head, N(head)};
const struct fields state_row_fields = {row, N(row)};
const struct fields state_series_fields = {series, N(series)};
const struct fields state_child_fields = {child, N(child)};
const struct fields state_document_fields = {document, N(document)};
const struct fields state_previous_fields = {previous, N(previous)};
const struct fields state_alarm_fields = {alarm, N(alarm)};
const struct fields state_entry_fields = {entry, N(entry)};
const struct fields state_notification_fields = {notification, N(notification)};
const struct fields state_clear_fields = {waiting, N(waiting)};
const struct fields state_facts_fields = {facts, N(facts)};
