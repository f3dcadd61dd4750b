#include "config/ordered.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NEEDED                                                                                     \
    (ORDER_HAS_TERM | ORDER_HAS_EPOCH | ORDER_HAS_ROOT | ORDER_HAS_DIGEST | ORDER_HAS_LENGTH)
#define A_PART (ORDER_HAS_OFFSET | ORDER_HAS_PART)

/* -- Orders ---------------------------------------------------------------------------------- */

static bool same_document(const struct order *a, const struct order *b)
{
    return a->is_empty == b->is_empty &&
           (a->is_empty || memcmp(a->digest, b->digest, sizeof a->digest) == 0);
}

bool order_is_obeyed(const struct order *known, const struct order *order, char text[FAULT_SIZE])
{
    if (order->term > known->term)
        return true;
    if (order->term < known->term)
        text_format(text, FAULT_SIZE,
                    "the order has term %" PRIu32 ", but \"%s\" is root in term %" PRIu32,
                    order->term, known->root, known->term);
    else if (order->term == 0)
        text_format(text, FAULT_SIZE, "the order has term 0; the first one is 1");
    else if (strcmp(order->root, known->root) != 0)
        text_format(text, FAULT_SIZE,
                    "the order is of \"%s\" in term %" PRIu32 ", but \"%s\" is root in it",
                    order->root, order->term, known->root);
    else if (order->epoch < known->epoch)
        text_format(text, FAULT_SIZE,
                    "the order has epoch %" PRIu32 ", but epoch %" PRIu32 " of \"%s\" in term "
                    "%" PRIu32 " is known",
                    order->epoch, known->epoch, known->root, known->term);
    else if (order->epoch == known->epoch && !same_document(order, known))
        text_format(text, FAULT_SIZE,
                    "epoch %" PRIu32 " of \"%s\" in term %" PRIu32 " has ordered another document",
                    known->epoch, known->root, known->term);
    else
        return true;
    return false;
}

/* -- Documents ------------------------------------------------------------------------------- */

void ordered_release(struct ordered *document)
{
    parcel_drop(document->coming);
    parcel_drop(document->in_force);
    parcel_drop(document->previous);
    *document = (struct ordered){.changes = document->changes};
}

struct ordered ordered_copy(const struct ordered *document)
{
    parcel_use(document->coming);
    parcel_use(document->in_force);
    parcel_use(document->previous);
    return *document;
}

static bool is_in_force(const struct ordered *document, const struct order *order)
{
    const struct parcel *parcel = document->in_force;
    if (order->is_empty)
        return !parcel;
    return parcel && memcmp(parcel->digest, order->digest, sizeof parcel->digest) == 0;
}

static bool is_coming(const struct ordered *document, const struct order *order)
{
    const struct parcel *parcel = document->coming;
    return !order->is_empty && parcel &&
           memcmp(parcel->digest, order->digest, sizeof parcel->digest) == 0;
}

enum document_state ordered_state(const struct ordered *document)
{
    if (document->refused)
        return DOCUMENT_REFUSED;
    if (document->waits)
        return DOCUMENT_WAITING;
    if (document->order.term == 0 || document->ends)
        return DOCUMENT_NONE;
    if (!is_in_force(document, &document->order))
        return DOCUMENT_PARTIAL;
    return document->in_force ? DOCUMENT_IN_FORCE : DOCUMENT_NONE;
}

struct parcel *ordered_wanted(const struct ordered *document)
{
    return document->waits ? document->coming : document->in_force;
}

static void drop_coming(struct ordered *document)
{
    parcel_drop(document->coming);
    document->coming = NULL;
    document->held = 0;
}

static void replace(struct parcel **parcel, uint32_t *serial, struct parcel *by, uint32_t its)
{
    parcel_drop(*parcel);
    *parcel = by;
    *serial = its;
}

void ordered_supersede(struct ordered *document)
{
    if (!document->waits)
        return;
    if (!document->coming) {
        replace(&document->previous, &document->previous_serial, NULL, 0);
    } else if (document->in_force) {
        replace(&document->previous, &document->previous_serial, document->in_force,
                document->serial);
        document->in_force = NULL; /* it is the previous one now */
    }
    ordered_adopt(document);
}

void ordered_adopt(struct ordered *document)
{
    if (!document->waits)
        return;
    replace(&document->in_force, &document->serial, document->coming, 0);
    document->coming = NULL;
    document->held = 0;
    document->waits = false;
    document->changes++;
}

void ordered_end(struct ordered *document)
{
    if (!document->waits || !document->order.is_empty)
        return;
    document->waits = false;
    document->ends = true;
    document->changes++;
}

void ordered_ended(struct ordered *document)
{
    if (!document->ends)
        return;
    replace(&document->in_force, &document->serial, NULL, 0);
    replace(&document->previous, &document->previous_serial, NULL, 0);
    document->ends = false;
    document->changes++;
}

