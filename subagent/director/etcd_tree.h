/* What is kept of a tree in etcd, beside the lease of its root, as JSON: the tree document in
 * packed form, with the order that its root works by; and which node has which place. Read without
 * trust. Pure but for memory. */
#ifndef DCAMP_DIRECTOR_ETCD_TREE_H
#define DCAMP_DIRECTOR_ETCD_TREE_H

#include "config/parcel.h"
#include "director/inbox.h"

/* The largest value in octets: more than the largest document takes in base64, and less than etcd
 * accepts in one request, which is 1.5 MiB by default. */
#define ETCD_VALUE_MAX (1400u << 10)

struct etcd_tree {
    uint32_t term, epoch; /* of the order that the root works by */
    uint32_t serial;      /* of the document */
    char root[NAME_SIZE];
    struct parcel *parcel;
};

/* Malloced; NULL: no memory. */
char *etcd_tree_document(const struct etcd_tree *tree);

/* False: error says what is wrong, errno is ENOMEM if memory ran out, and there is nothing to
 * drop. */
bool etcd_tree_read(const char *text, size_t len, struct etcd_tree *tree, char error[FAULT_SIZE]);

/* Whether the node that works by this order has to take the kept document instead of its own. A
 * root keeps a document before it gives any order by it; so only the root of that term itself may
 * know of a later one, by its epoch. */
bool etcd_tree_is_newer(const struct etcd_tree *tree, const struct inbox *order);

struct etcd_place {
    const char *name, *role, *parent, *group;
    uint32_t level;
};

/* Malloced; NULL: no memory. It contains everything of the tree except the parcel. Places that do
 * not fit into ETCD_VALUE_MAX are left out; the total shows that. */
char *etcd_tree_assignments(const struct etcd_tree *tree, const struct etcd_place *places,
                            size_t n);

#endif
