#include "cli/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/progress.h"

/* A message of SNMP over UDP that every path takes as a whole: Ethernet has 1,500 octets. */
#define PART_MAX 1024
#define PAUSE_NS (100 * NS_PER_MS)
#define TRIES 3

/* -- What the node knows --------------------------------------------------------------------- */

enum { TERM, EPOCH, ROOT, IN_FORCE, KNOWN };

static const enum mib_object known_objects[KNOWN] = {[TERM] = MIB_dcampDocumentTerm,
                                                     [EPOCH] = MIB_dcampDocumentEpoch,
                                                     [ROOT] = MIB_dcampDocumentRoot,
                                                     [IN_FORCE] = MIB_dcampDocumentInForce};

static void document_cell(struct cell *cell, enum mib_object object, uint32_t kind)
{
    cell_start(cell, object);
    cell_add_number(cell, kind);
}

/* Takes the name of a node, in which few characters are allowed; anything else counts as no
 * name. */
static void take_name(char name[NAME_SIZE], const struct cell *cell)
{
    bool good = cell->kind == CELL_TEXT && text_is_name(cell->text, cell->text_len);
    text_format(name, NAME_SIZE, "%s", good ? cell->text : "");
}

static void take_known(struct known *known, const struct cell *cells)
{
    known->term = (uint32_t)cells[TERM].number;
    known->epoch = (uint32_t)cells[EPOCH].number;
    take_name(known->root, &cells[ROOT]);
    known->in_force = cells[IN_FORCE].kind == CELL_TEXT && cells[IN_FORCE].text_len > 0;
    if (known->in_force && cells[IN_FORCE].text_len == PACKED_DIGEST)
        memcpy(known->digest, cells[IN_FORCE].text, PACKED_DIGEST);
}

bool order_ask(struct question *question, struct standing *standing)
{
    struct cell cells[1 + 2 * KNOWN];
    cell_scalar(&cells[0], MIB_dcampNodeName);
    for (size_t i = 0; i < KNOWN; i++) {
        document_cell(&cells[1 + i], known_objects[i], dcampDocumentKind_share);
        document_cell(&cells[1 + KNOWN + i], known_objects[i], dcampDocumentKind_tree);
    }
    if (!question_is_dcamp(question) ||
        !question_get(question, cells, sizeof cells / sizeof *cells))
        return false;
    if (cells[1 + TERM].kind != CELL_NUMBER || cells[1 + KNOWN + TERM].kind != CELL_NUMBER)
        return question_fail(question, EXIT_SILENT,
                             "there is no dcampDocumentTable: dcampd is older than trees, or the "
                             "user must not see it");
    take_name(standing->name, &cells[0]);
    take_known(&standing->share, &cells[1]);
    take_known(&standing->tree, &cells[1 + KNOWN]);
    return standing->name[0] ||
           question_fail(question, EXIT_BROKEN, "the node has a name that is none");
}

static bool is_of_other(const struct standing *standing, const struct known *known)
{
    return known->in_force && strcmp(known->root, standing->name) != 0;
}

const char *order_other_root(const struct standing *standing)
{
    const struct known *share = &standing->share, *tree = &standing->tree;
    bool of_share = is_of_other(standing, share), of_tree = is_of_other(standing, tree);
    if (of_share && (!of_tree || share->term >= tree->term))
        return share->root;
    return of_tree ? tree->root : NULL;
}

uint32_t order_term(const struct standing *standing)
{
    return standing->share.term > standing->tree.term ? standing->share.term : standing->tree.term;
}

bool order_is_root(const struct standing *standing)
{
    return standing->tree.in_force && strcmp(standing->tree.root, standing->name) == 0 &&
           !(is_of_other(standing, &standing->share) && standing->share.term > standing->tree.term);
}

bool order_ask_root(struct question *question, struct standing *standing)
{
    if (!order_ask(question, standing))
        return false;
    if (order_is_root(standing))
        return true;
    const char *other = order_other_root(standing);
    if (!other)
        return question_fail(question, EXIT_USAGE, "%s is in no tree", standing->name);
    return question_fail(question, EXIT_USAGE,
                         "%s is not the root of the tree: %s is, in term %" PRIu32, standing->name,
                         other[0] ? other : "somebody", order_term(standing));
}

char *order_read_text(struct question *question, struct packed *packed)
{
    char error[512];
    char *text = packed_text_of(packed, question->command->config, error);
    if (!text)
        question_fail(question, EXIT_USAGE, "%s", error);
    return text;
}

bool order_read(struct question *question, struct packed *packed)
{
    char error[512];
    return packed_file(packed, question->command->config, error) ||
           question_fail(question, EXIT_USAGE, "%s", error);
}

/* -- The order ------------------------------------------------------------------------------- */

struct step {
    struct cell cells[7];
    size_t n;
};

