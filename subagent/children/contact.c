/* What pollers say of children: answers, silence, and what follows for their state. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/own_rule.h"
#include "base/text.h"
#include "children/child.h"

#define LOST OWN_RULE_NODE_LOST
#define COMPLAIN_NS (60 * NS_PER_S)
#define COMPLAINTS_MAX 8
/* So much later than it is due, children_watch is called only where this daemon itself was stopped.
 */
#define STOPPED_NS (5 * NS_PER_S)

/* -- Log and alarms ------------------------------------------------------------------------- */

struct complaint {
    uint32_t hash;      /* of the kind */
    uint64_t logged_ns; /* monotonic; 0: never */
};

/* Where a complaint is noted that is to be logged now; NULL: it is not. */
static struct complaint *complaint_due(struct complaint *complaints, uint32_t hash, uint64_t now_ns)
{
    struct complaint *due = NULL;
    for (size_t i = 0; i < COMPLAINTS_MAX; i++) {
        struct complaint *complaint = &complaints[i];
        bool is_old = log_due(complaint->logged_ns, now_ns, COMPLAIN_NS);
        if (complaint->hash == hash && !is_old)
            return NULL;
        if (is_old)
            due = complaint;
    }
    return due;
}

static bool may_log(struct child *child, const char *kind, struct moment now)
{
    uint32_t hash;
    if (!child->complaints)
        child->complaints = calloc(COMPLAINTS_MAX, sizeof *child->complaints);
    if (!child->complaints)
        return false;
    HASH_VALUE(kind, strlen(kind), hash);
    struct complaint *due = complaint_due(child->complaints, hash, now.mono_ns);
    if (due)
        *due = (struct complaint){hash, now.mono_ns};
    return due != NULL;
}

void child_complain(struct child *child, const char *kind, const char *text, struct moment now)
{
    if (may_log(child, kind, now))
        log_warning("collect", "child %s: %s", child->name, text);
}

static struct alarm_facts facts_of(const char *name)
{
    struct alarm_facts facts = {.kind = ALARM_OF_NODE, .severity = SEVERITY_CRITICAL};
    text_format(facts.node, sizeof facts.node, "%s", name);
    text_format(facts.threshold, sizeof facts.threshold, LOST);
    alarm_key(facts.key, facts.node, LOST, "");
    return facts;
}

static void say_since(const struct child *child, char *text, size_t size)
{
    time_t seconds = (time_t)(child->contact.wall_ms / 1000);
    struct tm when;
    if (child->contact.mono_ns == 0 || !gmtime_r(&seconds, &when) ||
        strftime(text, size, "the last answer came at %Y-%m-%d %H:%M:%S UTC", &when) == 0)
        text_format(text, size, "no answer yet since this node began to poll it");
}

static bool announce_lost(struct children *children, struct child *child, struct moment now)
{
    struct alarm_facts facts = facts_of(child->name);
    char since[64];
    say_since(child, since, sizeof since);
    size_t behind = children_behind(children, child->name);
    text_format(facts.message, sizeof facts.message, "%s is lost: %s (%s)", child->name,
                child->error, since);
    size_t len = strlen(facts.message);
    if (behind > 0)
        text_format(facts.message + len, sizeof facts.message - len, ", and what is behind it: %zu",
                    behind);
    child_alarms_lost(children, child);
    bool is_news = alarm_raise(children->alarms, &facts, now);
    if (is_news)
        log_warning("collect", "%s", facts.message);
    return is_news;
}

static void announce_joined(struct children *children, struct child *child, struct moment now)
{
    struct alarm_facts facts = facts_of(child->name);
    bool first = !child->known;
    text_format(facts.message, sizeof facts.message,
                first ? "%s has joined, at %s" : "%s is back, at %s", child->name, child->address);
    facts.severity = SEVERITY_CLEAR;
    if (alarm_clear(children->alarms, &facts, now) ||
        (first && alarm_announce(children->alarms, &facts, now)))
        log_info("collect", "%s", facts.message);
    children->changes += first;
    child->known = true;
}

void children_end_alarms(struct children *children, struct moment now)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&children->alarms->active); node; node = next) {
        const struct alarm *alarm = (struct alarm *)node;
        next = index_next(node);
        if (alarm->facts.kind != ALARM_OF_NODE || strcmp(alarm->facts.threshold, LOST) != 0 ||
            children_find(children, alarm->facts.node))
            continue;
        struct alarm_facts facts = alarm->facts;
        text_format(facts.message, sizeof facts.message, "%s is not polled any more", facts.node);
        alarm_clear(children->alarms, &facts, now);
    }
}

