/* dcamp config show, asked of an agent on loopback: which document a node works by, and whether it
 * is that of a file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/packed.h"
#include "cli/show.h"

#include "tree_cells.h"
#include "unit.h"

static const char digest[33] = "\x01\x02\x03\x04-octets-of-some-digest-56789";
#define DIGEST "010203042d6f63746574732d6f662d736f6d652d6469676573742d3536373839"

static struct asking asking;
static char path[40];

static int begin(void **state)
{
    (void)state;
    asking_begin(&asking);
    strcpy(path, "/tmp/dcamp-show.XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "<tree/>\n", 8) == 8);
    close(fd);
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&asking);
    return unlink(path);
}

static void in_no_tree(void **state)
{
    (void)state;
    tree_document(&asking, dcampDocumentKind_share, 0, 0, "", NULL);
    tree_document(&asking, dcampDocumentKind_tree, 0, 0, "", NULL);
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_JSON), EXIT_USAGE);
    assert_string_equal(asking.out, "");
    assert_non_null(strstr(asking.said, " is in no tree"));
}

/* What a leaf knows is the digest of the document that its share was made of. */
static void by_a_share(void **state)
{
    (void)state;
    tree_document(&asking, dcampDocumentKind_share, 3, 7, "lap", digest);
    tree_document(&asking, dcampDocumentKind_tree, 0, 0, "", NULL);
    asking_scalar(&asking, MIB_dcampTreeSerial, 12);
    asking_scalar_text(&asking, MIB_dcampTreeDigest, digest);
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_JSON), EXIT_GOOD);
    assert_non_null(strstr(asking.out,
                           "\"root\":\"lap\",\"term\":3,\"epoch\":7,\"serial\":12,"
                           "\"held\":false,\"same\":null,\"digest\":\"" DIGEST "\"}\n"));
}

/* A root that was just given another document still works by a share of the one before. */
static void of_a_root(void **state)
{
    (void)state;
    tree_document(&asking, dcampDocumentKind_share, 3, 7, "lap", digest);
    tree_document(&asking, dcampDocumentKind_tree, 4, 2, "lap", digest);
    asking_scalar(&asking, MIB_dcampTreeSerial, 12);
    asking_scalar_text(&asking, MIB_dcampTreeDigest, "of the document that was before.");
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_JSON), EXIT_GOOD);
    assert_non_null(strstr(asking.out, "\"term\":4,\"epoch\":2,\"serial\":null,\"held\":true,"
                                       "\"same\":null,\"digest\":\"" DIGEST "\"}\n"));
}

/* FILE is compared with what the node has: 1 where it is another one. */
static void of_a_file(void **state)
{
    (void)state;
    struct packed packed = {.octets = NULL};
    char held[PACKED_DIGEST + 1] = "", error[512];
    assert_true(packed_file(&packed, path, error));
    memcpy(held, packed.digest, PACKED_DIGEST);
    packed_free(&packed);
    asking.command.given |= 1u << COMMAND_CONFIG;
    asking.command.config = path;
    tree_document(&asking, dcampDocumentKind_share, 3, 7, "lap", digest);
    tree_document(&asking, dcampDocumentKind_tree, 4, 2, "lap", digest);
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_JSON), EXIT_CUT);
    assert_non_null(strstr(asking.out, "\"same\":false"));
    tree_document(&asking, dcampDocumentKind_tree, 4, 3, "lap", held);
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_JSON), EXIT_GOOD);
    assert_non_null(strstr(asking.out, "\"same\":true"));
    asking.command.config = "/nonexistent/tree.xml";
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_JSON), EXIT_USAGE);
    assert_string_equal(asking.out, "");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(in_no_tree), TEST(by_a_share), TEST(of_a_root),
                                       TEST(of_a_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
