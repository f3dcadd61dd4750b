#include "programs.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* -- The child ------------------------------------------------------------------------------- */

struct command {
    char what;
    unsigned number;
    char path[256];
};

uint64_t cpu_us(const struct rusage *usage)
{
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static uint64_t clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void burn(unsigned us)
{
    uint64_t end = clock_us(CLOCK_THREAD_CPUTIME_ID) + us;
    while (clock_us(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void touch(unsigned pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(2);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        memory[i * page] = 1;
}

static void *sleeper(void *unused)
{
    pause();
    return unused;
}

static void *burner(void *us)
{
    burn(*(unsigned *)us);
    return NULL;
}

static void burn_in_threads(unsigned n, unsigned us)
{
    pthread_t threads[16];
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, burner, &us) != 0)
            _exit(3);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static void start_threads(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sleeper, NULL) != 0)
            _exit(3);
    }
}

static void open_files(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (open("/dev/null", O_RDONLY) < 0)
            _exit(4);
}

static void write_file(const char *path, unsigned size)
{
    char *text = calloc(1, size);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!text || fd < 0 || write(fd, text, size) != (ssize_t)size || fsync(fd) != 0)
        _exit(5);
    close(fd);
    free(text);
}

static uint64_t written(void)
{
    unsigned long long number = 0;
    char line[128];
    FILE *io = fopen("/proc/self/io", "r");
    while (io && fgets(line, sizeof line, io))
        if (sscanf(line, "write_bytes: %llu", &number) == 1)
            break;
    if (io)
        fclose(io);
    return number;
}

static uint64_t files(void)
{
    uint64_t n = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n - 1;
}

static void say_usage(void)
{
    struct rusage usage;
    struct usage report = {.written = written(), .files = files()};
    getrusage(RUSAGE_SELF, &usage);
    report.cpu_us = cpu_us(&usage);
    report.minor = (uint64_t)usage.ru_minflt;
    report.major = (uint64_t)usage.ru_majflt;
    if (write(STDOUT_FILENO, &report, sizeof report) != sizeof report)
        _exit(6);
}

static void obey(void)
{
    struct command command;
    while (read(STDIN_FILENO, &command, sizeof command) == sizeof command) {
        switch (command.what) {
        case BURN:
            burn(command.number);
            break;
        case BURN_IN_THREAD:
            burn_in_threads(1, command.number);
            break;
        case TOUCH:
            touch(command.number);
            break;
        case THREADS:
            start_threads(command.number);
            break;
        case FILES:
            open_files(command.number);
            break;
        case WRITE:
            write_file(command.path, command.number);
            break;
        case BECOME:
            if (setuid(command.number) != 0)
                _exit(8);
            break;
        case EXECUTE:
            execl(command.path, command.path, "child", (char *)NULL);
            _exit(7);
        default:
            _exit(0);
        }
        say_usage();
    }
    _exit(0);
}

/* Burns in so many threads at once, and touches so many pages; then it is gone. */
static void be_short(char **arguments)
{
    unsigned us = (unsigned)atoi(arguments[0]);
    unsigned n = (unsigned)atoi(arguments[2]);
    touch((unsigned)atoi(arguments[1]));
    burn_in_threads(n, us);
    if (n == 0)
        burn(us);
    _exit(0);
}

void program_main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "child") == 0)
        obey();
    if (argc == 5 && strcmp(argv[1], "short") == 0)
        be_short(argv + 2);
}

/* -- The parent ------------------------------------------------------------------------------ */

static void copy_self(const char *path)
{
    static char block[1 << 16];
    size_t got;
    FILE *self = fopen("/proc/self/exe", "r");
    FILE *file = fopen(path, "w");
    assert_true(self && file);
    while ((got = fread(block, 1, sizeof block, self)) > 0)
        assert_int_equal(fwrite(block, 1, got, file), got);
    assert_int_equal(fclose(self), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

int programs_setup(void **state)
{
    struct programs *programs = calloc(1, sizeof *programs);
    tree_new(&programs->tree);
    const char *own = programs->tree.root + strlen(programs->tree.root) - 6;
    snprintf(programs->first, NAME_SIZE, "dct1-%s", own);
    snprintf(programs->second, NAME_SIZE, "dcamp-test-second-%s", own);
    snprintf(programs->first_path, sizeof programs->first_path, "%.80s/%s", programs->tree.root,
             programs->first);
    snprintf(programs->second_path, sizeof programs->second_path, "%.80s/%s", programs->tree.root,
             programs->second);
    copy_self(programs->first_path);
    copy_self(programs->second_path);
    *state = programs;
    return 0;
}

int programs_teardown(void **state)
{
    struct programs *programs = *state;
    tree_remove(&programs->tree, "");
    free(programs);
    return 0;
}

pid_t fork_as(pid_t pid)
{
    struct clone_args arguments = {
        .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = pid != 0};
    return pid ? (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments) : fork();
}

struct program program_start_as(const char *path, pid_t wanted)
{
    int to[2], from[2];
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    fcntl(to[1], F_SETFD, FD_CLOEXEC);
    fcntl(from[0], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork_as(wanted);
    if (pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(from[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(path, path, "child", (char *)NULL);
        _exit(9);
    }
    assert_true(pid > 0);
    close(to[0]);
    close(from[1]);
    return (struct program){pid, to[1], from[0]};
}

struct program program_start(const char *path)
{
    return program_start_as(path, 0);
}

struct usage program_tell(const struct program *running, char what, unsigned number,
                          const char *path)
{
    struct command command = {.what = what, .number = number};
    struct usage report = {.cpu_us = 0};
    snprintf(command.path, sizeof command.path, "%s", path);
    assert_int_equal(write(running->in, &command, sizeof command), sizeof command);
    if (what != QUIT && what != EXECUTE)
        assert_int_equal(read(running->out, &report, sizeof report), sizeof report);
    return report;
}

void program_leave_zombie(const struct program *running)
{
    siginfo_t info;
    program_tell(running, QUIT, 0, "");
    assert_int_equal(waitid(P_PID, (id_t)running->pid, &info, WEXITED | WNOWAIT), 0);
    close(running->in);
    close(running->out);
}

struct rusage program_reap(const struct program *running)
{
    struct rusage usage;
    assert_int_equal(wait4(running->pid, NULL, 0, &usage), running->pid);
    return usage;
}

struct rusage program_stop(const struct program *running)
{
    struct rusage usage;
    program_tell(running, QUIT, 0, "");
    assert_int_equal(wait4(running->pid, NULL, 0, &usage), running->pid);
    close(running->in);
    close(running->out);
    return usage;
}

struct rusage program_run_as(const char *path, unsigned us, unsigned pages, unsigned threads,
                             pid_t wanted)
{
    char texts[3][16];
    struct rusage usage;
    int status;
    snprintf(texts[0], sizeof texts[0], "%u", us);
    snprintf(texts[1], sizeof texts[1], "%u", pages);
    snprintf(texts[2], sizeof texts[2], "%u", threads);
    pid_t pid = fork_as(wanted);
    if (pid == 0) {
        execl(path, path, "short", texts[0], texts[1], texts[2], (char *)NULL);
        _exit(9);
    }
    assert_int_equal(wait4(pid, &status, 0, &usage), pid);
    assert_int_equal(status, 0);
    return usage;
}

struct rusage program_run(const char *path, unsigned us, unsigned pages, unsigned threads)
{
    return program_run_as(path, us, pages, threads, 0);
}
