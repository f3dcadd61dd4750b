/* Alarms: what thresholds raise and clear, and what happens to nodes. Active alarms, the log, what
 * is to be notified, and the notification queue with its rate limit. Touches no network: the agent
 * takes notifications from the queue.
 *
 * Every transition is an entry of the log, at once. What receivers are told is another matter: of
 * each alarm there is at most one notice, of the latest transition that they do not know yet. It
 * waits while something holds it (maintenance, an acknowledgement ...), and for the rate limit; the
 * most severe goes first, then the oldest. A later transition of the same alarm overtakes it: who
 * was never told of a raise is not told of its clear. */
#ifndef DCAMP_ALARM_ALARM_H
#define DCAMP_ALARM_ALARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bsd/sys/queue.h>

#include "base/clock.h"
#include "base/index.h"
#include "base/limits.h"
#include "base/table.h"
#include "report/feed.h"
#include "threshold/threshold.h"

/* What an alarm is about, and so which notifications tell of it. */
enum alarm_kind {
    ALARM_OF_THRESHOLD = 0, /* dcampAlarmRaised, dcampAlarmCleared */
    ALARM_OF_NODE = 1,      /* dcampNodeLost, dcampNodeJoined */
    ALARM_OF_CONDITION = 2, /* as of a threshold, which has the name of the condition */
    ALARM_OF_ROLE = 3,      /* dcampRoleChanged; the instance is the new role */
    ALARM_OF_SINK = 4       /* as of a threshold; the instance is the sink */
};

/* Why receivers have not been told. The numbers are those of DcampAlarmHold in the MIB. */
enum alarm_hold {
    HOLD_NONE = 1, /* they have */
    HOLD_RATE = 2, /* it waits for the rate limit, or was overtaken while it did */
    HOLD_ACKNOWLEDGED = 3,
    HOLD_QUIET = 4, /* its rule does not notify */
    HOLD_MAINTENANCE = 5,
    HOLD_DEPENDENCY = 6, /* of something that is lost itself */
    HOLD_DAMPENED = 7,
    HOLD_FLAPPING = 8
};

/* What happened to an alarm. The numbers are those of DcampEvent in the MIB. */
enum alarm_event {
    ALARM_RAISED = 1,
    ALARM_CLEARED = 2,
    ALARM_ACKNOWLEDGED = 3,
    ALARM_SUPPRESSED = 4,
    ALARM_CHANGED = 5,  /* another severity */
    ALARM_REPEATED = 6, /* it is still there */
    ALARM_FLAPPING = 7
};

/* What a table row, a log entry and a notification have in common.
 * For a raised alarm the facts are those of the raise and stay so while it is active. */
struct alarm_facts {
    enum alarm_kind kind;
    char key[ALARM_KEY_SIZE]; /* stable: the same in raise and clear and after a restart */
    char node[NAME_SIZE];
    char threshold[NAME_SIZE];
    char sensor[NAME_SIZE];
    char instance[INSTANCE_SIZE];
    char value[DECIMAL_SIZE];
    char limit[DECIMAL_SIZE + 4]; /* with its operator: "> 90" */
    enum severity severity;       /* SEVERITY_CLEAR in what reports a clear */
    enum alarm_event event;       /* of the log entry, and so of the notification */
    uint32_t sequence;            /* of the log entry, and so of the notification */
    int64_t since_ms;             /* wall clock: when it was raised */
    uint32_t suppressed;          /* notifications held back since the last one that went out */
    char message[MESSAGE_SIZE];   /* one printable line without ';' and '|' */
};

/* What an active alarm has besides its facts, and what outlives a restart. */
struct alarm_memory {
    enum severity told; /* what receivers know of it; SEVERITY_CLEAR: nothing. 0 in a saved state:
                         * all that there is to know */
    enum severity acknowledged_at; /* its severity at the acknowledgement; 0: there is none */
    int64_t acknowledged_ms;       /* wall clock */
    char acknowledged[ALARM_COMMENT_SIZE]; /* by whom, and what they say */
};

/* Both kinds of row begin with these two, so that the columns they share are read alike. */
struct alarm {
    struct index_node node;
    struct alarm_facts facts;
    uint32_t index; /* dcampAlarmIndex: the sequence of its raise */
    struct alarm_memory memory;
    enum alarm_hold hold; /* why receivers do not know what it is now */
    uint32_t repeat_ms;   /* told again every so often; 0: once */
    uint64_t told_ns;     /* monotonic: when receivers were told last */
    struct feed_item fed; /* for the parent */
    UT_hash_handle by_key;
};

