#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#include "processes.h"

#define ALL (MASK(PROCESS_FIELDS) - 1)
#define ONE (ALL & ~MASK(PROCESS_STARTED))
#define NO_FILES(valid) ((valid) & ~MASK(PROCESS_FILES))
#define NO_IO(valid) ((valid) & ~(MASK(PROCESS_IO_READ) | MASK(PROCESS_IO_WRITE)))
#define TICK 10000 /* microseconds */

/* The columns of the fixture, in the order of the fields. */
#define VALUES(user, system, minor, major, read, write, started, pages, size, threads, files,      \
               count)                                                                              \
    {                                                                                              \
        ((user) + (system)) * TICK, (user)*TICK, (system)*TICK, (minor) + (major), (major),        \
            (minor), (read), (write), (started), (uint64_t)(pages)*page, (size), (threads),        \
            (files), (count)                                                                       \
    }

static void exact_values(void **state)
{
    (void)state;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const struct expected expected[] = {
        {"snmpd", RESOURCE_PROGRAM, ALL,
         VALUES(1200, 340, 2100, 11, 4096, 12288, 1, 2500, 33554432, 2, 3, 1)},
        {"snmpd/123", RESOURCE_PROCESS, ONE,
         VALUES(1200, 340, 2100, 11, 4096, 12288, 0, 2500, 33554432, 2, 3, 1)},
        {"nginx", RESOURCE_PROGRAM, ALL,
         VALUES(3105, 957, 1800, 3, 24576, 12288, 3, 1900, 173342720, 3, 7, 3)},
        {"nginx/202", RESOURCE_PROCESS, ONE,
         VALUES(100, 50, 600, 0, 0, 8192, 0, 700, 57999360, 1, 2, 1)},
        {"cgroup:nginx.service", RESOURCE_PROGRAM, ALL,
         VALUES(3105, 957, 1800, 3, 24576, 12288, 3, 1900, 173342720, 3, 7, 3)},
        {"cgroup:nginx.service/nginx/200", RESOURCE_PROCESS, ONE,
         VALUES(5, 7, 500, 1, 8192, 0, 0, 400, 57344000, 1, 1, 1)},
        {"cgroup:user@1000.service/a__R_1_1/300", RESOURCE_PROCESS, ONE,
         VALUES(1, 2, 10, 0, 0, 0, 0, 10, 4096000, 1, 1, 1)},
        {"a__R_1_1", RESOURCE_PROGRAM, ALL, VALUES(1, 2, 10, 0, 0, 0, 1, 10, 4096000, 1, 1, 1)},
        {"kthreadd", RESOURCE_PROGRAM, NO_FILES(NO_IO(ALL)),
         VALUES(0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1)},
        {"old", RESOURCE_PROGRAM, ALL, VALUES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
        {"nobody", RESOURCE_PROGRAM, ALL, VALUES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
    };
    static const char *const patterns[] = {
        "snmpd snmpd/* nginx", "nginx/202 cgroup:nginx.service cgroup:*/nginx/200",
        "cgroup:user@*/30? a__R_1_? kthreadd", "old old/* nobody"};
    char root[PATH_MAX];
    fixture_path(root, "processes");
    struct sampler *sampler = sampler_new(root);
    assert_int_equal(
        sampler_select(sampler, SOURCE_PROCESS, patterns, N_OF(patterns), SAMPLE_ALL_FIELDS), 0);
    for (uint64_t now = 1; now < 4; now++) {
        processes_pass(sampler, now);
        assert_slots(sampler_set(sampler, SOURCE_PROCESS), expected, N_OF(expected));
    }
    assert_int_equal(sampler_set(sampler, SOURCE_PROCESS)->membership, N_OF(expected));
    sampler_free(sampler);
}

/* The name that "user:" is followed by for what this process makes. */
static const char *owner(void)
{
    const struct passwd *entry = getpwuid(geteuid());
    assert_non_null(entry);
    return entry->pw_name;
}

static void patterns_choose(void **state)
{
    static const struct {
        const char *pattern;
        size_t n;
        const char *instances[8];
    } rows[] = {
        {"", 0, {NULL}},
        {"snmpd", 1, {"snmpd"}},
        {"snmpd/123", 1, {"snmpd/123"}},
        {"snmpd*", 2, {"snmpd", "snmpd/123"}},
        {"nginx/*", 3, {"nginx/200", "nginx/201", "nginx/202"}},
        {"nginx/20[12]", 2, {"nginx/201", "nginx/202"}},
        {"*/20[12]", 2, {"nginx/201", "nginx/202"}},
        {"*/20[12] *:*/20[12]", 6, {"nginx/201", "cgroup:nginx.service/nginx/202"}},
        {"!*/*", 5, {"systemd", "kthreadd", "snmpd", "nginx", "a__R_1_1"}},
        {"!*/* *", 5, {"systemd", "kthreadd", "snmpd", "nginx", "a__R_1_1"}},
        {"!*/* cgroup:*", 5, {"cgroup:init.scope", "cgroup:_", "cgroup:snmpd.service"}},
        {"nosuch", 1, {"nosuch"}},
        {"nothing*", 0, {NULL}},
        {"nosuch/1", 0, {NULL}},
        {"!nosuch nosuch other", 1, {"other"}},
        {"user:nosuch cgroup:nosuch", 2, {"user:nosuch", "cgroup:nosuch"}},
        {"c", 1, {"c"}},
        {"cgroup:user@1000.service", 1, {"cgroup:user@1000.service"}},
        {"cg*:init*", 2, {"cgroup:init.scope", "cgroup:init.scope/systemd/1"}},
        {"?group:init.scope", 1, {"cgroup:init.scope"}},
        {"[c]group:init.scope", 1, {"cgroup:init.scope"}},
    };
    (void)state;
    char root[PATH_MAX];
    fixture_path(root, "processes");
    struct sampler *sampler = sampler_new(root);
    for (size_t i = 0; i < N_OF(rows); i++) {
        assert_int_equal(
            sampler_select(sampler, SOURCE_PROCESS, &rows[i].pattern, 1, SAMPLE_ALL_FIELDS), 0);
        for (uint64_t pass_number = 1; pass_number < 3; pass_number++) {
            processes_pass(sampler, 10 * i + pass_number);
            size_t n = present_count(sampler_set(sampler, SOURCE_PROCESS));
            if (n != rows[i].n)
                fail_msg("'%s': %zu instances", rows[i].pattern, n);
            for (size_t k = 0; k < N_OF(rows[i].instances) && rows[i].instances[k]; k++)
                if (!processes_slot(sampler, rows[i].instances[k]))
                    fail_msg("'%s': %s is missing", rows[i].pattern, rows[i].instances[k]);
        }
    }
    assert_int_equal(sampler_select(sampler, SOURCE_PROCESS, NULL, 0, SAMPLE_ALL_FIELDS), 0);
    processes_pass(sampler, 1000);
    assert_int_equal(present_count(sampler_set(sampler, SOURCE_PROCESS)), 0);
    sampler_free(sampler);
}

static void owners(void **state)
{
    const struct tree *tree = *state;
    char path[PATH_MAX];
    char name[INSTANCE_SIZE];
    char one[INSTANCE_SIZE];
    fake_put(tree, &(struct fake){.pid = 5, .comm = "a", .started = 1, .user = 3});
    fake_put(tree, &(struct fake){.pid = 6, .comm = "b", .started = 1, .user = 4});
    snprintf(name, sizeof name, "user:%s", owner());
    snprintf(one, sizeof one, "user:%s/b/6", owner());
    struct sampler *sampler = processes_sampler(tree->root, "user:*");
    processes_pass(sampler, 1);
    assert_int_equal(present_count(sampler_set(sampler, SOURCE_PROCESS)), 3);
    assert_int_equal(processes_value(sampler, name, PROCESS_CPU), 7 * TICK);
    assert_int_equal(processes_value(sampler, name, PROCESS_COUNT), 2);
    assert_int_equal(processes_value(sampler, one, PROCESS_CPU_USER), 4 * TICK);
    tree_path(tree, "/proc/6", path);
    if (chown(path, 3999999999u, (gid_t)-1) == 0) {
        fake_put(tree, &(struct fake){.pid = 6, .comm = "b", .started = 1, .user = 9});
        processes_pass(sampler, 2); /* a new process is read once more */
        assert_int_equal(processes_value(sampler, name, PROCESS_CPU), 7 * TICK);
        assert_int_equal(processes_value(sampler, name, PROCESS_COUNT), 1);
        assert_int_equal(processes_value(sampler, "user:3999999999", PROCESS_CPU), 5 * TICK);
        assert_int_equal(processes_value(sampler, "user:3999999999/b/6", PROCESS_CPU), 9 * TICK);
        assert_null(processes_slot(sampler, one));
    }
    sampler_free(sampler);
}

static void sums_keep_what_the_dead_left(void **state)
{
    const struct tree *tree = *state;
    struct fake a = {.pid = 10, .comm = "app", .started = 5, .user = 100, .minor = 7};
    struct fake b = {.pid = 11, .comm = "app", .started = 6, .user = 50, .minor = 4};
    fake_put(tree, &a);
    struct sampler *sampler = processes_sampler(tree->root, "app*");
    processes_pass(sampler, 1);
    fake_put(tree, &b);
    processes_pass(sampler, 2);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 150 * TICK);
    assert_int_equal(processes_value(sampler, "app", PROCESS_STARTED), 2);
    a.user = 130;
    fake_put(tree, &a);
    processes_pass(sampler, 3);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 180 * TICK);
    fake_gone(tree, 10);
    processes_pass(sampler, 4);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 180 * TICK);
    assert_int_equal(processes_value(sampler, "app", PROCESS_FAULTS), 11);
    assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 1);
    assert_int_equal(processes_value(sampler, "app", PROCESS_VSIZE), 40960);
    assert_null(processes_slot(sampler, "app/10"));
    fake_gone(tree, 11);
    processes_pass(sampler, 5);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 180 * TICK);
    assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 0);
    assert_int_equal(processes_value(sampler, "app", PROCESS_VSIZE), 0);
    assert_int_equal(processes_value(sampler, "app", PROCESS_STARTED), 2);
    sampler_free(sampler);
}

