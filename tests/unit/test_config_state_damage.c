/* State files that were cut off or have octets changed: nothing crashes, nothing is half applied.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/state.h"

#define BOOT 7

static const struct alarm_limits limits = {
    .log_size = 100, .rate = 3, .period_ms = 60000, .queue = 100};
static const struct moment now = {.mono_ns = 5, .wall_ms = INT64_C(1700000000000)};

struct world {
    char dir[64];
    char *text;
    size_t len;
};

struct fresh {
    struct state state;
    struct config *config;
    struct alarms alarms;
    char error[CONFIG_ERROR_SIZE];
};

static void make_fresh(struct fresh *fresh)
{
    *fresh = (struct fresh){.config = config_new()};
    alarms_open(&fresh->alarms, &limits, now.mono_ns);
}

static void drop_fresh(struct fresh *fresh)
{
    state_release(&fresh->state);
    config_free(fresh->config);
    alarms_close(&fresh->alarms);
}

static int make_world(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    struct fresh fresh;
    *state = world;
    snprintf(world->dir, sizeof world->dir, "/tmp/test_config_state.XXXXXX");
    if (!mkdtemp(world->dir))
        return -1;
    make_fresh(&fresh);
    fresh.state.boot = BOOT;
    struct row *row = row_new(ROW_FILTER, "f");
    row->changed = true;
    config_add(fresh.config, row);
    state_add_series(&fresh.state, &(struct saved_series){.threshold = "t",
                                                          .sensor = "s",
                                                          .instance = "i",
                                                          .state = {.phase = PHASE_RAISED}});
    struct alarm_facts facts = {.key = "k", .severity = SEVERITY_INFO, .message = "<m>"};
    alarm_raise(&fresh.alarms, &facts, now);
    world->text = state_format(&fresh.state, fresh.config, &fresh.alarms, &world->len);
    drop_fresh(&fresh);
    return 0;
}

static void path_of(char path[128], const struct world *world, const char *name)
{
    snprintf(path, 128, "%s/%s", world->dir, name);
}

static int remove_world(void **state)
{
    static const char *const names[] = {"state.xml", "state.xml.1", "state.xml.bad"};
    struct world *world = *state;
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        path_of(path, world, names[i]);
        unlink(path);
    }
    int result = rmdir(world->dir);
    free(world->text);
    free(world);
    return result;
}

static void put_file(const struct world *world, const char *name, const char *text, size_t len)
{
    char path[128];
    path_of(path, world, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* All of the file, or nothing of it. */
static int read_and_check(const struct world *world)
{
    struct fresh fresh;
    make_fresh(&fresh);
    int result = state_read(world->dir, &fresh.state, fresh.config, &fresh.alarms, fresh.error);
    assert_true(result == 0 || result == EBADMSG);
    size_t expected = result == 0;
    if (result == 0)
        assert_in_range(fresh.alarms.log.count, 1, 1);
    else
        assert_memory_equal(fresh.error, world->dir, strlen(world->dir));
    assert_int_equal(fresh.config->rows[ROW_FILTER].count, expected);
    assert_int_equal(fresh.alarms.active.count, expected);
    assert_int_equal(fresh.alarms.log.count, expected);
    assert_int_equal(fresh.alarms.queued, expected);
    assert_int_equal(fresh.state.n_series, expected);
    assert_null(strchr(fresh.error, '\n'));
    drop_fresh(&fresh);
    return result;
}

static void cut_off(void **state)
{
    struct world *world = *state;
    size_t whole = world->len;
    while (world->text[whole - 1] == '\n')
        whole--;
    for (size_t len = 0; len < whole; len++) {
        put_file(world, "state.xml", world->text, len);
        assert_int_equal(read_and_check(world), EBADMSG);
    }
    put_file(world, "state.xml", world->text, whole);
    assert_int_equal(read_and_check(world), 0);
}

static void cut_off_with_previous(void **state)
{
    struct world *world = *state;
    put_file(world, "state.xml.1", world->text, world->len);
    for (size_t len = 0; len < world->len - 1; len += world->len / 30) {
        put_file(world, "state.xml", world->text, len);
        assert_int_equal(read_and_check(world), 0);
    }
}

