/* What one child may cost: memory by account, work by a bucket that leaks. Who goes beyond either
 * is refused: what it told is dropped, nobody polls it for a while, and the alarm that it is lost
 * says why. Then it gets another trial; each comes later than the one before it. */
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "children/child.h"

#define REFUSED_MIN_NS (30 * NS_PER_S)
#define REFUSED_MAX_NS (3600 * NS_PER_S)

/* The work that the bound allows at once is allowed again in so many seconds. */
#define WORK_SECONDS 16

struct child_refusal {
    bool waits;         /* it is not polled */
    uint64_t until_ns;  /* monotonic: then it is; and after that, its trial is over */
    uint64_t length_ns; /* of both */
};

/* -- Accounts --------------------------------------------------------------------------------- */

void child_charge(struct child *child, size_t octets)
{
    child->memory += octets;
}

void child_discharge(struct child *child, size_t octets)
{
    child->memory -= octets;
}

void child_work(const struct children *children, struct child *child, uint64_t units,
                uint64_t now_ns)
{
    uint64_t passed_ms = (now_ns - child->work_ns) / NS_PER_MS;
    uint64_t done = child->work; /* all of it, after that time */
    if (passed_ms < WORK_SECONDS * 1000)
        done = children->bound * passed_ms / (WORK_SECONDS * 1000);
    if (done > child->work)
        done = child->work;
    if (done > 0 || child->work == 0)
        child->work_ns = now_ns;
    child->work += units - done;
}

bool child_is_beyond(const struct children *children, const struct child *child)
{
    return child->memory > children->bound || child->work > children->bound;
}

/* -- Refusal ---------------------------------------------------------------------------------- */

bool child_is_refused(const struct child *child)
{
    return child->refusal && child->refusal->waits;
}

bool child_is_on_trial(const struct child *child, uint64_t now_ns)
{
    return child->refusal && !child->refusal->waits && now_ns < child->refusal->until_ns;
}

void child_pardon(struct child *child)
{
    free(child->refusal);
    child->refusal = NULL;
}

static void say_why(const struct children *children, struct child *child)
{
    const char *what = child->memory > children->bound ? "memory" : "work";
    text_format(
        child->error, sizeof child->error,
        "it needs more %s here than %llu KiB a child (collect child-kb), not polled for %llu s",
        what, (unsigned long long)(children->bound / 1024),
        (unsigned long long)(child->refusal->length_ns / NS_PER_S));
}

/* It begins anew when it is polled again, as one that was never met. */
static void forget_all(struct children *children, struct child *child, struct moment now)
{
    if (child->device)
        child_device_renew(children, child, now);
    else
        child->report_boot = 0;
    child_end_series(children, child, "its child is refused", now);
    child_alarms_end(children, child);
    child->next_block = 0;
    child->n_asked = 0;
    child->work = 0;
    child->bad_block = child->bad_name = child->bad_look_up = false;
    child->replays = !child->device;
}

void child_refuse(struct children *children, struct child *child, struct moment now)
{
    struct child_refusal *refusal = child->refusal;
    if (!refusal)
        refusal = child->refusal = calloc(1, sizeof *refusal);
    if (!refusal)
        return; /* its next message brings it here again */
    refusal->length_ns = refusal->length_ns ? 2 * refusal->length_ns : REFUSED_MIN_NS;
    if (refusal->length_ns > REFUSED_MAX_NS)
        refusal->length_ns = REFUSED_MAX_NS;
    refusal->waits = true;
    refusal->until_ns = now.mono_ns + refusal->length_ns;
    say_why(children, child);
    child->state = CHILD_REFUSED;
    child_forget_at_poller(children, child);
    forget_all(children, child, now);
    if (!child_lose(children, child, now))
        log_warning("collect", "child %s is refused: %s", child->name, child->error);
    if (refusal->until_ns < children->watch_ns)
        children->watch_ns = refusal->until_ns;
    memory_trim();
}

/* Its trial is as long as it was refused. */
void child_readmit(struct children *children, struct child *child, struct moment now)
{
    struct child_refusal *refusal = child->refusal;
    refusal->waits = false;
    refusal->until_ns = now.mono_ns + refusal->length_ns;
    child->state = CHILD_DISCOVERING;
    child->told_ns = now.mono_ns;
    log_info("collect", "child %s was refused and is polled again, on trial for %llu s",
             child->name, (unsigned long long)(refusal->length_ns / NS_PER_S));
    child_begin_polling(children, child);
}

uint64_t child_refused_until(const struct child *child)
{
    return child->refusal->until_ns;
}
