#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/field.h"

#include "unit.h"

static const enum row_kind S = ROW_SENSOR, F = ROW_FILTER, T = ROW_THRESHOLD, C = ROW_CHILD,
                           U = ROW_CREDENTIAL, O = ROW_OBJECT, M = ROW_MAINTENANCE;

static char long_text[400];

static const char *text_of(size_t len)
{
    memset(long_text, 'a', sizeof long_text);
    long_text[len] = '\0';
    return long_text;
}

struct text_case {
    enum row_kind kind;
    const char *field;
    const char *text;
    enum field_status status;
};

/* Sets it in a fresh row; the row says so afterwards, or is as it was. */
static void check_text(enum row_kind kind, const char *name, const char *text,
                       enum field_status expected)
{
    struct row *row = row_new(kind, "r"), *before = row_clone(row);
    const struct field *field = row_field(kind, name);
    char read[MESSAGE_SIZE], old[MESSAGE_SIZE];
    assert_non_null(field);
    size_t index = (size_t)(field - row_type(kind)->fields);
    field_text(row, field, old);
    assert_int_equal(field_set_text(row, field, text, strlen(text)), expected);
    size_t len = field_text(row, field, read);
    assert_int_equal(len, strlen(read));
    if (expected == FIELD_OK) {
        assert_int_equal(row->given, 1u << index);
        /* What is read is taken again and reads the same. */
        assert_int_equal(field_set_text(before, field, read, strlen(read)), FIELD_OK);
        field_text(before, field, old);
        assert_string_equal(read, old);
    } else {
        assert_int_equal(row->given, 0);
        assert_string_equal(read, old);
    }
    row_free(row);
    row_free(before);
}

