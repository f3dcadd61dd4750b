/* The tree as the director tells it: rows come, change and go, in the order of their keys; texts
 * that come from nodes are printable; without memory, everything is as it was. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scarce.h"
#include "tree/view.h"
#include "unit.h"

static struct tree_message_row row_of(const char *name)
{
    struct tree_message_row row = {.head = {TREE_MESSAGE_ROW, sizeof row},
                                   .address = "udp:127.0.0.1:161",
                                   .role = SHARE_METRIC,
                                   .parent = "c1",
                                   .level = 2,
                                   .group = "web",
                                   .state = TREE_UP,
                                   .heard_ns = 5,
                                   .term = 3,
                                   .epoch = 4,
                                   .serial = 7,
                                   .deviations = 1,
                                   .version = "0.1"};
    snprintf(row.name, sizeof row.name, "%s", name);
    return row;
}

static const struct tree_row *row_at(const struct tree_view *view, size_t at)
{
    struct index_node *node = index_first(&view->rows);
    while (node && at-- > 0)
        node = index_next(node);
    return (const struct tree_row *)node;
}

static void rows_come_change_and_go(void **state)
{
    (void)state;
    struct tree_view view;
    struct tree_message_row a = row_of("a"), bb = row_of("bb"), c = row_of("c");
    tree_view_open(&view);
    memset(a.digest, 'a', 64);
    snprintf(bb.error, sizeof bb.error, "%s", "no answer");
    assert_int_equal(tree_view_put(&view, &bb), 0);
    assert_int_equal(tree_view_put(&view, &c), 0);
    assert_int_equal(tree_view_put(&view, &a), 0);
    assert_int_equal(view.rows.count, 3);
    assert_string_equal(row_at(&view, 0)->name, "a");
    assert_string_equal(row_at(&view, 1)->name, "c"); /* the shorter key is the smaller one */
    assert_string_equal(row_at(&view, 2)->name, "bb");
    assert_true(row_at(&view, 0)->has_digest);
    assert_int_equal(row_at(&view, 0)->digest[31], 0xaa);
    assert_false(row_at(&view, 1)->has_digest);
    assert_string_equal(row_at(&view, 0)->parent, "c1");
    assert_int_equal(row_at(&view, 0)->role, SHARE_METRIC);
    assert_int_equal(row_at(&view, 0)->serial, 7);
    assert_null(row_at(&view, 0)->error);
    assert_string_equal(row_at(&view, 2)->error, "no answer");
    bb.error[0] = '\0';
    bb.state = TREE_LOST;
    bb.role = 0;
    assert_int_equal(tree_view_put(&view, &bb), 0);
    assert_int_equal(view.rows.count, 3);
    assert_null(row_at(&view, 2)->error);
    assert_int_equal(row_at(&view, 2)->state, TREE_LOST);
    assert_int_equal(row_at(&view, 2)->role, 0);
    tree_view_drop(&view, "nobody");
    assert_int_equal(view.rows.count, 3);
    tree_view_drop(&view, "c");
    assert_int_equal(view.rows.count, 2);
    assert_string_equal(row_at(&view, 1)->name, "bb");
    tree_view_clear(&view);
    assert_int_equal(view.rows.count, 0);
    assert_int_equal(tree_view_put(&view, &c), 0);
    tree_view_close(&view); /* the sanitizer counts what is left */
}

static void texts_are_printable(void **state)
{
    (void)state;
    struct tree_view view;
    struct tree_message_row row = row_of("a");
    struct tree_message_role role = {.head = {TREE_MESSAGE_ROLE, sizeof role}, .is_root = true};
    tree_view_open(&view);
    snprintf(row.version, sizeof row.version, "%s", "1\n2\x01");
    snprintf(row.error, sizeof row.error, "%s", "\x1b[2J\xff");
    snprintf(row.group, sizeof row.group, "%s", "\xc3\xa9");
    snprintf(row.digest, sizeof row.digest, "%s", "no digits");
    assert_int_equal(tree_view_put(&view, &row), 0);
    assert_string_equal(row_at(&view, 0)->version, "1?2?");
    assert_string_equal(row_at(&view, 0)->error, "?[2J?");
    assert_string_equal(row_at(&view, 0)->group, "\xc3\xa9");
    assert_false(row_at(&view, 0)->has_digest);
    snprintf(role.reason, sizeof role.reason, "%s", "\"r1\" is lost\t");
    tree_view_role(&view, &role);
    assert_string_equal(view.reason, "\"r1\" is lost?");
    tree_view_close(&view);
}

