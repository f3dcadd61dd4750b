/* What a model of a season consists of: season.h tells what it means. */
#ifndef DCAMP_THRESHOLD_SEASON_MODEL_H
#define DCAMP_THRESHOLD_SEASON_MODEL_H

#include "threshold/season.h"

/* So many seasons make gamma 1/10. */
#define SEASONS_COUNTED 9

/* All values are differences from the origin, which floats hold however large the values are, and
 * NAN is what is not known. The origin is not the very first value, which is an outlier more often
 * than others are: of programs that have just started, say. */
struct season {
    double origin; /* the first value of a whole slot */
    double level, trend;
    double deviation;      /* mean absolute one of the slots of about a season */
    double sum, distances; /* of the slot that has begun: of its values, and of |e| */
    double moved;  /* second season: by how much values are above those of the first, summed */
    int64_t slot;  /* the one that has begun */
    int64_t first; /* where the present season begins */
    uint32_t span_ms;
    uint32_t count, judged; /* values of the slot; those of them that had a forecast */
    uint32_t pairs;         /* second season: times that a slot was in both */
    uint16_t n;             /* slots of a season */
    uint8_t seasons;        /* learnt, up to SEASONS_COUNTED; known from 2 on */
    bool begun;             /* there was a value */
    float usual[SEASON_SLOTS], deviations[SEASON_SLOTS];
};

#endif
