/* The sink "influx": points of InfluxDB's line protocol (publish/influx.h) over HTTP, to InfluxDB
 * or any server that takes the same.
 *
 * A point is identified by measurement, tags and time: one that is sent again is the same one, so
 * that nothing is doubled if the cursors are older than what the server has. What the server
 * refuses because of its content is counted (publish/batch.h). */
#ifndef DCAMP_PUBLISH_SINK_INFLUX_H
#define DCAMP_PUBLISH_SINK_INFLUX_H

#include "publish/sink.h"

extern const struct sink_type sink_influx;

#endif
