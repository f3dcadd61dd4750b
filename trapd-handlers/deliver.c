#include "trapd-handlers/deliver.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "trapd-handlers/record.h"

#define BATCH_MAX 256
#define PAUSE_MIN_MS 1000
#define PAUSE_MAX_MS 60000

/* Lines of the spool as traps. When traps[i] has been delivered, the first ends[i] octets are done
 * with. Lines that are not wanted any more are done with together with the trap before them. */
struct batch {
    struct trap *traps;
    size_t ends[BATCH_MAX];
    size_t n, skipped; /* skipped: octets before the first trap */
};

bool deliver_begin(struct deliverer *deliverer)
{
    struct target *target = deliverer->target;
    if (!spool_lock_delivery(deliverer->spool))
        return false;
    if (!target->kind->keeps_active)
        return true;
    active_free(target->active);
    target->active = active_new();
    int code = target->active ? active_load(target->active, deliverer->active_dir) : 0;
    if (target->active && !code)
        return true;
    /* Waiting does not repair a broken file: begin anew, and log it. */
    log_error("spool", "%s/active.json: %s; alarms that are raised now are not known any more",
              deliverer->active_dir, strerror(code));
    return target->active != NULL;
}

bool deliver_take_over(struct deliverer *deliverer)
{
    uint64_t end = clock_mono_ns() + 2 * deliverer->target->options->timeout_ms * NS_PER_MS;
    while (!deliver_begin(deliverer)) {
        if (clock_mono_ns() >= end)
            return false;
        poll(NULL, 0, 100);
    }
    return true;
}

static void save_active(struct deliverer *deliverer)
{
    if (!deliverer->target->active)
        return;
    int code = active_save(deliverer->target->active, deliverer->active_dir);
    if (code)
        log_error("spool", "%s/active.json: %s", deliverer->active_dir, strerror(code));
}

void deliver_end(struct deliverer *deliverer)
{
    save_active(deliverer);
    spool_unlock_delivery(deliverer->spool);
}

void deliver_release(struct deliverer *deliverer)
{
    buffer_release(&deliverer->lines);
    active_free(deliverer->target->active);
    deliverer->target->active = NULL;
}

int64_t deliver_pause(const struct deliverer *deliverer, int64_t now_ms)
{
    int64_t retry = deliverer->spool->state->delivery.retry_at_ms;
    /* A clock that was set back must not cause a long wait. */
    return retry > now_ms && retry - now_ms <= PAUSE_MAX_MS ? retry - now_ms : 0;
}

/* -- Outcomes ------------------------------------------------------------------------------- */

static void note_failure(struct deliverer *deliverer, int64_t now_ms)
{
    struct spool_state *state = deliverer->spool->state;
    uint64_t failures = state->delivery.failures++;
    int64_t pause = failures < 6 ? PAUSE_MIN_MS << failures : PAUSE_MAX_MS;
    state->delivery.retry_at_ms = now_ms + (pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS);
    if (strcmp(deliverer->said, deliverer->target->why) == 0)
        return;
    snprintf(deliverer->said, sizeof deliverer->said, "%s", deliverer->target->why);
    log_error(deliverer->target->kind->name, "%s; what comes in waits", deliverer->target->why);
}

static void note_success(struct deliverer *deliverer, size_t n)
{
    struct spool_state *state = deliverer->spool->state;
    state->delivery.delivered += n;
    if (n > 0 && state->delivery.failures > 0) {
        log_info(deliverer->target->kind->name, "the target takes notifications again");
        state->delivery.failures = 0;
        state->delivery.retry_at_ms = 0;
        deliverer->said[0] = '\0';
    }
}

/* The target took a batch, but not everything in it, and does not say what it refused. */
static void note_partial(struct deliverer *deliverer)
{
    struct target *target = deliverer->target;
    if (target->refused == 0)
        return;
    deliverer->spool->state->delivery.refused += target->refused;
    deliverer->spool->state->delivery.delivered -= target->refused;
    log_error(target->kind->name, "%s", target->why);
    target->refused = 0;
}

