/* Which instances somebody wants. */
#ifndef DCAMP_SAMPLE_SELECT_H
#define DCAMP_SAMPLE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "metric/metric.h"

/* Whether a pattern selects an instance of the source: text_matches, but that owners and control
 * groups of processes, "user:root", are selected only by what has a ':' itself: "*" has every
 * process once. */
bool sampler_selects(enum metric_source source, const char *pattern, const char *name);

/* Whether any of the patterns does. */
bool patterns_select(enum metric_source source, const char *const *patterns, size_t n,
                     const char *name);

#endif
