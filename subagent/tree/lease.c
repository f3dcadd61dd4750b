#include "tree/lease.h"

#include <string.h>

static bool is_fit(uint64_t ttl_ns)
{
    return ttl_ns >= LEASE_TTL_MIN_NS && ttl_ns <= LEASE_TTL_MAX_NS;
}

/* If the time of sending is in the future, which cannot be, no time has passed. */
static uint64_t age(uint64_t sent_ns, uint64_t now_ns)
{
    return now_ns > sent_ns ? now_ns - sent_ns : 0;
}

bool lease_take(struct lease *lease, uint32_t term, uint64_t ttl_ns, uint64_t sent_ns)
{
    if (!is_fit(ttl_ns))
        return false;
    *lease = (struct lease){.is_held = true,
                            .term = term,
                            .ttl_ns = ttl_ns,
                            .confirmed_ns = sent_ns,
                            .tried_ns = sent_ns};
    return true;
}

void lease_try(struct lease *lease, uint64_t now_ns)
{
    lease->tried_ns = now_ns;
}

void lease_lose(struct lease *lease)
{
    memset(lease, 0, sizeof *lease);
}

void lease_confirm(struct lease *lease, uint64_t ttl_ns, uint64_t sent_ns, uint64_t now_ns)
{
    if (!is_fit(ttl_ns) || lease_state(lease, now_ns) == LEASE_NONE) {
        lease_lose(lease);
        return;
    }
    if (sent_ns <= lease->confirmed_ns)
        return;
    lease->confirmed_ns = sent_ns;
    lease->ttl_ns = ttl_ns;
}

enum lease_state lease_state(const struct lease *lease, uint64_t now_ns)
{
    uint64_t age_ns = age(lease->confirmed_ns, now_ns);
    if (!lease->is_held || age_ns >= lease->ttl_ns)
        return LEASE_NONE;
    return age_ns < lease->ttl_ns / 3 * 2 ? LEASE_SURE : LEASE_UNSURE;
}

uint64_t lease_due(const struct lease *lease, uint64_t now_ns)
{
    if (lease_state(lease, now_ns) == LEASE_NONE)
        return UINT64_MAX;
    uint64_t due_ns = lease->confirmed_ns + lease->ttl_ns / 3;
    uint64_t again_ns = lease->tried_ns + lease->ttl_ns / 12;
    return due_ns > again_ns ? due_ns : again_ns;
}

uint64_t lease_changes(const struct lease *lease, uint64_t now_ns)
{
    switch (lease_state(lease, now_ns)) {
    case LEASE_SURE:
        return lease->confirmed_ns + lease->ttl_ns / 3 * 2;
    case LEASE_UNSURE:
        return lease->confirmed_ns + lease->ttl_ns;
    default:
        return UINT64_MAX;
    }
}
