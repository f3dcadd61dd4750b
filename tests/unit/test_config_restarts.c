/* Whether what runs on a row begins anew when a field of the row changes. */

#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/field.h"

#include "unit.h"

/* One line for each field of each kind of row: two values, and whether to change from one to the
 * other restarts. */
static const struct {
    enum row_kind kind;
    const char *field, *one, *other;
    bool restarts;
} changes[] = {
    {ROW_SENSOR, "metric", "cpu.busy", "cpu.idle", true},
    {ROW_SENSOR, "instances", "*", "total", true},
    {ROW_SENSOR, "calculation", "basic", "rate", true},
    {ROW_SENSOR, "interval", "1s", "2s", true},
    {ROW_SENSOR, "filter", "", "f", false},
    {ROW_SENSOR, "window", "1m", "none", false},
    {ROW_SENSOR, "expression", "", "a / b", true},
    {ROW_SENSOR, "report", "pull", "push", false},
    {ROW_SENSOR, "level", "percentile", "threshold", false},

    {ROW_FILTER, "throttle", "0s", "1s", false},
    {ROW_FILTER, "heartbeat", "0s", "1s", false},
    {ROW_FILTER, "deadband", "", "1", false},
    {ROW_FILTER, "deadband-percent", "", "1", false},
    {ROW_FILTER, "gate", "none", "gt", false},
    {ROW_FILTER, "gate-limit", "", "1", false},

    {ROW_THRESHOLD, "sensor", "a", "b", true},
    {ROW_THRESHOLD, "instances", "*", "total", true},
    {ROW_THRESHOLD, "children", "", "*", true},
    {ROW_THRESHOLD, "groups", "", "*", true},
    {ROW_THRESHOLD, "operator", "gt", "ge", true},
    {ROW_THRESHOLD, "limit", "90", "91", true},
    {ROW_THRESHOLD, "clear", "", "80", true},
    {ROW_THRESHOLD, "match", "1", "2", true},
    {ROW_THRESHOLD, "window", "1", "2", true},
    {ROW_THRESHOLD, "duration", "0s", "1s", true},
    {ROW_THRESHOLD, "severity", "warning", "critical", false},
    {ROW_THRESHOLD, "description", "", "text", false},
    {ROW_THRESHOLD, "warning-limit", "", "95", true},
    {ROW_THRESHOLD, "warning-clear", "", "80", false}, /* there is no warning-limit: see below */
    {ROW_THRESHOLD, "critical-limit", "", "95", true},
    {ROW_THRESHOLD, "critical-clear", "", "80", false},
    {ROW_THRESHOLD, "source", "value", "mean", true},
    {ROW_THRESHOLD, "span", "0s", "1m", true},
    {ROW_THRESHOLD, "horizon", "0s", "1m", true},
    {ROW_THRESHOLD, "confidence", "0.5", "0.6", true},
    {ROW_THRESHOLD, "absence", "0s", "1m", true},
    {ROW_THRESHOLD, "notify", "true", "false", false},
    {ROW_THRESHOLD, "repeat", "0s", "1m", false},
    {ROW_THRESHOLD, "hold-off", "0s", "1m", true},
    {ROW_THRESHOLD, "dampening", "none", "everyNth", true},
    {ROW_THRESHOLD, "dampening-count", "1", "2", false},
    {ROW_THRESHOLD, "dampening-time", "0s", "1m", false},
    {ROW_THRESHOLD, "flap-count", "0", "3", true},
    {ROW_THRESHOLD, "flap-time", "0s", "1m", false},
    {ROW_THRESHOLD, "disabled-by", "", "other", true},

    {ROW_CHILD, "address", "udp:192.0.2.1:161", "udp:192.0.2.2:161", true},
    {ROW_CHILD, "credential", "a", "b", true},
    {ROW_CHILD, "group", "default", "other", true},
    {ROW_CHILD, "period", "5s", "1s", true},
    {ROW_CHILD, "kind", "dcamp", "snmp", true},
    {ROW_CHILD, "behind", "", "router", false},
    {ROW_CHILD, "engine", "", "80001f8804", true},
    {ROW_CHILD, "auth-key", "", "01", false},
    {ROW_CHILD, "priv-key", "", "01", false},
    {ROW_CHILD, "next-auth-key", "", "01", false},
    {ROW_CHILD, "next-priv-key", "", "01", false},

    {ROW_AGGREGATE, "sensor", "a", "b", true},
    {ROW_AGGREGATE, "function", "sum", "avg", true},
    {ROW_AGGREGATE, "by", "all", "group", true},
    {ROW_AGGREGATE, "parameter", "", "99", true},
    {ROW_AGGREGATE, "children", "*", "a*", true},
    {ROW_AGGREGATE, "groups", "*", "a*", true},
    {ROW_AGGREGATE, "instances", "*", "total", true},
    {ROW_AGGREGATE, "interval", "5s", "1s", true},
    {ROW_AGGREGATE, "filter", "", "f", false},
    {ROW_AGGREGATE, "report", "pull", "push", false},
    {ROW_AGGREGATE, "source", "value", "window", true},

    {ROW_OBJECT, "oid", "1.3.6", "1.3.7", true},
    {ROW_OBJECT, "type", "column", "scalar", true},
    {ROW_OBJECT, "kind", "gauge", "counter", true},
    {ROW_OBJECT, "unit", "", "B", true},
    {ROW_OBJECT, "scale", "1", "2", true},
    {ROW_OBJECT, "calculation", "basic", "rate", true},
    {ROW_OBJECT, "children", "*", "a*", true},
    {ROW_OBJECT, "groups", "*", "a*", true},
    {ROW_OBJECT, "instances", "*", "1", true},
    {ROW_OBJECT, "window", "1m", "none", true},
    {ROW_OBJECT, "filter", "", "f", false},
    {ROW_OBJECT, "label", "", "1.3.6", true},

    {ROW_CONDITION, "thresholds", "*", "a*", false},
    {ROW_CONDITION, "require", "all", "any", false},
    {ROW_CONDITION, "by", "node", "all", false},
    {ROW_CONDITION, "severity", "warning", "critical", false},
    {ROW_CONDITION, "repeat", "0s", "1m", false},
    {ROW_CONDITION, "description", "", "text", false},

    {ROW_MAINTENANCE, "nodes", "*", "a*", false},
    {ROW_MAINTENANCE, "thresholds", "*", "a*", false},
    {ROW_MAINTENANCE, "begin", "", "2026-11-21T22:00:00Z", false},
    {ROW_MAINTENANCE, "end", "", "2026-11-21T22:00:00Z", false},
    {ROW_MAINTENANCE, "duration", "0s", "1m", false},
    {ROW_MAINTENANCE, "days", "", "sat sun", false},
    {ROW_MAINTENANCE, "time", "00:00", "22:30", false},

    {ROW_RELAY, "sensors", "*", "a*", false},
    {ROW_RELAY, "nodes", "*", "a*", false},
    {ROW_RELAY, "instances", "*", "a*", false},
    {ROW_RELAY, "filter", "", "f", false},

    {ROW_ENDPOINT, "url", "http://[::1]/", "http://localhost/", true},
    {ROW_ENDPOINT, "interval", "5s", "10s", false},
    {ROW_ENDPOINT, "timeout", "1s", "2s", false},
    {ROW_ENDPOINT, "socket", "", "/run/a", true},
    {ROW_ENDPOINT, "ca", "", "/etc/a", true},
    {ROW_ENDPOINT, "secrets", "", "/etc/a", false},
    {ROW_ENDPOINT, "series", "1000", "10", false},
    {ROW_ENDPOINT, "tolerance", "10", "45", false},

    {ROW_SINK, "kind", "sqlite", "csv", true},
    {ROW_SINK, "mode", "sync", "async", true},
    {ROW_SINK, "location", "", "/srv", true},
    {ROW_SINK, "credentials", "", "/etc/a", true},
    {ROW_SINK, "sensors", "*", "cpu.*", true},
    {ROW_SINK, "queue", "16M", "1M", true},
    {ROW_SINK, "limit", "1G", "none", true},
    {ROW_SINK, "rotate", "64M", "none", true},
    {ROW_SINK, "raw", "2d", "1d", true},
    {ROW_SINK, "minutes", "60d", "30d", true},
    {ROW_SINK, "hours", "730d", "365d", true},

    {ROW_CREDENTIAL, "user", "a", "b", false},
    {ROW_CREDENTIAL, "auth", "SHA-256", "SHA-512", false},
    {ROW_CREDENTIAL, "priv", "AES-128", "AES-256", false},
    {ROW_CREDENTIAL, "secrets", "/a", "/b", false},
};

