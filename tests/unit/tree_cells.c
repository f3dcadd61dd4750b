#include "tree_cells.h"

#define DIGEST_SIZE 32
#define PART_SIZE 1024

static struct cell document_cell(enum mib_object object, int kind)
{
    struct cell cell;
    cell_start(&cell, object);
    cell_add_number(&cell, (uint32_t)kind);
    return cell;
}

void tree_document(struct asking *asking, int kind, int64_t term, int64_t epoch, const char *root,
                   const void *digest)
{
    struct cell cell = document_cell(MIB_dcampDocumentTerm, kind);
    agent_number(&asking->agent, &cell, term);
    cell = document_cell(MIB_dcampDocumentEpoch, kind);
    agent_number(&asking->agent, &cell, epoch);
    cell = document_cell(MIB_dcampDocumentRoot, kind);
    agent_text(&asking->agent, &cell, root);
    cell = document_cell(MIB_dcampDocumentInForce, kind);
    agent_octets(&asking->agent, &cell, digest ? digest : "", digest ? DIGEST_SIZE : 0);
    cell = document_cell(MIB_dcampDocumentState, kind);
    agent_number(&asking->agent, &cell,
                 digest ? dcampDocumentState_inForce : dcampDocumentState_none);
    cell = document_cell(MIB_dcampDocumentError, kind);
    agent_text(&asking->agent, &cell, "");
}

void tree_member(struct asking *asking, const char *name, const char *parent, int64_t role,
                 int64_t state, const void *digest)
{
    struct cell cell = asking_cell(MIB_dcampTreeNodeDigest, name, NULL, NULL);
    asking_text(asking, MIB_dcampTreeParent, name, NULL, parent);
    asking_number(asking, MIB_dcampTreeRole, name, NULL, role);
    asking_number(asking, MIB_dcampTreeState, name, NULL, state);
    agent_octets(&asking->agent, &cell, digest ? digest : "", digest ? DIGEST_SIZE : 0);
}

struct cell tree_kept_cell(enum mib_object object, int which, size_t part)
{
    struct cell cell = document_cell(object, which);
    cell_add_number(&cell, (uint32_t)part);
    return cell;
}

void tree_kept(struct asking *asking, int which, int64_t serial, const void *octets, size_t len,
               const void *digest)
{
    for (size_t at = 0, part = 1; at < len; at += PART_SIZE, part++) {
        size_t n = len - at < PART_SIZE ? len - at : PART_SIZE;
        struct cell cell = tree_kept_cell(MIB_dcampKeptSerial, which, part);
        agent_number(&asking->agent, &cell, serial);
        cell = tree_kept_cell(MIB_dcampKeptDigest, which, part);
        agent_octets(&asking->agent, &cell, digest, DIGEST_SIZE);
        cell = tree_kept_cell(MIB_dcampKeptLength, which, part);
        agent_number(&asking->agent, &cell, (int64_t)len);
        cell = tree_kept_cell(MIB_dcampKeptOctets, which, part);
        agent_octets(&asking->agent, &cell, (const char *)octets + at, n);
    }
}
