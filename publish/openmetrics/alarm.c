#include "publish/openmetrics/alarm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static char *labels_of(const struct line *line)
{
    struct octets labels = {0};
    char threshold[NAME_SIZE];
    text_format(threshold, sizeof threshold, "%.*s",
                (int)line->alarm->text[REPORT_ALARM_THRESHOLD].len,
                line->alarm->text[REPORT_ALARM_THRESHOLD].at);
    writing_add_label(&labels, 0, "node", line->node);
    writing_add_label(&labels, 0, "threshold", threshold);
    writing_add_label(&labels, 0, "sensor", line->words.sensor);
    if (line->words.instance[0])
        writing_add_label(&labels, 0, "dcamp_instance", line->words.instance);
    octets_add(&labels, "", 1);
    if (!labels.failed)
        return labels.at;
    octets_release(&labels);
    return NULL;
}

static struct alarm *add(struct alarm **alarms, uint32_t id)
{
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (!alarm)
        return NULL;
    alarm->id = id;
    HASH_ADD(hh, *alarms, id, sizeof alarm->id, alarm);
    if (table_has(hh, alarm))
        return alarm;
    free(alarm);
    return NULL;
}

int alarm_take(struct alarm **alarms, const struct line *line, size_t *n, size_t most)
{
    struct alarm *alarm;
    HASH_FIND(hh, *alarms, &line->alarm_id, sizeof line->alarm_id, alarm);
    if (!alarm && *n >= most)
        return ENOSPC;
    char *labels = labels_of(line);
    if (labels && !alarm) {
        alarm = add(alarms, line->alarm_id);
        *n += alarm != NULL;
    }
    if (!labels || !alarm) {
        free(labels);
        return ENOMEM;
    }
    free(alarm->labels);
    alarm->labels = labels;
    alarm->severity = line->alarm->severity;
    alarm->since_ms = line->alarm->since_ms;
    return 0;
}

static void drop(struct alarm **alarms, struct alarm *alarm)
{
    HASH_DEL(*alarms, alarm);
    free(alarm->labels);
    free(alarm);
}

void alarm_end(struct alarm **alarms, uint32_t id, size_t *n)
{
    struct alarm *alarm;
    HASH_FIND(hh, *alarms, &id, sizeof id, alarm);
    if (!alarm)
        return;
    drop(alarms, alarm);
    --*n;
}

size_t alarms_clear(struct alarm **alarms)
{
    struct alarm *alarm, *next;
    size_t n = 0;
    HASH_ITER(hh, *alarms, alarm, next)
    {
        drop(alarms, alarm);
        n++;
    }
    return n;
}

/* -- Writing --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct alarm *one = *(const struct alarm *const *)a;
    const struct alarm *other = *(const struct alarm *const *)b;
    int order = strcmp(one->labels, other->labels);
    return order ? order : (one->severity < other->severity) - (one->severity > other->severity);
}

static bool is_first(const struct alarm **list, size_t i)
{
    return i == 0 || strcmp(list[i - 1]->labels, list[i]->labels) != 0;
}

void alarms_write(const struct alarm **list, size_t n, struct octets *octets,
                  enum writing_format format)
{
    static const struct writing_family severity = {
        "dcamp_alarm_severity", WRITING_GAUGE, "",
        "An active alarm: 2 is info, 3 warning, 4 critical, as in dcampAlarmSeverity"};
    static const struct writing_family since = {
        "dcamp_alarm_since_seconds", WRITING_GAUGE, "seconds",
        "When it was raised, since 1970 by the node's clock"};
    if (n == 0)
        return;
    qsort(list, n, sizeof *list, compare);
    writing_add_family(octets, format, &severity);
    for (size_t i = 0; i < n; i++)
        if (is_first(list, i))
            writing_add_sample(octets, severity.name, "", list[i]->labels, strlen(list[i]->labels),
                               list[i]->severity);
    writing_add_family(octets, format, &since);
    for (size_t i = 0; i < n; i++)
        if (is_first(list, i))
            writing_add_sample(octets, since.name, "", list[i]->labels, strlen(list[i]->labels),
                               (double)list[i]->since_ms / 1000);
}
