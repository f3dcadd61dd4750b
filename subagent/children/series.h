/* The series of children: numbers, names, values, windows. */
#ifndef DCAMP_CHILDREN_SERIES_H
#define DCAMP_CHILDREN_SERIES_H

#include <bsd/sys/queue.h>

#include "base/clock.h"
#include "base/index.h"
#include "calculate/calculate.h"
#include "children/list.h"
#include "children/names.h"
#include "filter/filter.h"
#include "report/report.h"
#include "series/observer.h"

#define CHILD_SERIES_MAX 10000   /* of one child; further ones are left out */
#define CHILD_RELAYED_MAX 100000 /* the same of those that a child relays, of nodes below it */

/* A filter holds back values that do not change, so silence says nothing about a series; its end is
 * told in a block. If blocks were lost, the dictionary is asked about the series that were not
 * heard of since then, after this time and this many polls: most of those that still exist are
 * heard of by then. */
#define CHILD_CONFIRM_NS (60 * NS_PER_S)
#define CHILD_CONFIRM_POLLS 5

/* Blocks alone are not relied on: silent series are also asked about after an hour, for each child
 * at another time within the next hour. */
#define CHILD_CONFIRM_SILENT_S UINT64_C(3600)

/* The reason given when a series ends because its child no longer mentions it. */
#define CHILD_SERIES_GONE "the child has the series no more"

struct child;
struct child_window;
struct children;
struct polled_object;

/* One series of a child. Collectors have very many: what only some have is allocated separately.
 *
 * A series that the child relays, whose name has a path, is that of a node below the child, and has
 * its rules and aggregates there. Here it is known by its number only, for those who pass blocks on
 * or relay it further: it is in no table, nobody observes it, and its windows are not kept. */
struct child_series {
    TAILQ_ENTRY(child_series) link; /* in one of the lists of its child */
    struct child *child;
    struct series_name *name;    /* NULL until the dictionary has told it */
    struct child_window *window; /* see child_series_window(); NULL: none yet */
    struct watch *watches;       /* thresholds on it */
    uint64_t seen_ns;            /* monotonic: heard, or confirmed by the dictionary; 0: it may have
                                  * ended */
    uint64_t heard_ns;           /* monotonic, of this node: when a value came; 0: none yet */
    int64_t wall_ms;             /* of the sample, by the child's clock */
    double value;                /* the latest one; 0 unless valid */
    uint32_t number;
    uint16_t request;            /* the look-up that asked for it, 0: none that is still valid */
    enum result_state state : 8; /* of the value */
    bool is_previous : 1;        /* it is of the previous boot: it has no number and no value */
    bool ends : 1;               /* it is being taken out, together with others */
    bool is_relayed : 1;         /* children->relays takes its values */
};

TAILQ_HEAD(child_series_list, child_series);

/* The end of a series may have been lost with blocks: those that were not heard of since then are
 * asked about. All times are monotonic. */
struct child_doubt {
    uint64_t since_ns;
    uint64_t due_ns; /* when to ask. 0: nothing was lost */
    bool again;      /* more blocks were lost meanwhile: another doubt follows */
};

/* The series of a child: those of this boot by number, those with a name in the order of names, and
 * all of them in lists. */
struct child_series_set {
    struct child_list numbers;
    struct child_list sorted;
    struct child_series_list unnamed;  /* in the order of waiting, longest first */
    struct child_series_list named;    /* in the order of silence, longest first */
    struct child_series_list previous; /* of the previous boot, until they are named again */
    uint64_t previous_until_ns;
    struct child_doubt doubt;
    uint32_t n_named;   /* of both boots */
    uint32_t n_relayed; /* how many of these the child relays */
};

/* -- What is known of them -------------------------------------------------------------------- */

/* To be called once, before anything else: the child begins without series. */
void child_series_open(struct child *child);

/* For those who look for series. A child that is lost, or that has just begun to tell its series,
 * may have one that is not known yet. */
struct series_producer children_producer(const struct children *children);

/* The series as observers see it; it must have a name. */
struct series_ref child_series_ref(struct child_series *series);

/* Whether the value of a series counts: its child is up or late, and it has a valid value. */
bool child_series_live(const struct child_series *series);

/* Whether the latest value is a current one: the child is not lost, and does not replay any
 * more. */
bool child_series_current(const struct child_series *series);

struct result child_series_result(const struct child_series *series);

/* The series of a sensor of a child, in the order of their instances. NULL: there is none, or no
 * further one. */
