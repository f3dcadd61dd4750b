/* The claim of a candidate to be root, where a lease in etcd decides that: what to ask the service
 * next, and what its answers mean. Pure: it knows neither JSON nor sockets, and all times are
 * parameters, of CLOCK_BOOTTIME.
 *
 * The service has two keys: the key of the root, which contains the name of its holder and
 * disappears with the holder's lease, and the key of the term, a number that every new holder
 * increases in the transaction that gives it the key of the root. The term is a number, not a count
 * of changes, so that it can exceed at once everything that nodes have obeyed. One question is
 * under way at a time; if one was not answered, its effect shows in what is read next. */
#ifndef DCAMP_TREE_CLAIM_H
#define DCAMP_TREE_CLAIM_H

#include "base/limits.h"
#include "tree/lease.h"

struct claim_setup {
    char self[NAME_SIZE];
    uint64_t ttl_ns;   /* whole seconds */
    uint64_t delay_ns; /* how long nobody must have been root before this one claims to be */
    bool logs_in;      /* it must log in before anything else */
};

enum claim_ask {
    CLAIM_WAIT,     /* nothing to ask until a certain time */
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
    uint32_t term;     /* to be written, if the key of the term was last changed in this revision */
    int64_t revision;
};

/* The contents of both keys. */
struct claim_keys {
    char holder[NAME_SIZE]; /* "": nobody */
    int64_t lease_id;       /* of the holder */
    uint32_t term;          /* 0: there is none yet */
    int64_t revision;       /* in which the term was last changed; 0: never */
};

struct claim_answer {
    bool is_done;           /* for TAKE and RAISE: the comparison of the transaction held, and it
                             * was done */
    int64_t lease_id;       /* for GRANT */
    uint64_t ttl_ns;        /* for GRANT and RENEW; 0: the service does not know the lease any
                             * more */
    struct claim_keys keys; /* for READ, TAKE and RAISE */
};

struct claim {
    struct claim_setup setup;
    struct lease lease;
    int64_t lease_id; /* of the lease that is held, or that was granted for the claim */
    uint64_t granted_ttl_ns, granted_ns; /* 0: none was granted; granted_ns: when it was asked
                                          * for */
    struct claim_keys keys;              /* as they were read ... */
    uint64_t read_ns;                    /* ... at that time; 0: never, or not since a failure */
    uint64_t free_ns; /* since when nobody has had the key of the root; 0: somebody has it */
    uint32_t above;   /* terms up to this one must not be used */
    bool is_logged_in;
    bool is_checked;    /* since the latest renewal, it was read that the key belongs to this one */
    uint64_t yields_ns; /* until then it leaves the claim to others */
    uint32_t yielded_term;
    uint64_t pause_ns;  /* nothing is asked before that */
    enum claim_ask ask; /* what is under way; CLAIM_WAIT: nothing */
    struct claim_question asked;
    uint64_t asked_ns;
    char fault[MESSAGE_SIZE]; /* why the latest question had no useful answer; "": it had one */
};

/* Begins with a new document. What is held stays, if the node and the time to live are the same. An
 * all-zero struct claims nothing. */
void claim_begin(struct claim *claim, const struct claim_setup *setup);

/* A node obeys this term, so the term of this one must be higher. */
void claim_outdo(struct claim *claim, uint32_t term);

/* Somebody else is to become root, by an order in this term: for a while the claim is left to that
 * node. This happens once per term; then this one goes on. */
void claim_yield(struct claim *claim, uint32_t term, uint64_t now_ns);

/* What to ask now. The question is under way until one of the two functions below is called, unless
 * it is CLAIM_WAIT. While a question is under way, this returns CLAIM_WAIT without an end. */
struct claim_question claim_next(struct claim *claim, uint64_t now_ns);

void claim_answered(struct claim *claim, const struct claim_answer *answer, uint64_t now_ns);

/* There was no answer, or no useful one. refused: the service did answer, but has not done it;
 * login: because it was not given a token that it knows. */
void claim_failed(struct claim *claim, const char *text, bool refused, bool login, uint64_t now_ns);

/* How long to wait for an answer. */
uint64_t claim_timeout(const struct claim *claim);

/* Whether this one may give orders, and in which term; it may not while the term is being raised.
 * 0: it may not. */
uint32_t claim_term(const struct claim *claim, uint64_t now_ns);

/* Who else holds the key of the root, as far as was read lately; NULL: nobody is known to. */
const char *claim_other(const struct claim *claim, uint64_t now_ns);

/* When claim_term or claim_other may change, if nothing is asked or answered before. UINT64_MAX:
 * they will not. */
uint64_t claim_changes(const struct claim *claim, uint64_t now_ns);

#endif
