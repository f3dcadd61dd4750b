#include "sample/worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <time.h>

#include "base/clock.h"

#define THREADS 4
#define REMOTE_THREADS (THREADS - 1)

/* How long a pass waits for answers before it starts a further thread. */
#define MOMENT_NS (10 * NS_PER_MS)

enum job_state { JOB_IDLE, JOB_QUEUED, JOB_RUNNING };

struct worker_job {
    const struct worker_call *call;
    void *data;
    enum job_state state;
    bool remote;
    bool slow;        /* no pass waits for it */
    bool answered;    /* a call has come back: the data can be looked at when the job is idle */
    bool awaited;     /* the pass waits for it */
    bool dropped;     /* dropped while it was running */
    uint64_t last_ns; /* how long the last call took */
    uint64_t took_ns; /* the time of the shorter of the last two calls: one may have had to wait for
                         a CPU */
    TAILQ_ENTRY(worker_job) queue;
    TAILQ_ENTRY(worker_job) all;
};

TAILQ_HEAD(jobs, worker_job);

struct thread {
    struct worker *worker;
    pthread_t id;
    bool calling;
    bool left; /* it was in a call when the worker was freed: nobody joins it */
};

struct worker {
    pthread_mutex_t lock;
    pthread_cond_t work; /* the threads wait for it */
    pthread_cond_t done; /* the pass waits for it */
    struct jobs all;
    struct jobs queues[2][2]; /* by slow and remote */
    struct thread threads[THREADS];
    unsigned n_threads;
    unsigned calling;
    unsigned calling_remote;
    unsigned queued;
    unsigned awaited;
    unsigned left;
    uint64_t moment_ns;
    bool stopping;
    bool freed; /* freed, except for what the threads that are left still need */
};

struct worker *worker_new(void)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->moment_ns = MOMENT_NS;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->work, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&worker->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    TAILQ_INIT(&worker->all);
    for (unsigned slow = 0; slow < 2; slow++)
        for (unsigned remote = 0; remote < 2; remote++)
            TAILQ_INIT(&worker->queues[slow][remote]);
    return worker;
}

static void destroy(struct worker *worker)
{
    pthread_mutex_destroy(&worker->lock);
    pthread_cond_destroy(&worker->work);
    pthread_cond_destroy(&worker->done);
    free(worker);
}

static void free_job(struct worker_job *job)
{
    job->call->release(job->data);
    free(job);
}

/* -- The threads ----------------------------------------------------------------------------- */

/* The next job; quick and local ones come first. NULL: there is none that may be taken now. */
static struct worker_job *take_job(struct worker *worker)
{
    bool remote_allowed = worker->calling_remote < REMOTE_THREADS;
    for (unsigned slow = 0; slow < 2; slow++)
        for (unsigned remote = 0; remote <= remote_allowed; remote++) {
            struct jobs *jobs = &worker->queues[slow][remote];
            struct worker_job *job = TAILQ_FIRST(jobs);
            if (!job)
                continue;
            TAILQ_REMOVE(jobs, job, queue);
            worker->queued--;
            return job;
        }
    return NULL;
}

static void no_longer_awaited(struct worker *worker, struct worker_job *job)
{
    if (job->awaited && --worker->awaited == 0)
        pthread_cond_signal(&worker->done);
    job->awaited = false;
}

/* The caller holds the lock, which is released during the call of the job. */
static void run(struct worker *worker, struct thread *thread, struct worker_job *job)
{
    job->state = JOB_RUNNING;
    thread->calling = true;
    worker->calling++;
    worker->calling_remote += job->remote;
    pthread_mutex_unlock(&worker->lock);
    uint64_t begin = clock_mono_ns();
    job->call->run(job->data);
    uint64_t took = clock_mono_ns() - begin;
    pthread_mutex_lock(&worker->lock);
    worker->calling_remote -= job->remote;
    worker->calling--;
    thread->calling = false;
    job->took_ns = took < job->last_ns || !job->answered ? took : job->last_ns;
    job->last_ns = took;
    job->answered = true;
    job->state = JOB_IDLE;
    no_longer_awaited(worker, job);
    if (job->dropped)
        free_job(job);
}

static void *thread_main(void *context)
{
    struct thread *thread = context;
    struct worker *worker = thread->worker;
    pthread_mutex_lock(&worker->lock);
    while (!worker->stopping) {
        struct worker_job *job = take_job(worker);
        if (job)
            run(worker, thread, job);
        else
            pthread_cond_wait(&worker->work, &worker->lock);
    }
    worker->left -= thread->left;
    bool last = worker->freed && worker->left == 0;
    pthread_mutex_unlock(&worker->lock);
    if (last)
        destroy(worker);
    return NULL;
}

/* The thread blocks all signals, because the daemon's signals are for its other threads. If there
 * is no memory for a thread, the jobs wait. */
