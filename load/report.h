/* What a test has shown, for people and for scripts. */
#ifndef DCAMP_LOAD_REPORT_H
#define DCAMP_LOAD_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "load/engine.h"

/* How it is told while the test runs, and at its end. */
struct report {
    FILE *to;       /* the result; with is_json also what happens each second */
    FILE *progress; /* a line that is written anew each second; NULL: nobody sees it */
    bool is_json;
    double quantile; /* of the ramp */
};

/* False: as below. */
bool report_second(struct report *report, const struct engine_second *second);

/* The last line of --json, or a table. False: no memory, or it could not be written. */
bool report_result(struct report *report, const struct engine_load *load,
                   const struct engine_result *result);

/* How many operations an expression stands for: "1000", or "10 to 30, 20 on average"; as JSON an
 * object with "least", "most" and "mean". */
bool report_count(FILE *to, const struct scenario *scenario, bool is_json);

#endif
