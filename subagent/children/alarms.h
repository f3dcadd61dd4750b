/* The active alarms of a child and of everything below it, as its report blocks tell them.
 *
 * They are exact once all blocks were read from the oldest that the child keeps, without a gap, and
 * the digest that the child gives is that of what came. After a gap, a new boot or a wrong digest
 * all is read again; until then what was known stays, and is not confirmed. Nor are the alarms of a
 * child that is lost, but they stay: nobody has said that they are over. */
#ifndef DCAMP_CHILDREN_ALARMS_H
#define DCAMP_CHILDREN_ALARMS_H

#include "base/clock.h"
#include "base/index.h"
#include "report/feed.h"

/* How long after its first answer a child has told what it has; what did not come until then is
 * not there any more. */
#define CHILD_KNOWN_NS (120 * NS_PER_S)

/* So many alarms of one child are kept; it should not tell of more, and more are left out. */
#define CHILD_ALARMS_MAX FEED_ALARMS_MAX

struct child;
struct children;

struct child_alarm {
    struct index_node node; /* key: its child, and its number */
    struct index_tail tail;
    TAILQ_ENTRY(child_alarm) link;
    struct child *child;
    struct feed_item fed; /* for the parent of this node */
    uint32_t id;
    uint32_t index, severity;
    uint32_t hash, reading;
    int64_t since_ms, unconfirmed_ms, acknowledged_ms; /* as in struct report_alarm */
    const char *text[REPORT_ALARM_TEXTS];
    char *words; /* where these are */
    size_t size; /* of these */
};

TAILQ_HEAD(child_alarm_list, child_alarm);

struct child_alarms {
    struct child_alarm_list list;
    uint32_t n[REPORT_SEVERITIES]; /* by severity */
    /* Each reading of the blocks from the oldest on has a number; so has each alarm, that of the
     * reading that told of it last. */
    uint32_t reading, n_read, digest; /* of this reading */
    struct report_alarms said;        /* what the child said last of how many there are */
    bool has_said;                    /* in this reading */
    bool agrees;                      /* what was read then was what it said */
    bool suspect;                     /* something came that made no sense */
    bool full;                        /* there was no room for all */
    bool exact;                       /* what is known is what the child has */
    int64_t reread_ms;                /* alarms of earlier readings are not confirmed since */
    int64_t lost_ms;                  /* none is confirmed since then; 0: the child is not lost */
    /* They are read again for their alarms only, up to the block before again_until (0: they are
     * not); again_next is the next one, 0: the oldest. */
    uint32_t again_until, again_next;
    uint64_t again_ns, pause_ns; /* monotonic: the last progress; the pause until the next time */
    uint64_t boot_ns;            /* monotonic: when the child was found to have started */
};

/* Since when the alarm is not confirmed; 0: it is. */
int64_t child_alarm_unconfirmed_ms(const struct child_alarm *alarm);

/* How many alarms there are of that severity, a number of DcampSeverity, with those that the child
 * left out; and how many were left out. */
uint32_t child_alarms_count(const struct child *child, uint32_t severity);
uint32_t child_alarms_left_out(const struct child *child);

void child_alarms_begin(struct child *child);

/* Ends all alarms of the child. */
void child_alarms_end(struct children *children, struct child *child);

/* There was a gap: the blocks are read again from the oldest on. */
void child_alarms_reread(struct children *children, struct child *child);

/* The child has started: the blocks are read from the oldest on, and at first the child knows only
 * of its own alarms. */
void child_alarms_restart(struct children *children, struct child *child, uint64_t now_ns);

/* Whether there may be one more: CHILD_ALARMS_MAX. */
bool child_alarms_have_room(const struct child *child);

/* Whether what a block tells of alarms counts, which it does in the order of the blocks. To be
 * called before the cursor moves on. */
bool child_alarms_follow(struct children *children, struct child *child, uint32_t sequence,
                         uint64_t now_ns);

/* Takes an entry of a block. False: there is no room for the alarm or, where
 * child_alarms_have_room(), no memory; then the blocks are read again. */
bool child_alarms_take(struct children *children, struct child *child,
                       const struct report_entry *entry);

/* All blocks that the child has were read. True: they are to be read again from the oldest on. */
bool child_alarms_caught_up(struct children *children, struct child *child, struct moment now);

/* The child is lost: its alarms are not confirmed. */
void child_alarms_lost(struct children *children, struct child *child);

/* Tells the feed once what all children tell of alarms is complete: after a start it is not. */
void children_alarms_step(struct children *children, struct moment now);

#endif
