/* dcamp config diff, asked of an agent on loopback: what diff(1) says is printed, and its status is
 * that of the command. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/diff.h"
#include "cli/packed.h"

#include "tree_cells.h"
#include "unit.h"

static struct asking asking;
static char path[40];

static void put_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    fclose(file);
}

static void keep(const char *text)
{
    struct packed packed;
    char error[512];
    assert_true(packed_text(&packed, text, strlen(text), error));
    tree_document(&asking, dcampDocumentKind_tree, 4, 2, "lap", packed.digest);
    tree_kept(&asking, dcampKeptWhich_inForce, 3, packed.octets, packed.len, packed.digest);
    packed_free(&packed);
}

static int begin(void **state)
{
    (void)state;
    asking_begin(&asking);
    strcpy(path, "/tmp/dcamp-diff.XXXXXX");
    close(mkstemp(path));
    asking.command.given = 1u << COMMAND_CONFIG;
    asking.command.config = path;
    tree_document(&asking, dcampDocumentKind_share, 0, 0, "", NULL);
    keep("<tree>\n  <nodes/>\n</tree>\n");
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&asking);
    return unlink(path);
}

static void assert_diff(enum exit_status status, const char *out, const char *said)
{
    assert_int_equal(asking_run(&asking, config_diff_run, SHEET_TABLE), status);
    assert_string_equal(asking.out, out);
    assert_string_equal(asking.said, said);
}

static void the_same(void **state)
{
    (void)state;
    put_file("<tree>\n  <nodes/>\n</tree>\n");
    assert_diff(EXIT_GOOD, "", "");
}

/* The head has the name of the file, not its path, so that patch(1) finds it. */
static const char *headed(const char *lines)
{
    static char expected[1000];
    snprintf(expected, sizeof expected, "--- a/%s\n+++ b/%s\n%s", strrchr(path, '/') + 1,
             strrchr(path, '/') + 1, lines);
    return expected;
}

static void another_one(void **state)
{
    (void)state;
    put_file("<tree>\n  <groups/>\n</tree>\n");
    assert_diff(EXIT_CUT, headed("@@ -1,3 +1,3 @@\n <tree>\n-  <nodes/>\n+  <groups/>\n </tree>\n"),
                "");
    put_file("<tree>\n  <nodes/>\n</tree>");
    assert_diff(EXIT_CUT,
                headed("@@ -1,3 +1,3 @@\n <tree>\n   <nodes/>\n-</tree>\n+</tree>\n"
                       "\\ No newline at end of file\n"),
                "");
}

/* More than a pipe holds, on all sides. */
static void a_large_one(void **state)
{
    (void)state;
    size_t n = 0, size = 900000;
    char *text = malloc(size);
    assert_non_null(text);
    while (n < size - 10)
        n += (size_t)snprintf(text + n, size - n, "%zu\n", n);
    put_file(text);
    assert_int_equal(asking_run(&asking, config_diff_run, SHEET_TABLE), EXIT_CUT);
    assert_in_range(strlen(asking.out), n, 2 * n);
    keep(text);
    text[n - 2] = 'x';
    put_file(text);
    assert_int_equal(asking_run(&asking, config_diff_run, SHEET_TABLE), EXIT_CUT);
    assert_in_range(strlen(asking.out), 50, 300);
    assert_non_null(strstr(asking.out, "x\n"));
    free(text);
}

static void what_goes_wrong(void **state)
{
    (void)state;
    char *const path_before = strdup(getenv("PATH"));
    put_file("");
    assert_int_equal(asking_run(&asking, config_diff_run, SHEET_TABLE), EXIT_USAGE);
    assert_non_null(strstr(asking.said, ": it is empty\n"));
    asking.command.config = "/nowhere/tree.xml";
    assert_diff(EXIT_USAGE, "", "dcamp: /nowhere/tree.xml: No such file or directory\n");
    asking.command.config = path;
    put_file("<other/>\n");
    assert_int_equal(asking_run(&asking, config_diff_run, SHEET_JSON), EXIT_USAGE);
    assert_non_null(strstr(asking.said, "no --json, no --tsv"));
    setenv("PATH", "/nowhere", 1);
    assert_diff(EXIT_BROKEN, "",
                "dcamp: diff, of the package diffutils, cannot be started: No such "
                "file or directory\n");
    setenv("PATH", path_before, 1);
    free(path_before);
    tree_kept(&asking, dcampKeptWhich_inForce, 3, "?", 1, "the digest of some other document.");
    assert_int_equal(asking_run(&asking, config_diff_run, SHEET_TABLE), EXIT_BROKEN);
    assert_string_equal(asking.out, "");
    assert_non_null(strstr(asking.said, "its SHA-256 is not"));
}

/* A diff that fails is not taken for one that has found something. */
static void a_diff_that_fails(void **state)
{
    (void)state;
    char dir[] = "/tmp/dcamp-diff.XXXXXX", program[40];
    char *const path_before = strdup(getenv("PATH"));
    static const char *const scripts[] = {"#!/bin/sh\necho half\nexit 2\n",
                                          "#!/bin/sh\nkill -9 $$\n"};
    assert_non_null(mkdtemp(dir));
    snprintf(program, sizeof program, "%s/diff", dir);
    put_file("<other/>\n");
    setenv("PATH", dir, 1);
    for (size_t i = 0; i < N_OF(scripts); i++) {
        int fd = open(program, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
        assert_int_equal(write(fd, scripts[i], strlen(scripts[i])), (int)strlen(scripts[i]));
        close(fd);
        assert_diff(EXIT_BROKEN, "", "dcamp: diff has failed\n");
    }
    setenv("PATH", path_before, 1);
    free(path_before);
    unlink(program);
    rmdir(dir);
}

/* Nothing is left open. */
static void no_files_are_left(void **state)
{
    (void)state;
    put_file("<other/>\n");
    asking_run(&asking, config_diff_run, SHEET_TABLE); /* opens the socket */
    int before = dup(0);
    close(before);
    for (int i = 0; i < 5; i++)
        asking_run(&asking, config_diff_run, SHEET_TABLE);
    int after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same),        TEST(another_one),       TEST(a_large_one),
        TEST(what_goes_wrong), TEST(a_diff_that_fails), TEST(no_files_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
