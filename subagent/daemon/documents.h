/* The documents that the node is told of: rows of dcampDocumentTable, and what is in force. */
#ifndef DCAMP_DAEMON_DOCUMENTS_H
#define DCAMP_DAEMON_DOCUMENTS_H

#include "config/ordered.h"
#include "config/state.h"
#include "daemon/parts.h"

struct document_row {
    struct index_node node; /* key: the kind */
    uint32_t key;
    struct ordered ordered;
};

/* The tree document in force, and the order that it is by, for who starts the director. */
struct tree_in_force {
    uint64_t changes;   /* of what follows */
    struct order order; /* term 0: there was none */
    char *text;         /* unpacked, malloced; NULL: there is no document, since there never was
                           or since the order, of an empty digest, ended it */
    size_t len;
    bool ends; /* it is the document of a tree that this node, its root, is to take apart */
};

struct documents {
    struct index index;                       /* lock */
    struct document_row rows[DOCUMENT_KINDS]; /* lock */
    struct parts parts;                       /* lock: of the tree documents that are kept */
    struct assignment assignment;           /* lock: of the share in force; role 0: there is none */
    struct parcel *working[DOCUMENT_KINDS]; /* lock: by which the node works; NULL: none */
    uint64_t seen[DOCUMENT_KINDS];          /* core thread only: changes that were looked at */
    uint64_t again_ns; /* core thread only: when what there was no memory for is tried again;
                          UINT64_MAX: there was */
    struct tree_in_force tree; /* core thread only */
    uint64_t ended; /* trees that this node took apart since it began: then the state is another */
};

/* False: no memory. */
bool documents_open(struct documents *documents);
void documents_close(struct documents *documents);

/* What the state file says becomes what the node works by. The state keeps nothing of it. */
void documents_restore(struct documents *documents, struct state *state);

/* What the state file is to say. Under the lock. */
void documents_save(const struct documents *documents, struct state *state);

/* Whether a document that was ordered is neither in force nor refused yet, though it is here as a
 * whole. Under the lock. */
bool documents_wait(const struct documents *documents);

/* When there is something to do about a document. Core thread, under the lock. */
uint64_t documents_due(const struct documents *documents, uint64_t now_ns);

struct ordered *documents_of(struct documents *documents, enum document_kind kind);

/* The assignment of the share in force is another one. Under the lock. */
void documents_assign(struct documents *documents, const struct assignment *assignment);

/* The tree documents that are kept, in parts; none where there is no memory for them. Under the
 * lock. Rows of before are gone where the documents are others since. */
const struct index *documents_parts(struct documents *documents);

/* What is to be done about a document. Under the lock. */
struct document_task {
    enum document_kind kind;
    bool is_new; /* it is another one than the node works by */
    bool is_end; /* of the tree document, which is the parcel: there is to be none */
    enum document_state state;
    uint64_t changes;      /* of the document, at the time */
    struct parcel *parcel; /* NULL: there is to be none */
    struct order order;
};

/* False: nothing. Else one user of the parcel is to be dropped. */
bool documents_next(struct documents *documents, struct document_task *task);

/* The node works by the document of the task from now on; a tree document that it worked by is kept
 * as the previous one. False: another one was ordered meanwhile, and it does not. */
bool documents_adopt(struct documents *documents, const struct document_task *task);

/* As documents_adopt, of the end of the tree document: it stays until documents_ended, so that who
 * is started anew meanwhile knows what there is to end. */
bool documents_end(struct documents *documents, const struct document_task *task);
/* Nobody works by the tree document any more. False: there is to be one again. Under the lock. */
bool documents_ended(struct documents *documents);

/* It goes on as before; if the task was to go on by what was in force, there is none any more. */
void documents_refuse(struct documents *documents, const struct document_task *task,
                      const char *error);

/* There was nothing to do about it but to know it. */
void documents_note(struct documents *documents, const struct document_task *task);

#endif
