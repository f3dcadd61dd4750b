/* Memory that fails anywhere: dcamp says so, prints nothing, and what it had is given back. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How many more allocations succeed. */
static int allowed;

static void *scarce_calloc(size_t n, size_t size)
{
    return allowed-- > 0 ? calloc(n, size) : NULL;
}

static void *scarce_malloc(size_t size)
{
    return allowed-- > 0 ? malloc(size) : NULL;
}

static void *scarce_realloc(void *memory, size_t n, size_t size)
{
    return allowed-- > 0 ? reallocarray(memory, n, size) : NULL;
}

/* The files themselves, so that what they allocate can fail, and nothing else. Before cmocka, which
 * has a macro fail(). */
#define malloc scarce_malloc
#define calloc scarce_calloc
#define reallocarray scarce_realloc
#include "base/packing.c"
#include "cli/forest.c"
#include "cli/packed.c"
#include "cli/roster.c"
#include "cli/sheet.c"
#undef malloc
#undef calloc
#undef reallocarray

#include "cli/tree.h"

#include "tree_cells.h"
#include "unit.h"

#define PLENTY 1000000

static void a_document(void **state)
{
    (void)state;
    struct packed packed;
    char error[512];
    allowed = 0;
    assert_false(packed_text(&packed, "<tree/>", 7, error));
    assert_string_equal(error, "no memory");
    assert_null(packed.octets);
    assert_false(packed_file(&packed, "/proc/version", error));
    assert_string_equal(error, "/proc/version: no memory");
    allowed = 1;
    assert_false(packed_file(&packed, "/proc/version", error));
    assert_string_equal(error, "/proc/version: no memory");
    allowed = 2;
    assert_true(packed_file(&packed, "/proc/version", error));
    packed_free(&packed);
}

/* With one allocation more each time, until it goes well. */
static void a_tree(void **state)
{
    (void)state;
    struct asking asking;
    enum exit_status status = EXIT_BROKEN;
    char name[16], *all = NULL;
    int most;
    allowed = PLENTY;
    asking_begin(&asking);
    tree_document(&asking, dcampDocumentKind_share, 3, 7, "lap", NULL);
    tree_document(&asking, dcampDocumentKind_tree, 3, 2, "lap", "an octet string of 32 octets ...");
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "n%d", i);
        tree_member(&asking, name, "", dcampTreeRole_metric, dcampTreeState_up, NULL);
        asking_text(&asking, MIB_dcampTreeError, name, NULL, "some reason");
    }
    for (most = 0; status != EXIT_GOOD && most < 1000; most++) {
        allowed = most;
        status = asking_run(&asking, tree_run, SHEET_TABLE);
        assert_true(status == EXIT_GOOD || status == EXIT_BROKEN);
        if (status == EXIT_BROKEN) {
            assert_string_equal(asking.said, "dcamp: no memory\n");
            assert_string_equal(asking.out, "");
        }
    }
    assert_in_range(most, 20, 200);
    all = strdup(asking.out);
    allowed = PLENTY;
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, all);
    free(all);
    asking_end(&asking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_document), cmocka_unit_test(a_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
