/* The file of dcamp export: written where it has changed, and what is run then; and what is told of
 * failures, once. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/keep.h"
#include "cli/output.h"

#include "unit.h"

static char dir[] = "/tmp/dcamp-test.XXXXXX", path[64], ran[64], run[200];
static struct output output;
static struct question question;
static char *said, *told;
static size_t said_size, told_size;
static FILE *changes;

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/f", dir);
    snprintf(ran, sizeof ran, "%s/ran", dir);
    snprintf(run, sizeof run, "printf x >>%s", ran);
    output = (struct output){.path = path, .mode = 0640};
    question = (struct question){.errors = open_memstream(&said, &said_size)};
    changes = open_memstream(&told, &told_size);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fclose(question.errors);
    fclose(changes);
    free(said);
    free(told);
    unlink(path);
    unlink(ran);
    rmdir(dir);
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    return 0;
}

static bool write_text(const char *text)
{
    char *before = output_read(&output, &question);
    assert_non_null(before);
    question.status = EXIT_GOOD;
    bool good = output_write(&output, &question, before, text, strlen(text), changes, "2 nodes");
    fflush(question.errors);
    fflush(changes);
    free(before);
    return good;
}

static void assert_content(const char *name, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(name, "r");
    assert_true(file || !expected);
    if (!file)
        return;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(expected);
    assert_string_equal(text, expected);
}

static void only_what_has_changed(void **state)
{
    (void)state;
    struct stat first, second;
    char expected[300];
    output.run = run;
    assert_true(write_text("one\n"));
    assert_content(path, "one\n");
    assert_content(ran, "x");
    assert_int_equal(stat(path, &first), 0);
    assert_int_equal(first.st_mode & 07777, 0640);
    assert_true(write_text("one\n"));
    assert_int_equal(stat(path, &second), 0);
    assert_int_equal(first.st_ino, second.st_ino);
    assert_content(ran, "x");
    assert_true(write_text("two\n"));
    assert_content(path, "two\n");
    assert_content(ran, "xx");
    snprintf(expected, sizeof expected,
             "dcamp: %s is written: 2 nodes\ndcamp: %s is written: 2 nodes\n", path, path);
    assert_string_equal(told, expected);
    assert_string_equal(said, "");
}

/* It is made again what somebody has removed or changed. */
static void what_others_have_done(void **state)
{
    (void)state;
    assert_true(write_text("one\n"));
    assert_int_equal(unlink(path), 0);
    assert_true(write_text("one\n"));
    assert_content(path, "one\n");
    assert_int_equal(truncate(path, 0), 0);
    assert_true(write_text("one\n"));
    assert_content(path, "one\n");
}

/* The command failed: it is run until it has gone well. */
static void a_command_that_fails(void **state)
{
    (void)state;
    char failing[200], expected[300];
    snprintf(failing, sizeof failing, "printf x >>%s; test -s %s/wanted", ran, dir);
    output.run = failing;
    assert_false(write_text("one\n"));
    assert_int_equal(question.status, EXIT_BROKEN);
    assert_content(path, "one\n");
    snprintf(expected, sizeof expected, "dcamp: %s: exit status 1\n", failing);
    assert_string_equal(said, expected);
    assert_false(write_text("one\n"));
    assert_content(ran, "xx");
    output.run = run;
    assert_true(write_text("one\n"));
    assert_content(ran, "xxx");
    assert_true(write_text("one\n"));
    assert_content(ran, "xxx");
}

/* Nothing is told of a file that could not be written, and the command waits for the next time. */
static void a_file_that_fails_after_its_command(void **state)
{
    (void)state;
    char expected[300];
    output.run = "false";
    assert_false(write_text("one\n"));
    output.path = "/nowhere/f";
    output.run = run;
    assert_false(write_text("two\n"));
    snprintf(expected, sizeof expected, "dcamp: %s is written: 2 nodes\n", path);
    assert_string_equal(told, expected);
    assert_content(ran, NULL);
    output.path = path;
    assert_true(write_text("one\n"));
    assert_content(ran, "x");
}

static void a_command_that_is_killed(void **state)
{
    (void)state;
    output.run = "kill -KILL $$";
    assert_false(write_text("one\n"));
    assert_string_equal(said, "dcamp: kill -KILL $$: ended by signal 9\n");
}

static void files_that_are_none(void **state)
{
    (void)state;
    char expected[200];
    output.path = dir;
    assert_null(output_read(&output, &question));
    fflush(question.errors);
    snprintf(expected, sizeof expected, "dcamp: %s: it is there, and is no regular file\n", dir);
    assert_string_equal(said, expected);
    assert_int_equal(question.status, EXIT_USAGE);
    output.path = "/nowhere/f";
    output.run = run;
    assert_false(write_text("one\n"));
    assert_non_null(strstr(said, "/nowhere/f: it is not written: No such file or directory\n"));
    assert_content(ran, NULL);
    assert_string_equal(told ? told : "", "");
}

/* A signal that ends the process waits until the command has run as well, which itself gets it. */
static void a_signal_in_the_midst(void **state)
{
    (void)state;
    char killing[200];
    snprintf(killing, sizeof killing, "kill -TERM $PPID; kill -TERM $$; printf x >>%s", ran);
    pid_t pid = fork();
    if (pid == 0) {
        output.run = killing;
        write_text("one\n");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_content(path, "one\n");
    assert_content(ran, NULL);
}

/* -- What is told ---------------------------------------------------------------------------- */

static void assert_news(const char *before, const char *now, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    keep_news(before, now, to);
    fclose(to);
    assert_string_equal(text, expected);
    free(text);
}

static void failures_once(void **state)
{
    (void)state;
    assert_news("", "", "");
    assert_news("", "a\nb\n", "a\nb\n");
    assert_news("a\nb\n", "a\nb\n", "");
    assert_news("a\nb\n", "b\nc\na\n", "c\n");
    assert_news("ab\n", "a\nb\n", "a\nb\n");
    assert_news("a\n", "", "");
    assert_news("b\nab\n", "a\n", "a\n");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(only_what_has_changed),
                                       TEST(what_others_have_done),
                                       TEST(a_command_that_fails),
                                       TEST(a_command_that_is_killed),
                                       TEST(files_that_are_none),
                                       TEST(a_signal_in_the_midst),
                                       TEST(a_file_that_fails_after_its_command),
                                       cmocka_unit_test(failures_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
