/* Alarms: what thresholds raise and clear, and what happens to nodes. Here are the active alarms,
 * the log, what is to be notified, and the notification queue with its rate limit. It does not
 * touch the network: the agent takes notifications from the queue.
 *
 * Every transition is entered into the log at once. What receivers are told is another matter: for
 * each alarm there is at most one notice, of the latest transition that they do not know yet. It
 * waits while something holds it (maintenance, an acknowledgement ...), and for the rate limit; the
 * most severe goes first, then the oldest. A later transition of the same alarm replaces it, so
 * that receivers who were never told of a raise are not told of its clear. */
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

/* What an alarm is about, which also decides which notifications tell of it. */
enum alarm_kind {
    ALARM_OF_THRESHOLD = 0, /* dcampAlarmRaised, dcampAlarmCleared */
    ALARM_OF_NODE = 1,      /* dcampNodeLost, dcampNodeJoined */
    ALARM_OF_CONDITION = 2, /* as of a threshold; the name of the condition is in its place */
    ALARM_OF_ROLE = 3,      /* dcampRoleChanged; the instance is the new role */
    ALARM_OF_SINK = 4       /* as of a threshold; the instance is the sink */
};

/* Why receivers have not been told of an alarm. The numbers are those of DcampAlarmHold in the MIB.
 */
enum alarm_hold {
    HOLD_NONE = 1, /* they have been told */
    HOLD_RATE = 2, /* it waits for the rate limit, or was replaced while it waited */
    HOLD_ACKNOWLEDGED = 3,
    HOLD_QUIET = 4, /* its rule does not notify */
    HOLD_MAINTENANCE = 5,
    HOLD_DEPENDENCY = 6, /* it follows from another alarm, such as the loss of its node */
    HOLD_DAMPENED = 7,
    HOLD_FLAPPING = 8
};

/* What happened to an alarm. The numbers are those of DcampEvent in the MIB. */
enum alarm_event {
    ALARM_RAISED = 1,
    ALARM_CLEARED = 2,
    ALARM_ACKNOWLEDGED = 3,
    ALARM_SUPPRESSED = 4,
    ALARM_CHANGED = 5,  /* it has another severity */
    ALARM_REPEATED = 6, /* it is still there */
    ALARM_FLAPPING = 7
};

/* What a table row, a log entry and a notification have in common. For a raised alarm the facts are
 * those of the raise, and stay the same while it is active. */
struct alarm_facts {
    enum alarm_kind kind;
    char key[ALARM_KEY_SIZE]; /* stable: the same in raise and clear, and after a restart */
    char node[NAME_SIZE];
    char threshold[NAME_SIZE];
    char sensor[NAME_SIZE];
    char instance[INSTANCE_SIZE];
    char value[DECIMAL_SIZE];
    char limit[DECIMAL_SIZE + 4]; /* with its operator: "> 90" */
    enum severity severity;       /* SEVERITY_CLEAR if it reports a clear */
    enum alarm_event event;       /* that of the log entry, and so of the notification */
    uint32_t sequence;            /* that of the log entry, and so of the notification */
    int64_t since_ms;             /* wall clock: when it was raised */
    uint32_t suppressed;          /* notifications held back since the last one that went out */
    char message[MESSAGE_SIZE];   /* one printable line without ';' and '|' */
};

/* What an active alarm has in addition to its facts, and what is kept over a restart. */
struct alarm_memory {
    enum severity told; /* what receivers know of it; SEVERITY_CLEAR: nothing; 0 in a saved state:
                           all that there is to know */
    enum severity acknowledged_at; /* its severity at the acknowledgement; 0: there is none */
    int64_t acknowledged_ms;       /* wall clock */
    char acknowledged[ALARM_COMMENT_SIZE]; /* by whom, and the comment */
};

/* Both kinds of row begin with these two members, so that columns that they share are read alike.
 */
struct alarm {
    struct index_node node;
    struct alarm_facts facts;
    uint32_t index; /* dcampAlarmIndex: the sequence of its raise */
    struct alarm_memory memory;
    enum alarm_hold hold; /* why receivers do not know the present state */
    uint32_t repeat_ms;   /* how often receivers are told again; 0: only once */
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
    enum alarm_hold hold; /* why it was not handed over */
};

/* A notification that waits for the agent. All but clears and summaries are dcampAlarmRaised or
 * dcampNodeLost. In a summary (ALARM_SUPPRESSED), facts.suppressed is how many were held back,
 * since_ms is its own time, and its severity is SEVERITY_INFO; it has neither key nor threshold. */