struct alarm_entry {
    struct index_node node;
    struct alarm_facts facts;
    uint32_t sequence;
    int64_t wall_ms;
    bool notified;        /* handed to the queue; false for an acknowledgement, which has none */
    enum alarm_hold hold; /* why it was not */
};

/* A notification that waits for the agent. All but clears and summaries are dcampAlarmRaised or
 * dcampNodeLost. A summary (ALARM_SUPPRESSED) tells in
 * facts.suppressed how many were held back, since_ms is its own time, its severity is
 * SEVERITY_INFO, and it carries no key and no threshold. */
struct notification {
    uint32_t index; /* dcampAlarmIndex of the alarm; of a summary its own sequence */
    struct alarm_facts facts;
    uint64_t change; /* of the alarms: what is saved from then on has it; 0: it was restored */
    struct notification *next;
};

struct alarm_limits {
    uint32_t log_size;  /* entries kept */
    uint32_t rate;      /* notifications (0: no limit) ... */
    uint32_t period_ms; /* ... in this time; a token bucket that starts full */
    uint32_t queue;     /* notifications kept for a master that is away; the next wait like those
                         * that the rate limit holds back: one for each alarm, the latest */
};

/* What the alarms ask of the rest, of every alarm when something happens to it, before it is told,
 * and once a second while something holds it: what that is (HOLD_NONE: nothing) and how often it is
 * repeated. */
struct alarm_verdict {
    enum alarm_hold hold;
    uint32_t repeat_ms;
};
typedef struct alarm_verdict alarm_judge_fn(void *context, const struct alarm_facts *facts,
                                            enum alarm_event event, struct moment now);

/* Is shown every new entry of the log. */
typedef void alarm_audit_fn(void *context, const struct alarm_entry *entry);

struct notice;
TAILQ_HEAD(notice_list, notice);

/* It must not be copied or moved once it is open: the lists point into it. */
struct alarms {
    struct index active;  /* of struct alarm */
    struct index log;     /* of struct alarm_entry */
    char node[NAME_SIZE]; /* whose summaries these are; the owner sets it */
    struct alarm_limits limits;
    uint32_t sequence; /* of the latest log entry; persists over restarts */
    uint64_t changes;  /* grows with whatever must be saved */
    uint64_t saved;    /* up to which of the changes all is on disk */
    uint64_t open;     /* up to which notifications may go out */
    uint64_t wanted;   /* the change of the latest notification */
    struct notification *queue_head, **queue_tail;
    size_t queued;
    uint64_t sent, suppressed, dropped; /* notifications, since start */
    uint64_t unsaved;                   /* those of the sent that were not on disk */
    /* the token bucket: a token is period / rate of credit, so that whole numbers do */
    uint64_t credit_ns;
    uint64_t credited_ns; /* monotonic: credit is given up to here */
    uint32_t held;        /* notices that were overtaken while they waited for the rate limit, since
                           * the last summary */
    struct alarm *by_key; /* hash by facts.key */
    struct feed *feed;    /* what the parent is to know; the owner sets it. NULL: nobody is told */
    struct index notices; /* of struct notice, by key: none is left out for want of memory */
    struct notice_list ready[SEVERITY_CRITICAL + 1]; /* by rank, oldest first: wait for a token */
    struct notice_list waiting;                      /* something holds them */
    size_t n_ready;
    size_t left;                   /* of those that are ready, after the last tick */
    uint64_t judged_ns, summed_ns; /* monotonic: last looked at what is held; last summary */
    uint64_t ready_judged_ns;      /* ... at what waits for the rate limit */
    size_t repeating;              /* active alarms that are told again */
    bool rejudge;                  /* what the verdicts depend on has changed */
    alarm_judge_fn *judge;         /* NULL: nothing is held */
    void *judge_context;
    alarm_audit_fn *audit; /* NULL: nobody looks */
    void *audit_context;
};

void alarms_open(struct alarms *alarms, const struct alarm_limits *limits, uint64_t now_ns);
void alarms_close(struct alarms *alarms);

/* The limits may change at a reload; a shorter log loses its oldest entries. */
void alarms_set_limits(struct alarms *alarms, const struct alarm_limits *limits);

/* The key of an alarm: node:threshold:instance, with every octet outside [A-Za-z0-9._:-]
 * replaced by '_', and ':' too in node and threshold. Where that was needed, where the text is
 * too long, and where it ends like this by itself, it ends in ':' and eight hexadecimal digits
 * of a hash of the original, so that keys stay distinct. */
