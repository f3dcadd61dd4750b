/* For tests of what alarms mean: one sensor is played a series of values, and what the log says and
 * what receivers are told is compared, cycle by cycle. doc/alarms.md names the scenarios. */
#ifndef DCAMP_TESTS_SEMANTICS_H
#define DCAMP_TESTS_SEMANTICS_H

#include "events.h"

#define SENSORS                                                                                    \
    "<alarms rate=\"1000\" per=\"1s\" queue=\"1000\"/>\n<sensors>"                                 \
    "<sensor name=\"load\" metric=\"load.1\" window=\"10s\"/>"                                     \
    "<sensor name=\"load.b\" metric=\"load.5\"/></sensors>\n"

#define THRESHOLD(attributes)                                                                      \
    "<threshold name=\"t\" sensor=\"load\" operator=\"gt\" limit=\"80\" clear=\"70\" " attributes  \
    "/>"

#define RULE(attributes) SENSORS "<thresholds>" THRESHOLD(attributes) "</thresholds>"

/* What happened is written in letters: R raised, H changed, C cleared, A acknowledged, P repeated,
 * F flapping, S suppressed; each followed by the severity, '-' for a clear: "Rw", "Hc", "C-". */
struct step {
    uint64_t ms;        /* since the step before */
    const char *value;  /* of load.1; NULL: it cannot be read; "" : no cycle of the sensor's */
    const char *logged; /* "" : nothing */
    const char *told;
    void (*act)(struct node *node); /* before the cycle; or NULL */
};

struct scenario {
    const char *name;
    const char *elements;
    struct step steps[24]; /* up to one of 0 ms */
};

bool scenario_play(const struct scenario *scenario);

#endif
