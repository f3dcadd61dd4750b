#include "tree/claim.h"

#include <stdio.h>
#include <string.h>

/* These are parts of the time to live. */
#define PAUSES 9   /* between two looks at the keys */
#define RETRIES 18 /* after a failure */
#define TIMEOUTS 6

void claim_begin(struct claim *claim, const struct claim_setup *setup)
{
    bool is_same = strcmp(claim->setup.self, setup->self) == 0 &&
                   claim->setup.ttl_ns == setup->ttl_ns && claim->setup.logs_in == setup->logs_in;
    if (!is_same)
        *claim = (struct claim){.ask = CLAIM_WAIT};
    claim->setup = *setup;
}

void claim_outdo(struct claim *claim, uint32_t term)
{
    if (term > claim->above)
        claim->above = term;
}

void claim_yield(struct claim *claim, uint32_t term, uint64_t now_ns)
{
    if (term <= claim->yielded_term)
        return;
    claim->yielded_term = term;
    claim->yields_ns = now_ns + 2 * claim->setup.ttl_ns;
}

uint64_t claim_timeout(const struct claim *claim)
{
    return claim->setup.ttl_ns / TIMEOUTS;
}

/* -- What to ask ----------------------------------------------------------------------------- */

static uint32_t next_term(const struct claim *claim)
{
    uint32_t above = claim->above > claim->keys.term ? claim->above : claim->keys.term;
    return above < UINT32_MAX ? above + 1 : 0;
}

static struct claim_question wait_until(uint64_t ns)
{
    return (struct claim_question){.ask = CLAIM_WAIT, .until_ns = ns};
}

static struct claim_question ask(struct claim *claim, enum claim_ask what, uint64_t now_ns)
{
    claim->ask = what;
    claim->asked_ns = now_ns;
    claim->asked = (struct claim_question){.ask = what,
                                           .ttl_ns = claim->setup.ttl_ns,
                                           .lease_id = claim->lease_id,
                                           .revision = claim->keys.revision};
    if (what == CLAIM_TAKE || what == CLAIM_RAISE)
        claim->asked.term = next_term(claim);
    return claim->asked;
}

/* Whether the lease may be used to claim with: only while most of its time is left. */
static bool is_granted(const struct claim *claim, uint64_t now_ns)
{
    return claim->granted_ns > 0 && now_ns < claim->granted_ns + claim->granted_ttl_ns / 3;
}

static bool is_read(const struct claim *claim, uint64_t now_ns)
{
    return claim->read_ns > 0 && now_ns < claim->read_ns + claim->setup.ttl_ns / PAUSES;
}

static struct claim_question of_holder(struct claim *claim, uint64_t now_ns)
{
    uint64_t due_ns = lease_due(&claim->lease, now_ns);
    if (now_ns < claim->yields_ns)
        return ask(claim, CLAIM_GIVE_BACK, now_ns);
    if (now_ns >= due_ns) {
        lease_try(&claim->lease, now_ns);
        return ask(claim, CLAIM_RENEW, now_ns);
    }
    if (!claim->is_checked)
        return ask(claim, CLAIM_READ, now_ns);
    if (claim->lease.term <= claim->above && next_term(claim) > 0)
        return ask(claim, CLAIM_RAISE, now_ns);
    return wait_until(due_ns);
}

static struct claim_question of_claimant(struct claim *claim, uint64_t now_ns)
{
    if (!is_read(claim, now_ns))
        return ask(claim, CLAIM_READ, now_ns);
    uint64_t due_ns = claim->read_ns + claim->setup.ttl_ns / PAUSES;
    uint64_t claims_ns = claim->free_ns + claim->setup.delay_ns;
    if (claim->free_ns == 0 || now_ns < claim->yields_ns || next_term(claim) == 0)
        return wait_until(due_ns);
    if (now_ns < claims_ns)
        return wait_until(claims_ns < due_ns ? claims_ns : due_ns);
    return ask(claim, is_granted(claim, now_ns) ? CLAIM_TAKE : CLAIM_GRANT, now_ns);
}

/* Forgets the lease, which is over. */
static void lose(struct claim *claim)
{
    lease_lose(&claim->lease);
    claim->lease_id = 0;
    claim->granted_ns = 0;
    claim->read_ns = claim->free_ns = 0;
}

struct claim_question claim_next(struct claim *claim, uint64_t now_ns)
{
    if (claim->ask != CLAIM_WAIT || claim->setup.ttl_ns == 0)
        return wait_until(UINT64_MAX);
    if (claim->lease.is_held && lease_state(&claim->lease, now_ns) == LEASE_NONE)
        lose(claim);
    if (now_ns < claim->pause_ns)
        return wait_until(claim->pause_ns);
    if (claim->setup.logs_in && !claim->is_logged_in)
        return ask(claim, CLAIM_LOGIN, now_ns);
    return claim->lease.is_held ? of_holder(claim, now_ns) : of_claimant(claim, now_ns);
}

