#include "alarm/notice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/active.h"
#include "alarm/history.h"
#include "alarm/queue.h"

void notices_init(struct alarms *alarms)
{
    for (size_t i = 0; i <= SEVERITY_CRITICAL; i++)
        TAILQ_INIT(&alarms->ready[i]);
    TAILQ_INIT(&alarms->waiting);
    index_init(&alarms->notices);
}

struct notice *notice_new(void)
{
    struct notice *notice = calloc(1, sizeof *notice);
    struct notification *notification = calloc(1, sizeof *notification);
    if (!notice || !notification) {
        free(notice);
        free(notification);
        return NULL;
    }
    notice->notification = notification;
    notice->hold = HOLD_NONE;
    return notice;
}

void notice_free(struct notice *notice)
{
    if (!notice)
        return;
    free(notice->notification);
    free(notice);
}

struct notice *notice_find(const struct alarms *alarms, const char *key)
{
    uint32_t words[ALARM_KEY_SIZE];
    return (struct notice *)index_find(&alarms->notices, words, index_key_text(words, key));
}

static void notice_remove(struct alarms *alarms, struct notice *notice)
{
    if (notice->hold == HOLD_NONE) {
        TAILQ_REMOVE(&alarms->ready[notice->rank], notice, link);
        alarms->n_ready--;
    } else {
        TAILQ_REMOVE(&alarms->waiting, notice, link);
    }
    index_remove(&alarms->notices, &notice->node);
}

static bool notice_is_older(const struct notice *a, const struct notice *b)
{
    /* RFC 1982: the numbers wrap. */
    return (int32_t)(a->notification->facts.sequence - b->notification->facts.sequence) < 0;
}

/* Mostly the notice is the youngest one of its list; a notice that was held for a while is not. */
static void notice_insert(struct alarms *alarms, struct notice *notice)
{
    if (notice->hold != HOLD_NONE) {
        TAILQ_INSERT_TAIL(&alarms->waiting, notice, link);
        return;
    }
    struct notice_list *list = &alarms->ready[notice->rank];
    struct notice *before = TAILQ_LAST(list, notice_list);
    while (before && notice_is_older(notice, before))
        before = TAILQ_PREV(before, notice_list, link);
    if (before)
        TAILQ_INSERT_AFTER(list, before, notice, link);
    else
        TAILQ_INSERT_HEAD(list, notice, link);
    alarms->n_ready++;
}

static void notice_add(struct alarms *alarms, struct notice *notice)
{
    notice->node.key = notice->key;
    notice->node.key_len = index_key_text(notice->key, notice->notification->facts.key);
    index_add(&alarms->notices, &notice->node);
    notice_insert(alarms, notice);
}

void notice_drop(struct alarms *alarms, struct notice *notice)
{
    if (!notice)
        return;
    notice_remove(alarms, notice);
    alarms->held += notice->counted && alarms->held < UINT32_MAX;
    alarms->left -= notice->counted && alarms->left > 0;
    notice_free(notice);
}

void notices_leave_out(struct alarms *alarms)
{
    alarms->suppressed++;
    alarms->held += alarms->held < UINT32_MAX;
}

void notice_restore(struct alarms *alarms, struct notice *notice)
{
    notice->hold = HOLD_RATE; /* this has it judged */
    notice_add(alarms, notice);
    struct alarm *alarm = active_find(alarms, notice->notification->facts.key);
    if (alarm)
        alarm->hold = HOLD_RATE;
}

void notices_release(struct alarms *alarms)
{
    struct index_node *node;
    while ((node = index_first(&alarms->notices))) {
        notice_remove(alarms, (struct notice *)node);
        notice_free((struct notice *)node);
    }
    index_release(&alarms->notices);
}

void alarms_each_clear(const struct alarms *alarms, void *context,
                       void (*each)(void *context, const struct notification *notification,
                                    enum severity told))
{
    for (struct index_node *node = index_first(&alarms->notices); node; node = index_next(node)) {
        const struct notice *notice = (const struct notice *)node;
        if (notice->notification->facts.event == ALARM_CLEARED)
            each(context, notice->notification, notice->told);
    }
}

