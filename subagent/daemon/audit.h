/* The audit: every transition of an alarm becomes a line of a file, if the configuration names one.
 * The saver's thread writes the lines; nobody else waits for a disk. */
#ifndef DCAMP_DAEMON_AUDIT_H
#define DCAMP_DAEMON_AUDIT_H

#include "alarm/alarm.h"
#include "config/config.h"
#include "daemon/saver.h"

/* The most octets that may wait to be handed to the saver; beyond that, lines are lost, and
 * counted. */
#define AUDIT_WAITING_MAX (4u << 20)

struct audit {
    bool on;
    const struct alarms *alarms;
    char *text; /* malloced; NULL: nothing waits */
    size_t len, room;
    size_t due;      /* how many of the octets are handed over next; 0: not decided yet */
    uint64_t change; /* a change of the alarms: a state that includes it has all of these lines */
    uint64_t lost;   /* since the last line that was kept */
};

/* The transitions of these alarms are written. */
void audit_open(struct audit *audit, struct alarms *alarms, const struct config *config);

/* An alarm_audit_fn; the context is a struct audit. A line is in logfmt: key=value, with quotes
 * around texts. */
void audit_entry(void *audit, const struct alarm_entry *entry);

/* To be called in every cycle. Hands over the lines that were there at an earlier call, as soon as
 * the saver has written what it got before and the state includes them: as with notifications, no
 * line may have a number that another event gets after a crash. Lines that come meanwhile are left
 * to a later call and hold up nothing. */
void audit_flush(struct audit *audit, struct saver *saver, const struct config *config);
/* At the end, without a saver: writes the remaining lines. */
void audit_close(struct audit *audit, const struct config *config);

#endif
