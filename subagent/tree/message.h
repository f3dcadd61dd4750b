/* What the core and the director tell each other, over a pair of SOCK_SEQPACKET sockets. Packets
 * and messages are those of collect/message.h: a struct message as the head, padded to 8 octets. */
#ifndef DCAMP_TREE_MESSAGE_H
#define DCAMP_TREE_MESSAGE_H

#include "collect/message.h"
#include "config/tree_config.h"

/* Kinds in addition to those of collect/message.h. */
enum tree_message_kind {
    /* from the core */
    TREE_MESSAGE_DOCUMENT = 64, /* struct tree_message_document: a part of the tree document */
    TREE_MESSAGE_DISSOLVE,      /* struct message: all nodes are to become base again */
    TREE_MESSAGE_KNOWN, /* struct tree_message_known: a root before this one knew of this node */
    /* from the director */
    TREE_MESSAGE_ROW,  /* struct tree_message_row: a node as it is now */
    TREE_MESSAGE_GONE, /* struct tree_message_gone: a node is not in the tree any more */
    TREE_MESSAGE_ROLE, /* struct tree_message_role: what the director is now, and why */
    TREE_MESSAGE_DONE, /* struct message: dissolved; the director may be ended */
    TREE_MESSAGE_LOG   /* struct tree_message_log: a line for the log of the daemon */
};

/* The order of the tree document in force, and a part of its text (unpacked). Parts come in their
 * order, and head.length includes the octets of the part; after the last part the director works by
 * the document. */
#define TREE_PART_MAX 32768
#define TREE_DOCUMENT_MAX (8u << 20) /* the longest text, in octets */
struct tree_message_document {
    struct message head;
    char self[NAME_SIZE]; /* dcampNodeName of this node */
    uint32_t term, epoch;
    char root[NAME_SIZE];
    uint8_t digest[CONFIG_DIGEST]; /* of the packed document */
    uint32_t length;               /* of the text */
    uint32_t offset, n;            /* of this part */
    char text[];
};

/* The numbers are those of dcampTreeState in the MIB. */
enum tree_state {
    TREE_UNKNOWN = 1,
    TREE_UNREACHABLE = 2,
    TREE_JOINING = 3,
    TREE_UP = 4,
    TREE_LOST = 5,
    TREE_REFUSED = 6,
    TREE_CLONE = 7,
    TREE_STOPPING = 8
};

/* The numbers are those of dcampTreeFound in the MIB. */
enum tree_found { TREE_LISTED = 1, TREE_IN_RANGE = 2, TREE_ANNOUNCED = 3 };

/* A node that perhaps has announced itself, and is in no document. At most so many are told. */
#define TREE_KNOWN_MAX 4096
struct tree_message_known {
    struct message head;
    char address[PEER_ADDRESS_SIZE];
    char group[NAME_SIZE];
};

struct tree_message_row {
    struct message head;
    char name[NAME_SIZE];
    char address[PEER_ADDRESS_SIZE];
    uint32_t role; /* enum share_role, as the node states it; 0: none, base */
    char parent[NAME_SIZE];
    uint32_t level;
    char group[NAME_SIZE];
    uint32_t state;
    uint32_t found;    /* enum tree_found; 0: not stated */
    uint64_t heard_ns; /* monotonic: when its latest answer came; 0: none */
    uint32_t term, epoch, serial;
    char digest[65]; /* of the tree document from which its share was made */
    uint32_t deviations;
    char version[32];
    char error[MESSAGE_SIZE];
};

struct tree_message_gone {
    struct message head;
    char name[NAME_SIZE];
};

struct tree_message_role {
    struct message head;
    bool is_root;
    uint32_t term;
    uint32_t serial;
    char root[NAME_SIZE];
    char reason[MESSAGE_SIZE];
};

struct tree_message_log {
    struct message head;
    uint32_t level; /* as in base/log.h */
    char text[512];
};

/* As message_next, for these kinds and for MESSAGE_ALIVE, which the director sends as pollers do.
 * It ensures that the part of a document lies inside its text. */
const struct message *tree_message_next(const void *packet, size_t used, size_t *at);

#endif