static void texts(void **state)
{
    (void)state;
    const enum field_status ok = FIELD_OK, length = FIELD_WRONG_LENGTH, value = FIELD_WRONG_VALUE;
    const struct text_case cases[] = {
        {S, "metric", "cpu.busy", ok},
        {S, "metric", "", ok},
        {S, "metric", "cpu.bus", value},
        {S, "metric", "cpu busy", value},
        {S, "instances", "*", ok},
        {S, "instances", "!lo eth?", ok},
        {S, "instances", "", length},
        {S, "instances", " ", value},
        {S, "instances", "a;b", value},
        {S, "instances", "a\tb", value},
        {S, "calculation", "basic", ok},
        {S, "calculation", "percent", ok},
        {S, "calculation", "", value},
        {S, "calculation", "basi", value},
        {S, "calculation", "basics", value},
        {S, "calculation", "1", value},
        {S, "interval", "100ms", ok},
        {S, "interval", "99ms", value},
        {S, "interval", "1d", ok},
        {S, "interval", "24h", ok},
        {S, "interval", "86401s", value},
        {S, "interval", "on-demand", ok},
        {S, "interval", "on-deman", value},
        {S, "interval", "none", value},
        {S, "interval", "0s", value},
        {S, "window", "1s", ok},
        {S, "window", "none", ok},
        {S, "window", "1d", ok},
        {S, "window", "999ms", value},
        {S, "window", "25h", value},
        {S, "window", "0s", value},
        {S, "window", "", value},
        {S, "expression", "", ok},
        {S, "expression", "a", ok},
        {S, "expression", "100% * min(a.b, c_d) / (e - f)", ok},
        {S, "expression", " ", value},
        {S, "expression", "a +", value},
        {S, "expression", "a b", value},
        {S, "expression", "a;b", value},
        {S, "interval", "1000", value},
        {S, "interval", "", value},
        {S, "filter", "", ok},
        {S, "filter", "f", ok},
        {S, "filter", "f f", value},
        {C, "address", "udp:127.0.0.1:1", ok},
        {C, "address", "udp:192.0.2.7:65535", ok},
        {C, "address", "udp6:[::1]:161", ok},
        {C, "address", "udp6:[2001:db8:ffff:ffff:ffff:ffff:192.0.2.255]:65535", ok},
        {C, "address", "", length},
        {C, "address", text_of(64), length},
        {C, "address", "127.0.0.1:161", value},
        {C, "address", "udp:127.0.0.1", value},
        {C, "address", "udp:127.0.0.1:", value},
        {C, "address", "udp:127.0.0.1:0", value},
        {C, "address", "udp:127.0.0.1:65536", value},
        {C, "address", "udp:127.0.0.1:161161", value},
        {C, "address", "udp:127.0.0.1: 161", value},
        {C, "address", "udp:127.0.0.1:+161", value},
        {C, "address", "udp:127.0.0.1:-1", value},
        {C, "address", "udp:127.0.0.1:161 ", value},
        {C, "address", " udp:127.0.0.1:161", value},
        {C, "address", "udp: 127.0.0.1:161", value},
        {C, "address", "udp:127.0.0.256:161", value},
        {C, "address", "udp:127.1:161", value},
        {C, "address", "udp:localhost:161", value},
        {C, "address", "udp:[::1]:161", value},
        {C, "address", "udp6:::1:161", value},
        {C, "address", "udp6:[127.0.0.1]:161", value},
        {C, "address", "udp6:[::1%lo]:161", value},
        {C, "address", "udp6:[::1]161", value},
        {C, "address", "udp6:[:::1]:161", value},
        {C, "address", "tcp:127.0.0.1:161", value},
        {C, "credential", "lab", ok},
        {C, "credential", "", length},
        {C, "credential", "a b", value},
        {C, "group", "", length},
        {C, "group", "web", ok},
        {C, "period", "100ms", ok},
        {C, "period", "1h", ok},
        {C, "period", "99ms", value},
        {C, "period", "3601s", value},
        {O, "oid", "1.3.6.1.2.1.1.3", ok},
        {O, "oid", ".1.3.6.1.2.1.1.3", ok},
        {O, "oid", "", length},
        {O, "oid", "0.0", length},
        {O, "oid", ".0.0", length},
        {O, "oid", ".", value},
        {O, "oid", "1.3.", value},
        {O, "oid", "iso.3", value},
        {O, "oid", text_of(256), length},
        {O, "label", "", ok},
        {O, "label", "0.0", ok},
        {O, "label", ".0.0", ok},
        {O, "label", "0.0.0", ok},
        {O, "label", ".", value},
        {M, "days", "", ok},
        {M, "days", " ", ok},
        {M, "days", "sun", ok},
        {M, "days", "  sat  sun ", ok},
        {M, "days", "fri fri", ok},
        {M, "days", "sun mon tue wed thu fri sat", ok},
        {M, "days", "sunday", value},
        {M, "days", "su", value},
        {M, "days", "Sun", value},
        {M, "days", "mon,tue", value},
        {M, "days", "montue", value},
        {M, "days", "sat sun x", value},
        {M, "days", "*", value},
        {U, "user", "dcamp", ok},
        {U, "user", "", length},
        {U, "auth", "SHA-256", ok},
        {U, "auth", "SHA-512", ok},
        {U, "auth", "MD5", value},
        {U, "priv", "AES-256", ok},
        {U, "priv", "DES", value},
        {U, "secrets", "/etc/dcamp/lab.secrets", ok},
        {U, "secrets", "lab.secrets", value},
        {U, "secrets", "", ok},
        {F, "throttle", "0ms", ok},
        {F, "throttle", "7d", ok},
        {F, "throttle", "169h", value},
        {F, "deadband", "", ok},
        {F, "deadband", "0", ok},
        {F, "deadband", "1000000000000000000", ok},
        {F, "deadband", "1000000000000001000", value},
        {F, "deadband", "-0.1", value},
        {F, "deadband", "1e1", value},
        {F, "deadband-percent", "150", ok},
        {F, "gate", "none", ok},
        {F, "gate", "gt", ok},
        {F, "gate", "", value},
        {F, "gate-limit", "-1.50", ok},
        {F, "gate-limit", "", ok},
        {T, "sensor", "cpu", ok},
        {T, "sensor", "", length},
        {T, "operator", "ne", ok},
        {T, "operator", "none", value},
        {T, "limit", "0", ok},
        {T, "limit", "", length},
        {T, "limit", "-1000000000000000000", ok},
        {T, "limit", "-1000000000000001000", value},
        {T, "clear", "", ok},
        {T, "match", "1", ok},
        {T, "match", "64", ok},
        {T, "match", "0", value},
        {T, "match", "65", value},
        {T, "match", "", value},
        {T, "match", "-1", value},
        {T, "match", "+1", value},
        {T, "match", " 1", value},
        {T, "match", "1 ", value},
        {T, "match", "0x1", value},
        {T, "match", "4294967297", value},
        {T, "match", "18446744073709551617", value},
        {T, "window", "007", ok},
        {T, "duration", "1d", ok},
        {T, "duration", "25h", value},
        {T, "severity", "info", ok},
        {T, "severity", "clear", value},
        {T, "severity", "critical", ok},
        {T, "description", "", ok},
        {T, "description", "<\xe2\x82\xac & \"x\">", ok},
        {T, "description", "\xff", value},
        {T, "description", "a|b", value},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        check_text(cases[i].kind, cases[i].field, cases[i].text, cases[i].status);
    check_text(S, "filter", text_of(NAME_SIZE - 1), ok);
    check_text(S, "filter", text_of(NAME_SIZE), length);
    check_text(S, "instances", text_of(PATTERN_SIZE - 1), ok);
    check_text(S, "instances", text_of(PATTERN_SIZE), length);
    check_text(S, "metric", text_of(NAME_SIZE), length);
    check_text(S, "interval", text_of(300), value);
    check_text(S, "calculation", text_of(300), value);
    check_text(T, "match", text_of(300), value);
    check_text(T, "limit", text_of(DECIMAL_SIZE), length);
    check_text(T, "description", text_of(MESSAGE_SIZE / 2 - 1), ok);
    check_text(T, "description", text_of(MESSAGE_SIZE / 2), length);
}

/* Text that is not terminated, and text with a NUL in it. */
static void length_counts(void **state)
{
    (void)state;
    struct threshold_row *row = (struct threshold_row *)row_new(T, "r");
    assert_int_equal(field_set_text(&row->row, row_field(T, "sensor"), "cpuXX", 3), FIELD_OK);
    assert_string_equal(row->sensor, "cpu");
    assert_int_equal(field_set_text(&row->row, row_field(T, "match"), "123", 2), FIELD_OK);
    assert_int_equal(row->match, 12);
    assert_int_equal(field_set_text(&row->row, row_field(T, "limit"), "1.25", 3), FIELD_OK);
    assert_string_equal(row->limit.text, "1.2");
    assert_int_equal(field_set_text(&row->row, row_field(T, "sensor"), "a\0b", 3),
                     FIELD_WRONG_VALUE);
    assert_int_equal(field_set_text(&row->row, row_field(T, "description"), "a\0b", 3),
                     FIELD_WRONG_VALUE);
    assert_int_equal(field_set_text(&row->row, row_field(T, "match"), "1\0", 2), FIELD_WRONG_VALUE);
    assert_int_equal(field_set_text(&row->row, row_field(T, "operator"), "gt\0", 3),
                     FIELD_WRONG_VALUE);
    row_free(&row->row);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        enum row_kind kind;
        const char *field;
        int64_t number;
        bool good;
    } cases[] = {
        {ROW_SENSOR, "interval", 100, true},
        {ROW_SENSOR, "interval", 99, false},
        {ROW_SENSOR, "interval", 86400000, true},
        {ROW_SENSOR, "interval", 86400001, false},
        {ROW_SENSOR, "interval", -1, false},
        {ROW_SENSOR, "interval", INT64_C(1) << 32, false},
        {ROW_SENSOR, "interval", (INT64_C(1) << 32) + 1000, false},
        {ROW_SENSOR, "interval", INT64_MIN, false},
        {ROW_SENSOR, "interval", INT64_MAX, false},
        {ROW_SENSOR, "calculation", 0, false},
        {ROW_SENSOR, "calculation", 1, true},
        {ROW_SENSOR, "calculation", 5, true},
        {ROW_SENSOR, "calculation", 6, false},
        {ROW_SENSOR, "calculation", -1, false},
        {ROW_SENSOR, "calculation", INT64_MAX, false},
        {ROW_SENSOR, "metric", 1, false},
        {ROW_FILTER, "throttle", 0, true},
        {ROW_FILTER, "gate", 0, false},
        {ROW_FILTER, "gate", COMPARE_GT, true},
        {ROW_FILTER, "gate", COMPARE_NONE, true},
        {ROW_FILTER, "gate", 8, false},
        {ROW_FILTER, "gate-limit", 1, false},
        {ROW_THRESHOLD, "operator", COMPARE_NE, true},
        {ROW_THRESHOLD, "operator", COMPARE_NONE, false},
        {ROW_THRESHOLD, "severity", SEVERITY_CLEAR, false},
        {ROW_THRESHOLD, "severity", SEVERITY_INFO, true},
        {ROW_THRESHOLD, "severity", SEVERITY_CRITICAL, true},
        {ROW_THRESHOLD, "severity", SEVERITY_CRITICAL + 1, false},
        {ROW_THRESHOLD, "match", 0, false},
        {ROW_THRESHOLD, "match", 64, true},
        {ROW_THRESHOLD, "match", 65, false},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct row *row = row_new(cases[i].kind, "r");
        const struct field *field = row_field(cases[i].kind, cases[i].field);
        int64_t before = field_number(row, field);
        enum field_status status = field_set_number(row, field, cases[i].number);
        assert_int_equal(status, cases[i].good ? FIELD_OK : FIELD_WRONG_VALUE);
        assert_true(field_number(row, field) == (cases[i].good ? cases[i].number : before));
        assert_int_equal(row->given != 0, cases[i].good);
        row_free(row);
    }
}

