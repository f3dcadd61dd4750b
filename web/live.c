#include "web/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#define BUFFER_MAX ((size_t)256 << 10) /* that may wait for a subscriber who does not read */
#define QUIET_TICKS 15                 /* after so many ticks without an event, a comment is sent */

struct subscriber {
    LIST_ENTRY(subscriber) link;
    struct live *live;
    struct MHD_Connection *connection;
    bool is_suspended, is_over;
    unsigned quiet;
    char *text; /* what waits, from `sent` on */
    size_t sent, len, room;
    json_t *points; /* of this tick; NULL: none */
    size_t n;
    struct {
        char *path, *sensor, *instance;
        size_t place; /* place of the series in struct follow; SIZE_MAX: not known yet */
    } series[LIVE_SERIES_MAX];
};

LIST_HEAD(subscribers, subscriber);

struct live {
    struct api *api;
    struct subscribers subscribers;
    size_t n;
    uint64_t alarms; /* what follow_alarms() returned last */
    bool is_over;
};

/* -- Subscribers ------------------------------------------------------------------------------ */

static void free_subscriber(struct subscriber *subscriber)
{
    for (size_t i = 0; i < subscriber->n; i++) {
        free(subscriber->series[i].path);
        free(subscriber->series[i].sensor);
        free(subscriber->series[i].instance);
    }
    json_decref(subscriber->points);
    free(subscriber->text);
    free(subscriber);
}

/* A MHD_ContentReaderFreeCallback. */
static void unsubscribe(void *context)
{
    struct subscriber *subscriber = context;
    LIST_REMOVE(subscriber, link);
    subscriber->live->n--;
    free_subscriber(subscriber);
}

/* A MHD_ContentReaderCallback. A subscriber for whom nothing waits is suspended until the next
 * tick. */
static ssize_t read_events(void *context, uint64_t position, char *text, size_t most)
{
    struct subscriber *subscriber = context;
    size_t n = subscriber->len - subscriber->sent;
    (void)position;
    if (n == 0 && (subscriber->is_over || subscriber->live->is_over))
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (n == 0) {
        MHD_suspend_connection(subscriber->connection);
        subscriber->is_suspended = true;
        return 0;
    }
    if (n > most)
        n = most;
    memcpy(text, subscriber->text + subscriber->sent, n);
    subscriber->sent += n;
    return (ssize_t)n;
}

static void resume(struct subscriber *subscriber)
{
    if (!subscriber->is_suspended)
        return;
    subscriber->is_suspended = false;
    MHD_resume_connection(subscriber->connection);
}

/* A subscriber for whom too much waits, or for whom there is no memory, is disconnected. */
static void append(struct subscriber *subscriber, const char *text)
{
    size_t len = strlen(text);
    if (subscriber->sent > 0)
        memmove(subscriber->text, subscriber->text + subscriber->sent,
                subscriber->len - subscriber->sent);
    subscriber->len -= subscriber->sent;
    subscriber->sent = 0;
    if (subscriber->len + len > subscriber->room) {
        size_t room = 2 * (subscriber->len + len);
        char *larger = room <= 2 * BUFFER_MAX ? realloc(subscriber->text, room) : NULL;
        if (!larger) {
            subscriber->is_over = true;
            return;
        }
        subscriber->text = larger;
        subscriber->room = room;
    }
    memcpy(subscriber->text + subscriber->len, text, len);
    subscriber->len += len;
    subscriber->quiet = 0;
}

static void append_event(struct subscriber *subscriber, const char *name, json_t *data)
{
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(17));
    char *event = NULL;
    if (text && asprintf(&event, "event: %s\ndata: %s\n\n", name, text) > 0)
        append(subscriber, event);
    else
        subscriber->is_over = true;
    free(event);
    free(text);
}

/* -- Subscribing ------------------------------------------------------------------------------ */

/* False: request->error says why. */
static bool take_series(struct live *live, struct subscriber *subscriber, struct request *request)
{
    size_t at_node = 0, at_sensor = 0, at_instance = 0;
    const char *sensor;
    while ((sensor = request_each(request, "sensor", &at_sensor))) {
        const char *node = request_each(request, "node", &at_node);
        const char *instance = request_each(request, "instance", &at_instance);
        if (!node || !instance || subscriber->n == LIVE_SERIES_MAX) {
            request_fail(request, "node, sensor and instance belong together, %d times at most",
                         LIVE_SERIES_MAX);
            return false;
        }
        subscriber->series[subscriber->n].path = strdup(api_path(live->api, node));
        subscriber->series[subscriber->n].sensor = strdup(sensor);
        subscriber->series[subscriber->n].place = SIZE_MAX;
        subscriber->series[subscriber->n++].instance = strdup(instance);
    }
    return request_end(request);
}

