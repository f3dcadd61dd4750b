/* Documents that a node is told of over SNMP, in parts: which orders are obeyed, what is here of
 * the document, and what is in force. Pure but for memory. */
#ifndef DCAMP_CONFIG_ORDERED_H
#define DCAMP_CONFIG_ORDERED_H

#include <sha2.h>

#include "base/limits.h"
#include "config/parcel.h"

/* The numbers are those of the MIB, as in the other enumerations. */
enum document_kind { DOCUMENT_SHARE = 1, DOCUMENT_TREE = 2 };
#define DOCUMENT_KINDS 2 /* of an array, whose index is the kind less 1 */

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
    uint32_t term; /* 0: there was none */
    uint32_t epoch;
    char root[NAME_SIZE];
    bool is_empty; /* there is to be no document: there is no digest */
    uint8_t digest[CONFIG_DIGEST];
    uint32_t length;
};

/* Whether an order is obeyed by a node that knows another one; else text has the reason. */
bool order_is_obeyed(const struct order *known, const struct order *order, char text[FAULT_SIZE]);

struct ordered {
    struct order order;    /* the latest that was accepted */
    struct parcel *coming; /* what it orders, as far as it is here; NULL: nothing is */
    uint32_t held;         /* octets of coming that are here */
    SHA2_CTX hash;         /* of these */
    bool waits;            /* the order is here as a whole, and is to be adopted or refused */
    bool refused;          /* what it orders is wrong, for this reason */
    char error[MESSAGE_SIZE];
    bool ends;               /* there is to be none, once what is in force needs it no more */
    struct parcel *in_force; /* NULL: none */
    uint32_t serial;         /* of it, if it is a tree document; 0: it is not known */
    struct parcel *previous; /* the one that was in force before, where it is kept; NULL: none */
    uint32_t previous_serial;
    uint64_t changes; /* of all that but the serials */
};

/* Zeroed memory is a document that was never ordered. */
void ordered_release(struct ordered *document);

/* A copy that shares the octets. */
struct ordered ordered_copy(const struct ordered *document);

enum document_state ordered_state(const struct ordered *document);

/* What is to be in force once nothing waits; NULL: none. */
struct parcel *ordered_wanted(const struct ordered *document);

/* What waited is in force from now on. */
void ordered_adopt(struct ordered *document);
/* The same, and what was in force until then is kept as the previous one; with what ends, that
 * does, too. */
void ordered_supersede(struct ordered *document);
/* What waited is that there is to be none; what is in force stays until ordered_ended, or until
 * something else is ordered. */
void ordered_end(struct ordered *document);
/* The document is gone from now on. Does nothing if something else was ordered meanwhile. */
void ordered_ended(struct ordered *document);
/* It is wrong: what was in force stays. */
void ordered_refuse(struct ordered *document, const char *error);
/* What is in force cannot be used any more: there is none then. */
void ordered_lose(struct ordered *document, const char *error);

/* -- One step of an order --------------------------------------------------------------------- */

/* What a PDU says. */
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
    unsigned given; /* of enum order_given */
    struct order order;
    uint32_t offset;
    uint32_t part_len;
    uint8_t part[ORDER_PART_MAX];
};

struct order_step;

enum order_verdict { ORDER_OK, ORDER_INCONSISTENT, ORDER_NO_MEMORY };

/* Tests a request, and takes all memory that it needs. ORDER_OK: *step is to be ended by
 * order_end. Else text has the reason, and nothing has changed; but octets that were collected
 * and are found to be others than those that were ordered are dropped, for they would never do. */
enum order_verdict order_test(struct ordered *document, const struct order_request *request,
                              struct order_step **step, char text[FAULT_SIZE]);

/* False: the document has changed since the test; nothing is done. Once it is done, it is true
 * without doing it again. */
bool order_commit(struct order_step *step);
/* Everything is as it was before the commit, whatever came of it. Nothing, if there was none. */
void order_undo(struct order_step *step);
void order_end(struct order_step *step);

/* Whether the step is to be on disk before it is answered: it leaves nothing to be sent. */
bool order_is_whole(const struct order_step *step);

#endif
