/* Answers and silence of children, nodes and devices alike: the state that follows. */
#ifndef DCAMP_CHILDREN_CONTACT_H
#define DCAMP_CHILDREN_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

#define CHILD_LOST_AFTER 3 /* polls in a row */

/* The numbers are those of dcampChildState in the MIB. */
enum child_state {
    CHILD_DISCOVERING = 1,
    CHILD_UP = 2,
    CHILD_LATE = 3,
    CHILD_DOWN = 4,
    CHILD_REFUSED = 5,
    CHILD_WRONG_KEY = 6,
    CHILD_PAUSED = 7 /* of rows that are not active: there is no struct child */
};

/* A poller tells of every poll, answered or not. A child that it does not tell of for so many
 * periods and this time besides, which is more than a request can take, is late, and then lost. */
#define CHILD_UNHEARD_LATE 2
#define CHILD_UNHEARD_LOST CHILD_LOST_AFTER
#define CHILD_UNHEARD_LATE_NS (12 * NS_PER_S)
#define CHILD_UNHEARD_LOST_NS (24 * NS_PER_S)

struct child_contact {
    enum child_state state;
    uint32_t silent;        /* polls in a row that brought nothing */
    const char *error;      /* why the state is no better: child_error() */
    struct moment last;     /* of the last answer; mono_ns 0: none yet */
    uint64_t since_ns;      /* monotonic: this began to be polled as it is */
    uint64_t told_ns;       /* monotonic: its poller told anything of it, or is to poll it */
    uint64_t first_ns;      /* monotonic: of the first answer; 0: none yet */
    uint64_t polls, missed; /* answered, and not */
    uint64_t bad;           /* what came that made no sense */
    uint32_t round_trip_us;
    bool known; /* it was announced as joined before */
};

/* What an answer tells of any child, whatever else it says. */
struct child_answer {
    uint32_t round_trip_us;
    const uint8_t *engine_id;
    uint32_t engine_id_len, engine_boots;
};

/* A poll of the child was answered. True: by another engine than before, and so by another node. */
bool child_take_contact(struct children *children, struct child *child,
                        const struct child_answer *answer, struct moment now);

/* All of the answer was taken: the child is up, unless what it says makes no sense. */
void child_settle_state(struct children *children, struct child *child, struct moment now);

/* What came between two answers makes no sense: the child is not up, until the next answer. */
void child_not_up(struct child *child);

/* A poll was not answered, or not as it should be. */
void child_take_silence(struct children *children, struct child *child,
                        const struct message_silent *silent, struct moment now);

/* If its poller says nothing of it for long, the child becomes late, then lost. Returns when it is
 * to be looked at again, UINT64_MAX for a child that is lost. */
uint64_t child_watch_poller(struct children *children, struct child *child, struct moment now);

/* Nobody polls the child at present: if it is up, it is late. */
void child_not_polled(struct child *child, const char *why);

/* The child is lost: nothing of it counts, and there is the alarm, with its error as the reason.
 * True: that is news, and was logged. */
bool child_lose(struct children *children, struct child *child, struct moment now);

/* Something that the child sent makes no sense: that is counted, shown as its error and, where its
 * kind may be logged, logged. */
void child_say_bad(struct child *child, const char *kind, const char *text, struct moment now);

#endif
