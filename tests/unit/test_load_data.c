/* Test data: lines of a file, again and again, and those that a program writes. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/data.h"
#include "unit.h"

/* A file with these octets; its name. */
static const char *file_with(const char *octets, size_t n)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/dcamp-test-data.XXXXXX");
    int fd = mkstemp(path);
    assert_int_equal(write(fd, octets, n), n);
    close(fd);
    return path;
}

static struct data *open_file(const char *octets, size_t n, char why[FAILURE_TEXT])
{
    const char *path = file_with(octets, n);
    struct data *data = data_of_file(path, why);
    unlink(path);
    return data;
}

/* Until its program has written something, or has ended. */
static void wait_for(struct data *data)
{
    struct pollfd comes = {.fd = data_fd(data), .events = POLLIN};
    assert_int_equal(poll(&comes, 1, -1), 1);
}

/* What comes next, or why nothing does. */
static const char *next(struct data *data)
{
    static const char *const outcomes[] = {[DATA_END] = "(end)", [DATA_BAD] = "(bad)"};
    char why[FAILURE_TEXT];
    const char *line;
    while (!data_is_ready(data))
        wait_for(data);
    enum data_outcome outcome = data_next(data, &line, why);
    return outcome == DATA_LINE ? line : outcomes[outcome];
}

static void lines_of_a_file_come_again(void **state)
{
    char why[FAILURE_TEXT];
    static const char text[] = "a b\n\n c\r\nlast";
    struct data *data = open_file(text, sizeof text - 1, why);
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_string_equal(next(data), "a b");
        assert_string_equal(next(data), "");
        assert_string_equal(next(data), " c\r");
        assert_string_equal(next(data), "last");
    }
    data_close(data);
    data = open_file("\n", 1, why);
    assert_string_equal(next(data), "");
    assert_string_equal(next(data), "");
    data_close(data);
}

static void bad_files_have_a_place(void **state)
{
    char why[FAILURE_TEXT];
    char *longer = malloc(DATA_LINE_MAX + 8);
    (void)state;
    assert_null(open_file("", 0, why));
    assert_string_equal(why, "there is no line in it");
    assert_null(open_file("a\nb\0c\n", 6, why));
    assert_string_equal(why, "line 2 has an octet 0");
    assert_null(data_of_file("/nonexistent", why));
    assert_string_equal(why, "No such file or directory");
    assert_null(data_of_file("/", why));
    assert_string_equal(why, "Is a directory");
    memset(longer, 'x', DATA_LINE_MAX + 1);
    struct data *data = open_file(longer, DATA_LINE_MAX, why);
    assert_int_equal(strlen(next(data)), DATA_LINE_MAX);
    data_close(data);
    assert_null(open_file(longer, DATA_LINE_MAX + 1, why));
    assert_string_equal(why, "line 1 is longer than 1 MiB");
    free(longer);
}

static struct data *run(const char *script)
{
    char *const words[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};
    char why[FAILURE_TEXT];
    return data_of_program(words, why);
}

static void lines_of_a_program_end_with_it(void **state)
{
    struct data *data = run("echo a; echo; printf 'b c'");
    (void)state;
    assert_string_equal(next(data), "a");
    assert_string_equal(next(data), "");
    assert_string_equal(next(data), "b c");
    assert_string_equal(next(data), "(end)");
    assert_string_equal(next(data), "(end)");
    data_close(data);
    data = run("seq 1 100000");
    for (int i = 1; i <= 100000; i++)
        assert_int_equal(atoi(next(data)), i);
    assert_string_equal(next(data), "(end)");
    data_close(data);
}

/* One that would write for ever, or never ends, is ended. */
static void programs_are_ended(void **state)
{
    struct data *data = run("yes");
    (void)state;
    assert_string_equal(next(data), "y");
    data_close(data);
    data = run("head -c 3000000 /dev/zero | tr '\\0' x; sleep 1000");
    assert_string_equal(next(data), "(bad)");
    data_close(data);
    data = run("printf 'a\\0b\\n'; sleep 1000");
    assert_string_equal(next(data), "(bad)");
    data_close(data);
}

/* A part of a line is none yet; that the rest of it has come is seen by the descriptor. */
static void nobody_waits(void **state)
{
    int ends[2];
    char script[64];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_true(ends[0] < 10); /* a shell takes one digit */
    snprintf(script, sizeof script, "printf a; read x <&%d; echo b", ends[0]);
    struct data *data = run(script);
    wait_for(data);
    assert_false(data_is_ready(data));
    assert_false(data_is_ready(data));
    assert_int_equal(write(ends[1], "\n", 1), 1);
    assert_string_equal(next(data), "ab");
    assert_string_equal(next(data), "(end)");
    data_close(data);
    close(ends[0]);
    close(ends[1]);
}

/* How the program has ended, once there are no more lines; "": well, or it has not ended. */
static const char *end_of(const char *script)
{
    static char why[FAILURE_TEXT];
    struct data *data = run(script);
    while (strcmp(next(data), "(end)") != 0)
        ;
    why[0] = '\0';
    assert_true(data_has_failed(data, why) == (why[0] != '\0'));
    data_close(data);
    return why;
}

static void programs_may_fail(void **state)
{
    (void)state;
    assert_string_equal(end_of("echo a"), "");
    assert_string_equal(end_of("echo a; exit 3"), "exit status 3");
    assert_string_equal(end_of("kill -9 $$"), "ended by signal 9");
    assert_string_equal(end_of("exec >&-; sleep 1000"), "");
}

static void programs_may_be_missing(void **state)
{
    char *const words[] = {(char[]){"no-such-program"}, NULL};
    char why[FAILURE_TEXT];
    (void)state;
    assert_null(data_of_program(words, why));
    assert_string_equal(why, "no-such-program: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_file_come_again),
        cmocka_unit_test(bad_files_have_a_place),
        cmocka_unit_test(lines_of_a_program_end_with_it),
        cmocka_unit_test(programs_are_ended),
        cmocka_unit_test(nobody_waits),
        cmocka_unit_test(programs_may_fail),
        cmocka_unit_test(programs_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
