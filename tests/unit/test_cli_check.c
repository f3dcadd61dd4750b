/* dcamp config check: what dcampd says of a file is what it leaves with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/check.h"

#include "unit.h"

static char directory[40], path[60];

static int begin(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/dcamp-check.XXXXXX");
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/dcampd", directory);
    return setenv("PATH", directory, 1);
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

/* A dcampd that does this. */
static void write_dcampd(const char *script)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
}

static void assert_check(enum exit_status status, const char *said)
{
    char *words[] = {(char *)"tree.xml"}, *text;
    size_t size;
    struct command command = {.words = words, .n_words = 1};
    FILE *out = fopen("/dev/null", "w"), *errors = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(config_check_run(&command, NULL, out, errors), status);
    fclose(out);
    fclose(errors);
    assert_string_equal(text, said);
    free(text);
}

static void verdicts(void **state)
{
    (void)state;
    write_dcampd("[ \"$#\" = 2 ] && [ \"$1\" = --check-tree ] && [ \"$2\" = tree.xml ]");
    assert_check(EXIT_GOOD, "");
    write_dcampd("exit 1");
    assert_check(EXIT_USAGE, "");
    write_dcampd("kill -KILL $$");
    assert_check(EXIT_BROKEN, "dcamp: dcampd has ended by a signal\n");
}

static void no_dcampd(void **state)
{
    (void)state;
    write_dcampd("exit 0");
    assert_int_equal(chmod(path, 0644), 0);
    assert_check(EXIT_BROKEN, "dcamp: dcampd, which knows what is right, cannot be started here: "
                              "Permission denied\n");
    unlink(path);
    if (access("/usr/sbin/dcampd", X_OK) != 0)
        assert_check(EXIT_BROKEN,
                     "dcamp: dcampd, which knows what is right, cannot be started here: "
                     "No such file or directory\n");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(verdicts), TEST(no_dcampd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
