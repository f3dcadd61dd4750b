/* Children: the nodes whose reports are fetched, and what they reported.
 *
 * A child is an active row of the configuration at run time. What it has told is kept by series:
 * the numbers of its report blocks, once its dictionary says what they mean. A child of kind snmp,
 * a device, has series by what it is polled for. Children are not trusted: whatever comes changes
 * nothing but that child. Read by the agent under the lock.
 *
 * A child is lost once three polls in a row brought nothing, whatever the reason: that is an alarm,
 * dcampNodeLost, which its next good answer clears, dcampNodeJoined. */
#ifndef DCAMP_CHILDREN_CHILDREN_H
#define DCAMP_CHILDREN_CHILDREN_H

#include <bsd/sys/queue.h>

#include "alarm/alarm.h"
#include "base/clock.h"
#include "base/index.h"
#include "base/table.h"
#include "calculate/statistics.h"
#include "collect/message.h"
#include "config/config.h"
#include "config/state.h"
#include "children/alarms.h"
#include "report/report.h"
#include "series/observer.h"

#define CHILD_SERIES_MAX 10000 /* of one child; more are left out */
#define CHILD_LOST_AFTER 3     /* polls in a row */

/* How long after its first answer a child has told what it has; what did not come until then is
 * not there any more. */
#define CHILD_KNOWN_NS (120 * NS_PER_S)

/* What the dictionary of a child says instead of a metric where the series is an aggregate: its
 * windows are those of the values that it was computed of. */
#define SERIES_AGGREGATE "aggregate"

/* The numbers are those of dcampChildState in the MIB. */
enum child_state {
    CHILD_DISCOVERING = 1,
    CHILD_UP = 2,
    CHILD_LATE = 3,
    CHILD_DOWN = 4,
    CHILD_REFUSED = 5,
    CHILD_WRONG_KEY = 6,
    CHILD_PAUSED = 7 /* of rows that are not active: there is no struct child */
};

/* A poller tells of every poll, answered or not. What it does not tell of for so many periods and
 * this long, which is more than a request can take, is late, and then lost. */
#define CHILD_UNHEARD_LATE 2
#define CHILD_UNHEARD_LOST CHILD_LOST_AFTER
#define CHILD_UNHEARD_LATE_NS (12 * NS_PER_S)
#define CHILD_UNHEARD_LOST_NS (24 * NS_PER_S)
#define CHILD_WATCH_NS (10 * NS_PER_S) /* how often that is looked at, at least */

struct child;

/* What the dictionaries of children say of a series. Nodes of one kind have the same series: those
 * with the same words share them. */
struct series_name {
    struct index_tail tail; /* of the key in values: sensor and instance */
    UT_hash_handle hh;      /* by words */
    uint32_t users;         /* series */
    uint32_t size;          /* in octets: charged to each of its users, whoever came first */
    bool is_aggregate;
    const char *sensor, *instance, *unit;
    char words[]; /* the same, and what is_aggregate says, for the look-up */
};

/* One series of a child. Collectors have very many: what only some have is allocated apart. */
struct child_series {
    struct index_node node; /* key: of its child, and of its name; in values once it has one */
    TAILQ_ENTRY(child_series) link; /* of one of the lists of its child */
    struct child *child;
    struct series_name *name;    /* NULL until the dictionary has told */
    struct child_window *window; /* see child_series_window(); NULL: none yet */
    struct watch *watches;       /* thresholds on it */
    uint32_t number;
    uint16_t request;  /* the look-up that asked for it, 0: none that counts */
    bool is_former;    /* of the boot before: it has no number and no value */
    uint64_t seen_ns;  /* monotonic: heard, or confirmed by the dictionary */
    uint64_t heard_ns; /* monotonic, of this node; 0: no value yet */
    int64_t wall_ms;   /* of the sample, by the child's clock */
    struct result result;
};

TAILQ_HEAD(child_series_list, child_series);