/* The defaults are right values, and a new row has them. */
static void initials(void **state)
{
    (void)state;
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        const struct row_type *type = row_type((enum row_kind)kind);
        struct row *row = row_new((enum row_kind)kind, "r");
        assert_true(type->n_fields <= 32);
        for (size_t i = 0; i < type->n_fields; i++) {
            const struct field *field = &type->fields[i];
            char text[MESSAGE_SIZE];
            assert_non_null(field->expect);
            assert_ptr_equal(row_field((enum row_kind)kind, field->name), field);
            assert_true(field->offset + 4 <= type->size);
            if (!field->initial)
                continue;
            field_text(row, field, text);
            assert_string_equal(text, field->initial);
            assert_int_equal(field_set_text(row, field, field->initial, strlen(field->initial)),
                             FIELD_OK);
        }
        row_free(row);
    }
    assert_null(row_field(ROW_SENSOR, "intervall"));
    assert_null(row_field(ROW_SENSOR, ""));
}

struct others {
    char octets[INSTANCE_SIZE];
    char path[32];
    char address[32];
    uint8_t hex[5];
    int64_t integer;
    uint64_t mask;
};

static const struct field other_fields[] = {
    {.name = "octets", .type = FIELD_OCTETS, .offset = offsetof(struct others, octets), .size = 65},
    {.name = "path", .type = FIELD_PATH, .offset = offsetof(struct others, path), .size = 32},
    {.name = "address",
     .type = FIELD_ADDRESS,
     .offset = offsetof(struct others, address),
     .size = 32,
     .initial = ""},
    {.name = "integer",
     .type = FIELD_INTEGER,
     .offset = offsetof(struct others, integer),
     .min = INT64_MIN,
     .max = INT64_MAX},
    {.name = "mask", .type = FIELD_MASK, .offset = offsetof(struct others, mask)},
    {.name = "hex",
     .type = FIELD_HEX,
     .offset = offsetof(struct others, hex),
     .size = 5,
     .initial = ""},
};