/* -- Blocks --------------------------------------------------------------------------------- */

struct taking {
    struct children *children;
    struct child *child;
    const struct message_block *block;
    struct report_header header;
    struct moment now;
    const char *why;     /* NULL: nothing is wrong */
    bool values, alarms; /* what of it counts */
    bool too_many, too_many_alarms;
    uint64_t work;
};

static uint64_t work_of(const struct report_entry *entry)
{
    if (entry->kind == REPORT_ALARM)
        return WORK_OF_ALARM;
    if (entry->kind != REPORT_WINDOW)
        return WORK_OF_ENTRY;
    const struct histogram *histogram = entry->window.histogram;
    return WORK_OF_ENTRY +
           (uint64_t)(histogram->positive.size + histogram->negative.size) / WORK_OF_COUNTERS;
}

/* The header is there before the first entry. */
static int take_entry(void *context, const struct report_entry *entry)
{
    struct taking *taking = context;
    taking->work += work_of(entry);
    if (taking->header.boot != taking->child->report_boot)
        taking->why = "it says that it is of another boot";
    else if (taking->header.sequence != taking->block->sequence)
        taking->why = "it says that it is another block";
    if (taking->why)
        return 1;
    if (entry->kind == REPORT_VALUE || entry->kind == REPORT_WINDOW)
        taking->too_many |= taking->values &&
                            !child_take_entry(taking->children, taking->child, entry, taking->now);
    else
        taking->too_many_alarms |=
            taking->alarms && !child_alarms_take(taking->children, taking->child, entry);
    return child_is_beyond(taking->children, taking->child);
}

void child_say_bad(struct child *child, const char *kind, const char *text, struct moment now)
{
    child->bad_blocks++;
    text_format(child->error, sizeof child->error, "%s", text);
    child_complain(child, kind, child->error, now);
}

void child_say_too_many(struct child *child, struct moment now)
{
    static const char text[] = "it has too many series, further ones are left out";
    child_complain(child, text, text, now);
}

static void say_too_many_alarms(struct child *child, struct moment now)
{
    static const char text[] = "it has too many active alarms, further ones are left out";
    child_complain(child, text, text, now);
}

/* One that comes again is left out, unless it is read again for its alarms; one that is bad is not
 * asked for again. */
void child_take_block(struct children *children, struct child *child,
                      const struct message_block *block, struct moment now)
{
    struct taking taking = {
        .children = children, .child = child, .block = block, .now = now, .work = block->length};
    char text[sizeof child->error];
    taking.values = block->sequence >= child->next_block;
    taking.alarms = child_alarms_follow(children, child, block->sequence, now.mono_ns);
    if (!taking.values && !taking.alarms)
        return;
    if (taking.values)
        child->next_block = block->sequence + 1;
    const char *why = NULL;
    if (report_decode(block->bytes, block->length, &taking.header, take_entry, &taking, &why) != 0)
        taking.why = why;
    child->alarms.suspect |= taking.why != NULL;
    child->bad_block = taking.why != NULL;
    child->blocks += !taking.why;
    if (taking.why) {
        text_format(text, sizeof text, "report block %u: %s", block->sequence, taking.why);
        child_say_bad(child, taking.why, text, now);
    }
    child_work(children, child, taking.work, now.mono_ns);
    if (taking.too_many)
        child_say_too_many(child, now);
    if (taking.too_many_alarms)
        say_too_many_alarms(child, now);
}

/* -- Answers -------------------------------------------------------------------------------- */

/* Another engine at the address is another node, whatever its boot is. */
static bool take_engine(struct children *children, struct child *child,
                        const struct message_answer *answer)
{
    uint32_t len = answer->engine_id_len <= ENGINE_ID_MAX ? answer->engine_id_len : 0;
    bool same =
        child->engine_id_len == len && memcmp(child->engine_id, answer->engine_id, len) == 0;
    bool other = !same && child->engine_id_len > 0;
    bool news = !same || child->engine_boots != answer->engine_boots;
    memcpy(child->engine_id, answer->engine_id, len);
    child->engine_id_len = len;
    child->engine_boots = answer->engine_boots;
    children->changes += news;
    if (news)
        child_tell_receiver(children, child);
    return other;
}

