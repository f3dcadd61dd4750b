/* The sink "syslog": alarms and values, each as a message. At least once: it keeps no cursors, and
 * what was sent when the process ended may be sent again.
 *
 * location: "/dev/log", the default, "udp:HOST:PORT" or "tcp:HOST:PORT" (port 514 by default);
 * then, behind a blank, the facility, "daemon" by default: "tcp:logs.example.org local3". The
 * messages are those of publish/syslog_message.h: the local ones go to a path, those of RFC 5424
 * elsewhere.
 */
#ifndef DCAMP_PUBLISH_SINK_SYSLOG_H
#define DCAMP_PUBLISH_SINK_SYSLOG_H

#include "publish/sink.h"

extern const struct sink_type sink_syslog;

#endif
