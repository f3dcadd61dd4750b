/* What watches of rules have that are not plain (several limits, another source than the value,
 * absence, hold-off, dampening), and what such a rule compares with its limits. */
#ifndef DCAMP_WATCH_INPUT_H
#define DCAMP_WATCH_INPUT_H

#include "threshold/trend.h"
#include "watch/rule.h"

struct watch_special {
    struct threshold_state upper[THRESHOLD_LEVELS_MAX - 1];
    struct trend *trend;    /* NULL: the rule needs none */
    struct damper *damper;  /* likewise */
    uint64_t valued_ns;     /* monotonic: of the last value, or of the beginning */
    uint64_t not_before_ns; /* monotonic: no alarm is raised until then */
    uint64_t window;        /* the last one that was looked at */
    double input;           /* what was last compared with the limits */
    double confidence;      /* of the forecast that was last made */
    bool absent;            /* the alarm is for the lack of a value */
};

/* NULL: no memory. */
struct watch_special *special_new(const struct watch_rule *rule, uint64_t now_ns);
void special_free(struct watch_special *special);

/* Takes what is to be compared now. False: there is nothing new, or nothing to rely on. */
bool special_take_input(struct watch_special *special, const struct watch_rule *rule,
                        struct series_ref series, double value, uint64_t now_ns);

/* Whether the rule is on whole windows. */
bool rule_is_on_windows(const struct watch_rule *rule);

#endif