static void start_thread(struct worker *worker)
{
    sigset_t all;
    sigset_t before;
    struct thread *thread = &worker->threads[worker->n_threads];
    if (worker->n_threads == THREADS)
        return;
    *thread = (struct thread){.worker = worker};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread->id, NULL, thread_main, thread) == 0)
        worker->n_threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Threads that are in a call end by themselves; until then the worker is kept for them. */
void worker_free(struct worker *worker)
{
    if (!worker)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->stopping = true;
    for (unsigned i = 0; i < worker->n_threads; i++) {
        worker->threads[i].left = worker->threads[i].calling;
        worker->left += worker->threads[i].left;
    }
    pthread_cond_broadcast(&worker->work);
    pthread_mutex_unlock(&worker->lock);
    for (unsigned i = 0; i < worker->n_threads; i++)
        if (worker->threads[i].left)
            pthread_detach(worker->threads[i].id);
        else
            pthread_join(worker->threads[i].id, NULL);
    pthread_mutex_lock(&worker->lock);
    worker->freed = true;
    bool last = worker->left == 0;
    pthread_mutex_unlock(&worker->lock);
    if (last)
        destroy(worker);
}

/* -- The jobs -------------------------------------------------------------------------------- */

struct worker_job *worker_add(struct worker *worker, const struct worker_call *call, void *data,
                              bool remote)
{
    struct worker_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->call = call;
    job->data = data;
    job->remote = remote;
    TAILQ_INSERT_TAIL(&worker->all, job, all);
    return job;
}

void worker_drop(struct worker *worker, struct worker_job *job)
{
    pthread_mutex_lock(&worker->lock);
    TAILQ_REMOVE(&worker->all, job, all);
    if (job->state == JOB_QUEUED) {
        TAILQ_REMOVE(&worker->queues[job->slow][job->remote], job, queue);
        worker->queued--;
    }
    bool running = job->state == JOB_RUNNING;
    job->dropped = running;
    pthread_mutex_unlock(&worker->lock);
    if (!running)
        free_job(job);
}

void worker_be_patient(struct worker *worker, uint64_t moment_ns)
{
    worker->moment_ns = moment_ns;
}

/* -- The pass -------------------------------------------------------------------------------- */

static void queue_job(struct worker *worker, struct worker_job *job)
{
    job->state = JOB_QUEUED;
    worker->queued++;
    TAILQ_INSERT_TAIL(&worker->queues[job->slow][job->remote], job, queue);
}

/* A pass waits for the calls that together took at most half a moment the last time; the others are
 * slow, and are made between the passes. Local calls take microseconds. */
static void queue_quick(struct worker *worker)
{
    uint64_t left = worker->moment_ns / 2;
    struct worker_job *job;
    TAILQ_FOREACH(job, &worker->all, all)
    {
        if (job->state != JOB_IDLE)
            continue;
        job->slow = job->took_ns > left;
        if (job->slow)
            continue;
        left -= job->took_ns;
        job->awaited = true;
        worker->awaited++;
        queue_job(worker, job);
    }
}

static void queue_slow(struct worker *worker)
{
    struct worker_job *job;
    TAILQ_FOREACH(job, &worker->all, all)
    if (job->state == JOB_IDLE && job->slow)
        queue_job(worker, job);
}

/* Wakes one thread, and starts a further one only if all threads are in calls. */
static void hand_over(struct worker *worker)
{
    if (worker->queued == 0)
        return;
    if (worker->calling == worker->n_threads)
        start_thread(worker);
    pthread_cond_signal(&worker->work);
}

static void wait_a_moment(struct worker *worker)
{
    uint64_t until = clock_mono_ns() + worker->moment_ns;
    struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
                                .tv_nsec = (long)(until % NS_PER_S)};
    int error = 0;
    while (worker->awaited > 0 && !error)
        error = pthread_cond_timedwait(&worker->done, &worker->lock, &deadline);
}

static void await_no_more(struct worker *worker)
{
    struct worker_job *job;
    TAILQ_FOREACH(job, &worker->all, all)
    job->awaited = false;
    worker->awaited = 0;
}

void worker_begin(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    queue_quick(worker);
    for (unsigned i = 0; i < THREADS && worker->awaited > 0; i++) {
        hand_over(worker);
        wait_a_moment(worker);
    }
    if (worker->awaited > 0)
        await_no_more(worker);
    pthread_mutex_unlock(&worker->lock);
}

bool worker_answered(struct worker *worker, const struct worker_job *job)
{
    pthread_mutex_lock(&worker->lock);
    bool answered = job->state == JOB_IDLE && job->answered;
    pthread_mutex_unlock(&worker->lock);
    return answered;
}

void worker_end(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    queue_slow(worker);
    hand_over(worker);
    pthread_mutex_unlock(&worker->lock);
}
