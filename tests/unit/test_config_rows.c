#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/load.h"
#include "config/row.h"

#include "unit.h"

static int set_schema_dir(void **state)
{
    (void)state;
    const char *source = getenv("srcdir");
    char dir[512];
    snprintf(dir, sizeof dir, "%s/conf", source ? source : ".");
    return setenv("DCAMP_SCHEMA_DIR", dir, 1);
}

static struct config *load(const char *sensors)
{
    char text[2048], error[CONFIG_ERROR_SIZE];
    int n =
        snprintf(text, sizeof text, "<dcamp version=\"1\"><sensors>%s</sensors></dcamp>", sensors);
    struct config *config = config_load_memory("f.xml", text, (size_t)n, error);
    assert_string_equal(error, "");
    return config;
}

static void set(struct row *row, const char *field, const char *text)
{
    assert_int_equal(field_set_text(row, row_field(row->kind, field), text, strlen(text)),
                     FIELD_OK);
}

static struct row *sensor(const struct config *config, const char *name)
{
    return config_find(config, ROW_SENSOR, name);
}

/* A row as a SET makes it. */
static struct row *add(struct config *config, const char *name)
{
    struct row *row = row_new(ROW_SENSOR, name);
    set(row, "metric", "cpu.busy");
    row->status = ROW_ACTIVE;
    row->changed = true;
    assert_true(config_add(config, row));
    return row;
}

static char told[256];

static void tell(const struct row *row)
{
    strcat(told, row->name);
    strcat(told, " ");
}

static int forget(void **state)
{
    (void)state;
    told[0] = '\0';
    return 0;
}

static void new_rows(void **state)
{
    (void)state;
    struct row *row = row_new(ROW_SENSOR, "r");
    assert_int_equal(row->status, ROW_NOT_READY);
    assert_int_equal(row->storage, STORAGE_NONVOLATILE);
    assert_int_equal(row->given, 0);
    assert_int_equal(row->origin, 0);
    assert_false(row->changed);
    assert_int_equal(row->node.key_len, 2);
    assert_int_equal(row->node.key[0], 1);
    assert_int_equal(row->node.key[1], 'r');
    row_free(row);
    assert_null(row_new(ROW_SENSOR, ""));
    assert_null(row_new(ROW_SENSOR, "a b"));
    assert_null(row_new(ROW_SENSOR, "a12345678901234567890123456789012"));
    row = row_new(ROW_SENSOR, "a1234567890123456789012345678901");
    assert_non_null(row);
    row_free(row);
    row_free(NULL);
}

static void clones(void **state)
{
    (void)state;
    struct config *config = config_new();
    struct row *row = add(config, "a"), *clone = row_clone(row);
    assert_ptr_not_equal(clone->node.key, row->node.key);
    assert_int_equal(clone->node.key_len, 2);
    assert_memory_equal(clone->node.key, row->node.key, 2 * sizeof *row->node.key);
    assert_false(config_add(config, clone)); /* the name is taken */
    set(clone, "interval", "7s");
    assert_int_equal(((struct sensor_row *)row)->interval_ms, 1000);
    config_remove(config, row);
    row_free(row);
    assert_true(config_add(config, clone));
    assert_ptr_equal(sensor(config, "a"), clone);
    config_free(config);
}

static void finds(void **state)
{
    (void)state;
    struct config *config = config_new();
    struct row *row = add(config, "abc");
    assert_ptr_equal(sensor(config, "abc"), row);
    assert_null(sensor(config, "ab"));
    assert_null(sensor(config, "abcd"));
    assert_null(sensor(config, ""));
    assert_null(sensor(config, "a very long text that is no name at all, and cannot be"));
    assert_null(config_find(config, ROW_FILTER, "abc"));
    config_free(config);
    config_free(NULL);
}