/* -- Verdicts ------------------------------------------------------------------------------- */

static void set_repeat(struct alarms *alarms, struct alarm *alarm, uint32_t repeat_ms)
{
    alarms->repeating += (size_t)(repeat_ms != 0) - (size_t)(alarm->repeat_ms != 0);
    alarm->repeat_ms = repeat_ms;
}

static enum alarm_hold hold_of(struct alarms *alarms, struct alarm *alarm,
                               const struct alarm_facts *facts, enum alarm_event event,
                               struct moment now)
{
    struct alarm_verdict verdict = {.hold = HOLD_NONE};
    if (alarms->judge)
        verdict = alarms->judge(alarms->judge_context, facts, event, now);
    if (alarm && alarm->repeat_ms != verdict.repeat_ms)
        set_repeat(alarms, alarm, verdict.repeat_ms);
    return alarm && alarm->memory.acknowledged_at ? HOLD_ACKNOWLEDGED : verdict.hold;
}

/* Notes in the log and the table why receivers do not know it yet. */
static void note_hold(struct alarms *alarms, const struct notice *notice, struct alarm *alarm)
{
    enum alarm_hold hold = notice->hold == HOLD_NONE ? HOLD_RATE : notice->hold;
    history_hold(alarms, notice->notification->facts.sequence, hold);
    if (alarm)
        alarm->hold = hold;
}

/* False if receivers already believe what the notice would tell: the severity went up and down
 * while the notice was held. */
static bool is_news(const struct notice *notice)
{
    enum alarm_event event = notice->notification->facts.event;
    return event == ALARM_CLEARED || event == ALARM_REPEATED ||
           notice->told != notice->notification->facts.severity;
}

/* The notice now waits for something else than before. */
static void notice_move(struct alarms *alarms, struct notice *notice, enum alarm_hold hold)
{
    notice_remove(alarms, notice);
    alarms->left -= notice->counted && alarms->left > 0;
    notice->counted = false;
    notice->hold = hold;
    notice_add(alarms, notice);
}

static void judge_notice(struct alarms *alarms, struct notice *notice, struct moment now)
{
    const struct notification *about = notice->notification;
    notice->judged_ns = now.mono_ns;
    struct alarm *alarm = active_find(alarms, about->facts.key);
    enum alarm_hold hold = hold_of(alarms, alarm, &about->facts, about->facts.event, now);
    if (hold == notice->hold)
        return;
    notice_move(alarms, notice, hold);
    note_hold(alarms, notice, alarm);
    if (hold != HOLD_NONE || is_news(notice))
        return;
    if (alarm) {
        alarm->hold = HOLD_NONE;
        alarm->told_ns = now.mono_ns;
    }
    notice_drop(alarms, notice);
}

/* -- Sending -------------------------------------------------------------------------------- */

static void note_sent(struct alarms *alarms, const struct notification *notification,
                      struct moment now)
{
    struct alarm_entry *entry = history_find(alarms, notification->facts.sequence);
    if (entry) {
        entry->notified = true;
        entry->hold = HOLD_NONE;
        entry->facts.suppressed = notification->facts.suppressed;
    }
    struct alarm *alarm = active_find(alarms, notification->facts.key);
    if (!alarm || notification->facts.event == ALARM_CLEARED)
        return;
    alarm->memory.told = notification->facts.severity;
    alarm->facts.suppressed = notification->facts.suppressed;
    alarm->hold = HOLD_NONE;
    alarm->told_ns = now.mono_ns;
}

static void notice_send(struct alarms *alarms, struct notice *notice, struct moment now)
{
    notice_remove(alarms, notice);
    alarms->left -= notice->counted && alarms->left > 0;
    struct notification *notification = notice->notification;
    notice->notification = NULL;
    notice_free(notice);
    notification->facts.suppressed = alarms->held + (uint32_t)alarms->left;
    note_sent(alarms, notification, now);
    bucket_take(alarms);
    queue_push(alarms, notification);
}

