/* What watches of rules have that are not plain (several limits, another source than the value,
 * absence, hold-off, dampening), and what such a rule compares with its limits. */
#ifndef DCAMP_WATCH_INPUT_H
#define DCAMP_WATCH_INPUT_H

#include "threshold/season.h"
#include "threshold/trend.h"
#include "watch/rule.h"

struct watch_special {
    struct threshold_state upper[THRESHOLD_LEVELS_MAX - 1];
    struct trend *trend;    /* NULL: the rule needs none */
    struct damper *damper;  /* likewise */
    struct season *season;  /* likewise */
    uint64_t valued_ns;     /* monotonic: of the last value, or of the beginning */
    uint64_t not_before_ns; /* monotonic: no alarm is raised until then */
    uint64_t window;        /* the last one that was looked at */
    double input;           /* what was last compared with the limits */
    union {
        double confidence; /* of the forecast that was last made */
        double expected;   /* what was last compared with a season */
    };
    bool absent; /* the alarm is for the lack of a value */
};

/* NULL: no memory. */
struct watch_special *special_new(const struct watch_rule *rule, uint64_t now_ns);
void special_free(struct watch_special *special);

/* Takes what is to be compared now; view is what the series is. False: there is nothing new, or
 * nothing to rely on. */
bool special_take_input(struct watch_special *special, const struct watch_rule *rule,
                        struct series_ref series, const struct series_view *view,
                        struct moment now);

/* Whether what is usual for the series is not known yet, or not any more. */
bool special_learns(const struct watch_special *special);

/* What it has besides itself because of its rule, in octets, as long as it is there. */
size_t special_octets(const struct watch_special *special);

/* Whether the rule is on whole windows. */
bool rule_is_on_windows(const struct watch_rule *rule);

#endif
