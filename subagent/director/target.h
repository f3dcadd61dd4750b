/* One node of the tree, as the director deals with it: what it is asked next. Pure.
 *
 * Nothing that was under way is remembered after a failure. Whatever became of the last question,
 * the next look at the node tells how far it is, and the order continues from there. */
#ifndef DCAMP_DIRECTOR_TARGET_H
#define DCAMP_DIRECTOR_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "config/parcel.h"
#include "snmpv3/credential.h"

#define TARGET_PART_MAX 1024 /* octets of a document in one SET */

/* The order in which a node is given its documents. */
enum target_kind { TARGET_TREE, TARGET_SHARE, TARGET_KINDS };

/* The numbers are those of dcampDocumentState in the MIB. */
enum target_state {
    TARGET_NONE = 1,
    TARGET_PARTIAL = 2,
    TARGET_WAITING = 3,
    TARGET_IN_FORCE = 4,
    TARGET_REFUSED = 5
};

/* A document of a node, as the node states it: the order that it has accepted, and what became of
 * it. */
struct target_document {
    uint32_t term, epoch;
    char root[NAME_SIZE];
    bool has_digest; /* false: it was ordered to have none, or nothing was ever ordered */
    uint8_t digest[CONFIG_DIGEST];
    uint32_t length, offset;
    uint32_t state;
    bool works; /* it works by a document, perhaps by an older one: */
    uint8_t in_force[CONFIG_DIGEST];
    char error[MESSAGE_SIZE];
};

/* Everything that one look brings. */
struct target_look {
    char name[NAME_SIZE];
    char version[32];
    uint32_t boot;
    uint32_t role; /* enum share_role; 0: base */
    uint32_t level;
    char parent[NAME_SIZE];
    char group[NAME_SIZE];
    uint32_t serial; /* of the tree document that its share was made of */
    char digest[2 * CONFIG_DIGEST + 1];
    uint32_t deviations;
    struct target_document documents[TARGET_KINDS];
};

/* What a node has to have. */
struct target_wanted {
    bool is_wanted;        /* false: this document is left as it is */
    struct parcel *packed; /* NULL: it must have none. The target is a user of it. */
};

enum target_ask {
    TARGET_WAIT,     /* nothing until a certain time */
    TARGET_DISCOVER, /* its engine ID */
    TARGET_LOOK,     /* what its state is */
    TARGET_ORDER,    /* a step of a document */
    TARGET_EXPLAIN   /* why it has refused an order */
};

/* A SET: it always contains term, epoch, root, digest and length, and perhaps a part. */
struct target_order {
    enum target_kind kind;
    uint32_t term, epoch;
    struct parcel *packed; /* NULL: it must have none */
    uint32_t offset, n;    /* n 0: no part is to be sent */
};

struct target_step {
    enum target_ask ask;
    uint64_t until_ns; /* for TARGET_WAIT; UINT64_MAX: until something else happens */
    struct target_order order;
};

/* The pace of all targets, and in whose name they are ordered. */
struct target_rules {
    uint64_t heartbeat_ns, leaf_heartbeat_ns;
    uint32_t missed;
    char root[NAME_SIZE]; /* the name of the node that orders */
};

struct target {
    const struct target_rules *rules;
    uint32_t term; /* of the orders; 0: the node is only looked at */
    bool is_leaf;  /* it is looked at less often */
    bool is_held;  /* it is not what it seems: only its engine ID is asked for, now and then */
    struct target_wanted wanted[TARGET_KINDS];

    bool met;                   /* its engine ID is known */
    bool looked;                /* there is a look: */
    struct target_look look;    /* including what later orders have changed */
    uint64_t heard_ns;          /* when its latest answer came; 0: none */
    uint64_t seen_ns;           /* when the question of the latest look had been sent */
    uint64_t round_trip_ns;     /* smoothed; 0: not known */
    uint32_t failures;          /* looks in a row without an answer */
    char silence[MESSAGE_SIZE]; /* why the latest of them was not answered */

    uint32_t refusals;          /* orders that it has refused since it last had what was wanted */
    char refusal[MESSAGE_SIZE]; /* why it refused the latest one; "": it refused none */
    bool explain;               /* it must be asked for the reason */
    uint32_t silent_orders;     /* how many in a row were not answered */
    uint64_t hold_ns;           /* no order before that, unless another document is wanted */

    uint64_t due_ns; /* when the next look is due */
    struct target_step step;
    uint64_t asked_ns; /* when the step was asked */
};

void target_init(struct target *target, const struct target_rules *rules);

/* Drops what it is a user of. */
void target_release(struct target *target);

/* Sets what it has to have from now on; the caller keeps its own use of packed. */
void target_want(struct target *target, enum target_kind kind, struct parcel *packed);
void target_want_nothing(struct target *target, enum target_kind kind);
void target_set_term(struct target *target, uint32_t term);

/* What to ask it now. The question is under way until one of the functions below is called, or
 * target_stop; TARGET_WAIT is no question. */
struct target_step target_next(struct target *target, uint64_t now_ns);

/* How long to wait for the answer to a question; a question is sent twice. */
uint64_t target_timeout(const struct target *target);

/* The result of the question. */
void target_discovered(struct target *target, uint64_t now_ns);
void target_looked(struct target *target, const struct target_look *look, uint64_t round_trip_ns,
                   uint64_t now_ns);
void target_ordered(struct target *target, uint64_t now_ns);
void target_refused(struct target *target, const char *text, uint64_t now_ns);
void target_explained(struct target *target, const char *text, uint64_t now_ns);
/* met: whether its engine ID is still known. */
void target_failed(struct target *target, const char *text, bool met, uint64_t now_ns);
void target_stop(struct target *target);

/* It must be looked at next, and at once. */
void target_hurry(struct target *target);

bool target_is_lost(const struct target *target);

/* Whether it answers, and has what it has to have. */
bool target_is_done(const struct target *target);
bool target_has(const struct target *target, enum target_kind kind);

/* Whether it has accepted what is wanted, and states in the error of the document why it cannot
 * work by it. */
bool target_is_unable(const struct target *target, enum target_kind kind);

/* Whether it obeys another root, in a term that is higher or equal: then it is not ordered. Returns
 * its document that says so; NULL: it does not. */
const struct target_document *target_fence(const struct target *target);

#endif
