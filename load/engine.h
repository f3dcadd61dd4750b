/* A test of load: workers or arrivals go through a scenario, operation by operation, in one thread.
 *
 * Closed load: each worker goes through the whole scenario by itself; an operation begins when the
 * one before it has ended, and a pause is from then on; its response time counts from its begin.
 * Open load: operations arrive at a rate, whether those before them have ended or not, and one
 * worker each does them; a pause puts off all arrivals behind it. An arrival for which all workers
 * are busy begins as soon as one is free, and its response time counts from when it was to begin: a
 * server that stalls is not spared what it would have got meanwhile (coordinated omission; G. Tene:
 * How NOT to Measure Latency. 2015). */
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
    const struct action *const *action; /* of each name, as in scenario.name */
    unsigned workers;                   /* open: so many operations at once at most */
    double rate;                        /* arrivals a second; 0: closed load */
    bool is_poisson;
    uint64_t seed;
    uint64_t timeout_ns;  /* of an operation, from its begin */
    uint64_t duration_ns; /* nothing begins after it; 0: as long as the scenario has operations */
    struct data *data;    /* NULL: none */
    struct ramp *ramp;    /* NULL: the load does not grow; else also the result of it */
    const char *application; /* the name under which the sensors are published */
    int stop_fd;             /* a signalfd(2): what comes there interrupts the test */
};

/* What happened since the last time. */
struct engine_second {
    double seconds;              /* since the begin */
    const struct tally *tally;   /* of all operations that have ended since the last time */
    uint64_t operations, errors; /* since the begin */
    uint64_t running;
    double level; /* workers, or arrivals a second */
};

struct engine_observer {
    /* Once all that the actions need is there, and before the first operation. False: it is not to
     * begin, and why says why not. NULL: nobody is asked. */
    bool (*begin)(void *context, char why[FAILURE_TEXT]);
    /* False: it is to break off, and why says why. */
    bool (*second)(void *context, const struct engine_second *second, char why[FAILURE_TEXT]);
    void *context; /* of both */
};

struct engine_result {
    struct tally *tally; /* of each name, as in scenario.name; its own */
    double seconds;
    uint64_t unfinished; /* operations that were given up when it was interrupted */
    uint64_t overdue; /* open load: arrivals that were due before the end, by --duration, a ramp or
                         an interruption, and were not begun: all workers were busy */
    bool is_overdue_least; /* there were more than were counted: that was ended, for it took long */
    int signal;            /* that has interrupted it; 0: none */
    bool is_data_ended;    /* it has ended because there was no more test data */
    char why[FAILURE_TEXT + 64]; /* "": it was not broken off by something that went wrong here */
};

/* EINVAL: an action cannot be done at all, ECANCELED: the observer does not want it to begin,
 * ENOMEM, or another error number: nothing was begun, why says what, and there is nothing to be
 * released. */
int engine_run(const struct engine_load *load, const struct engine_observer *observer,
               struct engine_result *result);
void engine_result_release(struct engine_result *result, const struct scenario *scenario);

#endif
