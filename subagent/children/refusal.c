#include "children/refusal.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "children/child.h"
#include "children/device.h"
#include "children/polling.h"

static void say_why_refused(const struct children *children, struct child *child)
{
    const char *what = child->cost.memory > children->bound ? "memory" : "work";
    char text[CHILD_ERROR_SIZE];
    text_format(
        text, sizeof text,
        "it needs more %s here than %llu KiB a child (collect child-kb), not polled for %llu s",
        what, (unsigned long long)(children->bound / 1024),
        (unsigned long long)(child->cost.refusal->length_ns / NS_PER_S));
    child_say_error(child, text);
}

/* Forgets what the child told, so that when it is polled again it begins as if it was never polled
 * before. */
static void forget_reports(struct children *children, struct child *child, struct moment now)
{
    if (child->device)
        child_device_renew(children, child, now);
    else
        child->cursor.boot = 0;
    child_records_end(children, child);
    child_end_series(children, child, "its child is refused", now);
    child_alarms_end(children, child);
    child->cursor.next_block = 0;
    child->dictionary.n_asked = 0;
    child->cost.work = 0;
    child->cursor.bad_block = child->dictionary.bad_name = child->dictionary.bad_look_up = false;
    child->cursor.replays = !child->device;
}

void child_refuse(struct children *children, struct child *child, struct moment now)
{
    if (!child_begin_refusal(child, now.mono_ns))
        return;
    say_why_refused(children, child);
    child->contact.state = CHILD_REFUSED;
    child_forget_at_poller(children, child);
    forget_reports(children, child, now);
    if (!child_lose(children, child, now))
        log_warning("collect", "child %s is refused: %s", child->name, child_error(child));
    if (child_refused_until(child) < children->watch_ns)
        children->watch_ns = child_refused_until(child);
    memory_trim();
}

void child_readmit(struct children *children, struct child *child, struct moment now)
{
    child_begin_trial(child, now.mono_ns);
    child->contact.state = CHILD_DISCOVERING;
    child->contact.told_ns = now.mono_ns;
    log_info("collect", "child %s was refused and is polled again, on trial for %llu s",
             child->name, (unsigned long long)(child->cost.refusal->length_ns / NS_PER_S));
    child_begin_polling(children, child);
}