static void one_that_is_not_root_shows_no_tree(void **state)
{
    (void)state;
    struct tree_view view;
    struct tree_message_row row = row_of("a");
    struct tree_message_role role = {.head = {TREE_MESSAGE_ROLE, sizeof role},
                                     .is_root = true,
                                     .term = 3,
                                     .serial = 7,
                                     .root = "r1",
                                     .reason = "promoted by hand"};
    tree_view_open(&view);
    tree_view_role(&view, &role);
    assert_int_equal(tree_view_put(&view, &row), 0);
    tree_view_role(&view, &role);
    assert_int_equal(view.rows.count, 1);
    assert_true(view.is_root);
    assert_int_equal(view.term, 3);
    assert_int_equal(view.serial, 7);
    assert_string_equal(view.root, "r1");
    role.is_root = false;
    role.term = 4;
    snprintf(role.root, sizeof role.root, "%s", "r2");
    tree_view_role(&view, &role);
    assert_int_equal(view.rows.count, 0);
    assert_false(view.is_root);
    assert_int_equal(view.term, 4);
    assert_string_equal(view.root, "r2");
    tree_view_clear(&view);
    assert_int_equal(view.term, 0);
    assert_string_equal(view.root, "");
    assert_string_equal(view.reason, "");
    tree_view_close(&view);
}

static void no_more_than_the_bound(void **state)
{
    (void)state;
    struct tree_view view;
    char name[NAME_SIZE];
    tree_view_open(&view);
    for (int i = 0; i < TREE_ROWS_MAX; i++) {
        snprintf(name, sizeof name, "n%d", i);
        struct tree_message_row row = row_of(name);
        assert_int_equal(tree_view_put(&view, &row), 0);
    }
    struct tree_message_row more = row_of("more"), old = row_of("n7");
    assert_int_equal(tree_view_put(&view, &more), E2BIG);
    assert_int_equal(tree_view_put(&view, &old), 0); /* one that is there may change */
    tree_view_drop(&view, "n7");
    assert_int_equal(tree_view_put(&view, &more), 0);
    assert_int_equal(view.rows.count, TREE_ROWS_MAX);
    tree_view_close(&view);
}

static void without_memory(void **state)
{
    (void)state;
    struct tree_view view;
    struct tree_message_row row = row_of("a");
    bool failed = true;
    tree_view_open(&view);
    snprintf(row.error, sizeof row.error, "%s", "old");
    for (size_t nth = 1; failed; nth++) { /* a new row */
        scarce_fail(nth);
        int code = tree_view_put(&view, &row);
        failed = scarce_stop();
        assert_true(code == 0 || (failed && code == ENOMEM && view.rows.count == 0));
        if (code == 0) /* the index grows as far as it can */
            tree_view_drop(&view, "a");
    }
    assert_int_equal(tree_view_put(&view, &row), 0);
    snprintf(row.error, sizeof row.error, "%s", "new");
    scarce_fail(1); /* a changed one */
    assert_int_equal(tree_view_put(&view, &row), ENOMEM);
    assert_true(scarce_stop());
    assert_string_equal(row_at(&view, 0)->error, "old");
    tree_view_close(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_change_and_go),
        cmocka_unit_test(texts_are_printable),
        cmocka_unit_test(one_that_is_not_root_shows_no_tree),
        cmocka_unit_test(no_more_than_the_bound),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