struct child_number {
    uint32_t number;
    struct child_series *series;
};

struct child {
    struct index_node node; /* key: name */
    uint32_t key[NAME_SIZE];
    struct index_node by_id; /* key: id */
    uint32_t id;             /* in messages */
    char name[NAME_SIZE], group[NAME_SIZE];
    char address[PEER_ADDRESS_SIZE], credential[NAME_SIZE];
    char behind[NAME_SIZE]; /* another child, or "" */
    uint32_t period_ms;
    enum child_state state;
    char error[128];
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len, engine_boots;
    uint32_t report_boot, next_block;
    struct moment contact; /* of the last answer; mono_ns 0: none yet */
    uint64_t since_ns;     /* monotonic: this began to be polled as it is */
    uint64_t told_ns;      /* monotonic: its poller told anything of it, or is to poll it */
    uint64_t first_ns;     /* monotonic: of the first answer; 0: none yet */
    uint32_t round_trip_us;
    uint64_t polls, missed, blocks, lost_blocks, bad_blocks, pushed;
    uint32_t silent;              /* polls in a row that brought nothing */
    bool known;                   /* it was announced as joined before */
    bool replays;                 /* what comes is what it has kept from before it was polled */
    bool bad_block;               /* the last block could not be decoded */
    bool bad_name;                /* the last entry of its dictionary made no sense */
    bool bad_look_up;             /* its dictionary could not be asked since */
    struct complaint *complaints; /* what was logged last, see child_complain(); NULL: nothing */

    /* Its series: those of this boot by number, and in lists. */
    struct child_number *numbers; /* ascending */
    uint32_t n_numbers, numbers_room;
    struct child_series_list unnamed; /* longest wait first */
    struct child_series_list named;   /* longest silence first */
    struct child_series_list former;  /* of the boot before, until they are named again */
    uint64_t former_until_ns;
    size_t n_series; /* with a name */
    uint16_t request;
    uint32_t n_asked;
    uint64_t asked_ns;

    struct child_alarms alarms;
    struct child_device *device; /* NULL: it is a dCAMP node */

    /* What it costs: see child_charge() and child_work(). */
    size_t memory;                 /* octets */
    uint64_t work;                 /* units that were not paid yet, as of work_ns */
    uint64_t work_ns;              /* monotonic */
    struct child_refusal *refusal; /* it went beyond the bound; NULL: not, or long ago */
};

/* What devices, children of kind snmp, are polled for: a row of the configuration at run time. */
struct polled_object {
    UT_hash_handle hh; /* by name, while there is such a row */
    uint32_t id;       /* in messages; a changed row is another object */
    uint32_t users;
    struct object_row row;
    struct filter_rule filter;
    uint64_t passed, held, errors;
    uint64_t since_ns; /* monotonic: these were 0 */
    size_t n_series;
};

/* What the children need of the rest: tells a poller, or with id 0 all of them; NULL: nobody. */
typedef void child_send_fn(void *context, uint32_t id, const struct message *message);

/* What came of packets with pushed blocks, beyond those that were taken: dcampSelf shows it. */
struct child_pushes {
    uint64_t old, ahead, unknown, refused;
};

struct children {
    struct index index;        /* of struct child, by name */
    struct index by_id;        /* the same, by id: the later they were begun, the later */
    struct index values;       /* of struct child_series with a name, by child, sensor, instance */
    struct index below;        /* of struct child_alarm, by child and number */
    uint32_t alarm_changes;    /* grows with whatever changes there */
    struct feed *feed;         /* what the parent is to know of them; NULL: there is none */
    struct series_name *names; /* those that any of them has */
    uint64_t membership; /* grows when a series is named or ends, and when a child comes or goes */
    uint64_t changes;    /* grows with whatever must be saved */
    uint32_t next_id;
    uint64_t watch_ns; /* monotonic: when children_watch is due */
    uint64_t bound;    /* what one child may cost, in octets and in units of work */
    struct child_pushes pushes;
    struct alarms *alarms;
    const struct series_observer *observer; /* of series with a name; NULL: nobody. While a child
                                             * replays, only the latest values are told, at the
                                             * end */
    struct polled_object *objects;
    uint32_t next_object;
    struct saved_child *saved; /* of the state file, until the first sync */
    size_t n_saved;
    child_send_fn *send;
    void *context;
};

