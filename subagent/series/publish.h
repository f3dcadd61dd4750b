/* The last stages of every value, whoever produced it, in this order: the filter decides whether
 * the parent must be told, then the value goes into the report if so, and then the observer, who
 * watches it, is told. If only breaches are reported, the observer is told first, because it says
 * whether the value is one. */
#ifndef DCAMP_SERIES_PUBLISH_H
#define DCAMP_SERIES_PUBLISH_H

#include "filter/filter.h"
#include "filter/level.h"
#include "report/report.h"
#include "series/dictionary.h"
#include "series/observer.h"

/* One value on its way. The publisher of the value puts it into a struct of its own, which report
 * uses. */
struct publication {
    const struct result *result;
    const struct filter_rule *rule; /* NULL: everything passes */
    struct filter_state *filter;
    uint64_t *passed, *held;  /* the counters to increase; NULL without a rule */
    struct level_state *told; /* NULL: the information level holds nothing back */

    /* Takes a value that has passed to where it is reported or, for a child, kept. It may set what
     * follows. */
    void (*report)(struct publication *publication, struct moment now);

    struct series_ref series;
    bool is_watched; /* somebody watches it, and the value is a sample for the watches */
    bool is_window;  /* a window is new, and no value */
};

/* True: the value has passed the filter. observer may be NULL: nobody. */
bool publish(const struct series_observer *observer, struct publication *publication,
             struct moment now);

/* Who produces values for the reports of this node, and who is told of them. */
struct publisher {
    struct dictionary dictionary;
    struct report_ring *report;             /* NULL: nothing is reported */
    const struct series_observer *observer; /* NULL: nobody */
};

/* For sensors of which only breaches are reported: a window has ended and has values. Rules on
 * windows look at it now, and not only when there is a value. True: it is beyond one of their
 * limits. */
bool publish_window(const struct publisher *publisher, struct dictionary_entry *entry,
                    struct moment now);

/* A series of this node begins, and ends. Whoever has its last value must not count it any longer:
 * its end is reported even if the filter holds values back. */
void publish_begin(const struct publisher *publisher, struct dictionary_entry *entry,
                   struct moment now);
void publish_end(const struct publisher *publisher, struct dictionary_entry *entry, const char *why,
                 struct moment now);

#endif
