#include "director/lead.h"

#include <string.h>

#include "base/text.h"

static size_t find_candidate(const struct election *election, const char *name)
{
    for (size_t i = 0; i < election->n; i++)
        if (strcmp(election->candidates[i].name, name) == 0)
            return i;
    return election->n;
}

/* -- The setup ------------------------------------------------------------------------------- */

static void add_candidate(struct lead *lead, const struct lead *before, const char *name)
{
    struct election *election = &lead->election;
    size_t old = find_candidate(&before->election, name), i = election->n++;
    text_format(election->candidates[i].name, NAME_SIZE, "%s", name);
    if (old == before->election.n)
        return;
    election->candidates[i] = before->election.candidates[old];
    lead->asked_ns[i] = before->asked_ns[old];
}

/* What this node holds itself stands in its own entry. */
static void hear_self(struct lead *lead, uint64_t now_ns)
{
    struct election_candidate *self = &lead->election.candidates[lead->election.self];
    self->heard_ns = now_ns;
    self->holds = true;
    self->term = lead->term;
    memcpy(self->root, lead->root, sizeof self->root);
}

void lead_begin(struct lead *lead, const struct lead_setup *setup, uint64_t now_ns)
{
    const struct lead before = *lead;
    *lead = (struct lead){.term = setup->term,
                          .fence = before.fence,
                          .ticked_ns = now_ns,
                          .fresh_ns = before.fresh_ns ? before.fresh_ns : now_ns};
    struct election *election = &lead->election;
    election->rules = setup->rules;
    election->began_ns = before.election.began_ns ? before.election.began_ns : now_ns;
    memcpy(lead->self, setup->self, sizeof lead->self);
    memcpy(lead->root, setup->root, sizeof lead->root);
    for (size_t i = 0; i < setup->n && election->n < ELECTION_CANDIDATES_MAX; i++)
        add_candidate(lead, &before, setup->candidates[i]);
    election->self = find_candidate(election, lead->self);
    if (election->self == election->n)
        election->n = election->self = 0; /* it has no part in it */
    if (lead->fence.term < lead->term ||
        (lead->fence.term == lead->term && strcmp(lead->fence.root, lead->root) == 0))
        memset(&lead->fence, 0, sizeof lead->fence);
}

/* -- What is seen ---------------------------------------------------------------------------- */

void lead_tick(struct lead *lead, uint64_t now_ns)
{
    if (lead->ticked_ns && now_ns > lead->ticked_ns + lead->election.rules.heartbeat_ns)
        lead->fresh_ns = lead->election.began_ns = now_ns;
    lead->ticked_ns = now_ns;
}

static void note_asked(struct lead *lead, size_t i, uint64_t asked_ns)
{
    if (lead->asked_ns[i] < asked_ns)
        lead->asked_ns[i] = asked_ns;
}

/* An answer to a question from before this process was frozen may have waited as long. */
void lead_hear(struct lead *lead, const char *candidate, bool holds, uint32_t term,
               const char *root, uint64_t asked_ns, uint64_t now_ns)
{
    size_t i = find_candidate(&lead->election, candidate);
    if (i == lead->election.n || i == lead->election.self || asked_ns < lead->fresh_ns)
        return;
    note_asked(lead, i, asked_ns);
    election_hear(&lead->election, i, holds, term, root, now_ns);
}

void lead_miss(struct lead *lead, const char *candidate, uint64_t asked_ns)
{
    size_t i = find_candidate(&lead->election, candidate);
    if (i < lead->election.n)
        note_asked(lead, i, asked_ns);
}

bool lead_fence(struct lead *lead, uint32_t term, const char *root, bool works, uint64_t now_ns)
{
    bool is_candidate = find_candidate(&lead->election, root) < lead->election.n;
    bool is_own = term == lead->term && strcmp(root, lead->root) == 0;
    if (works && !is_candidate)
        return false;
    if (term < lead->term || term <= lead->fence.term || is_own)
        return true; /* that is known */
    if (lead->fence.term == 0)
        lead->fence.since_ns = now_ns;
    lead->fence.term = term;
    text_format(lead->fence.root, sizeof lead->fence.root, "%s", root);
    return true;
}