/* -- What the answers mean ------------------------------------------------------------------- */

void claim_failed(struct claim *claim, const char *text, bool refused, bool login, uint64_t now_ns)
{
    enum claim_ask what = claim->ask;
    claim->ask = CLAIM_WAIT;
    claim->pause_ns = now_ns + claim->setup.ttl_ns / RETRIES;
    snprintf(claim->fault, sizeof claim->fault, "%s", text);
    claim->is_logged_in &= !login;
    if (claim->lease.is_held)
        return;
    claim->read_ns = claim->free_ns = 0;
    if (refused && what == CLAIM_TAKE)
        claim->granted_ns = 0; /* the lease may be gone */
}

static bool is_own(const struct claim *claim)
{
    return claim->lease_id != 0 && claim->keys.lease_id == claim->lease_id &&
           strcmp(claim->keys.holder, claim->setup.self) == 0;
}

/* The time of the lease counts from when it was asked for. */
static void begin_holding(struct claim *claim, uint64_t now_ns)
{
    bool taken =
        lease_take(&claim->lease, claim->keys.term, claim->granted_ttl_ns, claim->granted_ns);
    if (!taken || lease_state(&claim->lease, now_ns) == LEASE_NONE)
        lose(claim);
    claim->is_checked = true;
}

static void take_keys(struct claim *claim, const struct claim_keys *keys, uint64_t now_ns)
{
    bool is_free = !keys->holder[0];
    claim->keys = *keys;
    claim->read_ns = now_ns;
    if (!is_free)
        claim->free_ns = 0;
    else if (claim->free_ns == 0)
        claim->free_ns = now_ns;
    if (claim->lease.is_held && !is_own(claim))
        lose(claim); /* somebody has removed the key by hand */
    else if (claim->lease.is_held)
        claim->lease.term = keys->term;
    else if (is_own(claim) && claim->granted_ns > 0)
        begin_holding(claim, now_ns);
}

static void take_grant(struct claim *claim, const struct claim_answer *answer)
{
    claim->lease_id = answer->lease_id;
    claim->granted_ttl_ns = answer->ttl_ns;
    claim->granted_ns = claim->asked_ns;
}

/* A renewal may show that the lease has ended meanwhile. */
static void take_renewal(struct claim *claim, const struct claim_answer *answer, uint64_t now_ns)
{
    lease_confirm(&claim->lease, answer->ttl_ns, claim->asked_ns, now_ns);
    claim->is_checked = false;
    if (!claim->lease.is_held)
        lose(claim);
}

void claim_answered(struct claim *claim, const struct claim_answer *answer, uint64_t now_ns)
{
    enum claim_ask what = claim->ask;
    claim->ask = CLAIM_WAIT;
    claim->fault[0] = '\0';
    if (claim->lease.is_held && lease_state(&claim->lease, now_ns) == LEASE_NONE)
        lose(claim);
    if (what == CLAIM_LOGIN) {
        claim->is_logged_in = true;
    } else if (what == CLAIM_GRANT) {
        take_grant(claim, answer);
    } else if (what == CLAIM_RENEW) {
        take_renewal(claim, answer, now_ns);
    } else if (what == CLAIM_GIVE_BACK) {
        lose(claim);
    } else if (what != CLAIM_WAIT) {
        claim->is_checked = true;
        take_keys(claim, &answer->keys, now_ns);
    }
}

/* -- What follows ---------------------------------------------------------------------------- */

uint32_t claim_term(const struct claim *claim, uint64_t now_ns)
{
    bool is_sure = lease_state(&claim->lease, now_ns) == LEASE_SURE;
    return is_sure && now_ns >= claim->yields_ns && claim->lease.term > claim->above
               ? claim->lease.term
               : 0;
}

const char *claim_other(const struct claim *claim, uint64_t now_ns)
{
    bool is_known = claim->read_ns > 0 && now_ns < claim->read_ns + claim->setup.ttl_ns;
    return is_known && claim->keys.holder[0] && !is_own(claim) ? claim->keys.holder : NULL;
}

uint64_t claim_changes(const struct claim *claim, uint64_t now_ns)
{
    uint64_t due_ns = lease_changes(&claim->lease, now_ns);
    if (claim_other(claim, now_ns) && claim->read_ns + claim->setup.ttl_ns < due_ns)
        due_ns = claim->read_ns + claim->setup.ttl_ns;
    return due_ns;
}
