/* The command line of dcamp-statsd. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "statsd/options.h"
#include "unit.h"

/* Words with blanks between. */
static int parse(const char *text, struct options *options)
{
    static char copy[512];
    char *argv[32], *word = NULL, *rest;
    int argc = 1;
    argv[0] = (char[]){"dcamp-statsd"};
    snprintf(copy, sizeof copy, "%s", text);
    for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    return options_parse(argc, argv, options);
}

static void defaults(void **state)
{
    struct options options;
    (void)state;
    assert_int_equal(parse("", &options), -1);
    assert_int_equal(options.n_listen, 0);
    assert_string_equal(options.name, "statsd");
    assert_int_equal(options.sensors, 500);
    assert_int_equal(options.applications, 16);
    assert_false(options.by_prefix || options.from_stdin || options.to_syslog);
}

static void all_of_them(void **state)
{
    struct options options;
    (void)state;
    assert_int_equal(
        parse("-l ::1 --listen=[::1]:9125 -l host:1 -n shop --by-prefix --sensors 1000 "
              "--applications 64 --syslog",
              &options),
        -1);
    assert_int_equal(options.n_listen, 3);
    assert_string_equal(options.listen[1], "[::1]:9125");
    assert_string_equal(options.name, "shop");
    assert_int_equal(options.sensors, 1000);
    assert_int_equal(options.applications, 64);
    assert_true(options.by_prefix && options.to_syslog);
    assert_int_equal(parse("--stdin --name x", &options), -1);
    assert_true(options.from_stdin);
}

static void what_is_wrong_is_refused(void **state)
{
    static const char *const wrong[] = {
        "x",
        "--nonsense",
        "-l",
        "-l :8125",
        "-l host:0",
        "-l host:99999",
        "-l host:statsd",
        "-l [::1",
        "-n a/b",
        "-n 123456789012345678901234567890123",
        "--sensors 0",
        "--sensors 1001",
        "--sensors -1",
        "--sensors 5x",
        "--sensors 99999999999999999999",
        "--applications 65",
        "--stdin -l ::1",
        "--stdin --by-prefix",
        "-l a -l b -l c -l d -l e -l f -l g -l h -l i",
    };
    struct options options;
    (void)state;
    assert_non_null(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < N_OF(wrong); i++)
        if (parse(wrong[i], &options) != STATSD_USAGE)
            fail_msg("%s", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(all_of_them),
        cmocka_unit_test(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
