/* Calls that may block for long, or for ever: statvfs(3) of a dead mount, a sensor behind a bus.
 * Threads make them, so that a pass never waits for more than a moment; not for other stages.
 *
 * One thread serves all jobs. A call that does not come back keeps its thread; the jobs behind it
 * go on in another one, of which there are only a few. One of them is never given to a remote job,
 * so that a dead server cannot stop the looks at what is local.
 *
 * A pass: worker_begin, worker_answered for each job, worker_end. */
#ifndef DCAMP_SAMPLE_WORKER_H
#define DCAMP_SAMPLE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct worker;
struct worker_job;

/* What a job does. Both may run in a thread, but never at the same time as the caller looks at the
 * data: that is only after worker_answered said yes, and until the next worker_begin or _end. */
struct worker_call {
    void (*run)(void *data);
    void (*release)(void *data);
};

/* Starts no thread yet. NULL: out of memory. */
struct worker *worker_new(void);

/* How long a pass waits before it has a further thread started, four times at most: 10 ms if
 * nothing else is said. For tests in which nothing hangs, on machines that may stand still for
 * longer. */
void worker_be_patient(struct worker *worker, uint64_t moment_ns);

/* Waits for no call: a thread that is in one ends when it comes back. The jobs were dropped
 * before. */
void worker_free(struct worker *worker);

/* The data becomes the job's, unless the answer is NULL: out of memory. Remote: what it asks is
 * behind a network. */
struct worker_job *worker_add(struct worker *worker, const struct worker_call *call, void *data,
                              bool remote);

/* No more of this job; its data goes, at the latest when its call comes back. */
void worker_drop(struct worker *worker, struct worker_job *job);

/* Makes the call of every job that is not in it already, and waits for the answers; but not for
 * jobs that are known to be slow, nor for those that are still in a call: one that hangs costs its
 * wait, 40 ms at the most, when it begins to hang, and not in every pass. */
void worker_begin(struct worker *worker);

/* Whether the job has an answer: of this pass, or, of a slow one, of its call after the last pass.
 */
bool worker_answered(struct worker *worker, const struct worker_job *job);

/* Makes the calls of the slow jobs, for the next pass. */
void worker_end(struct worker *worker);

#endif
