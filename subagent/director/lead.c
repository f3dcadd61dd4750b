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
    election->candidates[i] = (struct election_candidate){.heard_ns = 0};
    text_format(election->candidates[i].name, NAME_SIZE, "%s", name);
    if (old == before->election.n)
        return;
    election->candidates[i] = before->election.candidates[old];
    lead->asked_ns[i] = before->asked_ns[old];
}

/* What this node holds itself is put in its own entry. */
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
    *election = before.election;
    election->n = 0;
    election->rules = setup->rules;
    election->began_ns = before.election.began_ns ? before.election.began_ns : now_ns;
    memcpy(lead->self, setup->self, sizeof lead->self);
    memcpy(lead->root, setup->root, sizeof lead->root);
    for (size_t i = 0; i < setup->n && election->n < ELECTION_CANDIDATES_MAX; i++)
        add_candidate(lead, &before, setup->candidates[i]);
    election->self = find_candidate(election, lead->self);
    if (election->self == election->n)
        election->n = election->self = 0; /* this node takes no part in the election */
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

/* An answer to a question from before this process was frozen may have waited for just as long. */
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
        return true; /* this is known or outdated */
    if (lead->fence.term == 0)
        lead->fence.since_ns = now_ns;
    lead->fence.term = term;
    text_format(lead->fence.root, sizeof lead->fence.root, "%s", root);
    return true;
}

/* -- What follows ---------------------------------------------------------------------------- */

/* Whether each of the others was asked since the knowledge began. */
static bool is_fresh(const struct lead *lead)
{
    for (size_t i = 0; i < lead->election.n; i++)
        if (i != lead->election.self && lead->asked_ns[i] < lead->fresh_ns)
            return false;
    return true;
}

/* What nodes say of a candidate is put in its entry, as if the candidate had said it, but it does
 * not count as its answer. If the candidate has answered since, and not as root, it is not root any
 * more, and its term is used up. */
static void feed_fence(struct lead *lead)
{
    struct election *election = &lead->election;
    size_t i = find_candidate(election, lead->fence.root);
    if (lead->fence.term == 0 || i == election->n || i == election->self)
        return;
    struct election_candidate *root = &election->candidates[i];
    if (root->term >= lead->fence.term)
        return;
    root->term = lead->fence.term;
    root->holds = root->heard_ns < lead->fence.since_ns;
    memcpy(root->root, root->name, sizeof root->root);
}

/* The term belongs to this node's own past, or to a root that is no candidate and has no nodes:
 * nobody else will use it. */
static bool is_used_up(const struct lead *lead)
{
    size_t i = find_candidate(&lead->election, lead->fence.root);
    return lead->fence.term > 0 && (i == lead->election.n || i == lead->election.self);
}

static void pass_over(const struct lead *lead, struct lead_verdict *verdict)
{
    verdict->may_order = false;
    verdict->promote = election_next_term(&lead->election, lead->fence.term);
    text_format(verdict->reason, sizeof verdict->reason, "nodes obey \"%s\" in term %u",
                lead->fence.root, (unsigned)lead->fence.term);
}

static void take_result(const struct lead *lead, const struct election_result *result,
                        struct lead_verdict *verdict)
{
    bool is_known = result->root < lead->election.n, leads = result->verdict == ELECTION_LEAD;
    verdict->again_ns = result->again_ns;
    verdict->term = result->term;
    if (result->verdict == ELECTION_FOLLOW && !is_known)
        memcpy(verdict->root, lead->root, sizeof verdict->root); /* the one that it obeyed */
    if (is_known)
        memcpy(verdict->root, lead->election.candidates[result->root].name, sizeof verdict->root);
    memcpy(verdict->reason, result->reason, sizeof verdict->reason);
    if (result->verdict == ELECTION_PROMOTE)
        verdict->promote = result->term;
    verdict->is_root =
        leads || (verdict->promote > 0 && strcmp(lead->root, lead->self) == 0); /* it remains so */
    verdict->may_order = leads && is_fresh(lead);
    if (verdict->promote)
        verdict->term = lead->term;
}

void lead_decide(struct lead *lead, uint64_t now_ns, struct lead_verdict *verdict)
{
    struct election_result result;
    *verdict = (struct lead_verdict){.again_ns = UINT64_MAX, .term = lead->term};
    if (lead->election.n == 0) {
        text_format(verdict->reason, sizeof verdict->reason,
                    "\"%s\" is no candidate of its tree document", lead->self);
        return;
    }
    hear_self(lead, now_ns);
    feed_fence(lead);
    election_decide(&lead->election, now_ns, &result);
    take_result(lead, &result, verdict);
    if (is_used_up(lead) && (verdict->may_order || verdict->promote))
        pass_over(lead, verdict);
    if (!is_fresh(lead))
        verdict->promote = 0; /* the previous root is asked first */
}
