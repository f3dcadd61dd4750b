/* What the files of this room share. */
#ifndef DCAMP_ALARM_INTERNAL_H
#define DCAMP_ALARM_INTERNAL_H

#include "alarm/alarm.h"

/* What receivers are to be told of one alarm. */
struct notice {
    struct index_node node; /* in alarms->notices */
    struct notification *notification;
    enum severity rank; /* of what is raised; of a clear, what receivers believe */
    enum severity told; /* what receivers believe */
    enum alarm_hold hold;
    bool forced;  /* nothing holds it */
    bool counted; /* among those that the rate limit held back */
    TAILQ_ENTRY(notice) link;
    uint32_t key[ALARM_KEY_SIZE]; /* of the alarm */
};

/* Logs an event under a new sequence number; the facts get both, too. False, and no change,
 * without memory. */
bool history_add(struct alarms *alarms, enum alarm_event event, struct alarm_facts *facts,
                 struct moment now);
/* NULL: the log does not go back that far. */
struct alarm_entry *history_find(const struct alarms *alarms, uint32_t sequence);
/* Notes why nobody is told of an event. */
void history_hold(struct alarms *alarms, uint32_t sequence, enum alarm_hold hold);
void history_trim(struct alarms *alarms);
void history_release(struct alarms *alarms);

/* Facts whose text is fit for publication, from facts whose text may be anything. */
void alarm_facts_clean(struct alarm_facts *clean, const struct alarm_facts *facts);
void alarm_text_clean(char *text, size_t size, char instead);

/* What the parent is told of an active alarm. */
void alarm_describe(const struct feed_item *item, struct report_alarm *report);

struct alarm *alarm_active(const struct alarms *alarms, const char *key);

/* A notice with room for its notification; NULL: no memory. */
struct notice *notice_new(void);
void notice_free(struct notice *notice);

/* Posts a notice, which is taken over, of an event that was just logged. index: of the alarm. It
 * takes the place of an earlier one of the same alarm. */
void notice_post(struct alarms *alarms, struct notice *notice, uint32_t index,
                 const struct alarm_facts *facts, enum severity told, struct moment now);
struct notice *notice_find(const struct alarms *alarms, const char *key);
/* Before another transition of an alarm: sends what would go out anyway. */
void notice_settle(struct alarms *alarms, const char *key, struct moment now);
/* Takes it out: receivers are not told. */
void notice_drop(struct alarms *alarms, struct notice *notice);
/* Puts one that was saved among those that are judged next. */
void notice_restore(struct alarms *alarms, struct notice *notice);

void notices_init(struct alarms *alarms);
void notices_release(struct alarms *alarms);
/* Those that nothing holds any more become ready; alarms that are due are told again. */
void notices_judge(struct alarms *alarms, struct moment now);
void notices_send(struct alarms *alarms, struct moment now);

void bucket_fill(struct alarms *alarms, uint64_t now_ns);
/* After a change of limits: keeps the whole tokens, as far as they fit. */
void bucket_adapt(struct alarms *alarms, const struct alarm_limits *old);
/* SIZE_MAX without a limit. */
size_t bucket_tokens(struct alarms *alarms, uint64_t now_ns);
void bucket_take(struct alarms *alarms);

void queue_init(struct alarms *alarms);
void queue_release(struct alarms *alarms);
/* Takes over the notification. */
void queue_push(struct alarms *alarms, struct notification *notification);
/* Drops the oldest beyond the limit. */
void queue_trim(struct alarms *alarms);

#endif
