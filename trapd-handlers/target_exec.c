/* dcamp-trap exec: runs a program for each trap, which is in its environment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "trapd-handlers/format.h"
#include "trapd-handlers/program.h"
#include "trapd-handlers/target.h"

#define VARIABLES_MAX 512

/* Collects this program's variables, and inherited ones that cannot be mistaken for them. */
static bool collect(struct buffer *ours, char *variables[VARIABLES_MAX])
{
    size_t n = 0;
    for (char *at = ours->at; at < ours->at + ours->len; at += strlen(at) + 1)
        variables[n++] = at;
    for (char **at = environ; *at; at++) {
        if (strncmp(*at, "DCAMP_", 6) == 0)
            continue;
        if (n == VARIABLES_MAX - 1)
            return false;
        variables[n++] = *at;
    }
    variables[n] = NULL;
    return true;
}

static enum delivery deliver_one(struct target *target, const struct trap *trap)
{
    const struct options *options = target->options;
    char *variables[VARIABLES_MAX];
    buffer_clear(&target->text);
    format_environment(&target->text, trap);
    if (target->text.failed || !collect(&target->text, variables))
        return target_fail(target, DELIVERY_LATER, "the environment has no room");
    int status = program_run_with(options->arguments, variables, "", 0, options->timeout_ms);
    if (status < 0 && errno == ETIMEDOUT)
        return target_fail(target, DELIVERY_LATER, "%s: killed after %u ms", options->arguments[0],
                           options->timeout_ms);
    if (status < 0)
        return target_fail(target, DELIVERY_LATER, "%s: %s", options->arguments[0],
                           strerror(errno));
    if (status == EX_TEMPFAIL)
        return target_fail(target, DELIVERY_LATER, "%s: wants it again later",
                           options->arguments[0]);
    if (status != 0)
        return target_fail(target, DELIVERY_REFUSED, "%s: exit status %d", options->arguments[0],
                           status);
    return DELIVERY_DONE;
}

static enum delivery deliver(struct target *target, const struct trap *traps, size_t n,
                             size_t *done)
{
    return target_deliver_each(target, deliver_one, traps, n, done);
}

static bool open_program(struct target *target)
{
    const char *path = target->options->arguments[0];
    if (access(path, X_OK) == 0)
        return true;
    target_fail(target, DELIVERY_LATER, "%s: %s", path, strerror(errno));
    return false;
}

const struct target_kind target_exec = {
    .name = "exec", .open = open_program, .batch = 1, .deliver = deliver};
