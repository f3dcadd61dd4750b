/* Answers and silence of children, nodes and devices alike, and the state that results. */
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
    CHILD_PAUSED = 7 /* shown for rows that are not active: they have no struct child */
};

/* A poller tells of every poll, whether it was answered or not. A child that it does not mention
 * for so many periods plus this time, which is more than a request can take, is late, and then
 * lost. */
#define CHILD_UNHEARD_LATE 2
#define CHILD_UNHEARD_LOST CHILD_LOST_AFTER
#define CHILD_UNHEARD_LATE_NS (12 * NS_PER_S)
#define CHILD_UNHEARD_LOST_NS (24 * NS_PER_S)

struct child_contact {
    enum child_state state;
    uint32_t silent;        /* polls in a row that brought nothing */
    const char *error;      /* why the state is no better: child_error() */
    struct moment last;     /* when the last answer came; mono_ns 0: none yet */
    uint64_t since_ns;      /* monotonic: when it began to be polled in this way */
    uint64_t told_ns;       /* monotonic: when its poller last told anything of it, or was given
                             * it */
    uint64_t first_ns;      /* monotonic: when the first answer came; 0: none yet */
    uint64_t polls, missed; /* that were answered, and that were not */
    uint64_t bad;           /* messages that made no sense */
    uint32_t round_trip_us;
    bool known; /* it has been announced as joined */
};

/* What an answer tells of any child, whatever else it says. */
struct child_answer {
    uint32_t round_trip_us;
    const uint8_t *engine_id;
    uint32_t engine_id_len, engine_boots;
};

/* A poll of the child was answered. True: by another engine than before, and therefore by another
 * node. */
bool child_take_contact(struct children *children, struct child *child,
                        const struct child_answer *answer, struct moment now);

/* The whole answer was taken: the child is up, unless what it says makes no sense. */
void child_settle_state(struct children *children, struct child *child, struct moment now);

/* Something that came between two answers makes no sense: the child is not up until its next
 * answer. */
void child_not_up(struct child *child);

/* A poll was not answered, or not as it should be. */
void child_take_silence(struct children *children, struct child *child,
                        const struct message_silent *silent, struct moment now);

/* If its poller says nothing of it for long, the child becomes late, then lost. Returns when it
 * must be looked at again, UINT64_MAX for a lost child. */
uint64_t child_watch_poller(struct children *children, struct child *child, struct moment now);

/* Nobody polls the child at present: if it was up, it is late. */
void child_not_polled(struct child *child, const char *why);

/* The child is lost: nothing of it counts any more, and the alarm is raised, with its error as the
 * reason. True: that is new, and was logged. */
bool child_lose(struct children *children, struct child *child, struct moment now);

/* Something that the child sent makes no sense: it is counted, shown as its error and, if its kind
 * may be logged now, logged. */
void child_say_bad(struct child *child, const char *kind, const char *text, struct moment now);

#endif
