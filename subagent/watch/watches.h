/* All watches: which rules there are, which series each one is on, and what happens to those
 * series. */
#ifndef DCAMP_WATCH_WATCHES_H
#define DCAMP_WATCH_WATCHES_H

#include "watch/watch.h"

void watches_open(struct watches *watches, struct alarms *alarms);
void watches_close(struct watches *watches);

/* Makes the rules those of the configuration, on the series of these producers. A changed rule
 * begins anew: its alarms end. While watches->starved, some are left out until this is called
 * again. */
void watches_sync(struct watches *watches, const struct series_producer *producers, size_t n,
                  const struct config *config, struct moment now);

/* The observer: every series that begins is watched by each rule that is on it; the alarms of a
 * series end with it. */
struct series_observer watches_observer(struct watches *watches);

/* To be called every cycle: raises alarms for series that had no value for too long. */
void watches_tick(struct watches *watches, struct moment now);

/* When watches_tick has to look again; UINT64_MAX: no rule needs it. */
uint64_t watches_due(const struct watches *watches);

/* What dampening and flapping say about telling receivers of an alarm of a rule. */
enum damper_verdict watches_verdict(const struct watches *watches, const struct alarm_facts *facts,
                                    uint64_t now_ns);

#endif