/* What is behind the octets is the same, whatever was there before. */
static void octets_are_compared(void **state)
{
    (void)state;
    const struct field *field = fields_find(other_fields, N_OF(other_fields), "hex");
    struct others a = {.integer = 0}, b = {.integer = 0};
    char text[MESSAGE_SIZE];
    assert_int_equal(field_put(&a, field, "0000", 4), FIELD_OK);
    assert_false(field_same(&a, &b, field));
    assert_int_equal(field_put(&b, field, "11223344", 8), FIELD_OK);
    assert_int_equal(field_put(&b, field, "00000", 5), FIELD_WRONG_VALUE);
    assert_int_equal(field_put(&b, field, "0011223344", 10), FIELD_WRONG_LENGTH);
    assert_int_equal(field_get(&b, field, text), 8);
    assert_string_equal(text, "11223344");
    assert_int_equal(field_put(&b, field, "0000", 4), FIELD_OK);
    assert_true(field_same(&a, &b, field));
    assert_memory_equal(&a, &b, sizeof a);
    const struct field needed = {
        .type = FIELD_HEX, .offset = offsetof(struct others, hex), .size = 5};
    assert_int_equal(field_put(&b, &needed, "", 0), FIELD_WRONG_LENGTH);
}

static void other_types(void **state)
{
    (void)state;
    static const struct {
        const char *field, *text, *printed; /* NULL: refused */
    } cases[] = {
        {"octets", "eth0", "eth0"},
        {"octets", "%41%7C", "A|"},
        {"octets", "a%20%25%FF", "a%20%25%FF"},
        {"octets", "\xc3\xa4", "%C3%A4"},
        {"octets", "a b", "a%20b"},
        {"octets", "", NULL},
        {"octets", "%", NULL},
        {"octets", "%4", NULL},
        {"octets", "%00", NULL},
        {"octets", "%G0", NULL},
        {"octets", "%ff", NULL},
        {"octets", "%-1", NULL},
        {"path", "/", "/"},
        {"path", "/a b", "/a b"},
        {"path", "a/b", NULL},
        {"path", "", NULL},
        {"path", "/a\nb", NULL},
        {"address", "", ""},
        {"address", "192.0.2.1", "192.0.2.1"},
        {"address", "192.0.2", NULL},
        {"address", "192.0.2.256", NULL},
        {"address", "::1", NULL},
        {"address", "192.0.2.1 ", NULL},
        {"integer", "0", "0"},
        {"integer", "9223372036854775807", "9223372036854775807"},
        {"integer", "-9223372036854775808", "-9223372036854775808"},
        {"integer", "9223372036854775808", NULL},
        {"integer", "-9223372036854775809", NULL},
        {"integer", "-", NULL},
        {"integer", "--1", NULL},
        {"integer", "1.0", NULL},
        {"mask", "0", "0"},
        {"mask", "ffffffffffffffff", "ffffffffffffffff"},
        {"mask", "00ff", "ff"},
        {"mask", "10000000000000000", NULL},
        {"mask", "FF", NULL},
        {"mask", "0x1", NULL},
        {"mask", "", NULL},
        {"hex", "", ""},
        {"hex", "00", "00"},
        {"hex", "0fA0bBcC", "0fa0bbcc"},
        {"hex", "0fa0bbccd", NULL},
        {"hex", "0fa0bbccdd", NULL},
        {"hex", "f", NULL},
        {"hex", "0g", NULL},
        {"hex", "0x", NULL},
        {"hex", " 0", NULL},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct others others, before;
        memset(&others, 0x55, sizeof others);
        before = others;
        const struct field *field = fields_find(other_fields, N_OF(other_fields), cases[i].field);
        enum field_status status = field_put(&others, field, cases[i].text, strlen(cases[i].text));
        assert_int_equal(status == FIELD_OK, cases[i].printed != NULL);
        char text[MESSAGE_SIZE];
        if (cases[i].printed) {
            assert_int_equal(field_get(&others, field, text), strlen(cases[i].printed));
            assert_string_equal(text, cases[i].printed);
        } else {
            assert_memory_equal(&others, &before, sizeof others);
        }
    }
}

