#include "children/alarms.h"

#include <stdlib.h>
#include <string.h>

#include "children/child.h"

/* What an alarm costs, including its entries in two indexes and the overhead of the heap. */
#define ALARM_COST (sizeof(struct child_alarm) + 96)

/* The pause before all blocks are read again once more; it grows while reading them does not
 * help. */
#define PAUSE_MIN_NS (10 * NS_PER_S)
#define PAUSE_MAX_NS (3600 * NS_PER_S)

/* -- What is known --------------------------------------------------------------------------- */

static int64_t earlier_ms(int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return a ? a : b;
    return a < b ? a : b;
}

/* Since when the alarm is not confirmed, as the parent is told: the moment in which alarms are read
 * again after a restart is not reported. */
static int64_t unconfirmed_for_long_ms(const struct child_alarm *alarm)
{
    return earlier_ms(alarm->unconfirmed_ms, alarm->child->alarms.lost_ms);
}

int64_t child_alarm_unconfirmed_ms(const struct child_alarm *alarm)
{
    const struct child_alarms *alarms = &alarm->child->alarms;
    int64_t reread_ms = alarm->reading != alarms->reading ? alarms->reread_ms : 0;
    return earlier_ms(unconfirmed_for_long_ms(alarm), reread_ms);
}

uint32_t child_alarms_count(const struct child *child, uint32_t severity)
{
    const struct child_alarms *alarms = &child->alarms;
    size_t rank = severity - REPORT_SEVERITY_MIN;
    uint32_t n;
    if (__builtin_add_overflow(alarms->n[rank], alarms->said.left[rank], &n))
        n = UINT32_MAX;
    return n;
}

/* Alarms that the child has told but for which there is no room here. */
static uint32_t count_without_room(const struct child_alarms *alarms)
{
    return alarms->full && alarms->said.told > alarms->n_read ? alarms->said.told - alarms->n_read
                                                              : 0;
}

uint32_t child_alarms_left_out(const struct child *child)
{
    uint64_t n = count_without_room(&child->alarms);
    for (size_t i = 0; i < REPORT_SEVERITIES; i++)
        n += child->alarms.said.left[i];
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static uint32_t count_child_alarms(const struct child_alarms *alarms)
{
    uint32_t n = 0;
    for (size_t i = 0; i < REPORT_SEVERITIES; i++)
        n += alarms->n[i];
    return n;
}

/* -- For the parent -------------------------------------------------------------------------- */

/* False: the path is too long. */
static bool make_path(const struct child_alarm *alarm, char path[ALARM_PATH_SIZE], size_t *len)
{
    const char *rest = alarm->text[REPORT_ALARM_PATH];
    return child_path(alarm->child, rest, strlen(rest), path, len);
}

static void describe_alarm(const struct feed_item *item, struct report_alarm *report)
{
    const struct child_alarm *alarm =
        (const void *)((const char *)item - offsetof(struct child_alarm, fed));
    report->index = alarm->index;
    report->since_ms = alarm->since_ms;
    report->unconfirmed_ms = unconfirmed_for_long_ms(alarm);
    report->acknowledged_ms = alarm->acknowledged_ms;
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        report->text[i].at = alarm->text[i];
        report->text[i].len = strlen(alarm->text[i]);
    }
    report->text[REPORT_ALARM_PATH].at = report->path;
    make_path(alarm, report->path, &report->text[REPORT_ALARM_PATH].len);
}

/* Whether this node has raised the alarm itself: it may be its own child, or a child of its child,
 * and must tell its alarms only once. */
static bool is_own_alarm(const struct children *children, const struct child_alarm *alarm)
{
    const struct alarm *own = alarm_find(children->alarms, alarm->text[REPORT_ALARM_KEY]);
    return own && own->index == alarm->index && own->facts.since_ms == alarm->since_ms;
}

/* The same alarm gets the same number after a restart of the node that tells of it: FNV-1a over the
 * name of the child and the number that the alarm has there. */
