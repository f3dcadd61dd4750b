/* The documents that were ordered for this node: rows of dcampDocumentTable, and what is in
 * force. */
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

/* The tree document in force, and its order, for whoever starts the director. */
struct tree_in_force {
    uint64_t changes;   /* counts changes of the following */
    struct order order; /* term 0: there was none */
    char *text;         /* unpacked, malloced; NULL: there is no document, because there never was
                         * one or because the order, with an empty digest, ended it */
    size_t len;
    bool ends; /* the tree of this document has to be taken apart by this node, its root */
};

struct documents {
    struct index index;                       /* lock */
    struct document_row rows[DOCUMENT_KINDS]; /* lock */
    struct parts parts;                       /* lock: the parts of the tree documents that are
                                               * kept */
    struct assignment assignment;             /* lock: that of the share in force; role 0: there is
                                               * none */
    struct parcel *working[DOCUMENT_KINDS];   /* lock: the documents by which the node works; NULL:
                                               * none */
    uint64_t seen[DOCUMENT_KINDS]; /* core thread only: the changes that were looked at */
    uint64_t again_ns;         /* core thread only: when to try again what there was no memory for;
                                * UINT64_MAX: memory sufficed */
    struct tree_in_force tree; /* core thread only */
    uint64_t ended; /* how many trees this node took apart since it began; each changes the state */
};

/* False: no memory. */
bool documents_open(struct documents *documents);
void documents_close(struct documents *documents);

/* What the state file says becomes what the node works by. It is taken out of the state. */
void documents_restore(struct documents *documents, struct state *state);

/* Puts into the state what the state file has to say. Under the lock. */
void documents_save(const struct documents *documents, struct state *state);

/* Whether a document that was ordered is complete here, but neither in force nor refused yet. Under
 * the lock. */
bool documents_wait(const struct documents *documents);

/* When there is something to do about a document. Core thread, under the lock. */
uint64_t documents_due(const struct documents *documents, uint64_t now_ns);

struct ordered *documents_of(struct documents *documents, enum document_kind kind);

/* Sets the assignment of the share in force. Under the lock. */
void documents_assign(struct documents *documents, const struct assignment *assignment);

/* The tree documents that are kept, in parts; none if there is no memory for them. Under the lock.
 * Earlier rows become invalid if the documents have changed since. */
const struct index *documents_parts(struct documents *documents);

/* What has to be done about a document. Under the lock. */
struct document_task {
    enum document_kind kind;
    bool is_new; /* it differs from the one that the node works by */
    bool is_end; /* only for the tree document, which is the parcel: it has to end */
    enum document_state state;
    uint64_t changes;      /* those of the document at that time */
    struct parcel *parcel; /* NULL: there must be none */
    struct order order;
};

/* False: there is nothing to do. Otherwise the caller must drop one use of the parcel. */
bool documents_next(struct documents *documents, struct document_task *task);

/* The node works by the document of the task from now on; the tree document that it worked by is
 * kept as the previous one. False: another one was ordered meanwhile, and the node does not work by
 * this one. */
bool documents_adopt(struct documents *documents, const struct document_task *task);

/* As documents_adopt, for the end of the tree document: it stays until documents_ended, so that a
 * process that is started anew meanwhile knows what has to end. */
bool documents_end(struct documents *documents, const struct document_task *task);
/* Nobody works by the tree document any more. False: there has to be one again. Under the lock. */
bool documents_ended(struct documents *documents);

/* The document of the task is refused, and the node continues as before; if the task was to
 * continue with the document in force, none is in force any more. */
void documents_refuse(struct documents *documents, const struct document_task *task,
                      const char *error);

/* The task needed nothing but being noted. */
void documents_note(struct documents *documents, const struct document_task *task);

#endif
