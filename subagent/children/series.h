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

#define CHILD_SERIES_MAX 10000   /* of one child; more are left out */
#define CHILD_RELAYED_MAX 100000 /* the same of those that a child relays, of nodes below it */

/* A filter holds back what does not move, so that silence says nothing of a series; its end is told
 * in a block. Where blocks were lost, the dictionary is asked about what was not heard of since,
 * after so long and so many polls: most of what is still there is heard of in that time. */
#define CHILD_CONFIRM_NS (60 * NS_PER_S)
#define CHILD_CONFIRM_POLLS 5

/* Nobody rests on a block alone: what is silent is asked about after an hour as well, of each child
 * at another time within the next hour. */
#define CHILD_CONFIRM_SILENT_S UINT64_C(3600)

/* Why a series ends that its child says nothing of any more. */
#define CHILD_SERIES_GONE "the child has the series no more"

struct child;
struct child_window;
struct children;
struct polled_object;

/* One series of a child. Collectors have very many: what only some have is allocated apart.
 *
 * One that the child relays, whose name has a path, is that of a node below the child. Rules and
 * aggregates there are on it; here it is known by its number only, for those who pass blocks on or
 * relay it further: it is in no table, nobody observes it, and its windows are not kept. */
struct child_series {
    TAILQ_ENTRY(child_series) link; /* of one of the lists of its child */
    struct child *child;
    struct series_name *name;    /* NULL until the dictionary has told */
    struct child_window *window; /* see child_series_window(); NULL: none yet */
    struct watch *watches;       /* thresholds on it */
    uint64_t seen_ns;            /* monotonic: heard, or confirmed by the dictionary; 0: it may have
                                  * ended */
    uint64_t heard_ns;           /* monotonic, of this node; 0: no value yet */
    int64_t wall_ms;             /* of the sample, by the child's clock */
    double value;                /* the latest one; 0 unless valid */
    uint32_t number;
    uint16_t request;            /* the look-up that asked for it, 0: none that counts */
    enum result_state state : 8; /* of the value */
    bool is_previous : 1;        /* it is of the boot before: it has no number and no value */
    bool ends : 1;               /* it is being taken out, with others */
    bool is_relayed : 1;         /* children->relays takes its values */
};

TAILQ_HEAD(child_series_list, child_series);

/* Which series have ended may have been lost: those that were not heard of since are asked about.
 * All times are monotonic. */
struct child_doubt {
    uint64_t since_ns;
    uint64_t due_ns; /* when to ask. 0: nothing was lost */
    bool again;      /* and something else was, meanwhile: the next doubt */
};

/* The series of a child: those of this boot by number, those with a name by that, and in lists. */
struct child_series_set {
    struct child_list numbers;
    struct child_list sorted;
    struct child_series_list unnamed;  /* longest wait first */
    struct child_series_list named;    /* longest silence first */
    struct child_series_list previous; /* of the boot before, until they are named again */
    uint64_t previous_until_ns;
    struct child_doubt doubt;
    uint32_t n_named;   /* of both boots */
    uint32_t n_relayed; /* of these, those that the child relays */
};

/* -- What is known of them -------------------------------------------------------------------- */

/* To be called once, before anything else: the child has no series. */
void child_series_open(struct child *child);

/* For those who look for series. A child that is lost, or that has just begun to tell what it has,
 * may have one that is not known yet. */
struct series_producer children_producer(const struct children *children);

/* The series, which has a name, for observers. */
struct series_ref child_series_ref(struct child_series *series);

/* Whether the value of a series counts: its child is up or late, and it has a valid value. */
bool child_series_live(const struct child_series *series);

/* Whether the latest value is one of the present: the child is not lost, and replays no longer. */
bool child_series_current(const struct child_series *series);

struct result child_series_result(const struct child_series *series);

/* The series of a sensor of a child, in the order of their instances. NULL: none, no more. */
struct child_series *child_series_first(const struct child *child, const char *sensor);
struct child_series *child_series_next(const struct child_series *series);

