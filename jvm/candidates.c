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
    HASH_DEL(candidates->by_pid, candidate);
    free(candidate);
}

void candidates_release(struct candidates *candidates)
{
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

/* Whatever has changed of it: it may have executed java by now, or be of another user. */
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

bool candidates_have_room(const struct candidates *candidates, uid_t owner)
{
    unsigned of_owner = 0, all = 0;
    for (const struct candidate *at = candidates->by_pid; at; at = at->hh.next) {
        all += at->file != NULL;
        of_owner += at->file && at->owner == owner;
    }
    return of_owner < JVM_USER_MAX && all < JVM_MAX;
}
