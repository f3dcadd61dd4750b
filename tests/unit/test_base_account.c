/* Accounts by name, as other programs know them; and what the process and its clocks are. */
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/account.h"
#include "base/clock.h"
#include "base/memory.h"

#include "unit.h"

static void users(void **state)
{
    (void)state;
    char name[ACCOUNT_NAME_SIZE];
    assert_string_equal(account_name(0, name), getpwuid(0)->pw_name);
    assert_ptr_equal(account_name(3999999999u, name), name);
    assert_string_equal(name, "3999999999");
    char own[ACCOUNT_NAME_SIZE];
    assert_string_equal(account_user(own), account_name(geteuid(), name));
}

/* In a process of its own, with groups that have no names. */
static void groups(void **state)
{
    static const struct {
        gid_t groups[10];
        size_t n;
        const char *text;
    } rows[] = {
        {{0}, 0, ""},
        {{70001}, 1, ""}, /* the effective one is not shown twice */
        {{70002, 70001, 70003}, 3, ", 70002, 70003"},
        {{70001, 70002, 70003, 70004, 70005, 70006, 70007, 70008},
         8,
         ", 70002, 70003, 70004, 70005, 70006, 70007, 70008"},
        {{70001, 70002, 70003, 70004, 70005, 70006, 70007, 70008, 70009}, 9, ""},
    };
    (void)state;
    if (geteuid() != 0)
        skip();
    for (size_t i = 0; i < N_OF(rows); i++) {
        pid_t pid = fork();
        if (pid == 0) {
            char text[ACCOUNT_SIZE], expected[ACCOUNT_SIZE];
            if (setgroups(rows[i].n, rows[i].groups) != 0 || setegid(70001) != 0)
                _exit(77);
            snprintf(expected, sizeof expected, "user %s, group 70001%s", getpwuid(0)->pw_name,
                     rows[i].text);
            bool good = account_text(text) == text && strcmp(text, expected) == 0;
            if (!good)
                print_error("\"%s\", not \"%s\"\n", text, expected);
            _exit(good ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            skip();
        assert_int_equal(status, 0);
    }
}

/* Of groups that have names: the first one of the machine. */
static void names_of_groups(void **state)
{
    (void)state;
    const struct group *first = getgrgid(0);
    if (geteuid() != 0 || !first)
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        char text[ACCOUNT_SIZE], expected[ACCOUNT_SIZE];
        const gid_t other = 70001;
        if (setgroups(1, &other) != 0 || setegid(0) != 0)
            _exit(77);
        snprintf(expected, sizeof expected, "user %s, group %s, 70001", getpwuid(0)->pw_name,
                 first->gr_name);
        _exit(strcmp(account_text(text), expected) == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static uint64_t to_ns(clockid_t id)
{
    struct timespec t;
    assert_int_equal(clock_gettime(id, &t), 0);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void clocks(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        uint64_t mono = to_ns(CLOCK_MONOTONIC), boot = to_ns(CLOCK_BOOTTIME) / 1000;
        uint64_t wall = to_ns(CLOCK_REALTIME) / 1000000;
        uint64_t got_mono = clock_mono_ns(), got_boot = clock_boot_us();
        struct moment now = clock_now();
        assert_in_range(got_mono, mono, now.mono_ns);
        assert_in_range(now.mono_ns, got_mono, to_ns(CLOCK_MONOTONIC));
        assert_in_range(got_boot, boot, to_ns(CLOCK_BOOTTIME) / 1000);
        assert_in_range(now.wall_ms, wall, to_ns(CLOCK_REALTIME) / 1000000);
    }
}

/* Kilobytes of files, programs and libraries above all. */
static long resident_of_files(void)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "RssFile: %ld", &kb) == 1)
            break;
    fclose(file);
    return kb;
}

static void lets_go_of_programs(void **state)
{
    (void)state;
    long before = resident_of_files();
    memory_let_go();
    long after = resident_of_files();
    if (before <= 0)
        skip();
    assert_true(after < before);
    char name[ACCOUNT_NAME_SIZE];
    assert_string_equal(account_name(3999999999u, name), "3999999999"); /* all is there still */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users),
        cmocka_unit_test(groups),
        cmocka_unit_test(names_of_groups),
        cmocka_unit_test(clocks),
        cmocka_unit_test(lets_go_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