/* A text that is too long is cut off, but never within a character of UTF-8. */
static void put_error(char error[MESSAGE_SIZE], const char *text)
{
    text_format(error, MESSAGE_SIZE, "%s", text);
    size_t len = strlen(error);
    if (len == strlen(text))
        return;
    while (len > 0 && ((unsigned char)error[len] & 0xc0) != 0xc0 &&
           ((unsigned char)error[len - 1] & 0x80))
        len--;
    error[len] = '\0';
}

static void become_refused(struct ordered *document, const char *error)
{
    drop_coming(document);
    document->waits = false;
    document->refused = true;
    put_error(document->error, error);
    document->changes++;
}

void ordered_refuse(struct ordered *document, const char *error)
{
    if (document->waits)
        become_refused(document, error);
}

void ordered_lose(struct ordered *document, const char *error)
{
    replace(&document->in_force, &document->serial, NULL, 0);
    become_refused(document, error);
}

/* -- One step of an order --------------------------------------------------------------------- */

struct order_step {
    struct ordered *document;
    struct ordered other; /* what the document becomes; after the commit, what it was */
    uint64_t changes;     /* that of the document, at the test */
    bool committed;
    bool whole;
    uint32_t offset, part_len; /* of the new octets of the part */
    uint8_t part[];
};

static bool lacks_columns(const struct order_request *request, char text[FAULT_SIZE])
{
    static const char *const names[] = {"Term",   "Epoch",  "Root", "Digest",
                                        "Length", "Offset", "Part"};
    unsigned needed = request->given & A_PART ? NEEDED | A_PART : NEEDED;
    unsigned missing = needed & ~request->given;
    if (!missing)
        return false;
    size_t first = 0;
    while (!(missing & 1u << first))
        first++;
    text_format(text, FAULT_SIZE,
                "dcampDocument%s is missing; an order has term, epoch, root, digest and length in "
                "one PDU, and a part its offset",
                names[first]);
    return true;
}

/* Whether an order contradicts itself. */
static bool makes_no_sense(const struct order *order, char text[FAULT_SIZE])
{
    if (order->is_empty == (order->length == 0))
        return false;
    text_format(text, FAULT_SIZE,
                order->is_empty ? "the length is %" PRIu32 " without a digest; it must be 0"
                                : "the length is %" PRIu32
                                  ", but there is a digest; it must be 1 or more",
                order->length);
    return true;
}

static bool has_other_length(const struct parcel *parcel, const struct order *order,
                             char text[FAULT_SIZE])
{
    if (parcel->len == order->length)
        return false;
    text_format(text, FAULT_SIZE,
                "the document of this digest has %" PRIu32 " octets, and not %" PRIu32, parcel->len,
                order->length);
    return true;
}

/* Whether a part does not fit to the octets of its document that are here, of which there are
 * `held`. */
static bool is_misplaced(const struct order_request *request, uint32_t held, char text[FAULT_SIZE])
{
    if (request->offset > held)
        text_format(text, FAULT_SIZE,
                    "the part begins at %" PRIu32 ", but only %" PRIu32 " octets are here",
                    request->offset, held);
    else if (request->part_len > request->order.length - request->offset)
        text_format(text, FAULT_SIZE,
                    "the part ends behind the %" PRIu32 " octets that are ordered",
                    request->order.length);
    else
        return false;
    return true;
}

static bool differs(const struct order_request *request, const uint8_t *octets, uint32_t held,
                    char text[FAULT_SIZE])
{
    uint32_t n =
        held - request->offset < request->part_len ? held - request->offset : request->part_len;
    if (n == 0 || memcmp(octets + request->offset, request->part, n) == 0)
        return false;
    text_format(text, FAULT_SIZE,
                "the part has other octets than those that are here; begin again at 0");
    return true;
}

static struct parcel *new_parcel(const struct order *order)
{
    struct parcel *parcel = malloc(sizeof *parcel + order->length);
    if (!parcel)
        return NULL;
    *parcel = (struct parcel){.users = 1, .len = order->length};
    memcpy(parcel->digest, order->digest, sizeof parcel->digest);
    return parcel;
}

static struct order_step *new_step(struct ordered *document, uint32_t part_len)
{
    struct order_step *step = calloc(1, sizeof *step + part_len);
    if (!step)
        return NULL;
    step->document = document;
    step->changes = document->changes;
    step->other = ordered_copy(document);
    step->part_len = part_len;
    return step;
}

/* An order for the document that is already in force changes nothing, except that no other document
 * waits any more. */
static enum order_verdict test_known(struct order_step *step, const struct order_request *request,
                                     char text[FAULT_SIZE])
{
    struct ordered *after = &step->other;
    if (after->in_force && !request->order.is_empty &&
        has_other_length(after->in_force, &request->order, text))
        return ORDER_INCONSISTENT;
    drop_coming(after);
    after->waits = false;
    step->part_len = 0;
    return ORDER_OK;
}

static enum order_verdict test_empty(struct order_step *step)
{
    drop_coming(&step->other);
    step->other.waits = true;
    step->part_len = 0;
    return ORDER_OK;
}

