/* Publishes the test as sensors of this program, which a dcampd on the machine reads while it runs.
 * Without dcampd, nothing else changes. */
#ifndef DCAMP_LOAD_SENSORS_H
#define DCAMP_LOAD_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "libdcamp/dcamp.h"
#include "load/failure.h"
#include "load/scenario.h"

/* For one name of operations, which is the instance of all of these sensors except the step. */
struct sensors_operation {
    struct dcamp_counter *operations, *errors;
    struct dcamp_timer *response, *lateness;
    struct dcamp_step *step; /* it has the name of the operation */
};

struct sensors {
    struct dcamp_app *app;
    struct dcamp_gauge *running;
    struct sensors_operation *operation; /* as in scenario.name */
};

/* Returns false if memory runs out. */
bool sensors_open(struct sensors *sensors, const char *name, const struct scenario *scenario);
void sensors_close(struct sensors *sensors);

struct dcamp_execution sensors_begin(struct sensors *sensors, uint32_t operation,
                                     uint64_t sequence);

/* The end of an operation. Times are in nanoseconds. failure is NULL if it did not fail; the result
 * of the step is then 0, and otherwise 1 plus the kind of failure. */
struct sensors_ending {
    uint32_t operation;
    struct dcamp_execution execution;
    uint64_t response_ns, lateness_ns;
    const struct failure *failure;
};

void sensors_end(struct sensors *sensors, const struct sensors_ending *ending);

/* An operation was given up and has no result. */
void sensors_give_up(struct sensors *sensors);

#endif
