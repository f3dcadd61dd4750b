/* What of a tree is kept in etcd, beside the lease of its root, as JSON: the tree document, as it
 * is packed, with the order that its root works by; and who has which place. Read without trust.
 * Pure but for memory. */
#ifndef DCAMP_DIRECTOR_ETCD_TREE_H
#define DCAMP_DIRECTOR_ETCD_TREE_H

#include "config/parcel.h"
#include "director/inbox.h"

/* Octets of a value: more than the largest document has in base64, and less than etcd takes in one
 * request, 1.5 MiB where nothing else was said. */
#define ETCD_VALUE_MAX (1400u << 10)

struct etcd_tree {
    uint32_t term, epoch; /* of the order that the root works by */
    uint32_t serial;      /* of the document */
    char root[NAME_SIZE];
    struct parcel *parcel;
};

/* Malloced; NULL: no memory. */
char *etcd_tree_document(const struct etcd_tree *tree);

/* False: error says what is wrong, errno is ENOMEM if that is memory, and there is nothing to drop.
 */
bool etcd_tree_read(const char *text, size_t len, struct etcd_tree *tree, char error[FAULT_SIZE]);

/* Whether the node that works by this order has to take what is kept in place of its document. A
 * root keeps a document before it orders anybody by it; so only the root of that term itself may
 * know of a later one, by its epoch. */
bool etcd_tree_is_newer(const struct etcd_tree *tree, const struct inbox *order);

struct etcd_place {
    const char *name, *role, *parent, *group;
    uint32_t level;
};

/* Malloced; NULL: no memory. Of the document, all but the parcel is in it. What does not fit into
 * ETCD_VALUE_MAX is left out; the total says so. */
char *etcd_tree_assignments(const struct etcd_tree *tree, const struct etcd_place *places,
                            size_t n);

#endif
