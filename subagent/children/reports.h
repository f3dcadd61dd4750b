/* What a dCAMP node below answers: report blocks, and entries of its dictionary. */
#ifndef DCAMP_CHILDREN_REPORTS_H
#define DCAMP_CHILDREN_REPORTS_H

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

/* Takes a block of the boot that is known. A block that comes again is left out, unless it is read
 * again for its alarms; an invalid block is not asked for again. */
void child_take_block(struct children *children, struct child *child,
                      const struct message_block *block, struct moment now);

/* The child has said that last is its latest block (0: it has none), and the blocks that came were
 * taken. Once all blocks were read, the values are current. */
void child_catch_up(struct children *children, struct child *child, uint32_t last,
                    struct moment now);

/* Takes the answer to a poll, with its blocks. */
void child_take_answer(struct children *children, struct child *child,
                       const struct message_answer *answer, struct moment now);

/* Takes an entry of the dictionary. */
void child_take_name(struct children *children, struct child *child,
                     const struct message_series *series, struct moment now);

#endif
