/* What holds a raise back: its rule, flapping, maintenance, and what it depends on; and what holds
 * a clear back: flapping. */
#ifndef DCAMP_WATCH_INHIBITION_H
#define DCAMP_WATCH_INHIBITION_H

#include "watch/watches.h"

/* What the verdicts depend on; everything but the last member belongs to the owner. */
struct inhibition {
    const struct watches *watches;
    const struct config *const *config; /* points to the owner's pointer, because a reload replaces
                                         * the configuration */
    /* Whether an alarm follows from another one, as from the loss of its node. */
    bool (*follows)(const void *context, const struct alarm_facts *facts);
    const void *context;

    /* Its own: whether any maintenance was active at that moment. Nearly always none is, and then
     * no alarm is compared with the patterns of a thousand rows. */
    struct {
        const struct config *config;
        uint32_t serial; /* of the configuration */
        int64_t wall_ms;
        bool any;
    } maintained;
};

/* An alarm_judge_fn; the context is a struct inhibition. Only flapping holds back the clear of an
 * alarm that receivers know of. */
struct alarm_verdict inhibition_judge(void *inhibition, const struct alarm_facts *facts,
                                      enum alarm_event event, struct moment now);

#endif
