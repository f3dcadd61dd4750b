/* The topics of a target: whether they are there, and that the one of the cursors is. */
#ifndef DCAMP_PUBLISH_KAFKA_TOPICS_H
#define DCAMP_PUBLISH_KAFKA_TOPICS_H

#include "publish/kafka/handle.h"

/* The topic of the cursors is made if it is not there, to be compacted; then it is asked for both,
 * by which many clusters make a topic that is not there. The handle is a producer's. 0 or an errno:
 * one of them is not there, or is not for us. */
int topics_need(struct handle *handle, char error[SINK_ERROR_SIZE]);

#endif