void child_take_head(struct children *children, struct child *child,
                     const struct message_answer *answer, struct moment now)
{
    bool other = take_engine(children, child, answer);
    child->polls++;
    child->silent = 0;
    child->contact = now;
    if (child->first_ns == 0)
        child->first_ns = now.mono_ns;
    child->round_trip_us = answer->round_trip_us;
    child->lost_blocks += answer->lost;
    if (child->device || (!other && child->report_boot == answer->report_boot))
        return;
    if (child->report_boot != 0 && may_log(child, "boot", now))
        log_info("collect", "child %s has started again: boot %u", child->name,
                 answer->report_boot);
    child_work(children, child, WORK_OF_BOOT * child->n_series, now.mono_ns);
    child_begin_boot(children, child, now);
    child->report_boot = answer->report_boot;
    child->next_block = 0;
}

/* It answered: it is up, unless what it says makes no sense. */
void child_settle(struct children *children, struct child *child, struct moment now)
{
    bool is_news = child->state != CHILD_UP;
    if (child->bad_block || child->bad_name || child->bad_look_up) {
        child->state = CHILD_REFUSED;
        return;
    }
    child->state = CHILD_UP;
    child->error[0] = '\0';
    if (child->refusal && !child_is_on_trial(child, now.mono_ns)) {
        child_pardon(child);
        is_news = true;
    }
    if (is_news && !child->refusal)
        announce_joined(children, child, now);
}

static void take_answer(struct children *children, struct child *child,
                        const struct message_answer *answer, struct moment now)
{
    const struct message_block *block;
    child_take_head(children, child, answer, now);
    for (uint32_t i = 0; (block = message_block(answer, i)) && !child_is_beyond(children, child);
         i++)
        child_take_block(children, child, block, now);
    if (child->replays && (answer->last == 0 || child->next_block > answer->last))
        child_end_replay(children, child, now);
    if (child->next_block > answer->last && child_alarms_caught_up(children, child, now))
        child_read_again(children, child);
    child_end_former(children, child, now);
    child_settle(children, child, now);
    child_look_up(children, child, now.mono_ns);
}

/* -- Silence -------------------------------------------------------------------------------- */

/* Where a node has been, an agent without the DCAMP-MIB has lost its dcampd. */
static bool is_silent(const struct child *child, enum poll_failure failure)
{
    return failure == POLL_TIMEOUT || failure == POLL_UNREACHABLE ||
           (failure == POLL_NO_SUCH_OBJECT && child->known);
}

static enum child_state state_after(const struct child *child, enum poll_failure failure)
{
    if (is_silent(child, failure) && child->silent >= CHILD_LOST_AFTER)
        return CHILD_DOWN;
    if (is_silent(child, failure))
        return child->state == CHILD_DISCOVERING ? CHILD_DISCOVERING : CHILD_LATE;
    switch (failure) {
    case POLL_WRONG_KEY:
    case POLL_UNKNOWN_USER:
    case POLL_NO_CREDENTIAL:
        return CHILD_WRONG_KEY;
    default:
        return CHILD_REFUSED;
    }
}

static void take_silence(struct children *children, struct child *child,
                         const struct message_silent *silent, struct moment now)
{
    char text[sizeof silent->text];
    size_t len = strnlen(silent->text, sizeof text - 1);
    memcpy(text, silent->text, len);
    text[len] = '\0';
    child->missed++;
    child->bad_block = child->bad_name = false; /* there is another reason now */
    child->bad_look_up = silent->look_up && !is_silent(child, silent->failure);
    if (child->silent < UINT32_MAX)
        child->silent++;
    if (child->silent < silent->in_a_row)
        child->silent = silent->in_a_row;
    child->state = state_after(child, silent->failure);
    text_format(child->error, sizeof child->error, "%s",
                len > 0 && text_is_printable(text, len) ? text : "no answer");
    if (child->state == CHILD_REFUSED || child->state == CHILD_WRONG_KEY)
        child_complain(child, child->error, child->error, now);
    if (child->silent >= CHILD_LOST_AFTER)
        announce_lost(children, child, now);
}

/* When the child is late, or lost, if its poller goes on to say nothing of it. */
static uint64_t unheard_due(const struct child *child, bool is_late)
{
    uint64_t period_ns = child->period_ms * NS_PER_MS;
    return child->told_ns + (is_late ? CHILD_UNHEARD_LOST * period_ns + CHILD_UNHEARD_LOST_NS
                                     : CHILD_UNHEARD_LATE * period_ns + CHILD_UNHEARD_LATE_NS);
}