static struct notice *next_ready(const struct alarms *alarms)
{
    for (size_t rank = SEVERITY_CRITICAL + 1; rank-- > 0;)
        if (!TAILQ_EMPTY(&alarms->ready[rank]))
            return TAILQ_FIRST(&alarms->ready[rank]);
    return NULL;
}

/* Counts the notices that are left for want of a token or of room in the queue, each of them once.
 */
static void count_left(struct alarms *alarms)
{
    if (alarms->left == alarms->n_ready)
        return;
    for (size_t rank = 0; rank <= SEVERITY_CRITICAL; rank++) {
        struct notice *notice;
        TAILQ_FOREACH(notice, &alarms->ready[rank], link)
        {
            alarms->suppressed += !notice->counted;
            notice->counted = true;
        }
    }
    alarms->left = alarms->n_ready;
}

/* Whether the notice may go now: a maintenance may have begun since it was judged. If so, it waits
 * for the end of that. */
static bool is_free(struct alarms *alarms, struct notice *notice, struct moment now)
{
    if (!notice->forced && notice->judged_ns != now.mono_ns)
        judge_notice(alarms, notice, now);
    return notice->hold == HOLD_NONE;
}

void notices_send(struct alarms *alarms, struct moment now)
{
    size_t takes = alarms->n_ready ? queue_takes(alarms, now.mono_ns) : 0;
    while (alarms->n_ready && takes > 0) {
        struct notice *notice = next_ready(alarms);
        if (!is_free(alarms, notice, now))
            continue;
        notice_send(alarms, notice, now);
        takes--;
    }
    count_left(alarms);
}

void notice_settle(struct alarms *alarms, const char *key, struct moment now)
{
    struct notice *notice = notice_find(alarms, key);
    if (notice && notice->hold == HOLD_NONE && queue_takes(alarms, now.mono_ns) > 0 &&
        is_free(alarms, notice, now))
        notice_send(alarms, notice, now);
}

void notice_post(struct alarms *alarms, struct notice *notice, uint32_t index,
                 const struct alarm_facts *facts, enum severity told, struct moment now)
{
    struct alarm *alarm = active_find(alarms, facts->key);
    notice_drop(alarms, notice_find(alarms, facts->key));
    *notice->notification = (struct notification){.index = index, .facts = *facts};
    notice->told = told;
    notice->rank = facts->event == ALARM_CLEARED ? told : facts->severity;
    if (!notice->forced)
        notice->hold = hold_of(alarms, alarm, facts, facts->event, now);
    notice->judged_ns = now.mono_ns;
    notice_add(alarms, notice);
    note_hold(alarms, notice, alarm);
    /* If there is no rate limit, nothing has to wait for more severe notices. */
    if (alarms->limits.rate == 0)
        notices_send(alarms, now);
}

/* -- Every second --------------------------------------------------------------------------- */

static void judge_list(struct alarms *alarms, struct notice_list *list, struct moment now)
{
    struct notice *notice, *next;
    TAILQ_FOREACH_SAFE(notice, list, link, next)
    {
        if (!notice->forced)
            judge_notice(alarms, notice, now);
    }
}

/* Notices that wait for the rate limit are judged when it is their turn. A maintenance that has
 * begun should be seen earlier, but not at any price: thousands of notices may wait for long. */
#define READY_JUDGED_PER_S 256
static void judge_ready(struct alarms *alarms, struct moment now)
{
    uint64_t period_ns = NS_PER_S * (1 + alarms->n_ready / READY_JUDGED_PER_S);
    if (now.mono_ns - alarms->ready_judged_ns < period_ns)
        return;
    alarms->ready_judged_ns = now.mono_ns;
    for (size_t rank = 0; rank <= SEVERITY_CRITICAL; rank++)
        judge_list(alarms, &alarms->ready[rank], now);
}

