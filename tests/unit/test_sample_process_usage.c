/* Which processes use most, of trees with /proc/PID. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/process/usage.h"

#include "tree.h"

static void put(const struct tree *tree, int pid, const char *comm, unsigned ticks, unsigned pages,
                unsigned started)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    snprintf(text, sizeof text,
             "%d (%s) S 1 2 3 4 -1 4194560 28 0 0 0 %u %u 0 0 20 0 3 0 %u 4096 %u 3\n", pid, comm,
             ticks / 2, ticks - ticks / 2, started, pages);
    tree_write(tree, path, text);
}

static struct usage_ranking ranking;

static void look(struct process_usage *usage, unsigned second)
{
    assert_int_equal(process_usage_look(usage, second * NS_PER_S, &ranking), 0);
}

static void check(enum usage_order order, size_t i, pid_t pid, uint64_t cpu_milli)
{
    assert_true(i < ranking.n[order]);
    assert_int_equal(ranking.ranks[order][i].pid, pid);
    assert_int_equal(ranking.ranks[order][i].cpu_milli, cpu_milli);
}

static void ranks(void **state)
{
    const struct tree *tree = *state;
    uint64_t page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    put(tree, 1, "init", 1000, 30, 1);
    put(tree, 20, "busy", 5000, 10, 2);
    put(tree, 300, "big", 0, 4000, 3);
    tree_write(tree, "/proc/self/stat", "no pid");
    struct process_usage *usage = process_usage_new(tree->root);
    look(usage, 10);
    assert_int_equal(ranking.span_ns, 0); /* nothing is known of the CPU yet */
    assert_int_equal(ranking.n[USAGE_CPU], 0);
    assert_int_equal(ranking.n[USAGE_MEMORY], 3);
    check(USAGE_MEMORY, 0, 300, 0);
    check(USAGE_MEMORY, 1, 1, 0);
    check(USAGE_MEMORY, 2, 20, 0);
    assert_string_equal(ranking.ranks[USAGE_MEMORY][0].name, "big");
    assert_int_equal(ranking.ranks[USAGE_MEMORY][0].memory_kb, 4000 * page_kb);
    assert_int_equal(ranking.ranks[USAGE_MEMORY][0].threads, 3);
    assert_int_equal(ranking.ranks[USAGE_MEMORY][1].cpu_ms, 10000);

    put(tree, 20, "busy", 5150, 10, 2); /* 1.5 s in 2 s */
    put(tree, 1, "init", 1001, 30, 1);
    put(tree, 40, "new", 20, 1, 1100); /* all that it has used is of this time */
    look(usage, 12);
    assert_int_equal(ranking.span_ns, 2 * NS_PER_S);
    assert_int_equal(ranking.processes, 4);
    check(USAGE_CPU, 0, 20, 750);
    check(USAGE_CPU, 1, 40, 100);
    check(USAGE_CPU, 2, 1, 5);
    check(USAGE_CPU, 3, 300, 0);
    process_usage_free(usage);
}

/* Another process under the same pid has used what it has used; one whose times go back, nothing.
 */
static void pids_come_again(void **state)
{
    const struct tree *tree = *state;
    put(tree, 5, "first", 1000, 1, 10);
    put(tree, 6, "back", 1000, 1, 10);
    struct process_usage *usage = process_usage_new(tree->root);
    look(usage, 1);
    put(tree, 5, "second", 50, 1, 20);
    put(tree, 6, "back", 900, 1, 10);
    look(usage, 2);
    check(USAGE_CPU, 0, 5, 500);
    assert_string_equal(ranking.ranks[USAGE_CPU][0].name, "second");
    check(USAGE_CPU, 1, 6, 0);
    tree_remove(tree, "/proc/5");
    look(usage, 3);
    assert_int_equal(ranking.n[USAGE_CPU], 1);
    process_usage_free(usage);
}

/* After exec it is the same process with another name. */
static void programs_change(void **state)
{
    const struct tree *tree = *state;
    put(tree, 5, "bash", 1000, 1, 10);
    tree_link(tree, "/proc/5/exe", "/usr/bin/bash");
    struct process_usage *usage = process_usage_new(tree->root);
    look(usage, 1);
    assert_string_equal(ranking.ranks[USAGE_MEMORY][0].name, "bash");
    put(tree, 5, "verylongprogram", 1010, 1, 10);
    tree_remove(tree, "/proc/5/exe");
    tree_link(tree, "/proc/5/exe", "/usr/bin/verylongprogramname");
    look(usage, 2);
    check(USAGE_CPU, 0, 5, 100);
    assert_string_equal(ranking.ranks[USAGE_CPU][0].name, "verylongprogramname");
    process_usage_free(usage);
}

/* As many as there are ranks; equals by pid. */
static void many(void **state)
{
    const struct tree *tree = *state;
    for (int pid = 1; pid <= USAGE_RANKS + 20; pid++)
        put(tree, pid, "same", 7, 7, 10);
    struct process_usage *usage = process_usage_new(tree->root);
    look(usage, 1);
    look(usage, 2);
    assert_int_equal(ranking.processes, USAGE_RANKS + 20);
    for (unsigned order = 0; order < USAGE_ORDERS; order++) {
        assert_int_equal(ranking.n[order], USAGE_RANKS);
        for (int i = 0; i < USAGE_RANKS; i++)
            assert_int_equal(ranking.ranks[order][i].pid, i + 1);
    }
    process_usage_free(usage);
}

/* Where there is no /proc, or a file is none of it. */
static void nothing_there(void **state)
{
    const struct tree *tree = *state;
    struct process_usage *usage = process_usage_new(tree->root);
    assert_int_equal(process_usage_look(usage, 1, &ranking), ENOENT);
    tree_write(tree, "/proc/7/stat", "7 no brackets\n");
    tree_write(tree, "/proc/8/status", "");
    put(tree, 9, "good", 1, 1, 1);
    look(usage, 1);
    assert_int_equal(ranking.processes, 1);
    look(usage, 1); /* no time has passed: there is no share */
    assert_int_equal(ranking.span_ns, 0);
    process_usage_free(usage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranks, tree_setup, tree_teardown),
        cmocka_unit_test_setup_teardown(pids_come_again, tree_setup, tree_teardown),
        cmocka_unit_test_setup_teardown(programs_change, tree_setup, tree_teardown),
        cmocka_unit_test_setup_teardown(many, tree_setup, tree_teardown),
        cmocka_unit_test_setup_teardown(nothing_there, tree_setup, tree_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
