/* Active alarms and the log of what happened to them. */
#include "alarm/alarm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/internal.h"
#include "base/text.h"

void alarms_open(struct alarms *alarms, const struct alarm_limits *limits, uint64_t now_ns)
{
    *alarms = (struct alarms){.limits = *limits};
    index_init(&alarms->active);
    index_init(&alarms->log);
    queue_init(alarms);
    bucket_fill(alarms, now_ns);
}

static void active_remove(struct alarms *alarms, struct alarm *alarm)
{
    HASH_DELETE(by_key, alarms->by_key, alarm);
    index_remove(&alarms->active, &alarm->node);
    free(alarm);
}

static void log_remove(struct alarms *alarms, struct alarm_entry *entry)
{
    index_remove(&alarms->log, &entry->node);
    free(entry);
}

void alarms_close(struct alarms *alarms)
{
    struct index_node *node;
    while ((node = index_first(&alarms->active)))
        active_remove(alarms, (struct alarm *)node);
    while ((node = index_first(&alarms->log)))
        log_remove(alarms, (struct alarm_entry *)node);
    index_release(&alarms->active);
    index_release(&alarms->log);
    queue_release(alarms);
}

/* Sequence numbers wrap, so the oldest entry is the first one after the latest, going round. */
static struct alarm_entry *log_oldest(const struct alarms *alarms)
{
    struct index_node *node = index_after(&alarms->log, &alarms->sequence, 1);
    return (struct alarm_entry *)(node ? node : index_first(&alarms->log));
}

static void log_trim(struct alarms *alarms)
{
    while (alarms->log.count > alarms->limits.log_size)
        log_remove(alarms, log_oldest(alarms));
}

void alarms_set_limits(struct alarms *alarms, const struct alarm_limits *limits)
{
    struct alarm_limits old = alarms->limits;
    size_t logged = alarms->log.count;
    alarms->limits = *limits;
    bucket_adapt(alarms, &old);
    queue_trim(alarms);
    log_trim(alarms);
    if (alarms->log.count != logged)
        alarms->changes++;
}

/* An alarm may stay active for longer than the numbers take to come round. */
static uint32_t sequence_next(const struct alarms *alarms)
{
    uint32_t next = alarms->sequence;
    do
        next = next == UINT32_MAX ? 1 : next + 1;
    while (index_find(&alarms->active, &next, 1) || index_find(&alarms->log, &next, 1));
    return next;
}

static void log_add(struct alarms *alarms, struct alarm_entry *entry)
{
    entry->node.key = &entry->sequence;
    entry->node.key_len = 1;
    index_add(&alarms->log, &entry->node);
    log_trim(alarms);
}

bool alarm_record(struct alarms *alarms, uint32_t index, enum alarm_event event,
                  struct alarm_facts *facts, struct moment now)
{
    bool notifies = event != ALARM_ACKNOWLEDGED;
    bool goes_out = notifies && bucket_has_token(alarms, now.mono_ns);
    struct alarm_entry *entry = malloc(sizeof *entry);
    struct notification *notification = goes_out ? malloc(sizeof *notification) : NULL;
    if (!entry || (goes_out && !notification)) {
        free(entry);
        free(notification);
        return false;
    }
    alarms->sequence = facts->sequence = sequence_next(alarms);
    facts->suppressed = alarms->held;
    *entry = (struct alarm_entry){.sequence = facts->sequence,
                                  .wall_ms = now.wall_ms,
                                  .event = event,
                                  .notified = goes_out,
                                  .facts = *facts};
    log_add(alarms, entry);
    alarms->changes++;
    if (goes_out) {
        bucket_take(alarms);
        alarms->held = 0;
        *notification = (struct notification){
            .event = event, .index = index ? index : facts->sequence, .facts = *facts};
        queue_push(alarms, notification);
    } else if (notifies) {
        alarms->held += alarms->held < UINT32_MAX;
        alarms->suppressed++;
    }
    return true;
}

/* Of the first character: its octets if it is printable, else 0. */
static size_t printable_octets(const char *text, size_t len)
{
    for (size_t n = 1; n <= len && n <= 4; n++)
        if (text_is_printable(text, n))
            return n;
    return 0;
}

static void clean_text(char *text, size_t size, char instead)
{
    size_t len = strnlen(text, size - 1);
    text[len] = '\0';
    for (size_t i = 0; i < len;) {
        size_t octets = printable_octets(text + i, len - i);
        if (!octets)
            text[i] = instead;
        i += octets ? octets : 1;
    }
}

