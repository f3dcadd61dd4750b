/* What dCAMP itself watches of its sinks: a sink that is not up for five minutes is a warning, by
 * the rule "sink-down", until it is up again or is not configured any more.
 *
 * There is no alarm for a sink that no process has ever worked for: dcamp-publish is a package of
 * its own, and a machine without it is meant to be so. dcampSinkTable shows it. */
#ifndef DCAMP_DAEMON_SINK_ALARMS_H
#define DCAMP_DAEMON_SINK_ALARMS_H

#include "alarm/alarm.h"
#include "config/row_type.h"
#include "outlet/outlet.h"

#define SINK_DOWN_MS (5 * 60 * 1000)

/* A sink that was not up when it was last looked at: one for which the state file has an alarm, or
 * one of the configuration. */
struct sink_down {
    char name[NAME_SIZE]; /* "": this place is free */
    uint64_t since_ns;    /* monotonic */
};

struct sink_alarms {
    struct sink_down down[2 * SINKS_MAX];
    bool restored; /* the alarms of the state file have been looked at */
};

/* To be called after outlet_sync() of the present configuration, under the lock. alarms->node is
 * the name of the node. Returns when to look again at the latest, monotonic; UINT64_MAX: not until
 * something changes. */
uint64_t sink_alarms_step(struct sink_alarms *sinks, const struct outlet *outlet,
                          struct alarms *alarms, struct moment now);

#endif
