/* Alarms: what thresholds raise and clear, and what happens to nodes. Active alarms, the log, the
 * notification queue with its rate limit. Touches no network: the agent takes notifications from
 * the queue. */
#ifndef DCAMP_ALARM_ALARM_H
#define DCAMP_ALARM_ALARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/clock.h"
#include "base/index.h"
#include "base/limits.h"
#include "threshold/threshold.h"

/* What an alarm is about, and so which notifications tell of it. */
enum alarm_kind {
    ALARM_OF_THRESHOLD = 0, /* dcampAlarmRaised, dcampAlarmCleared */
    ALARM_OF_NODE = 1       /* dcampNodeLost, dcampNodeJoined */
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
    uint32_t sequence;            /* of the log entry, and so of the notification */
    int64_t since_ms;             /* wall clock: when it was raised */
    uint32_t suppressed;          /* notifications held back since the last one that went out */
    char message[MESSAGE_SIZE];   /* one printable line without ';' and '|' */
};

/* Both kinds of row begin with these two, so that the columns they share are read alike. */
struct alarm {
    struct index_node node;
    struct alarm_facts facts;
    uint32_t index; /* dcampAlarmIndex: the sequence of its raise */
    UT_hash_handle by_key;
};

/* The numbers are those of dcampAlarmLogEvent in the MIB. */
enum alarm_event {
    ALARM_RAISED = 1,
    ALARM_CLEARED = 2,
    ALARM_ACKNOWLEDGED = 3,
    ALARM_SUPPRESSED = 4
};

struct alarm_entry {
    struct index_node node;
    struct alarm_facts facts;
    uint32_t sequence;
    int64_t wall_ms;
    enum alarm_event event;
    bool notified; /* false: the rate limit held its notification back; or acknowledged,
                    * which has none */
};

/* A notification that waits for the agent. A summary (ALARM_SUPPRESSED) tells in
 * facts.suppressed how many were held back, since_ms is its own time, its severity is
 * SEVERITY_INFO, and it carries no key and no threshold. */
struct notification {
    enum alarm_event event;
    uint32_t index; /* dcampAlarmIndex of the alarm; of a summary its own sequence */
    struct alarm_facts facts;
    struct notification *next;
};

struct alarm_limits {
    uint32_t log_size;  /* entries kept */
    uint32_t rate;      /* notifications (0: no limit) ... */
    uint32_t period_ms; /* ... in this time; a token bucket that starts full */
    uint32_t queue;     /* notifications kept for a master that is away; then they are dropped,
                         * oldest first, and counted */
};

/* Not to be copied or moved once open: the queue's tail may point into it. */
struct alarms {
    struct index active;  /* of struct alarm */
    struct index log;     /* of struct alarm_entry */
    char node[NAME_SIZE]; /* whose summaries these are; the owner sets it */
    struct alarm_limits limits;
    uint32_t sequence; /* of the latest log entry; persists over restarts */
    uint64_t changes;  /* grows with whatever must be saved */
    struct notification *queue_head, **queue_tail;
    size_t queued;
    uint64_t sent, suppressed, dropped; /* notifications, since start */
    /* the token bucket: a token is period / rate of credit, so that whole numbers do */
    uint64_t credit_ns;
    uint64_t credited_ns; /* monotonic: credit is given up to here */
    uint32_t held;        /* since the last notification that went out */
    struct alarm *by_key; /* hash by facts.key */
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

/* Raises: facts without sequence, since_ms and suppressed, which are filled in here. An alarm
 * whose key is active already is left as it is (false). */
bool alarm_raise(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Clears the alarm of facts->key (false if none is active); value, limit and message of facts
 * tell how. */
bool alarm_clear(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Logs and notifies as cleared what was never raised: a node that has joined. False, and nothing
 * happens, if an alarm of that key is active. */
bool alarm_announce(struct alarms *alarms, const struct alarm_facts *facts, struct moment now);

/* Logs that somebody has seen the alarm (false if none is active), with what they say. The
 * alarm stays active and nothing is notified. */
bool alarm_acknowledge(struct alarms *alarms, const char *key, const char *message,
                       struct moment now);

const struct alarm *alarm_find(const struct alarms *alarms, const char *key);

/* To be called every cycle: emits the summary once the bucket has a token again. */
void alarms_tick(struct alarms *alarms, struct moment now);

/* The oldest notification of the queue, or NULL; it stays the queue's. */
const struct notification *alarms_peek(const struct alarms *alarms);
/* The oldest one is delivered (or lost, if not sent: counted as dropped): takes it off. Who
 * let go of the lock since peeking compares facts.sequence first: the oldest may have been
 * dropped meanwhile. */
void alarms_pop(struct alarms *alarms, bool sent);

/* Restoring saved state, before the first raise: an active alarm, a log entry, and a
 * notification that had not gone out (oldest first). 0, EEXIST or ENOMEM. A log entry later
 * than the sequence, in the serial arithmetic of RFC 1982, moves the sequence on. What
 * exceeds the limits loses its oldest at once. */
int alarms_restore_active(struct alarms *alarms, uint32_t index, const struct alarm_facts *facts);
int alarms_restore_entry(struct alarms *alarms, const struct alarm_entry *entry);
int alarms_restore_queued(struct alarms *alarms, const struct notification *notification);

#endif
