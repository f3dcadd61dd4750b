#include "plugins/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool share_read(const char *text, struct share_range *share)
{
    char plain[RANGE_SIZE];
    size_t len = strlen(text);
    struct share_range read = {0};
    read.percent = len > 0 && text[len - 1] == '%';
    if (len >= sizeof plain)
        return false;
    memcpy(plain, text, len + 1);
    if (read.percent)
        plain[len - 1] = '\0';
    if (!range_read(plain, &read.range))
        return false;
    *share = read;
    return true;
}

bool share_alerts(const struct share_range *share, size_t count, size_t all)
{
    double value = (double)count;
    if (share->percent)
        value = all > 0 ? 100.0 * value / (double)all : 0;
    return range_alerts(&share->range, value);
}

/* -- One row --------------------------------------------------------------------------------- */

struct verdict {
    enum status status;
    double value;
    char text[384]; /* without the name of the sensor */
};

/* Why there is no value, according to the descriptions of the states in the MIB. */
static const char *reason(const struct value_check *check, const struct value_row *row)
{
    if (!row->exists)
        return "there is no such instance";
    if (strcmp(row->state, "valid") == 0)
        return check->statistic ? "no statistics: there is no window, or no value in it yet"
                                : "the value has just gone";
    if (strcmp(row->state, "waiting") == 0)
        return check->aggregate ? "waiting: not computed yet" : "waiting for the next sample";
    if (strcmp(row->state, "gap") == 0)
        return "gap: the counter was reset or its base did not move";
    if (strcmp(row->state, "unavailable") == 0 && check->error && check->error[0])
        return check->error;
    if (strcmp(row->state, "unavailable") == 0)
        return check->aggregate ? "unavailable: no child has a value"
                                : "unavailable: the kernel does not give it, or it cannot be "
                                  "computed";
    return row->state;
}

static bool missing_alerts(const struct share_range *share, const struct value_row *row)
{
    return share_alerts(share, row->missing, row->expected);
}

static void judge_missing(const struct value_check *check, const struct value_row *row,
                          struct verdict *verdict, struct result *worst)
{
    const struct share_range *broken = NULL;
    char more[128];
    if (!check->aggregate || !row->exists)
        return;
    if (missing_alerts(&check->missing_critical, row)) {
        broken = &check->missing_critical;
        result_worsen(worst, STATUS_CRITICAL);
    } else if (missing_alerts(&check->missing_warning, row)) {
        broken = &check->missing_warning;
        result_worsen(worst, STATUS_WARNING);
    }
    size_t len = strlen(verdict->text);
    if (broken)
        text_format(more, sizeof more, ", %u of %u missing (limit %s%s)", row->missing,
                    row->expected, broken->range.text, broken->percent ? "%" : "");
    else if (row->missing > 0)
        text_format(more, sizeof more, ", %u of %u missing", row->missing, row->expected);
    else
        return;
    text_format(verdict->text + len, sizeof verdict->text - len, "%s", more);
}

/* The number, rounded for people, unless rounding would hide what is wrong with it. */
static void say_number(const struct value_check *check, const struct value_row *row,
                       const struct verdict *verdict, char number[DECIMAL_SIZE])
{
    text_from_rounded(number, verdict->value, NAN);
    if (result_judge(&check->warning, &check->critical, strtod(number, NULL)) != verdict->status)
        text_format(number, DECIMAL_SIZE, "%s", row->text);
}

/* With an instance "0", "of 0" would not say what 0 is. */
static const char *kind_of(const struct value_row *row)
{
    return strspn(row->instance, "0123456789") == strlen(row->instance) ? "instance " : "";
}

static void judge_value(const struct value_check *check, const struct value_row *row,
                        struct verdict *verdict)
{
    const char *space = row->unit[0] ? " " : "", *unit = row->unit, *kind = kind_of(row);
    char number[DECIMAL_SIZE];
    if (!text_to_decimal(row->text, strlen(row->text), &verdict->value)) {
        verdict->status = STATUS_UNKNOWN;
        text_format(verdict->text, sizeof verdict->text, "%s%s has no value (%s)", kind,
                    row->instance, reason(check, row));
        return;
    }
    verdict->status = result_judge(&check->warning, &check->critical, verdict->value);
    say_number(check, row, verdict, number);
    if (check->max_age_ms != NO_AGE && row->age_ms > check->max_age_ms) {
        verdict->status = STATUS_UNKNOWN;
        text_format(verdict->text, sizeof verdict->text, "%s%s was %s%s%s, %lld s ago", kind,
                    row->instance, number, space, unit, (long long)row->age_ms / 1000);
        return;
    }
    if (verdict->status == STATUS_OK)
        text_format(verdict->text, sizeof verdict->text, "%s%s is %s%s%s", kind, row->instance,
                    number, space, unit);
    else
        text_format(verdict->text, sizeof verdict->text, "%s%s is %s%s%s (limit %s)", kind,
                    row->instance, number, space, unit,
                    verdict->status == STATUS_CRITICAL ? check->critical.text
                                                       : check->warning.text);
}

