/* Files of programs that have ended go, though no sensor and no table is of what programs publish.
 */
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/forged.h"
#include "tests/unit/node.h"
#include "tests/unit/segments.h"
#include "tests/unit/unit.h"

#define MS_PER_S 1000

/* -- Programs ---------------------------------------------------------------------------------- */

/* A descriptor that keeps it alive; -1: its program has ended. */
static int leave_file(const struct node *node, unsigned pid, bool lives)
{
    char file[PATH_MAX + 16];
    struct forged *forged = forged_new("shop");
    snprintf(file, sizeof file, "%s/%u.1", node->apps_dir, pid);
    forged_sensor(forged, SEGMENT_COUNTER, "n", "", "");
    int fd = forged_publish(forged, file, lives);
    forged_free(forged);
    return fd;
}

static struct node *start(const char *sensors)
{
    char elements[512];
    snprintf(elements, sizeof elements, "<sensors>%s</sensors>", sensors);
    return node_new(elements);
}

/* -- Without a sensor on them ------------------------------------------------------------------ */

static void what_was_left_goes_at_the_start(void **state)
{
    (void)state;
    struct node *node = start("");
    leave_file(node, 1, false);
    node_cycle(node, 0);
    assert_int_equal(segments_count(node->apps_dir), 0);
    node_free(node);
}

/* The daemon comes back for it by itself. */
static void the_ended_go_within_a_minute(void **state)
{
    (void)state;
    struct node *node = start("");
    int lives = leave_file(node, 1, true);
    node_cycle(node, 0);
    leave_file(node, 2, false);
    int64_t due = 0;
    for (int64_t passed = 0; passed < 60 * MS_PER_S; passed += due) {
        assert_int_equal(segments_count(node->apps_dir), 2);
        due = node_cycle(node, (uint64_t)due) / (int64_t)NS_PER_MS;
        assert_in_range(due, 1, 60 * MS_PER_S);
    }
    node_cycle(node, (uint64_t)due);
    assert_int_equal(segments_count(node->apps_dir), 1);
    close(lives);
    node_cycle(node, 60 * MS_PER_S);
    assert_int_equal(segments_count(node->apps_dir), 0);
    node_free(node);
}

static void many_go_at_once(void **state)
{
    (void)state;
    struct node *node = start("");
    for (unsigned pid = 1; pid <= 2 * DIRECTORY_NEW_MAX + 1; pid++)
        leave_file(node, pid, false);
    node_cycle(node, 0);
    assert_int_equal(segments_count(node->apps_dir), DIRECTORY_NEW_MAX + 1);
    assert_true(node_cycle(node, MS_PER_S) <= (int64_t)NS_PER_S);
    assert_int_equal(segments_count(node->apps_dir), 1);
    node_cycle(node, MS_PER_S);
    assert_int_equal(segments_count(node->apps_dir), 0);
    node_free(node);
}

/* -- With one ---------------------------------------------------------------------------------- */

/* Whoever ends between two samples that are far apart has counted all the same. */
static void a_seldom_sensor_loses_nothing(void **state)
{
    (void)state;
    struct node *node = start("<sensor name=\"started\" metric=\"app.started\" interval=\"5m\"/>");
    do /* samples are taken when five minutes are full */
        node_cycle(node, 60 * MS_PER_S);
    while (node->now.mono_ns % (300 * NS_PER_S) != 0);
    for (unsigned pid = 1; pid <= 3; pid++) {
        leave_file(node, pid, false);
        node_cycle(node, 60 * MS_PER_S);
        assert_int_equal(segments_count(node->apps_dir), 0);
    }
    node_cycle(node, 120 * MS_PER_S);
    const struct sensor *sensor = node->daemon->measure.all;
    assert_non_null(sensor->series);
    assert_true(sensor->series->result.value == 3);
    node_free(node);
}

/* -- Pure -------------------------------------------------------------------------------------- */

static void one_that_is_empty_costs_no_pass(void **state)
{
    (void)state;
    char path[64];
    segments_use(path, sizeof path);
    struct directory *directory = directory_new(path);
    struct tidying tidying = {0};
    uint64_t now_ns = 100 * NS_PER_S + NS_PER_S / 2;
    assert_non_null(directory);
    assert_false(tidying_begin(&tidying, directory, now_ns));
    assert_int_equal(tidying.due_ns, 160 * NS_PER_S);
    segments_remove(path);
    assert_false(tidying_begin(&tidying, directory, 160 * NS_PER_S));
    assert_int_equal(tidying.due_ns, 220 * NS_PER_S);
    directory_free(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_left_goes_at_the_start),
        cmocka_unit_test(the_ended_go_within_a_minute),
        cmocka_unit_test(many_go_at_once),
        cmocka_unit_test(a_seldom_sensor_loses_nothing),
        cmocka_unit_test(one_that_is_empty_costs_no_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
