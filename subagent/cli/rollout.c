#include "cli/rollout.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/text.h"
#include "cli/progress.h"

#define PAUSE_NS (NS_PER_S / 2)
#define PAUSE_EACH_NS NS_PER_MS /* for each node, so that asking is no load */
#define AWAY_NS (5 * NS_PER_S)  /* nodes that answer have done so by then */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* -- Waiting --------------------------------------------------------------------------------- */

/* away: whether to count nodes that do not answer as well. */
static bool is_complete(const struct roll *roll, bool away)
{
    return roll->all > 0 && roll->up + roll->stuck + (away ? roll->away : 0) == roll->all &&
           roll->current >= roll->up;
}

/* It is complete only when it is so twice in a row, for a root that begins does not know all nodes
 * yet. False: the root could not be asked. */
static bool wait_for_all(struct question *question, const struct order *order)
{
    struct roll roll;
    uint64_t now = clock_mono_ns(), away = now + AWAY_NS,
             until = now + question->command->wait_s * NS_PER_S;
    struct progress progress = progress_begin(question->errors, now);
    bool good = true;
    for (int complete = 0; complete < 2; now = clock_mono_ns()) {
        good = roster_count(question, order->document->digest, &roll);
        complete = good && is_complete(&roll, now >= away) ? complete + 1 : 0;
        if (!good || complete == 2 || now >= until)
            break;
        progress_show(&progress, now, "%zu of %zu nodes are up, %zu by this document", roll.up,
                      roll.all, roll.current);
        question_sleep(PAUSE_NS + roll.all * PAUSE_EACH_NS);
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

/* What the roster says of the order. */
struct outcome {
    size_t nodes, current;
    int64_t serial; /* of the document, as the nodes say that work by it; 0: none does */
    bool complete;  /* all nodes that answer work by it */
};

static struct outcome outcome_of(const struct order *order, const struct roster *roster)
{
    struct outcome outcome = {.nodes = roster->n, .complete = roster->n > 0};
    for (size_t i = 0; i < roster->n; i++) {
        const struct member *member = &roster->list[i];
        bool current = member_is_current(member, order->document->digest);
        outcome.current += current;
        if (current && member->serial > outcome.serial)
            outcome.serial = member->serial;
        outcome.complete = outcome.complete && (current || member_is_away(member));
    }
    return outcome;
}

static void tell_summary(FILE *to, const struct order *order, const struct outcome *outcome)
{
    fprintf(to, "%s is root in term %" PRIu32, order->root, order->term);
    if (outcome)
        fprintf(to, "; %zu of %zu nodes work by the document", outcome->current, outcome->nodes);
    if (outcome && outcome->serial > 0)
        fprintf(to, ", serial %" PRId64, outcome->serial);
    putc('\n', to);
}

/* outcome NULL: nobody has waited for one. */
static void print_summary(struct question *question, const struct order *order,
                          const struct outcome *outcome)
{
    static const struct sheet_column columns[] = {
        {"root", NULL, SHEET_TEXT},     {"term", NULL, SHEET_NUMBER}, {"epoch", NULL, SHEET_NUMBER},
        {"serial", NULL, SHEET_NUMBER}, {"digest", NULL, SHEET_TEXT}, {"nodes", NULL, SHEET_NUMBER},
        {"current", NULL, SHEET_NUMBER}};
    if (question->command->format == SHEET_TABLE) {
        tell_summary(question->to, order, outcome);
        return;
    }
    char digest[2 * PACKED_DIGEST + 1];
    hex_from_octets(digest, order->document->digest, PACKED_DIGEST, HEX_LOWER);
    struct sheet_value values[COUNT(columns)] = {
        of_text(order->root), of_number(order->term), of_number(order->epoch), {.given = false},
        of_text(digest),      {.given = false},       {.given = false}};
    if (outcome) {
        values[3] = (struct sheet_value){.given = outcome->serial > 0, .number = outcome->serial};
        values[5] = of_number(outcome->nodes);
        values[6] = of_number(outcome->current);
    }
    struct sheet *sheet = sheet_new(columns, COUNT(columns));
    if (!sheet || !sheet_add(sheet, values))
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
}

static void print_roster(struct question *question, const struct order *order,
                         const struct roster *roster, bool everybody)
{
    struct sheet *sheet = sheet_new(member_columns, MEMBER_COLUMNS);
    bool good = sheet != NULL;
    for (size_t i = 0; good && i < roster->n; i++) {
        struct sheet_value values[MEMBER_COLUMNS];
        member_values(&roster->list[i], values);
        if (everybody || !member_is_current(&roster->list[i], order->document->digest))
            good = sheet_add(sheet, values);
    }
    if (!good)
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
}

void rollout_follow(struct question *question, const struct order *order, bool everybody)
{
    struct roster roster = {.list = NULL};
    if (question->command->wait_s == 0) {
        print_summary(question, order, NULL);
        return;
    }
    if (wait_for_all(question, order) && roster_read(question, &roster)) {
        struct outcome outcome = outcome_of(order, &roster);
        if (!outcome.complete)
            question->status = EXIT_CUT;
        print_summary(question, order, &outcome);
        print_roster(question, order, &roster, everybody);
    }
    roster_free(&roster);
}