static void octets_changed(void **state)
{
    struct world *world = *state;
    static const char others[] = {'\0',   '<', '>', '"', '&', '\x80',
                                  '\xff', 'z', '9', '-', ' ', '/'};
    char *copy = malloc(world->len);
    for (size_t at = 0; at < world->len; at++) {
        memcpy(copy, world->text, world->len);
        copy[at] = others[at % sizeof others];
        put_file(world, "state.xml", copy, world->len);
        struct fresh fresh;
        make_fresh(&fresh);
        int result = state_read(world->dir, &fresh.state, fresh.config, &fresh.alarms, fresh.error);
        assert_true(result == 0 || result == EBADMSG);
        assert_int_equal(fresh.error[0] != '\0', result != 0);
        if (result != 0)
            assert_int_equal(fresh.alarms.log.count + fresh.config->rows[ROW_FILTER].count, 0);
        drop_fresh(&fresh);
    }
    free(copy);
}

static void refuse(struct world *world, const char *text, const char *error)
{
    struct fresh fresh;
    char expected[CONFIG_ERROR_SIZE];
    put_file(world, "state.xml", text, strlen(text));
    make_fresh(&fresh);
    assert_int_equal(state_read(world->dir, &fresh.state, fresh.config, &fresh.alarms, fresh.error),
                     EBADMSG);
    snprintf(expected, sizeof expected, "%s/state.xml:%s", world->dir, error);
    assert_string_equal(fresh.error, expected);
    assert_int_equal(fresh.alarms.log.count + fresh.config->rows[ROW_FILTER].count, 0);
    drop_fresh(&fresh);
}

#define STATE(text)                                                                                \
    "<dcamp-state version=\"1\" boot=\"1\" sequence=\"3\" serial=\"1\">" text "</dcamp-state>"
#define LISTS(filters, log)                                                                        \
    STATE("<sensors/><filters>" filters                                                            \
          "</filters><thresholds/><threshold-states/><alarms/><log>" log "</log><queue/>")
#define ENTRY "<entry number=\"3\" time=\"1\" event=\"raised\"/>"

static void refuses(void **state)
{
    struct world *world = *state;
    refuse(world, "<dcamp version=\"1\"/>",
           "1: the root element is dcamp; it must be <dcamp-state version=\"1\">");
    refuse(world, "<dcamp-state version=\"2\"/>",
           "1: dcamp-state: version=\"2\" is not supported; it must be version=\"1\"");
    refuse(world, "<dcamp-state version=\"1\" sequence=\"1\" serial=\"1\"/>",
           "1: dcamp-state: boot is missing; it must be a whole number from 0 to 4294967295");
    refuse(world, LISTS("\n<filter name=\"f\" status=\"active\" storage=\"volatile\"/>", ""),
           "2: filter \"f\": storage=\"volatile\" is not one of nonVolatile, permanent");
    refuse(
        world,
        LISTS("\n<filter name=\"f\" status=\"active\" storage=\"nonVolatile\" gate=\"gt\"/>", ""),
        "2: filter \"f\": is active, but: gate needs a gate-limit");
    refuse(world, LISTS("", ENTRY "\n" ENTRY), "2: entry: is there already");
    refuse(world, LISTS("", "<entry number=\"3\" time=\"1\" event=\"raised\" message=\"a;b\"/>"),
           "1: entry: message=\"a;b\" is not printable text without ; and |");
    refuse(world, LISTS("", "\n<entry number=\"3\" time=\"1\"/>"),
           "2: entry: event is missing; it must be one of raised, cleared, acknowledged, "
           "suppressed");
}

/* libxml2 has limits of its own at 10 MB, which are not ours. */
static void large(void **state)
{
    struct world *world = *state;
    const size_t padding = 11000000;
    char *text = malloc(world->len + padding);
    size_t before = (size_t)(strstr(world->text, "<sensors") - world->text);
    memcpy(text, world->text, before);
    memset(text + before, '\n', padding);
    memcpy(text + before + padding, world->text + before, world->len - before);
    put_file(world, "state.xml", text, world->len + padding);
    free(text);
    assert_int_equal(read_and_check(world), 0);
}

int main(void)
{
    const char *source = getenv("srcdir");
    char dir[512];
    snprintf(dir, sizeof dir, "%s/conf", source ? source : ".");
    setenv("DCAMP_SCHEMA_DIR", dir, 1);
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_world, remove_world)
    const struct CMUnitTest tests[] = {
        TEST(cut_off), TEST(cut_off_with_previous), TEST(octets_changed), TEST(refuses),
        TEST(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
