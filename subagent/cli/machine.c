#include "cli/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomicfile.h"

#define TEXT_MAX ((size_t)1 << 20)

void machine_path(const struct machine *machine, const char *path, char whole[PATH_MAX])
{
    snprintf(whole, PATH_MAX, "%s%s", machine->root, path);
}

static char *read_stream(FILE *file)
{
    char *text = malloc(TEXT_MAX + 1);
    if (!text)
        return NULL;
    size_t len = fread(text, 1, TEXT_MAX + 1, file);
    int code = ferror(file) ? EIO : len > TEXT_MAX ? EFBIG : memchr(text, '\0', len) ? EINVAL : 0;
    if (code) {
        free(text);
        errno = code;
        return NULL;
    }
    text[len] = '\0';
    return text;
}

char *machine_read(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? calloc(1, 1) : NULL;
    char *text = read_stream(file);
    int code = errno;
    fclose(file);
    errno = code;
    return text;
}

int machine_write(const struct machine *machine, const char *dir, const char *name,
                  const char *text, mode_t mode)
{
    char at[PATH_MAX], path[PATH_MAX];
    machine_path(machine, dir, at);
    int code = atomicfile_write(at, name, text, strlen(text), false);
    if (code || snprintf(path, sizeof path, "%s/%s", at, name) >= (int)sizeof path)
        return code ? code : ENAMETOOLONG;
    return chmod(path, mode) == 0 ? 0 : errno;
}

static bool run(const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    int code = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (code == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return code == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool machine_serve(const struct machine *machine, const char *name, const char *verb)
{
    const char *const argv[] = {machine->service, name, verb, NULL};
    return run(argv);
}

bool machine_reload_units(const struct machine *machine)
{
    static const char *const systemctl[] = {"systemctl", "daemon-reload", NULL};
    if (strcmp(machine->service, MACHINE_SERVICE) == 0)
        return run(systemctl);
    return machine_serve(machine, "systemd", "daemon-reload");
}
