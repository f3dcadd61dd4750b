/* The active alarms that a stream tells of: those of its node and of all below. Pure but for
 * memory. */
#ifndef DCAMP_PUBLISH_OPENMETRICS_ALARM_H
#define DCAMP_PUBLISH_OPENMETRICS_ALARM_H

#include "base/table.h"
#include "publish/lines.h"
#include "publish/openmetrics/writing.h"

struct alarm {
    UT_hash_handle hh;
    uint32_t id; /* the key */
    uint32_t severity;
    int64_t since_ms;
    char *labels; /* a text */
};

/* Takes what a line says. *n: how many alarms there are in all, at most `most`. 0; ENOMEM; ENOSPC:
 * the alarm is left out. */
int alarm_take(struct alarm **alarms, const struct line *line, size_t *n, size_t most);
void alarm_end(struct alarm **alarms, uint32_t id, size_t *n);

/* Ends all of them; returns how many there were. */
size_t alarms_clear(struct alarm **alarms);

/* Writes alarms of several streams, which may tell of the same ones: a collector tells of those of
 * its children, and so do these. Alarms with the same labels become one, of the highest severity.
 * Sorts the list. */
void alarms_write(const struct alarm **list, size_t n, struct octets *octets,
                  enum writing_format format);

#endif
