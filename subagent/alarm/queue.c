#include "alarm/queue.h"

#include <errno.h>
#include <stdlib.h>

#include "alarm/facts.h"

uint64_t token_cost(const struct alarm_limits *limits)
{
    return limits->rate ? limits->period_ms * NS_PER_MS / limits->rate : 0;
}

void bucket_fill(struct alarms *alarms, uint64_t now_ns)
{
    alarms->credit_ns = token_cost(&alarms->limits) * alarms->limits.rate;
    alarms->credited_ns = now_ns;
}

void bucket_adapt(struct alarms *alarms, const struct alarm_limits *old)
{
    if (old->rate == alarms->limits.rate && old->period_ms == alarms->limits.period_ms)
        return;
    uint64_t old_cost = token_cost(old);
    uint64_t tokens = old_cost ? alarms->credit_ns / old_cost : alarms->limits.rate;
    if (tokens > alarms->limits.rate)
        tokens = alarms->limits.rate;
    alarms->credit_ns = tokens * token_cost(&alarms->limits);
}

static void bucket_refill(struct alarms *alarms, uint64_t now_ns)
{
    if (now_ns <= alarms->credited_ns)
        return;
    uint64_t elapsed = now_ns - alarms->credited_ns;
    uint64_t room = token_cost(&alarms->limits) * alarms->limits.rate - alarms->credit_ns;
    alarms->credit_ns += elapsed < room ? elapsed : room;
    alarms->credited_ns = now_ns;
}

size_t bucket_tokens(struct alarms *alarms, uint64_t now_ns)
{
    bucket_refill(alarms, now_ns);
    uint64_t cost = token_cost(&alarms->limits);
    return cost ? alarms->credit_ns / cost : SIZE_MAX;
}

void bucket_take(struct alarms *alarms)
{
    alarms->credit_ns -= token_cost(&alarms->limits);
}

void queue_init(struct alarms *alarms)
{
    alarms->queue_head = NULL;
    alarms->queue_tail = &alarms->queue_head;
    alarms->queued = 0;
}

static void queue_remove_oldest(struct alarms *alarms)
{
    struct notification *oldest = alarms->queue_head;
    alarms->queue_head = oldest->next;
    if (!alarms->queue_head)
        alarms->queue_tail = &alarms->queue_head;
    alarms->queued--;
    free(oldest);
}

void queue_release(struct alarms *alarms)
{
    while (alarms->queue_head)
        queue_remove_oldest(alarms);
}

size_t queue_room(const struct alarms *alarms)
{
    return alarms->queued < alarms->limits.queue ? alarms->limits.queue - alarms->queued : 0;
}

size_t queue_takes(struct alarms *alarms, uint64_t now_ns)
{
    size_t tokens = bucket_tokens(alarms, now_ns), room = queue_room(alarms);
    return tokens < room ? tokens : room;
}

void queue_trim(struct alarms *alarms)
{
    while (alarms->queued > alarms->limits.queue) {
        queue_remove_oldest(alarms);
        alarms->dropped++;
        alarms->changes++;
    }
}

static void queue_append(struct alarms *alarms, struct notification *notification)
{
    notification->next = NULL;
    *alarms->queue_tail = notification;
    alarms->queue_tail = &notification->next;
    alarms->queued++;
}

void queue_push(struct alarms *alarms, struct notification *notification)
{
    queue_append(alarms, notification);
    notification->change = alarms->wanted = ++alarms->changes;
}

void alarms_gate(struct alarms *alarms, uint64_t saved, bool open)
{
    alarms->saved = saved;
    alarms->open = open ? alarms->changes : saved;
}

const struct notification *alarms_peek(const struct alarms *alarms)
{
    const struct notification *oldest = alarms->queue_head;
    return oldest && oldest->change <= alarms->open ? oldest : NULL;
}

void alarms_pop(struct alarms *alarms, bool sent)
{
    if (!alarms->queue_head)
        return;
    bool unsaved = alarms->queue_head->change > alarms->saved;
    queue_remove_oldest(alarms);
    alarms->unsaved += sent && unsaved;
    if (sent)
        alarms->sent++;
    else
        alarms->dropped++;
    alarms->changes++;
}

int alarms_restore_queued(struct alarms *alarms, const struct notification *notification)
{
    for (const struct notification *n = alarms->queue_head; n; n = n->next)
        if (n->facts.sequence == notification->facts.sequence)
            return EEXIST;
    struct notification *copy = malloc(sizeof *copy);
    if (!copy)
        return ENOMEM;
    copy->index = notification->index;
    copy->change = 0;
    alarm_facts_clean(&copy->facts, &notification->facts);
    queue_append(alarms, copy);
    queue_trim(alarms);
    return 0;
}
