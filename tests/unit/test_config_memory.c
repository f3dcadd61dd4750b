/* The configuration and the state, when some allocation fails: read whole or not at all, with a
 * reason; and what is on disk is not taken for damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/state_format.h"
#include "config/state_read.h"

#include "documents.h"
#include "full.h"
#include "polled.h"
#include "scarce.h"
#include "states.h"

static struct config *load_whole(char error[CONFIG_ERROR_SIZE])
{
    static char text[16384];
    error[0] = '\0';
    snprintf(text, sizeof text, "<dcamp version=\"1\"><node name=\"n\"/>%s</dcamp>", full_elements);
    return load_text(text, error);
}

static size_t count_rows(const struct config *config)
{
    size_t n = 0;
    for (int kind = 0; kind < ROW_KINDS; kind++)
        n += config->rows[kind].count;
    return n;
}

static void a_document_is_read_whole(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    struct config *config = load_whole(error);
    assert_non_null(config);
    size_t rows = count_rows(config), refused = 0;
    assert_true(rows > 20);
    config_free(config);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        scarce_fail(nth);
        config = load_whole(error);
        failed = scarce_stop();
        if (config && count_rows(config) != rows)
            fail_msg("allocation %zu: %zu of %zu rows", nth, count_rows(config), rows);
        if (!config && !strstr(error, "memory"))
            fail_msg("allocation %zu: \"%s\"", nth, error);
        refused += !config;
        config_free(config);
    }
    assert_true(refused >= rows);
}

/* -- The state ------------------------------------------------------------------------------- */

struct world {
    struct place place;
    struct config *config;
    struct alarms alarms;
    struct state state;
};

static void raise_and_clear(struct alarms *alarms)
{
    struct alarm_facts facts = {.node = "n",
                                .threshold = "was",
                                .sensor = "load",
                                .instance = "total",
                                .severity = SEVERITY_CRITICAL,
                                .message = "load is high"};
    for (int i = 0; i < 6; i++) {
        snprintf(facts.key, sizeof facts.key, "n:was:%d", i);
        assert_true(alarm_raise(alarms, &facts, state_now));
        alarms_tick(alarms, state_now);
    }
    assert_true(alarm_clear(alarms, &facts, state_now));
    assert_true(alarm_acknowledge(alarms, "n:was:1", "Ann", state_now));
}

/* Some of everything that is saved. */
static int make_world(void **state)
{
    char error[CONFIG_ERROR_SIZE];
    struct world *world = calloc(1, sizeof *world);
    *state = world;
    world->config = load_whole(error);
    if (set_schema_dir(state) != 0 || place_make(&world->place) != 0 || !world->config)
        return -1;
    struct row *row = row_new(ROW_SENSOR, "other");
    polled_set(row, "metric", "load.1");
    row->status = ROW_ACTIVE;
    row->storage = STORAGE_NONVOLATILE;
    row->changed = true;
    assert_true(config_add(world->config, row));
    alarms_open(&world->alarms, &state_limits, state_now.mono_ns);
    raise_and_clear(&world->alarms);
    struct saved_series series = {.threshold = "high", .sensor = "load", .instance = "total"};
    series.state.phase = PHASE_RAISED;
    assert_int_equal(state_add_series(&world->state, &series), 0);
    struct saved_child child = {.name = "leaf.1", .engine_id = "80001F8880", .engine_boots = 3};
    assert_int_equal(state_add_child(&world->state, &child), 0);
    world->state.boot = 7;
    return 0;
}

static int remove_world(void **state)
{
    struct world *world = *state;
    int result = place_remove(&world->place);
    config_free(world->config);
    alarms_close(&world->alarms);
    state_release(&world->state);
    free(world);
    return result;
}

static char *format(struct world *world, size_t *len)
{
    return state_format(&world->state, world->config, &world->alarms, len);
}

static void a_state_is_written_whole(void **state)
{
    struct world *world = *state;
    size_t whole, len;
    char *text = format(world, &whole);
    assert_non_null(text);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        scarce_fail(nth);
        char *again = format(world, &len);
        failed = scarce_stop();
        assert_true(again || failed);
        if (again) {
            assert_int_equal(len, whole);
            assert_memory_equal(again, text, whole);
        }
        free(again);
    }
    free(text);
}

