/* The nodes that a director knows: those of the list, those that were found in ranges, and those
 * that have announced themselves. */
#ifndef DCAMP_DIRECTOR_ROSTER_H
#define DCAMP_DIRECTOR_ROSTER_H

#include "director/node.h"

struct roster {
    struct nodes nodes;
    struct target_rules rules;
    TAILQ_HEAD(node_list, node) all;
    struct node *by_address; /* a table */
    struct node *by_name;    /* a table of those that are what they seem, made by roster_judge */
    size_t n;
    uint32_t last_place;
};

void roster_open(struct roster *roster, int epoll);
void roster_close(struct roster *roster);

struct node *roster_find(const struct roster *roster, const char *address);
struct node *roster_named(const struct roster *roster, const char *name);

/* The member of the tree with that name, as it was last judged. NULL: there is none, or there was
 * no memory for it. */
struct node *roster_member(const struct roster *roster, const char *name);

/* NULL: no memory. */
struct node *roster_add(struct roster *roster, const char *address);
void roster_remove(struct roster *roster, struct node *node);

/* Follows a tree document: afterwards all nodes of its list are in the roster; those that are not
 * in the document any more, nor in any range, nor may have announced themselves, are leaving.
 * False: there is no memory for some. */
bool roster_follow(struct roster *roster, const struct tree_config *tree);

/* Judges all members, and holds clones. False: no memory, and nothing has changed. */
bool roster_judge(struct roster *roster, const struct tree_config *tree);

/* The name of a node for the core: its own, or one made of its address if that name belongs to
 * another node. */
void roster_name(const struct node *node, char name[NAME_SIZE]);

#endif
