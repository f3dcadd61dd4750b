/* How contended a lock is, from what was counted of it (dcamp_lock(3)). Pure.
 *
 * The contention factor is that of D. Didona, P. Romano, S. Peluso, F. Quaglia: Transactional Auto
 * Scaler: Elastic Scaling of In-memory Transactional Data Grids. ICAC 2012, pp. 125-134,
 * doi:10.1145/2371536.2371559:
 *
 *     factor = P / (rate x hold)
 *
 * with P the probability that an arrival finds the lock held, rate the arrivals per second and hold
 * the mean time that the lock is held, in seconds. rate x hold is the part of the time in which the
 * lock is held. Arrivals of a Poisson process find it held with just this probability (R. W. Wolff:
 * Poisson Arrivals See Time Averages. Operations Research 30(2), 1982), however long it is held and
 * whoever waits in which order. So the factor is
 *
 *     1        where one lock has Poisson arrivals: each thread comes whenever it likes, whether
 *              others are there or not;
 *     above 1  where arrivals come together: in bursts, or several threads woken at once. They
 *              meet each other, not what the lock is used for otherwise;
 *     below 1  where they come regularly, or keep out of each other's way: threads that wait come
 *              no second time meanwhile, so that m threads that seldom come have (m - 1) / m, and
 *              one thread has 0;
 *     1 / k    where the sensor is of k locks that are equally used and have Poisson arrivals. It
 *              says of any number of locks how many equally used ones would be as contended, and
 *              that stays the same with more threads and more nodes.
 *
 * The times between arrivals tell which of these it is: application/fit.h. */
#ifndef DCAMP_APPLICATION_CONTENTION_H
#define DCAMP_APPLICATION_CONTENTION_H

#include <stdint.h>

/* With fewer arrivals or holds, nothing is known: in one case of three, P is then wrong by 0.05 or
 * more, and the mean of times that vary as exponential ones do is wrong by 10 %. */
#define CONTENTION_LEAST 100

/* What came in a span of time: differences of the words of the sensors, over all processes. */
struct contention_sums {
    double seconds;    /* the length of that span */
    uint64_t arrivals; /* attempts to get the lock */
    uint64_t waits;    /* those that found it held, whether they waited or gave up */
    uint64_t failures; /* those that gave up */
    uint64_t holds;    /* how often the lock was released */
    uint64_t held_ns;  /* how long it had been held before these releases, summed up */
};

/* What is not known is not a number. */
struct contention {
    double probability; /* P, from 0 to 1 */
    double rate;        /* arrivals per second, including those that gave up */
    double hold;        /* seconds */
    double load;        /* the part of the time in which the lock is held; for k locks the sum of
                         * their parts: rate x hold, counting only arrivals that did not give up */
    double factor;      /* probability / load; 0 if nobody ever waited */
};

/* Without time, nothing is known. The factor is not known with fewer arrivals and holds than above,
 * or if the lock was never held. The counts are read while they are being written, so there may be
 * a few more waits than arrivals; then the probability is 1. */
struct contention contention_of(const struct contention_sums *sums);

#endif
