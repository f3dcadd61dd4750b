/* What each node has to do: the plan, put into documents. Pure but for memory. */
#ifndef DCAMP_DIRECTOR_SHARES_H
#define DCAMP_DIRECTOR_SHARES_H

#include "config/parcel.h"
#include "director/members.h"
#include "snmpv3/keys.h"
#include "tree/plan.h"

/* What is common to all shares. */
struct share_source {
    const struct tree_config *tree;
    const struct credential *poll; /* the user that parents read with */
    const struct credential *next; /* with the passphrases that come next; or NULL */
    char root[NAME_SIZE];
    uint32_t serial; /* of the tree document */
    char digest[65]; /* of that document, in hexadecimal digits */
};

/* The share of one node, kept from plan to plan: unchanged shares are not made again. An all-zero
 * struct was never made. */
struct share {
    struct parcel *packed;         /* NULL: none */
    uint8_t inputs[CONFIG_DIGEST]; /* the digest of what it was made from */
    struct share_child keys;       /* as its parent gets them; engine "": not made yet */
};

void share_release(struct share *share);

/* The user that parents read with has other passphrases. */
void share_forget_keys(struct share *share);

/* A node of a plan with its member and its share. Nodes are in the order of their names. */
struct share_node {
    const struct member *member;
    struct share *share;
};

/* Makes the shares of all nodes that have a role; the others keep theirs. Children whose engine ID
 * is not known are left out, because nobody could poll them. False: there was no memory for some,
 * or some keys could not be made; these nodes keep the share that they had before. */
bool shares_make(const struct share_source *source, const struct plan_node *plan,
                 const struct share_node *nodes, size_t n);

#endif