struct notification {
    uint32_t index; /* dcampAlarmIndex of the alarm; for a summary, its own sequence */
    struct alarm_facts facts;
    uint64_t change; /* value of changes; a state that is saved from then on has the notification;
                        0: it was restored */
    struct notification *next;
};

struct alarm_limits {
    uint32_t log_size;  /* entries that are kept */
    uint32_t rate;      /* notifications (0: no limit) ... */
    uint32_t period_ms; /* ... in this time; a token bucket that starts full */
    uint32_t queue; /* notifications kept for a master that is away; further ones wait like those
                       that the rate limit holds back: one for each alarm, the latest */
};

/* What others decide about an alarm. They are asked whenever something happens to it, before it is
 * told, and once a second while something holds it: what holds it (HOLD_NONE: nothing), and how
 * often it is repeated. */
struct alarm_verdict {
    enum alarm_hold hold;
    uint32_t repeat_ms;
};
typedef struct alarm_verdict alarm_judge_fn(void *context, const struct alarm_facts *facts,
                                            enum alarm_event event, struct moment now);

/* A function that is shown every new entry of the log. */
typedef void alarm_audit_fn(void *context, const struct alarm_entry *entry);

struct notice;
TAILQ_HEAD(notice_list, notice);

/* It must not be copied or moved once it is open, because the lists point into it. */
struct alarms {
    struct index active;  /* of struct alarm */
    struct index log;     /* of struct alarm_entry */
    char node[NAME_SIZE]; /* the node of the summaries; set by the owner */
    struct alarm_limits limits;
    uint32_t sequence; /* of the latest log entry; kept over restarts */
    uint64_t changes;  /* grows with every change that must be saved */
    uint64_t saved;    /* all changes up to this one are on disk */
    uint64_t open;     /* notifications up to this change may go out */
    uint64_t wanted;   /* the change of the latest notification */
    struct notification *queue_head, **queue_tail;
    size_t queued;
    uint64_t sent, suppressed, dropped; /* numbers of notifications since the start */
    uint64_t unsaved;                   /* how many of those sent were not on disk yet */
    /* The token bucket. A token costs period / rate of credit, so that whole numbers are enough. */
    uint64_t credit_ns;
    uint64_t credited_ns; /* monotonic: credit was given up to this time */
    uint32_t held; /* notices that were replaced while they waited for the rate limit, since the
                      last summary */
    struct alarm *by_key; /* hash by facts.key */
    struct feed *feed; /* what the parent is to know; set by the owner; NULL: no parent is told */
    struct index notices; /* of struct notice, by key; adding to it needs no memory */
    struct notice_list ready[SEVERITY_CRITICAL + 1]; /* by rank, oldest first: wait for a token */
    struct notice_list waiting;                      /* something holds these */
    size_t n_ready;
    size_t left;                   /* how many of the ready ones were left after the last tick */
    uint64_t judged_ns, summed_ns; /* monotonic: when held notices were last judged; when the last
                                      summary was made */
    uint64_t ready_judged_ns;      /* monotonic: when notices that wait for the rate limit were */
    size_t repeating;              /* how many active alarms are told again and again */
    bool rejudge;                  /* something that the verdicts depend on has changed */
    alarm_judge_fn *judge;         /* NULL: nothing is held */
    void *judge_context;
    alarm_audit_fn *audit; /* NULL: nobody looks */
    void *audit_context;
};

void alarms_open(struct alarms *alarms, const struct alarm_limits *limits, uint64_t now_ns);
void alarms_close(struct alarms *alarms);

/* The limits may change at a reload; a log that becomes shorter loses its oldest entries. */
void alarms_set_limits(struct alarms *alarms, const struct alarm_limits *limits);

/* The key of an alarm: node:threshold:instance, with every octet outside [A-Za-z0-9._:-] replaced
 * by '_', and ':' too in node and threshold. If anything was replaced, if the text is too long, or
 * if it would end like this anyway, the key ends in ':' and eight hexadecimal digits of a hash of
 * the original, so that keys stay distinct. */
void alarm_key(char key[ALARM_KEY_SIZE], const char *node, const char *threshold,
               const char *instance);

/* The text in facts may be anything: whatever is not printable UTF-8, and ';' and '|', becomes ' '
 * in the message and '_' elsewhere. If there is no memory, the following functions do nothing and
 * return false. */

