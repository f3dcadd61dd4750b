/* Sensors of a program's own, published for dCAMP.
 *
 *     struct dcamp_app *app = dcamp_app_open("shop");
 *     struct dcamp_counter *orders = dcamp_counter_new(app, "orders", "", "orders");
 *     dcamp_counter_add(orders, 1);
 *
 * A program counts in a file of its own, which dcampd reads; see dcamp(3), and segment.h for the
 * file. Nothing here ever needs dcampd, and nothing fails: if something cannot be published, the
 * same calls count in memory that nobody sees, and dcamp_error() and dcamp_reason() say why.
 *
 * Opening or making something may wait (for memory, a lock, a disk). Counting takes no lock and
 * makes no system call; this means all functions below except dcamp_app_open(), dcamp_app_close(),
 * *_new() and dcamp_thread_name(). There are few exceptions: the first update of a thread gets its
 * place, an update at a place that is new to the thread may let the file grow, and the first update
 * after fork(2) makes the file of the child. Every function may be called by any thread at any
 * time; dcamp(3) says which are safe in signal handlers.
 *
 * Names have 1 to 32 of the characters A-Z a-z 0-9 . _ -; instances have at most 64 octets, units
 * 16 and purposes 32, all in UTF-8 without control characters. NULL for an instance, a unit or a
 * purpose is the empty text. All sensors of one name have the same kind and unit. Making a sensor
 * that exists returns that one. Sensors stay until the process ends: never free them. */
#ifndef DCAMP_H
#define DCAMP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* -- The application --------------------------------------------------------------------------- */

struct dcamp_app;

/* Publishes this process under that name. There is one application in a process: opening it again
 * returns the same one, with the error EBUSY if the name is another one. Never returns NULL. */
struct dcamp_app *dcamp_app_open(const char *name);

/* Has to be called as often as dcamp_app_open(); the last call ends publishing. What is counted
 * after that is not seen. NULL is allowed. */
void dcamp_app_close(struct dcamp_app *app);

/* Why the last dcamp_app_open() or *_new() of the calling thread published nothing: an error number
 * of <errno.h>, and a text for people, which stays valid until the next of these calls of the
 * thread. They are 0 and "" if it did publish. */
int dcamp_error(void);
const char *dcamp_reason(void);

/* Gives the calling thread a name in its shard, at most 32 octets of UTF-8, and a shard if it has
 * none yet. Without this, the shard has the name that the kernel knows (pthread_setname_np(3)). */
void dcamp_thread_name(const char *name);

/* -- Counters: how much of something there has ever been --------------------------------------- */

struct dcamp_counter;

struct dcamp_counter *dcamp_counter_new(struct dcamp_app *app, const char *name,
                                        const char *instance, const char *unit);
void dcamp_counter_add(struct dcamp_counter *counter, uint64_t n);

/* -- Gauges: how much of something there is ---------------------------------------------------- */

struct dcamp_gauge;

struct dcamp_gauge *dcamp_gauge_new(struct dcamp_app *app, const char *name, const char *instance,
                                    const char *unit);
void dcamp_gauge_set(struct dcamp_gauge *gauge, double value);
void dcamp_gauge_add(struct dcamp_gauge *gauge, double n);

/* -- Timers: how often something was done, and how long it took -------------------------------- */

struct dcamp_timer;

struct dcamp_timer *dcamp_timer_new(struct dcamp_app *app, const char *name, const char *instance);

/* Returns a moment, for dcamp_timer_stop() of this or another timer, in this or another thread. */
uint64_t dcamp_timer_start(struct dcamp_timer *timer);

/* Counts the time from that moment until now, and returns it in nanoseconds. */
uint64_t dcamp_timer_stop(struct dcamp_timer *timer, uint64_t start);

/* Counts a duration that is already known. */
void dcamp_timer_record(struct dcamp_timer *timer, uint64_t nanoseconds);

/* -- Histograms: how values of any unit are distributed ---------------------------------------- */

struct dcamp_histogram;

struct dcamp_histogram *dcamp_histogram_new(struct dcamp_app *app, const char *name,
                                            const char *instance, const char *unit);

/* Values closer to 0 than 1e-9 count as 0; those beyond 1e18 count in the last bucket. A value that
 * is not finite is not counted. */
void dcamp_histogram_record(struct dcamp_histogram *histogram, double value);

/* -- Tops: which keys have most of something --------------------------------------------------- */

struct dcamp_top;

struct dcamp_top *dcamp_top_new(struct dcamp_app *app, const char *name, const char *instance,
                                const char *unit);

/* Adds n to the amount of the key. If a key has more than 64 octets, only the first 64 count. */
void dcamp_top_add(struct dcamp_top *top, const char *key, uint64_t n);

/* -- Locks: how contended they are ------------------------------------------------------------- */

struct dcamp_lock;

/* One attempt to get the lock. */
struct dcamp_claim {
    uint64_t since; /* the moment of the arrival; later the moment since which the lock is held */
    int waits;      /* whether it found the lock held */
};

/* Six sensors together: counters NAME.arrivals, NAME.waits and NAME.failures, and timers NAME.wait,
 * NAME.hold and NAME.interarrival; therefore the name may have at most 19 characters. If one of
 * them cannot be made, none of them counts. */
struct dcamp_lock *dcamp_lock_new(struct dcamp_app *app, const char *name, const char *instance);

/* A thread arrives at the lock: counts one more arrival, and the time since the last one. */
struct dcamp_claim dcamp_lock_arrive(struct dcamp_lock *lock);

/* It finds the lock held, and waits. */
void dcamp_lock_wait(struct dcamp_lock *lock, struct dcamp_claim *claim);

/* It has got the lock. If it had to wait, this counts how long. */
void dcamp_lock_acquire(struct dcamp_lock *lock, struct dcamp_claim *claim);

/* It gives up, at once or after waiting; this means that it found the lock held. */
void dcamp_lock_fail(struct dcamp_lock *lock, struct dcamp_claim *claim);

/* It is about to release the lock: counts how long it was held. */
void dcamp_lock_release(struct dcamp_lock *lock, struct dcamp_claim *claim);

/* -- Steps: executions of a part of the program, one by one ------------------------------------ */

struct dcamp_step;

/* An execution that has begun. */
struct dcamp_execution {
    uint64_t start;
    uint64_t sequence;
};

/* The purpose is what several steps have in common, such as "payment" for all steps that have to do
 * with it. */
struct dcamp_step *dcamp_step_new(struct dcamp_app *app, const char *name, const char *instance,
                                  const char *purpose);

/* The sequence is a number that the program gives to what passes through several steps, such as the
 * number of an order: records with the same sequence belong together. */
struct dcamp_execution dcamp_step_begin(struct dcamp_step *step, uint64_t sequence);

/* May be called in any thread. The result 0 means success; others are defined by the program. */
void dcamp_step_end(struct dcamp_step *step, struct dcamp_execution execution, int32_t result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
