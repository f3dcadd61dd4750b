/* The notification queue, its rate limit and the summary of what that held back. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/internal.h"

/* 0: no limit. */
static uint64_t token_cost(const struct alarm_limits *limits)
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
    queue_trim(alarms);
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

static bool summary_due(struct alarms *alarms, struct moment now)
{
    size_t held = alarms->held + alarms->left;
    size_t tokens = held ? bucket_tokens(alarms, now.mono_ns) : 0;
    bool paced = !alarms->summed_ns ||
                 now.mono_ns - alarms->summed_ns >= alarms->limits.period_ms * NS_PER_MS;
    /* Where all that waits can go now, there is nothing to sum up. */
    return tokens > 0 && paced && (alarms->held || alarms->left > tokens);
}

static void summarize(struct alarms *alarms, struct moment now)
{
    struct notification *notification = malloc(sizeof *notification);
    struct alarm_facts facts = {.severity = SEVERITY_INFO, .since_ms = now.wall_ms};
    memcpy(facts.node, alarms->node, sizeof facts.node);
    snprintf(facts.message, sizeof facts.message,
             "notifications held back by the rate limit: %" PRIu32 ", see the alarm log",
             alarms->held + (uint32_t)alarms->left);
    if (!notification || !history_add(alarms, ALARM_SUPPRESSED, &facts, now)) {
        free(notification);
        return;
    }
    *notification = (struct notification){.index = facts.sequence, .facts = facts};
    struct alarm_entry *entry = history_find(alarms, facts.sequence);
    if (entry)
        entry->notified = true;
    bucket_take(alarms);
    queue_push(alarms, notification);
    alarms->held = 0;
    alarms->summed_ns = now.mono_ns;
}

uint64_t alarms_due(const struct alarms *alarms)
{
    uint64_t due_ns = UINT64_MAX, cost = token_cost(&alarms->limits);
    if (!TAILQ_EMPTY(&alarms->waiting) || alarms->repeating)
        due_ns = alarms->judged_ns + NS_PER_S;
    if (alarms->n_ready == 0 && alarms->held == 0)
        return due_ns;
    uint64_t token_ns = alarms->credited_ns;
    token_ns += cost > alarms->credit_ns ? cost - alarms->credit_ns : 0;
    /* A summary waits for its time, too. */
    uint64_t summary_ns = alarms->summed_ns + alarms->limits.period_ms * NS_PER_MS;
    if (alarms->n_ready == 0 && alarms->summed_ns && summary_ns > token_ns)
        token_ns = summary_ns;
    return token_ns < due_ns ? token_ns : due_ns;
}

void alarms_tick(struct alarms *alarms, struct moment now)
{
    notices_judge(alarms, now);
    if (summary_due(alarms, now))
        summarize(alarms, now);
    notices_send(alarms, now);
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
