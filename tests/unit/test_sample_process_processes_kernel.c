/* The processes of the real kernel, of which the children say what they have used. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/process/events.h"
#include "sample/process/task_exits.h"
#include "sample/process/values.h"

#include "processes.h"
#include "programs.h"

#define TICK 10000 /* microseconds */

static void pass_now(struct sampler *sampler)
{
    processes_pass(sampler, clock_mono_ns());
}

/* The kernel tells here of what happens to processes. */
static bool has_events(void)
{
    int events = process_events_open();
    process_events_close(events);
    if (events < 0)
        print_message("the proc connector is not permitted here: %s\n", strerror(-events));
    return events >= 0;
}

/* And of what they used at their end. */
static bool has_exits(void)
{
    int exits = has_events() ? task_exits_open() : -ENOTSUP;
    if (exits >= 0)
        close(exits);
    else
        print_message("taskstats are not permitted here: %s\n", strerror(-exits));
    return exits >= 0;
}

/* After its first pass, listening; without the kernel's records the test is skipped. */
static struct sampler *sampler_of_exits(const char *pattern)
{
    if (!has_exits())
        skip();
    struct sampler *sampler = processes_sampler("/", pattern);
    pass_now(sampler);
    return sampler;
}

static void assert_between(uint64_t number, uint64_t least, uint64_t most, const char *what)
{
    if (number < least || number > most)
        fail_msg("%s: %ju, not %ju to %ju", what, (uintmax_t)number, (uintmax_t)least,
                 (uintmax_t)most);
}

/* Another spelling of "/" makes the sampler scan instead of listening. */
static const char *const roots[] = {"/", "/."};

static void living_child(void **state)
{
    const struct programs *programs = *state;
    char pattern[PATTERN_SIZE];
    char one[INSTANCE_SIZE];
    char file[220];
    snprintf(pattern, sizeof pattern, "%s %s/*", programs->first, programs->first);
    snprintf(file, sizeof file, "%s.data", programs->first_path);
    for (size_t i = 0; i < N_OF(roots); i++) {
        struct sampler *sampler = processes_sampler(roots[i], pattern);
        pass_now(sampler);
        assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 0);
        struct program running = program_start(programs->first_path);
        snprintf(one, sizeof one, "%s/%d", programs->first, (int)running.pid);
        struct usage before = program_tell(&running, BURN, 0, "");
        pass_now(sampler);
        uint64_t rss = processes_value(sampler, one, PROCESS_RSS);
        program_tell(&running, BURN, 60000, "");
        program_tell(&running, TOUCH, 1000, "");
        program_tell(&running, FILES, 7, "");
        program_tell(&running, WRITE, 1 << 20, file);
        struct usage report = program_tell(&running, THREADS, 3, "");
        pass_now(sampler);
        const char *const names[] = {one, programs->first};
        for (size_t k = 0; k < N_OF(names); k++) {
            assert_between(processes_value(sampler, names[k], PROCESS_CPU),
                           report.cpu_us - 2 * TICK, report.cpu_us + TICK, "CPU time");
            assert_between(processes_value(sampler, names[k], PROCESS_FAULTS_MINOR), report.minor,
                           report.minor + 100, "minor faults");
            assert_int_equal(processes_value(sampler, names[k], PROCESS_FAULTS_MAJOR),
                             report.major);
            assert_int_equal(processes_value(sampler, names[k], PROCESS_THREADS), 4);
            assert_int_equal(processes_value(sampler, names[k], PROCESS_FILES), report.files);
            assert_int_equal(processes_value(sampler, names[k], PROCESS_IO_WRITE), report.written);
            assert_int_equal(processes_value(sampler, names[k], PROCESS_COUNT), 1);
            assert_true(processes_value(sampler, names[k], PROCESS_RSS) >= rss + 900 * 4096);
            assert_true(processes_value(sampler, names[k], PROCESS_VSIZE) >
                        processes_value(sampler, names[k], PROCESS_RSS));
        }
        assert_true(report.cpu_us >= before.cpu_us + 60000);
        assert_true(report.minor >= before.minor + 1000);
        assert_int_equal(report.files, before.files + 7);
        program_stop(&running);
        pass_now(sampler);
        assert_null(processes_slot(sampler, one));
        assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 0);
        assert_true(processes_value(sampler, programs->first, PROCESS_CPU) + 2 * TICK >=
                    report.cpu_us);
        sampler_free(sampler);
    }
}

