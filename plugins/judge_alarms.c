#include "plugins/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool alarm_matches(const struct alarm_check *check, const struct alarm_row *row)
{
    return row->severity >= (int)check->least && text_matches(check->node, row->node) &&
           text_matches(check->threshold, row->threshold) &&
           text_matches(check->sensor, row->sensor) && text_matches(check->instance, row->instance);
}

/* Orders the worst first; alarms of one severity by key, so that every run has the same order. */
static int by_severity(const void *a, const void *b)
{
    const struct alarm_row *x = a, *y = b;
    return x->severity != y->severity ? y->severity - x->severity : strcmp(x->key, y->key);
}

static const char *severity_name(int severity)
{
    static const char *const names[] = {"?", "clear", "info", "warning", "critical"};
    return severity >= SEVERITY_CLEAR && severity <= SEVERITY_CRITICAL ? names[severity] : names[0];
}

static enum status status_of(int severity)
{
    if (severity >= SEVERITY_CRITICAL)
        return STATUS_CRITICAL;
    return severity == SEVERITY_WARNING ? STATUS_WARNING : STATUS_OK;
}

void judge_alarms(const struct alarm_check *check, struct alarm_row *rows, size_t n,
                  struct result *result)
{
    size_t count[SEVERITY_CRITICAL + 1] = {0};
    bool by_number = check->warning.given || check->critical.given;
    if (n > 0)
        qsort(rows, n, sizeof *rows, by_severity);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].severity >= SEVERITY_CLEAR && rows[i].severity <= SEVERITY_CRITICAL)
            count[rows[i].severity]++;
        result_line(result, "%s: %s: %s%s%s", severity_name(rows[i].severity), rows[i].key,
                    rows[i].message, rows[i].since[0] ? ", since " : "", rows[i].since);
        if (!by_number)
            result_worsen(result, status_of(rows[i].severity));
    }
    if (by_number)
        result_worsen(result, result_judge(&check->warning, &check->critical, (double)n));
    if (n == 0)
        result_summary(result, "no active alarms");
    else
        result_summary(result, "%zu active %s (%zu critical, %zu warning, %zu info): %s: %s", n,
                       n == 1 ? "alarm" : "alarms", count[SEVERITY_CRITICAL],
                       count[SEVERITY_WARNING], count[SEVERITY_INFO], rows[0].node,
                       rows[0].message);
    result_count(result, "alarms", n, &check->warning, &check->critical);
    result_count(result, "critical", count[SEVERITY_CRITICAL], NULL, NULL);
    result_count(result, "warning", count[SEVERITY_WARNING], NULL, NULL);
    result_count(result, "info", count[SEVERITY_INFO], NULL, NULL);
}
