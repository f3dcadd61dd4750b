/* What a model of a season consists of; season.h explains what it means. */
#ifndef DCAMP_THRESHOLD_SEASON_MODEL_H
#define DCAMP_THRESHOLD_SEASON_MODEL_H

#include "threshold/season.h"

/* After so many seasons gamma is 1/10. */
#define SEASONS_COUNTED 9

/* All values are differences from the origin, which floats can represent however large the values
 * are. NAN means not known. The origin is not the very first value, which is an outlier more often
 * than others, for example in programs that have just started. */
struct season {
    double origin; /* the first value of a whole slot */
    double level, trend;
    double deviation;      /* the mean absolute deviation, over the slots of about a season */
    double sum, distances; /* of the slot that has begun: of its values, and of |e| */
    double moved;  /* second season: the sum of the differences to the values of the first season */
    int64_t slot;  /* the slot that has begun */
    int64_t first; /* the first slot of the present season */
    uint32_t span_ms;
    uint32_t count, judged; /* values of the slot, and those of them that had a forecast */
    uint32_t pairs;         /* second season: how many slots had values in both seasons */
    uint16_t n;             /* slots of a season */
    uint8_t seasons; /* seasons learnt, up to SEASONS_COUNTED; what is usual is known from 2 on */
    bool begun;      /* there was a value */
    float usual[SEASON_SLOTS], deviations[SEASON_SLOTS];
};

#endif