static void repeat_alarm(struct alarms *alarms, struct alarm *alarm, struct moment now)
{
    if (hold_of(alarms, alarm, &alarm->facts, ALARM_REPEATED, now) != HOLD_NONE ||
        notice_find(alarms, alarm->facts.key))
        return;
    struct notice *notice = notice_new();
    if (!notice || !history_add(alarms, ALARM_REPEATED, &alarm->facts, now)) {
        notice_free(notice);
        return;
    }
    notice_post(alarms, notice, alarm->index, &alarm->facts, alarm->memory.told, now);
}

static void repeat_due(struct alarms *alarms, struct moment now)
{
    for (struct index_node *node = alarms->repeating ? index_first(&alarms->active) : NULL; node;
         node = index_next(node)) {
        struct alarm *alarm = (struct alarm *)node;
        if (alarm->repeat_ms && alarm->memory.told == alarm->facts.severity &&
            now.mono_ns - alarm->told_ns >= alarm->repeat_ms * NS_PER_MS)
            repeat_alarm(alarms, alarm, now);
    }
}

/* How often active alarms are told again may have changed, or may not be known yet. */
static void judge_active(struct alarms *alarms, struct moment now)
{
    for (struct index_node *node = index_first(&alarms->active); node; node = index_next(node)) {
        struct alarm *alarm = (struct alarm *)node;
        hold_of(alarms, alarm, &alarm->facts, ALARM_REPEATED, now);
        if (!alarm->told_ns)
            alarm->told_ns = now.mono_ns;
    }
}

void notices_judge(struct alarms *alarms, struct moment now)
{
    if (alarms->judged_ns && now.mono_ns - alarms->judged_ns < NS_PER_S)
        return;
    if (alarms->rejudge || !alarms->judged_ns)
        judge_active(alarms, now);
    alarms->rejudge = false;
    alarms->judged_ns = now.mono_ns ? now.mono_ns : 1;
    judge_ready(alarms, now);
    judge_list(alarms, &alarms->waiting, now);
    repeat_due(alarms, now);
}

void alarms_rejudge(struct alarms *alarms)
{
    alarms->rejudge = true;
}

/* -- The summary of what the rate limit held back ------------------------------------------- */

static bool summary_due(struct alarms *alarms, struct moment now)
{
    size_t held = alarms->held + alarms->left;
    size_t tokens = held ? bucket_tokens(alarms, now.mono_ns) : 0;
    bool paced = !alarms->summed_ns ||
                 now.mono_ns - alarms->summed_ns >= alarms->limits.period_ms * NS_PER_MS;
    /* If everything that waits can go now, there is nothing to sum up. */
    return tokens > 0 && queue_room(alarms) > 0 && paced && (alarms->held || alarms->left > tokens);
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

void alarms_tick(struct alarms *alarms, struct moment now)
{
    notices_judge(alarms, now);
    if (summary_due(alarms, now))
        summarize(alarms, now);
    notices_send(alarms, now);
}

uint64_t alarms_due(const struct alarms *alarms)
{
    uint64_t due_ns = UINT64_MAX, cost = token_cost(&alarms->limits);
    if (!TAILQ_EMPTY(&alarms->waiting) || alarms->repeating || alarms->rejudge)
        due_ns = alarms->judged_ns + NS_PER_S;
    /* If the queue is full, it goes on when a notification is delivered. */
    if ((alarms->n_ready == 0 && alarms->held == 0) || queue_room(alarms) == 0)
        return due_ns;
    uint64_t token_ns = alarms->credited_ns;
    token_ns += cost > alarms->credit_ns ? cost - alarms->credit_ns : 0;
    /* A summary also has to wait until its period is over. */
    uint64_t summary_ns = alarms->summed_ns + alarms->limits.period_ms * NS_PER_MS;
    if (alarms->n_ready == 0 && alarms->summed_ns && summary_ns > token_ns)
        token_ns = summary_ns;
    return token_ns < due_ns ? token_ns : due_ns;
}
