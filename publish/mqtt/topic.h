/* The topic of a line: PREFIX/NODE/SENSOR/INSTANCE for a value, with /window, /record or /key
 * behind it for what else there is of a series; PREFIX/NODE/$alarm/ID/alarm for an alarm. Pure. */
#ifndef DCAMP_PUBLISH_MQTT_TOPIC_H
#define DCAMP_PUBLISH_MQTT_TOPIC_H

#include "publish/lines.h"
#include "publish/octets.h"

/* Adds a NUL behind it, which len does not count. In names, letters, digits and . _ ~ - : @ = stay;
 * each other octet becomes % and two hexadecimal digits (RFC 3986, section 2.1), so that a name is
 * neither several levels nor a wildcard: NODE is one level, "collector1%2Fnode7", and an instance
 * without a name is an empty one. */
void topic_add(struct octets *topic, const char *prefix, const struct line *line);

/* Whether it may begin a topic: UTF-8 without control characters, '+' and '#', which does not
 * begin with '$'; not empty. */
bool topic_is_prefix(const char *prefix);

#endif
