#include "alarm/history.h"

#include <errno.h>
#include <stdlib.h>

#include "alarm/facts.h"

static void entry_remove(struct alarms *alarms, struct alarm_entry *entry)
{
    index_remove(&alarms->log, &entry->node);
    free(entry);
}

void history_release(struct alarms *alarms)
{
    struct index_node *node;
    while ((node = index_first(&alarms->log)))
        entry_remove(alarms, (struct alarm_entry *)node);
    index_release(&alarms->log);
}

/* Sequence numbers wrap, so the oldest entry is the first one after the latest number, or else the
 * first of all. */
static struct alarm_entry *entry_oldest(const struct alarms *alarms)
{
    struct index_node *node = index_after(&alarms->log, &alarms->sequence, 1);
    return (struct alarm_entry *)(node ? node : index_first(&alarms->log));
}

void history_trim(struct alarms *alarms)
{
    while (alarms->log.count > alarms->limits.log_size)
        entry_remove(alarms, entry_oldest(alarms));
}

/* A number may still be in use, because an alarm may stay active for longer than the numbers take
 * to wrap. */
static uint32_t sequence_next(const struct alarms *alarms)
{
    uint32_t next = alarms->sequence;
    do
        next = next == UINT32_MAX ? 1 : next + 1;
    while (index_find(&alarms->active, &next, 1) || index_find(&alarms->log, &next, 1));
    return next;
}

static void entry_add(struct alarms *alarms, struct alarm_entry *entry)
{
    entry->node.key = &entry->sequence;
    entry->node.key_len = 1;
    index_add(&alarms->log, &entry->node);
    history_trim(alarms);
}

struct alarm_entry *history_find(const struct alarms *alarms, uint32_t sequence)
{
    return (struct alarm_entry *)index_find(&alarms->log, &sequence, 1);
}

void history_hold(struct alarms *alarms, uint32_t sequence, enum alarm_hold hold)
{
    struct alarm_entry *entry = history_find(alarms, sequence);
    if (!entry || entry->hold == hold)
        return;
    entry->hold = hold;
    alarms->changes++;
}

bool history_add(struct alarms *alarms, enum alarm_event event, struct alarm_facts *facts,
                 struct moment now)
{
    struct alarm_entry *entry = malloc(sizeof *entry);
    if (!entry)
        return false;
    alarms->sequence = facts->sequence = sequence_next(alarms);
    facts->event = event;
    facts->suppressed = alarms->held + (uint32_t)alarms->left;
    *entry = (struct alarm_entry){
        .sequence = facts->sequence, .wall_ms = now.wall_ms, .hold = HOLD_NONE, .facts = *facts};
    if (alarms->audit)
        alarms->audit(alarms->audit_context, entry);
    entry_add(alarms, entry);
    alarms->changes++;
    return true;
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
    entry_add(alarms, copy);
    return 0;
}

/* RFC 1982: the numbers wrap, and 0 is left out. */
uint32_t alarms_reserve(const struct alarms *alarms, uint32_t ahead)
{
    uint32_t last = alarms->sequence + ahead;
    return last < alarms->sequence ? last + 1 : last;
}

uint32_t alarms_skip(struct alarms *alarms, uint32_t reserved)
{
    uint32_t ahead = reserved - alarms->sequence;
    if (reserved == 0 || ahead > INT32_MAX)
        return 0;
    alarms->sequence = reserved;
    return ahead;
}
