/* The sink "journald": alarms and values, each as an entry of the journal, for journalctl(1). At
 * least once: it keeps no cursors, and what was sent when the process ended may be sent again.
 *
 * Fields: MESSAGE (as of wording_add(), with PRIORITY), SYSLOG_IDENTIFIER=dcamp, DCAMP_KIND,
 * DCAMP_TIME (RFC 3339, UTC; the journal's own time is when the entry came) and DCAMP_ and the name
 * of each field of wording_of(): DCAMP_NODE, DCAMP_SENSOR, DCAMP_VALUE, DCAMP_STATE, ... Their
 * octets are as the node has told them: the journal keeps any octets, and its readers escape them.
 */
#ifndef DCAMP_PUBLISH_SINK_JOURNALD_H
#define DCAMP_PUBLISH_SINK_JOURNALD_H

#include "publish/sink.h"

extern const struct sink_type sink_journald;

#endif
