/* The dictionary of a child: what the numbers of the series in its blocks mean. It is asked about
 * series without a name, and about what was long not heard of. */
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
    uint32_t n_asked;  /* series that it asked for and that were not answered yet */
    uint16_t request;  /* its number, from 1 on; it wraps */
    bool bad_name;     /* the last entry made no sense */
    bool bad_look_up;  /* the dictionary could not be asked since */
};

/* Takes an entry of the dictionary. NULL, or what is wrong with it. */
const char *child_dictionary_take(struct children *children, struct child *child,
                                  const struct message_series *message, struct moment now);

/* Asks about what is not known and what was long not heard of, unless an answer is due. */
void child_look_up(struct children *children, struct child *child, uint64_t now_ns);

/* The child counts its series from the beginning, see child_series_begin_boot(): what was asked
 * before does not count. */
void child_begin_boot(struct children *children, struct child *child, struct moment now);

#endif
