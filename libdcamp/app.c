/* The application: who uses it, and how sensors are made. open.c opens it. */
#include "libdcamp/app.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdcamp/clock.h"
#include "libdcamp/process.h"

/* There is one in a process. The holder of the lock owns what is in here. */
struct dcamp_app {
    pthread_mutex_t lock;
    bool prepared; /* the clock has been opened, and fork(2) is noticed */
    void (*forked)(const struct sensors *sensors);
    unsigned users;
    int error; /* why nobody sees what is counted */
    char reason[REASON_SIZE];
    char name[SEGMENT_NAME + 1];
    struct sensors sensors;
    char *room;  /* for the next handles, left octets long */
    size_t left; /* octets of it */
};

static struct dcamp_app the_app = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -- Reasons ----------------------------------------------------------------------------------- */

static _Thread_local struct {
    int error;
    char text[REASON_SIZE];
} last;

int dcamp_error(void)
{
    return last.error;
}

const char *dcamp_reason(void)
{
    return last.text;
}

static void say(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last.text, sizeof last.text, format, arguments);
    va_end(arguments);
    last.error = error;
    if (error)
        errno = error;
}

static const char *message(int error)
{
    const char *text = strerrordesc_np(error);
    return text ? text : "unknown error";
}

void dcamp_app_no_memory(const char *name)
{
    say(ENOMEM, "%s: %s", name, message(ENOMEM));
}

/* -- Locking ----------------------------------------------------------------------------------- */

/* A thread that is cancelled while it has the lock would never give it back. */
static int lock_app(void)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&the_app.lock);
    return cancel;
}

static void unlock_app(int cancel)
{
    pthread_mutex_unlock(&the_app.lock);
    pthread_setcancelstate(cancel, &cancel);
}

static void before_fork(void)
{
    pthread_mutex_lock(&the_app.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&the_app.lock);
}

static void after_fork_in_child(void)
{
    dcamp_process_forked();
    the_app.forked(&the_app.sensors);
    pthread_mutex_unlock(&the_app.lock);
}

