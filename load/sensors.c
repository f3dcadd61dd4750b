#include "load/sensors.h"

#include <stdlib.h>

static void open_operation(struct dcamp_app *app, const char *name, struct sensors_operation *to)
{
    to->operations = dcamp_counter_new(app, "load.operations", name, "operations");
    to->errors = dcamp_counter_new(app, "load.errors", name, "operations");
    to->response = dcamp_timer_new(app, "load.response", name);
    to->lateness = dcamp_timer_new(app, "load.lateness", name);
    to->step = dcamp_step_new(app, name, "", "load");
}

bool sensors_open(struct sensors *sensors, const char *name, const struct scenario *scenario)
{
    *sensors = (struct sensors){.operation = calloc(scenario->n_names, sizeof *sensors->operation)};
    if (!sensors->operation)
        return false;
    sensors->app = dcamp_app_open(name);
    sensors->running = dcamp_gauge_new(sensors->app, "load.running", "", "operations");
    for (uint32_t i = 0; i < scenario->n_names; i++)
        open_operation(sensors->app, scenario->name[i].text, &sensors->operation[i]);
    return true;
}

void sensors_close(struct sensors *sensors)
{
    if (sensors->app)
        dcamp_app_close(sensors->app);
    free(sensors->operation);
    *sensors = (struct sensors){0};
}

struct dcamp_execution sensors_begin(struct sensors *sensors, uint32_t operation, uint64_t sequence)
{
    dcamp_gauge_add(sensors->running, 1);
    return dcamp_step_begin(sensors->operation[operation].step, sequence);
}

void sensors_end(struct sensors *sensors, const struct sensors_ending *ending)
{
    const struct sensors_operation *to = &sensors->operation[ending->operation];
    const struct failure *failure = ending->failure;
    dcamp_step_end(to->step, ending->execution, failure ? (int32_t)failure->kind + 1 : 0);
    dcamp_timer_record(to->response, ending->response_ns);
    dcamp_timer_record(to->lateness, ending->lateness_ns);
    dcamp_counter_add(to->operations, 1);
    if (failure)
        dcamp_counter_add(to->errors, 1);
    dcamp_gauge_add(sensors->running, -1);
}

void sensors_give_up(struct sensors *sensors)
{
    dcamp_gauge_add(sensors->running, -1);
}
