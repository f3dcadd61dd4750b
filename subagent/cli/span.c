#include "cli/span.h"

#include <inttypes.h>

#include "base/text.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static void two_units(char text[SPAN_SIZE], int64_t millis, int64_t large, const char *large_name,
                      int64_t small, const char *small_name)
{
    int64_t rest = millis % large / small;
    if (rest)
        text_format(text, SPAN_SIZE, "%" PRId64 " %s %" PRId64 " %s", millis / large, large_name,
                    rest, small_name);
    else
        text_format(text, SPAN_SIZE, "%" PRId64 " %s", millis / large, large_name);
}

void span_format(char text[SPAN_SIZE], int64_t millis)
{
    if (millis < 0)
        millis = 0;
    if (millis < 10 * SECOND)
        text_format(text, SPAN_SIZE, "%" PRId64 ".%" PRId64 " s", millis / SECOND,
                    millis % SECOND / 100);
    else if (millis < 2 * MINUTE)
        text_format(text, SPAN_SIZE, "%" PRId64 " s", millis / SECOND);
    else if (millis < HOUR)
        text_format(text, SPAN_SIZE, "%" PRId64 " min", millis / MINUTE);
    else if (millis < DAY)
        two_units(text, millis, HOUR, "h", MINUTE, "min");
    else
        two_units(text, millis, DAY, "d", HOUR, "h");
}
