/* State files that were cut off or have octets changed: nothing crashes, nothing is half applied.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/state_format.h"
#include "config/state_read.h"
#include "states.h"
#include "unit.h"

#define BOOT 7

static int make_world(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    struct fresh fresh;
    *state = place;
    if (place_make(place) != 0)
        return -1;
    fresh_make(&fresh, config_new());
    fresh.state.boot = BOOT;
    struct row *row = row_new(ROW_FILTER, "f");
    row->changed = true;
    config_add(fresh.config, row);
    state_add_series(&fresh.state, &(struct saved_series){.threshold = "t",
                                                          .sensor = "s",
                                                          .instance = "i",
                                                          .state = {.phase = PHASE_RAISED}});
    struct alarm_facts facts = {.key = "k", .severity = SEVERITY_INFO, .message = "<m>"};
    alarm_raise(&fresh.alarms, &facts, state_now);
    alarms_tick(&fresh.alarms, state_now);
    place->text = state_format(&fresh.state, fresh.config, &fresh.alarms, &place->len);
    fresh_drop(&fresh);
    return 0;
}

static int remove_world(void **state)
{
    int result = place_remove(*state);
    free(*state);
    return result;
}

/* All of the file, or nothing of it. */
static int read_and_check(const struct place *place)
{
    struct fresh fresh;
    fresh_make(&fresh, config_new());
    int result = fresh_read(&fresh, place);
    assert_true(result == 0 || result == EBADMSG);
    size_t expected = result == 0;
    if (result == 0)
        assert_in_range(fresh.alarms.log.count, 1, 1);
    else
        assert_memory_equal(fresh.error, place->dir, strlen(place->dir));
    assert_int_equal(fresh.config->rows[ROW_FILTER].count, expected);
    assert_int_equal(fresh.alarms.active.count, expected);
    assert_int_equal(fresh.alarms.log.count, expected);
    assert_int_equal(fresh.alarms.queued, expected);
    assert_int_equal(fresh.state.n_series, expected);
    assert_null(strchr(fresh.error, '\n'));
    fresh_drop(&fresh);
    return result;
}

static void cut_off(void **state)
{
    struct place *place = *state;
    size_t whole = place->len;
    while (place->text[whole - 1] == '\n')
        whole--;
    for (size_t len = 0; len < whole; len++) {
        place_put(place, "state.xml", place->text, len);
        assert_int_equal(read_and_check(place), EBADMSG);
    }
    place_put(place, "state.xml", place->text, whole);
    assert_int_equal(read_and_check(place), 0);
}

static void cut_off_with_previous(void **state)
{
    struct place *place = *state;
    place_put(place, "state.xml.1", place->text, place->len);
    for (size_t len = 0; len < place->len - 1; len += place->len / 30) {
        place_put(place, "state.xml", place->text, len);
        assert_int_equal(read_and_check(place), 0);
    }
}

static void octets_changed(void **state)
{
    struct place *place = *state;
    static const char others[] = {'\0',   '<', '>', '"', '&', '\x80',
                                  '\xff', 'z', '9', '-', ' ', '/'};
    size_t version = (size_t)(strstr(place->text, "state version=\"1\"") - place->text) + 15;
    char *copy = malloc(place->len);
    assert_int_equal(place->text[version], '1');
    for (size_t at = 0; at < place->len; at++) {
        memcpy(copy, place->text, place->len);
        copy[at] = others[at % sizeof others];
        place_put(place, "state.xml", copy, place->len);
        struct fresh fresh;
        fresh_make(&fresh, config_new());
        int result = fresh_read(&fresh, place);
        int damaged = at == version && copy[at] == '9' ? ENOTSUP : EBADMSG;
        assert_true(result == 0 || result == damaged);
        assert_int_equal(fresh.error[0] != '\0', result != 0);
        if (result != 0)
            assert_int_equal(fresh.alarms.log.count + fresh.config->rows[ROW_FILTER].count, 0);
        fresh_drop(&fresh);
    }
    free(copy);
}

static void refuse(struct place *place, const char *text, const char *error)
{
    struct fresh fresh;
    char expected[CONFIG_ERROR_SIZE];
    place_put(place, "state.xml", text, strlen(text));
    fresh_make(&fresh, config_new());
    assert_int_equal(fresh_read(&fresh, place), EBADMSG);
    snprintf(expected, sizeof expected, "%s/state.xml:%s", place->dir, error);
    assert_string_equal(fresh.error, expected);
    assert_int_equal(fresh.alarms.log.count + fresh.config->rows[ROW_FILTER].count, 0);
    fresh_drop(&fresh);
}

#define STATE(text)                                                                                \
    "<dcamp-state version=\"1\" boot=\"1\" sequence=\"3\" serial=\"1\">" text "</dcamp-state>"
#define LISTS(filters, log)                                                                        \
    STATE("<sensors/><filters>" filters                                                            \
          "</filters><thresholds/><threshold-states/><alarms/><log>" log "</log><queue/>")
#define ENTRY "<entry number=\"3\" time=\"1\" event=\"raised\"/>"

