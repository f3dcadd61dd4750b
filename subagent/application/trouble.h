/* What is logged of a trouble that comes and goes: that it begins, and that it is over. Pure. */
#ifndef DCAMP_APPLICATION_TROUBLE_H
#define DCAMP_APPLICATION_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* If it comes again this soon after it was over, that is not logged before this time has passed, so
 * that nobody can fill the log with the same trouble. */
#define TROUBLE_QUIET_NS (60 * NS_PER_S)

enum trouble_news { TROUBLE_NO_NEWS, TROUBLE_BEGINS, TROUBLE_IS_OVER };

/* An all-zero struct is a trouble that has never occurred. */
struct trouble {
    bool is_there, is_told;
    bool was_over;     /* it has been logged once that it was over */
    uint64_t since_ns; /* monotonic: when it began */
    uint64_t over_ns;  /* when it was last logged that it is over */
};

/* Tells whether the trouble exists now, and returns what has to be logged of that. */
enum trouble_news trouble_step(struct trouble *trouble, bool is_there, uint64_t now_ns);

#endif