/* Raises an alarm. The facts come without event, sequence, since_ms and suppressed, which are
 * filled in here. An alarm whose key is active already is left as it is (false). */
bool alarm_raise(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Gives the alarm of facts->key another severity, value, limit and message; since_ms stays. A
 * higher severity ends an acknowledgement. False if no such alarm is active, or the severity is
 * what it was. */
bool alarm_change(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* The alarm comes and goes too often: receivers are told so at once, whatever holds it.
 * facts->message says how often. False if no such alarm is active. */
bool alarm_flapping(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Clears the alarm of facts->key (false if no such alarm is active); value, limit and message of
 * facts tell how. */
bool alarm_clear(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Logs and notifies as cleared what was never raised: a node that has joined. If this many
 * notifications are already waiting for their turn, it is only logged, and counted as suppressed:
 * otherwise the join of all nodes of a large collector would keep receivers, and the state file,
 * busy for hours. False, and nothing happens, if an alarm of that key is active. */
#define ALARM_ANNOUNCEMENTS 1000
bool alarm_announce(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Somebody has seen the alarm (false if no such alarm is active), and comments on it. It stays
 * active, but only its clear and a higher severity are notified from now on. The comment "" takes
 * an acknowledgement back. */
bool alarm_acknowledge(struct alarms *alarms, const char *key, const char *comment,
                       struct moment now);

const struct alarm *alarm_find(const struct alarms *alarms, const char *key);

/* Moves what is to be told into the queue, as far as the bucket has tokens; call it in every cycle.
 * While there are too few tokens, a summary with the number goes out once per period. */
void alarms_tick(struct alarms *alarms, struct moment now);

/* When alarms_tick has something to do again; UINT64_MAX: not before something happens. */
uint64_t alarms_due(const struct alarms *alarms);

/* Judges all notices and alarms again within a second; call it when something that the verdicts
 * depend on has changed. */
void alarms_rejudge(struct alarms *alarms);

/* Calls each for the notices of clears that wait, which are to be saved. Those of active alarms can
 * be made anew from the saved alarms. */
void alarms_each_clear(const struct alarms *alarms, void *context,
                       void (*each)(void *context, const struct notification *notification,
                                    enum severity told));

/* The gate of the queue. A notification may leave only when a state that contains it is on disk:
 * otherwise, after a crash, its clear would not be told, and its number would be given to another
 * event. saved: the changes up to this one are on disk. open: the disk fails, so that what waits
 * now may go. As long as this is never called, nothing waits. */
void alarms_gate(struct alarms *alarms, uint64_t saved, bool open);

/* The oldest notification of the queue, or NULL if there is none or it must not leave yet. It still
 * belongs to the queue. */
const struct notification *alarms_peek(const struct alarms *alarms);
/* Removes the oldest notification, which was delivered (or is lost, if not sent: counted as
 * dropped). A caller who has released the lock since alarms_peek must compare facts.sequence first,
 * because the oldest may have been dropped meanwhile. */
void alarms_pop(struct alarms *alarms, bool sent);

/* Restore saved state, before the first raise: an active alarm (memory may be NULL: receivers know
 * all of it), a log entry, a notification that had not gone out (the oldest first), and the notice
 * of a clear. Each returns 0, EEXIST or ENOMEM. A log entry whose number is later than the
 * sequence, in the serial arithmetic of RFC 1982, moves the sequence on. If the limits are
 * exceeded, the oldest are lost at once. */
int alarms_restore_active(struct alarms *alarms, uint32_t index, const struct alarm_facts *facts,
                          const struct alarm_memory *memory);
int alarms_restore_entry(struct alarms *alarms, const struct alarm_entry *entry);
int alarms_restore_queued(struct alarms *alarms, const struct notification *notification);
int alarms_restore_clear(struct alarms *alarms, const struct notification *notification,
                         enum severity told);

/* Reserves numbers beyond the sequence, which are saved as if they had been given: after a crash
 * none is given twice, although events since the last save may have been seen already in
 * dcampAlarmLogTable. ahead: how many numbers may be given before the next save. Returns the last
 * of them. */
uint32_t alarms_reserve(const struct alarms *alarms, uint32_t ahead);
/* Continues with the numbers behind the one that alarms_reserve had returned; call it after all
 * else was restored. Returns how many numbers are skipped. */
uint32_t alarms_skip(struct alarms *alarms, uint32_t reserved);

#endif