/* Started and gone between two passes: their time and faults are in the sums. */
static void short_lived_children(void **state)
{
    enum { CHILDREN = 12, BURNT = 8000, PAGES = 300 };
    const struct programs *programs = *state;
    char pattern[PATTERN_SIZE];
    snprintf(pattern, sizeof pattern, "%s user:*", programs->first);
    struct sampler *sampler = sampler_of_exits(pattern);
    char owner[INSTANCE_SIZE] = "";
    const struct sample_set *set = sampler_set(sampler, SOURCE_PROCESS);
    uint64_t us = 0, minor = 0;
    for (unsigned i = 0; i < CHILDREN; i++) {
        struct rusage usage = program_run(programs->first_path, BURNT, PAGES, 0);
        us += cpu_us(&usage);
        minor += (uint64_t)usage.ru_minflt;
    }
    for (size_t i = 0; i < set->count; i++)
        if (strncmp(set->slots[i].name, "user:", 5) == 0 && !strchr(set->slots[i].name, '/'))
            snprintf(owner, sizeof owner, "%s", set->slots[i].name);
    assert_true(owner[0]);
    pass_now(sampler);
    uint64_t sum = processes_value(sampler, programs->first, PROCESS_CPU);
    /* Less what the kernel does for a process after its record. */
    assert_between(sum, CHILDREN * (uint64_t)BURNT, us + CHILDREN * 200, "CPU time");
    assert_between(sum, us - us / 4, us + CHILDREN * 200, "CPU time");
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_CPU_USER) +
                         processes_value(sampler, programs->first, PROCESS_CPU_SYSTEM),
                     sum);
    assert_between(processes_value(sampler, programs->first, PROCESS_FAULTS_MINOR),
                   minor - CHILDREN * 10, minor + CHILDREN * 10, "minor faults");
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_STARTED), CHILDREN);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 0);
    pass_now(sampler);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_CPU), sum);
    sampler_free(sampler);
}

/* The record of each thread counts, that of the process does not count again; and what was read
 * while a process lived is not counted again at its end. */
static void nothing_counts_twice(void **state)
{
    const struct programs *programs = *state;
    struct sampler *sampler = sampler_of_exits(programs->first);
    struct rusage usage = program_run(programs->first_path, 20000, 1, 4);
    pass_now(sampler);
    uint64_t sum = processes_value(sampler, programs->first, PROCESS_CPU);
    assert_between(sum, 80000, cpu_us(&usage) + 1000, "CPU time of threads");
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_STARTED), 1);

    struct program running = program_start(programs->first_path);
    program_tell(&running, BURN, 50000, "");
    program_tell(&running, THREADS, 2, "");
    pass_now(sampler);
    assert_true(processes_value(sampler, programs->first, PROCESS_CPU) > sum);
    program_tell(&running, BURN, 33000, "");
    usage = program_stop(&running);
    pass_now(sampler);
    assert_between(processes_value(sampler, programs->first, PROCESS_CPU) - sum, 83000,
                   cpu_us(&usage) + 1000, "CPU time in two intervals");
    assert_between(processes_value(sampler, programs->first, PROCESS_FAULTS_MINOR), 1, UINT32_MAX,
                   "faults");
    sampler_free(sampler);
}

static void program_changes(void **state)
{
    const struct programs *programs = *state;
    char pattern[PATTERN_SIZE];
    char one[INSTANCE_SIZE];
    snprintf(pattern, sizeof pattern, "%s %s %s/*", programs->first, programs->second,
             programs->second);
    for (size_t i = 0; i < N_OF(roots); i++) {
        struct sampler *sampler = processes_sampler(roots[i], pattern);
        pass_now(sampler);
        struct program running = program_start(programs->first_path);
        snprintf(one, sizeof one, "%s/%d", programs->second, (int)running.pid);
        program_tell(&running, BURN, 60000, "");
        pass_now(sampler);
        uint64_t past = processes_value(sampler, programs->first, PROCESS_CPU);
        assert_true(past >= 60000 - 2 * TICK);
        program_tell(&running, EXECUTE, 0, programs->second_path);
        struct usage report = program_tell(&running, BURN, 40000, "");
        pass_now(sampler);
        assert_int_equal(processes_value(sampler, programs->first, PROCESS_CPU), past);
        assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 0);
        assert_int_equal(processes_value(sampler, programs->second, PROCESS_COUNT), 1);
        assert_between(processes_value(sampler, programs->second, PROCESS_CPU), 40000 - 2 * TICK,
                       report.cpu_us - past + TICK, "CPU time after the exec");
        assert_between(processes_value(sampler, one, PROCESS_CPU), report.cpu_us - 2 * TICK,
                       report.cpu_us + TICK, "CPU time in all");
        program_stop(&running);
        sampler_free(sampler);
    }
}

