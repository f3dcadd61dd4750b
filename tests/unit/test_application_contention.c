/* The contention factor, by hand and of locks whose contention is known. */
#include "application/contention.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "distributions.h"
#include "unit.h"

/* -- By hand: the example of doc/applications.md ----------------------------------------------- */

static void is_what_one_computes_by_hand(void **state)
{
    (void)state;
    struct contention_sums sums = {.seconds = 60,
                                   .arrivals = 12000,
                                   .waits = 2400,
                                   .holds = 12000,
                                   .held_ns = UINT64_C(12000000000)};
    struct contention contention = contention_of(&sums);
    assert_true(fabs(contention.probability - 0.2) < 1e-12);
    assert_true(fabs(contention.rate - 200) < 1e-9);
    assert_true(fabs(contention.hold - 0.001) < 1e-15);
    assert_true(fabs(contention.load - 0.2) < 1e-12);
    assert_true(fabs(contention.factor - 1) < 1e-12);
    sums.waits = 300;
    assert_true(fabs(contention_of(&sums).factor - 0.125) < 1e-12);
    sums.waits = 0;
    assert_true(contention_of(&sums).factor == 0);
    /* Who gives up does not hold it. */
    sums.waits = sums.failures = 6000;
    sums.holds = 6000;
    contention = contention_of(&sums);
    assert_true(fabs(contention.rate - 200) < 1e-9);
    assert_true(fabs(contention.load - 0.2) < 1e-12);
    assert_true(fabs(contention.factor - 2.5) < 1e-12);
}

/* -- What is not known ------------------------------------------------------------------------- */

static const struct contention_sums enough = {
    .seconds = 10, .arrivals = 1000, .waits = 100, .holds = 1000, .held_ns = 1000000};

static void without_time_nothing_is_known(void **state)
{
    (void)state;
    const double spans[] = {0, -1, NAN};
    for (size_t i = 0; i < N_OF(spans); i++) {
        struct contention_sums sums = enough;
        sums.seconds = spans[i];
        struct contention contention = contention_of(&sums);
        assert_true(isnan(contention.rate) && isnan(contention.load) && isnan(contention.factor));
    }
}

static void of_few_arrivals_there_is_no_probability(void **state)
{
    (void)state;
    struct contention_sums sums = enough;
    sums.waits = 50;
    sums.arrivals = CONTENTION_LEAST;
    assert_true(contention_of(&sums).probability == 0.5);
    assert_true(!isnan(contention_of(&sums).factor));
    sums.arrivals = CONTENTION_LEAST - 1;
    struct contention contention = contention_of(&sums);
    assert_true(isnan(contention.probability) && isnan(contention.factor));
    assert_true(contention.rate == 9.9);
    assert_false(isnan(contention.load));
    sums.arrivals = sums.waits = 0;
    contention = contention_of(&sums);
    assert_true(isnan(contention.probability) && contention.rate == 0);
}

static void of_few_holds_there_is_no_mean(void **state)
{
    (void)state;
    struct contention_sums sums = enough;
    sums.holds = CONTENTION_LEAST;
    assert_false(isnan(contention_of(&sums).factor));
    sums.holds = CONTENTION_LEAST - 1;
    struct contention contention = contention_of(&sums);
    assert_true(isnan(contention.hold) && isnan(contention.load) && isnan(contention.factor));
    assert_true(contention.probability == 0.1);
}

/* Nobody holds it for as long as a nanosecond; everybody gave up; more gave up than came. */
static void of_a_lock_that_was_not_held_there_is_no_factor(void **state)
{
    (void)state;
    struct contention_sums sums = enough;
    sums.held_ns = 0;
    assert_true(contention_of(&sums).load == 0 && isnan(contention_of(&sums).factor));
    sums = enough;
    sums.failures = sums.arrivals;
    assert_true(contention_of(&sums).load == 0 && isnan(contention_of(&sums).factor));
    sums.failures++;
    assert_true(isnan(contention_of(&sums).load) && isnan(contention_of(&sums).factor));
}

static void a_probability_is_at_most_one(void **state)
{
    (void)state;
    struct contention_sums sums = enough;
    sums.waits = sums.arrivals + 3;
    assert_true(contention_of(&sums).probability == 1);
    sums.arrivals = sums.waits = sums.holds = sums.held_ns = UINT64_MAX;
    assert_true(isfinite(contention_of(&sums).factor));
}

/* -- Locks that are simulated ------------------------------------------------------------------ */

static double exponential(uint64_t *seed, double mean)
{
    return -mean * log(uniform(seed));
}

/* An arrival at some time at a lock that is free from *free_at on: it waits for its turn, or gives
 * up. */
static void arrive(struct contention_sums *sums, double *free_at, double now, double hold,
                   bool waits_for_it)
{
    sums->arrivals++;
    sums->seconds = now;
    if (now < *free_at) {
        sums->waits++;
        if (!waits_for_it) {
            sums->failures++;
            return;
        }
    }
    *free_at = fmax(now, *free_at) + hold;
    sums->holds++;
    sums->held_ns += (uint64_t)llround(1e9 * hold);
}

#define HOLD 0.001 /* the mean, in seconds */
#define ARRIVALS 20000

/* Poisson arrivals at k locks, each of which is as likely; rate is of each of them. */
static void poisson(struct contention_sums *sums, uint64_t *seed, double load, unsigned k,
                    bool waits_for_it)
{
    double free_at[8] = {0}, now = 0;
    for (int i = 0; i < ARRIVALS; i++) {
        now += exponential(seed, HOLD / load / k);
        unsigned which = (unsigned)(uniform(seed) * k);
        arrive(sums, &free_at[which], now, exponential(seed, HOLD), waits_for_it);
    }
}

