#include "cli/diff.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/packing.h"
#include "base/text.h"
#include "cli/node_document.h"

/* Where diff finds the texts. They are in files without a name, which nobody has to delete. */
#define OLD_FD STDIN_FILENO
#define NEW_FD 3
#define NEW_PATH "/dev/fd/3"

#define LABEL_SIZE 300

/* -- Files without a name -------------------------------------------------------------------- */

static bool write_all(int fd, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = write(fd, text + at, len - at);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/* The descriptor is none of those that diff is to have, where it would be in the way. -1: errno
 * says why. */
static int make_file(const char *text, size_t len)
{
    int made = memfd_create("dcamp", MFD_CLOEXEC);
    int fd = made >= 0 ? fcntl(made, F_DUPFD_CLOEXEC, NEW_FD + 1) : -1;
    int code = errno;
    if (made >= 0)
        close(made);
    errno = code;
    if (fd < 0 || write_all(fd, text, len))
        return fd;
    code = errno;
    close(fd);
    errno = code;
    return -1;
}

static bool copy_out(int fd, FILE *to)
{
    char octets[16384];
    ssize_t n = lseek(fd, 0, SEEK_SET) == 0 ? 1 : -1;
    while (n > 0 || (n < 0 && errno == EINTR)) {
        n = read(fd, octets, sizeof octets);
        if (n > 0)
            fwrite(octets, 1, (size_t)n, to);
    }
    return n == 0;
}

/* -- diff(1) --------------------------------------------------------------------------------- */

struct comparison {
    struct question *question;
    int old, new, out; /* files */
};

static bool fail_start(struct question *question, int code)
{
    return question_fail(question, EXIT_BROKEN,
                         "diff, of the package diffutils, cannot be "
                         "started: %s",
                         strerror(code));
}

static int start_diff(const struct comparison *comparison, const char *before, const char *after,
                      pid_t *pid)
{
    const char *const arguments[] = {"diff", "--text", "--unified", "--label", before, "--label",
                                     after,  "--",     "-",         NEW_PATH,  NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    code = posix_spawn_file_actions_adddup2(&actions, comparison->old, OLD_FD);
    if (!code)
        code = posix_spawn_file_actions_adddup2(&actions, comparison->new, NEW_FD);
    if (!code)
        code = posix_spawn_file_actions_adddup2(&actions, comparison->out, STDOUT_FILENO);
    if (!code)
        code = posix_spawnp(pid, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* The statuses of diff are 0, 1 and 2; diff itself explains the last one. */
static void wait_for_diff(const struct comparison *comparison, pid_t pid)
{
    struct question *question = comparison->question;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        question_fail(question, EXIT_BROKEN, "diff has failed");
    else if (!copy_out(comparison->out, question->to))
        question_fail(question, EXIT_BROKEN, "what diff says cannot be read: %s", strerror(errno));
    else
        question->status = WEXITSTATUS(status) == 0 ? EXIT_GOOD : EXIT_CUT;
}

/* The texts are named by the last part of the path, so that "patch -p1" finds the file beside which
 * it is run. */
static void run_diff(const struct comparison *comparison)
{
    const char *path = comparison->question->command->config, *slash = strrchr(path, '/');
    char before[LABEL_SIZE], after[LABEL_SIZE];
    pid_t pid;
    text_format(before, sizeof before, "a/%s", slash ? slash + 1 : path);
    text_format(after, sizeof after, "b/%s", slash ? slash + 1 : path);
    int code = start_diff(comparison, before, after, &pid);
    if (code)
        fail_start(comparison->question, code);
    else
        wait_for_diff(comparison, pid);
}

static void compare(struct question *question, const char *before, size_t before_len,
                    const char *after, size_t after_len)
{
    struct comparison comparison = {question, make_file(before, before_len), -1, -1};
    if (comparison.old >= 0)
        comparison.new = make_file(after, after_len);
    if (comparison.new >= 0)
        comparison.out = make_file("", 0);
    if (comparison.out >= 0)
        run_diff(&comparison);
    else
        fail_start(question, errno);
    const int files[] = {comparison.old, comparison.new, comparison.out};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* -- The subcommand -------------------------------------------------------------------------- */

static char *read_file(struct question *question, size_t *len)
{
    const char *path = question->command->config;
    char error[512];
    char *text = packed_read(path, len, error);
    if (!text) {
        question_fail(question, EXIT_USAGE, "%s", error);
    } else if (*len == 0 || *len > PACKING_TEXT_MAX) {
        question_fail(question, EXIT_USAGE, "%s: it %s", path,
                      *len == 0 ? "is empty" : "has more than 8 MiB");
        free(text);
        return NULL;
    }
    return text;
}

static bool check_format(struct question *question)
{
    return question->command->format == SHEET_TABLE ||
           question_fail(question, EXIT_USAGE,
                         "config diff prints what diff(1) does: no --json, no "
                         "--tsv");
}

enum exit_status config_diff_run(const struct command *command, struct client *client, FILE *to,
                                 FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct standing standing;
    size_t before_len, after_len;
    char *after = check_format(&question) ? read_file(&question, &after_len) : NULL;
    char *before = after && order_ask(&question, &standing)
                       ? node_document_text(&question, &standing, &before_len)
                       : NULL;
    if (before && (before_len != after_len || memcmp(before, after, after_len) != 0))
        compare(&question, before, before_len, after, after_len);
    free(before);
    free(after);
    return question.status;
}
