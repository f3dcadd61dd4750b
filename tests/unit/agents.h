/* For tests: an agent on loopback, in a thread of its own, that has the cells which the test wants,
 * or answers as none should. Managers that wait for what they ask can be tried with it. */
#ifndef DCAMP_TESTS_AGENTS_H
#define DCAMP_TESTS_AGENTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cli/cell.h"

#include "engines.h"

struct agent_peer {
    struct engine_peer engine;
    pthread_t thread;
    atomic_bool stopping;
    struct agent_cell *cells; /* in their order once it answers */
    size_t n, room;
    bool ordered;
    size_t asked; /* requests that had the keys */

    /* What the test may set while nobody asks. Before each of these requests, beginning with 1,
     * this is called, and may change anything. False: there is no answer. */
    bool (*before)(struct agent_peer *agent);
    size_t deaf;        /* so many questions of who it is are not heard */
    long status;        /* the error status of answers */
    size_t most;        /* bindings in an answer: more are tooBig; 0: any number */
    bool wrong_digests; /* whoever asks has other keys */
    bool one_too_few;   /* the last binding is not in the answer */
    bool one_too_many;  /* the first is there twice */
    bool always_first;  /* what is asked for is the first cell of all */
};

void agent_begin(struct agent_peer *agent);
void agent_end(struct agent_peer *agent);

/* What a cell of the DCAMP-MIB holds, in the type that the MIB says. A cell that is there already
 * is another one then. */
void agent_number(struct agent_peer *agent, const struct cell *cell, int64_t number);
void agent_octets(struct agent_peer *agent, const struct cell *cell, const void *octets,
                  size_t len);
void agent_text(struct agent_peer *agent, const struct cell *cell, const char *text);
/* In whatever type. */
void agent_typed(struct agent_peer *agent, const struct cell *cell, uint8_t type, int64_t number);

/* All cells whose name ends in this number. */
void agent_drop_rows(struct agent_peer *agent, uint32_t number);
void agent_drop_all(struct agent_peer *agent);

#endif
