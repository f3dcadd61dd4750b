#include "children/contact.h"

#include <string.h>

#include "base/text.h"
#include "children/child.h"
#include "children/identity.h"
#include "children/lost.h"

/* -- Answers -------------------------------------------------------------------------------- */

bool child_take_contact(struct children *children, struct child *child,
                        const struct child_answer *answer, struct moment now)
{
    bool is_another = child_take_engine(children, child, answer->engine_id, answer->engine_id_len,
                                        answer->engine_boots);
    child->contact.polls++;
    child->contact.silent = 0;
    child->contact.last = now;
    if (child->contact.first_ns == 0)
        child->contact.first_ns = now.mono_ns;
    child->contact.round_trip_us = answer->round_trip_us;
    return is_another;
}

void child_say_bad(struct child *child, const char *kind, const char *text, struct moment now)
{
    child->contact.bad++;
    child_say_error(child, text);
    child_complain(child, kind, child_error(child), now);
}

void child_settle_state(struct children *children, struct child *child, struct moment now)
{
    bool is_news = child->contact.state != CHILD_UP;
    if (child->cursor.bad_block || child->dictionary.bad_name || child->dictionary.bad_look_up) {
        child->contact.state = CHILD_REFUSED;
        return;
    }
    child->contact.state = CHILD_UP;
    child_say_nothing(child);
    if (child->cost.refusal && !child_is_on_trial(child, now.mono_ns)) {
        child_pardon(child);
        is_news = true;
    }
    if (is_news && !child->cost.refusal)
        child_announce_joined(children, child, now);
}

void child_not_up(struct child *child)
{
    if (child->contact.state == CHILD_UP)
        child->contact.state = CHILD_REFUSED;
}

/* -- Silence -------------------------------------------------------------------------------- */

static bool announce_lost(struct children *children, struct child *child, struct moment now)
{
    child_alarms_lost(children, child);
    return child_announce_lost(children, child, now);
}

bool child_lose(struct children *children, struct child *child, struct moment now)
{
    child->contact.silent = CHILD_LOST_AFTER;
    return announce_lost(children, child, now);
}

/* If the child was a node before, an agent without the DCAMP-MIB means that its dcampd is gone. */
static bool is_silent(const struct child *child, enum poll_failure failure)
{
    return failure == POLL_TIMEOUT || failure == POLL_UNREACHABLE ||
           (failure == POLL_NO_SUCH_OBJECT && child->contact.known);
}

static enum child_state state_after(const struct child *child, enum poll_failure failure)
{
    if (is_silent(child, failure) && child_is_lost(child))
        return CHILD_DOWN;
    if (is_silent(child, failure))
        return child->contact.state == CHILD_DISCOVERING ? CHILD_DISCOVERING : CHILD_LATE;
    switch (failure) {
    case POLL_WRONG_KEY:
    case POLL_UNKNOWN_USER:
    case POLL_NO_CREDENTIAL:
        return CHILD_WRONG_KEY;
    default:
        return CHILD_REFUSED;
    }
}

void child_take_silence(struct children *children, struct child *child,
                        const struct message_silent *silent, struct moment now)
{
    char text[sizeof silent->text];
    size_t len = strnlen(silent->text, sizeof text - 1);
    memcpy(text, silent->text, len);
    text[len] = '\0';
    child->contact.missed++;
    child->cursor.bad_block = child->dictionary.bad_name = false; /* the reason is another one
                                                                   * now */
    child->dictionary.bad_look_up = silent->look_up && !is_silent(child, silent->failure);
    if (child->contact.silent < UINT32_MAX)
        child->contact.silent++;
    if (child->contact.silent < silent->in_a_row)
        child->contact.silent = silent->in_a_row;
    child->contact.state = state_after(child, silent->failure);
    child_say_error(child, len > 0 && text_is_printable(text, len) ? text : "no answer");
    if (child->contact.state == CHILD_REFUSED || child->contact.state == CHILD_WRONG_KEY)
        child_complain(child, child_error(child), child_error(child), now);
    if (child_is_lost(child))
        announce_lost(children, child, now);
}

/* When the child becomes late or, if it is late, lost, if its poller continues to say nothing of
 * it. */
static uint64_t unheard_due(const struct child *child, bool is_late)
{
    uint64_t period_ns = child->period_ms * NS_PER_MS;
    return child->contact.told_ns + (is_late
                                         ? CHILD_UNHEARD_LOST * period_ns + CHILD_UNHEARD_LOST_NS
                                         : CHILD_UNHEARD_LATE * period_ns + CHILD_UNHEARD_LATE_NS);
}

static void be_down(struct children *children, struct child *child, struct moment now)
{
    char text[CHILD_ERROR_SIZE];
    child->contact.state = CHILD_DOWN;
    text_format(text, sizeof text, "its poller has said nothing of it for %llu s",
                (unsigned long long)((now.mono_ns - child->contact.told_ns) / NS_PER_S));
    child_say_error(child, text);
    child_lose(children, child, now);
}

static void be_late(struct child *child, const char *why)
{
    child->contact.state = CHILD_LATE;
    child_say_error(child, why);
}

uint64_t child_watch_poller(struct children *children, struct child *child, struct moment now)
{
    if (child_is_lost(child))
        return UINT64_MAX;
    if (now.mono_ns >= unheard_due(child, true)) {
        be_down(children, child, now);
        return UINT64_MAX;
    }
    if (child->contact.state == CHILD_UP && now.mono_ns >= unheard_due(child, false))
        be_late(child, "its poller says nothing of it");
    return unheard_due(child, child->contact.state != CHILD_UP);
}

void child_not_polled(struct child *child, const char *why)
{
    if (child->contact.state == CHILD_UP)
        be_late(child, why);
}
