#include "plugins/range.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* Reads a bound of the range; if the text is empty, the bound stays as it is. */
static bool read_bound(const char *text, size_t len, double *bound)
{
    return len == 0 || text_to_decimal(text, len, bound);
}

static bool read_start(const char *text, size_t len, double *start)
{
    if (len == 1 && *text == '~') {
        *start = -INFINITY;
        return true;
    }
    return read_bound(text, len, start);
}

bool range_read(const char *text, struct range *range)
{
    struct range read = {.given = true, .inside = *text == '@', .start = 0, .end = INFINITY};
    const char *from = text + read.inside, *colon = strchr(from, ':');
    const char *end = colon ? colon + 1 : from;
    if (!*from || strcmp(from, ":") == 0 || strlen(text) >= sizeof read.text)
        return false;
    if (colon && !read_start(from, (size_t)(colon - from), &read.start))
        return false;
    if (!read_bound(end, strlen(end), &read.end) || read.start > read.end)
        return false;
    memcpy(read.text, text, strlen(text));
    *range = read;
    return true;
}

bool range_alerts(const struct range *range, double value)
{
    bool within = value >= range->start && value <= range->end;
    return range->given && within == range->inside;
}
