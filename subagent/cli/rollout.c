#include "cli/rollout.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/text.h"
#include "cli/progress.h"

#define PAUSE_NS (NS_PER_S / 2)
#define AWAY_NS (5 * NS_PER_S) /* who answers has done so by then */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* -- Waiting --------------------------------------------------------------------------------- */

/* away: those that do not answer count as well. */
static bool is_complete(const struct roll *roll, bool away)
{
    return roll->all > 0 && roll->up + roll->stuck + (away ? roll->away : 0) == roll->all &&
           roll->current >= roll->up;
}

/* It is complete when it is so twice in a row: a root that begins does not know all nodes yet.
 * False: the root could not be asked. */
static bool wait_for_all(struct question *question, const struct order *order, struct roll *roll)
{
    uint64_t now = clock_mono_ns(), away = now + AWAY_NS,
             until = now + question->command->wait_s * NS_PER_S;
    struct progress progress = progress_begin(question->errors, now);
    bool good = true;
    for (int complete = 0; complete < 2; now = clock_mono_ns()) {
        good = roster_count(question, order->document->digest, roll);
        complete = good && is_complete(roll, now >= away) ? complete + 1 : 0;
        if (!good || complete == 2 || now >= until)
            break;
        progress_show(&progress, now, "%zu of %zu nodes are up, %zu by this document", roll->up,
                      roll->all, roll->current);
        question_sleep(PAUSE_NS);
    }
    progress_end(&progress);
    return good;
}

/* -- What came of it ------------------------------------------------------------------------- */

static struct sheet_value of_text(const char *text)
{
    return (struct sheet_value){.given = true, .text = text, .len = strlen(text)};
}

static struct sheet_value of_number(size_t number)
{
    return (struct sheet_value){.given = true, .number = (int64_t)number};
}

static void print_summary(struct question *question, const struct order *order,
                          const struct roll *roll)
{
    static const struct sheet_column columns[] = {
        {"root", NULL, SHEET_TEXT},     {"term", NULL, SHEET_NUMBER},
        {"serial", NULL, SHEET_NUMBER}, {"digest", NULL, SHEET_TEXT},
        {"nodes", NULL, SHEET_NUMBER},  {"up", NULL, SHEET_NUMBER},
        {"current", NULL, SHEET_NUMBER}};
    char digest[2 * PACKED_DIGEST + 1];
    hex_from_octets(digest, order->document->digest, PACKED_DIGEST, HEX_LOWER);
    if (question->command->format == SHEET_TABLE) {
        fprintf(question->to, "%s is root in term %" PRIu32 ", serial %" PRIu32, order->root,
                order->term, order->epoch);
        if (question->command->wait_s > 0)
            fprintf(question->to, "; %zu of %zu nodes are up and work by the document",
                    roll->current < roll->up ? roll->current : roll->up, roll->all);
        putc('\n', question->to);
        return;
    }
    const struct sheet_value values[COUNT(columns)] = {
        of_text(order->root), of_number(order->term), of_number(order->epoch), of_text(digest),
        of_number(roll->all), of_number(roll->up),    of_number(roll->current)};
    struct sheet *sheet = sheet_new(columns, COUNT(columns));
    if (!sheet || !sheet_add(sheet, values))
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
}

static void print_members(struct question *question, const struct order *order,
                          const struct roster *roster, bool everybody)
{
    struct sheet *sheet = sheet_new(member_columns, MEMBER_COLUMNS);
    bool good = sheet != NULL;
    bool complete = roster->n > 0;
    for (size_t i = 0; good && i < roster->n; i++) {
        struct sheet_value values[MEMBER_COLUMNS];
        bool current = member_is_current(&roster->list[i], order->document->digest);
        complete = complete && (current || member_is_away(&roster->list[i]));
        member_values(&roster->list[i], values);
        if (everybody || !current)
            good = sheet_add(sheet, values);
    }
    if (good && !complete && question->status == EXIT_GOOD)
        question->status = EXIT_CUT;
    if (!good)
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
}

void rollout_follow(struct question *question, const struct order *order, bool everybody)
{
    struct roll roll = {.all = 0};
    struct roster roster = {.list = NULL};
    bool waits = question->command->wait_s > 0;
    if (waits && !wait_for_all(question, order, &roll))
        return;
    print_summary(question, order, &roll);
    if (waits && roster_read(question, &roster))
        print_members(question, order, &roster, everybody);
    roster_free(&roster);
}
