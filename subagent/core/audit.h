/* The audit: every transition of an alarm as a line of a file, where the configuration names one.
 * The saver's thread writes them; nobody else waits for a disk. */
#ifndef DCAMP_CORE_AUDIT_H
#define DCAMP_CORE_AUDIT_H

#include "alarm/alarm.h"
#include "config/config.h"
#include "core/saver.h"

/* What is not handed to the saver yet is at most so much; then lines are lost, and counted. */
#define AUDIT_WAITING_MAX (4u << 20)

struct audit {
    bool on;
    const struct alarms *alarms;
    uint64_t change; /* of the alarms, of the last line */
    char *text;      /* malloced; NULL: nothing waits */
    size_t len, room;
    uint64_t lost; /* since the last line that was kept */
};

/* What happens to these alarms is written. */
void audit_open(struct audit *audit, struct alarms *alarms, const struct config *config);

/* An alarm_audit_fn; the context is a struct audit. A line is in logfmt: key=value, with quotes
 * around texts. */
void audit_entry(void *audit, const struct alarm_entry *entry);

/* Hands over what has gathered, as soon as the saver has written what it got before, and the state
 * has it: as with notifications, no line may have a number that another event gets after a crash.
 */
void audit_flush(struct audit *audit, struct saver *saver, const struct config *config);
/* At the end, without a saver: writes what is left. */
void audit_close(struct audit *audit, const struct config *config);

#endif