static void judge_row(const struct value_check *check, const struct value_row *row,
                      struct verdict *verdict)
{
    *verdict = (struct verdict){0};
    judge_value(check, row, verdict);
    struct result worst = {.status = verdict->status};
    judge_missing(check, row, verdict, &worst);
    verdict->status = worst.status;
}

/* -- All of them ----------------------------------------------------------------------------- */

/* The label must be the same in every run: if the value is of the whole machine, it is the name of
 * the sensor, otherwise the instance. */
static const char *label_of(const struct value_check *check, const struct value_row *row)
{
    return strcmp(row->instance, "total") == 0 ? check->name : row->instance;
}

static void put_perfdata(const struct value_check *check, const struct value_row *row,
                         struct result *result)
{
    const struct perfdata value = {.label = label_of(check, row),
                                   .value = row->text[0] ? row->text : NULL,
                                   .unit = row->unit,
                                   .counter = check->counter && !check->statistic,
                                   .warning = &check->warning,
                                   .critical = &check->critical};
    result_perfdata(result, &value);
    if (!check->aggregate)
        return;
    char label[INSTANCE_SIZE + 16], number[16], max[16];
    text_format(label, sizeof label, "%s.missing", label_of(check, row));
    text_format(number, sizeof number, "%u", row->missing);
    text_format(max, sizeof max, "%u", row->expected);
    const struct share_range *warning = &check->missing_warning;
    const struct share_range *critical = &check->missing_critical;
    const struct perfdata missing = {.label = label,
                                     .value = row->exists ? number : NULL,
                                     .warning = warning->percent ? NULL : &warning->range,
                                     .critical = critical->percent ? NULL : &critical->range,
                                     .min = "0",
                                     .max = max};
    result_perfdata(result, &missing);
}

static void put_line(const struct value_check *check, const struct value_row *row,
                     const struct verdict *verdict, struct result *result)
{
    if (check->all_lines && row->age_ms != NO_AGE)
        result_line(result, "%s: %s, %.1f s old", status_name(verdict->status), verdict->text,
                    (double)row->age_ms / 1000);
    else
        result_line(result, "%s: %s", status_name(verdict->status), verdict->text);
}

struct tally {
    size_t not_ok;
    struct verdict worst;   /* the first verdict of the worst status */
    struct verdict highest; /* the highest value of those that are ok */
};

static void tally_up(struct tally *tally, const struct verdict *verdict)
{
    struct result worst = {.status = tally->worst.status};
    result_worsen(&worst, verdict->status);
    if (verdict->status == STATUS_OK) {
        if (!tally->highest.text[0] || verdict->value > tally->highest.value)
            tally->highest = *verdict;
        return;
    }
    tally->not_ok++;
    if (worst.status != tally->worst.status)
        tally->worst = *verdict;
}

static void summarize(const struct value_check *check, const struct tally *tally, size_t n,
                      struct result *result)
{
    char name[NAME_SIZE + 16];
    if (check->statistic)
        text_format(name, sizeof name, "%s (%s)", check->name, check->statistic);
    else
        text_format(name, sizeof name, "%s", check->name);
    if (n == 1)
        result_summary(result, "%s %s", name,
                       tally->not_ok ? tally->worst.text : tally->highest.text);
    else if (tally->not_ok == 0)
        result_summary(result, "%s: all %zu ok, highest: %s", name, n, tally->highest.text);
    else
        result_summary(result, "%s: %zu of %zu not ok: %s", name, tally->not_ok, n,
                       tally->worst.text);
}

void judge_values(const struct value_check *check, const struct value_row *rows, size_t n,
                  struct result *result)
{
    struct tally tally = {0};
    struct verdict verdict;
    for (size_t i = 0; i < n; i++) {
        judge_row(check, &rows[i], &verdict);
        tally_up(&tally, &verdict);
        result_worsen(result, verdict.status);
        put_perfdata(check, &rows[i], result);
        if (verdict.status != STATUS_OK && (n > 1 || check->all_lines))
            put_line(check, &rows[i], &verdict, result);
    }
    for (size_t i = 0; check->all_lines && i < n; i++) {
        judge_row(check, &rows[i], &verdict);
        if (verdict.status == STATUS_OK)
            put_line(check, &rows[i], &verdict, result);
    }
    summarize(check, &tally, n, result);
}
