/* What is new, told to browsers as it comes: server-sent events (HTML Living Standard,
 * section 9.2).
 *
 * A subscriber names series, as node, sensor and instance one after the other. Once a second it is
 * told their new points, as one event "points", and by an event "alarms" that alarms have changed.
 * After a while without events it gets a comment, so that a connection that is gone is noticed.
 * Events wait in a buffer of bounded size: a subscriber who does not read is disconnected. */
#ifndef DCAMP_WEB_LIVE_H
#define DCAMP_WEB_LIVE_H

#include <microhttpd.h>

#include "web/api.h"

#define LIVE_SUBSCRIBERS_MAX 64
#define LIVE_SERIES_MAX 40
#define LIVE_TICK_MS 1000

struct live;

/* NULL: no memory. */
struct live *live_open(struct api *api);
/* To be called once there are no connections any more. */
void live_close(struct live *live);

/* The answer to a connection that subscribes. NULL: *status and request->error say why. */
struct MHD_Response *live_subscribe(struct live *live, struct MHD_Connection *connection,
                                    struct request *request, unsigned *status);

/* Tells all subscribers what is new at now_ms. */
void live_tick(struct live *live, int64_t now_ms);

/* Whether there are any subscribers. */
bool live_is_needed(const struct live *live);

/* Ends all subscriptions: no connection is suspended any more. */
void live_end(struct live *live);

#endif
