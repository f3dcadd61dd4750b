/* A line of a block as a message of syslog. Pure, but for the time zone of this machine where local
 * time is used. */
#ifndef DCAMP_PUBLISH_SYSLOG_MESSAGE_H
#define DCAMP_PUBLISH_SYSLOG_MESSAGE_H

#include "publish/wording.h"

struct syslog_source {
    int facility;     /* as LOG_DAEMON of syslog.h */
    const char *host; /* the name of this machine, for messages that leave it */
    const char *pid;
};

/* Turns "local3" into LOG_LOCAL3; -1: there is no such facility. */
int syslog_facility(const char *word);

/* As syslog(3) writes to the daemon of this machine, in local time:
 *   <30>Nov 26 23:59:58 dcamp[123]: alarm node=node7 ... */
void syslog_local(struct octets *text, const struct syslog_source *source, const struct line *line,
                  const struct wording *wording);

/* As in RFC 5424, with all there is to tell as structured data, too:
 *   <30>1 2026-11-26T23:59:58.120Z HOST dcamp 123 alarm [dcamp@32473 node="node7" ...] alarm ... */
void syslog_remote(struct octets *text, const struct syslog_source *source, const struct line *line,
                   const struct wording *wording);

#endif