static uint32_t number_above(const struct child_alarm *alarm)
{
    uint32_t hash = UINT32_C(2166136261);
    for (const char *c = alarm->child->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
    for (int shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (alarm->id >> shift & 0xff)) * UINT32_C(16777619);
    return hash;
}

/* An alarm that was told before may since have got a path that cannot be told. */
static void feed_child_alarm(struct children *children, struct child_alarm *alarm)
{
    char path[ALARM_PATH_SIZE];
    size_t len;
    if (!make_path(alarm, path, &len) || is_own_alarm(children, alarm))
        feed_remove(children->feed, &alarm->fed);
    else if (alarm->fed.list == FEED_NONE)
        feed_add(children->feed, &alarm->fed, number_above(alarm), alarm->severity, describe_alarm);
    else
        feed_change(children->feed, &alarm->fed, alarm->severity);
}

static void feed_child_alarms(struct children *children, struct child *child)
{
    struct child_alarm *alarm;
    TAILQ_FOREACH(alarm, &child->alarms.list, link)
    {
        feed_child_alarm(children, alarm);
    }
    children->alarm_changes++;
}

/* -- Beginning and end ----------------------------------------------------------------------- */

void child_alarms_begin(struct child *child)
{
    TAILQ_INIT(&child->alarms.list);
}

static struct child_alarm *find_child_alarm(const struct children *children,
                                            const struct child *child, uint32_t id)
{
    uint32_t key[NAME_SIZE + 1];
    memcpy(key, child->key, child->node.key_len * sizeof *key);
    key[child->node.key_len] = id;
    return (struct child_alarm *)index_find(&children->below, key, child->node.key_len + 1);
}

bool child_alarms_have_room(const struct child *child)
{
    return count_child_alarms(&child->alarms) < CHILD_ALARMS_MAX;
}

static struct child_alarm *begin_child_alarm(struct children *children, struct child *child,
                                             uint32_t id)
{
    struct child_alarm *alarm = child_alarms_have_room(child) ? calloc(1, sizeof *alarm) : NULL;
    if (!alarm)
        return NULL;
    alarm->child = child;
    alarm->id = id;
    alarm->tail = (struct index_tail){&alarm->id, 1};
    alarm->node.key = child->key;
    alarm->node.key_len = child->node.key_len;
    alarm->node.tail = &alarm->tail;
    child_charge(child, ALARM_COST);
    TAILQ_INSERT_TAIL(&child->alarms.list, alarm, link);
    index_add(&children->below, &alarm->node);
    return alarm;
}

/* The alarm no longer counts among those that were read. */
static void forget_reading(struct child_alarm *alarm)
{
    struct child_alarms *alarms = &alarm->child->alarms;
    if (alarm->severity)
        alarms->n[alarm->severity - REPORT_SEVERITY_MIN]--;
    if (!alarm->words || alarm->reading != alarms->reading)
        return;
    alarms->digest ^= alarm->hash;
    alarms->n_read--;
}

static void end_child_alarm(struct children *children, struct child_alarm *alarm)
{
    forget_reading(alarm);
    feed_remove(children->feed, &alarm->fed);
    TAILQ_REMOVE(&alarm->child->alarms.list, alarm, link);
    index_remove(&children->below, &alarm->node);
    child_discharge(alarm->child, ALARM_COST + alarm->size);
    free(alarm->words);
    free(alarm);
    children->alarm_changes++;
}

/* The alarms that the child left out are also counted as left out by this node. */
static void say_left_out(struct children *children, const struct child_alarms *alarms,
                         const struct report_alarms *said)
{
    if (!children->feed)
        return;
    for (size_t i = 0; i < REPORT_SEVERITIES; i++)
        children->feed->left_below[i] += (uint64_t)said->left[i] - alarms->said.left[i];
}

void child_alarms_end(struct children *children, struct child *child)
{
    static const struct report_alarms nothing;
    struct child_alarms *alarms = &child->alarms;
    while (!TAILQ_EMPTY(&alarms->list))
        end_child_alarm(children, TAILQ_FIRST(&alarms->list));
    say_left_out(children, alarms, &nothing);
    *alarms = (struct child_alarms){.reading = alarms->reading};
    child_alarms_begin(child);
}

/* -- What blocks tell ------------------------------------------------------------------------ */

void child_alarms_reread(struct children *children, struct child *child)
{
    struct child_alarms *alarms = &child->alarms;
    alarms->reading++;
    alarms->n_read = alarms->digest = 0;
    alarms->has_said = alarms->agrees = alarms->suspect = alarms->full = alarms->exact = false;
    alarms->reread_ms = child->contact.last.wall_ms;
    alarms->again_until = alarms->again_next = 0;
    children->alarm_changes++;
}

void child_alarms_restart(struct children *children, struct child *child, uint64_t now_ns)
{
    child_alarms_reread(children, child);
    child->alarms.boot_ns = now_ns;
}

static bool follow_again(struct children *children, struct child *child, uint32_t sequence,
                         uint64_t now_ns)
{
    struct child_alarms *alarms = &child->alarms;
    uint32_t until = alarms->again_until;
    if (sequence >= until && sequence != alarms->again_next)
        return false; /* the block will be read in its turn */
    if (alarms->again_next && sequence != alarms->again_next) {
        if (sequence < alarms->again_next)
            return false;
        child_alarms_reread(children, child);
        alarms->again_until = until;
    }
    alarms->again_next = sequence + 1;
    alarms->again_ns = now_ns;
    if (alarms->again_next >= child->cursor.next_block)
        alarms->again_until = alarms->again_next = 0;
    return true;
}

bool child_alarms_follow(struct children *children, struct child *child, uint32_t sequence,
                         uint64_t now_ns)
{
    if (child->cursor.next_block && sequence > child->cursor.next_block)
        child_alarms_reread(children, child);
    if (child->alarms.again_until)
        return follow_again(children, child, sequence, now_ns);
    return sequence >= child->cursor.next_block;
}

static char *copy_texts(const struct report_alarm *report, const char *text[REPORT_ALARM_TEXTS],
                        size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++)
        *size += report->text[i].len + 1;
    char *words = malloc(*size), *at = words;
    for (size_t i = 0; words && i < REPORT_ALARM_TEXTS; i++) {
        if (report->text[i].len > 0)
            memcpy(at, report->text[i].at, report->text[i].len);
        at[report->text[i].len] = '\0';
        text[i] = at;
        at += report->text[i].len + 1;
    }
    return words;
}