static struct cell *add_cell(struct step *step, enum mib_object object)
{
    struct cell *cell = &step->cells[step->n++];
    document_cell(cell, object, dcampDocumentKind_tree);
    return cell;
}

static void add_octets(struct step *step, enum mib_object object, const void *octets, size_t len)
{
    struct cell *cell = add_cell(step, object);
    cell->octets = octets;
    cell->n_octets = len;
}

/* Begins a SET with the cells that every SET of an order has. */
static void begin_step(struct step *step, const struct order *order)
{
    const struct packed *document = order->document;
    step->n = 0;
    add_cell(step, MIB_dcampDocumentTerm)->number = order->term;
    add_cell(step, MIB_dcampDocumentEpoch)->number = order->epoch;
    add_octets(step, MIB_dcampDocumentRoot, order->root, strlen(order->root));
    add_octets(step, MIB_dcampDocumentDigest, document ? document->digest : (const void *)"",
               document ? PACKED_DIGEST : 0);
    add_cell(step, MIB_dcampDocumentLength)->number = document ? (int64_t)document->len : 0;
}

static bool send_parts(struct question *question, const struct order *order)
{
    const struct packed *document = order->held ? NULL : order->document;
    struct progress progress = progress_begin(question->errors, clock_mono_ns());
    struct step *step = calloc(1, sizeof *step);
    bool good = step != NULL || question_no_memory(question);
    size_t at = 0;
    do {
        size_t len = document && document->len - at < PART_MAX ? document->len - at : PART_MAX;
        if (!good)
            break;
        begin_step(step, order);
        if (document) {
            add_cell(step, MIB_dcampDocumentOffset)->number = (int64_t)at;
            add_octets(step, MIB_dcampDocumentPart, document->octets + at, len);
            progress_show(&progress, clock_mono_ns(), "%zu of %zu octets sent", at, document->len);
        }
        /* It does no harm if the same step is done twice. */
        good = question_set(question, step->cells, step->n, TRIES);
        at += len;
    } while (document && at < document->len);
    progress_end(&progress);
    free(step);
    return good;
}

bool order_next(struct question *question, struct standing *standing, struct order *order)
{
    const struct known *tree = &standing->tree;
    if (!order_ask_root(question, standing))
        return false;
    if (tree->epoch == UINT32_MAX)
        return question_fail(question, EXIT_REFUSED,
                             "term %" PRIu32 " has no further orders: it needs another promote",
                             tree->term);
    *order = (struct order){.term = tree->term, .epoch = tree->epoch + 1};
    text_format(order->root, sizeof order->root, "%s", standing->name);
    return true;
}

/* -- What came of it ------------------------------------------------------------------------- */

static bool tell_refused(struct question *question, const struct cell *error)
{
    char *why = sheet_clean(error->text, error->text_len);
    question_fail(question, EXIT_REFUSED, "the node refuses the document: %s",
                  why && why[0] ? why : "it does not say why");
    free(why);
    return false;
}

static bool is_settled(int64_t state)
{
    return state != dcampDocumentState_waiting && state != dcampDocumentState_partial;
}

/* If somebody else has ordered meanwhile, with a higher term, the node obeys that order. */
static bool check_outcome(struct question *question, const struct order *order,
                          const struct cell *cells)
{
    const struct cell *state = &cells[0], *error = &cells[1], *term = &cells[2], *epoch = &cells[3];
    if (term->number != order->term || epoch->number != order->epoch)
        return question_fail(
            question, EXIT_REFUSED,
            "somebody else has ordered another document meanwhile, in term %" PRIu32,
            (uint32_t)term->number);
    if (state->kind == CELL_NUMBER && state->number == dcampDocumentState_refused)
        return tell_refused(question, error);
    if (state->kind == CELL_NUMBER && is_settled(state->number))
        return true;
    return question_fail(question, EXIT_SILENT,
                         "the node has the document, and does not begin to "
                         "work by it");
}

static bool wait_for_outcome(struct question *question, const struct order *order)
{
    uint64_t until = clock_mono_ns() + question->command->timeout_s * NS_PER_S;
    struct cell cells[4];
    do {
        document_cell(&cells[0], MIB_dcampDocumentState, dcampDocumentKind_tree);
        document_cell(&cells[1], MIB_dcampDocumentError, dcampDocumentKind_tree);
        document_cell(&cells[2], MIB_dcampDocumentTerm, dcampDocumentKind_tree);
        document_cell(&cells[3], MIB_dcampDocumentEpoch, dcampDocumentKind_tree);
        if (!question_get(question, cells, 4))
            return false;
        if (cells[0].kind == CELL_NUMBER && is_settled(cells[0].number))
            break;
        question_sleep(PAUSE_NS);
    } while (clock_mono_ns() < until);
    return check_outcome(question, order, cells);
}

bool order_give(struct question *question, const struct order *order)
{
    return send_parts(question, order) && wait_for_outcome(question, order);
}
