/* The tree document, tree.xml: an operator writes it once, and the director of the root makes the
 * shares of all nodes from it. */
#ifndef DCAMP_CONFIG_TREE_CONFIG_H
#define DCAMP_CONFIG_TREE_CONFIG_H

#include "config/config.h"

/* Whether a node may collect. */
enum tree_collect { TREE_COLLECT_AUTO = 1, TREE_COLLECT_YES = 2, TREE_COLLECT_NO = 3 };

/* A node in the list of nodes. */
struct tree_node {
    char name[NAME_SIZE];            /* in the tree; no other node has it */
    char address[PEER_ADDRESS_SIZE]; /* no other node has it */
    char group[NAME_SIZE];
    enum tree_collect collect;
};

/* A range of addresses: each is asked whether a node answers there. */
struct tree_range {
    uint8_t network[16]; /* IPv4: the first four octets, and bits is at most 32 */
    bool is_ipv6;
    uint32_t bits;
    uint32_t port;
    char group[NAME_SIZE];
    enum tree_collect collect;
};

#define TREE_RANGE_HOSTS_MAX 65536 /* addresses of one range */

/* Where candidates listen for nodes that announce themselves, and which nodes may do so. */
#define TREE_NETWORKS_MAX 32
struct tree_announcements {
    char listen[PEER_ADDRESS_SIZE]; /* "": nowhere, as if there were no element */
    char networks[1024];            /* as they are written, with blanks between them */
    char group[NAME_SIZE];          /* of nodes that name no group themselves, default "default" */
    enum tree_collect collect;
    struct tree_range allowed[TREE_NETWORKS_MAX]; /* only network, is_ipv6 and bits count */
    size_t n_allowed;
};

/* The keys of an engine that are revoked, so that they are no longer accepted from anybody; or that
 * are accepted again. */
enum tree_back { TREE_BACK_NO = 1, TREE_BACK_YES = 2 };

#define TREE_REVOKED "revoked"

struct tree_revoked {
    uint8_t engine[CHILD_ENGINE_SIZE]; /* the first octet is the length */
    char node[NAME_SIZE];              /* the node that had it, for people; or "" */
    enum tree_back back;
};

/* The most of each that a document may have. */
#define TREE_REVOKED_MAX 1024
#define TREE_CANDIDATES_MAX 16
#define TREE_NODES_MAX 65536
#define TREE_RANGES_MAX 256
#define TREE_GROUPS_MAX 256

/* Rows that the nodes of a group have in addition to the common ones, or in place of those of the
 * same name. Only the rows of config are used. */
struct tree_group {
    char name[NAME_SIZE];
    struct config *rows;
};

/* What decides who is root. */
enum tree_coordination_kind { TREE_COORDINATION_LIST = 1, TREE_COORDINATION_ETCD = 2 };

#define TREE_ENDPOINTS_MAX 8

struct tree_coordination {
    enum tree_coordination_kind kind; /* default: the list of candidates */
    char endpoints[512];              /* URLs with blanks between; for etcd only, as all below */
    char prefix[NAME_SIZE];           /* of its keys, default dcamp */
    uint32_t ttl_ms;                  /* of the lease, 3s to 1h, default 9s */
    char user[NAME_SIZE];             /* "": no login */
    char secrets[256];                /* file with the password of the user, or "" */
    char ca[256]; /* file with the certificates that are trusted; "": the system's */
};

struct tree_config {
    struct {
        uint32_t fanout;            /* children of one collector, 2 to 10000, default 100 */
        uint32_t heartbeat_ms;      /* 500ms to 1h, default 1s; for collectors and candidates */
        uint32_t leaf_heartbeat_ms; /* 500ms to 1h, default 30s; for all others */
        uint32_t missed;            /* 2 to 10, default 3; looks in a row without an answer */
        uint32_t period_ms;         /* of parents that poll their children; 100ms to 1h, 1s */
    } rules;
    struct {
        char admin[NAME_SIZE];  /* user that configures, default dcampAdmin */
        char poll[NAME_SIZE];   /* user by which parents read, default dcampPoll */
        int auth, priv;         /* as in credential_row */
        char secrets[256];      /* file with the passphrases of both users, on each candidate */
        char poll_secrets[256]; /* that of the user that reads, if it is another file; or "" */
        char next_secrets[256]; /* the file that replaces secrets, node by node; or "" */
    } access;
    struct tree_coordination coordination;
    char (*candidates)[NAME_SIZE]; /* names of nodes, the first choice first; at least one */
    size_t n_candidates;
    struct tree_node *nodes; /* in the order of the document */
    size_t n_nodes;
    struct tree_range *ranges;
    size_t n_ranges;
    struct tree_announcements announcements;
    struct tree_revoked *revoked;
    size_t n_revoked;
    struct config *common; /* rows that all nodes have */
    struct tree_group *groups;
    size_t n_groups;
};

/* Reads a tree document and validates it as a whole, and each group together with the common rows.
 * NULL on failure; then error is one line "NAME:LINE: what is wrong; what would be right". */
struct tree_config *tree_config_load(const char *name, const char *bytes, size_t len,
                                     char error[CONFIG_ERROR_SIZE]);
/* The same from a file. */
struct tree_config *tree_config_load_file(const char *path, char error[CONFIG_ERROR_SIZE]);
void tree_config_free(struct tree_config *tree);

/* Whether the document says that the keys of that engine are revoked. */
bool tree_revokes(const struct tree_config *tree, const uint8_t *engine, size_t len);

/* An engine whose keys one document revokes, but of which the document that replaces it says
 * nothing; NULL: there is none. */
const struct tree_revoked *tree_forgotten(const struct tree_config *tree,
                                          const struct tree_config *next);

/* -- Shares ---------------------------------------------------------------------------------- */

enum share_role { SHARE_METRIC = 1, SHARE_COLLECTOR = 2, SHARE_ROOT = 3 };

/* What a node is told about its place, and what it shows in dcampNode and dcampTree. */
struct assignment {
    enum share_role role;
    char parent[NAME_SIZE]; /* "": this is the root */
    uint32_t level;         /* steps from the root */
    char group[NAME_SIZE];
    char root[NAME_SIZE];
    uint32_t serial;  /* of the tree document */
    char digest[65];  /* of the tree document, hexadecimal */
    char reason[128]; /* why it has this role and this parent, for people */
};

/* A child in the share of its parent, with the keys of the user by which parents read, localized to
 * the child's engine (RFC 3414, section 2.6) and in hexadecimal. */
struct share_child {
    char name[NAME_SIZE];
    char address[PEER_ADDRESS_SIZE];
    char group[NAME_SIZE];
    char engine[65];
    char auth_key[129];
    char priv_key[129];
    char next_auth_key[129]; /* the key that will replace auth_key; "": none */
    char next_priv_key[129];
};

/* The text of the share of one node, malloced. It has an <assignment>, the common rows and those of
 * the node's group. Only collectors and the root get the children, with the credential "tree", the
 * aggregates, the objects, and the thresholds on aggregates. children must be in the order of their
 * names, so that the same share has the same text. Characters of the reason that are not printable
 * become blanks. NULL: no memory. */
char *share_make(const struct tree_config *tree, const struct assignment *assignment,
                 const struct share_child *children, size_t n_children, size_t *len);

/* Reads a share into a configuration, which has its rows and otherwise defaults, and into an
 * assignment. NULL on failure; then error is one line, and errno is ENOMEM if there is no memory;
 * the same holds for tree_config_load. */
struct config *share_load(const char *name, const char *bytes, size_t len,
                          struct assignment *assignment, char error[CONFIG_ERROR_SIZE]);

#endif
