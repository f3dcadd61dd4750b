#include "base/spawn.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"

void spawn_find(const char *name, const char *directory, char path[PATH_MAX])
{
    char own[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", own, sizeof own);
    char *slash = len > 0 ? memrchr(own, '/', (size_t)len) : NULL;
    if (slash) {
        text_format(path, PATH_MAX, "%.*s/%s", (int)(slash - own), own, name);
        if (access(path, X_OK) == 0)
            return;
    }
    text_format(path, PATH_MAX, "%s%s%s", directory ? directory : "", directory ? "/" : "", name);
}

static int spawn(const char *program, const char *const *argv, int fd, int at, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, fd, at);
    posix_spawn_file_actions_addclosefrom_np(&actions, at + 1);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int code = posix_spawn(pid, program, &actions, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int spawn_with_socket(const char *program, const char *const *argv, int at, pid_t *pid, int *fd)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    int code = spawn(program, argv, pair[1], at, pid);
    close(pair[1]);
    if (code)
        close(pair[0]);
    else
        *fd = pair[0];
    return code;
}
