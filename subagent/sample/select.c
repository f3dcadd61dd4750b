#include "sample/select.h"

#include <string.h>

#include "base/text.h"

bool sampler_selects(enum metric_source source, const char *pattern, const char *name)
{
    if (source == SOURCE_PROCESS && strchr(name, ':'))
        return text_matches_marked(pattern, name, ':');
    return text_matches(pattern, name);
}

bool patterns_select(enum metric_source source, const char *const *patterns, size_t n,
                     const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (sampler_selects(source, patterns[i], name))
            return true;
    return false;
}
