/* Processes that cannot be read, vanish, or have names and lines of any kind. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "sample/process/read.h"

#include "processes.h"

#define ALL (MASK(PROCESS_FIELDS) - 1)
#define ONE (ALL & ~MASK(PROCESS_STARTED))
#define NO_FILES(valid) ((valid) & ~MASK(PROCESS_FILES))
#define NO_IO(valid) ((valid) & ~(MASK(PROCESS_IO_READ) | MASK(PROCESS_IO_WRITE)))
#define TICK 10000 /* microseconds */

static void what_cannot_be_read_is_not_valid(void **state)
{
    const struct tree *tree = *state;
    fake_put(tree, &(struct fake){.pid = 7, .comm = "app", .started = 5, .user = 100});
    fake_put(tree, &(struct fake){.pid = 8, .comm = "app", .started = 5, .user = 100});
    tree_remove(tree, "/proc/7/io");
    tree_remove(tree, "/proc/8/fd");
    struct sampler *sampler = processes_sampler(tree->root, "app*");
    processes_pass(sampler, 1);
    assert_int_equal(processes_slot(sampler, "app/7")->valid, NO_IO(ONE));
    assert_int_equal(processes_slot(sampler, "app/8")->valid, NO_FILES(ONE));
    assert_int_equal(processes_slot(sampler, "app")->valid, NO_FILES(NO_IO(ALL)));
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 200 * TICK);
    tree_write(tree, "/proc/7/io", "read_bytes: x\nwrite_bytes: 77\n");
    tree_write(tree, "/proc/7/stat", "7 (app) S 1 2 3 4 -1 5 x 9 6 9 200 - 99 99 20 0 1 0 5\n");
    processes_pass(sampler, 2);
    const struct sample_slot *slot = processes_slot(sampler, "app/7");
    assert_int_equal(slot->valid, MASK(PROCESS_CPU_USER) | MASK(PROCESS_FAULTS_MAJOR) |
                                      MASK(PROCESS_IO_WRITE) | MASK(PROCESS_THREADS) |
                                      MASK(PROCESS_FILES) | MASK(PROCESS_COUNT));
    assert_int_equal(slot->field[PROCESS_IO_WRITE], 77);
    sampler_free(sampler);
}

/* A process may vanish between any two reads. */
static void vanishing(void **state)
{
    static const char *const files[] = {"/proc/7/stat", "/proc/7/io",     "/proc/7/fd",
                                        "/proc/7/exe",  "/proc/7/cgroup", "/proc/7"};
    const struct tree *tree = *state;
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    for (size_t i = 0; i < N_OF(files); i++) {
        struct sampler *sampler = processes_sampler(tree->root, "*");
        fake_put(tree, &(struct fake){.pid = 7, .comm = "app", .exe = "/app", .user = 100});
        fake_unit(tree, 7, "0::/u\n");
        tree_remove(tree, files[i]);
        processes_pass(sampler, 1);
        assert_int_equal(processes_slot(sampler, "app") != NULL, i != 0 && i != 5);
        sampler_free(sampler);

        sampler = processes_sampler(tree->root, "*");
        fake_put(tree, &(struct fake){.pid = 7, .comm = "app", .exe = "/app", .user = 100});
        processes_pass(sampler, 1);
        tree_remove(tree, files[i]);
        processes_pass(sampler, 2);
        assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 100 * TICK);
        fake_gone(tree, 7);
        processes_pass(sampler, 3);
        assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 0);
        sampler_free(sampler);
    }
}

static void any_bytes(void **state)
{
    static const char strange[] = {'\0', '\n', ' ', '(', ')', '9', 'x', '-', '\x1b', '\xff'};
    static const char line[] =
        "7 (a) R (1 1) Z 1 2 3 4 -1 4194560 28 9 9 9 77 88 99 99 20 0 1 0 5 40960 5 6\n";
    const struct tree *tree = *state;
    char text[sizeof line];
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    fake_put(tree, &(struct fake){.pid = 7, .comm = "app", .started = 5});
    struct sampler *sampler = processes_sampler(tree->root, "*");
    for (size_t i = 0; i < 2 * sizeof line; i++) {
        memcpy(text, line, sizeof line);
        if (i < sizeof line - 1)
            text[i] = strange[i % sizeof strange];
        tree_write_bytes(tree, "/proc/7/stat", text, i < sizeof line ? i : i - sizeof line);
        tree_write_bytes(tree, "/proc/7/io", text, i % sizeof line);
        fake_unit(tree, 7, text);
        processes_pass(sampler, i + 1);
        const struct sample_set *set = sampler_set(sampler, SOURCE_PROCESS);
        for (size_t k = 0; k < set->count; k++)
            assert_int_equal(set->slots[k].valid & ~ALL, 0);
    }
    sampler_free(sampler);
}

/* Few handles, as in a shell with ulimit -n 40: values come all the same. */
static void thousands_of_processes(void **state)
{
    const struct tree *tree = *state;
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    for (int pid = 1; pid <= 1000; pid++)
        fake_put(tree, &(struct fake){.pid = pid, .comm = "many", .started = 1, .user = 2});
    struct rlimit few = {.rlim_cur = 40, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    struct sampler *sampler = processes_sampler(tree->root, "many many/50*");
    for (uint64_t now = 1; now < 3; now++) {
        processes_pass(sampler, now);
        assert_int_equal(processes_value(sampler, "many", PROCESS_CPU), 2000 * TICK);
        assert_int_equal(processes_value(sampler, "many", PROCESS_COUNT), 1000);
        assert_int_equal(processes_value(sampler, "many", PROCESS_FILES), 1000);
        assert_int_equal(processes_value(sampler, "many/500", PROCESS_CPU), 2 * TICK);
        assert_int_equal(present_count(sampler_set(sampler, SOURCE_PROCESS)), 12);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    sampler_free(sampler);
}

/* Flags, vsize and threads of a line, and whether the process has ended. The last two: other
 * threads go on; a kernel thread, which has no memory either. */
static void leaving_processes_have_ended(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool ended;
    } lines[] = {
        {"7 (app) S 1 2 3 4 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 5 40960 5\n", false},
        {"7 (app) R 1 2 3 4 -1 4194564 0 0 0 0 0 0 0 0 20 0 1 0 5 40960 5\n", false},
        {"7 (app) R 1 2 3 4 -1 4194564 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n", true},
        {"7 (app) Z 1 2 3 4 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n", true},
        {"7 (app) R 1 2 3 4 -1 4194564 0 0 0 0 0 0 0 0 20 0 2 0 5 0 0\n", false},
        {"7 (app) S 1 2 3 4 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n", false},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct process_stat stat;
        assert_true(process_stat_scan(lines[i].line, &stat));
        if (stat.ended != lines[i].ended)
            fail_msg("%s", lines[i].line);
    }
}

static void no_proc_is_an_error(void **state)
{
    const struct tree *tree = *state;
    struct sampler *sampler = processes_sampler(tree->root, "app");
    assert_int_equal(sampler_read(sampler, SOURCE_PROCESS, 1), ENOENT);
    assert_int_equal(sampler_set(sampler, SOURCE_PROCESS)->error, ENOENT);
    fake_put(tree, &(struct fake){.pid = 7, .comm = "app", .started = 5, .user = 100});
    processes_pass(sampler, 2);
    assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 1);
    sampler_free(sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(what_cannot_be_read_is_not_valid),
        tree_test(vanishing),
        tree_test(any_bytes),
        tree_test(thousands_of_processes),
        cmocka_unit_test(leaving_processes_have_ended),
        tree_test(no_proc_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
