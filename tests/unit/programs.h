/* For tests with the real kernel: children that are copies of the test program under names of their
 * own, do as they are told, and say themselves what they have used. */
#ifndef DCAMP_TESTS_PROGRAMS_H
#define DCAMP_TESTS_PROGRAMS_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/limits.h"
#include "tree.h"

/* -- The child ------------------------------------------------------------------------------- */

enum {
    BURN = 'b',
    BURN_IN_THREAD = 'B',
    TOUCH = 't',
    THREADS = 'h',
    FILES = 'f',
    WRITE = 'w',
    BECOME = 'u',
    EXECUTE = 'x',
    QUIT = 'q'
};

struct usage {
    uint64_t cpu_us;
    uint64_t minor;
    uint64_t major;
    uint64_t written;
    uint64_t files;
};

uint64_t cpu_us(const struct rusage *usage);

/* At the beginning of main: of a child, it does not return. */
void program_main(int argc, char **argv);

/* -- The parent ------------------------------------------------------------------------------ */

struct program {
    pid_t pid;
    int in;
    int out;
};

/* Two copies of this program; the second name is longer than the kernel's name of a process. */
struct programs {
    struct tree tree;
    char first[NAME_SIZE];
    char second[NAME_SIZE];
    char first_path[200];
    char second_path[200];
};

int programs_setup(void **state);
int programs_teardown(void **state);

#define programs_test(test) cmocka_unit_test_setup_teardown(test, programs_setup, programs_teardown)

/* With a pid of one's choice, 0: any. */
pid_t fork_as(pid_t pid);
struct program program_start_as(const char *path, pid_t wanted);
struct program program_start(const char *path);
struct usage program_tell(const struct program *running, char what, unsigned number,
                          const char *path);

/* Lets it end, and stay a zombie until program_reap(). */
void program_leave_zombie(const struct program *running);
struct rusage program_reap(const struct program *running);
struct rusage program_stop(const struct program *running);

/* Runs a short-lived one to its end. */
struct rusage program_run_as(const char *path, unsigned us, unsigned pages, unsigned threads,
                             pid_t wanted);
struct rusage program_run(const char *path, unsigned us, unsigned pages, unsigned threads);

#endif