static void refuses(void **state)
{
    struct place *place = *state;
    refuse(place, "<dcamp version=\"1\"/>",
           "1: the root element is dcamp; it must be <dcamp-state version=\"1\">");
    refuse(place, "<dcamp-state version=\"0\"/>",
           "1: dcamp-state: version=\"0\" is not supported; it must be version=\"1\"");
    refuse(place, "<dcamp-state version=\"1\" sequence=\"1\" serial=\"1\"/>",
           "1: dcamp-state: boot is missing; it must be a whole number from 0 to 4294967295");
    refuse(place, LISTS("\n<filter name=\"f\" status=\"active\" storage=\"volatile\"/>", ""),
           "2: filter \"f\": storage=\"volatile\" is not one of nonVolatile, permanent");
    refuse(
        place,
        LISTS("\n<filter name=\"f\" status=\"active\" storage=\"nonVolatile\" gate=\"gt\"/>", ""),
        "2: filter \"f\": is active, but: gate needs a gate-limit");
    refuse(place,
           LISTS("\n<filter name=\"f\" status=\"active\" storage=\"nonVolatile\" "
                 "local=\"maybe\"/>",
                 ""),
           "2: filter \"f\": local=\"maybe\" is not one of true, false");
    refuse(place, LISTS("", ENTRY "\n" ENTRY), "2: entry: is there already");
    refuse(place, LISTS("", "<entry number=\"3\" time=\"1\" event=\"raised\" message=\"a;b\"/>"),
           "1: entry: message=\"a;b\" is not printable text without ; and |");
    refuse(place, LISTS("", "\n<entry time=\"1\" event=\"raised\"/>"),
           "2: entry: number is missing; it must be a whole number from 0 to 4294967295");
    refuse(place, LISTS("", "\n<entry number=\"3\" time=\"1\" event=\"gone\"/>"),
           "2: entry: event=\"gone\" is not one of raised, cleared, acknowledged, suppressed, "
           "changed, repeated, flapping");
}

/* After an update that was taken back: what the newer one wrote is not damaged. */
static void newer(void **state)
{
    struct place *place = *state;
    static const char *const versions[] = {"2", "10"};
    for (size_t i = 0; i < 2; i++) {
        struct fresh fresh;
        char text[64], path[128], expected[CONFIG_ERROR_SIZE];
        snprintf(text, sizeof text, "<dcamp-state version=\"%s\" more=\"x\"/>", versions[i]);
        place_put(place, "state.xml", text, strlen(text));
        place_put(place, "state.xml.1", place->text, place->len);
        fresh_make(&fresh, config_new());
        assert_int_equal(fresh_read(&fresh, place), ENOTSUP);
        snprintf(expected, sizeof expected,
                 "%s/state.xml:1: dcamp-state: version=\"%s\" is not supported; it must be "
                 "version=\"1\"; a newer dcampd wrote it: run that one, or move the state files "
                 "away, which begins with nothing",
                 place->dir, versions[i]);
        assert_string_equal(fresh.error, expected);
        assert_int_equal(fresh.alarms.log.count + fresh.config->rows[ROW_FILTER].count, 0);
        fresh_drop(&fresh);
        place_path(path, place, "state.xml");
        assert_int_equal(access(path, F_OK), 0); /* it stays where it is */
        place_path(path, place, "state.xml.bad");
        assert_int_not_equal(access(path, F_OK), 0);
    }
}

/* libxml2 has limits of its own at 10 MB, which are not ours. */
static void large(void **state)
{
    struct place *place = *state;
    const size_t padding = 11000000;
    char *text = malloc(place->len + padding);
    size_t before = (size_t)(strstr(place->text, "<sensors") - place->text);
    memcpy(text, place->text, before);
    memset(text + before, '\n', padding);
    memcpy(text + before + padding, place->text + before, place->len - before);
    place_put(place, "state.xml", text, place->len + padding);
    free(text);
    assert_int_equal(read_and_check(place), 0);
}

/* A directory is in the way of what would keep the damaged file: it stays, and both are named. */
static void cannot_be_set_aside(void **state)
{
    struct place *place = *state;
    struct fresh fresh;
    char path[128], bad[160], expected[CONFIG_ERROR_SIZE];
    place_put(place, "state.xml", "<damaged", 8);
    place_path(path, place, "state.xml");
    snprintf(bad, sizeof bad, "%s.bad", path);
    assert_int_equal(mkdir(bad, 0700), 0);
    fresh_make(&fresh, config_new());
    assert_int_equal(fresh_read(&fresh, place), EISDIR);
    snprintf(expected, sizeof expected, "%s: is damaged, and cannot be renamed to %s: %s", path,
             bad, strerror(EISDIR));
    assert_string_equal(fresh.error, expected);
    fresh_drop(&fresh);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(rmdir(bad), 0);
}

int main(void)
{
    const char *source = getenv("srcdir");
    char dir[512];
    snprintf(dir, sizeof dir, "%s/conf", source ? source : ".");
    setenv("DCAMP_SCHEMA_DIR", dir, 1);
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_world, remove_world)
    const struct CMUnitTest tests[] = {
        TEST(cut_off),
        TEST(cut_off_with_previous),
        TEST(octets_changed),
        TEST(refuses),
        TEST(newer),
        TEST(large),
        TEST(cannot_be_set_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
