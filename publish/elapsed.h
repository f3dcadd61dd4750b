/* How long ago something was, by the time that its watcher has seen pass. A clock that jumps by a
 * week makes nothing a week old, and nor does a week in which nobody watched. Pure. */
#ifndef DCAMP_PUBLISH_ELAPSED_H
#define DCAMP_PUBLISH_ELAPSED_H

#include <stdint.h>

/* Between two looks at the clock no more passes than that. */
#define ELAPSED_STEP_MS INT64_C(3600000)

/* Zeroed: nothing has been seen. */
struct elapsed {
    int64_t at_ms;   /* the time of all that is counted: that of the clock, but for its jumps */
    int64_t wall_ms; /* the clock, when it was looked at last; 0: it was not */
};

/* The clock, in milliseconds since 1970, is looked at. Returns the time to remember. */
int64_t elapsed_now(struct elapsed *elapsed, int64_t wall_ms);

/* Something that was written down has that time: it is not later than now. */
void elapsed_read(struct elapsed *elapsed, int64_t at_ms);

#endif