static void a_state_is_read_whole(void **state)
{
    struct world *world = *state;
    char error[CONFIG_ERROR_SIZE], path[128];
    size_t len, refused = 0;
    char *text = format(world, &len);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        struct fresh fresh;
        uint8_t before[CONFIG_DIGEST], after[CONFIG_DIGEST];
        place_put(&world->place, "state.xml", text, len);
        fresh_make(&fresh, load_whole(error));
        config_digest(fresh.config, before);
        scarce_fail(nth);
        int code = fresh_read(&fresh, &world->place);
        failed = scarce_stop();
        config_digest(fresh.config, after);
        if (code) {
            if (!strstr(fresh.error, "memory"))
                fail_msg("allocation %zu: \"%s\"", nth, fresh.error);
            assert_memory_equal(before, after, sizeof before);
            assert_null(config_find(fresh.config, ROW_SENSOR, "other"));
            assert_int_equal(fresh.alarms.active.count, 0);
            assert_int_equal(fresh.alarms.log.count, 0);
            assert_int_equal(fresh.state.n_series, 0);
            refused++;
        } else {
            if (!config_find(fresh.config, ROW_SENSOR, "other"))
                fail_msg("allocation %zu: the row is not there", nth);
            assert_int_equal(fresh.alarms.active.count, 5);
            assert_int_equal(fresh.alarms.log.count, world->alarms.log.count);
            assert_int_equal(fresh.alarms.queued, world->alarms.queued);
            assert_int_equal(fresh.state.n_series, 1);
            assert_int_equal(fresh.state.n_children, 1);
        }
        fresh_drop(&fresh);
        place_path(path, &world->place, "state.xml");
        if (access(path, F_OK) != 0)
            fail_msg("allocation %zu: the file is not there any more", nth);
    }
    free(text);
    assert_true(refused > 20);
}

/* -- Keys ------------------------------------------------------------------------------------ */

static const char *const keys[] = {"auth-key", "priv-key", "next-auth-key", "next-priv-key"};
#define OLD_KEY "00112233"
#define NEW_KEY "445566778899"

static void assert_keys(const struct row *row, const char *expected)
{
    char text[MESSAGE_SIZE];
    for (size_t i = 0; i < N_OF(keys); i++) {
        assert_int_equal(field_text(row, row_field(ROW_CHILD, keys[i]), text), strlen(expected));
        assert_string_equal(text, expected);
    }
}

static void set_keys(struct row *row, const char *key)
{
    for (size_t i = 0; i < N_OF(keys); i++)
        assert_int_equal(field_set_text(row, row_field(ROW_CHILD, keys[i]), key, strlen(key)),
                         FIELD_OK);
}

/* All of them, or none is the same. */
static bool have_same_keys(const struct row *a, const struct row *b)
{
    bool same = field_same(a, b, row_field(ROW_CHILD, keys[0]));
    for (size_t i = 1; i < N_OF(keys); i++)
        assert_int_equal(field_same(a, b, row_field(ROW_CHILD, keys[i])), same);
    return same;
}

/* A row is copied with all of its keys or not at all, and each row has keys of its own. */
static void a_row_with_keys_is_copied_whole(void **state)
{
    (void)state;
    struct row *row = row_new(ROW_CHILD, "leaf"), *copy = NULL;
    set_keys(row, OLD_KEY);
    size_t nth = 0;
    while (!copy) {
        scarce_fail(++nth);
        copy = row_clone(row);
        assert_int_equal(scarce_stop(), !copy);
        assert_keys(row, OLD_KEY);
    }
    assert_int_equal(nth, 1 + N_OF(keys) + 1);
    assert_keys(copy, OLD_KEY);
    assert_true(have_same_keys(row, copy));
    set_keys(copy, NEW_KEY);
    assert_keys(row, OLD_KEY);
    assert_false(have_same_keys(row, copy));
    set_keys(row, "");
    assert_keys(row, "");
    assert_keys(copy, NEW_KEY);
    assert_false(have_same_keys(row, copy) || have_same_keys(copy, row));
    set_keys(copy, "");
    assert_true(have_same_keys(row, copy));
    row_free(row);
    row_free(copy);
}

/* Without memory a row has the key of before. */
static void a_key_is_set_or_not(void **state)
{
    (void)state;
    struct row *row = row_new(ROW_CHILD, "leaf");
    const struct field *field = row_field(ROW_CHILD, keys[0]);
    char text[MESSAGE_SIZE];
    set_keys(row, OLD_KEY);
    scarce_fail(1);
    assert_int_equal(field_set_text(row, field, NEW_KEY, strlen(NEW_KEY)), FIELD_NO_MEMORY);
    assert_true(scarce_stop());
    field_text(row, field, text);
    assert_string_equal(text, OLD_KEY);
    assert_int_equal(field_set_text(row, field, "0g", 2), FIELD_WRONG_VALUE);
    assert_keys(row, OLD_KEY);
    row_free(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_document_is_read_whole, set_schema_dir),
        cmocka_unit_test_setup_teardown(a_state_is_written_whole, make_world, remove_world),
        cmocka_unit_test_setup_teardown(a_state_is_read_whole, make_world, remove_world),
        cmocka_unit_test(a_row_with_keys_is_copied_whole),
        cmocka_unit_test(a_key_is_set_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
