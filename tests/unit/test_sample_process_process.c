#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/process/process.h"

#include "tree.h"

/* comm is what stands in brackets; exe NULL: there is none to be read. */
static void put(const struct tree *tree, int pid, const char *comm, unsigned ticks, const char *exe)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    snprintf(text, sizeof text, "%d (%s) S 1 2 3 4 -1 4194560 28 0 0 0 0 0 0 0 20 0 1 0 %u 1 2 3\n",
             pid, comm, ticks);
    tree_write(tree, path, text);
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    if (exe)
        tree_link(tree, path, exe);
    else
        tree_remove(tree, path);
}

static void gone(const struct tree *tree, int pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", pid);
    tree_remove(tree, path);
}

static const char *identifier(const struct process_table *table, pid_t pid)
{
    const struct process *process = process_find(table, pid);
    return process ? process->identifier : "";
}

static void names(void **state)
{
    static const struct {
        const char *comm, *exe, *name;
    } rows[] = {
        {"systemd", "/usr/lib/systemd/systemd", "systemd"},
        {"kthreadd", NULL, "kthreadd"},
        {"tmux: server", "/usr/bin/tmux", "tmux"},
        {"tmux: server", NULL, "tmux__server"},
        {"old", "/usr/bin/old-1.2_x (deleted)", "old-1.2_x"},
        {"a) b (c) S 1", NULL, "a__b__c__S_1"},
        {"a) b (c", "/x/y z", "y_z"},
        {"", NULL, "_"},
        {"root", "/", "root"},
        {"blank", "/ (deleted)", "blank"},
        {"two\nlines", NULL, "two_lines"},
        {"\xc3\xa9", NULL, "__"},
        {"x", "/bin/abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyz012345"},
        {"x", "memfd:code (deleted)", "memfd_code"},
        {"kworker/0:1-events", NULL, "kworker_0_1"},
        {"kworker/u8:2+writeback", NULL, "kworker_u8_2"},
        {"kworker/R-rcu_gp", NULL, "kworker_R-rcu_gp"},
        {"kworker/", NULL, "kworker_"},
        {"ksoftirqd/0", NULL, "ksoftirqd_0"},
    };
    const size_t n = sizeof rows / sizeof *rows;
    const struct tree *tree = *state;
    for (size_t i = 0; i < n; i++)
        put(tree, (int)(100 + i), rows[i].comm, (unsigned)(7 * i), rows[i].exe);
    struct process_table *table = process_table_new(tree->root);
    assert_int_equal(process_scan(table, 1), 0);
    assert_int_equal(process_count(table), n);
    assert_int_equal(process_membership(table), n);
    for (size_t i = 0; i < n; i++) {
        char text[PROCESS_IDENTIFIER_SIZE];
        const struct process *process = process_find(table, (pid_t)(100 + i));
        assert_non_null(process);
        assert_string_equal(process->name, rows[i].name);
        snprintf(text, sizeof text, "%s/%zu", rows[i].name, 100 + i);
        assert_string_equal(process->identifier, text);
        assert_int_equal(process->started, 70 * i);
        assert_int_equal(process->pid, 100 + i);
    }
    process_table_free(table);
}

static void other_entries_are_no_processes(void **state)
{
    static const char *const folders[] = {"self", "01", "1a", "0", "-1", "99999999999", "sys"};
    const struct tree *tree = *state;
    put(tree, 1, "init", 1, NULL);
    put(tree, 2147483647, "last", 1, NULL);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%s/stat", folders[i]);
        tree_write(tree, path, "1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n");
    }
    tree_write(tree, "/proc/77", "a file");
    struct process_table *table = process_table_new(tree->root);
    assert_int_equal(process_scan(table, 1), 0);
    assert_int_equal(process_count(table), 2);
    assert_string_equal(identifier(table, 2147483647), "last/2147483647");
    process_table_free(table);
}

