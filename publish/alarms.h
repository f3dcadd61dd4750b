/* The alarms of a history (publish/events.h): when each was active, and what was said of it last.
 */
#ifndef DCAMP_PUBLISH_ALARMS_H
#define DCAMP_PUBLISH_ALARMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct history;

/* The texts of an alarm, as in enum report_alarm_text; one of them says who acknowledged it, and
 * what they said. */
enum alarm_text {
    ALARM_PATH,
    ALARM_KEY,
    ALARM_NODE,
    ALARM_THRESHOLD,
    ALARM_SENSOR,
    ALARM_INSTANCE,
    ALARM_VALUE,
    ALARM_LIMIT,
    ALARM_MESSAGE,
    ALARM_ACKNOWLEDGED,
    ALARM_TEXTS
};

struct alarm_span {
    char *text[ALARM_TEXTS]; /* never NULL; only the first is to be freed */
    int64_t since_ms;        /* all times are since 1970 */
    int64_t cleared_ms;      /* 0: it is active */
    int64_t acknowledged_ms; /* 0: it was not acknowledged */
    uint32_t severity;       /* the latest: REPORT_SEVERITY_MIN to _MAX */
    uint32_t month;          /* of its file */
};

/* All zero octets are an empty list. */
struct alarm_list {
    struct alarm_span *list; /* by path, key and time */
    size_t n, room;
};

/* The alarms that were active at some time from from_ms to to_ms; with only_active, only those that
 * are still active. At most ALARM_SPANS_MAX of each file, the latest. The list is to be released in
 * any case. 0; ENOMEM; or another errno if a file could not be read: see history_fault(). */
#define ALARM_SPANS_MAX 10000
int alarms_read(struct history *history, int64_t from_ms, int64_t to_ms, bool only_active,
                struct alarm_list *alarms);
void alarms_release(struct alarm_list *alarms);

#endif