/* Without having been seen alive, a program is known by its file once it was seen elsewhere. */
static void dead_are_known_by_their_file(void **state)
{
    const struct programs *programs = *state;
    if (!has_exits())
        skip();
    struct sampler *sampler = processes_sampler("/", programs->second);
    struct program running = program_start(programs->second_path);
    program_tell(&running, BURN, 0, "");
    pass_now(sampler);
    program_run(programs->second_path, 1000, 1, 0);
    pass_now(sampler);
    assert_int_equal(processes_value(sampler, programs->second, PROCESS_STARTED), 2);
    assert_int_equal(processes_value(sampler, programs->second, PROCESS_COUNT), 1);
    program_stop(&running);
    sampler_free(sampler);

    if (access("/bin/sh", X_OK) != 0 || access("/usr/bin", X_OK) != 0)
        skip();
    char *shell = realpath("/bin/sh", NULL);
    assert_non_null(shell);
    sampler = processes_sampler("/", strrchr(shell, '/') + 1);
    pass_now(sampler);
    uint64_t before = processes_value(sampler, strrchr(shell, '/') + 1, PROCESS_STARTED);
    assert_int_equal(system("true; exit 0"), 0);
    pass_now(sampler);
    assert_true(processes_value(sampler, strrchr(shell, '/') + 1, PROCESS_STARTED) > before);
    sampler_free(sampler);
    free(shell);
}

static bool can_choose_pid(pid_t pid)
{
    pid_t child = fork_as(pid);
    if (child == 0)
        _exit(0);
    if (child < 0)
        print_message("no pid of one's choice here: %s\n", strerror(errno));
    return child == pid && waitpid(pid, NULL, 0) == pid;
}

/* One pid, three processes in one interval: the end of the first, all of the second, and the
 * beginning of the third. Each one's record counts for itself. */
static void reused_pid(void **state)
{
    const struct programs *programs = *state;
    struct sampler *sampler = sampler_of_exits(programs->first);
    struct program first = program_start(programs->first_path);
    program_tell(&first, BURN, 200000, "");
    pass_now(sampler);
    program_tell(&first, BURN, 35000, "");
    struct rusage usage = program_stop(&first);
    uint64_t most = cpu_us(&usage);
    if (!can_choose_pid(first.pid)) {
        sampler_free(sampler);
        skip();
    }
    usage = program_run_as(programs->first_path, 20000, 1, 0, first.pid);
    most += cpu_us(&usage);
    struct program third = program_start_as(programs->first_path, first.pid);
    assert_int_equal(third.pid, first.pid);
    most += program_tell(&third, BURN, 150000, "").cpu_us;
    pass_now(sampler);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_STARTED), 3);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 1);
    assert_between(processes_value(sampler, programs->first, PROCESS_CPU), 405000 - 2 * TICK,
                   most + TICK, "CPU time of three");
    most -= program_tell(&third, BURN, 0, "").cpu_us;
    usage = program_stop(&third);
    most += cpu_us(&usage);
    pass_now(sampler);
    assert_between(processes_value(sampler, programs->first, PROCESS_CPU), 405000, most + TICK,
                   "CPU time of three");
    sampler_free(sampler);
}