static bool has_memory(const struct subscriber *subscriber)
{
    for (size_t i = 0; i < subscriber->n; i++)
        if (!subscriber->series[i].path || !subscriber->series[i].sensor ||
            !subscriber->series[i].instance)
            return false;
    return true;
}

static struct MHD_Response *begin_response(struct live *live, struct subscriber *subscriber)
{
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 4096, read_events, subscriber, unsubscribe);
    if (!response)
        return NULL;
    LIST_INSERT_HEAD(&live->subscribers, subscriber, link);
    live->n++;
    append(subscriber, ": hello\n\n");
    return response;
}

struct MHD_Response *live_subscribe(struct live *live, struct MHD_Connection *connection,
                                    struct request *request, unsigned *status)
{
    *status = MHD_HTTP_BAD_REQUEST;
    if (live->n == LIVE_SUBSCRIBERS_MAX) {
        request_fail(request, "%d others are following already", LIVE_SUBSCRIBERS_MAX);
        *status = MHD_HTTP_SERVICE_UNAVAILABLE;
        return NULL;
    }
    struct subscriber *subscriber = calloc(1, sizeof *subscriber);
    struct MHD_Response *response = NULL;
    if (subscriber) {
        subscriber->live = live;
        subscriber->connection = connection;
        if (take_series(live, subscriber, request) && has_memory(subscriber))
            response = begin_response(live, subscriber);
    }
    if (response)
        return response;
    if (!request->error[0]) {
        request_fail(request, "out of memory");
        *status = MHD_HTTP_INSUFFICIENT_STORAGE;
    }
    if (subscriber)
        free_subscriber(subscriber);
    return NULL;
}

/* -- Ticks ------------------------------------------------------------------------------------ */

static void find_series(const struct live *live, struct subscriber *subscriber)
{
    const struct follow *follow = api_follow(live->api);
    for (size_t i = 0; i < subscriber->n; i++)
        if (subscriber->series[i].place == SIZE_MAX)
            subscriber->series[i].place =
                follow_find(follow, subscriber->series[i].path, subscriber->series[i].sensor,
                            subscriber->series[i].instance);
}

static void add_point(struct subscriber *subscriber, size_t i, const struct point *point)
{
    json_t *value =
        point->result.state == RESULT_VALID ? json_real(point->result.value) : json_null();
    if (!subscriber->points)
        subscriber->points = json_array();
    json_array_append_new(subscriber->points,
                          json_pack("[I, I, o]", (json_int_t)i, (json_int_t)point->wall_ms, value));
}

/* A follow_point_fn. A gap is a point without a value. */
static void take_point(void *context, size_t place, const struct point *point)
{
    struct live *live = context;
    struct subscriber *subscriber;
    LIST_FOREACH(subscriber, &live->subscribers, link)
    for (size_t i = 0; i < subscriber->n; i++)
        if (subscriber->series[i].place == place)
            add_point(subscriber, i, point);
}

static void tell(struct subscriber *subscriber, bool has_alarms, const json_t *none)
{
    if (subscriber->points)
        append_event(subscriber, "points", subscriber->points);
    json_decref(subscriber->points);
    subscriber->points = NULL;
    if (has_alarms)
        append_event(subscriber, "alarms", (json_t *)(uintptr_t)none);
    if (++subscriber->quiet > QUIET_TICKS)
        append(subscriber, ":\n\n");
    if (subscriber->len > subscriber->sent || subscriber->is_over)
        resume(subscriber);
}

void live_tick(struct live *live, int64_t now_ms)
{
    struct subscriber *subscriber;
    if (!live_is_needed(live))
        return;
    LIST_FOREACH(subscriber, &live->subscribers, link)
    find_series(live, subscriber);
    api_step(live->api, now_ms);
    uint64_t alarms = follow_alarms(api_follow(live->api));
    json_t *none = json_object();
    LIST_FOREACH(subscriber, &live->subscribers, link)
    tell(subscriber, alarms != live->alarms, none);
    json_decref(none);
    live->alarms = alarms;
}

bool live_is_needed(const struct live *live)
{
    return live->n > 0;
}

void live_end(struct live *live)
{
    struct subscriber *subscriber;
    if (!live)
        return;
    live->is_over = true;
    LIST_FOREACH(subscriber, &live->subscribers, link)
    resume(subscriber);
}

struct live *live_open(struct api *api)
{
    struct live *live = calloc(1, sizeof *live);
    if (!live)
        return NULL;
    live->api = api;
    api_listen(api, take_point, live);
    return live;
}

void live_close(struct live *live)
{
    if (live)
        api_listen(live->api, NULL, NULL);
    free(live);
}
