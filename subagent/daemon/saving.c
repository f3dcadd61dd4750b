#include "daemon/saving.h"

#include "base/clock.h"

#define PACE_NS NS_PER_S
/* After a save, this many times its cost is left for everything else; if somebody waits, no longer
 * than half a second, but never less than three times the cost. */
#define REST 9
#define REST_LEAST 3
#define REST_MOST_NS (NS_PER_S / 2)

static bool has_more(const struct saving *saving, const struct saving_needs *needs)
{
    const struct saving_needs *begun = &saving->begun;
    return begun->serial != needs->serial || begun->changes != needs->changes ||
           begun->mark.commits != needs->mark.commits;
}

bool saving_is_dirty(const struct saving *saving, const struct saver_status *status,
                     const struct saving_needs *needs)
{
    return status->busy || status->failed || has_more(saving, needs);
}

/* Half of the reserve is for what happens during the next save. RFC 1982: numbers wrap around. */
static bool runs_out(const struct saving *saving, const struct saving_needs *needs)
{
    uint32_t reserve = saving->reserved - saving->begun.given;
    return needs->given - saving->begun.given > reserve / 2;
}

static uint64_t rest_of(const struct saving *saving)
{
    uint64_t rest_ns = REST * saving->cost_ns, least_ns = REST_LEAST * saving->cost_ns;
    if (rest_ns > REST_MOST_NS)
        rest_ns = REST_MOST_NS;
    return rest_ns > least_ns ? rest_ns : least_ns;
}

/* The pace if nobody waits. */
static uint64_t pace_of(const struct saving *saving)
{
    uint64_t pace_ns = (1 + REST) * saving->cost_ns;
    return pace_ns > PACE_NS ? pace_ns : PACE_NS;
}

uint64_t saving_due(const struct saving *saving, const struct saver_status *status,
                    const struct saving_needs *needs, uint64_t now_ns)
{
    if (status->busy || !(status->failed || has_more(saving, needs)))
        return UINT64_MAX;
    if (status->failed)
        return saving->last_ns + PACE_NS;
    if (saving->begun.serial != needs->serial || saving->begun.mark.commits != needs->mark.commits)
        return now_ns;
    if (needs->wanted > saving->begun.mark.alarms || runs_out(saving, needs))
        return saving->last_ns + saving->cost_ns + rest_of(saving);
    return saving->last_ns + pace_of(saving);
}

void saving_begins(struct saving *saving, const struct saving_needs *needs, uint32_t reserved,
                   uint64_t now_ns, uint64_t cost_ns)
{
    saving->begun = *needs;
    saving->reserved = reserved;
    saving->last_ns = now_ns;
    saving->cost_ns = cost_ns;
}

bool saving_gives_up(struct saving *saving, const struct saver_status *status,
                     const struct saving_needs *needs, uint64_t now_ns, uint64_t *due_ns)
{
    *due_ns = UINT64_MAX;
    if (status->saved.alarms >= needs->mark.alarms) {
        saving->progress_ns = 0;
        return status->failed;
    }
    if (saving->progress_ns == 0 || saving->seen != status->saved.alarms)
        saving->progress_ns = now_ns ? now_ns : 1;
    saving->seen = status->saved.alarms;
    /* The saves of a large state are further apart. */
    uint64_t end_ns = saving->progress_ns + SAVING_PATIENCE_NS + (1 + REST_LEAST) * saving->cost_ns;
    if (status->failed || now_ns >= end_ns)
        return true;
    *due_ns = end_ns;
    return false;
}

enum saving_verdict saving_of_commit(const struct saver_status *status, uint64_t commit,
                                     uint64_t since_ns, uint64_t now_ns)
{
    if (status->saved.commits >= commit)
        return SAVING_SAVED;
    bool tried = status->failed && status->tried.commits >= commit;
    return tried || now_ns - since_ns >= SAVING_COMMIT_NS ? SAVING_FAILED : SAVING_WAITS;
}
