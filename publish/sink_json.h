/* The sink "json": files with one JSON object (RFC 8259) in each line. publish/outfile.h says which
 * files. */
#ifndef DCAMP_PUBLISH_SINK_JSON_H
#define DCAMP_PUBLISH_SINK_JSON_H

#include "publish/sink.h"

extern const struct sink_type sink_json;

#endif