struct child_series *child_series_first(const struct child *child, const char *sensor);
struct child_series *child_series_next(const struct child_series *series);

/* The series of all children that have a name, in the order of dcampChildValueTable. Their keys are
 * the name of the child, the sensor and the end of the instance. In this order: writes the key of a
 * series, for which there must be room, and returns its length; the series with a key; the first
 * series behind a key, where len 0 means the first of all; the series behind another one. NULL:
 * there is none. */
size_t child_series_key(const struct child_series *series, uint32_t *key);
struct child_series *children_series_find(const struct children *children, const uint32_t *key,
                                          size_t len);
struct child_series *children_series_after(const struct children *children, const uint32_t *key,
                                           size_t len);
struct child_series *children_series_next(const struct child_series *series);

/* The latest window that was reported, once all of its parts have come; until then NULL. */
const struct statistics_window *child_series_window(const struct child_series *series);

/* How many whole windows there have been. */
uint64_t child_series_windows(const struct child_series *series);

/* What that window does not tell of an aggregate. NULL: nothing was reported yet, or not as an
 * aggregate. If no value is aggregated, there is no window. */
const struct report_totals *child_series_totals(const struct child_series *series);

/* That window, if it is current: its child is there, and the second window after it would not have
 * come yet. Windows without values are not told. age_ms: how long ago it came. */
const struct statistics_window *child_series_present(const struct child_series *series,
                                                     uint64_t now_ns, uint64_t *age_ms);

/* The keys of a top as they were last told, once all of their parts have come; until then NULL.
 * mark: a number that differs when the keys do. */
const struct top_keys *child_series_keys(const struct child_series *series, uint64_t *mark);

/* The series of this boot with that number, or NULL. */
struct child_series *child_series_at(const struct child *child, uint32_t number);

/* -- What changes them ------------------------------------------------------------------------ */

/* Takes an entry of a block that is known to be valid: of kind REPORT_VALUE, REPORT_WINDOW or
 * REPORT_KEYS. The first entry with a number begins the series. False: the entry is left out,
 * because there is no room for another series or, if child_has_room(), no memory. */
bool child_take_entry(struct children *children, struct child *child,
                      const struct report_entry *entry, struct moment now);

/* The series with that number, which an entry of a block is about; it begins with the first such
 * entry. NULL: there is no room for another series or, if child_has_room(), no memory. */
struct child_series *child_series_of(struct children *children, struct child *child,
                                     uint32_t number, struct moment now);

/* Something that the child said has been lost. */
void child_series_doubt(struct child *child, uint64_t now_ns);

/* Ends the doubt if there is no series left to be asked about. */
void child_series_settle_doubt(struct child *child, uint64_t now_ns);

/* Whether the series, which must have a name, has to be confirmed because it may have ended. */
bool child_series_needs_look(const struct child_series *series, uint64_t now_ns);

/* Whether the child may have one more series: CHILD_SERIES_MAX. */
bool child_has_room(const struct child *child);

/* Takes a value of a device in the same way, if it passes the filter of its object. */
void child_filter_entry(struct children *children, struct child *child,
                        const struct report_entry *entry, struct polled_object *object,
                        struct filter_state *filter, struct moment now);

/* Logs that series are left out. */
void child_say_too_many(struct child *child, struct moment now);

/* The child has replayed everything: observers are told of the latest values. */
void child_end_replay(struct children *children, struct child *child, struct moment now);

/* Takes what the dictionary says of the series: it gets its name, or is confirmed. Returns NULL, or
 * what is wrong with the words; then the series has ended. If memory runs out, it stays without a
 * name. */
const char *child_series_take_words(struct children *children, struct child_series *series,
                                    const struct series_words *words, struct moment now);

void child_series_end(struct children *children, struct child_series *series, const char *why,
                      struct moment now);

/* The child numbers its series anew: what its numbers meant is not valid any more. The series of
 * the previous boot stay for a while, without values, until their names come again. */
void child_series_begin_boot(struct children *children, struct child *child, struct moment now);

/* Everything that exists has been told: the series of the previous boot are not waited for any
 * longer. */
void child_await_no_more(struct child *child, struct moment now);

/* Ends the series of the previous boot that did not come again in time. */
void child_end_previous(struct children *children, struct child *child, struct moment now);

/* Ends all series of the child. */
void child_end_series(struct children *children, struct child *child, const char *why,
                      struct moment now);

#endif
