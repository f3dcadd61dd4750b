/* Which of the raises of one alarm receivers are to be told: dampening, and flapping. Pure.
 *
 * All raises and clears are told to the damper; it says whether receivers are to be told of the
 * present raise. */
#ifndef DCAMP_THRESHOLD_DAMPER_H
#define DCAMP_THRESHOLD_DAMPER_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers are those of dcampThresholdDampening in the MIB. */
enum dampening {
    DAMPEN_NONE = 1,      /* each raise is told */
    DAMPEN_ONCE_PER = 2,  /* at most one in this time; a raise that has to wait is told later, if it
                             still stands */
    DAMPEN_EVERY_NTH = 3, /* the n-th, the 2n-th ... is told */
    DAMPEN_COUNT_WITHIN = 4 /* a raise is told if it is at least the n-th within the time */
};

#define DAMPER_COUNT_MAX 64

struct damper_rule {
    enum dampening dampening;
    uint32_t count;      /* n; 1..DAMPER_COUNT_MAX */
    uint32_t time_ms;    /* for ONCE_PER and COUNT_WITHIN */
    uint32_t flap_count; /* more raises and clears than this (0: any number is allowed) ... */
    uint32_t flap_ms;    /* ... in this time are flapping; without any for so long it is stable */
};

/* The times of the latest events: at most DAMPER_COUNT_MAX + 1 of them are kept. */
struct damper_times {
    uint64_t at_ns[DAMPER_COUNT_MAX + 1];
    uint64_t n; /* how many events there ever were */
};

/* All zero octets: nothing has happened yet. */
struct damper {
    struct damper_times raises, changes;
    uint64_t due_ns;  /* ONCE_PER: when the present raise may be told */
    uint64_t told_ns; /* when the previous raise was told */
    bool was_told;    /* a raise was told before */
    bool holds;       /* the present raise is not to be told at all */
    bool flapping;
    bool flap_told; /* receivers know that it flaps */
};

/* True: the alarm flaps, and receivers are to be told this instead of the raise. It is true once,
 * until the alarm has been stable. */
bool damper_raise(const struct damper_rule *rule, struct damper *damper, uint64_t now_ns);
void damper_clear(const struct damper_rule *rule, struct damper *damper, uint64_t now_ns);

enum damper_verdict { DAMPER_TELL, DAMPER_DAMPENED, DAMPER_FLAPPING };

/* What is to be done about the present raise, or about the clear of the last one. */
enum damper_verdict damper_verdict(const struct damper_rule *rule, struct damper *damper,
                                   uint64_t now_ns);

/* How many raises and clears there were within the time of flapping. */
uint32_t damper_changes(const struct damper_rule *rule, const struct damper *damper,
                        uint64_t now_ns);

/* False: the rule would tell everything, and needs no state. */
bool damper_needed(const struct damper_rule *rule);

/* What is wrong with a rule, or NULL. */
const char *damper_fault(const struct damper_rule *rule);

#endif
