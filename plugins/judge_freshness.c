#include "plugins/judge.h"

#include <string.h>

#include "base/text.h"

/* By how many seconds the next sample is late; a sensor that is sampled on demand is never late. */
static double overdue(const struct sensor_row *row)
{
    int64_t late = row->age_ms - row->interval_ms;
    return late > 0 ? (double)late / 1000 : 0;
}

static bool is_due(const struct sensor_row *row)
{
    return strcmp(row->state, "sampling") == 0 && row->interval_ms > 0 && row->age_ms != NO_AGE;
}

static void put_line(const struct freshness_check *check, const struct sensor_row *row,
                     struct result *result)
{
    enum status status =
        is_due(row) ? result_judge(&check->warning, &check->critical, overdue(row)) : STATUS_OK;
    if (status == STATUS_OK && !check->all_lines)
        return;
    if (row->age_ms == NO_AGE)
        result_line(result, "%s: %s is %s", status_name(status), row->name, row->state);
    else
        result_line(result, "%s: %s is %.1f s old, every %.1f s", status_name(status), row->name,
                    (double)row->age_ms / 1000, (double)row->interval_ms / 1000);
}

static void put_perfdata(const struct freshness_check *check, double latest, size_t due, size_t n,
                         struct result *result)
{
    char late[DECIMAL_SIZE], up_time[DECIMAL_SIZE];
    text_from_decimal(late, latest);
    text_from_decimal(up_time, (double)check->up_time_s);
    const struct perfdata overdue_data = {.label = "overdue",
                                          .value = late,
                                          .unit = "s",
                                          .warning = &check->warning,
                                          .critical = &check->critical,
                                          .min = "0"};
    const struct perfdata up_time_data = {
        .label = "uptime", .value = up_time, .unit = "s", .min = "0"};
    result_perfdata(result, &overdue_data);
    result_perfdata(result, &up_time_data);
    result_count(result, "sampling", due, NULL, NULL);
    result_count(result, "sensors", n, NULL, NULL);
}

void judge_freshness(const struct freshness_check *check, const struct sensor_row *rows, size_t n,
                     struct result *result)
{
    const struct sensor_row *oldest = NULL;
    size_t due = 0;
    for (size_t i = 0; i < n; i++) {
        put_line(check, &rows[i], result);
        if (!is_due(&rows[i]))
            continue;
        due++;
        if (!oldest || overdue(&rows[i]) > overdue(oldest))
            oldest = &rows[i];
    }
    double latest = oldest ? overdue(oldest) : 0;
    if (!oldest) {
        result_worsen(result, STATUS_UNKNOWN);
        result_summary(result, "%s (dcampd %s) answers, but no sensor has a value", check->node,
                       check->version);
    } else {
        result_worsen(result, result_judge(&check->warning, &check->critical, latest));
        if (result->status == STATUS_OK)
            result_summary(result, "%s (dcampd %s) answers, %zu sensors are fresh", check->node,
                           check->version, due);
        else
            result_summary(result, "%s (dcampd %s): %s is overdue by %.1f s (limit %s)",
                           check->node, check->version, oldest->name, latest,
                           result->status == STATUS_CRITICAL ? check->critical.text
                                                             : check->warning.text);
    }
    put_perfdata(check, latest, due, n, result);
}
