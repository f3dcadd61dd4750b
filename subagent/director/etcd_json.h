/* What a claim asks etcd, in the form of its JSON gateway below /v3/, and what the answers mean,
 * read without trust. Pure. */
#ifndef DCAMP_DIRECTOR_ETCD_JSON_H
#define DCAMP_DIRECTOR_ETCD_JSON_H

#include <stddef.h>

#include "tree/claim.h"

#define ETCD_ANSWER_MAX 65536       /* the longest answer, in octets */
#define ETCD_FETCHED_MAX (3u << 20) /* the longest answer with a value: 1.5 MiB, in base64 */

/* Keys below the prefix for what is kept of a tree. */
#define ETCD_DOCUMENT "document"
#define ETCD_ASSIGNMENTS "assignments"

struct etcd_names {
    const char *prefix;          /* of the keys */
    const char *self;            /* the holder's name that is written */
    const char *user, *password; /* of CLAIM_LOGIN */
};

/* The path at which it is asked: "/v3/kv/txn" and so on; NULL: nothing is asked. */
const char *etcd_path(enum claim_ask ask);

/* The text of the question, malloced and with secrets: to be freed by etcd_forget. NULL: no
 * memory. */
char *etcd_question(const struct claim_question *question, const struct etcd_names *names);
void etcd_forget(char *text);

struct etcd_result {
    bool is_good;
    bool wants_login; /* the token is missing or not valid any more */
    char error[MESSAGE_SIZE];
    struct claim_answer answer;
    char token[512]; /* of CLAIM_LOGIN */
};

/* Requests that the claim does not need, but the holder of the lease does. */
enum etcd_errand_kind {
    ETCD_NOTHING,
    ETCD_FETCH, /* reads the value of a key */
    ETCD_PUT,   /* writes another value, if the key of the root exists by this lease */
    ETCD_REMOVE /* removes everything that is kept, on the same condition */
};

struct etcd_errand {
    enum etcd_errand_kind kind;
    const char *key;          /* of ETCD_FETCH and ETCD_PUT */
    char *value;              /* of ETCD_PUT, malloced */
    int64_t lease_id;         /* of ETCD_PUT and ETCD_REMOVE */
    bool is_over;             /* it was answered, ... */
    bool is_done;             /* ... and it was done */
    char error[MESSAGE_SIZE]; /* why it was not answered the last time; "": it was */
    char *found; /* for ETCD_FETCH: malloced, with a NUL behind its end; NULL: no value */
    size_t found_len;
};

const char *etcd_errand_path(const struct etcd_errand *errand);

/* As etcd_question and etcd_answer; the latter leaves the errand as it is if the answer is
 * useless. */
char *etcd_errand_question(const struct etcd_errand *errand, const struct etcd_names *names);
void etcd_errand_answer(struct etcd_errand *errand, long status, const char *text, size_t len,
                        struct etcd_result *result);

/* Reads the answer with this HTTP status. */
void etcd_answer(const struct claim_question *question, const struct etcd_names *names, long status,
                 const char *text, size_t len, struct etcd_result *result);

#endif
