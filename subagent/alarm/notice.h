/* Inside alarm/: what receivers are to be told, before it goes to the queue: what holds it, and who
 * goes first. */
#ifndef DCAMP_ALARM_NOTICE_H
#define DCAMP_ALARM_NOTICE_H

#include "alarm/alarm.h"

/* What receivers are to be told of one alarm. */
struct notice {
    struct index_node node; /* in alarms->notices */
    struct notification *notification;
    enum severity rank; /* of what is raised; of a clear, what receivers believe */
    enum severity told; /* what receivers believe */
    enum alarm_hold hold;
    bool forced;        /* nothing holds it */
    bool counted;       /* among those that the rate limit held back */
    uint64_t judged_ns; /* monotonic: what holds it was last asked then */
    TAILQ_ENTRY(notice) link;
    uint32_t key[ALARM_KEY_SIZE]; /* of the alarm */
};

/* A notice with room for its notification; NULL: no memory. */
struct notice *notice_new(void);
void notice_free(struct notice *notice);

/* Posts a notice, which is taken over, of an event that was just logged. index: of the alarm. It
 * takes the place of an earlier one of the same alarm. */
void notice_post(struct alarms *alarms, struct notice *notice, uint32_t index,
                 const struct alarm_facts *facts, enum severity told, struct moment now);
struct notice *notice_find(const struct alarms *alarms, const char *key);
/* Sends what would go out anyway, before another transition of an alarm. */
void notice_settle(struct alarms *alarms, const char *key, struct moment now);
/* There is none for what receivers should have been told. */
void notices_leave_out(struct alarms *alarms);
/* Takes it out: receivers are not told. */
void notice_drop(struct alarms *alarms, struct notice *notice);
/* Puts one that was saved among those that are judged next. */
void notice_restore(struct alarms *alarms, struct notice *notice);

void notices_init(struct alarms *alarms);
void notices_release(struct alarms *alarms);
/* Those that nothing holds any more become ready; alarms that are due are told again. */
void notices_judge(struct alarms *alarms, struct moment now);
void notices_send(struct alarms *alarms, struct moment now);

#endif
