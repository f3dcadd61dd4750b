/* How long ago something was, by the time that its watcher has seen pass. A clock that jumps by a
 * week makes nothing a week older, nor does a week in which nobody watched. Pure. */
#ifndef DCAMP_PUBLISH_ELAPSED_H
#define DCAMP_PUBLISH_ELAPSED_H

#include <stdint.h>

/* At most this much passes between two looks at the clock. */
#define ELAPSED_STEP_MS INT64_C(3600000)

/* Zeroed: nothing has been seen. */
struct elapsed {
    int64_t at_ms;   /* the time to remember: that of the clock, without its jumps */
    int64_t wall_ms; /* the clock when it was last looked at; 0: never */
};

/* Looks at the clock, in milliseconds since 1970. Returns the time to remember. */
int64_t elapsed_now(struct elapsed *elapsed, int64_t wall_ms);

/* Takes a time that was written down earlier: now is not before it. */
void elapsed_read(struct elapsed *elapsed, int64_t at_ms);

#endif
