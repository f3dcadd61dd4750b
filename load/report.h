/* Prints the results of a test, for people and for scripts. */
#ifndef DCAMP_LOAD_REPORT_H
#define DCAMP_LOAD_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "load/engine.h"

/* Where and how the test is reported while it runs, and at its end. */
struct report {
    FILE *to;       /* the result; with is_json also what happens in each second */
    FILE *progress; /* a line that is rewritten each second; NULL if nobody sees it */
    bool is_json;
    double quantile; /* of the ramp */
};

/* Returns false as report_result() does. */
bool report_second(struct report *report, const struct engine_second *second);

/* Prints the last line of --json, or a table. Returns false without memory, or on a write error. */
bool report_result(struct report *report, const struct engine_load *load,
                   const struct engine_result *result);

/* Prints how many operations an expression stands for: "1000", or "10 to 30, 20 on average"; as
 * JSON, an object with "least", "most" and "mean". */
bool report_count(FILE *to, const struct scenario *scenario, bool is_json);

#endif