/* The alarm becomes what the entry says. False: no memory, and the alarm is as it was. */
static bool fill_child_alarm(struct child_alarm *alarm, const struct report_entry *entry)
{
    struct child_alarms *alarms = &alarm->child->alarms;
    const char *text[REPORT_ALARM_TEXTS];
    struct report_alarm report;
    report_alarm_read(entry, &report);
    size_t size;
    char *words = copy_texts(&report, text, &size);
    if (!words)
        return false;
    forget_reading(alarm);
    child_discharge(alarm->child, alarm->size);
    child_charge(alarm->child, size);
    free(alarm->words);
    alarm->words = words;
    alarm->size = size;
    memcpy(alarm->text, text, sizeof alarm->text);
    alarm->index = report.index;
    alarm->severity = report.severity;
    alarm->since_ms = report.since_ms;
    alarm->unconfirmed_ms = report.unconfirmed_ms;
    alarm->acknowledged_ms = report.acknowledged_ms;
    alarm->hash = entry->alarm.hash;
    alarm->reading = alarms->reading;
    alarms->n[alarm->severity - REPORT_SEVERITY_MIN]++;
    alarms->digest ^= alarm->hash;
    alarms->n_read++;
    return true;
}

/* The child has told the alarm again, unchanged. */
static void confirm_child_alarm(struct children *children, struct child_alarm *alarm)
{
    struct child_alarms *alarms = &alarm->child->alarms;
    if (alarm->reading == alarms->reading)
        return;
    alarm->reading = alarms->reading;
    alarms->digest ^= alarm->hash;
    alarms->n_read++;
    children->alarm_changes++;
}

static bool take_child_alarm(struct children *children, struct child *child,
                             const struct report_entry *entry)
{
    struct child_alarm *alarm = find_child_alarm(children, child, entry->alarm.id);
    if (alarm && alarm->hash == entry->alarm.hash) {
        confirm_child_alarm(children, alarm);
        return true;
    }
    bool is_new = !alarm;
    if (is_new)
        alarm = begin_child_alarm(children, child, entry->alarm.id);
    if (!alarm)
        return false;
    if (!fill_child_alarm(alarm, entry)) {
        if (is_new)
            end_child_alarm(children, alarm);
        return false;
    }
    feed_child_alarm(children, alarm);
    children->alarm_changes++;
    return true;
}