/* -- What follows ---------------------------------------------------------------------------- */

/* Whether each of the others was asked since what is known began. */
static bool is_fresh(const struct lead *lead)
{
    for (size_t i = 0; i < lead->election.n; i++)
        if (i != lead->election.self && lead->asked_ns[i] < lead->fresh_ns)
            return false;
    return true;
}

/* Whether the root of the higher term may yet show itself. One of this node's own past, one that is
 * no candidate any more, and one that answers as something else will not. */
static bool may_show_itself(const struct lead *lead, uint64_t now_ns, uint64_t *until_ns)
{
    const struct election *election = &lead->election;
    size_t i = find_candidate(election, lead->fence.root);
    uint64_t wait = election->rules.heartbeat_ns * (election->rules.missed + election->self);
    *until_ns = lead->fence.since_ns + wait;
    if (i == election->n || i == election->self)
        return false;
    const struct election_candidate *root = &election->candidates[i];
    bool is_root = root->holds && root->term >= lead->fence.term;
    return root->heard_ns >= lead->fence.since_ns && !is_root ? false : now_ns < *until_ns;
}

/* A higher term that no living candidate answers for: its root has died, or is root no more. It is
 * given the time to show itself that it would have had otherwise. */
static void decide_fenced(const struct lead *lead, uint64_t now_ns, struct lead_verdict *verdict)
{
    uint64_t until_ns;
    verdict->may_order = false;
    if (may_show_itself(lead, now_ns, &until_ns)) {
        if (until_ns < verdict->again_ns)
            verdict->again_ns = until_ns;
        text_format(verdict->reason, sizeof verdict->reason,
                    "nodes obey \"%s\" in term %u: it is waited for", lead->fence.root,
                    (unsigned)lead->fence.term);
        return;
    }
    if (lead->fence.term == UINT32_MAX) {
        text_format(verdict->reason, sizeof verdict->reason,
                    "nodes obey \"%s\" in the last term that there is", lead->fence.root);
        return;
    }
    verdict->promote = lead->fence.term + 1;
    text_format(verdict->reason, sizeof verdict->reason,
                "nodes obey \"%s\" in term %u, and it does not answer as root", lead->fence.root,
                (unsigned)lead->fence.term);
}

static void take_result(const struct lead *lead, const struct election_result *result,
                        struct lead_verdict *verdict)
{
    bool is_known = result->root < lead->election.n;
    verdict->again_ns = result->again_ns;
    verdict->term = is_known ? result->term : lead->term;
    memcpy(verdict->root, is_known ? lead->election.candidates[result->root].name : "",
           is_known ? NAME_SIZE : 1);
    memcpy(verdict->reason, result->reason, sizeof verdict->reason);
    verdict->is_root = result->verdict == ELECTION_LEAD;
    verdict->may_order = verdict->is_root && is_fresh(lead);
    if (result->verdict == ELECTION_PROMOTE)
        verdict->promote = result->term;
}

void lead_decide(struct lead *lead, uint64_t now_ns, struct lead_verdict *verdict)
{
    struct election_result result;
    *verdict = (struct lead_verdict){.again_ns = UINT64_MAX, .term = lead->term};
    memcpy(verdict->root, lead->root, sizeof verdict->root);
    if (lead->election.n == 0) {
        text_format(verdict->reason, sizeof verdict->reason,
                    "\"%s\" is no candidate of its tree document", lead->self);
        return;
    }
    hear_self(lead, now_ns);
    election_decide(&lead->election, now_ns, &result);
    take_result(lead, &result, verdict);
    if (verdict->is_root && lead->fence.term)
        decide_fenced(lead, now_ns, verdict);
    else if (verdict->promote && verdict->promote <= lead->fence.term)
        verdict->promote = lead->fence.term < UINT32_MAX ? lead->fence.term + 1 : 0;
    if (!is_fresh(lead))
        verdict->promote = 0; /* whoever was there before is asked first */
}