/* Every octet but NUL, and the longest there is. */
static void all_octets(void **state)
{
    (void)state;
    for (int first = 1; first < 256; first += 16) {
        struct others from = {.integer = 0}, to = {.integer = 0};
        char text[MESSAGE_SIZE];
        for (int i = 0; i < INSTANCE_SIZE - 1; i++)
            from.octets[i] = (char)(1 + (first + i - 1) % 255);
        size_t len = field_get(&from, &other_fields[0], text);
        assert_int_equal(len, strlen(text));
        assert_int_equal(field_put(&to, &other_fields[0], text, len), FIELD_OK);
        assert_string_equal(to.octets, from.octets);
        assert_int_equal(field_put(&to, &other_fields[0], text_of(INSTANCE_SIZE), INSTANCE_SIZE),
                         FIELD_WRONG_LENGTH);
    }
}

/* What can be written in several ways is kept in one: two nodes that do the same have one digest.
 */
static void one_spelling(void **state)
{
    (void)state;
    static const struct {
        enum row_kind kind;
        const char *field, *text, *kept;
    } cases[] = {
        {ROW_OBJECT, "oid", ".1.3.6", "1.3.6"},
        {ROW_OBJECT, "label", "0.0", ""},
        {ROW_OBJECT, "label", ".0.0", ""},
        {ROW_OBJECT, "label", "0.0.0", "0.0.0"},
        {ROW_MAINTENANCE, "days", "", ""},
        {ROW_MAINTENANCE, "days", "  ", ""},
        {ROW_MAINTENANCE, "days", " sat  sun sat ", "sun sat"},
        {ROW_MAINTENANCE, "days", "fri thu wed tue mon", "mon tue wed thu fri"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct row *row = row_new(cases[i].kind, "r");
        const struct field *field = row_field(cases[i].kind, cases[i].field);
        const char *text = cases[i].text;
        char kept[MESSAGE_SIZE];
        assert_int_equal(field_set_text(row, field, text, strlen(text)), FIELD_OK);
        assert_int_equal(field_text(row, field, kept), strlen(cases[i].kept));
        assert_string_equal(kept, cases[i].kept);
        row_free(row);
    }
}

/* Of a date that must be given none is no value; it is kept to the second. */
static void dates(void **state)
{
    (void)state;
    struct both {
        int64_t must, may;
    } both = {1000, 1000};
    const struct field must = {
        .name = "must", .type = FIELD_DATE, .offset = offsetof(struct both, must)};
    const struct field may = {
        .name = "may", .type = FIELD_DATE, .offset = offsetof(struct both, may), .initial = ""};
    char text[MESSAGE_SIZE];
    assert_int_equal(field_put_number(&both, &must, 0), FIELD_WRONG_VALUE);
    assert_int_equal(field_put_number(&both, &must, 999), FIELD_WRONG_VALUE);
    assert_int_equal(field_put_number(&both, &must, -5000), FIELD_WRONG_VALUE);
    assert_int_equal(both.must, 1000);
    assert_int_equal(field_put_number(&both, &must, INT64_C(1700000000999)), FIELD_OK);
    assert_int_equal(field_get_number(&both, &must), INT64_C(1700000000000));
    assert_int_equal(field_put_number(&both, &may, -5000), FIELD_WRONG_VALUE);
    assert_int_equal(field_get_number(&both, &may), 1000);
    field_get(&both, &must, text);
    assert_string_equal(text, "2023-11-14T22:13:20Z");
    field_get(&both, &may, text);
    assert_string_equal(text, "1970-01-01T00:00:01Z");
    assert_int_equal(field_put_number(&both, &may, 0), FIELD_OK);
    assert_int_equal(field_get(&both, &may, text), 0);
}

/* What differs in its last character only differs; what a longer text left behind it does not
 * count.
 */
static void same_texts(void **state)
{
    (void)state;
    struct values {
        struct decimal limit;
        char path[32];
    } a = {.path = ""}, b = {.path = ""};
    static const struct {
        struct field field;
        const char *longer, *one, *other;
    } cases[] = {
        {{.type = FIELD_DECIMAL,
          .offset = offsetof(struct values, limit),
          .min = -1000,
          .max = 1000},
         "100.25",
         "1.5",
         "1.7"},
        {{.type = FIELD_PATH, .offset = offsetof(struct values, path), .size = 32},
         "/longer",
         "/a",
         "/b"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct field *field = &cases[i].field;
        assert_int_equal(field_put(&a, field, cases[i].longer, strlen(cases[i].longer)), FIELD_OK);
        assert_false(field_same(&a, &b, field));
        assert_int_equal(field_put(&a, field, cases[i].one, strlen(cases[i].one)), FIELD_OK);
        assert_int_equal(field_put(&b, field, cases[i].one, strlen(cases[i].one)), FIELD_OK);
        assert_true(field_same(&a, &b, field));
        assert_int_equal(field_put(&b, field, cases[i].other, strlen(cases[i].other)), FIELD_OK);
        assert_false(field_same(&a, &b, field));
    }
}

/* An enumeration may begin with 0. */
static void names_from_zero(void **state)
{
    (void)state;
    static const char *const labels[] = {"none", "one", NULL, "three"};
    const struct field field = {.type = FIELD_ENUM, .labels = labels, .n_labels = N_OF(labels)};
    static const struct {
        int64_t number;
        bool good;
    } cases[] = {{1, true}, {0, true}, {3, true}, {2, false}, {-1, false}, {4, false}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        int at = 77;
        enum field_status status = field_put_number(&at, &field, cases[i].number);
        assert_int_equal(status, cases[i].good ? FIELD_OK : FIELD_WRONG_VALUE);
        assert_int_equal(at, cases[i].good ? cases[i].number : 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),           cmocka_unit_test(length_counts),
        cmocka_unit_test(numbers),         cmocka_unit_test(initials),
        cmocka_unit_test(other_types),     cmocka_unit_test(octets_are_compared),
        cmocka_unit_test(all_octets),      cmocka_unit_test(one_spelling),
        cmocka_unit_test(dates),           cmocka_unit_test(same_texts),
        cmocka_unit_test(names_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
