#include "daemon/documents.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

bool documents_open(struct documents *documents)
{
    *documents = (struct documents){.again_ns = UINT64_MAX};
    index_init(&documents->index);
    parts_open(&documents->parts);
    for (uint32_t i = 0; i < DOCUMENT_KINDS; i++) {
        struct document_row *row = &documents->rows[i];
        row->key = i + 1;
        row->node.key = &row->key;
        row->node.key_len = 1;
        if (!index_add(&documents->index, &row->node))
            return false;
    }
    return true;
}

void documents_close(struct documents *documents)
{
    for (size_t i = 0; i < DOCUMENT_KINDS; i++) {
        ordered_release(&documents->rows[i].ordered);
        parcel_drop(documents->working[i]);
    }
    parts_close(&documents->parts);
    free(documents->tree.text);
    index_release(&documents->index);
}

/* A share tells the serial of the tree document from which it was made. */
static void learn_serial(struct documents *documents)
{
    const struct assignment *assignment = &documents->assignment;
    struct ordered *tree = documents_of(documents, DOCUMENT_TREE);
    uint8_t digest[CONFIG_DIGEST];
    if (assignment->role && tree->in_force &&
        hex_to_octets(assignment->digest, digest, sizeof digest) == sizeof digest &&
        memcmp(digest, tree->in_force->digest, sizeof digest) == 0)
        tree->serial = assignment->serial;
}

void documents_assign(struct documents *documents, const struct assignment *assignment)
{
    documents->assignment = *assignment;
    learn_serial(documents);
}

const struct index *documents_parts(struct documents *documents)
{
    const struct ordered *tree = documents_of(documents, DOCUMENT_TREE);
    const struct kept_document kept[PARTS_KEPT] = {
        [PARTS_IN_FORCE - 1] = {tree->in_force, tree->serial},
        [PARTS_PREVIOUS - 1] = {tree->in_force ? tree->previous : NULL, tree->previous_serial}};
    return parts_of(&documents->parts, kept);
}

void documents_restore(struct documents *documents, struct state *state)
{
    documents->assignment = state->assignment;
    for (size_t i = 0; i < DOCUMENT_KINDS; i++) {
        struct ordered *ordered = &documents->rows[i].ordered;
        ordered_release(ordered);
        *ordered = ordered_copy(&state->documents[i]);
        ordered_release(&state->documents[i]);
        documents->seen[i] = ordered->changes - 1; /* nothing has been looked at yet */
    }
    struct parcel *share = documents->rows[DOCUMENT_SHARE - 1].ordered.in_force;
    documents->working[DOCUMENT_SHARE - 1] = parcel_use(share);
}

void documents_save(const struct documents *documents, struct state *state)
{
    for (size_t i = 0; i < DOCUMENT_KINDS; i++)
        state->documents[i] = ordered_copy(&documents->rows[i].ordered);
}

bool documents_wait(const struct documents *documents)
{
    for (size_t i = 0; i < DOCUMENT_KINDS; i++)
        if (documents->rows[i].ordered.waits)
            return true;
    return false;
}

uint64_t documents_due(const struct documents *documents, uint64_t now_ns)
{
    if (documents->again_ns != UINT64_MAX)
        return documents->again_ns;
    return documents_wait(documents) ? now_ns : UINT64_MAX;
}

struct ordered *documents_of(struct documents *documents, enum document_kind kind)
{
    return &documents->rows[kind - 1].ordered;
}

bool documents_next(struct documents *documents, struct document_task *task)
{
    for (size_t i = 0; i < DOCUMENT_KINDS; i++) {
        struct ordered *ordered = &documents->rows[i].ordered;
        bool is_end = i + 1 == DOCUMENT_TREE && ordered->waits && ordered->order.is_empty;
        struct parcel *wanted = is_end ? ordered->in_force : ordered_wanted(ordered);
        if (documents->seen[i] == ordered->changes)
            continue;
        *task = (struct document_task){.kind = (enum document_kind)(i + 1),
                                       .is_new = is_end || wanted != documents->working[i],
                                       .is_end = is_end,
                                       .state = ordered_state(ordered),
                                       .changes = ordered->changes,
                                       .parcel = parcel_use(wanted),
                                       .order = ordered->order};
        return true;
    }
    return false;
}

static void work_by(struct documents *documents, enum document_kind kind, struct parcel *parcel)
{
    struct parcel **working = &documents->working[kind - 1];
    documents->seen[kind - 1] = documents_of(documents, kind)->changes;
    parcel_use(parcel);
    parcel_drop(*working);
    *working = parcel;
}

bool documents_adopt(struct documents *documents, const struct document_task *task)
{
    struct ordered *ordered = documents_of(documents, task->kind);
    if (ordered->changes != task->changes)
        return false;
    if (task->kind == DOCUMENT_TREE)
        ordered_supersede(ordered);
    else
        ordered_adopt(ordered);
    work_by(documents, task->kind, task->is_end ? NULL : task->parcel);
    learn_serial(documents);
    return true;
}

bool documents_end(struct documents *documents, const struct document_task *task)
{
    struct ordered *ordered = documents_of(documents, task->kind);
    if (ordered->changes != task->changes)
        return false;
    ordered_end(ordered);
    work_by(documents, task->kind, task->parcel);
    return true;
}

bool documents_ended(struct documents *documents)
{
    struct ordered *ordered = documents_of(documents, DOCUMENT_TREE);
    if (!ordered->ends)
        return false;
    ordered_ended(ordered);
    documents->ended++;
    work_by(documents, DOCUMENT_TREE, NULL);
    return true;
}

void documents_refuse(struct documents *documents, const struct document_task *task,
                      const char *error)
{
    struct ordered *ordered = documents_of(documents, task->kind);
    if (ordered->changes != task->changes)
        return;
    if (ordered->waits)
        ordered_refuse(ordered, error);
    else if (ordered->in_force)
        ordered_lose(ordered, error);
    else /* an order was undone, and the file cannot be read: only the next order can help */
        documents->seen[task->kind - 1] = task->changes;
}

void documents_note(struct documents *documents, const struct document_task *task)
{
    documents->seen[task->kind - 1] = task->changes;
}
