/* What sensors need of the application, and who opens it. */
#ifndef DCAMP_APP_H
#define DCAMP_APP_H

#include "libdcamp/dcamp.h"
#include "libdcamp/sensor.h"

#define REASON_SIZE 256

/* dcamp_app_open(). forked: called in each child of fork(2) once its process has nothing of the
 * parent's any more, and before anybody can make a sensor there. */
struct dcamp_app *dcamp_app_use(const char *name, void (*forked)(const struct sensors *sensors));

/* A sensor that somebody wants, and the size of its handle. */
struct dcamp_app_sensor {
    enum segment_kind kind;
    const char *name, *instance, *unit, *purpose;
    size_t size;
};

/* A handle of that size, all zeros behind its struct handle; or the one that was made for this
 * sensor before, which other threads may be using. NULL: it cannot be published, and dcamp_reason()
 * says why. */
void *dcamp_app_sensor(struct dcamp_app *app, const struct dcamp_app_sensor *wanted);

/* There was no memory for something of that name that is more than a sensor: dcamp_reason() says
 * so. */
void dcamp_app_no_memory(const char *name);

/* For the handles that are given out instead. */
extern const struct handle dcamp_app_unpublished;

#endif
