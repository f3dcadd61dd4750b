/* What the outlet of dcampd and the processes of dcamp-publish tell each other, over a
 * SOCK_SEQPACKET socket in the file system. The framing is that of collect/message.h: a packet
 * holds one or more messages, each padded to a multiple of 8 octets, and the reader checks the
 * length of each.
 *
 * A process of dcamp-publish first says HELLO, and for which sink it works. The one without a sink
 * is the one that starts the others: it is told every SINK, then SINKS_END, and the same again
 * whenever one has changed. One with a sink is told that SINK; if the sink changes or is removed,
 * the connection is closed. The process answers with a CURSOR for each stream that the sink has,
 * and BEGIN. Then come the STREAMs, as they begin, and their BLOCKs, each stream in ascending order
 * of its numbers, from the cursor on, or from the oldest block that is kept. What the numbers of
 * series in blocks mean is told on request: LOOK_UP.
 *
 * A stream is the blocks of one boot of one node: of the own node, or of a child. The daemon needs
 * no acknowledgements: the sink keeps the cursors, and the daemon keeps what it keeps in any case.
 * DONE and STATE are for those who look at dcampSinkTable.
 *
 * While a packet waits for a publisher to take it, the daemon answers no question of that publisher
 * for which there is no room, and reads nothing after it. So a publisher must go on reading while
 * it waits until its question has room in the socket. */
#ifndef DCAMP_OUTLET_MESSAGE_H
#define DCAMP_OUTLET_MESSAGE_H

#include "base/limits.h"
#include "collect/message.h"

#define OUTLET_VERSION 2       /* both ends must have the same */
#define OUTLET_LOOK_UP_MAX 160 /* numbers in one message */
#define OUTLET_TEXT_SIZE 256   /* places, and files of credentials */

enum outlet_kind {
    /* from dcamp-publish */
    OUTLET_HELLO = 1, /* struct outlet_hello */
    OUTLET_CURSOR,    /* struct outlet_cursor: how far the sink has the blocks of a boot */
    OUTLET_BEGIN,     /* struct message: there are no more cursors */
    OUTLET_LOOK_UP,   /* struct outlet_look_up: what do these numbers mean? */
    OUTLET_DONE,      /* struct outlet_done: the sink has confirmed all blocks up to that one */
    OUTLET_STATE,     /* struct outlet_state: what state the sink is in */
    /* from dcampd */
    OUTLET_SINK,      /* struct outlet_sink: one row of the configuration */
    OUTLET_SINKS_END, /* struct message: there are no further sinks */
    OUTLET_STREAM,    /* struct outlet_stream: a boot of a node; sent before its first block, and
                       * again if the node is in another group then */
    OUTLET_NAME,      /* struct outlet_name: what a number means */
    OUTLET_BLOCK,     /* struct outlet_block: octets of a block follow */
    OUTLET_LOST       /* struct outlet_lost: blocks that nobody has any more */
};

struct outlet_hello {
    struct message head;
    uint32_t version;
    char sink[NAME_SIZE]; /* "": none, it wants to know all sinks */
};

struct outlet_cursor {
    struct message head;
    uint32_t boot;
    uint32_t next;              /* the number of the block that is wanted next */
    char path[ALARM_PATH_SIZE]; /* as in outlet_stream */
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len;
};

struct outlet_look_up {
    struct message head;
    uint32_t stream;
    uint32_t n;
    uint32_t series[OUTLET_LOOK_UP_MAX]; /* the first n count */
};

struct outlet_done {
    struct message head;
    uint32_t stream;
    uint32_t number;
    int64_t wall_ms; /* of that block */
};

/* dcampSinkState. */
enum outlet_sink_state {
    OUTLET_SINK_ABSENT = 1, /* nobody works for it */
    OUTLET_SINK_UP,         /* it takes what comes */
    OUTLET_SINK_FAILING     /* it does not take what comes, and is tried again */
};

struct outlet_state {
    struct message head;
    uint32_t state;           /* UP or FAILING */
    char error[MESSAGE_SIZE]; /* why; "": nothing is wrong */
    /* The following count since this process began. */
    uint64_t blocks, values; /* that the sink has confirmed */
    uint64_t dropped;        /* blocks that were pushed out of a full queue: mode async */
    uint64_t nameless;       /* values of series whose name nobody knew */
    uint64_t waiting;        /* blocks in the queue now */
};

enum outlet_mode { OUTLET_SYNC = 1, OUTLET_ASYNC };

/* A row <sink> of the configuration; members that a kind of sinks does not use are 0 or "". */
struct outlet_sink {
    struct message head;
    char name[NAME_SIZE];
    char kind[NAME_SIZE];               /* as in struct sink_type */
    uint32_t mode;                      /* enum outlet_mode */
    char location[OUTLET_TEXT_SIZE];    /* a directory, a URL or an address, depending on the kind;
                                         * "": its default */
    char credentials[OUTLET_TEXT_SIZE]; /* a file with credentials, see base/credentials.h; "":
                                         * none */
    char sensors[PATTERN_SIZE];         /* globs: only series of sensors that match are wanted */
    uint64_t queue;                     /* octets that may wait */
    uint64_t limit;                     /* octets that all its files together may have; 0: no
                                         * limit */
    uint64_t rotate; /* the size in octets of a file after which a new one is begun; 0: no limit */
    uint32_t raw_s, minutes_s, hours_s; /* how long each tier is kept, in seconds */
};

struct outlet_stream {
    struct message head;
    uint32_t stream; /* the number of this boot of this node; not used again in this connection */
    uint32_t boot;
    uint32_t first; /* the first block that will come. After a cursor it is that of the cursor; if
                     * it differs, the node has begun to count anew */
    char path[ALARM_PATH_SIZE]; /* names of nodes, "/" in between, from this node downwards; "":
                                 * this node */
    char name[NAME_SIZE];       /* of the node, as it calls itself; for a child, the last name of
                                 * path */
    char group[NAME_SIZE];      /* "": none */
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len; /* 0: not known, as for this node */
};

struct outlet_name {
    struct message head;
    uint32_t stream;
    uint32_t series;
    uint32_t answer; /* enum outlet_answer */
    char sensor[NAME_SIZE];
    char instance[INSTANCE_SIZE];
    char metric[NAME_SIZE]; /* "": of no metric, or not known, as for children */
    char unit[NAME_SIZE];
    char path[ALARM_PATH_SIZE]; /* if the series is relayed: from the node of the stream to the node
                                 * that it belongs to; "": it belongs to the node of the stream */
};
enum outlet_answer {
    OUTLET_NAMED = 1,
    OUTLET_NOT_YET,  /* the child is being asked: ask again in a second */
    OUTLET_NAMELESS, /* nobody knows it, and nobody ever will */
    OUTLET_ELSEWHERE /* this node relays it, and tells it in the stream of a child */
};

struct outlet_block {
    struct message head;
    uint32_t stream;
    uint32_t number;
    uint8_t octets[]; /* head.length says how many; at most REPORT_BLOCK_MAX */
};

/* Blocks from first to last were dropped before they could be handed out. */
struct outlet_lost {
    struct message head;
    uint32_t stream;
    uint32_t first, last;
};

/* The next message of a packet, as message_next_of() returns it, of the messages that either side
 * may send. */
const struct message *outlet_next_from_publisher(const void *packet, size_t used, size_t *at);
const struct message *outlet_next_from_daemon(const void *packet, size_t used, size_t *at);

#endif
