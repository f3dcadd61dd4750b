/* Inside alarm/: what receivers are to be told, before it goes to the queue: what holds it, and
 * what goes first. */
#ifndef DCAMP_ALARM_NOTICE_H
#define DCAMP_ALARM_NOTICE_H

#include "alarm/alarm.h"

/* What receivers are to be told of one alarm. */
struct notice {
    struct index_node node; /* in alarms->notices; its key is the one below */
    struct notification *notification;
    enum severity rank; /* severity of what is raised; for a clear, what receivers believe */
    enum severity told; /* what receivers believe */
    enum alarm_hold hold;
    bool forced;        /* nothing may hold it */
    bool counted;       /* it was counted among those that the rate limit held back */
    uint64_t judged_ns; /* monotonic: when it was last asked what holds it */
    TAILQ_ENTRY(notice) link;
    uint32_t key[ALARM_KEY_SIZE]; /* the key of the alarm, as sub-identifiers */
};

/* Makes a notice with room for its notification; NULL: no memory. */
struct notice *notice_new(void);
void notice_free(struct notice *notice);

/* Posts a notice, which is taken over, of an event that was just logged. index: that of the alarm.
 * It replaces an earlier notice of the same alarm. */
void notice_post(struct alarms *alarms, struct notice *notice, uint32_t index,
                 const struct alarm_facts *facts, enum severity told, struct moment now);
struct notice *notice_find(const struct alarms *alarms, const char *key);
/* Before another transition of an alarm: sends its notice if that would go out anyway. */
void notice_settle(struct alarms *alarms, const char *key, struct moment now);
/* Counts something that receivers should have been told, but for which there is no notice. */
void notices_leave_out(struct alarms *alarms);
/* Removes a notice, so that receivers are not told. */
void notice_drop(struct alarms *alarms, struct notice *notice);
/* Puts a notice that was saved among those that are judged next. */
void notice_restore(struct alarms *alarms, struct notice *notice);

void notices_init(struct alarms *alarms);
void notices_release(struct alarms *alarms);
/* Makes notices ready that nothing holds any more; tells alarms again for which it is time. */
void notices_judge(struct alarms *alarms, struct moment now);
void notices_send(struct alarms *alarms, struct moment now);

#endif
