/* dcamp history, asked of an agent on loopback: where a node says that its history is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/history.h"
#include "tests/unit/scribe.h"

#include "asking.h"
#include "unit.h"

#define NOW_MS INT64_C(1795730400000)

static struct asking asking;

static void put_sink(const char *name, const char *kind, const char *location)
{
    asking_text(&asking, MIB_dcampSinkKind, name, NULL, kind);
    asking_text(&asking, MIB_dcampSinkLocation, name, NULL, location);
}

static void a_node_without_a_history(void **state)
{
    (void)state;
    put_sink("log", "csv", "/var/log");
    assert_int_equal(asking_run(&asking, history_run, SHEET_TSV), EXIT_USAGE);
    assert_string_equal(asking.said,
                        "dcamp: the node keeps no history: it has no sink of the kind sqlite\n");
}

static void a_history_elsewhere(void **state)
{
    (void)state;
    asking_scalar_text(&asking, MIB_dcampNodeName, "far");
    put_sink("history", "sqlite", "/nonexistent/history");
    assert_int_equal(asking_run(&asking, history_run, SHEET_TSV), EXIT_USAGE);
    assert_string_equal(asking.said,
                        "dcamp: the history of far is not on this machine: on its own, \"dcamp "
                        "history --directory /nonexistent/history\" reads it\n");
}

/* The same directory of another node is not that of this one. */
static void a_history_here(void **state)
{
    (void)state;
    char directory[] = "/tmp/dcamp-history.XXXXXX", file[64];
    const struct scribe_words words = {"", "a", "total", "cpu.busy", "%"};
    assert_non_null(mkdtemp(directory));
    struct scribe *scribe = scribe_open(directory, NOW_MS);
    scribe_value(scribe, &words, NOW_MS, 1);
    scribe_commit(scribe, NOW_MS, true);
    scribe_close(scribe);
    put_sink("history", "sqlite", directory);
    asking_scalar_text(&asking, MIB_dcampNodeName, "other");
    assert_int_equal(asking_run(&asking, history_run, SHEET_TSV), EXIT_USAGE);
    asking_scalar_text(&asking, MIB_dcampNodeName, "root1");
    assert_int_equal(asking_run(&asking, history_run, SHEET_TSV), EXIT_GOOD);
    assert_string_equal(asking.out, "node\tname\tgroup\nroot1\troot1\tweb\n");
    snprintf(file, sizeof file, "%s/history-2026-11.db", directory);
    remove(file);
    snprintf(file, sizeof file, "%s/lock", directory);
    remove(file);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ASKING_TEST(a_node_without_a_history),
        ASKING_TEST(a_history_elsewhere),
        ASKING_TEST(a_history_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
