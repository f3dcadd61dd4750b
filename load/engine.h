/* A load test: workers or arrivals go through a scenario, operation by operation, in one thread.
 *
 * Closed load: each worker goes through the whole scenario by itself. An operation begins when the
 * one before it has ended, and a pause counts from that end; the response time counts from when
 * the operation began.
 *
 * Open load: operations arrive at a rate, whether those before them have ended or not, and each is
 * done by one worker; a pause delays all arrivals after it. If all workers are busy when an
 * operation arrives, it begins as soon as one is free, and its response time counts from when it
 * should have begun: thus a server that stalls is not spared the load that it would have got
 * meanwhile (coordinated omission; G. Tene: How NOT to Measure Latency. 2015). */
#ifndef DCAMP_LOAD_ENGINE_H
#define DCAMP_LOAD_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/action.h"
#include "load/data.h"
#include "load/failure.h"
#include "load/ramp.h"
#include "load/scenario.h"
#include "load/tally.h"

struct engine_load {
    const struct scenario *scenario;
    const struct action *const *action; /* one for each name, as in scenario.name */
    unsigned workers;                   /* open load: the largest number of operations at once */
    double rate;                        /* arrivals per second; 0: closed load */
    bool is_poisson;
    uint64_t seed;
    uint64_t timeout_ns;  /* of an operation, from its start */
    uint64_t duration_ns; /* nothing begins after it; 0: as long as the scenario has operations */
    struct data *data;    /* NULL if there are none */
    struct ramp *ramp;    /* NULL if the load does not grow; otherwise the result is in it, too */
    const char *application; /* the name under which the sensors are published */
    int stop_fd;             /* a signalfd(2): a signal that arrives there interrupts the test */
};

/* What happened since the last time. */
struct engine_second {
    double seconds;              /* since the start of the test */
    const struct tally *tally;   /* of all operations that have ended since the last time */
    uint64_t operations, errors; /* since the start of the test */
    uint64_t running;
    double level; /* workers, or arrivals per second */
};

struct engine_observer {
    /* Called when everything that the actions need is ready, before the first operation. Returns
     * false if the test is not to begin, and why says the reason. The pointer may be NULL. */
    bool (*begin)(void *context, char why[FAILURE_TEXT]);
    /* Returns false if the test is to be broken off, and why says the reason. */
    bool (*second)(void *context, const struct engine_second *second, char why[FAILURE_TEXT]);
    void *context; /* of both */
};

struct engine_result {
    struct tally *tally; /* one for each name, as in scenario.name; owned by the result */
    double seconds;
    uint64_t unfinished; /* operations that were given up when the test was interrupted */
    uint64_t overdue; /* open load: arrivals that were due before the end (by --duration, a ramp or
                       * an interruption) but were not begun, because all workers were busy */
    bool is_overdue_least; /* there were more than were counted, because counting took too long */
    int signal;            /* that interrupted the test; 0 if none did */
    bool is_data_ended;    /* the test ended because there were no more test data */
    char why[FAILURE_TEXT + 64]; /* the error here that broke the test off; "" if none did */
};

/* Returns EINVAL if an action cannot be done at all, ECANCELED if the observer does not want the
 * test to begin, ENOMEM, or another error number: then nothing was begun, why gives the reason, and
 * there is nothing to release. */
int engine_run(const struct engine_load *load, const struct engine_observer *observer,
               struct engine_result *result);
void engine_result_release(struct engine_result *result, const struct scenario *scenario);

#endif
