#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#include "captured.h"
#include "heap.h"
#include "unit.h"

static void due(void **state)
{
    (void)state;
    static const struct {
        uint64_t logged, now, interval;
        bool due;
    } cases[] = {
        {0, 0, 10, true},
        /* never */ {0, 5, 10, true},
        {1, 1, 10, false},
        {1, 10, 10, false},
        {1, 11, 10, true},
        {1, 12, 10, true},
        {100, 100, 0, true},
        /* no interval */ {UINT64_MAX - 5, UINT64_MAX, 6, false},
        {UINT64_MAX - 6, UINT64_MAX, 6, true},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(log_due(cases[i].logged, cases[i].now, cases[i].interval), cases[i].due);
}

static void what_is_debugged(void **state)
{
    static const struct {
        const char *tokens, *subsystem;
        bool debugged;
    } rows[] = {
        {NULL, "alarm", false},        {"", "alarm", false},          {"all", "alarm", true},
        {"alarm", "alarm", true},      {"alarm,poll", "alarm", true}, {"alarm,poll", "poll", true},
        {"alarm,,poll", "poll", true}, {",alarm", "alarm", true},     {"alar", "alarm", false},
        {"alarms", "alarm", false},    {"poll", "alarm", false},      {"poll,all", "alarm", false},
        {"alarm,poll", "alar", false}, {"poll,alarm", "pol", false},  {"alarm,poll,", "set", false},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        log_debug_tokens(rows[i].tokens);
        if (log_debugging(rows[i].subsystem) != rows[i].debugged)
            fail_msg("row %zu", i);
    }
    log_debug_tokens(NULL);
}

static void lines(void **state)
{
    (void)state;
    char text[CAPTURED_SIZE], expected[4096];
    log_open(false);
    log_program("tool");
    struct captured captured = captured_begin();
    log_error("poll", "%d of %s", 7, "nine");
    log_warning("poll", "w");
    log_info("alarm", "i");
    log_debug("poll", "not shown");
    log_debug_tokens("poll");
    log_debug("poll", "d");
    log_debug("alarm", "not shown");
    log_debug_tokens(NULL);
    captured_end(&captured, text);
    int pid = (int)getpid();
    snprintf(expected, sizeof expected,
             "tool[%d]: error poll: 7 of nine\ntool[%d]: warning poll: w\n"
             "tool[%d]: info alarm: i\ntool[%d]: debug poll: d\n",
             pid, pid, pid, pid);
    assert_string_equal(text, expected);
}

/* A line that is too long is cut; it is one line all the same. */
static void long_line(void **state)
{
    (void)state;
    char text[CAPTURED_SIZE], name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    log_program("tool");
    struct captured captured = captured_begin();
    log_info("alarm", "%s", name);
    captured_end(&captured, text);
    const char *begin = strstr(text, ": ");
    assert_non_null(begin);
    assert_int_equal(strlen(begin + 2), 1023 + 1);
    assert_int_equal(text[strlen(text) - 1], '\n');
}

/* Held messages come in their order, at the last release. */
static void held(void **state)
{
    (void)state;
    char text[CAPTURED_SIZE], expected[4096];
    long places[4];
    log_program("tool");
    struct captured captured = captured_begin();
    for (int round = 0; round < 2; round++) {
        log_hold();
        log_info("a", "one");
        log_hold();
        log_error("a", "two");
        log_release();
        log_info("a", "three");
        places[2 * round] = lseek(STDERR_FILENO, 0, SEEK_CUR);
        log_release();
        places[2 * round + 1] = lseek(STDERR_FILENO, 0, SEEK_CUR);
    }
    log_info("a", "four");
    captured_end(&captured, text);
    assert_int_equal(places[0], 0);
    assert_true(places[1] > 0);
    assert_int_equal(places[2], places[1]);
    assert_int_equal(places[3], 2 * places[1]);
    int pid = (int)getpid();
    snprintf(expected, sizeof expected,
             "tool[%d]: info a: one\ntool[%d]: error a: two\ntool[%d]: info a: three\n"
             "tool[%d]: info a: one\ntool[%d]: error a: two\ntool[%d]: info a: three\n"
             "tool[%d]: info a: four\n",
             pid, pid, pid, pid, pid, pid, pid);
    assert_string_equal(text, expected);
}

static void hold_one(void)
{
    log_hold();
    log_info("a", "one");
    log_info("a", "two");
    log_release();
}

static void all_is_given_back(void **state)
{
    (void)state;
    char text[CAPTURED_SIZE];
    struct captured captured = captured_begin();
    assert_keeps_nothing(hold_one);
    captured_end(&captured, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due),   cmocka_unit_test(what_is_debugged),
        cmocka_unit_test(lines), cmocka_unit_test(long_line),
        cmocka_unit_test(held),  cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
