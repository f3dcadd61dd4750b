/* The active alarms of a child and of everything below it, as its report blocks tell them.
 *
 * They are exact once all blocks have been read from the oldest that the child keeps, without a
 * gap, and the digest that the child gives matches what came. After a gap, a new boot or a wrong
 * digest, all blocks are read again; until then the known alarms stay, but are not confirmed. The
 * alarms of a lost child are not confirmed either, but they stay, because nobody has said that they
 * are over. */
#ifndef DCAMP_CHILDREN_ALARMS_H
#define DCAMP_CHILDREN_ALARMS_H

#include "base/clock.h"
#include "base/index.h"
#include "report/feed.h"

/* How long after its first answer a child must have told what it has; what has not come by then
 * does not exist any more. */
#define CHILD_KNOWN_NS (120 * NS_PER_S)

/* How many alarms of one child are kept; it should not tell of more, and further ones are left
 * out. */
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
    char *words; /* the memory that the texts are in */
    size_t size; /* of that memory */
};

TAILQ_HEAD(child_alarm_list, child_alarm);

struct child_alarms {
    struct child_alarm_list list;
    uint32_t n[REPORT_SEVERITIES]; /* by severity */
    /* Each reading of the blocks from the oldest on has a number; each alarm has the number of the
     * reading that last told of it. */
    uint32_t reading, n_read, digest; /* of this reading */
    struct report_alarms said;        /* how many alarms there are, as the child last said */
    bool has_said;                    /* it has said that in this reading */
    bool agrees;                      /* what had been read then matched what it said */
    bool suspect;                     /* something came that made no sense */
    bool full;                        /* there was no room for all */
    bool exact;                       /* the known alarms are those that the child has */
    int64_t reread_ms;                /* since when alarms of earlier readings are not confirmed */
    int64_t lost_ms;                  /* since when no alarm is confirmed; 0: the child is not
                                       * lost */
    /* The blocks are being read again for their alarms only, up to the block before again_until (0:
     * they are not); again_next is the next one, 0: the oldest. */
    uint32_t again_until, again_next;
    uint64_t again_ns, pause_ns; /* monotonic: the last progress; the pause before the next
                                  * reading */
    uint64_t boot_ns;            /* monotonic: when the child was found to have started */
};

/* Since when the alarm is not confirmed; 0: it is confirmed. */
int64_t child_alarm_unconfirmed_ms(const struct child_alarm *alarm);

/* How many alarms of that severity (a number of DcampSeverity) there are, including those that the
 * child left out; and how many were left out. */
uint32_t child_alarms_count(const struct child *child, uint32_t severity);
uint32_t child_alarms_left_out(const struct child *child);

void child_alarms_begin(struct child *child);

/* Ends all alarms of the child. */
void child_alarms_end(struct children *children, struct child *child);

/* There was a gap: the blocks must be read again from the oldest on. */
void child_alarms_reread(struct children *children, struct child *child);

/* The child has started: its blocks are read from the oldest on, and at first it knows only its own
 * alarms. */
void child_alarms_restart(struct children *children, struct child *child, uint64_t now_ns);

/* Whether there may be one more alarm: CHILD_ALARMS_MAX. */
bool child_alarms_have_room(const struct child *child);

/* Whether what this block tells of alarms counts: the blocks must come in their order. To be called
 * before the cursor moves on. */
bool child_alarms_follow(struct children *children, struct child *child, uint32_t sequence,
                         uint64_t now_ns);

/* Takes an entry of a block. False: there is no room for the alarm or, if child_alarms_have_room(),
 * no memory; then the blocks are read again. */
bool child_alarms_take(struct children *children, struct child *child,
                       const struct report_entry *entry);

/* All blocks that the child has were read. True: they must be read again from the oldest on. */
bool child_alarms_caught_up(struct children *children, struct child *child, struct moment now);

/* The child is lost: its alarms are not confirmed. */
void child_alarms_lost(struct children *children, struct child *child);

/* Tells the feed once the alarms of all children are known completely, which they are not after a
 * start. */
void children_alarms_step(struct children *children, struct moment now);

#endif
