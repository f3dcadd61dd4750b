/* The tree as its root sees it: what the director of this node has said of the nodes, and of
 * itself. */
#ifndef DCAMP_TREE_VIEW_H
#define DCAMP_TREE_VIEW_H

#include "base/index.h"
#include "tree/message.h"

#define TREE_ROWS_MAX 200000

struct tree_row {
    struct index_node node; /* in the rows of the view; its key is the name */
    char name[NAME_SIZE];
    char address[PEER_ADDRESS_SIZE];
    enum share_role role; /* 0: none */
    char parent[NAME_SIZE];
    uint32_t level;
    char group[NAME_SIZE];
    enum tree_state state;
    enum tree_found found; /* 0: not stated */
    uint64_t heard_ns;     /* monotonic: when its latest answer came; 0: none */
    uint32_t term, serial, deviations;
    uint8_t digest[CONFIG_DIGEST];
    bool has_digest;
    char version[sizeof((struct tree_message_row *)0)->version];
    char *error; /* NULL: none */
    uint32_t key[];
};

struct tree_view {
    struct index rows;
    bool is_root;
    uint32_t term, serial;
    char root[NAME_SIZE];
    char reason[MESSAGE_SIZE];
    bool left_out; /* some row is missing, because memory ran out or there are too many */
};

void tree_view_open(struct tree_view *view);
void tree_view_close(struct tree_view *view);

/* Records the present state of a node. ENOMEM, or E2BIG beyond TREE_ROWS_MAX: then the row is as it
 * was. */
int tree_view_put(struct tree_view *view, const struct tree_message_row *message);
void tree_view_drop(struct tree_view *view, const char *name);

/* Records what the director is. A director that is not root has no tree to show. */
void tree_view_role(struct tree_view *view, const struct tree_message_role *role);

/* There is no director any more, or it begins anew. */
void tree_view_clear(struct tree_view *view);

#endif
