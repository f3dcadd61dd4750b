/* The topics of a target: makes that of the cursors if need be, and tells whether both are there.
 */
#ifndef DCAMP_PUBLISH_KAFKA_TOPICS_H
#define DCAMP_PUBLISH_KAFKA_TOPICS_H

#include "publish/kafka/handle.h"

/* Makes the topic of the cursors if it is not there, as one that is compacted. Then asks for both,
 * upon which many clusters make a topic that is not there. The handle is that of a producer. 0 or
 * an errno: a topic is not there, or we may not use it. */
int topics_need(struct handle *handle, char error[SINK_ERROR_SIZE]);

#endif
