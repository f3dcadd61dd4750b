/* Measuring: what the configuration asks for, bound to what the kernel has; when it is due, and one
 * pass over it. */
#ifndef DCAMP_SERIES_MEASURE_H
#define DCAMP_SERIES_MEASURE_H

#include "series/series.h"

/* The publisher is the owner's, and numbers the series. */
void measure_open(struct measure *measure, struct publisher *publisher);
void measure_close(struct measure *measure);

/* Makes the sensors those of the configuration: a new or changed one begins anew, at once. False:
 * there was no memory for some, which are left out until it is called again. */
bool measure_sync(struct measure *measure, const struct config *config, struct moment now);

/* Finds when the next sensors are due, after some were scheduled. */
void measure_plan(struct measure *measure);

/* When the next sensor is due; UINT64_MAX: none. */
uint64_t measure_due(const struct measure *measure);

/* Bit 1 << source for every source that a sensor needs which is due now. */
unsigned measure_sources(const struct measure *measure, uint64_t now_ns);

/* The series of this node, and the values of its aggregates, for who looks for series. While the
 * source of a sensor cannot be read, its series may come yet. */
struct series_producer measure_producer(const struct measure *measure);

/* Asks memory for what a pass needs of all sensors and series, if they are few: while the kernel is
 * read, it comes. Of many, each is asked for shortly before its turn. */
void measure_prefetch(const struct measure *measure);

/* The sensor after this one, of all; NULL: this was the last. While who goes through them works on
 * one sensor, the caches fetch the one after the next, and what the next one points to; that itself
 * they were told to fetch a sensor ago. */
struct sensor *measure_next(struct sensor *sensor);

/* Tells the sampler which instances and fields of each source the sensors want. 0 or ENOMEM. */
int measure_select(const struct measure *measure, struct sampler *sampler);

/* One pass of a sensor that is due: matches its series with the instances of its source, which was
 * just read, or, of a derived sensor, with those of its inputs; then samples or computes,
 * calculates, counts in the window and publishes each. set is NULL for derived sensors. */
void sensor_pass(struct measure *measure, struct sensor *sensor, const struct sample_set *set,
                 struct moment now);

/* Whether the sensor has to hear of every pass over these sources, due or not: its statistics are
 * of all events, of which each pass has those since the one before. And what it does in a pass when
 * it is not due: matches its series and counts in their windows. */
bool sensor_listens(const struct sensor *sensor, unsigned sources);
void sensor_listen(struct measure *measure, struct sensor *sensor, const struct sample_set *set,
                   struct moment now);

/* Sets when the sensor is due next: the next whole multiple of its interval, so that sensors of
 * one interval share their passes; never, for one that is sampled on demand. Returns how many
 * passes were late or missed. */
uint64_t sensor_schedule(struct sensor *sensor, uint64_t now_ns);

/* Somebody reads the sensor: one that is sampled on demand, and those that it derives from, become
 * due at the next whole multiple of MEASURE_ASK_NS, with what is sampled then anyway. True if that
 * is news, so that the core is to be woken to look when it has to wake next. */
#define MEASURE_ASK_NS NS_PER_S
bool sensor_ask(struct measure *measure, struct sensor *sensor, uint64_t now_ns);

/* Those on demand that a sensor derives from become due with it: what is computed at its intervals
 * shall not be of values that nobody has asked for since. */
void sensor_ask_inputs(struct measure *measure, const struct sensor *sensor, uint64_t due_ns);

#endif
