/* The kind of sinks that is the history (publish/chronicle.h): its location is a directory. */
#ifndef DCAMP_PUBLISH_SINK_SQLITE_H
#define DCAMP_PUBLISH_SINK_SQLITE_H

#include "publish/sink.h"

extern const struct sink_type sink_sqlite;

#endif