/* Ten minutes; a sum that is named stays for good. */
static void empty_sums_go(void **state)
{
    const struct tree *tree = *state;
    fake_put(tree, &(struct fake){.pid = 1, .comm = "init", .started = 1});
    fake_put(tree, &(struct fake){.pid = 10, .comm = "app", .started = 5, .user = 100});
    struct sampler *sampler = processes_sampler(tree->root, "a?p nginx");
    processes_pass(sampler, 1);
    fake_gone(tree, 10);
    processes_pass(sampler, 100 * NS_PER_S);
    processes_pass(sampler, 700 * NS_PER_S - 1);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 100 * TICK);
    assert_false(processes_slot(sampler, "app")->unborn);
    processes_pass(sampler, 700 * NS_PER_S);
    assert_null(processes_slot(sampler, "app"));
    assert_int_equal(processes_value(sampler, "nginx", PROCESS_COUNT), 0);
    assert_true(processes_slot(sampler, "nginx")->unborn);
    fake_put(tree, &(struct fake){.pid = 10, .comm = "app", .started = 99, .user = 3});
    processes_pass(sampler, 701 * NS_PER_S);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 3 * TICK);
    sampler_free(sampler);
}

/* The past stays with the old sum, the rest goes to the new one. */
static void another_program_is_executed(void **state)
{
    const struct tree *tree = *state;
    struct fake fake = {.pid = 7, .comm = "sh", .exe = "/bin/dash", .started = 5, .user = 100};
    fake_put(tree, &fake);
    struct sampler *sampler = processes_sampler(tree->root, "dash worker *sh/* work*/*");
    for (uint64_t now = 1; now < 4; now++)
        processes_pass(sampler, now);
    fake = (struct fake){.pid = 7, .comm = "worker", .exe = "/x/worker", .started = 5, .user = 130};
    fake_put(tree, &fake);
    processes_pass(sampler, 4);
    assert_int_equal(processes_value(sampler, "dash", PROCESS_CPU), 100 * TICK);
    assert_int_equal(processes_value(sampler, "dash", PROCESS_COUNT), 0);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_CPU), 30 * TICK);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_IO_READ), 0);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_COUNT), 1);
    assert_int_equal(processes_value(sampler, "worker/7", PROCESS_CPU), 130 * TICK);
    assert_null(processes_slot(sampler, "dash/7"));
    fake.user = 150;
    fake_put(tree, &fake);
    processes_pass(sampler, 5);
    fake_gone(tree, 7);
    processes_pass(sampler, 6);
    assert_int_equal(processes_value(sampler, "dash", PROCESS_CPU), 100 * TICK);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_CPU), 50 * TICK);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_STARTED), 1);
    sampler_free(sampler);
}

