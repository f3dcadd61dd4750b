#include "trapd-handlers/once.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "trapd-handlers/intake.h"
#include "trapd-handlers/stream.h"

/* Reads standard input up to its end, but no more than the length of a record. */
static int read_input(struct buffer *text)
{
    char chunk[4096];
    for (;;) {
        ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
        if (n == 0)
            return text->failed ? ENOMEM : 0;
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0 && text->len + (size_t)n > STREAM_RECORD_MAX)
            return EMSGSIZE;
        if (n > 0)
            buffer_put(text, chunk, (size_t)n);
    }
}

static bool moved(const struct deliverer *deliverer, struct spool_position since)
{
    struct spool_position at = deliverer->spool->state->delivery.position;
    return at.segment != since.segment || at.offset != since.offset;
}

/* Another process that delivers sees what is appended while it holds the lock; what is appended
 * after its last look is seen by the next iteration here. An incomplete line is not waited for. */
static void deliver(struct deliverer *deliverer)
{
    bool more = true;
    while (more && spool_waits(deliverer->spool) && deliver_begin(deliverer)) {
        struct spool_position before = deliverer->spool->state->delivery.position;
        more = deliver_waiting(deliverer, clock_now().wall_ms) && moved(deliverer, before);
        deliver_end(deliverer);
    }
}

/* Delivers traps in memory itself, because it cannot leave them to the process that delivers. */
static bool deliver_kept(struct deliverer *deliverer, struct intake *intake)
{
    bool all = deliver_take_over(deliverer);
    for (size_t i = 0; all && i < intake->n_kept; i++)
        all = deliver_now(deliverer, &intake->kept[i]);
    if (all)
        deliver_end(deliverer);
    return all;
}

static int run(struct deliverer *deliverer, struct intake *intake, const struct buffer *text)
{
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    int64_t now_ms = clock_now().wall_ms;
    enum trap_result result = trap_parse(&trap, text->at ? text->at : "", text->len, now_ms, error);
    intake_begin(intake);
    intake_add(intake, result, &trap, error, now_ms);
    bool spooled = intake_end(intake);
    deliver(deliverer);
    if (!spooled && !deliver_kept(deliverer, intake)) {
        deliverer->spool->state->intake.counts.lost++;
        log_error("trap", "lost: neither spooled nor delivered: %s", trap.text[TRAP_KEY]);
        return STATUS_LOST;
    }
    return result == TRAP_TAKEN ? STATUS_OK : STATUS_BAD_TRAP;
}

int once_run(const struct options *options, struct deliverer *deliverer)
{
    struct buffer text = {0};
    struct intake intake = {.spool = deliverer->spool, .sync = options->sync};
    int code = read_input(&text), status = STATUS_BAD_TRAP;
    if (code)
        log_error("trap", "standard input: %s", strerror(code));
    else
        status = run(deliverer, &intake, &text);
    intake_release(&intake);
    buffer_release(&text);
    return status;
}

int once_flush(struct deliverer *deliverer)
{
    deliverer->spool->state->delivery.retry_at_ms = 0;
    deliver(deliverer);
    return spool_waits(deliverer->spool) ? STATUS_LOST : STATUS_OK;
}