void alarm_facts_clean(struct alarm_facts *clean, const struct alarm_facts *facts)
{
    *clean = *facts;
    clean_text(clean->key, sizeof clean->key, '_');
    clean_text(clean->node, sizeof clean->node, '_');
    clean_text(clean->threshold, sizeof clean->threshold, '_');
    clean_text(clean->sensor, sizeof clean->sensor, '_');
    clean_text(clean->instance, sizeof clean->instance, '_');
    clean_text(clean->value, sizeof clean->value, '_');
    clean_text(clean->limit, sizeof clean->limit, '_');
    clean_text(clean->message, sizeof clean->message, ' ');
}

static struct alarm *active_find(const struct alarms *alarms, const char *key)
{
    struct alarm *alarm;
    HASH_FIND(by_key, alarms->by_key, key, (unsigned)strlen(key), alarm);
    return alarm;
}

const struct alarm *alarm_find(const struct alarms *alarms, const char *key)
{
    return active_find(alarms, key);
}

static void active_add(struct alarms *alarms, struct alarm *alarm, uint32_t index)
{
    alarm->index = index;
    alarm->node.key = &alarm->index;
    alarm->node.key_len = 1;
    index_add(&alarms->active, &alarm->node);
    HASH_ADD_KEYPTR(by_key, alarms->by_key, alarm->facts.key, (unsigned)strlen(alarm->facts.key),
                    alarm);
}

bool alarm_raise(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (!alarm)
        return false;
    alarm_facts_clean(&alarm->facts, facts);
    alarm->facts.since_ms = now.wall_ms;
    if (active_find(alarms, alarm->facts.key) ||
        !alarm_record(alarms, 0, ALARM_RAISED, &alarm->facts, now)) {
        free(alarm);
        return false;
    }
    active_add(alarms, alarm, alarm->facts.sequence);
    return true;
}

bool alarm_clear(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm_facts given;
    alarm_facts_clean(&given, facts);
    struct alarm *alarm = active_find(alarms, given.key);
    if (!alarm)
        return false;
    struct alarm_facts cleared = alarm->facts;
    cleared.severity = SEVERITY_CLEAR;
    memcpy(cleared.value, given.value, sizeof cleared.value);
    memcpy(cleared.limit, given.limit, sizeof cleared.limit);
    memcpy(cleared.message, given.message, sizeof cleared.message);
    if (!alarm_record(alarms, alarm->index, ALARM_CLEARED, &cleared, now))
        return false;
    active_remove(alarms, alarm);
    return true;
}

bool alarm_announce(struct alarms *alarms, const struct alarm_facts *facts, struct moment now)
{
    struct alarm_facts announced;
    alarm_facts_clean(&announced, facts);
    announced.severity = SEVERITY_CLEAR;
    announced.since_ms = now.wall_ms;
    return !active_find(alarms, announced.key) &&
           alarm_record(alarms, 0, ALARM_CLEARED, &announced, now);
}

bool alarm_acknowledge(struct alarms *alarms, const char *key, const char *message,
                       struct moment now)
{
    struct alarm *alarm = active_find(alarms, key);
    if (!alarm)
        return false;
    struct alarm_facts facts = alarm->facts;
    snprintf(facts.message, sizeof facts.message, "%s", message);
    clean_text(facts.message, sizeof facts.message, ' ');
    return alarm_record(alarms, alarm->index, ALARM_ACKNOWLEDGED, &facts, now);
}

int alarms_restore_active(struct alarms *alarms, uint32_t index, const struct alarm_facts *facts)
{
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (!alarm)
        return ENOMEM;
    alarm_facts_clean(&alarm->facts, facts);
    alarm->facts.sequence = index;
    if (index_find(&alarms->active, &index, 1) || active_find(alarms, alarm->facts.key)) {
        free(alarm);
        return EEXIST;
    }
    active_add(alarms, alarm, index);
    return 0;
}

int alarms_restore_entry(struct alarms *alarms, const struct alarm_entry *entry)
{
    if (index_find(&alarms->log, &entry->sequence, 1))
        return EEXIST;
    struct alarm_entry *copy = malloc(sizeof *copy);
    if (!copy)
        return ENOMEM;
    *copy = *entry;
    alarm_facts_clean(&copy->facts, &entry->facts);
    copy->facts.sequence = entry->sequence;
    if (!alarms->sequence || (int32_t)(entry->sequence - alarms->sequence) > 0)
        alarms->sequence = entry->sequence;
    log_add(alarms, copy);
    return 0;
}