/* From and to programs that nobody wants. What a fork did before it executed its program counts. */
static void wanted_only_after_exec(void **state)
{
    const struct tree *tree = *state;
    struct fake old = {.pid = 7, .comm = "bash", .started = 5, .user = 100};
    struct fake young = {.pid = 8, .comm = "bash", .started = 9, .user = 1};
    fake_put(tree, &old);
    struct sampler *sampler = processes_sampler(tree->root, "worker worker/*");
    processes_pass(sampler, 1);
    old.comm = "worker";
    fake_put(tree, &old);
    fake_put(tree, &young);
    processes_pass(sampler, 2);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_CPU),
                     0); /* its past was not here */
    assert_int_equal(processes_value(sampler, "worker", PROCESS_COUNT), 1);
    old.user = 110;
    young.comm = "worker";
    young.user = 20;
    fake_put(tree, &old);
    fake_put(tree, &young);
    processes_pass(sampler, 3);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_CPU), 30 * TICK);
    young.comm = "other";
    young.user = 50;
    fake_put(tree, &young);
    processes_pass(sampler, 4);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_CPU), 30 * TICK);
    assert_int_equal(processes_value(sampler, "worker", PROCESS_COUNT), 1);
    assert_null(processes_slot(sampler, "worker/8"));
    sampler_free(sampler);
}

