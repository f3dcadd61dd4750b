/* What is said of a trouble that comes and goes: when it begins, and when it is over. Pure. */
#ifndef DCAMP_APPLICATION_TROUBLE_H
#define DCAMP_APPLICATION_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* One that comes again so soon after it was over is not said before then: nobody can fill the log
 * with the same one. */
#define TROUBLE_QUIET_NS (60 * NS_PER_S)

enum trouble_news { TROUBLE_NO_NEWS, TROUBLE_BEGINS, TROUBLE_IS_OVER };

/* All zero octets are one that has never been there. */
struct trouble {
    bool is_there, is_told;
    bool was_over;     /* that it was over has been told once */
    uint64_t since_ns; /* when it began, monotonic */
    uint64_t over_ns;  /* when it was told last that it is over */
};

/* Whether it is there now, and what of that is to be said. */
enum trouble_news trouble_step(struct trouble *trouble, bool is_there, uint64_t now_ns);

#endif
