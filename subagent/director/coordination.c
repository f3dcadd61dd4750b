#include "director/coordination.h"

#include <string.h>

#include "base/text.h"

/* -- What is seen ---------------------------------------------------------------------------- */

/* Somebody obeys this root in this term. If it is the term of this node's own lease, it need not be
 * exceeded. */
static void see(struct coordination *coordination, uint32_t term, const char *root)
{
    struct claim *claim = &coordination->claim;
    bool is_own = claim->lease.is_held && claim->lease.term == term &&
                  strcmp(root, coordination->lead.self) == 0;
    if (!is_own)
        claim_outdo(claim, term);
}

/* The operator has promoted another candidate. */
static bool is_promoted(const struct coordination *coordination, size_t i)
{
    const struct election *election = &coordination->lead.election;
    const struct election_candidate *other = &election->candidates[i];
    return i != election->self && other->holds && strcmp(other->root, other->name) == 0 &&
           coordination->claim.lease.is_held && other->term > coordination->claim.lease.term &&
           other->heard_ns > 0;
}

static void see_all(struct coordination *coordination, uint64_t boot_ns)
{
    const struct lead *lead = &coordination->lead;
    const struct election *election = &lead->election;
    for (size_t i = 0; i < election->n; i++) {
        if (i == election->self)
            continue;
        if (is_promoted(coordination, i))
            claim_yield(&coordination->claim, election->candidates[i].term, boot_ns);
        see(coordination, election->candidates[i].term, election->candidates[i].root);
    }
    see(coordination, lead->fence.term, lead->fence.root);
    see(coordination, lead->term, lead->root);
}

/* -- What follows ---------------------------------------------------------------------------- */

static void with_lease(const struct coordination *coordination, uint32_t term,
                       struct lead_verdict *verdict)
{
    const struct lead *lead = &coordination->lead;
    verdict->is_root = strcmp(lead->root, lead->self) == 0;
    verdict->may_order = verdict->is_root && lead->term == term;
    memcpy(verdict->root, lead->root, sizeof verdict->root);
    if (verdict->may_order)
        return;
    verdict->is_halted = verdict->is_root; /* until the order in that term has come */
    if (coordination->is_reading) {
        text_format(verdict->reason, sizeof verdict->reason,
                    "it holds the lease in etcd, and reads what that keeps of the tree");
        return;
    }
    verdict->promote = term;
    text_format(verdict->reason, sizeof verdict->reason, "it holds the lease in etcd, in term %u",
                (unsigned)term);
}

static void without_lease(const struct coordination *coordination, uint64_t boot_ns,
                          struct lead_verdict *verdict)
{
    const struct lead *lead = &coordination->lead;
    const struct claim *claim = &coordination->claim;
    const char *other = claim_other(claim, boot_ns);
    bool is_held = lease_state(&claim->lease, boot_ns) == LEASE_SURE;
    text_format(verdict->root, sizeof verdict->root, "%s", lead->root);
    verdict->is_root = strcmp(lead->root, lead->self) == 0;
    verdict->is_halted = verdict->is_root;
    if (other && strcmp(other, lead->self) != 0) {
        verdict->is_root = verdict->is_halted = false;
        verdict->term = claim->keys.term;
        text_format(verdict->root, sizeof verdict->root, "%s", other);
        text_format(verdict->reason, sizeof verdict->reason,
                    "\"%s\" holds the lease in etcd, in term %u", other,
                    (unsigned)claim->keys.term);
    } else if (is_held) {
        text_format(verdict->reason, sizeof verdict->reason,
                    "the term of the lease in etcd is to be higher than %u",
                    (unsigned)claim->above);
    } else {
        text_format(verdict->reason, sizeof verdict->reason,
                    "it does not have the lease in etcd%s%.180s", claim->fault[0] ? ": " : "",
                    claim->fault);
    }
}

static void decide_by_lease(struct coordination *coordination, uint64_t now_ns, uint64_t boot_ns,
                            struct lead_verdict *verdict)
{
    *verdict = (struct lead_verdict){.again_ns = UINT64_MAX, .term = coordination->lead.term};
    see_all(coordination, boot_ns);
    uint32_t term = claim_term(&coordination->claim, boot_ns);
    if (term > 0)
        with_lease(coordination, term, verdict);
    else
        without_lease(coordination, boot_ns, verdict);
    uint64_t changes_ns = claim_changes(&coordination->claim, boot_ns);
    if (changes_ns != UINT64_MAX)
        verdict->again_ns = now_ns + (changes_ns > boot_ns ? changes_ns - boot_ns : 0);
}

void coordination_decide(struct coordination *coordination, uint64_t now_ns, uint64_t boot_ns,
                         struct lead_verdict *verdict)
{
    if (coordination->by_lease && coordination->lead.election.n > 0)
        decide_by_lease(coordination, now_ns, boot_ns, verdict);
    else
        lead_decide(&coordination->lead, now_ns, verdict);
}