void alarm_key(char key[ALARM_KEY_SIZE], const char *node, const char *threshold,
               const char *instance);

/* Text in facts may be anything: what is not printable UTF-8, and ';' and '|', becomes ' ' in the
 * message and '_' elsewhere. Without memory, what follows does nothing and returns false. */

/* Raises: facts without event, sequence, since_ms and suppressed, which are filled in here. An
 * alarm whose key is active already is left as it is (false). */
bool alarm_raise(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* The alarm of facts->key has another severity, value, limit and message; since_ms stays. A higher
 * severity ends an acknowledgement. False if none is active, or the severity is what it was. */
bool alarm_change(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* The alarm comes and goes too often: tells so at once, whatever holds it. facts->message says
 * how often. False if none is active. */
bool alarm_flapping(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Clears the alarm of facts->key (false if none is active); value, limit and message of facts
 * tell how. */
bool alarm_clear(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Logs and notifies as cleared what was never raised: a node that has joined. Where so many
 * notifications wait for their turn already it is only logged, and counted as suppressed: the join
 * of all nodes of a large collector would keep receivers, and the state file, busy for hours.
 * False, and nothing happens, if an alarm of that key is active. */
#define ALARM_ANNOUNCEMENTS 1000
bool alarm_announce(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Somebody has seen the alarm (false if none is active), and this is what they say. It stays
 * active, and nothing more is notified of it but its clear and a higher severity. "" takes an
 * acknowledgement back. */
bool alarm_acknowledge(struct alarms *alarms, const char *key, const char *comment,
                       struct moment now);

const struct alarm *alarm_find(const struct alarms *alarms, const char *key);

/* Hands to the queue what is to be told, as far as the bucket has tokens; to be called every cycle.
 * While there are too few tokens, a summary with the number goes out once a period. */
void alarms_tick(struct alarms *alarms, struct moment now);

/* When there is something to do again; UINT64_MAX: not before something happens. */
uint64_t alarms_due(const struct alarms *alarms);

/* Judges all again within a second: after a change of what the verdicts depend on. */
void alarms_rejudge(struct alarms *alarms);

/* The notices of clears that wait, to be saved. Those of active alarms follow from these. */
void alarms_each_clear(const struct alarms *alarms, void *context,
                       void (*each)(void *context, const struct notification *notification,
                                    enum severity told));

/* The gate of the queue. A notification leaves when the state that has it is on disk: else, after a
 * crash, its clear would not be told, and its number would be that of another event. saved: up to
 * which of the changes that is so. open: the disk fails; who waits may go. Where nobody calls this,
 * nothing waits. */
void alarms_gate(struct alarms *alarms, uint64_t saved, bool open);

/* The oldest notification of the queue, or NULL while there is none or it must not leave yet; it
 * stays the queue's. */
const struct notification *alarms_peek(const struct alarms *alarms);
/* The oldest one is delivered (or lost, if not sent: counted as dropped): takes it off. Who
 * let go of the lock since peeking compares facts.sequence first: the oldest may have been
 * dropped meanwhile. */
void alarms_pop(struct alarms *alarms, bool sent);

/* Restoring saved state, before the first raise: an active alarm (memory may be NULL: receivers
 * know all of it), a log entry, a notification that had not gone out (oldest first), and the
 * notice of a clear. 0, EEXIST or ENOMEM. A log entry later
 * than the sequence, in the serial arithmetic of RFC 1982, moves the sequence on. What
 * exceeds the limits loses its oldest at once. */
int alarms_restore_active(struct alarms *alarms, uint32_t index, const struct alarm_facts *facts,
                          const struct alarm_memory *memory);
int alarms_restore_entry(struct alarms *alarms, const struct alarm_entry *entry);
int alarms_restore_queued(struct alarms *alarms, const struct notification *notification);
int alarms_restore_clear(struct alarms *alarms, const struct notification *notification,
                         enum severity told);

/* Numbers beyond the sequence that are saved as given, so that none is given twice after a crash:
 * what happened since the last save may have been seen already, in dcampAlarmLogTable. ahead: how
 * many may be given before the next save. Returns the last of them. */
uint32_t alarms_reserve(const struct alarms *alarms, uint32_t ahead);
/* Goes on with the numbers behind what alarms_reserve said; to be called after all else was
 * restored. Returns how many numbers are void. */
uint32_t alarms_skip(struct alarms *alarms, uint32_t reserved);

#endif
