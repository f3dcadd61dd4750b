/* What only watches of special rules have (several limits, another source than the value, absence,
 * hold-off, dampening), and what such a rule compares with its limits. */
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
    uint64_t valued_ns;     /* monotonic: when the last value came, or when the watch began */
    uint64_t not_before_ns; /* monotonic: no alarm is raised until then */
    uint64_t window;        /* the last window that was looked at */
    double input;           /* what was last compared with the limits */
    union {
        double confidence; /* in the forecast that was last made */
        double expected;   /* in a season: what the last value was compared with */
    };
    bool absent; /* the alarm is for the lack of a value */
};

/* NULL: no memory. */
struct watch_special *special_new(const struct watch_rule *rule, uint64_t now_ns);
void special_free(struct watch_special *special);

/* Takes what is to be compared now; view is the present state of the series. False: there is
 * nothing new, or nothing reliable. */
bool special_take_input(struct watch_special *special, const struct watch_rule *rule,
                        struct series_ref series, const struct series_view *view,
                        struct moment now);

/* Whether it is not known, or not known any more, what is usual for the series. */
bool special_learns(const struct watch_special *special);

/* How many octets it has in addition to itself because of its rule. */
size_t special_octets(const struct watch_special *special);

/* Whether the rule is about whole windows. */
bool rule_is_on_windows(const struct watch_rule *rule);

#endif