/* The same directory with another start time: seen at once, by the line itself. */
static void reused_pid_is_another_process(void **state)
{
    const struct tree *tree = *state;
    struct fake fake = {.pid = 7, .comm = "app", .started = 5, .user = 100};
    fake_put(tree, &fake);
    struct sampler *sampler = processes_sampler(tree->root, "app app/*");
    for (uint64_t now = 1; now < 4; now++)
        processes_pass(sampler, now);
    uint32_t incarnation = processes_slot(sampler, "app")->incarnation;
    fake.started = 6;
    fake.user = 20;
    fake_put(tree, &fake);
    processes_pass(sampler, 4);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 120 * TICK);
    assert_int_equal(processes_value(sampler, "app", PROCESS_STARTED), 2);
    assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 1);
    assert_int_equal(processes_value(sampler, "app/7", PROCESS_CPU), 20 * TICK);
    assert_int_equal(processes_slot(sampler, "app")->incarnation, incarnation);
    fake_put(tree, &(struct fake){.pid = 7, .comm = "else", .started = 7, .user = 1});
    processes_pass(sampler, 5);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 120 * TICK);
    assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 0);
    assert_null(processes_slot(sampler, "app/7"));
    sampler_free(sampler);
}

/* Only its pid is left: it does not run, and what it used in the end counts. */
static void zombie_has_ended(void **state)
{
    const struct tree *tree = *state;
    struct fake fake = {.pid = 7, .comm = "app", .started = 5, .user = 100};
    fake_put(tree, &fake);
    struct sampler *sampler = processes_sampler(tree->root, "app app/*");
    processes_pass(sampler, 1);
    fake.state = 'Z';
    fake.user = 140;
    fake.threads = 3; /* the leader has exited, the others go on */
    fake_put(tree, &fake);
    processes_pass(sampler, 2);
    assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 1);
    fake.threads = 1;
    fake.user = 150;
    fake_put(tree, &fake);
    for (uint64_t now = 3; now < 6; now++) {
        processes_pass(sampler, now);
        assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 150 * TICK);
        assert_int_equal(processes_value(sampler, "app", PROCESS_COUNT), 0);
    }
    assert_null(processes_slot(sampler, "app/7"));
    fake_gone(tree, 7);
    processes_pass(sampler, 6);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 150 * TICK);
    assert_int_equal(processes_value(sampler, "app", PROCESS_STARTED), 1);
    sampler_free(sampler);
}

