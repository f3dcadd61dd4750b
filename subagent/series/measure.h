/* Measuring: what the configuration asks for, bound to what the kernel has; when each sensor is
 * due, and one pass over it. */
#ifndef DCAMP_SERIES_MEASURE_H
#define DCAMP_SERIES_MEASURE_H

#include "series/series.h"

/* The publisher belongs to the owner, and numbers the series. */
void measure_open(struct measure *measure, struct publisher *publisher);
void measure_close(struct measure *measure);

/* Makes the sensors those of the configuration: a new or changed one begins anew, at once. False:
 * there was no memory for some, which are left out until this is called again. */
bool measure_sync(struct measure *measure, const struct config *config, struct moment now);

/* Finds when the next sensors are due, after some were scheduled. */
void measure_plan(struct measure *measure);

/* When the next sensor is due; UINT64_MAX: none. */
uint64_t measure_due(const struct measure *measure);

/* Bit 1 << source is set for every source that is needed by a sensor which is due now. */
unsigned measure_sources(const struct measure *measure, uint64_t now_ns);

/* The series of this node, and the values of its aggregates, for those who look for series. While
 * the source of a sensor cannot be read, its series may still come. */
struct series_producer measure_producer(const struct measure *measure);

/* Prefetches the memory that a pass needs of all sensors and series, if they are few: it arrives
 * while the kernel is read. If there are many, each is prefetched shortly before its turn. */
void measure_prefetch(const struct measure *measure);

/* The next sensor in the list of all; NULL: this was the last. While the caller works on one
 * sensor, the caches fetch the one after the next, and what the next one points to; the next one
 * itself was prefetched one sensor earlier. */
struct sensor *measure_next(struct sensor *sensor);

/* Tells the sampler which instances and fields of each source the sensors want. 0 or ENOMEM. */
int measure_select(const struct measure *measure, struct sampler *sampler);

/* One pass of a sensor that is due: matches its series with the instances of its source, which was
 * just read, or, for a derived sensor, with those of its inputs; then samples or computes,
 * calculates, counts in the window and publishes each. set is NULL for derived sensors. */
void sensor_pass(struct measure *measure, struct sensor *sensor, const struct sample_set *set,
                 struct moment now);

/* Whether the sensor must be told of every pass over these sources, due or not, because its
 * statistics are of all events, and each pass has those since the one before. sensor_listen is what
 * it does in a pass when it is not due: it matches its series and counts in their windows. */
bool sensor_listens(const struct sensor *sensor, unsigned sources);
void sensor_listen(struct measure *measure, struct sensor *sensor, const struct sample_set *set,
                   struct moment now);

/* Whether a sensor puts the records of that instance into the report blocks. */
bool measure_wants_records(const struct measure *measure, enum metric_source source,
                           const char *instance);

/* Sets when the sensor is due next: at the next whole multiple of its interval, so that sensors of
 * one interval share their passes; never, if it is sampled on demand. Returns how many passes were
 * late or missed. */
uint64_t sensor_schedule(struct sensor *sensor, uint64_t now_ns);

/* Somebody reads the sensor: if it is sampled on demand, it and those that it derives from become
 * due at the next whole multiple of MEASURE_ASK_NS, together with what is sampled then anyway. True
 * if that changed something, so that the core must be woken to find out when it has to wake
 * next. */
#define MEASURE_ASK_NS NS_PER_S
bool sensor_ask(struct measure *measure, struct sensor *sensor, uint64_t now_ns);

/* The sensors on demand that a sensor derives from become due with it: what is computed at its
 * intervals must not be computed from values that nobody has asked for since. */
void sensor_ask_inputs(struct measure *measure, const struct sensor *sensor, uint64_t due_ns);

#endif
