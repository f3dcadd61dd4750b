/* Which instances somebody wants. */
#ifndef DCAMP_SAMPLE_SELECT_H
#define DCAMP_SAMPLE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "metric/metric.h"

/* Whether a pattern selects an instance of the source. It does as in text_matches, except that
 * owners and control groups of processes, such as "user:root", are selected only by globs that have
 * a ':' themselves: so "*" selects every process once. */
bool sampler_selects(enum metric_source source, const char *pattern, const char *name);

/* Whether any of the patterns selects the instance. */
bool patterns_select(enum metric_source source, const char *const *patterns, size_t n,
                     const char *name);

#endif