/* Drops what was collected, since it can never become what was ordered. */
static enum order_verdict begin_again(struct ordered *document, const struct order *order)
{
    if (is_coming(document, order) && !document->waits) {
        drop_coming(document);
        document->changes++;
    }
    return ORDER_INCONSISTENT;
}

static enum order_verdict begin_coming(struct ordered *after, const struct order *order)
{
    drop_coming(after);
    after->waits = false;
    after->coming = new_parcel(order);
    if (!after->coming)
        return ORDER_NO_MEMORY;
    SHA256Init(&after->hash);
    return ORDER_OK;
}

static bool is_what_was_ordered(const struct ordered *after)
{
    uint8_t digest[CONFIG_DIGEST];
    SHA2_CTX hash = after->hash;
    SHA256Final(digest, &hash);
    return memcmp(digest, after->order.digest, sizeof digest) == 0;
}

/* The part is added to the hash now, and to the octets at the commit: it lies behind the octets
 * that anybody reads. */
static enum order_verdict take_part(struct order_step *step, const struct order_request *request,
                                    char text[FAULT_SIZE])
{
    struct ordered *after = &step->other;
    uint32_t end = request->offset + request->part_len;
    step->offset = after->held;
    step->part_len = end > after->held ? end - after->held : 0;
    memcpy(step->part, request->part + (after->held - request->offset), step->part_len);
    SHA256Update(&after->hash, step->part, step->part_len);
    after->held += step->part_len;
    if (after->held < after->order.length)
        return ORDER_OK;
    if (!is_what_was_ordered(after)) {
        text_format(text, FAULT_SIZE,
                    "its SHA-256 is not the one that was ordered; begin again at 0");
        return begin_again(step->document, &request->order);
    }
    after->waits = true;
    return ORDER_OK;
}

static enum order_verdict test_part(struct order_step *step, const struct order_request *request,
                                    char text[FAULT_SIZE])
{
    struct ordered *after = &step->other;
    bool goes_on = is_coming(after, &request->order);
    if (!(request->given & ORDER_HAS_PART)) {
        text_format(text, FAULT_SIZE,
                    "dcampDocumentOffset and dcampDocumentPart are missing: the document of this "
                    "digest is not here");
        return ORDER_INCONSISTENT;
    }
    if (goes_on && has_other_length(after->coming, &request->order, text))
        return ORDER_INCONSISTENT;
    if (is_misplaced(request, goes_on ? after->held : 0, text))
        return ORDER_INCONSISTENT;
    if (goes_on && differs(request, after->coming->octets, after->held, text))
        return begin_again(step->document, &request->order);
    enum order_verdict verdict = goes_on ? ORDER_OK : begin_coming(after, &request->order);
    return verdict ? verdict : take_part(step, request, text);
}

static enum order_verdict test_step(struct order_step *step, const struct order_request *request,
                                    char text[FAULT_SIZE])
{
    struct ordered *after = &step->other;
    after->order = request->order;
    after->refused = after->ends = false;
    after->error[0] = '\0';
    after->changes++;
    if (request->order.is_empty && request->given & A_PART) {
        text_format(text, FAULT_SIZE, "there is a part, but no document: the digest is empty");
        return ORDER_INCONSISTENT;
    }
    if (is_in_force(after, &request->order))
        return test_known(step, request, text);
    return request->order.is_empty ? test_empty(step) : test_part(step, request, text);
}

enum order_verdict order_test(struct ordered *document, const struct order_request *request,
                              struct order_step **step, char text[FAULT_SIZE])
{
    if (lacks_columns(request, text) || makes_no_sense(&request->order, text) ||
        !order_is_obeyed(&document->order, &request->order, text))
        return ORDER_INCONSISTENT;
    struct order_step *made = new_step(document, request->part_len);
    enum order_verdict verdict = made ? test_step(made, request, text) : ORDER_NO_MEMORY;
    if (verdict) {
        if (verdict == ORDER_NO_MEMORY)
            text_format(text, FAULT_SIZE, "no memory");
        order_end(made);
        return verdict;
    }
    made->whole = made->other.waits || is_in_force(&made->other, &request->order);
    *step = made;
    return ORDER_OK;
}

static void exchange(struct order_step *step)
{
    struct ordered was = *step->document;
    *step->document = step->other;
    step->other = was;
}

bool order_commit(struct order_step *step)
{
    if (step->committed)
        return true;
    if (step->document->changes != step->changes)
        return false;
    if (step->part_len > 0)
        memcpy(step->other.coming->octets + step->offset, step->part, step->part_len);
    exchange(step);
    step->committed = true;
    return true;
}

void order_undo(struct order_step *step)
{
    if (!step->committed)
        return;
    uint64_t changes = step->document->changes;
    exchange(step);
    step->document->changes = changes + 1;
    step->committed = false;
    /* It cannot be committed again: the document has changed since the test. */
}

void order_end(struct order_step *step)
{
    if (!step)
        return;
    ordered_release(&step->other);
    free(step);
}

bool order_is_whole(const struct order_step *step)
{
    return step->whole;
}
