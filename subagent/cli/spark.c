#include "cli/spark.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LEVELS 8

bool spark_is_utf8(const char *lc_all, const char *lc_ctype, const char *lang)
{
    const char *locale = lc_all && *lc_all       ? lc_all
                         : lc_ctype && *lc_ctype ? lc_ctype
                         : lang                  ? lang
                                                 : "";
    const char *codes = strchr(locale, '.');
    return codes && (strncasecmp(codes, ".utf-8", 6) == 0 || strncasecmp(codes, ".utf8", 5) == 0);
}

void spark_format(const double *values, size_t n, bool is_utf8, char *text)
{
    static const char *const bars[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const signs[LEVELS] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    *text = '\0';
    for (size_t i = 0; i < n; i++) {
        double share = high > low ? values[i] / 2 - low / 2 : 0;
        int level = high > low ? (int)(share / (high / 2 - low / 2) * LEVELS) : 0;
        const char *sign =
            isnan(values[i]) ? " " : (is_utf8 ? bars : signs)[level < LEVELS ? level : LEVELS - 1];
        text = stpcpy(text, sign);
    }
}
