/* Which time of the history is asked for: what follows --last, --from, --to, --step and
 * --percentiles. Pure. */
#ifndef DCAMP_CLI_RANGE_H
#define DCAMP_CLI_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"

#define RANGE_PERCENTILES_MAX 8
#define RANGE_LAST_MS INT64_C(3600000) /* if nothing is said */

struct range {
    int64_t from_ms, to_ms;                    /* since 1970 UTC; both are in it */
    int64_t step_ms;                           /* 0: not said */
    double percentiles[RANGE_PERCENTILES_MAX]; /* 0 to 100, as they were given */
    size_t n_percentiles;
};

/* False: error holds one line. */
bool range_read(const struct command *command, int64_t now_ms, struct range *range,
                char error[512]);

#endif