static void broken_stat_is_skipped(void **state)
{
    static const char *const stats[] = {
        "",
        "\n",
        "5 (x",
        "5 x) S\n",
        "5 )x( S 1\n",
        "5 (x) S 1 2\n",
        "5 (x) S 1 2 3 4 -1 4194560 28 0 0 0 0 0 0 0 20 0 1 0 12x 1\n",
        "5 (x) S 1 2 3 4 -1 4194560 28 0 0 0 0 0 0 0 20 0 1 0 12",
    };
    const struct tree *tree = *state;
    struct process_table *table = process_table_new(tree->root);
    put(tree, 4, "good", 1, NULL);
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        tree_write(tree, "/proc/5/stat", stats[i]);
        assert_int_equal(process_scan(table, i), 0);
        assert_int_equal(process_count(table), 1);
    }
    tree_write(tree, "/proc/5/stat", "5 (x) S 1 2 3 4 -1 4194560 28 0 0 0 0 0 0 0 20 0 1 0 12\n");
    assert_int_equal(process_scan(table, 99), 0);
    assert_int_equal(process_find(table, 5)->started, 120);
    process_table_free(table);
}

static void come_and_go(void **state)
{
    const struct tree *tree = *state;
    struct process_table *table = process_table_new(tree->root);
    assert_int_equal(process_scan(table, 1), ENOENT);
    put(tree, 30, "c", 3, NULL);
    put(tree, 4, "b", 2, NULL);
    put(tree, 100, "d", 4, NULL);
    assert_int_equal(process_scan(table, 2), 0);
    assert_int_equal(process_membership(table), 3);
    put(tree, 1, "a", 1, NULL);
    gone(tree, 30);
    assert_int_equal(process_scan(table, 3), 0);
    assert_int_equal(process_membership(table), 5);
    assert_int_equal(process_scan(table, 4), 0);
    assert_int_equal(process_membership(table), 5);
    static const pid_t order[] = {1, 4, 100};
    size_t n = 0;
    for (const struct process *p = process_first(table); p; p = process_next(p))
        assert_int_equal(p->pid, order[n++]);
    assert_int_equal(n, 3);
    assert_null(process_find(table, 30));
    gone(tree, 1);
    gone(tree, 4);
    gone(tree, 100);
    assert_int_equal(process_scan(table, 5), 0);
    assert_null(process_first(table));
    assert_int_equal(process_count(table), 0);
    process_table_free(table);
    process_table_free(NULL);
}

struct watcher {
    size_t there, most;
};

static void count(void *context, const struct process *before, const struct process *after)
{
    struct watcher *watcher = context;
    watcher->there += !before;
    watcher->there -= !after;
    if (watcher->there > watcher->most)
        watcher->most = watcher->there;
}

/* Where all have changed between two scans, the table never has twice as many. */
static void those_gone_make_room(void **state)
{
    const struct tree *tree = *state;
    struct watcher watcher = {0};
    struct process_table *table = process_table_new(tree->root);
    process_table_watch(table, count, &watcher);
    for (int pid = 1; pid <= 200; pid++)
        put(tree, pid, "old", 1, NULL);
    assert_int_equal(process_scan(table, 1), 0);
    for (int pid = 1; pid <= 200; pid++) {
        gone(tree, pid);
        put(tree, 1000 + pid, "new", 2, NULL);
    }
    assert_int_equal(process_scan(table, 2), 0);
    assert_int_equal(process_count(table), 200);
    assert_int_equal(watcher.there, 200);
    assert_int_equal(watcher.most, 200);
    process_table_free(table);
}

