/* What each node is to do: the plan, put into words, as documents. Pure but for memory. */
#ifndef DCAMP_DIRECTOR_SHARES_H
#define DCAMP_DIRECTOR_SHARES_H

#include "config/parcel.h"
#include "director/members.h"
#include "snmpv3/keys.h"
#include "tree/plan.h"

/* What is the same in all shares. */
struct share_source {
    const struct tree_config *tree;
    const struct credential *poll; /* the user that parents read with */
    const struct credential *next; /* by the passphrases that take its place; or NULL */
    char root[NAME_SIZE];
    uint32_t serial; /* of the tree document */
    char digest[65]; /* and its digest, in hexadecimal digits */
};

/* The share of one node, kept from plan to plan: what has not changed is not made again. Zeros are
 * one that was never made. */
struct share {
    struct parcel *packed;         /* NULL: none */
    uint8_t inputs[CONFIG_DIGEST]; /* of what it was made of */
    struct share_child keys;       /* of this node, as its parent gets them; engine "": not made */
};

void share_release(struct share *share);

/* The user that parents read with has other passphrases. */
void share_forget_keys(struct share *share);

/* The nodes of a plan, each with its member and its share, in the order of their names. */
struct share_node {
    const struct member *member;
    struct share *share;
};

/* Makes the shares of all nodes that have a role; the others keep theirs. Children whose engine ID
 * is not known are left out: nobody could poll them. False: there was no memory for some, or no
 * keys could be made, and those have what they had before. */
bool shares_make(const struct share_source *source, const struct plan_node *plan,
                 const struct share_node *nodes, size_t n);

#endif