static void missing_and_fault(void **state)
{
    (void)state;
    struct row *row = row_new(ROW_THRESHOLD, "t");
    static const char *const needed[][2] = {{"sensor", "s"}, {"operator", "gt"}, {"limit", "90"}};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(row_missing(row), needed[i][0]);
        assert_string_equal(row_fault(row), needed[i][0]);
        set(row, needed[i][0], needed[i][1]);
    }
    assert_null(row_missing(row));
    assert_null(row_fault(row));
    set(row, "clear", "91");
    assert_null(row_missing(row));
    assert_non_null(row_fault(row));
    set(row, "clear", "");
    assert_null(row_fault(row));
    set(row, "match", "2");
    assert_non_null(row_fault(row));
    set(row, "window", "2");
    assert_null(row_fault(row));
    row_free(row);

    row = row_new(ROW_FILTER, "f");
    assert_null(row_fault(row));
    set(row, "gate", "gt");
    assert_non_null(row_fault(row));
    set(row, "gate-limit", "0");
    assert_null(row_fault(row));
    row_free(row);

    row = row_new(ROW_SENSOR, "s");
    assert_non_null(strstr(row_fault(row), "neither a metric nor an expression"));
    set(row, "expression", "a / b");
    assert_null(row_fault(row));
    set(row, "calculation", "rate");
    assert_non_null(row_fault(row));
    set(row, "calculation", "basic");
    set(row, "metric", "load.1");
    assert_non_null(strstr(row_fault(row), "a metric and an expression"));
    set(row, "expression", "");
    assert_null(row_fault(row));
    set(row, "calculation", "percent");
    assert_non_null(row_fault(row));
    set(row, "metric", "cpu.busy");
    assert_null(row_fault(row));
    row_free(row);
}

static void rules(void **state)
{
    (void)state;
    struct filter_row *filter = (struct filter_row *)row_new(ROW_FILTER, "f");
    struct filter_rule rule;
    config_filter_rule(filter, &rule);
    assert_int_equal(rule.gate, COMPARE_NONE);
    filter->gate = 0; /* a row that nobody initialized */
    config_filter_rule(filter, &rule);
    assert_int_equal(rule.gate, COMPARE_NONE);
    assert_null(row_fault(&filter->row));
    row_free(&filter->row);

    struct threshold_row *row = (struct threshold_row *)row_new(ROW_THRESHOLD, "t");
    struct threshold_levels levels;
    set(&row->row, "limit", "90");
    config_threshold_levels(row, &levels);
    assert_int_equal(levels.n, 1);
    assert_true(levels.rule[0].limit == 90 && levels.rule[0].clear == 90);
    set(&row->row, "clear", "0");
    set(&row->row, "critical-limit", "99");
    config_threshold_levels(row, &levels);
    assert_int_equal(levels.n, 2);
    assert_true(levels.rule[0].clear == 0);
    assert_true(levels.rule[1].limit == 99 && levels.rule[1].clear == 99);
    assert_int_equal(levels.severity[1], SEVERITY_CRITICAL);
    row_free(&row->row);
}

#define A "<sensor name=\"a\" metric=\"cpu.busy\" interval=\"60s\"/>"
#define A_REWORDED "<!-- x --><sensor\n interval='1m' name='a' metric='cpu.busy'></sensor>"
#define A_OTHER "<sensor name=\"a\" metric=\"cpu.busy\" interval=\"61s\"/>"
#define A_DEFAULTS "<sensor name=\"a\" metric=\"cpu.busy\" interval=\"60s\" instances=\"*\"/>"
#define B "<sensor name=\"b\" metric=\"cpu.busy\"/>"

static uint32_t origin_of(const char *sensors)
{
    struct config *config = load(sensors);
    uint32_t origin = sensor(config, "a")->origin;
    config_free(config);
    return origin;
}

static void origins(void **state)
{
    (void)state;
    uint32_t origin = origin_of(A);
    assert_int_not_equal(origin, 0);
    assert_int_equal(origin_of(A_REWORDED), origin);
    assert_int_equal(origin_of(B A), origin);
    assert_int_not_equal(origin_of(A_OTHER), origin);
    assert_int_not_equal(origin_of(A_DEFAULTS), origin);
}

static bool same_digest(const char *one, const char *other)
{
    struct config *a = load(one), *b = load(other);
    uint8_t of_a[CONFIG_DIGEST], of_b[CONFIG_DIGEST];
    config_digest(a, of_a);
    config_digest(b, of_b);
    bool same = memcmp(of_a, of_b, sizeof of_a) == 0;
    config_free(a);
    config_free(b);
    return same;
}

/* A row changes outside of the configuration, as a SET does it. */
static void set_status(struct config *config, enum row_status status, uint8_t digest[CONFIG_DIGEST])
{
    struct row *row = sensor(config, "a");
    config_remove(config, row);
    row->status = status;
    assert_true(config_add(config, row));
    config_touch(config);
    config_digest(config, digest);
}