/* The series of all children that have a name, in the order of dcampChildValueTable. Their keys are
 * the name of the child, the sensor and the end of the instance: that of one, for which there is
 * room, and its length; the series of a key; the first one behind a key, with len 0 the first of
 * all; and the one behind another. NULL: there is none. */
size_t child_series_key(const struct child_series *series, uint32_t *key);
struct child_series *children_series_find(const struct children *children, const uint32_t *key,
                                          size_t len);
struct child_series *children_series_after(const struct children *children, const uint32_t *key,
                                           size_t len);
struct child_series *children_series_next(const struct child_series *series);

/* The latest window that was reported, once all of its parts have come; else NULL. */
const struct statistics_window *child_series_window(const struct child_series *series);

/* How many whole windows there have been. */
uint64_t child_series_windows(const struct child_series *series);

/* What that window does not tell of an aggregate. NULL: nothing was reported yet, or not as an
 * aggregate. There is no window where no value is aggregated. */
const struct report_totals *child_series_totals(const struct child_series *series);

/* That window, if it is of the present: its child is there, and the next but one would not have
 * come yet. Windows without values are not told. age_ms: how long ago it came. */
const struct statistics_window *child_series_present(const struct child_series *series,
                                                     uint64_t now_ns, uint64_t *age_ms);

/* The keys of a top as they were told last, once all of their parts have come; else NULL. mark: a
 * number that is another one for other keys. */
const struct top_keys *child_series_keys(const struct child_series *series, uint64_t *mark);

/* The series of this boot with that number, or NULL. */
struct child_series *child_series_at(const struct child *child, uint32_t number);

/* -- What changes them ------------------------------------------------------------------------ */

/* Takes an entry of a block that is known to be good: of kind REPORT_VALUE, REPORT_WINDOW or
 * REPORT_KEYS. The first one of a number begins the series. False: it is left out, since there is
 * no room for another series or, where child_has_room(), no memory. */
bool child_take_entry(struct children *children, struct child *child,
                      const struct report_entry *entry, struct moment now);

/* The series with that number, which something in a block is about; it begins with the first such.
 * NULL: there is no room for another series or, where child_has_room(), no memory. */
struct child_series *child_series_of(struct children *children, struct child *child,
                                     uint32_t number, struct moment now);

/* Something that the child said was lost. */
void child_series_doubt(struct child *child, uint64_t now_ns);

/* Ends the doubt if nothing is left to be asked about. */
void child_series_settle_doubt(struct child *child, uint64_t now_ns);

/* Whether the series, which has a name, is to be confirmed: it may have ended. */
bool child_series_needs_look(const struct child_series *series, uint64_t now_ns);

/* Whether the child may have one more series: CHILD_SERIES_MAX. */
bool child_has_room(const struct child *child);

/* Takes a value of a device likewise, if it passes the filter of its object. */
void child_filter_entry(struct children *children, struct child *child,
                        const struct report_entry *entry, struct polled_object *object,
                        struct filter_state *filter, struct moment now);

/* Logs that series are left out. */
void child_say_too_many(struct child *child, struct moment now);

/* The child has replayed all: who watches is told of the latest values. */
void child_end_replay(struct children *children, struct child *child, struct moment now);

/* Takes what is said of the series: it gets its name, or is confirmed. NULL, or what is wrong with
 * the words; then the series has ended. Without memory it stays without a name. */
const char *child_series_take_words(struct children *children, struct child_series *series,
                                    const struct series_words *words, struct moment now);

void child_series_end(struct children *children, struct child_series *series, const char *why,
                      struct moment now);

/* The child counts its series from the beginning: what its numbers meant is not valid any more. The
 * series of the boot that is over stay for a while, without values, until their names come again.
 */
void child_series_begin_boot(struct children *children, struct child *child, struct moment now);

/* All that there is has been told: the series of the previous boot are waited for no longer. */
void child_await_no_more(struct child *child, struct moment now);

/* Ends series of the previous boot that did not come again in time. */
void child_end_previous(struct children *children, struct child *child, struct moment now);

/* Ends all series of the child. */
void child_end_series(struct children *children, struct child *child, const char *why,
                      struct moment now);

#endif
