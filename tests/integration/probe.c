/* A process for sensors.sh to watch: uses a little of what is counted and does what it is told.
 *
 * MS: uses so much CPU time and ends.
 * MS N: has N processes do so, one after the other, and waits for them much later.
 * MS FILE PROGRAM: does so, uses a little of everything unless FILE is empty, and waits for
 * signals: SIGUSR1 changes its name, SIGUSR2 executes PROGRAM, SIGTERM ends it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buffer[1 << 20];

static long used_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void use_cpu(long ms, int in_kernel)
{
    int zero = open("/dev/zero", O_RDONLY);
    for (long end = used_ms() + ms; used_ms() < end;)
        for (volatile int i = 0; i < 100000; i++)
            if (in_kernel && read(zero, buffer, sizeof buffer) != 0)
                break;
    close(zero);
}

static void use_storage(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ssize_t n = write(file, buffer, sizeof buffer);
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    if (n > 0)
        n = pread(file, buffer, sizeof buffer, 0);
    close(file);
    unlink(path);
}

/* volatile: it must be there although nobody reads it. */
static void use_memory(size_t size)
{
    volatile char *memory = malloc(size);
    for (size_t i = 0; memory && i < size; i += 512)
        memory[i] = 1;
}

static void *wait_for_nothing(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void use_everything(const char *path)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, wait_for_nothing, NULL);
    for (int i = 0; i < 10; i++)
        open("/dev/null", O_RDONLY);
    use_memory(32 << 20);
    use_storage(path);
    use_cpu(100, 1);
}

/* Without WNOWAIT they would be gone at once. */
static void have_children(const char *program, const char *ms, int n)
{
    siginfo_t unused;
    for (int i = 0; i < n; i++) {
        pid_t child = fork();
        if (child == 0) {
            execl(program, program, ms, (char *)NULL);
            _exit(1);
        }
        waitid(P_PID, (id_t)child, &unused, WEXITED | WNOWAIT);
    }
    sleep(1);
    while (wait(NULL) > 0)
        ;
}

static void say(const char *what)
{
    if (write(1, what, strlen(what)) < 0)
        exit(1);
}

int main(int argc, char **argv)
{
    int told;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    use_cpu(atol(argv[1]), 0);
    if (argc == 3)
        have_children(argv[0], argv[1], atoi(argv[2]));
    if (argc < 4)
        return 0;
    if (argv[2][0])
        use_everything(argv[2]);
    say("ready\n");
    while (sigwait(&signals, &told) == 0 && told != SIGTERM) {
        if (told == SIGUSR2)
            execl(argv[3], argv[3], "200", "", "", (char *)NULL);
        prctl(PR_SET_NAME, "changed");
        use_cpu(100, 0);
        say("changed\n");
    }
    return 0;
}
