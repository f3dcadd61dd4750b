/* The daemon when some allocation fails: of its start, of a reload, of a cycle. It starts, or says
 * why not and leaves everything as it was; it has the old configuration or the new one, whole; and
 * it goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tables.h"

#include "fingerprint.h"
#include "full.h"
#include "scarce.h"

static char *saved_text(const struct node *node, size_t *length)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/state.xml", node->state_dir);
    return file_text(path, length);
}

static struct dcampd *start(struct node *node, char error[1024])
{
    struct dcampd_options options = {
        .config_path = node->config_path, .state_dir = node->state_dir, .root = node->tree.root};
    error[0] = '\0';
    return dcampd_new(&options, error);
}

/* Of a start that succeeds although some allocation failed, the configuration is whole. */
static void it_starts_or_says_why_not(void **state)
{
    struct node *node = *state;
    char error[1024];
    size_t length, now, refused = 0, nth = 0;
    node_cycle(node, 0);
    node_wait_saved(node);
    node_start_again(node);
    node_wait_saved(node);
    uint64_t rows = rows_fingerprint(node);
    node_stop(node);
    char *text = saved_text(node, &length);
    for (bool failed = true; failed; nth++) {
        scarce_fail(nth + 1);
        node->daemon = start(node, error);
        failed = scarce_stop();
        char *after = saved_text(node, &now);
        assert_int_equal(now, length);
        assert_memory_equal(after, text, length);
        free(after);
        if (!node->daemon) {
            if (!error[0])
                fail_msg("allocation %zu: no reason is given", nth + 1);
            refused++;
            continue;
        }
        if (rows_fingerprint(node) != rows)
            fail_msg("allocation %zu: it has started with a part of its rows", nth + 1);
        if (failed)
            dcampd_free(node->daemon);
    }
    free(text);
    assert_true(refused > 100);
    node_cycle(node, 1000);
}

/* The file has all of full_elements, with another limit of a filter. */
static void write_other(struct node *node)
{
    static const char limit[] = "gate-limit=\"0.5\"";
    char *elements = strdup(full_elements);
    assert_non_null(elements);
    char *at = strstr(elements, limit);
    assert_non_null(at);
    at[strlen(limit) - 2] = '7';
    node_configure(node, "lap", elements);
    free(elements);
}

static void the_configuration_is_the_old_or_the_new(void **state)
{
    struct node *node = *state;
    char error[1024] = "";
    write_other(node);
    assert_true(dcampd_reload(node->daemon, error));
    uint64_t new = rows_fingerprint(node), old = new;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        node_configure(node, "lap", full_elements);
        assert_true(dcampd_reload(node->daemon, error));
        assert_true(old == new || rows_fingerprint(node) == old);
        old = rows_fingerprint(node);
        assert_true(old != new);
        write_other(node);
        error[0] = '\0';
        scarce_fail(nth);
        bool good = dcampd_reload(node->daemon, error);
        failed = scarce_stop();
        if (rows_fingerprint(node) != (good ? new : old))
            fail_msg("allocation %zu: %s, but the rows are others", nth, good ? "good" : error);
        if (!good && !error[0])
            fail_msg("allocation %zu: no reason is given", nth);
        node_cycle(node, 10);
    }
}

/* How many rows each table has, but for those that grow with what happens. */
#define TABLES_MAX 64

static void count_rows(struct node *node, size_t counts[TABLES_MAX])
{
    assert_true(dcamp_table_count <= TABLES_MAX);
    for (size_t i = 0; i < dcamp_table_count; i++) {
        enum mib_object object = dcamp_tables[i]->object;
        bool grows = object == MIB_dcampReportTable || object == MIB_dcampAlarmLogTable;
        bool is_left_out = grows || !table_has_rows(dcamp_tables[i]);
        counts[i] = is_left_out ? 0 : node_count(node, dcamp_tables[i]);
    }
}

static void assert_same_counts(struct node *node, const size_t whole[TABLES_MAX], size_t nth)
{
    size_t counts[TABLES_MAX];
    count_rows(node, counts);
    for (size_t i = 0; i < dcamp_table_count; i++)
        if (counts[i] != whole[i])
            fail_msg("allocation %zu: %s has %zu rows, not %zu", nth,
                     mib_objects[dcamp_tables[i]->object].name, counts[i], whole[i]);
}

/* Until each sensor was due again: one has an interval of a day. */
static void cycle_on(struct node *node)
{
    node_cycle(node, 1000);
    node_cycle(node, 24 * 3600 * 1000);
    node_cycle(node, 1000);
}

/* Whatever cannot be made in one cycle for want of memory is made in a later one. */
static void cycles_go_on(void **state)
{
    struct node *node = *state;
    size_t whole[TABLES_MAX];
    node_start_again(node);
    node_cycle(node, 0);
    node_cycle(node, 1000);
    cycle_on(node);
    count_rows(node, whole);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        node_start_again(node);
        scarce_fail(nth);
        node_cycle(node, 0);
        node_cycle(node, 1000);
        failed = scarce_stop();
        cycle_on(node);
        if (!node_has(node, MIB_dcampValueText, "load", "total"))
            fail_msg("allocation %zu: there is no load any more", nth);
        if (!node_has(node, MIB_dcampSensorSeries, "load", NULL))
            fail_msg("allocation %zu: there is no sensor any more", nth);
        assert_same_counts(node, whole, nth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        full_test(it_starts_or_says_why_not),
        full_test(the_configuration_is_the_old_or_the_new),
        full_test(cycles_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
