/* What dCAMP itself watches of its sinks: one that is not up for five minutes is a warning, by the
 * rule "sink-down", until it is up again or is not configured any more.
 *
 * For one that no process has ever worked for there is no alarm: dcamp-publish is a package of its
 * own, and on a machine without it that is how it is meant. dcampSinkTable shows it. */
#ifndef DCAMP_DAEMON_SINK_ALARMS_H
#define DCAMP_DAEMON_SINK_ALARMS_H

#include "alarm/alarm.h"
#include "config/row_type.h"
#include "outlet/outlet.h"

#define SINK_DOWN_MS (5 * 60 * 1000)

/* One that was not up when it was last looked at; of those that the state file has an alarm of,
 * and those of the configuration. */
struct sink_down {
    char name[NAME_SIZE]; /* "": nothing is kept here */
    uint64_t since_ns;    /* monotonic */
};

struct sink_alarms {
    struct sink_down down[2 * SINKS_MAX];
    bool restored; /* the alarms of the state file were looked at */
};

/* After outlet_sync() of the present configuration, under the lock. alarms->node is the name of the
 * node. Returns when to look again at the latest, monotonic; UINT64_MAX: when something changes. */
uint64_t sink_alarms_step(struct sink_alarms *sinks, const struct outlet *outlet,
                          struct alarms *alarms, struct moment now);

#endif
