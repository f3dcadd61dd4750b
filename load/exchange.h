/* What dcamp-load and the process of a function tell each other, in packets of a SOCK_SEQPACKET:
 * first whether the object is loaded, then a call there and an answer back, one at a time. Both are
 * of the same build. */
#ifndef DCAMP_LOAD_EXCHANGE_H
#define DCAMP_LOAD_EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_WHY 512 /* as in dcamp-load.h, which says so to others */
#define EXCHANGE_DATA_MAX 65535

/* The data follow, without an end. */
struct exchange_call {
    uint64_t sequence;
    uint32_t worker;
};

/* Of the first one 0: it is loaded; else why it is not. */
struct exchange_answer {
    int32_t result;
    char why[EXCHANGE_WHY];
};

#endif
