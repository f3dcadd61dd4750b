/* Locks: counters and timers together, from which the contention can be computed. */
#include "libdcamp/lock.h"

#include <stdio.h>
#include <stdlib.h>

#include "libdcamp/app.h"
#include "libdcamp/clock.h"
#include "libdcamp/count.h"

enum part { INTERARRIVAL, ARRIVALS, WAITS, FAILURES, WAIT, HOLD, PARTS };

struct dcamp_lock {
    const struct handle *part[PARTS];
    struct dcamp_lock *next;
    char apart[64]; /* puts what every arrival writes on another cache line than what all read */
    uint64_t last;  /* the moment of the last arrival in any thread; 0 if there was none */
};

/* The part with the longest name is made first: if the name is too long, nothing has been made. */
static const struct {
    const char *suffix, *unit;
    enum segment_kind kind;
} parts[PARTS] = {
    [INTERARRIVAL] = {".interarrival", "s", SEGMENT_TIMER},
    [ARRIVALS] = {".arrivals", "arrivals", SEGMENT_COUNTER},
    [WAITS] = {".waits", "waits", SEGMENT_COUNTER},
    [FAILURES] = {".failures", "failures", SEGMENT_COUNTER},
    [WAIT] = {".wait", "s", SEGMENT_TIMER},
    [HOLD] = {".hold", "s", SEGMENT_TIMER},
};

/* What could not be published counts where nobody reads it. */
static struct dcamp_lock unpublished = {
    .part = {&dcamp_app_unpublished, &dcamp_app_unpublished, &dcamp_app_unpublished,
             &dcamp_app_unpublished, &dcamp_app_unpublished, &dcamp_app_unpublished},
};

/* All locks that were made, the latest one first; the list only grows. */
static struct dcamp_lock *locks;

void dcamp_locks_forked(void)
{
    for (struct dcamp_lock *lock = locks; lock; lock = lock->next)
        lock->last = 0;
}

/* The handles of counters and timers are a struct handle and nothing else, so it does not matter
 * whether a lock or another caller makes them first. */
static const struct handle *make_part(struct dcamp_app *app, enum part part, const char *name,
                                      const char *instance)
{
    char whole[2 * SEGMENT_NAME]; /* if it is cut, it is still too long */
    bool has_name = name && *name;
    snprintf(whole, sizeof whole, "%s%s", has_name ? name : "", has_name ? parts[part].suffix : "");
    return dcamp_app_sensor(app, &(struct dcamp_app_sensor){parts[part].kind, whole, instance,
                                                            parts[part].unit, NULL,
                                                            sizeof(struct handle)});
}

/* If two locks have the same sensors, they are the same lock. */
static struct dcamp_lock *find(const struct dcamp_lock *wanted)
{
    struct dcamp_lock *lock = __atomic_load_n(&locks, __ATOMIC_ACQUIRE);
    while (lock && lock->part[ARRIVALS] != wanted->part[ARRIVALS])
        lock = lock->next;
    return lock;
}

/* If two threads make the same lock, the second one finds that of the first. */
static struct dcamp_lock *find_or_add(struct dcamp_lock *added)
{
    added->next = __atomic_load_n(&locks, __ATOMIC_ACQUIRE);
    struct dcamp_lock *found;
    do
        found = find(added);
    while (!found && !__atomic_compare_exchange_n(&locks, &added->next, added, 0, __ATOMIC_RELEASE,
                                                  __ATOMIC_ACQUIRE));
    return found ? found : added;
}

struct dcamp_lock *dcamp_lock_new(struct dcamp_app *app, const char *name, const char *instance)
{
    struct dcamp_lock *lock = calloc(1, sizeof *lock);
    if (!lock) {
        dcamp_app_no_memory(name ? name : "");
        return &unpublished;
    }
    for (enum part part = 0; part < PARTS; part++) {
        lock->part[part] = make_part(app, part, name, instance);
        if (!lock->part[part]) {
            free(lock);
            return &unpublished;
        }
    }
    struct dcamp_lock *made = find_or_add(lock);
    if (made != lock)
        free(lock);
    return made;
}

/* Returns the moment of the last arrival before this one, and makes this one the last, unless
 * another thread has read the clock later and was faster here. So the gaps add up to the time. */
static uint64_t advance(struct dcamp_lock *lock, uint64_t now)
{
    uint64_t last = __atomic_load_n(&lock->last, __ATOMIC_RELAXED);
    while (!clock_is_later(last, now) &&
           !__atomic_compare_exchange_n(&lock->last, &last, now, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    return last;
}

struct dcamp_claim dcamp_lock_arrive(struct dcamp_lock *lock)
{
    struct dcamp_claim claim = {.since = dcamp_clock_now()};
    if (!lock)
        return claim;
    uint64_t last = advance(lock, claim.since);
    uint64_t ns = last ? dcamp_clock_between(last, claim.since) : CLOCK_NOT_COMPARABLE;
    count_word(lock->part[ARRIVALS], SEGMENT_COUNTER_VALUE, 1);
    if (ns != CLOCK_NOT_COMPARABLE)
        count_duration(lock->part[INTERARRIVAL], SEGMENT_TIMER_COUNT, ns);
    return claim;
}

void dcamp_lock_wait(struct dcamp_lock *lock, struct dcamp_claim *claim)
{
    claim->waits = 1;
    if (lock)
        count_word(lock->part[WAITS], SEGMENT_COUNTER_VALUE, 1);
}

void dcamp_lock_acquire(struct dcamp_lock *lock, struct dcamp_claim *claim)
{
    if (lock && claim->waits)
        count_duration(lock->part[WAIT], SEGMENT_TIMER_COUNT, dcamp_count_elapsed(claim->since));
    claim->since = dcamp_clock_now();
}

void dcamp_lock_fail(struct dcamp_lock *lock, struct dcamp_claim *claim)
{
    if (!claim->waits)
        dcamp_lock_wait(lock, claim);
    if (!lock)
        return;
    count_duration(lock->part[WAIT], SEGMENT_TIMER_COUNT, dcamp_count_elapsed(claim->since));
    count_word(lock->part[FAILURES], SEGMENT_COUNTER_VALUE, 1);
}

void dcamp_lock_release(struct dcamp_lock *lock, struct dcamp_claim *claim)
{
    uint64_t ns = dcamp_count_elapsed(claim->since);
    if (lock)
        count_duration(lock->part[HOLD], SEGMENT_TIMER_COUNT, ns);
}
