/* Ranges of the Monitoring Plugins' guidelines: [@]start:end. Pure.
 *
 * A value outside of start to end alerts, or with @ a value inside; the ends belong to the range.
 * "10" is 0 to 10, "10:" is 10 and more, "~:10" is 10 and less. */
#ifndef DCAMP_PLUGINS_RANGE_H
#define DCAMP_PLUGINS_RANGE_H

#include <stdbool.h>

#define RANGE_SIZE 72

struct range {
    bool given; /* if false, nothing alerts */
    bool inside;
    double start, end; /* infinite if there is no bound */
    char text[RANGE_SIZE];
};

/* Returns false, and changes nothing, if it is not a range. Numbers are decimals, no exponents. */
bool range_read(const char *text, struct range *range);

bool range_alerts(const struct range *range, double value);

#endif
