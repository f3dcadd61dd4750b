/* What holds an alarm back: its rule, maintenance, what it depends on. */
#ifndef DCAMP_WATCH_VERDICTS_H
#define DCAMP_WATCH_VERDICTS_H

#include "children/children.h"
#include "watch/watches.h"

/* What the verdicts depend on; all of it is the owner's. config follows a reload. */
struct verdicts {
    const struct watches *watches;
    const struct children *children;
    const struct config *config;
};

/* An alarm_judge_fn; the context is a struct verdicts. The clear of what receivers know of is held
 * by nothing but flapping. */
struct alarm_verdict verdict_of(void *verdicts, const struct alarm_facts *facts,
                                enum alarm_event event, struct moment now);

#endif
