#include "cli/node_document.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/packing.h"
#include "base/text.h"
#include "cli/progress.h"

#define PART_SIZE 1024u /* of all parts but the last */
#define TRIES 3

/* -- A part ---------------------------------------------------------------------------------- */

enum { SERIAL, DIGEST, LENGTH, OCTETS, CELLS };

static const enum mib_object objects[CELLS] = {[SERIAL] = MIB_dcampKeptSerial,
                                               [DIGEST] = MIB_dcampKeptDigest,
                                               [LENGTH] = MIB_dcampKeptLength,
                                               [OCTETS] = MIB_dcampKeptOctets};

struct part {
    bool is_there;
    uint32_t serial, length; /* of the whole document */
    uint8_t digest[PACKED_DIGEST];
    uint8_t octets[PART_SIZE];
    size_t n;
};

struct reading {
    struct question *question;
    const char *node;
    enum node_document_which which;
};

static bool fail_reading(const struct reading *reading, const char *why)
{
    return question_fail(reading->question, EXIT_BROKEN,
                         "%s does not give the document as it is: %s", reading->node, why);
}

static bool take_part(const struct reading *reading, const struct cell cells[CELLS],
                      struct part *part)
{
    const struct cell *digest = &cells[DIGEST];
    bool good = cells[SERIAL].kind == CELL_NUMBER && cells[LENGTH].kind == CELL_NUMBER &&
                cells[LENGTH].number > 0 && cells[LENGTH].number <= PACKED_MAX &&
                digest->kind == CELL_TEXT && digest->text_len == PACKED_DIGEST &&
                cells[OCTETS].kind == CELL_TEXT;
    if (!good)
        return fail_reading(reading, "a part of it makes no sense, or is too long");
    part->is_there = true;
    part->serial = (uint32_t)cells[SERIAL].number;
    part->length = (uint32_t)cells[LENGTH].number;
    memcpy(part->digest, digest->text, PACKED_DIGEST);
    part->n = cells[OCTETS].text_len;
    return true;
}

/* False: the node could not be asked, or its answer makes no sense. */
static bool ask_part(const struct reading *reading, uint32_t number, struct part *part)
{
    struct cell cells[CELLS];
    bool is_there = false;
    for (size_t i = 0; i < CELLS; i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_number(&cells[i], reading->which);
        cell_add_number(&cells[i], number);
    }
    cells[OCTETS].room = part->octets;
    cells[OCTETS].room_size = sizeof part->octets;
    part->is_there = false;
    if (!question_get(reading->question, cells, CELLS))
        return false;
    for (size_t i = 0; i < CELLS; i++)
        is_there |= cells[i].kind != CELL_MISSING;
    return !is_there || take_part(reading, cells, part);
}

/* -- All parts ------------------------------------------------------------------------------- */

enum outcome {
    READ_ALL,
    READ_NOTHING, /* there is no such document */
    READ_MIX,     /* parts of several documents: another one has come into force meanwhile */
    READ_FAILED   /* the question has the reason */
};

/* Appends the next part, which is full unless the document ends in it. */
static enum outcome append_part(const struct reading *reading, struct node_document *document,
                                size_t length, const struct part *part)
{
    size_t rest = length - document->packed.len, n = rest < PART_SIZE ? rest : PART_SIZE;
    if (!part->is_there || part->length != length ||
        memcmp(part->digest, document->packed.digest, PACKED_DIGEST) != 0)
        return READ_MIX;
    if (part->n != n) {
        fail_reading(reading, "its parts do not fit together");
        return READ_FAILED;
    }
    memcpy(document->packed.octets + document->packed.len, part->octets, n);
    document->packed.len += n;
    return READ_ALL;
}

static enum outcome read_rest(const struct reading *reading, struct node_document *document,
                              struct part *part)
{
    struct progress progress = progress_begin(reading->question->errors, clock_mono_ns());
    const size_t length = part->length;
    enum outcome outcome = append_part(reading, document, length, part);
    for (uint32_t number = 2; outcome == READ_ALL && document->packed.len < length; number++) {
        progress_show(&progress, clock_mono_ns(), "%zu of %zu octets read", document->packed.len,
                      length);
        outcome = ask_part(reading, number, part) ? append_part(reading, document, length, part)
                                                  : READ_FAILED;
    }
    progress_end(&progress);
    if (outcome == READ_ALL &&
        !packed_is(document->packed.octets, length, document->packed.digest)) {
        fail_reading(reading, "its SHA-256 is not that which the node says");
        return READ_FAILED;
    }
    return outcome;
}