bool child_lose(struct children *children, struct child *child, struct moment now)
{
    child->silent = CHILD_LOST_AFTER;
    return announce_lost(children, child, now);
}

static void be_down(struct children *children, struct child *child, struct moment now)
{
    child->state = CHILD_DOWN;
    text_format(child->error, sizeof child->error, "its poller has said nothing of it for %llu s",
                (unsigned long long)((now.mono_ns - child->told_ns) / NS_PER_S));
    child_lose(children, child, now);
}

static void be_late(struct child *child)
{
    child->state = CHILD_LATE;
    text_format(child->error, sizeof child->error, "its poller says nothing of it");
}

/* When it is to be looked at again; of one that is lost already there is nothing more to say. */
static uint64_t watch_child(struct children *children, struct child *child, struct moment now)
{
    if (child_is_refused(child) && now.mono_ns < child_refused_until(child))
        return child_refused_until(child);
    if (child_is_refused(child))
        child_readmit(children, child, now);
    if (child->silent >= CHILD_LOST_AFTER)
        return UINT64_MAX;
    if (now.mono_ns >= unheard_due(child, true)) {
        be_down(children, child, now);
        return UINT64_MAX;
    }
    if (child->state == CHILD_UP && now.mono_ns >= unheard_due(child, false))
        be_late(child);
    return unheard_due(child, child->state != CHILD_UP);
}

/* Of many children that all answer, the earliest that could be late is far off: so they are seldom
 * looked at. */
uint64_t children_watch(struct children *children, struct moment now)
{
    uint64_t due = now.mono_ns + CHILD_WATCH_NS;
    if (now.mono_ns < children->watch_ns)
        return children->watch_ns;
    bool was_stopped = children->watch_ns && now.mono_ns > children->watch_ns + STOPPED_NS;
    struct index_node *after;
    for (struct index_node *node = index_first(&children->by_id); node; node = after) {
        struct child *child = child_by_id(node);
        after = index_next(node);
        if (was_stopped)
            child->told_ns = now.mono_ns; /* who could not listen has heard nothing */
        uint64_t next = watch_child(children, child, now);
        due = next < due ? next : due;
    }
    if (due < now.mono_ns + NS_PER_S)
        due = now.mono_ns + NS_PER_S;
    return children->watch_ns = due;
}

static void take_name(struct children *children, struct child *child,
                      const struct message_series *series, struct moment now)
{
    const char *fault = child_take_name(children, child, series, now);
    child_work(children, child, WORK_OF_SERIES, now.mono_ns);
    child->bad_name = fault != NULL;
    child->bad_look_up = false;
    if (fault) {
        child_say_bad(child, fault, fault, now);
        child->state = child->state == CHILD_UP ? CHILD_REFUSED : child->state;
    }
    if (child->n_asked == 0)
        child_look_up(children, child, now.mono_ns);
}

static void count_dropped(struct children *children, const struct message_dropped *dropped)
{
    children->pushes.unknown += dropped->unknown;
    children->pushes.refused += dropped->refused;
}

/* What only nodes can say counts of no device, and the other way round. */
static void take_message(struct children *children, struct child *child,
                         const struct message *message, struct moment now)
{
    const void *content = message;
    if (message->kind == MESSAGE_SILENT)
        return take_silence(children, child, content, now);
    if (child->device)
        return child_device_message(children, child, message, now);
    switch (message->kind) {
    case MESSAGE_ANSWER:
        return take_answer(children, child, content, now);
    case MESSAGE_SERIES:
        return take_name(children, child, content, now);
    case MESSAGE_PUSHED:
        return child_take_push(children, child, content, now);
    default:
        return;
    }
}

/* Every other message of a poller has the id behind its head. */
void children_message(struct children *children, const struct message *message, struct moment now)
{
    uint32_t id = ((const struct message_forget *)message)->id;
    if (message->kind == MESSAGE_DROPPED) {
        count_dropped(children, (const struct message_dropped *)message);
        return;
    }
    struct child *child = child_by_id(index_find(&children->by_id, &id, 1));
    if (!child || child_is_refused(child))
        return;
    if (message->kind != MESSAGE_PUSHED)
        child->told_ns = now.mono_ns;
    take_message(children, child, message, now);
    if (child_is_beyond(children, child))
        child_refuse(children, child, now);
}
