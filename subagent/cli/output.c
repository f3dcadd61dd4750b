#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomicfile.h"

/* -- The file -------------------------------------------------------------------------------- */

static char *fail(const struct output *output, struct question *question, const char *why)
{
    question_fail(question, EXIT_USAGE, "%s: %s", output->path, why);
    return NULL;
}

static char *read_all(const struct output *output, struct question *question, FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    errno = 0;
    if (getdelim(&text, &size, '\0', file) >= 0)
        return text;
    free(text);
    if (ferror(file) || errno == ENOMEM)
        return fail(output, question, strerror(errno));
    text = calloc(1, 1);
    if (!text)
        question_no_memory(question);
    return text;
}

char *output_read(const struct output *output, struct question *question)
{
    struct stat status;
    /* Without O_NONBLOCK, opening a FIFO would wait for its writer. */
    int fd = open(output->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        char *none = calloc(1, 1);
        if (!none)
            question_no_memory(question);
        return none;
    }
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        fail(output, question, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    char *text = regular ? read_all(output, question, file)
                         : fail(output, question, "it is there, and is no regular file");
    fclose(file);
    return text;
}

/* -- What is run ----------------------------------------------------------------------------- */

/* mask: the signals that the command is to have blocked. */
static int start(const char *command, const sigset_t *mask, pid_t *pid)
{
    const char *argv[] = {"sh", "-c", command, NULL};
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error)
        return error;
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, mask);
    error = posix_spawn(pid, "/bin/sh", NULL, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static bool run(const struct output *output, struct question *question, const sigset_t *mask)
{
    pid_t pid, ended;
    int status = 0, error = start(output->run, mask, &pid);
    if (error)
        return question_fail(question, EXIT_BROKEN, "%s: cannot be run: %s", output->run,
                             strerror(error));
    do
        ended = waitpid(pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        return question_fail(question, EXIT_BROKEN, "%s: its exit status is not known: %s",
                             output->run, strerror(errno));
    if (WIFSIGNALED(status))
        return question_fail(question, EXIT_BROKEN, "%s: ended by signal %d", output->run,
                             WTERMSIG(status));
    return WEXITSTATUS(status) == 0 || question_fail(question, EXIT_BROKEN, "%s: exit status %d",
                                                     output->run, WEXITSTATUS(status));
}

/* -- Both ------------------------------------------------------------------------------------ */

static bool write_file(struct output *output, struct question *question, const char *text,
                       size_t len, FILE *changes, const char *what)
{
    int error = atomicfile_replace(output->path, text, len, output->mode);
    if (error)
        return question_fail(question, EXIT_USAGE, "%s: it is not written: %s", output->path,
                             strerror(error));
    fprintf(changes, "dcamp: %s is written: %s\n", output->path, what);
    output->is_due = output->run != NULL;
    return true;
}

bool output_write(struct output *output, struct question *question, const char *before,
                  const char *text, size_t len, FILE *changes, const char *what)
{
    bool is_new = strlen(before) != len || memcmp(before, text, len) != 0;
    sigset_t ends, mask;
    if (!is_new && !output->is_due)
        return true;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    /* The process must not end between the two, for the next one would find nothing changed. */
    sigprocmask(SIG_BLOCK, &ends, &mask);
    bool good = !is_new || write_file(output, question, text, len, changes, what);
    if (good && output->is_due) {
        good = run(output, question, &mask);
        output->is_due = !good;
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return good;
}
