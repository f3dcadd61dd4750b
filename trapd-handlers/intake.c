#include "trapd-handlers/intake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "trapd-handlers/record.h"

/* A limit, so that an unknown sender cannot fill the log. */
#define COMPLAINTS_MAX 10
#define COMPLAINTS_PERIOD_MS 60000

void intake_begin(struct intake *intake)
{
    buffer_clear(&intake->lines);
    intake->behind = intake->n_kept > 0;
    spool_lock_intake(intake->spool);
}

static void complain(struct intake *intake, const struct trap *trap, const char *error,
                     int64_t now_ms)
{
    if (now_ms - intake->period_ms >= COMPLAINTS_PERIOD_MS || now_ms < intake->period_ms) {
        intake->period_ms = now_ms;
        intake->complaints = 0;
    }
    if (intake->complaints++ < COMPLAINTS_MAX)
        log_warning("trap", "from %s: %s; it is left out",
                    trap->source[0] ? trap->source : "an unknown sender", error);
    else if (intake->complaints == COMPLAINTS_MAX + 1)
        log_warning("trap", "more of these are only counted for a minute");
}

static void keep(struct intake *intake, const struct trap *trap)
{
    if (!intake->kept)
        intake->kept = malloc(INTAKE_KEPT_MAX * sizeof *intake->kept);
    if (intake->kept && intake->n_kept < INTAKE_KEPT_MAX) {
        intake->kept[intake->n_kept++] = *trap;
        return;
    }
    intake->spool->state->intake.counts.lost++;
    log_error("trap", "lost, for want of room: %s %s, sequence %" PRIu32, trap_name(trap),
              trap->text[TRAP_KEY], trap->sequence);
}

static void note_sequence(struct spool_counts *counts, const struct trap *trap,
                          enum sequence_verdict verdict, uint32_t missing)
{
    if (verdict == SEQUENCE_LATE && counts->missing > 0)
        counts->missing--;
    if (verdict != SEQUENCE_GAP)
        return;
    counts->missing += missing;
    log_warning("trap",
                "%s (%s): sequence %" PRIu32 " to %" PRIu32
                " did not come; they are in dcampAlarmLogTable",
                trap->text[TRAP_NODE], trap->address, trap->sequence - missing, trap->sequence - 1);
}

void intake_add(struct intake *intake, enum trap_result result, const struct trap *trap,
                const char *error, int64_t now_ms)
{
    struct spool_counts *counts = &intake->spool->state->intake.counts;
    uint32_t missing;
    counts->foreign += result == TRAP_FOREIGN;
    counts->bad += result == TRAP_BAD;
    if (result == TRAP_FOREIGN)
        log_debug("trap", "from %s: not a dCAMP notification", trap->source);
    if (result == TRAP_BAD)
        complain(intake, trap, error, now_ms);
    if (result != TRAP_TAKEN)
        return;
    counts->received++;
    enum sequence_verdict verdict =
        sequence_take(&intake->spool->state->intake.sequence, trap, &missing);
    counts->duplicates += verdict == SEQUENCE_DUPLICATE;
    if (verdict == SEQUENCE_DUPLICATE) {
        log_debug("trap", "%s, sequence %" PRIu32 ": a duplicate", trap->text[TRAP_NODE],
                  trap->sequence);
        return;
    }
    note_sequence(counts, trap, verdict, missing);
    size_t before = intake->lines.len;
    record_write(&intake->lines, trap);
    if (!intake->lines.failed)
        return;
    intake->lines.failed = false;
    intake->lines.len = before;
    keep(intake, trap);
}

/* Keeps the lines that could not be written in memory, as traps. */
static void keep_lines(struct intake *intake)
{
    struct trap trap;
    const char *line = intake->lines.at, *end = line + intake->lines.len;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (record_read(line, (size_t)(newline - line), &trap))
            keep(intake, &trap);
        line = newline + 1;
    }
}

/* Appends intake->lines to the spool; the same error is logged only once. */
static void append(struct intake *intake, bool *spooled)
{
    int code = intake->lines.failed ? ENOMEM : 0;
    if (!code)
        code = spool_append(intake->spool, intake->lines.at, intake->lines.len);
    *spooled = !code;
    if (!code && intake->sync == SYNC_BATCH)
        code = spool_sync(intake->spool);
    if (code && code != intake->said)
        log_error("spool", "%s", strerror(code));
    intake->said = code;
}

bool intake_end(struct intake *intake)
{
    bool spooled = intake->lines.len == 0;
    if (!spooled && !intake->behind)
        append(intake, &spooled);
    if (!spooled)
        keep_lines(intake);
    spool_unlock_intake(intake->spool);
    return intake->n_kept == 0;
}

void intake_spool_kept(struct intake *intake)
{
    bool spooled;
    if (intake->n_kept == 0)
        return;
    buffer_clear(&intake->lines);
    for (size_t i = 0; i < intake->n_kept; i++)
        record_write(&intake->lines, &intake->kept[i]);
    spool_lock_intake(intake->spool);
    append(intake, &spooled);
    spool_unlock_intake(intake->spool);
    if (spooled)
        intake->n_kept = 0;
}

void intake_release(struct intake *intake)
{
    buffer_release(&intake->lines);
    free(intake->kept);
    intake->kept = NULL;
    intake->n_kept = 0;
}
