/* The claim of a candidate to be root, where a lease in etcd decides that: what to ask the service
 * next, and what its answers mean. Pure: it knows neither JSON nor sockets, and all times are
 * parameters, of CLOCK_BOOTTIME.
 *
 * Two keys are in the service: that of the root, which has the name of its holder and goes with its
 * lease, and that of the term, a number that every new holder makes higher in the transaction that
 * gives it the key of the root. It is a number and no count of changes, so that it gets above all
 * that nodes have obeyed at once. One question is under way at a time; whatever became of one that
 * was not answered, what is read next says how it is. */
#ifndef DCAMP_TREE_CLAIM_H
#define DCAMP_TREE_CLAIM_H

#include "base/limits.h"
#include "tree/lease.h"

struct claim_setup {
    char self[NAME_SIZE];
    uint64_t ttl_ns;   /* whole seconds */
    uint64_t delay_ns; /* how long nobody may be root before this one claims to be */
    bool logs_in;      /* before anything else */
};

enum claim_ask {
    CLAIM_WAIT,     /* nothing, up to a time */
    CLAIM_LOGIN,    /* a token, for a user and a password */
    CLAIM_READ,     /* both keys */
    CLAIM_GRANT,    /* a lease */
    CLAIM_TAKE,     /* the key of the root, if nobody has it, and a new term */
    CLAIM_RENEW,    /* the lease */
    CLAIM_RAISE,    /* a higher term, if the key of the root is this one's */
    CLAIM_GIVE_BACK /* the lease, and the key of the root with it */
};

struct claim_question {
    enum claim_ask ask;
    uint64_t until_ns; /* of CLAIM_WAIT */
    uint64_t ttl_ns;   /* of CLAIM_GRANT */
    int64_t lease_id;  /* of the others */
    uint32_t term;     /* to be put, if the key of the term was last changed in this revision */
    int64_t revision;
};

/* What both keys have. */
struct claim_keys {
    char holder[NAME_SIZE]; /* "": nobody */
    int64_t lease_id;       /* of the holder */
    uint32_t term;          /* 0: there is none yet */
    int64_t revision;       /* in which the term was last changed; 0: never */
};

struct claim_answer {
    bool is_done;           /* of TAKE and RAISE: what was to be compared was as it was to be */
    int64_t lease_id;       /* of GRANT */
    uint64_t ttl_ns;        /* of GRANT, and of RENEW: 0: the lease is not known any more */
    struct claim_keys keys; /* of READ, TAKE and RAISE */
};

struct claim {
    struct claim_setup setup;
    struct lease lease;
    int64_t lease_id; /* of the lease that is held, or that was granted to claim with */
    uint64_t granted_ttl_ns, granted_ns; /* 0: none was; when it was asked for */
    struct claim_keys keys;              /* as they were read ... */
    uint64_t read_ns;                    /* ... at that time; 0: never, or not since a failure */
    uint64_t free_ns; /* since when nobody has the key of the root; 0: it is had */
    uint32_t above;   /* terms up to this one are used up */
    bool is_logged_in;
    bool is_checked;    /* that the key is this one's was read after the latest renewal */
    uint64_t yields_ns; /* up to then it leaves the claim to others */
    uint32_t yielded_term;
    uint64_t pause_ns;  /* nothing is asked before */
    enum claim_ask ask; /* what is under way; CLAIM_WAIT: nothing */
    struct claim_question asked;
    uint64_t asked_ns;
    char fault[MESSAGE_SIZE]; /* why the latest question had no answer that is of use; "": it had */
};

/* Of a new document; what is held stays, if it is the same node and the same time to live. Zeros
 * are a claim of nothing. */
void claim_begin(struct claim *claim, const struct claim_setup *setup);

/* A node obeys this term: that of this one is to be higher. */
void claim_outdo(struct claim *claim, uint32_t term);

/* Somebody else is to become root, by an order in this term: for a while the claim is left to that
 * one. Once for each term; then this one goes on. */
void claim_yield(struct claim *claim, uint32_t term, uint64_t now_ns);

/* What to ask now. It is under way until one of the two below is called; CLAIM_WAIT is not. While a
 * question is under way it is CLAIM_WAIT without an end. */
struct claim_question claim_next(struct claim *claim, uint64_t now_ns);

void claim_answered(struct claim *claim, const struct claim_answer *answer, uint64_t now_ns);

/* There was none, or none of use. refused: the service did answer, and has not done it; login: for
 * want of a token that it knows. */
void claim_failed(struct claim *claim, const char *text, bool refused, bool login, uint64_t now_ns);

/* How long to wait for an answer. */
uint64_t claim_timeout(const struct claim *claim);

/* Whether this one may order, and in which term: not while that is to be made higher. 0: it may
 * not. */
uint32_t claim_term(const struct claim *claim, uint64_t now_ns);

/* Who holds the key of the root besides this one, as far as that was read lately; NULL: nobody is
 * known to. */
const char *claim_other(const struct claim *claim, uint64_t now_ns);

/* When claim_term or claim_other may change, if nothing is asked or answered before. UINT64_MAX:
 * they do not. */
uint64_t claim_changes(const struct claim *claim, uint64_t now_ns);

#endif
