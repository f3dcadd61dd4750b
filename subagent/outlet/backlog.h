/* Blocks of children for publishers, as octets, while they may still be wanted: the newest ones, as
 * many as fit into the room that they have together. Pure; everything is under the lock of the
 * daemon.
 *
 * A stream is a boot of a child. Its blocks are in the order of their numbers; all blocks are also
 * in the order in which they came, which is that in which publishers get them. A reader is a
 * publisher: it has a position in each stream. A block that leaves before a reader had it is a hole
 * there, and so is one that never came. A child that still has it is asked to tell its blocks
 * again, few children at a time and each once a minute at most; where none has it any more, it is
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

#define BACKLOG_OCTETS ((size_t)16 << 20) /* for all blocks, with what they need around */

/* The own stream has number 1. */
#define BACKLOG_STREAM_MIN 2

/* Children that tell their blocks again at the same time. When all have holes, as after a publisher
 * was away, what comes again must not push out what has just come again of others. */
#define BACKLOG_READINGS 4
/* What one reading may bring, as a part of the room; the rest waits for the next reading. */
#define BACKLOG_READING_PART 16
#define BACKLOG_READ_NS (60 * NS_PER_S)    /* between two readings of the same child */
#define BACKLOG_READING_NS (20 * NS_PER_S) /* so long a reading holds up those of others */
/* A block that did not come in so many readings never will: the child has one that is broken. */
#define BACKLOG_READINGS_MAX 3

/* Streams that are over and that some reader has not finished. The oldest ones beyond that are
 * dropped, whatever they have. */
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
    struct index_node by_child; /* key: child; while it is not over */
    struct index_node by_number;
    TAILQ_ENTRY(backlog_stream) link; /* of those that are over */
    uint32_t child, boot;
    uint32_t number; /* never used again */
    uint32_t slot;   /* where readers have their positions */
    struct backlog_blocks blocks;
    uint32_t first, last; /* that the child keeps, as it told last; 0: none */
    uint32_t newest;      /* that came; of a stream that is over, that there has been; 0: none */
    bool is_over;         /* nobody has its blocks any more, but for those that are here */
    uint64_t told_ns;     /* monotonic: the child has answered */
    uint64_t asked_ns;    /* monotonic: it was asked to tell all again; 0: it was not */
    uint32_t until;       /* what comes again are blocks before and up to that one */
    size_t budget;        /* octets that may still come again */
    unsigned fruitless;   /* readings in a row that brought nothing that was wanted */
    uint32_t given_up;    /* what did not come up to that block is lost; 0: nothing is */
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len;
    const char *name; /* behind the struct */
    char *group;
};

TAILQ_HEAD(backlog_streams, backlog_stream);

struct backlog_position {
    uint32_t next; /* 0: the reader has not begun */
    bool is_told;  /* it knows of the stream, as it is called now */
    bool has_hole; /* at next, or it is to be looked whether there is one */
};

struct backlog_reader {
    TAILQ_ENTRY(backlog_reader) link;
    struct cursors cursors;
    struct backlog_block *arrival;      /* the next that it looks at; NULL: it saw all */
    struct backlog_stream *current;     /* of which it gets what is there; NULL: none */
    struct backlog_position *positions; /* by the slots of streams */
    size_t n_holes;                     /* positions that have one */
    size_t slot;                        /* where it looks for one next */
    size_t arrivals_left, slots_left;   /* that it may look at in this turn */
    uint64_t dropped;                   /* blocks that are lost to it without a word */
};

TAILQ_HEAD(backlog_readers, backlog_reader);

struct backlog {
    struct index children;       /* of streams that are not over, by child */
    struct index numbers;        /* of all streams */
    struct backlog_streams over; /* oldest first */
    size_t n_over;
    struct backlog_arrivals arrivals; /* oldest first */
    struct backlog_readers readers;
    struct backlog_stream **slots; /* NULL: free */
    size_t n_slots;
    struct backlog_stream *readings[BACKLOG_READINGS]; /* NULL: none */
    uint32_t next_number;
    size_t octets, most; /* that are used, and that may be */
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

/* All streams and blocks go. Readers stay, as if they had just begun. */
void backlog_clear(struct backlog *backlog);

/* Takes what is there, and the memory. There are no readers any more. */
void backlog_close(struct backlog *backlog);

/* -- What children tell ----------------------------------------------------------------------- */

/* The child has answered that it keeps the blocks from first to last, 0: none. Another boot than
 * before ends the one before. */
void backlog_told(struct backlog *backlog, const struct backlog_origin *origin, uint32_t first,
                  uint32_t last, uint64_t now_ns);

/* Whether a block that was taken long ago, and comes again, is missing to some reader. */
bool backlog_wants(struct backlog *backlog, uint32_t child, uint32_t boot, uint32_t number);

/* Takes a copy of a block; the oldest others make room. For want of memory it becomes a hole. */
void backlog_take(struct backlog *backlog, const struct backlog_origin *origin, uint32_t number,
                  const uint8_t *octets, size_t len);

/* There is no such child any more. */
void backlog_gone(struct backlog *backlog, uint32_t child);

/* -- For readers ------------------------------------------------------------------------------ */

/* The reader, which is zeroed but for its cursors, is one from now on. False: no memory. */
bool backlog_add_reader(struct backlog *backlog, struct backlog_reader *reader);
void backlog_remove_reader(struct backlog *backlog, struct backlog_reader *reader);

/* The stream with that number, or NULL. */
struct backlog_stream *backlog_stream(const struct backlog *backlog, uint32_t number);

/* Where the reader is in the stream: it begins now, if it has not. */
struct backlog_position *backlog_position(struct backlog_reader *reader,
                                          struct backlog_stream *stream);

/* The block with that number, or NULL; and the first one that is not before it. */
struct backlog_block *backlog_find(struct backlog_stream *stream, uint32_t number);
struct backlog_block *backlog_at_least(struct backlog_stream *stream, uint32_t number);

void backlog_set_hole(struct backlog_reader *reader, struct backlog_position *position, bool has);

/* Whether the child may be asked now to tell its blocks again. If so, that counts as done. */
bool backlog_begin_reading(struct backlog *backlog, struct backlog_stream *stream, uint64_t now_ns);

/* A reader has moved on: a stream that is over and that nobody needs any more goes. */
void backlog_settle(struct backlog *backlog, struct backlog_stream *stream);

#endif
