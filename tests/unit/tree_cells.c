#include "tree_cells.h"

#define DIGEST_SIZE 32

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