static void digests(void **state)
{
    (void)state;
    assert_true(same_digest(A, A_REWORDED));
    assert_true(same_digest(A, A_DEFAULTS));
    assert_true(same_digest(A B, B A));
    assert_false(same_digest(A, A_OTHER));
    assert_false(same_digest(A, A B));
    assert_false(same_digest(A, ""));

    struct config *config = load(A);
    uint8_t before[CONFIG_DIGEST], now[CONFIG_DIGEST];
    config_digest(config, before);
    set_status(config, ROW_NOT_IN_SERVICE, now);
    assert_int_equal(config->serial, 2);
    assert_memory_not_equal(now, before, sizeof before);
    set_status(config, ROW_ACTIVE, now);
    assert_memory_equal(now, before, sizeof before);
    assert_int_equal(config->serial, 3);
    config_free(config);

    /* SHA-256 of nothing, FIPS 180-4: no rows, no text. */
    static const uint8_t nothing[] = {0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14};
    config = config_new();
    config_digest(config, now);
    assert_memory_equal(now, nothing, sizeof nothing);
    config_free(config);
}

static void change(struct config *config, const char *name, const char *interval)
{
    struct row *row = sensor(config, name);
    config_remove(config, row);
    set(row, "interval", interval);
    row->changed = true;
    assert_true(config_add(config, row));
    config_touch(config);
}

static void finish(struct config *from, struct config *to, const char *expected)
{
    for (int kind = 0; kind < ROW_KINDS; kind++)
        assert_int_equal(from->rows[kind].count, 0);
    assert_string_equal(told, expected);
    config_free(from);
    config_free(to);
}

static void carries_unchanged(void **state)
{
    (void)state;
    struct config *from = load(A B), *to = load(A B);
    from->serial = 41;
    config_carry_over(from, to, tell);
    assert_int_equal(to->rows[ROW_SENSOR].count, 2);
    assert_int_equal(to->serial, 41);
    finish(from, to, "");
}

static void carries_changed(void **state)
{
    (void)state;
    struct config *from = load(A B), *to = load(A_REWORDED B);
    change(from, "a", "7s");
    struct row *moved = sensor(from, "a");
    uint32_t serial = from->serial;
    config_carry_over(from, to, tell);
    assert_ptr_equal(sensor(to, "a"), moved);
    assert_true(moved->changed);
    assert_int_equal(to->serial, serial);
    assert_int_equal(to->rows[ROW_SENSOR].count, 2);
    finish(from, to, "");
}

static void file_wins(void **state)
{
    (void)state;
    struct config *from = load(A B), *to = load(A_OTHER);
    change(from, "a", "7s");
    change(from, "b", "8s");
    uint32_t serial = from->serial;
    config_carry_over(from, to, tell);
    assert_int_equal(((struct sensor_row *)sensor(to, "a"))->interval_ms, 61000);
    assert_null(sensor(to, "b")); /* it is no more in the file */
    assert_int_equal(to->serial, serial + 1);
    finish(from, to, "a b ");
}

/* Rows that only SNMP made move over, also volatile ones; but a row of the file is stronger. */
static void carries_made(void **state)
{
    (void)state;
    struct config *from = load(B), *to = load(A);
    struct row *made = add(from, "made"), *fleeting = add(from, "fleeting");
    fleeting->storage = STORAGE_VOLATILE;
    fleeting->status = ROW_NOT_READY;
    add(from, "a");
    config_touch(from);
    config_carry_over(from, to, tell);
    assert_ptr_equal(sensor(to, "made"), made);
    assert_ptr_equal(sensor(to, "fleeting"), fleeting);
    assert_int_equal(((struct sensor_row *)sensor(to, "a"))->interval_ms, 60000);
    assert_null(sensor(to, "b"));
    finish(from, to, "a ");
}

static void carries_silently(void **state)
{
    (void)state;
    struct config *from = load(A), *to = load(A_OTHER);
    change(from, "a", "7s");
    config_carry_over(from, to, NULL);
    finish(from, to, "");
}

static void make_local(struct config *config, const char *name)
{
    struct row *row = sensor(config, name);
    config_remove(config, row);
    row->local = TRUTH_TRUE;
    assert_true(config_add(config, row));
    config_touch(config);
}

static const struct row *deviating(const struct config *config, const char *name)
{
    const uint32_t kind = 1;
    uint32_t key[1 + NAME_SIZE] = {kind};
    size_t len = 1 + index_key_text(key + 1, name);
    const struct index_node *node = index_find(&config->deviations, key, len);
    return node ? row_of_deviation(node) : NULL;
}

