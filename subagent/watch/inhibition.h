/* What holds a raise back: its rule, flapping, maintenance, what it depends on. And a clear:
 * flapping. */
#ifndef DCAMP_WATCH_INHIBITION_H
#define DCAMP_WATCH_INHIBITION_H

#include "watch/watches.h"

/* What the verdicts depend on; all of it is the owner's. */
struct inhibition {
    const struct watches *watches;
    const struct config *const *config; /* where the owner has it: a reload replaces it */
    /* Whether an alarm follows from another one, as from the loss of the node that it is of. */
    bool (*follows)(const void *context, const struct alarm_facts *facts);
    const void *context;

    /* Its own: whether any maintenance was on at that moment. Nearly always none is, and then no
     * alarm is compared with the patterns of a thousand rows. */
    struct {
        const struct config *config;
        uint32_t serial; /* of the configuration */
        int64_t wall_ms;
        bool any;
    } maintained;
};

/* An alarm_judge_fn; the context is a struct inhibition. The clear of what receivers know of is
 * held by nothing but flapping. */
struct alarm_verdict inhibition_judge(void *inhibition, const struct alarm_facts *facts,
                                      enum alarm_event event, struct moment now);

#endif