static enum outcome read_document(const struct reading *reading, struct node_document *document)
{
    struct part part;
    if (!ask_part(reading, 1, &part))
        return READ_FAILED;
    if (!part.is_there)
        return READ_NOTHING;
    *document =
        (struct node_document){.serial = part.serial, .packed.octets = malloc(part.length + 1)};
    memcpy(document->packed.digest, part.digest, PACKED_DIGEST);
    if (!document->packed.octets) {
        question_no_memory(reading->question);
        return READ_FAILED;
    }
    enum outcome outcome = read_rest(reading, document, &part);
    if (outcome != READ_ALL)
        node_document_free(document);
    return outcome;
}

/* -- Which there are ------------------------------------------------------------------------- */

/* A node that keeps a document shows it in this table, unless its dcampd is older than the table or
 * the user must not see it. */
static bool fail_hidden(const struct reading *reading)
{
    return question_fail(reading->question, EXIT_SILENT,
                         "%s does not give documents: its dcampd is older than that, or the user "
                         "must not see them",
                         reading->node);
}

static bool fail_no_previous(struct reading *reading)
{
    struct part part;
    reading->which = NODE_DOCUMENT_IN_FORCE;
    if (!ask_part(reading, 1, &part))
        return false;
    return part.is_there ? question_fail(reading->question, EXIT_USAGE,
                                         "%s has no previous document: it knows of none but the "
                                         "one in force",
                                         reading->node)
                         : fail_hidden(reading);
}

static bool fail_no_document(struct question *question, const struct standing *standing)
{
    const char *other = order_other_root(standing);
    if (!other)
        return question_fail(question, EXIT_USAGE, "%s is in no tree", standing->name);
    return question_fail(question, EXIT_USAGE,
                         "%s has only its share of the document; the root of its tree, %s, has it",
                         standing->name, other[0] ? other : "which is not known here");
}

bool node_document_ask(struct question *question, const struct standing *standing,
                       enum node_document_which which, struct node_document *document)
{
    struct reading reading = {question, standing->name, which};
    enum outcome outcome = READ_MIX;
    *document = (struct node_document){.serial = 0};
    if (!standing->tree.in_force)
        return fail_no_document(question, standing);
    for (int i = 0; i < TRIES && outcome == READ_MIX; i++)
        outcome = read_document(&reading, document);
    if (outcome == READ_NOTHING)
        return which == NODE_DOCUMENT_PREVIOUS ? fail_no_previous(&reading) : fail_hidden(&reading);
    if (outcome == READ_MIX)
        return fail_reading(&reading, "its parts are of several documents");
    return outcome == READ_ALL;
}

void node_document_free(struct node_document *document)
{
    packed_free(&document->packed);
}

/* -- The text -------------------------------------------------------------------------------- */

/* The document may have been written to control a terminal: characters that a terminal obeys are
 * refused. XML does not allow them, or has no use for them. */
static bool is_text(const char *text, size_t len)
{
    for (size_t i = 0, n; i < len; i += n) {
        n = text_utf8_length(text + i, len - i);
        bool is_space = n == 1 && strchr("\t\n\r", text[i]) && text[i];
        if (n == 0 || (!is_space && !sheet_is_harmless(text + i, n)))
            return false;
    }
    return true;
}

char *node_document_text(struct question *question, const struct standing *standing, size_t *len)
{
    const struct reading reading = {question, standing->name, NODE_DOCUMENT_IN_FORCE};
    struct node_document document;
    const char *fault;
    if (!node_document_ask(question, standing, NODE_DOCUMENT_IN_FORCE, &document))
        return NULL;
    char *text = packing_unpack(document.packed.octets, document.packed.len, len, &fault);
    node_document_free(&document);
    if (!text) {
        fail_reading(&reading, fault);
    } else if (!is_text(text, *len)) {
        fail_reading(&reading, "it is no text of UTF-8, or has control characters");
        free(text);
        text = NULL;
    }
    return text;
}
