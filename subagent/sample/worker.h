/* Calls that may block for long, or for ever: statvfs(3) of a dead mount, a sensor behind a bus.
 * Threads make them, so that a pass never waits for more than a moment. Not for other stages.
 *
 * One thread serves all jobs. A call that does not come back keeps its thread busy; the jobs behind
 * it go on in another thread, of which there are only a few. One of the threads never gets a remote
 * job, so that a dead server cannot hold up the calls about what is local.
 *
 * A pass is: worker_begin, worker_answered for each job, worker_end. */
#ifndef DCAMP_SAMPLE_WORKER_H
#define DCAMP_SAMPLE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct worker;
struct worker_job;

/* What a job does. Both functions may run in a thread, but never at a time when the caller may look
 * at the data, which is only after worker_answered has returned true, and until the next
 * worker_begin or worker_end. */
struct worker_call {
    void (*run)(void *data);
    void (*release)(void *data);
};

/* It starts no thread yet. NULL: out of memory. */
struct worker *worker_new(void);

/* Sets how long a pass waits before it starts a further thread, which it does at most four times:
 * 10 ms by default. It is for tests in which nothing hangs, on machines that may stand still for
 * longer. */
void worker_be_patient(struct worker *worker, uint64_t moment_ns);

/* Waits for no call: a thread that is in one ends when the call comes back. The jobs must have been
 * dropped before. */
void worker_free(struct worker *worker);

/* The job owns the data, unless the result is NULL: out of memory. Remote: what the job asks is
 * behind a network. */
struct worker_job *worker_add(struct worker *worker, const struct worker_call *call, void *data,
                              bool remote);

/* Ends the job; its data is released now or, if it is in a call, when the call comes back. */
void worker_drop(struct worker *worker, struct worker_job *job);

/* Makes the call of every job that is not in a call already, and waits for the answers. It does not
 * wait for jobs that are known to be slow, nor for those that are still in a call: a call that
 * hangs costs its wait, 40 ms at the most, only when it begins to hang, and not in every pass. */
void worker_begin(struct worker *worker);

/* Whether the job has an answer: from this pass or, if it is slow, from its call after the last
 * pass. */
bool worker_answered(struct worker *worker, const struct worker_job *job);

/* Starts the calls of the slow jobs, whose answers are for the next pass. */
void worker_end(struct worker *worker);

#endif
