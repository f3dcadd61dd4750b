#include "children/bound.h"

#include <stdlib.h>

#include "children/child.h"

#define REFUSED_MIN_NS (30 * NS_PER_S)
#define REFUSED_MAX_NS (3600 * NS_PER_S)

/* The work that the bound allows at once becomes available again within so many seconds. */
#define WORK_SECONDS 16

/* -- Accounts --------------------------------------------------------------------------------- */

void child_charge(struct child *child, size_t octets)
{
    child->cost.memory += octets;
}

void child_discharge(struct child *child, size_t octets)
{
    child->cost.memory -= octets;
}

void child_work(const struct children *children, struct child *child, uint64_t units,
                uint64_t now_ns)
{
    uint64_t passed_ms = (now_ns - child->cost.work_ns) / NS_PER_MS;
    uint64_t done = child->cost.work; /* after WORK_SECONDS, all of it */
    if (passed_ms < WORK_SECONDS * 1000)
        done = children->bound * passed_ms / (WORK_SECONDS * 1000);
    if (done > child->cost.work)
        done = child->cost.work;
    if (done > 0 || child->cost.work == 0)
        child->cost.work_ns = now_ns;
    child->cost.work += units - done;
}

bool child_is_beyond(const struct children *children, const struct child *child)
{
    return child->cost.memory > children->bound || child->cost.work > children->bound;
}

/* -- Refusal ---------------------------------------------------------------------------------- */

bool child_begin_refusal(struct child *child, uint64_t now_ns)
{
    struct child_refusal *refusal = child->cost.refusal;
    if (!refusal)
        refusal = child->cost.refusal = calloc(1, sizeof *refusal);
    if (!refusal)
        return false;
    refusal->length_ns = refusal->length_ns ? 2 * refusal->length_ns : REFUSED_MIN_NS;
    if (refusal->length_ns > REFUSED_MAX_NS)
        refusal->length_ns = REFUSED_MAX_NS;
    refusal->waits = true;
    refusal->until_ns = now_ns + refusal->length_ns;
    return true;
}

void child_begin_trial(struct child *child, uint64_t now_ns)
{
    child->cost.refusal->waits = false;
    child->cost.refusal->until_ns = now_ns + child->cost.refusal->length_ns;
}

void child_pardon(struct child *child)
{
    free(child->cost.refusal);
    child->cost.refusal = NULL;
}

bool child_is_refused(const struct child *child)
{
    return child->cost.refusal && child->cost.refusal->waits;
}

bool child_is_on_trial(const struct child *child, uint64_t now_ns)
{
    return child->cost.refusal && !child->cost.refusal->waits &&
           now_ns < child->cost.refusal->until_ns;
}

uint64_t child_refused_until(const struct child *child)
{
    return child->cost.refusal->until_ns;
}
