/* Blocks of children for publishers, as octets, while they may still be wanted: the newest ones, as
 * many as fit into the room that all of them share. Pure; everything is under the lock of the
 * daemon.
 *
 * A stream is a boot of a child. Its blocks are in the order of their numbers; all blocks are also
 * in the order in which they came, in which publishers get them. A reader is a publisher: it has a
 * position in each stream. A block that leaves before a reader had it is a hole for that reader,
 * and so is one that never came. A child that still has such a block is asked to tell its blocks
 * again, few children at a time and each at most once a minute; if none has it any more, it is
 * lost. See outlet/reader.h for what a reader gets. */
#ifndef DCAMP_OUTLET_BACKLOG_H
#define DCAMP_OUTLET_BACKLOG_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/index.h"
#include "base/limits.h"
#include "outlet/cursors.h"
#include "snmpv3/credential.h"

#define BACKLOG_OCTETS ((size_t)16 << 20) /* for all blocks, including their overhead */

/* The own stream has number 1. */
#define BACKLOG_STREAM_MIN 2

/* How many children may tell their blocks again at the same time. When all have holes, as after a
 * publisher was away, the blocks that come again from one child must not push out those that have
 * just come again from others. */
#define BACKLOG_READINGS 4
/* What one reading may bring, as a part of the room; the rest waits for the next reading. */
#define BACKLOG_READING_PART 16
#define BACKLOG_READ_NS (60 * NS_PER_S)    /* between two readings of the same child */
#define BACKLOG_READING_NS (20 * NS_PER_S) /* how long it holds up the readings of others */
/* A block that did not come in so many readings will never come, because the child's block is
 * broken. */
#define BACKLOG_READINGS_MAX 3

/* How many streams may be over without having been finished by all readers. The oldest ones beyond
 * that are dropped, whatever they contain. */
#define BACKLOG_OVER_MAX 4096

struct backlog_stream;

struct backlog_block {
    TAILQ_ENTRY(backlog_block) arrival;
    RB_ENTRY(backlog_block) link; /* in its stream */
    struct backlog_stream *stream;
    uint32_t number;
    uint32_t len;
    uint8_t octets[];
};

TAILQ_HEAD(backlog_arrivals, backlog_block);
RB_HEAD(backlog_blocks, backlog_block);

struct backlog_stream {
    struct index_node by_child; /* key: child; only while it is not over */
    struct index_node by_number;
    TAILQ_ENTRY(backlog_stream) link; /* in the list of those that are over */
    uint32_t child, boot;
    uint32_t number; /* never used again */
    uint32_t slot;   /* where readers have their positions */
    struct backlog_blocks blocks;
    uint32_t first, last; /* which the child keeps, as it last told; 0: none */
    uint32_t newest;      /* the newest block that came; in a stream that is over, the newest that
                           * there was; 0: none */
    bool is_over;         /* nobody has its blocks any more, except for those that are kept here */
    uint64_t told_ns;     /* monotonic: when the child last answered */
    uint64_t asked_ns;    /* monotonic: when it was last asked to tell all blocks again; 0: never */
    uint32_t until;       /* blocks up to and including this one may be coming again */
    size_t budget;        /* octets of blocks that may still come again */
    unsigned fruitless;   /* readings in a row that brought nothing that was wanted */
    uint32_t given_up;    /* missing blocks up to this one are lost; 0: none is */
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len;
    const char *name; /* behind the struct */
    char *group;
};

TAILQ_HEAD(backlog_streams, backlog_stream);

struct backlog_position {
    uint32_t next; /* 0: the reader has not begun */
    bool is_told;  /* it knows of the stream under its present name and group */
    bool has_hole; /* there is one at next, or that has still to be checked */
};

struct backlog_reader {
    TAILQ_ENTRY(backlog_reader) link;
    struct cursors cursors;
    struct backlog_block *arrival;      /* the next block that it looks at; NULL: it has seen all */
    struct backlog_stream *current;     /* the stream from which it gets what is there; NULL:
                                         * none */
    struct backlog_position *positions; /* by the slots of streams */
    size_t n_holes;                     /* positions that have one */
    size_t slot;                        /* where it next looks for one */
    size_t arrivals_left, slots_left;   /* how many it may still look at in this turn */
    uint64_t dropped;                   /* blocks that it lost without being told */
};

TAILQ_HEAD(backlog_readers, backlog_reader);

struct backlog {
    struct index children;       /* the streams that are not over, by child */
    struct index numbers;        /* of all streams */
    struct backlog_streams over; /* oldest first */
    size_t n_over;
    struct backlog_arrivals arrivals; /* oldest first */
    struct backlog_readers readers;
    struct backlog_stream **slots; /* NULL: free */
    size_t n_slots;
    struct backlog_stream *readings[BACKLOG_READINGS]; /* NULL: none */
    uint32_t next_number;
    size_t octets, most; /* in use, and allowed */
};

/* A child that answers, and its boot. */
struct backlog_origin {
    uint32_t child; /* its id */
    uint32_t boot;
    const char *name, *group;
    const uint8_t *engine_id;
    uint32_t engine_id_len;
};

void backlog_open(struct backlog *backlog, size_t most);

/* Drops all streams and blocks. Readers stay, as if they had just begun. */
void backlog_clear(struct backlog *backlog);

/* Frees everything. There must be no readers any more. */
void backlog_close(struct backlog *backlog);

/* -- What children tell ----------------------------------------------------------------------- */

/* The child has answered that it keeps the blocks from first to last, 0: none. If its boot is
 * another one than before, the stream of the earlier boot ends. */
void backlog_told(struct backlog *backlog, const struct backlog_origin *origin, uint32_t first,
                  uint32_t last, uint64_t now_ns);

/* Whether some reader lacks a block that was taken long ago and comes again. */
bool backlog_wants(struct backlog *backlog, uint32_t child, uint32_t boot, uint32_t number);

/* Takes a copy of a block; the oldest other blocks make room. If memory runs out, it becomes a
 * hole. */
void backlog_take(struct backlog *backlog, const struct backlog_origin *origin, uint32_t number,
                  const uint8_t *octets, size_t len);

/* There is no such child any more. */
void backlog_gone(struct backlog *backlog, uint32_t child);

/* -- For readers ------------------------------------------------------------------------------ */

/* Adds the reader, which must be zeroed except for its cursors. False: no memory. */
bool backlog_add_reader(struct backlog *backlog, struct backlog_reader *reader);
void backlog_remove_reader(struct backlog *backlog, struct backlog_reader *reader);

/* The stream with that number, or NULL. */
struct backlog_stream *backlog_stream(const struct backlog *backlog, uint32_t number);

/* Where the reader is in the stream. If it has not begun with the stream, it begins now. */
struct backlog_position *backlog_position(struct backlog_reader *reader,
                                          struct backlog_stream *stream);

/* The block with that number, or NULL; and the first one that is not before it. */
struct backlog_block *backlog_find(struct backlog_stream *stream, uint32_t number);
struct backlog_block *backlog_at_least(struct backlog_stream *stream, uint32_t number);

void backlog_set_hole(struct backlog_reader *reader, struct backlog_position *position, bool has);

/* Whether the child may be asked now to tell its blocks again. If so, it counts as asked. */
bool backlog_begin_reading(struct backlog *backlog, struct backlog_stream *stream, uint64_t now_ns);

/* A reader has moved on: a stream that is over and that nobody needs any more is dropped. */
void backlog_settle(struct backlog *backlog, struct backlog_stream *stream);

#endif