static void poisson_at_one(struct contention_sums *sums, uint64_t *seed)
{
    poisson(sums, seed, 0.3, 1, true);
}

static void poisson_at_a_busy_one(struct contention_sums *sums, uint64_t *seed)
{
    poisson(sums, seed, 0.8, 1, true);
}

static void poisson_at_eight(struct contention_sums *sums, uint64_t *seed)
{
    poisson(sums, seed, 0.3, 8, true);
}

static void poisson_that_give_up(struct contention_sums *sums, uint64_t *seed)
{
    poisson(sums, seed, 1.5, 1, false);
}

/* How long it is held does not matter: always the same time. */
static void poisson_with_equal_holds(struct contention_sums *sums, uint64_t *seed)
{
    double free_at = 0, now = 0;
    for (int i = 0; i < ARRIVALS; i++) {
        now += exponential(seed, 2 * HOLD);
        arrive(sums, &free_at, now, HOLD, true);
    }
}

static void periodic(struct contention_sums *sums, uint64_t *seed)
{
    double free_at = 0;
    for (int i = 1; i <= ARRIVALS; i++)
        arrive(sums, &free_at, 2 * HOLD * i, exponential(seed, HOLD), true);
}

static void in_pairs(struct contention_sums *sums, uint64_t *seed)
{
    double free_at = 0, now = 0;
    for (int i = 0; i < ARRIVALS; i += 2) {
        now += exponential(seed, 4 * HOLD);
        arrive(sums, &free_at, now, exponential(seed, HOLD), true);
        arrive(sums, &free_at, now, exponential(seed, HOLD), true);
    }
}

/* Two threads, each of which comes again some time after it has given the lock back. */
static void two_threads(struct contention_sums *sums, uint64_t *seed)
{
    double free_at = 0, comes_at[2] = {0, exponential(seed, HOLD)};
    for (int i = 0; i < ARRIVALS; i++) {
        double *now = &comes_at[comes_at[1] < comes_at[0]];
        arrive(sums, &free_at, *now, exponential(seed, HOLD), true);
        *now = free_at + exponential(seed, HOLD);
    }
}

/* Where the factors come from, with r the load and in units of the mean hold:
 *
 * Poisson arrivals: P = r, by PASTA, so that the factor is 1; at k locks, P is the load of one of
 * them, which is 1/k of what rate x hold says. If arrivals give up, as calls of Erlang's loss
 * formula do, P = a / (1 + a) with a the load that is offered, and the lock is held for just this
 * part of the time.
 *
 * Periodic arrivals (D/M/1): an arrival finds the lock held with probability s, the root of
 * s = exp(-(1 - s) / r) below 1 (L. Kleinrock: Queueing Systems, Volume 1, 1975, section 6.4). With
 * r = 1/2, s = 0.2031878699799799, and the factor is s / r.
 *
 * In pairs (M^[2]/M/1): the first one finds the lock held with probability r, since the pairs are
 * Poisson arrivals; the second one always. P = (1 + r) / 2, with r = 1/2 the factor is 3/2.
 *
 * Two threads: an arrival can find only the other one there, and finds the system as one thread
 * would have it (K. C. Sevcik, I. Mitrani: The Distribution of Queuing Network States at Input and
 * Output Instants. JACM 28(2), 1981). With the lock away as long as held, P = 1/2. Of both, none is
 * there with probability 1 : 2 : 2, so the lock is held 4/5 of the time, and the factor is 5/8. */
static const struct lock {
    const char *name;
    void (*simulate)(struct contention_sums *sums, uint64_t *seed);
    double factor;
} locks[] = {
    {"Poisson arrivals", poisson_at_one, 1},
    {"Poisson arrivals at a busy lock", poisson_at_a_busy_one, 1},
    {"Poisson arrivals, equal holds", poisson_with_equal_holds, 1},
    {"Poisson arrivals that give up", poisson_that_give_up, 1},
    {"eight locks", poisson_at_eight, 1.0 / 8},
    {"periodic arrivals", periodic, 2 * 0.2031878699799799},
    {"arrivals in pairs", in_pairs, 1.5},
    {"two threads", two_threads, 0.625},
};

#define RUNS 40

/* The mean of many runs is within what the differences between them allow: 3.3 standard errors, and
 * these are small. */
static void check_lock(const struct lock *lock)
{
    double sum = 0, squares = 0;
    uint64_t seed = 17;
    for (int run = 0; run < RUNS; run++) {
        struct contention_sums sums = {.seconds = 0};
        lock->simulate(&sums, &seed);
        double factor = contention_of(&sums).factor;
        sum += factor;
        squares += factor * factor;
    }
    double mean = sum / RUNS, error = sqrt((squares / RUNS - mean * mean) / (RUNS - 1));
    if (fabs(mean - lock->factor) > 3.3 * error || error > 0.005 * lock->factor)
        fail_msg("%s: %g +- %g, not %g", lock->name, mean, error, lock->factor);
}

static void is_known_of_locks_that_are_simulated(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(locks); i++)
        check_lock(&locks[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_one_computes_by_hand),
        cmocka_unit_test(without_time_nothing_is_known),
        cmocka_unit_test(of_few_arrivals_there_is_no_probability),
        cmocka_unit_test(of_few_holds_there_is_no_mean),
        cmocka_unit_test(of_a_lock_that_was_not_held_there_is_no_factor),
        cmocka_unit_test(a_probability_is_at_most_one),
        cmocka_unit_test(is_known_of_locks_that_are_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
