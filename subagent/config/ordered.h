/* Documents that a node is told of over SNMP, in parts: which orders are obeyed, how much of a
 * document is here, and which one is in force. Pure but for memory. */
#ifndef DCAMP_CONFIG_ORDERED_H
#define DCAMP_CONFIG_ORDERED_H

#include <sha2.h>

#include "base/limits.h"
#include "config/parcel.h"

/* The numbers are those of the MIB, as in the other enumerations. */
enum document_kind { DOCUMENT_SHARE = 1, DOCUMENT_TREE = 2 };
#define DOCUMENT_KINDS 2 /* the size of an array whose index is the kind less 1 */

enum document_state {
    DOCUMENT_NONE = 1,
    DOCUMENT_PARTIAL = 2,
    DOCUMENT_WAITING = 3,
    DOCUMENT_IN_FORCE = 4,
    DOCUMENT_REFUSED = 5
};

#define ORDER_PART_MAX 16384 /* octets of one PDU */

/* -- Orders ---------------------------------------------------------------------------------- */

struct order {
    uint32_t term; /* 0: there was no order */
    uint32_t epoch;
    char root[NAME_SIZE];
    bool is_empty; /* there is to be no document, and so there is no digest */
    uint8_t digest[CONFIG_DIGEST];
    uint32_t length;
};

/* Whether an order is obeyed by a node that knows another one; if not, text is the reason. */
bool order_is_obeyed(const struct order *known, const struct order *order, char text[FAULT_SIZE]);

struct ordered {
    struct order order;    /* the latest order that was accepted */
    struct parcel *coming; /* what it orders, as far as it is here; NULL: nothing yet */
    uint32_t held;         /* octets of coming that are here */
    SHA2_CTX hash;         /* of these octets */
    bool waits;   /* the whole document is here, and is to be adopted or refused; or there is to be
                     none */
    bool refused; /* the document that it orders is wrong; error is the reason */
    char error[MESSAGE_SIZE];
    bool ends; /* there is to be no document, once the one in force is no longer needed */
    struct parcel *in_force; /* NULL: none */
    uint32_t serial;         /* that of in_force, if it is a tree document; 0: not known */
    struct parcel *previous; /* the document that was in force before, if it is kept; NULL: none */
    uint32_t previous_serial;
    uint64_t changes; /* grows with every change of all that except the serials */
};

/* Memory that is all zero is a document that was never ordered. */
void ordered_release(struct ordered *document);

/* A copy that shares the octets of the documents. */
struct ordered ordered_copy(const struct ordered *document);

enum document_state ordered_state(const struct ordered *document);

/* The document that is to be in force once nothing waits; NULL: none. */
struct parcel *ordered_wanted(const struct ordered *document);

/* The document that waited is in force from now on. */
void ordered_adopt(struct ordered *document);
/* The same, but the document that was in force is kept as the previous one. If there is to be none,
 * the previous one ends, too. */
void ordered_supersede(struct ordered *document);
/* The order that waited is that there is to be no document. The one in force stays until
 * ordered_ended, or until something else is ordered. */
void ordered_end(struct ordered *document);
/* The document is gone from now on. It does nothing if something else was ordered meanwhile. */
void ordered_ended(struct ordered *document);
/* The document that waited is wrong: the one that was in force stays. */
void ordered_refuse(struct ordered *document, const char *error);
/* The document in force can no longer be used: there is none then. */
void ordered_lose(struct ordered *document, const char *error);

/* -- One step of an order --------------------------------------------------------------------- */

/* The columns that a PDU sets. */
enum order_given {
    ORDER_HAS_TERM = 1,
    ORDER_HAS_EPOCH = 2,
    ORDER_HAS_ROOT = 4,
    ORDER_HAS_DIGEST = 8,
    ORDER_HAS_LENGTH = 16,
    ORDER_HAS_OFFSET = 32,
    ORDER_HAS_PART = 64
};
struct order_request {
    unsigned given; /* bits of enum order_given */
    struct order order;
    uint32_t offset;
    uint32_t part_len;
    uint8_t part[ORDER_PART_MAX];
};

struct order_step;

enum order_verdict { ORDER_OK, ORDER_INCONSISTENT, ORDER_NO_MEMORY };

/* Tests a request, and takes all memory that it needs. ORDER_OK: *step must be given to order_end.
 * Otherwise text is the reason, and nothing has changed, with one exception: octets that were
 * collected and turn out not to be those that were ordered are dropped, because they would never
 * become right. */
enum order_verdict order_test(struct ordered *document, const struct order_request *request,
                              struct order_step **step, char text[FAULT_SIZE]);

/* False: the document has changed since the test, and nothing is done. Calling it again after it
 * was done returns true and does nothing. */
bool order_commit(struct order_step *step);
/* Makes everything as it was before the commit, whatever has happened since. It does nothing if
 * there was no commit. */
void order_undo(struct order_step *step);
void order_end(struct order_step *step);

/* Whether the step must be on disk before it is answered, because no part is left to be sent. */
bool order_is_whole(const struct order_step *step);

#endif
