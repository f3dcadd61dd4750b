/* What tables can show: the owners of the data at one moment. A view is made for each request, and
 * is valid while the lock is held.
 *
 * A table includes the headers of the owners that it shows, and no others. */
#ifndef DCAMP_AGENT_VIEW_H
#define DCAMP_AGENT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct dcampd;

struct view {
    struct moment now;
    uint64_t started_ns; /* when the daemon started, monotonic */
    uint64_t applied_ns; /* when a changed configuration last took effect, monotonic */
    uint32_t boot;
    const struct config *config;
    struct measure *measure; /* reading asks for sensors that are sampled on demand */
    const struct dictionary *dictionary;
    const struct watches *watches;
    struct alarms *alarms; /* a SET acknowledges one */
    const struct children *children;
    const struct relays *relays;
    const struct aggregates *aggregates;
    const struct report_ring *report;
    const struct push *push;
    struct announcing *announcing; /* a GET of dcampDocumentTerm counts as a root that looks */
    const struct tree_view *tree;
    struct inventory *inventory; /* reading asks for a scan */
    struct ranked *ranked;       /* reading asks for a look at the processes */
    struct listed *listed;       /* reading asks for rows */
    const struct costs *costs;
    const struct outlet *outlet;
    struct documents *documents; /* a SET orders one */
    const struct role *role;
    const struct self_counters *self;
    struct saver *saver;
    struct dcampd *core; /* for the functions below, and for what commits a SET */
};

struct view view_of(struct dcampd *core, struct moment now);

/* Wakes the core, which was asked for something. */
void view_wake(const struct view *view);

/* Whether there is something that the state file does not hold yet. */
bool view_is_dirty(const struct view *view);

#endif