static void note_refusal(struct deliverer *deliverer, const struct trap *trap)
{
    deliverer->spool->state->delivery.refused++;
    log_error(deliverer->target->kind->name, "%s; it is left out: %s %s, sequence %" PRIu32,
              deliverer->target->why, trap_name(trap), trap->text[TRAP_KEY], trap->sequence);
}

/* -- Batches -------------------------------------------------------------------------------- */

static bool is_expired(const struct deliverer *deliverer, const struct trap *trap, int64_t now_ms)
{
    uint32_t age = deliverer->target->options->spool_age_ms;
    return age > 0 && now_ms - trap->received_ms > (int64_t)age;
}

static bool wanted(struct deliverer *deliverer, const char *line, size_t len, struct trap *trap,
                   int64_t now_ms)
{
    struct spool_state *state = deliverer->spool->state;
    if (!record_read(line, len, trap)) {
        state->delivery.unreadable++;
        log_error("spool", "a line of %zu octets is no record; it is left out", len);
        return false;
    }
    if (!is_expired(deliverer, trap, now_ms))
        return true;
    state->delivery.expired++;
    return false;
}

static void fill(struct deliverer *deliverer, struct batch *batch, int64_t now_ms)
{
    const char *start = deliverer->lines.at, *end = start + deliverer->lines.len;
    batch->n = batch->skipped = 0;
    for (const char *line = start, *next; line < end && batch->n < BATCH_MAX; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        next = newline + 1;
        struct trap *trap = &batch->traps[batch->n];
        batch->n += wanted(deliverer, line, (size_t)(newline - line), trap, now_ms);
        if (batch->n == 0)
            batch->skipped = (size_t)(next - start);
        else
            batch->ends[batch->n - 1] = (size_t)(next - start);
    }
}

/* Delivers the batch. Returns false if the target did not take all of it. */
static bool deliver_batch(struct deliverer *deliverer, const struct batch *batch, int64_t now_ms)
{
    struct target *target = deliverer->target;
    size_t at = 0, octets = batch->skipped;
    size_t most = target->kind->batch > 0 ? target->kind->batch : BATCH_MAX;
    spool_advance(deliverer->spool, octets);
    while (at < batch->n) {
        size_t done = 0, n = batch->n - at < most ? batch->n - at : most;
        enum delivery delivery = target->kind->deliver(target, batch->traps + at, n, &done);
        note_partial(deliverer);
        note_success(deliverer, done);
        size_t passed = done + (delivery == DELIVERY_REFUSED);
        if (passed > 0) {
            spool_advance(deliverer->spool, batch->ends[at + passed - 1] - octets);
            octets = batch->ends[at + passed - 1];
        }
        if (delivery == DELIVERY_REFUSED)
            note_refusal(deliverer, &batch->traps[at + done]);
        if (delivery == DELIVERY_LATER) {
            note_failure(deliverer, now_ms);
            return false;
        }
        at += passed;
    }
    return true;
}

bool deliver_waiting(struct deliverer *deliverer, int64_t now_ms)
{
    struct batch batch = {.traps = NULL};
    bool all = false, good = deliver_pause(deliverer, now_ms) == 0;
    if (good)
        batch.traps = malloc(BATCH_MAX * sizeof *batch.traps);
    good = good && batch.traps;
    while (good && !all) {
        int code = spool_read(deliverer->spool, &deliverer->lines);
        if (code)
            log_error("spool", "reading: %s", strerror(code));
        all = !code && deliverer->lines.len == 0;
        good = !code;
        if (all || !good)
            break;
        fill(deliverer, &batch, now_ms);
        good = deliver_batch(deliverer, &batch, now_ms);
        save_active(deliverer);
    }
    free(batch.traps);
    return all;
}

bool deliver_now(struct deliverer *deliverer, const struct trap *trap)
{
    size_t done;
    enum delivery delivery = deliverer->target->kind->deliver(deliverer->target, trap, 1, &done);
    note_success(deliverer, done);
    if (delivery == DELIVERY_LATER)
        note_failure(deliverer, clock_now().wall_ms);
    if (delivery == DELIVERY_REFUSED)
        note_refusal(deliverer, trap);
    save_active(deliverer);
    return delivery != DELIVERY_LATER;
}
