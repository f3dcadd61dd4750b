/* The test as sensors of this program, which a dcampd of the machine reads while it runs. Where
 * there is none, nothing is different. */
#ifndef DCAMP_LOAD_SENSORS_H
#define DCAMP_LOAD_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "libdcamp/dcamp.h"
#include "load/failure.h"
#include "load/scenario.h"

/* Of one name of operations, which is the instance of all of them but the step. */
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

/* False: no memory. */
bool sensors_open(struct sensors *sensors, const char *name, const struct scenario *scenario);
void sensors_close(struct sensors *sensors);

struct dcamp_execution sensors_begin(struct sensors *sensors, uint32_t operation,
                                     uint64_t sequence);

/* What has ended. Times are in nanoseconds. The result of the step is 0, or 1 and more by the kind
 * of failure; NULL: none. */
struct sensors_ending {
    uint32_t operation;
    struct dcamp_execution execution;
    uint64_t response_ns, lateness_ns;
    const struct failure *failure;
};

void sensors_end(struct sensors *sensors, const struct sensors_ending *ending);

/* One that was given up, without a result. */
void sensors_give_up(struct sensors *sensors);

#endif