static void sleep_until(uint64_t at_ns)
{
    struct timespec until = {(time_t)(at_ns / NS_PER_S), (long)(at_ns % NS_PER_S)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* The one that lives is as old as the one that is dead was at its end: by the age in its record,
 * the record could be of either. */
static void reused_pid_at_the_same_age(void **state)
{
    const struct programs *programs = *state;
    struct sampler *sampler = sampler_of_exits(programs->first);
    uint64_t began = clock_mono_ns();
    struct program first = program_start(programs->first_path);
    program_tell(&first, BURN, 60000, "");
    pass_now(sampler);
    program_tell(&first, BURN, 60000, "");
    struct rusage usage = program_stop(&first);
    uint64_t age = clock_mono_ns() - began, most = cpu_us(&usage);
    if (!can_choose_pid(first.pid)) {
        sampler_free(sampler);
        skip();
    }
    began = clock_mono_ns();
    struct program second = program_start_as(programs->first_path, first.pid);
    most += program_tell(&second, BURN, 30000, "").cpu_us;
    sleep_until(began + age);
    pass_now(sampler);
    assert_between(processes_value(sampler, programs->first, PROCESS_CPU), 150000 - 2 * TICK,
                   most + TICK, "CPU time of two");
    program_stop(&second);
    sampler_free(sampler);
}

static void owner_changes(void **state)
{
    const uid_t other = 3999999999u;
    const struct programs *programs = *state;
    char pattern[PATTERN_SIZE];
    char one[INSTANCE_SIZE];
    if (geteuid() != 0)
        print_message("only root becomes another user\n");
    if (geteuid() != 0 || !has_events())
        skip();
    snprintf(pattern, sizeof pattern, "user:%u*", (unsigned)other);
    struct sampler *sampler = processes_sampler("/", pattern);
    pass_now(sampler);
    struct program running = program_start(programs->first_path);
    snprintf(one, sizeof one, "user:%u/%s/%d", (unsigned)other, programs->first, (int)running.pid);
    program_tell(&running, BURN, 60000, "");
    pass_now(sampler);
    pass_now(sampler);
    assert_null(processes_slot(sampler, one));
    struct usage report = program_tell(&running, BECOME, other, "");
    for (unsigned i = 0; i < 3; i++) {
        pass_now(sampler);
        if (!processes_slot(sampler, one) && i == 2)
            fail_msg("%s is missing", one);
    }
    pattern[strlen(pattern) - 1] = '\0';
    assert_int_equal(processes_value(sampler, pattern, PROCESS_COUNT), 1);
    assert_true(processes_value(sampler, pattern, PROCESS_CPU) <= 2 * TICK);
    assert_true(processes_value(sampler, one, PROCESS_CPU) + 2 * TICK >= report.cpu_us);
    program_stop(&running);
    sampler_free(sampler);
}

/* What a thread used that ended before anybody watched is in no record, but was read. */
static void thread_ended_before(void **state)
{
    const struct programs *programs = *state;
    if (!has_exits())
        skip();
    struct program running = program_start(programs->first_path);
    program_tell(&running, BURN_IN_THREAD, 90000, "");
    struct sampler *sampler = processes_sampler("/", programs->first);
    pass_now(sampler);
    uint64_t user = processes_value(sampler, programs->first, PROCESS_CPU_USER);
    uint64_t system = processes_value(sampler, programs->first, PROCESS_CPU_SYSTEM);
    struct rusage usage = program_stop(&running);
    pass_now(sampler);
    assert_true(user + system >= 90000 - 2 * TICK);
    assert_between(processes_value(sampler, programs->first, PROCESS_CPU), user + system,
                   cpu_us(&usage) + TICK, "CPU time");
    assert_true(processes_value(sampler, programs->first, PROCESS_CPU_USER) >= user);
    assert_true(processes_value(sampler, programs->first, PROCESS_CPU_SYSTEM) >= system);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_CPU_USER) +
                         processes_value(sampler, programs->first, PROCESS_CPU_SYSTEM),
                     processes_value(sampler, programs->first, PROCESS_CPU));
    sampler_free(sampler);
}

/* A process known as another program, which nobody wants, executes one that is wanted and dies
 * before the next pass: its record tells of its past, and that is not the program's. */
static void past_of_the_dead(void **state)
{
    const struct programs *programs = *state;
    if (!has_exits())
        skip();
    struct sampler *sampler = processes_sampler("/", programs->first);
    struct program running = program_start(programs->second_path);
    program_tell(&running, BURN, 150000, "");
    pass_now(sampler);
    pass_now(sampler);
    program_tell(&running, EXECUTE, 0, programs->first_path);
    program_stop(&running);
    pass_now(sampler);
    assert_between(processes_value(sampler, programs->first, PROCESS_CPU), 0, 100000, "CPU time");
    sampler_free(sampler);
}

/* More events than any buffer holds: what the lost ones told is found by a scan. */
static void flood(void **state)
{
    const struct programs *programs = *state;
    if (!has_events())
        skip();
    struct sampler *sampler = processes_sampler("/", programs->first);
    struct program first = program_start(programs->second_path);
    program_tell(&first, BURN, 0, "");
    pass_now(sampler);
    pass_now(sampler);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 0);
    for (unsigned i = 0; i < 6000; i++) {
        pid_t pid = vfork();
        if (pid == 0)
            _exit(0);
        waitpid(pid, NULL, 0);
    }
    struct program second = program_start(programs->first_path);
    struct program third = program_start(programs->first_path);
    program_tell(&second, BURN, 0, "");
    program_tell(&third, BURN, 0, "");
    program_tell(&first, EXECUTE, 0, programs->first_path);
    program_tell(&first, BURN, 0, "");
    pass_now(sampler);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 3);
    program_stop(&first);
    program_stop(&second);
    program_stop(&third);
    pass_now(sampler);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 0);
    sampler_free(sampler);
}