static void take_said(struct children *children, struct child *child,
                      const struct report_alarms *said)
{
    struct child_alarms *alarms = &child->alarms;
    say_left_out(children, alarms, said);
    children->alarm_changes += memcmp(alarms->said.left, said->left, sizeof said->left) != 0;
    alarms->said = *said;
    alarms->has_said = true;
    alarms->agrees = said->digest == alarms->digest && said->told == alarms->n_read;
}

bool child_alarms_take(struct children *children, struct child *child,
                       const struct report_entry *entry)
{
    struct child_alarm *alarm;
    bool room = true;
    switch (entry->kind) {
    case REPORT_ALARM:
        room = take_child_alarm(children, child, entry);
        child->alarms.full |= !room && !child_alarms_have_room(child);
        child->alarms.suspect |= !room && child_alarms_have_room(child);
        break;
    case REPORT_ALARM_CLEARED:
        alarm = find_child_alarm(children, child, entry->alarm.id);
        if (alarm)
            end_child_alarm(children, alarm);
        break;
    case REPORT_ALARMS:
        take_said(children, child, &entry->alarms);
        break;
    default:
        break;
    }
    return room;
}

/* -- Whether that is all --------------------------------------------------------------------- */

/* Ends the alarms that none of the blocks of the child mentions. */
static void end_unread(struct children *children, struct child *child)
{
    struct child_alarm *alarm, *next;
    TAILQ_FOREACH_SAFE(alarm, &child->alarms.list, link, next)
    {
        if (alarm->reading != child->alarms.reading)
            end_child_alarm(children, alarm);
    }
}

/* Whether the child has told the alarms from before its last start, or has had the time to do
 * so. */
static bool tells_all(const struct child *child, struct moment now)
{
    const struct child_alarms *alarms = &child->alarms;
    return alarms->said.complete || now.mono_ns - alarms->boot_ns >= CHILD_KNOWN_NS;
}

static bool read_again(struct children *children, struct child *child, struct moment now)
{
    struct child_alarms *alarms = &child->alarms;
    uint64_t pause_ns = alarms->pause_ns > PAUSE_MIN_NS ? alarms->pause_ns : PAUSE_MIN_NS;
    if (alarms->again_ns && now.mono_ns - alarms->again_ns < pause_ns)
        return false;
    child_alarms_reread(children, child);
    alarms->again_until = child->cursor.next_block;
    alarms->again_ns = now.mono_ns;
    alarms->pause_ns = 2 * pause_ns < PAUSE_MAX_NS ? 2 * pause_ns : PAUSE_MAX_NS;
    return true;
}

bool child_alarms_caught_up(struct children *children, struct child *child, struct moment now)
{
    struct child_alarms *alarms = &child->alarms;
    if (alarms->lost_ms) {
        alarms->lost_ms = 0;
        feed_child_alarms(children, child);
    }
    if (alarms->again_until)
        return read_again(children, child, now); /* begins again if the reading under way makes no
                                                  * progress */
    if (!alarms->has_said || (alarms->exact && alarms->agrees && !alarms->suspect))
        return false;
    alarms->exact = (alarms->agrees || alarms->full) && !alarms->suspect;
    if (!alarms->exact)
        return alarms->said.complete && read_again(children, child, now);
    if (!tells_all(child, now)) {
        alarms->exact = false; /* that is decided at the next answer */
        return false;
    }
    end_unread(children, child);
    alarms->pause_ns = 0;
    return false;
}

void child_alarms_lost(struct children *children, struct child *child)
{
    if (child->alarms.lost_ms || TAILQ_EMPTY(&child->alarms.list))
        return;
    child->alarms.lost_ms = child->contact.last.wall_ms;
    feed_child_alarms(children, child);
}

/* Whether the child has told its alarms, or is lost, or has had the time to tell them. */
static bool is_known(const struct child *child, struct moment now)
{
    if (child->device || child->alarms.exact || child_is_lost(child))
        return true;
    return child->contact.first_ns && now.mono_ns - child->contact.first_ns >= CHILD_KNOWN_NS;
}

void children_alarms_step(struct children *children, struct moment now)
{
    if (!children->feed || children->feed->complete)
        return;
    for (struct index_node *node = index_first(&children->by_id); node; node = index_next(node))
        if (!is_known(child_by_id(node), now))
            return;
    children->feed->complete = true;
}
