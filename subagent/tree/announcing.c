#include "tree/announcing.h"

/* This part of each wait is random, half of it in either direction. */
#define CHANCE_PERCENT 50

/* A linear congruential generator (Knuth, The Art of Computer Programming, volume 2, section
 * 3.3.4): good enough to keep nodes out of step. */
static uint32_t next_random(struct announcing *announcing)
{
    announcing->random = announcing->random * UINT32_C(1664525) + UINT32_C(1013904223);
    return announcing->random >> 16;
}

/* The wait doubles each time. */
static uint64_t next_wait(struct announcing *announcing)
{
    uint64_t times = 1;
    for (uint32_t i = 0; i < announcing->tries && times < ANNOUNCING_SLOWEST; i++)
        times *= 2;
    if (times > ANNOUNCING_SLOWEST)
        times = ANNOUNCING_SLOWEST;
    uint64_t wait = announcing->wait_ns * times;
    uint64_t chance = wait / 100 * CHANCE_PERCENT;
    return wait - chance / 2 + (chance >> 16) * next_random(announcing);
}

static void plan_next(struct announcing *announcing, uint64_t now_ns)
{
    announcing->is_due = false;
    announcing->due_ns =
        announcing->wait_ns > 0 ? now_ns + next_wait(announcing) : (uint64_t)UINT64_MAX;
}

void announcing_open(struct announcing *announcing, uint32_t seed, uint64_t now_ns)
{
    *announcing = (struct announcing){.looked_ns = now_ns, .due_ns = UINT64_MAX, .random = seed};
}

void announcing_set(struct announcing *announcing, uint64_t wait_ns, uint64_t now_ns)
{
    if (announcing->wait_ns == wait_ns)
        return;
    announcing->wait_ns = wait_ns;
    announcing->tries = 0;
    plan_next(announcing, now_ns);
}

void announcing_looked(struct announcing *announcing, bool has_work, uint64_t now_ns)
{
    announcing->looked_ns = now_ns;
    if (has_work)
        announcing->tries = 0;
    plan_next(announcing, now_ns);
}

bool announcing_step(struct announcing *announcing, uint64_t now_ns)
{
    if (now_ns < announcing->due_ns)
        return announcing->is_due;
    announcing->tries += announcing->tries < UINT32_MAX;
    plan_next(announcing, now_ns);
    announcing->is_due = true;
    return true;
}

void announcing_done(struct announcing *announcing, bool sent)
{
    announcing->is_due = false;
    announcing->sent += sent;
}