/* A local row stays with its values, whatever the file says now, and is a change of what it says
 * from then on. */
static void carries_local(void **state)
{
    (void)state;
    struct config *from = load(A B), *to = load(A_OTHER);
    change(from, "a", "7s");
    change(from, "b", "8s");
    make_local(from, "a");
    make_local(from, "b");
    struct row *a = sensor(from, "a"), *b = sensor(from, "b");
    uint32_t origin = sensor(to, "a")->origin;
    assert_int_equal(from->locals, 2);
    config_carry_over(from, to, tell);
    assert_ptr_equal(sensor(to, "a"), a);
    assert_ptr_equal(deviating(to, "a"), a);
    assert_int_equal(a->origin, origin);
    assert_int_equal(a->storage, STORAGE_PERMANENT);
    assert_int_equal(((struct sensor_row *)a)->interval_ms, 7000);
    assert_ptr_equal(sensor(to, "b"), b);
    assert_int_equal(b->origin, 0);
    assert_int_equal(b->storage, STORAGE_NONVOLATILE);
    assert_int_equal(to->locals, 2);
    assert_int_equal(to->deviations.count, 2);
    assert_int_equal(from->locals, 0);
    assert_int_equal(from->deviations.count, 0);
    finish(from, to, "");
}

/* What comes in the place of another configuration keeps the local rows, and nothing else. */
static void succeeds_with_local_rows(void **state)
{
    (void)state;
    struct config *from = load(A B), *to = load(A_OTHER);
    change(from, "a", "7s");
    change(from, "b", "8s");
    add(from, "made");
    make_local(from, "a");
    make_local(from, "made");
    config_touch(from);
    uint32_t serial = from->serial;
    config_succeed(from, to, tell);
    assert_string_equal(told, "b ");
    assert_int_equal(from->rows[ROW_SENSOR].count, 1);
    assert_int_equal(to->rows[ROW_SENSOR].count, 2);
    assert_int_equal(to->serial, serial + 1);
    assert_int_equal(((struct sensor_row *)sensor(to, "a"))->interval_ms, 7000);
    assert_non_null(sensor(to, "made"));
    assert_int_equal(to->locals, 2);
    config_free(from);
    config_free(to);
}

/* Rows are listed as they come, go, and move with all the others. */
static void deviations_are_listed(void **state)
{
    (void)state;
    struct config *config = load(A B), *other = load(A);
    assert_int_equal(config->deviations.count, 0);
    struct row *made = add(config, "made");
    assert_ptr_equal(deviating(config, "made"), made);
    assert_null(deviating(config, "a"));
    change(config, "a", "7s");
    assert_ptr_equal(deviating(config, "a"), sensor(config, "a"));
    config_take_rows(other, config);
    assert_int_equal(config->deviations.count, 0);
    assert_int_equal(other->deviations.count, 2);
    config_remove(other, made);
    row_free(made);
    assert_null(deviating(other, "made"));
    assert_int_equal(other->deviations.count, 1);
    struct row *copy = row_clone(sensor(other, "a"));
    assert_false(copy->deviation.listed);
    row_free(copy);
    config_free(config);
    config_free(other);
}

/* What runs on a row need not be compared with it while the row has the version that it had. */
static void versions_are_never_given_again(void **state)
{
    (void)state;
    struct config *from = load(A B), *to = load(A_OTHER B);
    uint64_t a = sensor(from, "a")->version, b = sensor(from, "b")->version;
    assert_int_not_equal(a, b);
    change(from, "b", "8s");
    assert_true(sensor(from, "b")->version > b && sensor(from, "b")->version > a);
    assert_int_equal(sensor(from, "a")->version, a);
    uint64_t last = sensor(from, "b")->version;
    config_carry_over(from, to, tell);
    assert_true(sensor(to, "a")->version > last);
    assert_true(sensor(to, "b")->version > last);
    finish(from, to, "");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, forget)
    const struct CMUnitTest tests[] = {
        TEST(new_rows),
        TEST(clones),
        TEST(finds),
        TEST(missing_and_fault),
        TEST(rules),
        TEST(origins),
        TEST(digests),
        TEST(carries_unchanged),
        TEST(carries_changed),
        TEST(file_wins),
        TEST(carries_made),
        TEST(carries_silently),
        TEST(carries_local),
        TEST(succeeds_with_local_rows),
        TEST(deviations_are_listed),
        TEST(versions_are_never_given_again),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
