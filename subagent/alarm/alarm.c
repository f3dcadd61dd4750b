#include "alarm/alarm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/active.h"
#include "alarm/facts.h"
#include "alarm/history.h"
#include "alarm/notice.h"
#include "alarm/queue.h"
#include "base/text.h"

void alarms_open(struct alarms *alarms, const struct alarm_limits *limits, uint64_t now_ns)
{
    *alarms = (struct alarms){.limits = *limits, .open = UINT64_MAX};
    index_init(&alarms->active);
    index_init(&alarms->log);
    queue_init(alarms);
    notices_init(alarms);
    bucket_fill(alarms, now_ns);
}

void alarms_close(struct alarms *alarms)
{
    struct index_node *node;
    while ((node = index_first(&alarms->active)))
        active_remove(alarms, (struct alarm *)node);
    index_release(&alarms->active);
    history_release(alarms);
    notices_release(alarms);
    queue_release(alarms);
}

void alarms_set_limits(struct alarms *alarms, const struct alarm_limits *limits)
{
    struct alarm_limits old = alarms->limits;
    size_t logged = alarms->log.count;
    alarms->limits = *limits;
    bucket_adapt(alarms, &old);
    queue_trim(alarms);
    history_trim(alarms);
    if (alarms->log.count != logged)
        alarms->changes++;
}

const struct alarm *alarm_find(const struct alarms *alarms, const char *key)
{
    return active_find(alarms, key);
}

/* What receivers believe of an alarm that is not active; the notice of its clear may still be
 * waiting. */
static enum severity told_severity(const struct alarms *alarms, const char *key)
{
    const struct notice *notice = notice_find(alarms, key);
    return notice ? notice->told : SEVERITY_CLEAR;
}

bool alarm_raise(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm *alarm = calloc(1, sizeof *alarm);
    struct notice *notice = notice_new();
    if (alarm) {
        alarm_facts_clean(&alarm->facts, facts);
        alarm->facts.since_ms = now.wall_ms;
    }
    bool added =
        alarm && notice && !active_find(alarms, alarm->facts.key) && active_add_key(alarms, alarm);
    if (!added || !history_add(alarms, ALARM_RAISED, &alarm->facts, now)) {
        if (added)
            active_remove_key(alarms, alarm);
        notice_free(notice);
        free(alarm);
        return false;
    }
    notice_settle(alarms, alarm->facts.key, now);
    alarm->memory.told = told_severity(alarms, alarm->facts.key);
    active_add(alarms, alarm, alarm->facts.sequence);
    notice_post(alarms, notice, alarm->index, &alarm->facts, alarm->memory.told, now);
    return true;
}

/* Copies what can change while an alarm is active. */
static void take_changes(struct alarm_facts *facts, const struct alarm_facts *given)
{
    memcpy(facts->value, given->value, sizeof facts->value);
    memcpy(facts->limit, given->limit, sizeof facts->limit);
    memcpy(facts->message, given->message, sizeof facts->message);
}

bool alarm_clear(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm_facts given;
    alarm_facts_clean(&given, facts);
    struct alarm *alarm = active_find(alarms, given.key);
    struct notice *notice = alarm ? notice_new() : NULL;
    if (!notice)
        return false;
    notice_settle(alarms, given.key, now);
    struct alarm_facts cleared = alarm->facts;
    cleared.severity = SEVERITY_CLEAR;
    take_changes(&cleared, &given);
    if (!history_add(alarms, ALARM_CLEARED, &cleared, now)) {
        notice_free(notice);
        return false;
    }
    uint32_t index = alarm->index;
    enum severity told = alarm->memory.told;
    enum alarm_hold hold = alarm->hold;
    active_remove(alarms, alarm);
    if (told != SEVERITY_CLEAR) {
        notice_post(alarms, notice, index, &cleared, told, now);
        return true;
    }
    notice_free(notice);
    notice_drop(alarms, notice_find(alarms, cleared.key));
    history_hold(alarms, cleared.sequence, hold);
    return true;
}

/* The acknowledgement of a severity does not count for a higher one. */
static void end_acknowledgement(struct alarm *alarm)
{
    alarm->memory.acknowledged_at = 0;
    alarm->memory.acknowledged_ms = 0;
    alarm->memory.acknowledged[0] = '\0';
}

bool alarm_change(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm_facts given;
    alarm_facts_clean(&given, facts);
    struct alarm *alarm = active_find(alarms, given.key);
    if (!alarm || alarm->facts.severity == given.severity)
        return false;
    struct notice *notice = notice_new();
    notice_settle(alarms, given.key, now);
    struct alarm_facts changed = alarm->facts;
    changed.severity = given.severity;
    take_changes(&changed, &given);
    if (!notice || !history_add(alarms, ALARM_CHANGED, &changed, now)) {
        notice_free(notice);
        return false;
    }
    alarm->facts = changed;
    if (alarm->memory.acknowledged_at && given.severity > alarm->memory.acknowledged_at)
        end_acknowledgement(alarm);
    feed_change(alarms->feed, &alarm->fed, changed.severity);
    if (alarm->memory.told != changed.severity) {
        notice_post(alarms, notice, alarm->index, &changed, alarm->memory.told, now);
        return true;
    }
    /* The severity changed and changed back before receivers were told. */
    notice_free(notice);
    notice_drop(alarms, notice_find(alarms, changed.key));
    history_hold(alarms, changed.sequence, alarm->hold);
    alarm->hold = HOLD_NONE;
    return true;
}

