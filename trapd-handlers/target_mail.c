/* dcamp-trap mail: messages by sendmail(8). */
#include <errno.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "trapd-handlers/format.h"
#include "trapd-handlers/program.h"
#include "trapd-handlers/target.h"

#define ARGUMENTS_MAX 128

static void collect(const struct options *options, char *arguments[ARGUMENTS_MAX])
{
    size_t n = 0;
    arguments[n++] = (char *)options->sendmail;
    arguments[n++] = (char *)"-i"; /* a lone dot does not end the message */
    if (options->from) {
        arguments[n++] = (char *)"-f";
        arguments[n++] = (char *)options->from;
    }
    arguments[n++] = (char *)"--";
    for (size_t i = 0; i < options->n_arguments; i++)
        arguments[n++] = options->arguments[i];
    arguments[n] = NULL;
}

static enum delivery judge(struct target *target, int status)
{
    const char *program = target->options->sendmail;
    bool never = status == EX_DATAERR || status == EX_NOUSER || status == EX_NOHOST;
    if (status == 0)
        return DELIVERY_DONE;
    if (status < 0 && errno == ETIMEDOUT)
        return target_fail(target, DELIVERY_LATER, "%s: killed after %u ms", program,
                           target->options->timeout_ms);
    if (status < 0)
        return target_fail(target, DELIVERY_LATER, "%s: %s", program, strerror(errno));
    return target_fail(target, never ? DELIVERY_REFUSED : DELIVERY_LATER, "%s: exit status %d",
                       program, status);
}

/* Sends one message about all waiting traps, because nobody reads a hundred messages. */
static enum delivery deliver(struct target *target, const struct trap *traps, size_t n,
                             size_t *done)
{
    const struct options *options = target->options;
    const struct mail_options mail = {.from = options->from,
                                      .subject = options->subject,
                                      .to = options->arguments,
                                      .n_to = options->n_arguments};
    char *arguments[ARGUMENTS_MAX];
    *done = 0;
    buffer_clear(&target->text);
    format_mail(&target->text, traps, n, &mail, clock_now().wall_ms);
    if (target->text.failed)
        return target_fail(target, DELIVERY_LATER, "no memory");
    collect(options, arguments);
    enum delivery delivery = judge(target, program_run_with(arguments, environ, target->text.at,
                                                            target->text.len, options->timeout_ms));
    *done = delivery == DELIVERY_DONE ? n : 0;
    return delivery;
}

static bool open_mail(struct target *target)
{
    const struct options *options = target->options;
    if (options->n_arguments > ARGUMENTS_MAX - 6)
        target_fail(target, DELIVERY_LATER, "too many receivers");
    else if (access(options->sendmail, X_OK) != 0)
        target_fail(target, DELIVERY_LATER, "%s: %s", options->sendmail, strerror(errno));
    else
        return true;
    return false;
}

const struct target_kind target_mail = {
    .name = "mail", .batch = 100, .open = open_mail, .deliver = deliver};
