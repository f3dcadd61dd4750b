/* Which value of a series a threshold looks at. */
#ifndef DCAMP_THRESHOLD_SOURCE_H
#define DCAMP_THRESHOLD_SOURCE_H

/* The numbers are those of dcampThresholdSource in the MIB. */
enum threshold_source {
    INPUT_VALUE = 1,
    INPUT_RATE = 2,     /* the slope of the trend, per second */
    INPUT_FORECAST = 3, /* the trend, continued */
    /* the following are of the last whole window of the sensor's statistics */
    INPUT_MEAN = 4,
    INPUT_STDDEV = 5,
    INPUT_MIN = 6,
    INPUT_MAX = 7,
    INPUT_P50 = 8,
    INPUT_P90 = 9,
    INPUT_P95 = 10,
    INPUT_P99 = 11,
    INPUT_DEVIATION = 12 /* from what is usual at this time of its season, in usual deviations */
};

#endif
