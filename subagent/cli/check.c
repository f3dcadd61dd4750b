#include "cli/check.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/question.h"

#define DCAMPD "/usr/sbin/dcampd" /* /usr/sbin is in the PATH of root only */

static bool start_dcampd(struct question *question, pid_t *pid)
{
    char *const arguments[] = {(char *)"dcampd", (char *)"--check-tree",
                               question->command->words[0], NULL};
    int error = posix_spawnp(pid, arguments[0], NULL, NULL, arguments, environ);
    if (error == ENOENT)
        error = posix_spawn(pid, DCAMPD, NULL, NULL, arguments, environ);
    return error == 0 || question_fail(question, EXIT_BROKEN,
                                       "dcampd, which knows what is right, cannot be started here: "
                                       "%s",
                                       strerror(error));
}

/* dcampd itself says what is wrong. */
static void wait_for_verdict(struct question *question, pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status))
        question_fail(question, EXIT_BROKEN, "dcampd has ended by a signal");
    else if (WEXITSTATUS(status) != 0)
        question->status = EXIT_USAGE;
}

enum exit_status config_check_run(const struct command *command, struct client *client, FILE *to,
                                  FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    pid_t pid;
    fflush(to);
    if (start_dcampd(&question, &pid))
        wait_for_verdict(&question, pid);
    return question.status;
}
