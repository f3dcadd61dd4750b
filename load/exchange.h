/* What dcamp-load and the process of a function send each other, in packets of a SOCK_SEQPACKET:
 * first whether the object is loaded, then calls and their answers, one at a time. Both programs
 * are of the same build. */
#ifndef DCAMP_LOAD_EXCHANGE_H
#define DCAMP_LOAD_EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_WHY 512 /* as in dcamp-load.h, which defines it for users of that header */
#define EXCHANGE_DATA_MAX 65535

/* The data follow, without a NUL at the end. */
struct exchange_call {
    uint64_t sequence;
    uint32_t worker;
};

/* In the first answer, result 0 means that the object is loaded; otherwise why says why not. */
struct exchange_answer {
    int32_t result;
    char why[EXCHANGE_WHY];
};

#endif
