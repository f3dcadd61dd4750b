#include "load/run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"

#define COMMAND "dcamp"

/* The output of the command goes to standard error, because standard output belongs to the test.
 * With is_spared, the signals that end a test stay blocked in the command: otherwise another Ctrl-C
 * would end it, too, for the terminal sends the signal to all of its processes. */
static int spawn(char *const *words, bool is_spared, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, is_spared ? 0 : POSIX_SPAWN_SETSIGMASK);
        error = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
        if (!error)
            error = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* The words of one command line, with room for the NULL at the end. */
struct words {
    char *word[2 * RUN_TAGS_MAX + 16];
    size_t n;
};

static void add(struct words *words, const char *word)
{
    words->word[words->n++] = (char *)word; /* posix_spawn(3) does not write to them */
}

static void add_option(struct words *words, const char *option, const char *value)
{
    if (!value)
        return;
    add(words, option);
    add(words, value);
}

static bool run_words(const struct words *words, bool is_spared)
{
    pid_t pid;
    int status, error = spawn(words->word, is_spared, &pid);
    if (error) {
        fprintf(stderr, "dcamp-load: %s: %s\n", words->word[0], strerror(error));
        return false;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void begin_words(struct words *words, char path[PATH_MAX], const char *verb,
                        const struct run_options *options)
{
    spawn_find(COMMAND, NULL, path);
    add(words, path);
    add(words, "run");
    add(words, verb);
    add_option(words, "--directory", options->directory);
    add_option(words, "--runs", options->runs);
}

bool run_start(const struct run_options *options)
{
    char path[PATH_MAX];
    struct words words = {.n = 0};
    begin_words(&words, path, "start", options);
    for (size_t i = 0; i < options->n_tags; i++)
        add_option(&words, "--tag", options->tags[i]);
    add(&words, options->name);
    return run_words(&words, false);
}

bool run_stop(const struct run_options *options, bool is_interrupted)
{
    char path[PATH_MAX];
    struct words words = {.n = 0};
    begin_words(&words, path, "stop", options);
    if (is_interrupted)
        add(&words, "--interrupted");
    add(&words, options->name);
    return run_words(&words, true);
}