#define N_CHANGES (sizeof changes / sizeof changes[0])

static void set(struct row *row, const char *field, const char *text)
{
    assert_int_equal(field_set_text(row, row_field(row->kind, field), text, strlen(text)),
                     FIELD_OK);
}

static void every_field_says_it(void **state)
{
    (void)state;
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        const struct row_type *type = row_type((enum row_kind)kind);
        for (size_t i = 0; i < type->n_fields; i++) {
            size_t n = 0;
            for (size_t c = 0; c < N_CHANGES; c++)
                n += changes[c].kind == (enum row_kind)kind &&
                     strcmp(changes[c].field, type->fields[i].name) == 0;
            if (n != 1 || type->fields[i].change == CHANGE_NOT_SAID)
                fail_msg("%s %s: its change is not said, or in %zu lines here", type->element,
                         type->fields[i].name, n);
            if (type->fields[i].change == CHANGE_DEPENDS)
                assert_non_null(type->restarts);
        }
    }
}

static void each_field(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CHANGES; c++) {
        struct row *one = row_new(changes[c].kind, "row"), *other = row_new(changes[c].kind, "row");
        set(one, changes[c].field, changes[c].one);
        assert_false(row_restarts(one, one));
        set(other, changes[c].field, changes[c].other);
        if (row_restarts(one, other) != changes[c].restarts ||
            row_restarts(other, one) != changes[c].restarts)
            fail_msg("%s %s: from %s to %s", row_type(changes[c].kind)->element, changes[c].field,
                     changes[c].one, changes[c].other);
        row_free(one);
        row_free(other);
    }
}

