/* The sensors that lines of statsd have made, up to a number of them: a line whose sensor would be
 * one more is left out. What became of each line is counted in sensors of its own:
 *
 *     statsd.lines      by verdict (statsd/line.h), as their instances
 *     statsd.datagrams  that came
 *     statsd.lost       datagrams that the kernel, or who was to get them, had no room for */
#ifndef DCAMP_STATSD_SENSORS_H
#define DCAMP_STATSD_SENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "libdcamp/dcamp.h"
#include "statsd/line.h"

struct statsd_sensors;

/* NULL: no memory. The application stays until the sensors are freed. */
struct statsd_sensors *statsd_sensors_new(struct dcamp_app *app, size_t limit);
void statsd_sensors_free(struct statsd_sensors *sensors);

/* How many there are, but for those of its own. */
size_t statsd_sensors_size(const struct statsd_sensors *sensors);

/* Counts what a datagram says: lines, of which each may end in "\r\n"; empty ones are none. One
 * that was cut off has a last line that nobody can know, which is malformed. */
void statsd_sensors_take(struct statsd_sensors *sensors, const char *datagram, size_t size,
                         bool is_cut);

/* Counts datagrams that are lost. */
void statsd_sensors_lose(struct statsd_sensors *sensors, uint64_t n);

#endif
