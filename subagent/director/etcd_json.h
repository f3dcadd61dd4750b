/* What a claim asks etcd, in the words of its JSON gateway below /v3/, and what comes back, read
 * without trust. Pure. */
#ifndef DCAMP_DIRECTOR_ETCD_JSON_H
#define DCAMP_DIRECTOR_ETCD_JSON_H

#include <stddef.h>

#include "tree/claim.h"

#define ETCD_ANSWER_MAX 65536 /* octets of an answer */

struct etcd_names {
    const char *prefix;          /* of the keys */
    const char *self;            /* the holder that is put */
    const char *user, *password; /* of CLAIM_LOGIN */
};

/* Where it is asked: "/v3/kv/txn" and so on; NULL: nothing is. */
const char *etcd_path(enum claim_ask ask);

/* What is asked there, malloced and of secrets: to be freed by etcd_forget. NULL: no memory. */
char *etcd_question(const struct claim_question *question, const struct etcd_names *names);
void etcd_forget(char *text);

struct etcd_result {
    bool is_good;
    bool wants_login; /* the token is none, or none any more */
    char error[MESSAGE_SIZE];
    struct claim_answer answer;
    char token[512]; /* of CLAIM_LOGIN */
};

/* The answer with this status of HTTP. */
void etcd_answer(const struct claim_question *question, const struct etcd_names *names, long status,
                 const char *text, size_t len, struct etcd_result *result);

#endif