/* Only what the fields say counts: not whether they were given, nor the rest of the row. */
static void the_rest_of_the_row(void **state)
{
    (void)state;
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        struct row *one = row_new((enum row_kind)kind, "a"),
                   *other = row_new((enum row_kind)kind, "b");
        other->status = ROW_ACTIVE;
        other->storage = STORAGE_PERMANENT;
        other->origin = 1;
        other->changed = true;
        one->version = 1;
        other->version = 2;
        for (size_t i = 0; i < row_type(one->kind)->n_fields; i++) {
            const struct field *field = &row_type(one->kind)->fields[i];
            if (field->initial)
                set(other, field->name, field->initial);
        }
        assert_false(row_restarts(one, other));
        row_free(one);
        row_free(other);
    }
}

/* -- Thresholds: what depends on other fields ------------------------------------------------ */

/* field=text, ... of both rows, then of one of the two each. */
static const struct {
    const char *both, *one, *other;
    bool restarts;
} thresholds[] = {
    /* Limits are numbers. */
    {"", "limit=90", "limit=90.0", false},
    {"limit=90", "clear=", "clear=90", false},
    {"limit=90", "clear=", "clear=90.00", false},
    {"limit=90", "clear=89", "clear=90", true},
    {"", "limit=90,clear=80", "limit=91,clear=80", true},
    {"", "confidence=0.5", "confidence=0.50", false},
    {"limit=1,critical-limit=3", "warning-limit=", "warning-limit=2", true},
    {"limit=1,warning-limit=2", "warning-limit=2.0", "warning-clear=2", false},
    {"limit=1,warning-limit=2", "", "warning-clear=1.5", true},
    {"limit=1,critical-limit=2", "", "critical-clear=1.5", true},
    {"limit=1,critical-limit=2", "critical-limit=2.5", "", true},
    {"limit=1,warning-limit=2", "", "critical-clear=1.5", false},
    {"limit=1", "warning-limit=2", "critical-limit=2", false}, /* another severity only */
    {"limit=1", "warning-limit=2", "critical-limit=3", true},

    /* A damper that begins, changes, ends. */
    {"dampening=everyNth", "dampening-count=2", "dampening-count=3", false},
    {"dampening=everyNth", "dampening-time=1s", "dampening-time=2s", false},
    {"", "dampening=everyNth", "dampening=oncePer", false},
    {"flap-count=3", "flap-time=1m", "flap-time=2m", false},
    {"flap-time=1m", "flap-count=3", "flap-count=4", false},
    {"flap-time=1m,flap-count=3", "", "dampening=everyNth", false},
    {"hold-off=1m", "", "dampening=everyNth", true},
    {"disabled-by=a", "", "flap-count=3", true},

    /* Disabled by another one: as long as it is a plain one. */
    {"", "disabled-by=a", "disabled-by=b", false},
    {"absence=1m", "", "disabled-by=a", false},
    {"hold-off=1m", "", "disabled-by=a", false},
    {"source=mean", "", "disabled-by=a", false},
    {"limit=1,warning-limit=2", "", "disabled-by=a", false},
    {"limit=1,critical-limit=2", "", "disabled-by=a", false},
    {"dampening=everyNth", "", "disabled-by=a", false},
    {"flap-count=3", "", "disabled-by=a", false},
    {"notify=false,repeat=1m,match=2,window=2,duration=1s", "", "disabled-by=a", true},
};

