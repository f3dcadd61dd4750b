/* Which nodes there are, and which of them are not what they seem: two with the same engine ID, two
 * with the same name, a candidate that gives itself another name; and which are shut out. Pure. */
#ifndef DCAMP_DIRECTOR_MEMBERS_H
#define DCAMP_DIRECTOR_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/tree_config.h"
#include "snmpv3/credential.h"

enum member_verdict { MEMBER_GOOD, MEMBER_CLONE, MEMBER_MISNAMED, MEMBER_REVOKED };

struct member {
    char name[NAME_SIZE]; /* in the tree: from the list, or the node's own if it was found */
    char address[PEER_ADDRESS_SIZE];
    char group[NAME_SIZE];
    enum tree_collect collect;
    uint32_t network; /* the number of the range that it is in, from 1; 0: none */
    bool is_listed;   /* otherwise it was found in a range, or has announced itself: */
    bool is_announced;
    char wish[NAME_SIZE]; /* in that case: the group that it named; "": none */
    bool is_candidate;
    uint32_t place; /* in the list; nodes that were found come after the list, in the order in which
                     * they were found */
    /* What it has stated. */
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_len;  /* 0: nothing yet */
    char said[NAME_SIZE]; /* its dcampNodeName; "": nothing yet */
    /* The result of the judgement. */
    enum member_verdict verdict;
    char fault[MESSAGE_SIZE]; /* for people: why it is not MEMBER_GOOD */
};

/* Takes what the tree document says of a node of its list (member_list), or of an address that was
 * found or has announced itself (member_find). False: the address is in none of its ranges, nor in
 * the networks that may announce nodes. */
void member_list(struct member *member, const struct tree_config *tree, size_t i);
bool member_find(struct member *member, const struct tree_config *tree, const char *address);

/* Whether a node at that address may announce itself. */
bool member_may_announce(const struct tree_config *tree, const char *address);

/* Judges all members. If members conflict, the first one in the list stays. The array is sorted by
 * their places. */
void members_judge(struct member **members, size_t n);

/* Marks those whose keys the tree document revokes, whatever else they are. To be called after
 * members_judge. */
void members_revoke(struct member **members, size_t n, const struct tree_config *tree);

#endif
