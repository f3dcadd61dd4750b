/* The audit: what a line says, and that none is lost while the file cannot be written. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/audit.h"

#include "unit.h"

struct place {
    char dir[64];
    struct config *config;
    struct audit audit;
    struct alarms alarms;
    struct saver *saver;
};

static void saver_done(void *context)
{
    (void)context;
}

static int setup(void **state)
{
    const struct alarm_limits limits = {.log_size = 10, .queue = 10};
    struct place *place = calloc(1, sizeof *place);
    strcpy(place->dir, "/tmp/test_daemon_audit.XXXXXX");
    assert_non_null(mkdtemp(place->dir));
    place->config = config_new();
    snprintf(place->config->alarm_file, sizeof place->config->alarm_file, "%s/later/log",
             place->dir);
    place->config->alarm_file_kb = 64;
    alarms_open(&place->alarms, &limits, 0);
    audit_open(&place->audit, &place->alarms, place->config);
    place->saver = saver_start(place->dir, saver_done, NULL);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    char path[512];
    saver_stop(place->saver);
    audit_close(&place->audit, place->config);
    alarms_close(&place->alarms);
    unlink(place->config->alarm_file);
    snprintf(path, sizeof path, "%s.1", place->config->alarm_file);
    unlink(path);
    snprintf(path, sizeof path, "%s/later", place->dir);
    rmdir(path);
    int result = rmdir(place->dir);
    config_free(place->config);
    free(place);
    return result;
}

static void happen(struct place *place, uint32_t number)
{
    struct alarm_facts facts = {.node = "n1",
                                .threshold = "t",
                                .sensor = "cpu",
                                .instance = "a \"b\" \\c",
                                .value = "97.5",
                                .limit = "> 90",
                                .severity = SEVERITY_WARNING,
                                .message = "too\nmuch"};
    snprintf(facts.key, sizeof facts.key, "n1:t:%u", number);
    assert_true(alarm_raise(&place->alarms, &facts,
                            (struct moment){.mono_ns = 1, .wall_ms = 1700000000123}));
}

static void make_dir(const struct place *place)
{
    char path[128];
    snprintf(path, sizeof path, "%s/later", place->dir);
    assert_int_equal(mkdir(path, 0700), 0);
}

static size_t lines_of(const struct place *place)
{
    size_t n = 0;
    FILE *file = fopen(place->config->alarm_file, "r");
    for (int c; file && (c = fgetc(file)) != EOF;)
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

static void cycle(struct place *place)
{
    audit_flush(&place->audit, place->saver, place->config);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* As the cycles do it, until so many lines are there. */
static size_t flush_until(struct place *place, size_t lines)
{
    size_t n = 0;
    for (int i = 0; i < 2000 && n < lines; i++) {
        cycle(place);
        n = lines_of(place);
    }
    return n;
}

static void what_a_line_says(void **state)
{
    struct place *place = *state;
    char line[1024] = "";
    make_dir(place);
    happen(place, 1);
    assert_int_equal(flush_until(place, 1), 1);
    FILE *file = fopen(place->config->alarm_file, "r");
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, "time=2023-11-14T22:13:20.123Z seq=1 event=raised severity=warning "
                              "key=\"n1:t:1\" node=\"n1\" threshold=\"t\" sensor=\"cpu\" "
                              "instance=\"a \\\"b\\\" \\\\c\" value=\"97.5\" limit=\"> 90\" "
                              "message=\"too much\"\n");
}

static void waits_for_its_directory(void **state)
{
    struct place *place = *state;
    for (uint32_t i = 1; i <= 50; i++) {
        happen(place, i);
        audit_flush(&place->audit, place->saver, place->config);
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_int_not_equal(access(place->config->alarm_file, F_OK), 0);
    make_dir(place);
    assert_int_equal(flush_until(place, 50), 50);
}

static void what_is_left_at_the_end(void **state)
{
    struct place *place = *state;
    make_dir(place);
    for (uint32_t i = 1; i <= 5; i++)
        happen(place, i);
    audit_close(&place->audit, place->config);
    assert_int_equal(flush_until(place, 5), 5);
}

static void more_than_there_is_room_for(void **state)
{
    struct place *place = *state;
    for (uint32_t i = 1; i <= 40000; i++)
        happen(place, i);
    assert_true(place->audit.lost > 0);
    assert_true(place->audit.len <= AUDIT_WAITING_MAX);
    uint64_t lost = place->audit.lost;
    make_dir(place);
    place->config->alarm_file_kb = 1 << 20;
    size_t kept = 40000 - lost;
    assert_int_equal(flush_until(place, kept), kept);
    happen(place, 40001);
    assert_int_equal(place->audit.lost, 0); /* the number stands in a line of its own */
    assert_int_equal(flush_until(place, kept + 2), kept + 2);
}

/* Something happens in every cycle, so that the state on disk never has the last of it. */
static void a_storm(void **state)
{
    struct place *place = *state;
    uint32_t saved = 0, n = 0;
    make_dir(place);
    for (size_t written = 0; n < 1000 && written < 20; written = lines_of(place)) {
        assert_in_range(written, 0, saved);
        alarms_gate(&place->alarms, place->alarms.changes, false);
        saved = n;
        happen(place, ++n);
        cycle(place);
    }
    assert_true(n < 1000);
    alarms_gate(&place->alarms, place->alarms.changes, false);
    assert_int_equal(flush_until(place, n), n);
}

static void off(void **state)
{
    struct place *place = *state;
    place->config->alarm_file[0] = '\0';
    audit_flush(&place->audit, place->saver, place->config);
    happen(place, 1);
    assert_int_equal(place->audit.len, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_line_says),
        TEST(waits_for_its_directory),
        TEST(what_is_left_at_the_end),
        TEST(more_than_there_is_room_for),
        TEST(a_storm),
        TEST(off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