void children_open(struct children *children, struct alarms *alarms);
void children_close(struct children *children);

/* Takes what the state file says of children, and leaves state without. Appends what it shall say;
 * 0 or ENOMEM. */
void children_restore(struct children *children, struct state *state);
int children_save(const struct children *children, struct state *state);

/* Makes the children those of the configuration: a new or changed one begins anew. The alarms of
 * children that there are no more are cleared. */
void children_sync(struct children *children, const struct config *config, struct moment now);

/* A message of a poller; of a child that is not there any more, it is ignored. */
void children_message(struct children *children, const struct message *message, struct moment now);

/* Sends everything about the children with these ids again: their poller began anew. */
void children_resend(struct children *children, bool (*of)(void *context, uint32_t id),
                     void *context, struct moment now);

/* Sends the receiver of pushed blocks everything that it needs to know: it began anew. */
void children_tell_receiver(const struct children *children);

/* Nobody polls the children with these ids at present: those that are up are late. */
void children_unpolled(struct children *children, bool (*of)(void *context, uint32_t id),
                       void *context, const char *why);

/* Children of which their pollers say nothing are late, then lost. Returns when it is to be called
 * again; before that it does nothing. */
uint64_t children_watch(struct children *children, struct moment now);

/* Memory that is there because of what a child has told, whoever allocates it: charged when it is
 * allocated, discharged, by as much, when it is freed. It cannot fail: who is beyond the bound is
 * refused once the message that is being taken allows it, after one series at most. */
void child_charge(struct child *child, size_t octets);
void child_discharge(struct child *child, size_t octets);

/* NULL: there is none of that name, or it is not active. */
const struct polled_object *children_object(const struct children *children, const char *name);

struct child *children_find(const struct children *children, const char *name);

/* Whether an alarm follows from the loss of a child: it is of a child that is lost, or of one
 * behind a child that is lost or silent. That the child itself is lost follows from those before it
 * only. While one before it is silent nobody knows yet, and the alarm waits. */
bool children_hold(const struct children *children, const struct alarm_facts *facts);

/* Whether what the children tell of alarms is complete, for the feed: at the start it is not yet.
 */
void children_alarms_step(struct children *children, struct moment now);

/* For who looks for series. A child that is lost, or that has just begun to tell, may have one. */
struct series_producer children_producer(const struct children *children);

/* How many are behind a child, directly or through others. */
size_t children_behind(const struct children *children, const char *name);

/* A series that has a name, for observers. */
struct series_ref child_series_ref(struct child_series *series);

/* Whether the value of a series counts: its child is up or late, and it has a valid value. */
bool child_series_live(const struct child_series *series);

/* Whether the latest value is not of a child that is lost, or that still replays. */
bool child_series_current(const struct child_series *series);

/* The series of a sensor of a child, in the order of their instances. NULL: none, no more. */
struct child_series *child_series_first(const struct children *children, const struct child *child,
                                        const char *sensor);
struct child_series *child_series_next(struct child_series *series);

/* The latest window that was reported, once all of its parts have come; else NULL. */
const struct statistics_window *child_series_window(const struct child_series *series);

/* How many of them there have been. */
uint64_t child_series_windows(const struct child_series *series);

/* Of an aggregate: what that window does not tell. NULL: nothing was reported yet, or not as an
 * aggregate. There is no window where no value is aggregated. */
const struct report_totals *child_series_totals(const struct child_series *series);

#endif
