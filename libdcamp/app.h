/* What sensors, and dcamp_app_open(), need of the application. */
#ifndef DCAMP_APP_H
#define DCAMP_APP_H

#include "libdcamp/dcamp.h"
#include "libdcamp/sensor.h"

#define REASON_SIZE 256

/* Does what dcamp_app_open() does. forked is called in each child of fork(2), after its process has
 * let go of everything of the parent's, and before anybody can make a sensor there. */
struct dcamp_app *dcamp_app_use(const char *name, void (*forked)(const struct sensors *sensors));

/* A sensor that somebody wants, and the size of its handle. */
struct dcamp_app_sensor {
    enum segment_kind kind;
    const char *name, *instance, *unit, *purpose;
    size_t size;
};

/* Returns a handle of that size, zeros after its struct handle; or the one that was made for this
 * sensor before, which other threads may be using. Returns NULL if it cannot be published, and
 * dcamp_reason() says why. */
void *dcamp_app_sensor(struct dcamp_app *app, const struct dcamp_app_sensor *wanted);

/* Sets the reason that memory ran out for something of that name which is more than a sensor. */
void dcamp_app_no_memory(const char *name);

/* For the handles that are returned instead of a sensor that could not be published. */
extern const struct handle dcamp_app_unpublished;

#endif
