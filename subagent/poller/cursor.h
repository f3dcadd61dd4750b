/* How far a child's report blocks have been fetched: what to ask next, and what an answer means.
 * Pure. */
#ifndef DCAMP_POLLER_CURSOR_H
#define DCAMP_POLLER_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Blocks in one GET. Four of the usual 1,200 octets stay far below the 64 KB of a datagram, and so
 * do four of REPORT_BLOCK_MAX. */
#define CURSOR_BLOCKS_MAX 4

/* How many polls in a row must bring fewer blocks than are asked for before one less is asked for.
 * Sensors of two intervals may fill one more block in every twelfth poll, and an additional request
 * costs more than a name that is asked for in vain. */
#define CURSOR_POLLS_FEWER 16

/* After a question for several blocks had no answer, this many answers bring one block each:
 * several blocks are sent in fragments of IP, which some networks drop, and which lossy networks
 * lose more often. Then several are tried again. Each time this fails, the number doubles, up to
 * CURSOR_ALONE_MAX. */
#define CURSOR_ALONE 16
#define CURSOR_ALONE_MAX 4096

/* How many GETs in a row a child that is behind gets; then it waits for its next turn, as the
 * others do. */
#define CURSOR_ROUNDS_MAX 16

struct cursor {
    uint32_t boot;     /* dcampReportBoot; 0: not known */
    uint64_t next;     /* the block to ask for; 0: the oldest. It may be one beyond the last
                        * possible sequence number. */
    uint32_t last;     /* the newest block of this boot that the child has said it has */
    uint32_t want;     /* blocks to ask for, 1 to limit */
    uint32_t limit;    /* CURSOR_BLOCKS_MAX, or less if so many are too big */
    uint32_t brought;  /* blocks that this poll has brought */
    uint32_t rounds;   /* answers to this poll */
    bool stuck;        /* the last answer lacked a block that its own head announced */
    uint8_t usual;     /* blocks that a poll is expected to bring in one GET, up to
                        * CURSOR_BLOCKS_MAX */
    uint8_t fewer;     /* polls in a row that brought fewer */
    uint16_t alone;    /* how many answers are still to bring one block each */
    uint16_t patience; /* how many those were at first; 0: an answer has brought several blocks
                        * since */
};

/* The scalars of an answer. */
struct cursor_head {
    uint32_t boot, first, last;
};

struct cursor_step {
    const char *garbage; /* not NULL: how the answer contradicts itself */
    uint32_t lost;       /* blocks that the child dropped before they were fetched */
    uint32_t first;      /* the sequence number of the first block to take */
    uint32_t take;       /* how many of the blocks asked for, from the first on, are new */
    bool again;          /* there are more: ask at once */
};

/* boot and next are what is known from before, or 0. */
void cursor_set(struct cursor *cursor, uint32_t boot, uint32_t next);

/* A new poll begins. */
void cursor_begin(struct cursor *cursor);

/* How many blocks to ask for, and from which one on; 0: only the head. */
uint32_t cursor_ask(const struct cursor *cursor, uint32_t *first);

/* What an answer to cursor_ask's question means. present: bit i is set if block first + i was in
 * it. The cursor moves beyond what is to be taken; garbage does not change it. But if the block
 * numbers of a boot went back, it forgets everything, because it would never get on otherwise. */
struct cursor_step cursor_answer(struct cursor *cursor, const struct cursor_head *head,
                                 uint32_t present);

/* The blocks before next came in another way. Nothing changes if that is not new, or is about
 * another boot. Not to be called between a question and its answer. */
void cursor_pass(struct cursor *cursor, uint32_t boot, uint32_t next);

/* The blocks from this one on are to be fetched again; 0: from the oldest on. Nothing changes if
 * they have not been fetched yet, or are of another boot. Not to be called between a question and
 * its answer. */
void cursor_back(struct cursor *cursor, uint32_t boot, uint32_t block);

/* No answer came to cursor_ask's question. */
void cursor_unanswered(struct cursor *cursor);

/* The answer was too big. False: the question cannot be made smaller. */
bool cursor_too_big(struct cursor *cursor);

#endif