static void counters_do_not_go_back(void **state)
{
    const struct tree *tree = *state;
    struct fake fake = {.pid = 7, .comm = "app", .started = 5, .user = 100, .minor = 9};
    fake_put(tree, &fake);
    struct sampler *sampler = processes_sampler(tree->root, "app app/*");
    processes_pass(sampler, 1);
    fake.user = 99;
    fake.minor = 8;
    fake_put(tree, &fake);
    processes_pass(sampler, 2);
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU_USER), 100 * TICK);
    assert_int_equal(processes_value(sampler, "app/7", PROCESS_FAULTS_MINOR), 9);
    sampler_free(sampler);
}

static void units(void **state)
{
    static const struct {
        const char *text, *instance;
    } rows[] = {
        {"0::/a/b/ssh.service\n", "cgroup:ssh.service"},
        {"3:cpu:/x\n0::/y/getty@tty1.service\n", "cgroup:getty@tty1.service"},
        {"0::/\n", "cgroup:_"},
        {"0::/gone.scope (deleted)\n", "cgroup:gone.scope"},
        {"0::/sys-a\\x2db c.slice", "cgroup:sys-a_x2db_c.slice"},
        {"0::/docker-0123456789012345678901234567890123456789012345678901234567890123.scope\n",
         "cgroup:docker-01234567890123456789012345678901234567890123456789"},
        {"3:cpu:/0::/x\n", NULL},
        {"", NULL},
        {"0:", NULL},
    };
    const struct tree *tree = *state;
    struct sampler *sampler = processes_sampler(tree->root, "!*/* cgroup:* other");
    for (size_t i = 0; i < N_OF(rows); i++) {
        fake_put(tree, &(struct fake){.pid = 7, .comm = "app", .started = (unsigned)i, .user = 4});
        fake_unit(tree, 7, rows[i].text);
        tree_write(tree, "/proc/8/stat", "");
        processes_pass(sampler, 700 * i * NS_PER_S + 1);
        processes_pass(sampler, 700 * i * NS_PER_S + 2);
        assert_non_null(processes_slot(sampler, "other"));
        if (rows[i].instance)
            assert_int_equal(processes_value(sampler, rows[i].instance, PROCESS_CPU), 4 * TICK);
        fake_gone(tree, 7);
        processes_pass(sampler, (700 * i + 1) * NS_PER_S);
        processes_pass(sampler, (700 * i + 699) * NS_PER_S);
        assert_int_equal(present_count(sampler_set(sampler, SOURCE_PROCESS)), 1);
    }
    sampler_free(sampler);
}

static void other_patterns_later(void **state)
{
    static const char *const patterns[] = {"app/*", "app", "cgroup:u user:*", "none", "app*"};
    const struct tree *tree = *state;
    fake_put(tree, &(struct fake){.pid = 7, .comm = "app", .started = 5, .user = 100});
    fake_unit(tree, 7, "0::/u\n");
    struct sampler *sampler = processes_sampler(tree->root, "app");
    processes_pass(sampler, 1);
    for (size_t i = 0; i < N_OF(patterns); i++) {
        assert_int_equal(
            sampler_select(sampler, SOURCE_PROCESS, &patterns[i], 1, SAMPLE_ALL_FIELDS), 0);
        processes_pass(sampler, i + 2);
        assert_int_equal(processes_slot(sampler, "app/7") != NULL, i == 0 || i == 4);
        assert_int_equal(processes_slot(sampler, "app") != NULL, i == 1 || i == 4);
        assert_int_equal(processes_slot(sampler, "cgroup:u") != NULL, i == 2);
        assert_int_equal(processes_slot(sampler, "none") != NULL, i == 3);
    }
    assert_int_equal(processes_value(sampler, "app", PROCESS_CPU), 100 * TICK);
    sampler_free(sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_values),
        cmocka_unit_test(patterns_choose),
        tree_test(owners),
        tree_test(sums_keep_what_the_dead_left),
        tree_test(empty_sums_go),
        tree_test(another_program_is_executed),
        tree_test(wanted_only_after_exec),
        tree_test(reused_pid_is_another_process),
        tree_test(zombie_has_ended),
        tree_test(counters_do_not_go_back),
        tree_test(units),
        tree_test(other_patterns_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
