#include "cli/promote.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/node_document.h"
#include "cli/progress.h"
#include "cli/rollout.h"

#define PAUSE_NS (NS_PER_S / 2)

/* -- What is ordered ------------------------------------------------------------------------- */

static bool holds(const struct standing *standing, const struct packed *packed)
{
    return standing->tree.in_force &&
           memcmp(standing->tree.digest, packed->digest, PACKED_DIGEST) == 0;
}

/* -- promote --------------------------------------------------------------------------------- */

static bool may_promote(struct question *question, const struct standing *standing)
{
    const char *other = order_other_root(standing);
    if (other && !command_has(question->command, COMMAND_FORCE))
        return question_fail(question, EXIT_REFUSED,
                             "%s is in the tree of %s, in term %" PRIu32 "; --force takes it out "
                             "of there",
                             standing->name, other[0] ? other : "an unknown root",
                             order_term(standing));
    return order_term(standing) < UINT32_MAX ||
           question_fail(question, EXIT_REFUSED, "%s knows the last term that there is",
                         standing->name);
}

static void promote(struct question *question, const struct packed *packed)
{
    struct standing standing;
    if (!order_ask(question, &standing) || !may_promote(question, &standing))
        return;
    struct order order = {.term = order_term(&standing) + 1,
                          .epoch = 1,
                          .document = packed,
                          .held = holds(&standing, packed)};
    text_format(order.root, sizeof order.root, "%s", standing.name);
    if (order_give(question, &order))
        rollout_follow(question, &order, false);
}

enum exit_status promote_run(const struct command *command, struct client *client, FILE *to,
                             FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct packed packed;
    if (order_read(&question, &packed)) {
        promote(&question, &packed);
        packed_free(&packed);
    }
    return question.status;
}

/* -- config push ----------------------------------------------------------------------------- */

enum exit_status config_push_run(const struct command *command, struct client *client, FILE *to,
                                 FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct standing standing;
    struct packed packed;
    struct order order;
    if (!order_read(&question, &packed))
        return question.status;
    if (order_next(&question, &standing, &order)) {
        order.document = &packed;
        order.held = holds(&standing, &packed);
        if (order_give(&question, &order))
            rollout_follow(&question, &order, true);
    }
    packed_free(&packed);
    return question.status;
}

/* -- config rollback ------------------------------------------------------------------------- */

static void tell_rollback(const struct question *question, uint32_t serial)
{
    if (question->command->format != SHEET_TABLE)
        return;
    if (serial > 0)
        fprintf(question->to, "the previous document, once serial %" PRIu32 ", is ordered again\n",
                serial);
    else
        fputs("the previous document is ordered again\n", question->to);
}

enum exit_status config_rollback_run(const struct command *command, struct client *client, FILE *to,
                                     FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct standing standing;
    struct order order;
    struct node_document previous;
    if (!order_next(&question, &standing, &order) ||
        !node_document_ask(&question, &standing, NODE_DOCUMENT_PREVIOUS, &previous))
        return question.status;
    order.document = &previous.packed;
    if (order_give(&question, &order)) {
        tell_rollback(&question, previous.serial);
        rollout_follow(&question, &order, true);
    }
    node_document_free(&previous);
    return question.status;
}

/* -- stop ------------------------------------------------------------------------------------ */

/* Whether the node is still root: before it ceases to be, it makes base nodes of all others. */
static bool ask_whether_root(struct question *question, bool *is_root)
{
    struct cell cell;
    cell_scalar(&cell, MIB_dcampTreeIsRoot);
    if (!question_get(question, &cell, 1))
        return false;
    *is_root = cell.kind == CELL_NUMBER && cell.number == dcampTreeIsRoot_true;
    return true;
}

static void tell_end(struct question *question, const struct order *order, const char *how,
                     bool ended)
{
    static const struct sheet_column columns[] = {
        {"root", NULL, SHEET_TEXT}, {"term", NULL, SHEET_NUMBER}, {"ended", NULL, SHEET_TRUTH}};
    if (question->command->format == SHEET_TABLE) {
        fprintf(question->to, "%s: %s\n", order->root, how);
        return;
    }
    const struct sheet_value values[] = {{true, order->root, strlen(order->root), 0},
                                         {.given = true, .number = order->term},
                                         {.given = true, .number = ended}};
    struct sheet *sheet = sheet_new(columns, sizeof columns / sizeof *columns);
    if (!sheet || !sheet_add(sheet, values))
        question_no_memory(question);
    else
        question_print(question, sheet);
    sheet_free(sheet);
}

static void wait_for_base(struct question *question, const struct order *order)
{
    uint64_t now = clock_mono_ns(), until = now + question->command->wait_s * NS_PER_S;
    struct progress progress = progress_begin(question->errors, now);
    struct roll roll = {.all = 0};
    bool is_root = true, good = true;
    for (;; now = clock_mono_ns()) {
        good = ask_whether_root(question, &is_root) &&
               (!is_root || roster_count(question, NULL, &roll));
        if (!good || !is_root || now >= until)
            break;
        progress_show(&progress, now, "%zu nodes are not base yet", roll.all);
        question_sleep(PAUSE_NS);
    }
    progress_end(&progress);
    if (good && is_root)
        question_fail(question, EXIT_CUT, "%s still has %zu nodes to make base nodes of",
                      order->root, roll.all);
    else if (good)
        tell_end(question, order, "its tree has ended: all nodes that answer are base", true);
}

enum exit_status stop_run(const struct command *command, struct client *client, FILE *to,
                          FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct standing standing;
    struct order order;
    if (order_next(&question, &standing, &order) && order_give(&question, &order)) {
        if (command->wait_s > 0)
            wait_for_base(&question, &order);
        else
            tell_end(&question, &order, "it makes base nodes of all nodes now", false);
    }
    return question.status;
}
