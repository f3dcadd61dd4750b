/* The last stages of every value, whoever produced it, in this order: the filter decides whether
 * the parent is to know of it, the report has it if so, and the observer, who watches it, is told.
 * Where only what breaches is reported, the observer is told first: it says whether that is so. */
#ifndef DCAMP_SERIES_PUBLISH_H
#define DCAMP_SERIES_PUBLISH_H

#include "filter/filter.h"
#include "filter/level.h"
#include "report/report.h"
#include "series/dictionary.h"
#include "series/observer.h"

/* One value on its way. Who publishes puts it into a struct of its own, for report. */
struct publication {
    const struct result *result;
    const struct filter_rule *rule; /* NULL: everything passes */
    struct filter_state *filter;
    uint64_t *passed, *held;  /* counted there; NULL without a rule */
    struct level_state *told; /* NULL: the information level holds nothing back */

    /* Takes what has passed to where it is reported or, of a child, kept. It may set what follows.
     */
    void (*report)(struct publication *publication, struct moment now);

    struct series_ref series;
    bool is_watched; /* somebody watches it, and the value is a sample for them */
    bool is_window;  /* what is new is a window, and not a value */
};

/* True: it has passed the filter. observer may be NULL: nobody. */
bool publish(const struct series_observer *observer, struct publication *publication,
             struct moment now);

/* Whoever produces values for the reports of this node, and who is told. */
struct publisher {
    struct dictionary dictionary;
    struct report_ring *report;             /* NULL: nothing is reported */
    const struct series_observer *observer; /* NULL: nobody */
};

/* Where only what breaches is reported: a window has ended and has values. Rules on windows look at
 * it now, and not only when there is a value. True: it is beyond a limit of theirs. */
bool publish_window(const struct publisher *publisher, struct dictionary_entry *entry,
                    struct moment now);

/* A series of this node begins and ends. Whoever has its last value must not count it any longer:
 * its end is reported, whatever the filter holds back. */
void publish_begin(const struct publisher *publisher, struct dictionary_entry *entry,
                   struct moment now);
void publish_end(const struct publisher *publisher, struct dictionary_entry *entry, const char *why,
                 struct moment now);

#endif
