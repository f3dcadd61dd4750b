/* The sensors that lines of statsd have made, up to a limit: a line that would need one more is
 * left out. What became of each line is counted in sensors of dcamp-statsd itself:
 *
 *     statsd.lines      by verdict (statsd/line.h), which is the instance
 *     statsd.datagrams  that were received
 *     statsd.lost       datagrams for which the kernel, or their receiver, had no room */
#ifndef DCAMP_STATSD_SENSORS_H
#define DCAMP_STATSD_SENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "libdcamp/dcamp.h"
#include "statsd/line.h"

struct statsd_sensors;

/* Returns NULL if memory runs out. The application has to stay open until the sensors are freed. */
struct statsd_sensors *statsd_sensors_new(struct dcamp_app *app, size_t limit);
void statsd_sensors_free(struct statsd_sensors *sensors);

/* The number of sensors, except dcamp-statsd's own. */
size_t statsd_sensors_size(const struct statsd_sensors *sensors);

/* Counts what a datagram says: its lines may end in "\r\n", and empty lines are ignored. If the
 * datagram was cut off, its last line is incomplete and counts as malformed. */
void statsd_sensors_take(struct statsd_sensors *sensors, const char *datagram, size_t size,
                         bool is_cut);

/* Counts datagrams that are lost. */
void statsd_sensors_lose(struct statsd_sensors *sensors, uint64_t n);

#endif