static void set_all(struct row *row, const char *fields)
{
    char copy[128], *rest = copy, *field;
    snprintf(copy, sizeof copy, "%s", fields);
    while ((field = strsep(&rest, ","))) {
        char *text = field;
        strsep(&text, "=");
        if (text)
            set(row, field, text);
    }
}

static void depends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
        struct row *one = row_new(ROW_THRESHOLD, "t"), *other = row_new(ROW_THRESHOLD, "t");
        set_all(one, thresholds[i].both);
        set_all(other, thresholds[i].both);
        set_all(one, thresholds[i].one);
        set_all(other, thresholds[i].other);
        if (row_restarts(one, other) != thresholds[i].restarts ||
            row_restarts(other, one) != thresholds[i].restarts)
            fail_msg("%s: from %s to %s", thresholds[i].both, thresholds[i].one,
                     thresholds[i].other);
        row_free(one);
        row_free(other);
    }
}

static void plain(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        bool plain;
    } rules[] = {
        {"", true},
        {"limit=90,clear=80,match=2,window=3,duration=1m,severity=critical", true},
        {"children=*,instances=a,notify=false,repeat=1m,description=text", true},
        {"warning-clear=1,critical-clear=1,span=1m,horizon=1m", true},
        {"dampening-count=3,dampening-time=1m,flap-time=1m", true},
        {"warning-limit=1", false},
        {"critical-limit=1", false},
        {"source=mean", false},
        {"absence=1s", false},
        {"hold-off=1s", false},
        {"disabled-by=a", false},
        {"dampening=oncePer", false},
        {"flap-count=1", false},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct row *row = row_new(ROW_THRESHOLD, "t");
        set_all(row, rules[i].fields);
        if (config_threshold_is_plain((const struct threshold_row *)row) != rules[i].plain)
            fail_msg("%s", rules[i].fields);
        row_free(row);
    }
}

/* -- The filter that a row names -------------------------------------------------------------- */

static void lets_all_pass(struct filter_rule rule)
{
    assert_int_equal(rule.throttle_ms, 0);
    assert_int_equal(rule.heartbeat_ms, 0);
    assert_true(rule.deadband == 0 && rule.deadband_percent == 0 && !rule.still);
    assert_int_equal(rule.gate, COMPARE_NONE);
}

/* A deadband of 0 is one. */
static void filters_of_0(void **state)
{
    static const struct {
        const char *fields;
        bool still;
    } rows[] = {{"deadband=0", true},
                {"deadband-percent=0", true},
                {"deadband=2", true},
                {"throttle=1s", false},
                {"gate=ge,gate-limit=0", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config *config = config_new();
        struct row *row = row_new(ROW_FILTER, "f");
        set_all(row, rows[i].fields);
        assert_true(config_add(config, row));
        row->status = ROW_ACTIVE;
        assert_int_equal(config_filter(config, "f").still, rows[i].still);
        config_free(config);
    }
}

static void filters(void **state)
{
    (void)state;
    struct config *config = config_new();
    struct row *row = row_new(ROW_FILTER, "f");
    set_all(row, "throttle=2s,heartbeat=9s,deadband=1.5,deadband-percent=7,gate=ge,gate-limit=-4");
    assert_true(config_add(config, row));
    lets_all_pass(config_filter(config, "f")); /* it is not active */
    row->status = ROW_ACTIVE;
    const struct filter_rule rule = config_filter(config, "f");
    assert_int_equal(rule.throttle_ms, 2000);
    assert_int_equal(rule.heartbeat_ms, 9000);
    assert_true(rule.deadband == 1.5 && rule.deadband_percent == 7 && rule.gate_limit == -4);
    assert_int_equal(rule.gate, COMPARE_GE);
    lets_all_pass(config_filter(config, "g"));
    lets_all_pass(config_filter(config, ""));
    config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_says_it),
        cmocka_unit_test(each_field),
        cmocka_unit_test(the_rest_of_the_row),
        cmocka_unit_test(depends),
        cmocka_unit_test(plain),
        cmocka_unit_test(filters),
        cmocka_unit_test(filters_of_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