/* A fork is seen before it executes another program: the second scan has the new name. */
static void new_process_is_read_twice(void **state)
{
    const struct tree *tree = *state;
    struct process_table *table = process_table_new(tree->root);
    put(tree, 7, "bash", 5, "/bin/bash");
    assert_int_equal(process_scan(table, NS_PER_S), 0);
    assert_string_equal(identifier(table, 7), "bash/7");
    put(tree, 7, "ls", 5, "/bin/ls");
    assert_int_equal(process_scan(table, 2 * NS_PER_S), 0);
    assert_string_equal(identifier(table, 7), "ls/7");
    assert_int_equal(process_membership(table), 2);
    put(tree, 7, "cat", 5, "/bin/cat");
    assert_int_equal(process_scan(table, 3 * NS_PER_S), 0);
    assert_string_equal(identifier(table, 7), "cat/7");
    assert_int_equal(process_scan(table, 4 * NS_PER_S), 0);
    put(tree, 7, "dd", 5, "/bin/dd");
    assert_int_equal(process_scan(table, 5 * NS_PER_S), 0);
    assert_string_equal(identifier(table, 7), "cat/7");
    process_table_free(table);
}

/* The same pid with another start time: seen after 600 to 1200 seconds, and not
 * before 600: which of them depends on the pid, so that not all are read at once. */
static void reuse_is_seen_in_time(void **state)
{
    const struct tree *tree = *state;
    struct process_table *table = process_table_new(tree->root);
    for (int pid = 200; pid < 260; pid++)
        put(tree, pid, "same", 5, NULL);
    assert_int_equal(process_scan(table, 0), 0);
    assert_int_equal(process_scan(table, 0), 0);
    for (int pid = 200; pid < 260; pid++)
        put(tree, pid, "same", 6, NULL);
    assert_int_equal(process_scan(table, 600 * NS_PER_S + 200 * NS_PER_S - 1), 0);
    assert_int_equal(process_membership(table), 60);
    uint64_t before = process_membership(table);
    for (unsigned s = 800; s < 860; s++) {
        assert_int_equal(process_scan(table, s * NS_PER_S), 0);
        assert_int_equal(process_membership(table), ++before);
    }
    assert_int_equal(process_find(table, 230)->started, 60);
    assert_int_equal(process_count(table), 60);
    process_table_free(table);
}

/* Another directory under the same pid is another process: seen at once. */
static void reuse_is_seen_by_inode(void **state)
{
    const struct tree *tree = *state;
    struct process_table *table = process_table_new(tree->root);
    char from[PATH_MAX];
    char to[PATH_MAX];
    put(tree, 8, "first", 5, NULL);
    put(tree, 9, "second", 9, NULL);
    assert_int_equal(process_scan(table, 1), 0);
    assert_int_equal(process_scan(table, 2), 0);
    gone(tree, 8);
    tree_path(tree, "/proc/9", from);
    tree_path(tree, "/proc/8", to);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(process_scan(table, 3), 0);
    assert_string_equal(identifier(table, 8), "second/8");
    assert_int_equal(process_find(table, 8)->started, 90);
    assert_null(process_find(table, 9));
    process_table_free(table);
}

static void real_proc(void **state)
{
    (void)state;
    struct process_table *table = process_table_new("/");
    assert_int_equal(process_scan(table, 1), 0);
    assert_int_equal(process_scan(table, 2), 0);
    const struct process *self = process_find(table, getpid());
    assert_non_null(self);
    assert_true(self->started > 0);
    char exe[PATH_MAX] = "";
    assert_true(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
    assert_int_equal(strncmp(strrchr(exe, '/') + 1, self->name, strlen(self->name)), 0);
    size_t n = 0;
    pid_t last = 0;
    for (const struct process *p = process_first(table); p; p = process_next(p), n++) {
        assert_true(p->pid > last);
        last = p->pid;
    }
    assert_int_equal(n, process_count(table));
    process_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(names),
        tree_test(other_entries_are_no_processes),
        tree_test(broken_stat_is_skipped),
        tree_test(come_and_go),
        tree_test(those_gone_make_room),
        tree_test(new_process_is_read_twice),
        tree_test(reuse_is_seen_in_time),
        tree_test(reuse_is_seen_by_inode),
        cmocka_unit_test(real_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
