/* The dictionary of a child: what the numbers of the series in its blocks mean. It is asked about
 * series without a name, and about series that were not heard of for long. */
#ifndef DCAMP_CHILDREN_DICTIONARY_H
#define DCAMP_CHILDREN_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

/* The latest look-up, and what came of it. */
struct child_dictionary {
    uint64_t asked_ns; /* monotonic */
    uint32_t n_asked;  /* how many series it asked for that were not answered yet */
    uint16_t request;  /* its number, from 1 on; it wraps around */
    bool bad_name;     /* the last entry made no sense */
    bool bad_look_up;  /* the dictionary could not be asked since then */
};

/* Takes an entry of the dictionary. NULL, or what is wrong with it. */
const char *child_dictionary_take(struct children *children, struct child *child,
                                  const struct message_series *message, struct moment now);

/* Asks about series that are not known or were not heard of for long, unless an answer is still
 * expected. */
void child_look_up(struct children *children, struct child *child, uint64_t now_ns);

/* The child numbers its series anew, see child_series_begin_boot(): what was asked before does not
 * count. */
void child_begin_boot(struct children *children, struct child *child, struct moment now);

#endif