/* Between two passes it began, burned and ended, and nobody has waited for it yet. */
static void dead_before_it_was_seen(void **state)
{
    const struct programs *programs = *state;
    if (!has_exits())
        skip();
    struct sampler *sampler = processes_sampler("/", programs->first);
    struct program known =
        program_start(programs->first_path); /* so that the program's file is known */
    pass_now(sampler);
    uint64_t before = processes_value(sampler, programs->first, PROCESS_CPU);
    struct program zombies[5];
    for (int i = 0; i < 5; i++) {
        zombies[i] = program_start(programs->first_path);
        program_tell(&zombies[i], BURN, 30000, "");
        program_leave_zombie(&zombies[i]);
    }
    for (int i = 0; i < 2; i++) {
        pass_now(sampler);
        assert_int_equal(processes_value(sampler, programs->first, PROCESS_STARTED), 6);
        assert_int_equal(processes_value(sampler, programs->first, PROCESS_COUNT), 1);
        assert_between(processes_value(sampler, programs->first, PROCESS_CPU) - before, 5 * 30000,
                       UINT64_MAX, "CPU time of those that nobody waited for");
    }
    uint64_t most = TICK;
    for (int i = 0; i < 5; i++) {
        struct rusage usage = program_reap(&zombies[i]);
        most += cpu_us(&usage);
    }
    pass_now(sampler);
    assert_int_equal(processes_value(sampler, programs->first, PROCESS_STARTED), 6);
    uint64_t all = processes_value(sampler, programs->first, PROCESS_CPU) - before;
    struct rusage usage =
        program_stop(&known); /* which may still have begun when it was first seen */
    assert_between(all, 5 * 30000, most + TICK + cpu_us(&usage), "CPU time of all");
    sampler_free(sampler);
}

/* Of another user's process, the kernel does not show what it reads and writes. */
static void what_is_not_shown(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    const char *pattern = "*/1";
    struct sampler *sampler = sampler_new("/");
    assert_int_equal(sampler_select(sampler, SOURCE_PROCESS, &pattern, 1, SAMPLE_ALL_FIELDS), 0);
    assert_int_equal(seteuid(65534), 0);
    int error = sampler_read(sampler, SOURCE_PROCESS, 1);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(error, 0);
    const struct sample_set *set = sampler_set(sampler, SOURCE_PROCESS);
    assert_int_equal(set->count, 1);
    assert_true(set->slots[0].refused);
    assert_false(set->slots[0].valid >> PROCESS_IO_READ & 1);
    assert_true(set->slots[0].valid >> PROCESS_RSS & 1);
    sampler_free(sampler);
}

static uint64_t own_files(void)
{
    uint64_t n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Since Linux 6.2 the size of the directory is their number; where it is not, entries are counted,
 * among them the one that is opened for that. */
static void open_files_are_counted(void **state)
{
    (void)state;
    struct process_files files;
    struct process_reader reader;
    struct process_values values;
    struct stat status;
    char root[PATH_MAX];
    assert_int_equal(stat("/proc/self/fd", &status), 0);
    assert_int_equal(process_files_open(&files, "/"), 0);
    assert_int_equal(files.counted, status.st_size > 0);
    process_reader_init(&reader, getpid());
    assert_int_equal(process_reader_read(&files, &reader, &values), 0);
    assert_true(values.valid >> PROCESS_FILES & 1);
    assert_int_equal(values.field[PROCESS_FILES], own_files() + !files.counted);
    process_reader_release(&files, &reader);
    process_files_close(&files);
    fixture_path(root, "processes");
    assert_int_equal(process_files_open(&files, root), 0);
    assert_false(files.counted); /* a directory on a disk */
    process_files_close(&files);
}

int main(int argc, char **argv)
{
    program_main(argc, argv);
    const struct CMUnitTest tests[] = {
        programs_test(living_child),
        programs_test(short_lived_children),
        programs_test(nothing_counts_twice),
        programs_test(program_changes),
        programs_test(dead_are_known_by_their_file),
        programs_test(dead_before_it_was_seen),
        programs_test(reused_pid),
        programs_test(reused_pid_at_the_same_age),
        programs_test(owner_changes),
        programs_test(thread_ended_before),
        programs_test(past_of_the_dead),
        programs_test(flood),
        cmocka_unit_test(what_is_not_shown),
        cmocka_unit_test(open_files_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