bool alarm_flapping(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm_facts given;
    alarm_facts_clean(&given, facts);
    struct alarm *alarm = active_find(alarms, given.key);
    struct notice *notice = alarm ? notice_new() : NULL;
    if (!notice)
        return false;
    struct alarm_facts flapping = alarm->facts;
    memcpy(flapping.message, given.message, sizeof flapping.message);
    if (!history_add(alarms, ALARM_FLAPPING, &flapping, now)) {
        notice_free(notice);
        return false;
    }
    alarm->facts = flapping;
    feed_change(alarms->feed, &alarm->fed, flapping.severity);
    notice->forced = true;
    notice_post(alarms, notice, alarm->index, &flapping, alarm->memory.told, now);
    return true;
}

bool alarm_announce(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm_facts announced;
    alarm_facts_clean(&announced, facts);
    announced.severity = SEVERITY_CLEAR;
    announced.since_ms = now.wall_ms;
    struct notice *notice = notice_new();
    if (!notice || active_find(alarms, announced.key) ||
        !history_add(alarms, ALARM_CLEARED, &announced, now)) {
        notice_free(notice);
        return false;
    }
    if (announced.kind == ALARM_OF_NODE && alarms->n_ready >= ALARM_ANNOUNCEMENTS) {
        notice_free(notice);
        notices_leave_out(alarms);
        return true;
    }
    notice_post(alarms, notice, announced.sequence, &announced, SEVERITY_CLEAR, now);
    return true;
}

/* The alarm is no longer acknowledged: receivers are told now what they do not know yet. */
static void withdraw_acknowledgement(struct alarms *alarms, struct alarm *alarm,
                                     struct notice *notice, struct moment now)
{
    end_acknowledgement(alarm);
    feed_change(alarms->feed, &alarm->fed, alarm->facts.severity);
    if (alarm->memory.told == alarm->facts.severity)
        notice_free(notice);
    else
        notice_post(alarms, notice, alarm->index, &alarm->facts, alarm->memory.told, now);
}

bool alarm_acknowledge(struct alarms *alarms, const char *key, const char *comment,
                       struct moment now)
{
    struct alarm *alarm = active_find(alarms, key);
    struct notice *notice = alarm ? notice_new() : NULL;
    if (!notice)
        return false;
    struct alarm_facts facts = alarm->facts;
    text_format(facts.message, sizeof facts.message, "%s",
                comment[0] ? comment : "the acknowledgement was taken back");
    text_clean(facts.message, sizeof facts.message, ' ');
    if (!history_add(alarms, ALARM_ACKNOWLEDGED, &facts, now)) {
        notice_free(notice);
        return false;
    }
    if (!comment[0]) {
        withdraw_acknowledgement(alarms, alarm, notice, now);
        return true;
    }
    notice_free(notice);
    text_format(alarm->memory.acknowledged, sizeof alarm->memory.acknowledged, "%s", facts.message);
    alarm->memory.acknowledged_at = alarm->facts.severity;
    alarm->memory.acknowledged_ms = now.wall_ms;
    feed_change(alarms->feed, &alarm->fed, alarm->facts.severity);
    struct notice *waits = notice_find(alarms, key);
    if (waits) {
        history_hold(alarms, waits->notification->facts.sequence, HOLD_ACKNOWLEDGED);
        alarm->hold = HOLD_ACKNOWLEDGED;
        notice_drop(alarms, waits);
    }
    return true;
}

/* Receivers do not know yet what the alarm is now; whether they are told is judged at the first
 * tick. */
static void restore_notice(struct alarms *alarms, const struct alarm *alarm, struct notice *notice)
{
    notice->told = alarm->memory.told;
    notice->rank = alarm->facts.severity;
    *notice->notification = (struct notification){.index = alarm->index, .facts = alarm->facts};
    notice_restore(alarms, notice);
}

int alarms_restore_active(struct alarms *alarms, uint32_t index, const struct alarm_facts *facts,
                          const struct alarm_memory *memory)
{
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (!alarm)
        return ENOMEM;
    alarm_facts_clean(&alarm->facts, facts);
    if (!memory || !alarm->facts.sequence)
        alarm->facts.sequence = index;
    if (memory)
        alarm->memory = *memory;
    text_clean(alarm->memory.acknowledged, sizeof alarm->memory.acknowledged, ' ');
    if (!alarm->memory.told)
        alarm->memory.told = alarm->facts.severity;
    if (index_find(&alarms->active, &index, 1) || active_find(alarms, alarm->facts.key)) {
        free(alarm);
        return EEXIST;
    }
    bool known = alarm->memory.told == alarm->facts.severity;
    bool waits = !known && !alarm->memory.acknowledged_at;
    struct notice *notice = waits ? notice_new() : NULL;
    if ((waits && !notice) || !active_add_key(alarms, alarm)) {
        notice_free(notice);
        free(alarm);
        return ENOMEM;
    }
    active_add(alarms, alarm, index);
    alarm->hold = known ? HOLD_NONE : HOLD_ACKNOWLEDGED;
    if (notice)
        restore_notice(alarms, alarm, notice);
    return 0;
}

int alarms_restore_clear(struct alarms *alarms, const struct notification *notification,
                         enum severity told)
{
    struct notice *notice = notice_new();
    if (!notice)
        return ENOMEM;
    alarm_facts_clean(&notice->notification->facts, &notification->facts);
    notice->notification->index = notification->index;
    notice->rank = notice->told = told;
    if (notice_find(alarms, notice->notification->facts.key)) {
        notice_free(notice);
        return EEXIST;
    }
    notice_restore(alarms, notice);
    return 0;
}
