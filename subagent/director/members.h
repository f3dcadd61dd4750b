/* Which nodes there are, and which of them are not what they seem: two with one engine ID, two of
 * one name, a candidate that calls itself otherwise; and which are shut out. Pure. */
#ifndef DCAMP_DIRECTOR_MEMBERS_H
#define DCAMP_DIRECTOR_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/tree_config.h"
#include "snmpv3/credential.h"

enum member_verdict { MEMBER_GOOD, MEMBER_CLONE, MEMBER_MISNAMED, MEMBER_REVOKED };

struct member {
    char name[NAME_SIZE]; /* in the tree: of the list, or the node's own of one that was found */
    char address[PEER_ADDRESS_SIZE];
    char group[NAME_SIZE];
    enum tree_collect collect;
    uint32_t network; /* of the range that it is in, from 1; 0: of none */
    bool is_listed;   /* else it was found in a range, or has announced itself: */
    bool is_announced;
    char wish[NAME_SIZE]; /* then: the group that it named; "": none of its own */
    bool is_candidate;
    uint32_t place; /* in the list; those that were found come later, in the order of that */
    /* What it has said. */
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_len;  /* 0: nothing yet */
    char said[NAME_SIZE]; /* its dcampNodeName; "": nothing yet */
    /* What was made of it. */
    enum member_verdict verdict;
    char fault[MESSAGE_SIZE]; /* for people: why it is not MEMBER_GOOD */
};

/* What the tree document says of a node of its list, and of an address that was found, or that
 * has announced itself. False: that is in none of its ranges, nor of those that may. */
void member_list(struct member *member, const struct tree_config *tree, size_t i);
bool member_find(struct member *member, const struct tree_config *tree, const char *address);

/* Whether a node at that address may announce itself. */
bool member_may_announce(const struct tree_config *tree, const char *address);

/* Judges all of them. Of those that are in each other's way, the first in the list stays. It
 * changes the order of the array, to that of their places. */
void members_judge(struct member **members, size_t n);

/* Those whose keys the tree document revokes, whatever else they are. To be called after it. */
void members_revoke(struct member **members, size_t n, const struct tree_config *tree);

#endif
