#include "tree/election.h"

#include <stdio.h>
#include <string.h>

#define OVERRULED_MAX 6

void election_hear(struct election *election, size_t candidate, bool holds, uint32_t term,
                   const char *root, uint64_t now_ns)
{
    struct election_candidate *entry = &election->candidates[candidate];
    entry->heard_ns = now_ns;
    entry->holds = holds;
    entry->term = term;
    snprintf(entry->root, sizeof entry->root, "%s", root);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t silence_max(const struct election *election)
{
    return election->rules.missed * election->rules.heartbeat_ns;
}

static bool claims(const struct election_candidate *candidate)
{
    return candidate->holds && strcmp(candidate->root, candidate->name) == 0;
}

static bool is_living(const struct election *election, size_t i, uint64_t now_ns)
{
    uint64_t heard_ns = election->candidates[i].heard_ns;
    return heard_ns > 0 && now_ns - later(heard_ns, election->began_ns) < silence_max(election);
}

/* The living root with the highest term besides this one; n: there is none. If two have the same
 * term, it is the one that is earlier in the list. */
static size_t find_leader(const struct election *election, uint64_t now_ns)
{
    size_t leader = election->n;
    for (size_t i = 0; i < election->n; i++)
        if (i != election->self && claims(&election->candidates[i]) &&
            is_living(election, i, now_ns) &&
            (leader == election->n ||
             election->candidates[i].term > election->candidates[leader].term))
            leader = i;
    return leader;
}

/* The highest term that is known, either of those that have a tree document or of all. */
static uint32_t highest(const struct election *election, bool holding)
{
    uint32_t term = 0;
    for (size_t i = 0; i < election->n; i++)
        if (election->candidates[i].term > term && (election->candidates[i].holds || !holding))
            term = election->candidates[i].term;
    return term;
}

/* Terms come in blocks with one term for each candidate; the first candidate has the highest. */
uint32_t election_next_term(const struct election *election, uint32_t above)
{
    uint64_t block = above / election->n + 1;
    uint64_t term = block * election->n + election->n - 1 - election->self;
    return term <= UINT32_MAX ? (uint32_t)term : 0;
}

static void decide(struct election_result *result, enum election_verdict verdict, size_t root,
                   uint32_t term)
{
    result->verdict = verdict;
    result->root = root;
    result->term = term;
}

static void promote(const struct election *election, struct election_result *result)
{
    uint32_t term = election_next_term(election, highest(election, false));
    if (term > 0) {
        decide(result, ELECTION_PROMOTE, election->self, term);
        return;
    }
    decide(result, ELECTION_FOLLOW, election->n, highest(election, false));
    snprintf(result->reason, sizeof result->reason, "there is no term higher than %u",
             result->term);
}

/* Another candidate that was given orders in this term by another root: nodes that obey that root
 * refuse this one. */
static const struct election_candidate *contest(const struct election *election)
{
    const struct election_candidate *self = &election->candidates[election->self];
    for (size_t i = 0; i < election->n; i++) {
        const struct election_candidate *other = &election->candidates[i];
        if (other->holds && other->term == self->term && strcmp(other->root, self->name) != 0)
            return other;
    }
    return NULL;
}

/* A candidate that the root obeyed by this one has told that the tree does not exist any more. */
static const struct election_candidate *ended_by(const struct election *election, uint64_t now_ns)
{
    const struct election_candidate *self = &election->candidates[election->self];
    for (size_t i = 0; i < election->n; i++) {
        const struct election_candidate *other = &election->candidates[i];
        if (i != election->self && !other->holds && other->term == self->term &&
            strcmp(other->root, self->root) == 0 && is_living(election, i, now_ns))
            return other;
    }
    return NULL;
}

static bool earlier_lives(const struct election *election, uint64_t now_ns)
{
    for (size_t i = 0; i < election->self; i++)
        if (election->candidates[i].holds && is_living(election, i, now_ns))
            return true;
    return false;
}

/* How long there must be no root before this one becomes root: the first of the list goes first.
 * Candidates that live and could go before this one are given time for it. */
static uint64_t patience(const struct election *election, uint64_t now_ns)
{
    uint64_t wait_ns = silence_max(election) << election->overruled;
    if (earlier_lives(election, now_ns))
        wait_ns += silence_max(election);
    return wait_ns + election->self * election->rules.heartbeat_ns;
}

/* Nobody is known to be root. */
static void wait_or_promote(const struct election *election, uint64_t now_ns,
                            struct election_result *result)
{
    const struct election_candidate *ended = ended_by(election, now_ns);
    if (!election->candidates[election->self].holds)
        return;
    if (ended) {
        snprintf(result->reason, sizeof result->reason, "\"%s\" says that the tree has ended",
                 ended->name);
        return;
    }
    uint64_t since_ns = later(election->began_ns, election->led_ns);
    uint64_t due_ns = since_ns + patience(election, now_ns);
    if (now_ns < due_ns) {
        if (due_ns < result->again_ns)
            result->again_ns = due_ns;
        return;
    }
    snprintf(result->reason, sizeof result->reason,
             "no candidate that is root has answered for %.1f s",
             (double)(now_ns - since_ns) / 1e9);
    promote(election, result);
}

/* This one is root, and a higher term than its own is known, of a root that does not answer. */
static void overrule(struct election *election, uint32_t term, struct election_result *result)
{
    if (election->overruled_term != term && election->overruled < OVERRULED_MAX)
        election->overruled++;
    election->overruled_term = term;
    decide(result, ELECTION_YIELD, election->n, term);
    snprintf(result->reason, sizeof result->reason,
             "there has been another root, in term %u, which does not answer", term);
}

static void yield_to(const struct election *election, size_t leader, struct election_result *result)
{
    const struct election_candidate *other = &election->candidates[leader];
    decide(result, ELECTION_YIELD, leader, other->term);
    snprintf(result->reason, sizeof result->reason, "\"%s\" is root, in term %u", other->name,
             other->term);
}

/* What a root does while there is no other living root to yield to. */
static void lead(struct election *election, uint64_t now_ns, struct election_result *result)
{
    const struct election_candidate *self = &election->candidates[election->self];
    const struct election_candidate *other = contest(election);
    if (highest(election, true) > self->term) {
        overrule(election, highest(election, true), result);
        wait_or_promote(election, now_ns, result);
    } else if (highest(election, false) > self->term) {
        snprintf(result->reason, sizeof result->reason,
                 "term %u has been used before, by a tree that has ended",
                 highest(election, false));
        promote(election, result);
    } else if (other) {
        snprintf(result->reason, sizeof result->reason, "\"%s\" obeys \"%s\" in the same term, %u",
                 other->name, other->root, other->term);
        promote(election, result);
    } else {
        election->led_ns = now_ns;
        decide(result, ELECTION_LEAD, election->self, self->term);
    }
}

void election_decide(struct election *election, uint64_t now_ns, struct election_result *result)
{
    const struct election_candidate *self = &election->candidates[election->self];
    if (election->decided_ns > 0 && now_ns - election->decided_ns > election->rules.heartbeat_ns)
        election->began_ns = now_ns;
    election->decided_ns = now_ns;
    *result = (struct election_result){.again_ns = now_ns + election->rules.heartbeat_ns / 4};
    size_t leader = find_leader(election, now_ns);
    const struct election_candidate *other = &election->candidates[leader];
    bool is_other =
        leader < election->n && (!claims(self) || other->term > self->term ||
                                 (other->term == self->term && leader < election->self));
    if (is_other) {
        election->led_ns = later(election->led_ns, other->heard_ns);
        election->overruled = election->overruled_term = 0;
    }
    if (is_other && claims(self)) {
        yield_to(election, leader, result);
    } else if (is_other) {
        decide(result, ELECTION_FOLLOW, leader, other->term);
    } else if (claims(self)) {
        lead(election, now_ns, result);
    } else {
        decide(result, ELECTION_FOLLOW, election->n, highest(election, false));
        wait_or_promote(election, now_ns, result);
    }
}