static void prepare(struct dcamp_app *app, void (*forked)(const struct sensors *sensors))
{
    if (app->prepared)
        return;
    app->prepared = true;
    app->forked = forked;
    dcamp_sensors_init(&app->sensors);
    dcamp_clock_open();
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* -- Opening and closing ----------------------------------------------------------------------- */

/* A program with more rights than the user who started it must not write where that user says. */
static const char *find_directory(void)
{
    const char *directory = secure_getenv(SEGMENT_DIRECTORY_VARIABLE);
    return directory && *directory ? directory : SEGMENT_DIRECTORY;
}

static void open_segment(struct dcamp_app *app, const char *name)
{
    const char *directory = find_directory(), *step, *fault = dcamp_sensor_name_fault(name);
    snprintf(app->name, sizeof app->name, "%s", fault ? "" : name);
    app->error = fault ? EINVAL : strlen(directory) < PROCESS_DIRECTORY ? 0 : ENAMETOOLONG;
    int error = dcamp_process_open(app->error ? "" : directory, app->name, &app->sensors, &step);
    if (app->error) {
        snprintf(app->reason, sizeof app->reason, "%s",
                 fault ? fault : "the path in " SEGMENT_DIRECTORY_VARIABLE " is too long");
    } else if (error) {
        app->error = error;
        snprintf(app->reason, sizeof app->reason, "a file in %s %s: %s", directory, step,
                 message(error));
    }
}

struct dcamp_app *dcamp_app_use(const char *name, void (*forked)(const struct sensors *sensors))
{
    struct dcamp_app *app = &the_app;
    int cancel = lock_app();
    bool is_first = app->users++ == 0;
    prepare(app, forked);
    if (is_first)
        open_segment(app, name);
    if (app->error)
        say(app->error, "%s", app->reason);
    else if (!name || strcmp(app->name, name) != 0)
        say(EBUSY, "this process is published as %s already", app->name);
    else
        say(0, "%s", "");
    unlock_app(cancel);
    return app;
}

void dcamp_app_close(struct dcamp_app *app)
{
    int cancel = lock_app();
    if (app && app->users > 0 && --app->users == 0)
        dcamp_process_close();
    unlock_app(cancel);
}

/* Runs when the process exits normally, or when an object is unloaded that this is linked into
 * statically. The shared library is never unloaded (-z nodelete). */
__attribute__((destructor)) static void end(void)
{
    dcamp_process_end();
}

/* -- Sensors ----------------------------------------------------------------------------------- */

/* What could not be published is counted where nobody reads it. */
const struct handle dcamp_app_unpublished = {.word_panel = PROCESS_SINK, .panel = PROCESS_SINK};

/* Handles are placed next to each other, so that those of a program take few cache lines. They are
 * never freed. */
#define ROOM 4096
#define LINE 64
_Static_assert(LINE % sizeof(struct handle) == 0, "no struct handle lies in two lines");

static size_t size_of_handle(size_t size)
{
    return (size + sizeof(struct handle) - 1) / sizeof(struct handle) * sizeof(struct handle);
}

static struct handle *take_handle(struct dcamp_app *app, size_t size)
{
    if (app->left < size_of_handle(size)) {
        char *room = aligned_alloc(LINE, ROOM);
        if (!room)
            return NULL;
        memset(room, 0, ROOM);
        app->room = room;
        app->left = ROOM;
    }
    void *handle = app->room;
    app->room += size_of_handle(size);
    app->left -= size_of_handle(size);
    return handle;
}

/* Gives back the handle that was taken last and that nobody else knows yet. Only its struct handle
 * was written, which the next sensor overwrites. */
static void give_handle_back(struct dcamp_app *app, size_t size)
{
    app->room -= size_of_handle(size);
    app->left += size_of_handle(size);
}

/* Makes a sensor and publishes it. Returns NULL if that failed, and the reason was set. */
static struct sensor *make_sensor(struct dcamp_app *app, const struct dcamp_app_sensor *wanted)
{
    struct sensor *sensor = calloc(1, sizeof *sensor);
    if (sensor)
        sensor->handle = take_handle(app, wanted->size);
    if (!sensor || !sensor->handle) {
        free(sensor);
        dcamp_app_no_memory(wanted->name);
        return NULL;
    }
    int error = dcamp_sensors_add(&app->sensors, sensor, wanted->kind, wanted->name,
                                  wanted->instance, wanted->unit, wanted->purpose);
    if (error) {
        say(error, "%s: the program has too many sensors", wanted->name);
    } else if ((error = dcamp_process_publish(sensor))) {
        dcamp_sensors_drop_last(&app->sensors);
        say(error, "%s: the file cannot grow: %s", wanted->name, message(error));
    }
    if (!error)
        return sensor;
    give_handle_back(app, wanted->size);
    free(sensor);
    return NULL;
}

static struct sensor *find_or_make(struct dcamp_app *app, const struct dcamp_app_sensor *wanted)
{
    struct sensor *other, *found = NULL;
    const char *fault = dcamp_sensor_fault(wanted->kind, wanted->name, wanted->instance,
                                           wanted->unit, wanted->purpose);
    if (fault) {
        say(EINVAL, "%.*s: %s", SEGMENT_NAME, wanted->name ? wanted->name : "", fault);
        return NULL;
    }
    found = dcamp_sensors_find(&app->sensors, wanted->kind, wanted->name, wanted->instance,
                               wanted->unit, &other);
    if (found)
        return found;
    if (!other)
        return make_sensor(app, wanted);
    say(EEXIST, "%s: a sensor of this name has another kind or unit", wanted->name);
    return NULL;
}

void *dcamp_app_sensor(struct dcamp_app *app, const struct dcamp_app_sensor *wanted)
{
    int cancel = lock_app();
    struct sensor *sensor = NULL;
    say(0, "%s", "");
    if (!app) {
        say(EINVAL, "%s: there is no application", wanted->name ? wanted->name : "");
    } else {
        dcamp_process_revive_alone();
        sensor = find_or_make(app, wanted);
        if (!sensor)
            dcamp_process_refuse();
        else if (app->users == 0)
            say(ENOTCONN, "%s: the application is closed", wanted->name);
        else if (app->error)
            say(app->error, "%s: %s", wanted->name, app->reason);
        else if (dcamp_process_error())
            say(dcamp_process_error(), "%s: this child has no file: %s", wanted->name,
                message(dcamp_process_error()));
    }
    unlock_app(cancel);
    return sensor ? sensor->handle : NULL;
}
