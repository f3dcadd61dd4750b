#include "trapd-handlers/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static int start(char *const argv[], char *const variables[], int input_fd, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_fd, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    int code = posix_spawn(pid, argv[0], &actions, &attributes, argv, variables);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Returns 0 if the process has ended in time, otherwise an errno. */
static int wait_end(pid_t pid, uint32_t timeout_ms)
{
    int fd = pidfd_open(pid, 0);
    if (fd < 0)
        return errno;
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    uint64_t end = clock_mono_ns() + timeout_ms * NS_PER_MS;
    int rc;
    do {
        uint64_t now = clock_mono_ns();
        rc = poll(&poller, 1, now < end ? (int)((end - now) / NS_PER_MS) + 1 : 0);
    } while (rc < 0 && errno == EINTR);
    close(fd);
    return rc > 0 ? 0 : ETIMEDOUT;
}

int program_run(char *const argv[], char *const variables[], int input_fd, uint32_t timeout_ms)
{
    pid_t pid;
    int status = 0;
    int code = start(argv, variables, input_fd, &pid);
    if (code) {
        errno = code;
        return -1;
    }
    code = wait_end(pid, timeout_ms);
    if (code)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (code) {
        errno = code;
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The input is a file in memory, because a pipe would have to be filled while the program runs. */
int program_run_with(char *const argv[], char *const variables[], const char *input, size_t len,
                     uint32_t timeout_ms)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    int status = -1;
    if (fd < 0)
        return -1;
    if (write(fd, input, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0)
        status = program_run(argv, variables, fd, timeout_ms);
    close(fd);
    return status;
}
