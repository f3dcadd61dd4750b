#include "jvm/candidates.h"

#include <stdlib.h>

#include "base/text.h"

static void let_go(struct candidates *candidates, struct candidate *candidate)
{
    if (candidate->file)
        candidates->close(candidate->file);
    candidate->file = NULL;
    candidate_forgive(candidate);
}

static void drop(struct candidates *candidates, pid_t pid)
{
    struct candidate *candidate;
    HASH_FIND(hh, candidates->by_pid, &pid, sizeof pid, candidate);
    if (!candidate)
        return;
    let_go(candidates, candidate);
    if (candidates->first == candidate)
        candidates->first = candidate->hh.next;
    HASH_DEL(candidates->by_pid, candidate);
    free(candidate);
}

struct candidate_user {
    UT_hash_handle hh;
    uid_t uid;
    uint64_t octets; /* read of its processes, less what later passes have made up for */
};

static void drop_user(struct candidates *candidates, struct candidate_user *user)
{
    HASH_DEL(candidates->users, user);
    free(user);
}

void candidates_release(struct candidates *candidates)
{
    while (candidates->users)
        drop_user(candidates, candidates->users);
    while (candidates->by_pid)
        drop(candidates, candidates->by_pid->pid);
}

static void add(struct candidates *candidates, const struct process *process)
{
    struct candidate *candidate = calloc(1, sizeof *candidate);
    if (candidate) {
        candidate->pid = process->pid;
        HASH_ADD(hh, candidates->by_pid, pid, sizeof candidate->pid, candidate);
    }
    if (!candidate || !table_has(hh, candidate)) {
        free(candidate);
        candidates->no_memory = true;
        return;
    }
    candidate->owner = process->owner;
    candidate->started = process->started;
    candidate->seen_ns = candidate->due_ns = candidates->now_ns;
}

/* Any change makes a new candidate: the process may have executed java, or changed its user. */
void candidates_follow(void *context, const struct process *before, const struct process *after)
{
    struct candidates *candidates = context;
    if (before)
        drop(candidates, before->pid);
    if (after && !after->ended)
        add(candidates, after);
}

void candidate_postpone(struct candidate *candidate, uint64_t now_ns)
{
    uint64_t age_ns = now_ns - candidate->seen_ns;
    if (age_ns < CANDIDATE_MIN_NS)
        age_ns = CANDIDATE_MIN_NS;
    candidate->due_ns = now_ns + (age_ns < CANDIDATE_MAX_NS ? age_ns : CANDIDATE_MAX_NS);
}

void candidate_blame(struct candidates *candidates, struct candidate *candidate,
                     enum owner_problem problem, const char *why)
{
    if (!candidate->trouble)
        candidate->trouble = calloc(1, sizeof *candidate->trouble);
    if (!candidate->trouble) {
        candidates->no_memory = true;
        return;
    }
    candidate->trouble->owner = candidate->owner;
    candidate->trouble->problem = problem;
    text_format(candidate->trouble->why, sizeof candidate->trouble->why, "process %d: %s",
                (int)candidate->pid, why);
}

void candidate_forgive(struct candidate *candidate)
{
    free(candidate->trouble);
    candidate->trouble = NULL;
}

/* -- Turns ------------------------------------------------------------------------------------- */

void candidates_begin(struct candidates *candidates)
{
    struct candidate_user *user, *next;
    candidates->octets = 0;
    candidates->user_octets = CANDIDATES_USER_OCTETS;
    HASH_ITER(hh, candidates->users, user, next)
    {
        if (user->octets > CANDIDATES_OCTETS)
            user->octets -= CANDIDATES_OCTETS;
        else
            drop_user(candidates, user);
    }
}

static struct candidate_user *user_of(const struct candidates *candidates, uid_t uid)
{
    struct candidate_user *user;
    HASH_FIND(hh, candidates->users, &uid, sizeof uid, user);
    return user;
}

static bool is_next(const struct candidates *candidates, const struct candidate *candidate,
                    uint64_t now_ns)
{
    if (candidate->file || candidate->is_shunned || now_ns < candidate->due_ns)
        return false;
    const struct candidate_user *user = user_of(candidates, candidate->owner);
    return !user || user->octets < candidates->user_octets;
}

static struct candidate *turn(struct candidates *candidates, struct candidate *from,
                              const struct candidate *to, uint64_t now_ns)
{
    for (; from && from != to; from = from->hh.next)
        if (is_next(candidates, from, now_ns))
            return from;
    return NULL;
}

/* Candidates take turns: those that were not looked at in this pass come first in the next one. */
struct candidate *candidates_next(struct candidates *candidates, uint64_t now_ns)
{
    struct candidate *next = NULL;
    while (candidates->octets < CANDIDATES_OCTETS) {
        next = turn(candidates, candidates->first, NULL, now_ns);
        if (!next)
            next = turn(candidates, candidates->by_pid, candidates->first, now_ns);
        if (next || candidates->user_octets == CANDIDATES_OCTETS)
            break;
        candidates->user_octets = CANDIDATES_OCTETS;
    }
    if (next)
        candidates->first = next->hh.next;
    return next;
}

/* A user whose processes cost more than the share is charged for all of it, but others still get
 * their turns in this pass. */
void candidates_charge(struct candidates *candidates, const struct candidate *candidate,
                       uint64_t octets)
{
    struct candidate_user *user = user_of(candidates, candidate->owner);
    candidates->octets += octets < CANDIDATES_USER_OCTETS ? octets : CANDIDATES_USER_OCTETS;
    if (!user && (user = calloc(1, sizeof *user))) {
        user->uid = candidate->owner;
        HASH_ADD(hh, candidates->users, uid, sizeof user->uid, user);
        if (!table_has(hh, user)) {
            free(user);
            user = NULL;
        }
    }
    if (user)
        user->octets += octets;
    else
        candidates->no_memory = true;
}

bool candidates_have_room(const struct candidates *candidates, uid_t owner)
{
    unsigned of_owner = 0, all = 0;
    for (const struct candidate *at = candidates->by_pid; at; at = at->hh.next) {
        all += at->file != NULL;
        of_owner += at->file && at->owner == owner;
    }
    return of_owner < JVM_USER_MAX && all < JVM_MAX;
}
