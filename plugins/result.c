#include "plugins/result.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool result_init(struct result *result, unsigned most_lines)
{
    *result = (struct result){.most_lines = most_lines};
    result->lines = open_memstream(&result->lines_text, &result->lines_size);
    result->perfdata = open_memstream(&result->perfdata_text, &result->perfdata_size);
    if (result->lines && result->perfdata)
        return true;
    result_free(result);
    return false;
}

void result_free(struct result *result)
{
    if (result->lines)
        fclose(result->lines);
    if (result->perfdata)
        fclose(result->perfdata);
    free(result->lines_text);
    free(result->perfdata_text);
    *result = (struct result){0};
}

void result_worsen(struct result *result, enum status status)
{
    static const int rank[] = {
        [STATUS_OK] = 0, [STATUS_UNKNOWN] = 1, [STATUS_WARNING] = 2, [STATUS_CRITICAL] = 3};
    if (rank[status] > rank[result->status])
        result->status = status;
}

enum status result_judge(const struct range *warning, const struct range *critical, double value)
{
    if (range_alerts(critical, value))
        return STATUS_CRITICAL;
    return range_alerts(warning, value) ? STATUS_WARNING : STATUS_OK;
}

const char *status_name(enum status status)
{
    static const char *const names[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    return names[status];
}

/* Everything after a '|' would be perfdata, and a newline would begin another line. */
static void clean(char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            *text = '/';
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
    }
}

void result_summary(struct result *result, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(result->summary, sizeof result->summary, format, values);
    va_end(values);
    clean(result->summary);
}

void result_line(struct result *result, const char *format, ...)
{
    char line[1024];
    va_list values;
    if (result->n_lines == result->most_lines) {
        result->n_left_out++;
        return;
    }
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    clean(line);
    fprintf(result->lines, "%s\n", line);
    result->n_lines++;
}

/* -- Perfdata -------------------------------------------------------------------------------- */

/* The units of dCAMP that the guidelines know, too; they know none with a '/', such as B/s. */
static const char *unit_of_measurement(const struct perfdata *perfdata)
{
    static const char *const known[] = {"%", "s", "ms", "us", "B"};
    for (size_t i = 0; perfdata->unit && i < sizeof known / sizeof *known; i++)
        if (strcmp(perfdata->unit, known[i]) == 0)
            return known[i];
    return "";
}

static bool is_plain(const char *label)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *label && strspn(label, plain) == strlen(label);
}

/* Within quotes, a quote is doubled; an equals sign is not allowed in a label at all. */
static void put_label(FILE *to, const char *label)
{
    if (is_plain(label)) {
        fputs(label, to);
        return;
    }
    fputc('\'', to);
    for (; *label; label++) {
        bool bad = *label == '=' || *label == '|' || (unsigned char)*label < ' ' || *label == 0x7f;
        if (*label == '\'')
            fputc('\'', to);
        fputc(bad ? '_' : *label, to);
    }
    fputc('\'', to);
}

static const char *text_of(const struct range *range)
{
    return range && range->given ? range->text : "";
}

/* Empty fields at the end are left out. */
void result_perfdata(struct result *result, const struct perfdata *perfdata)
{
    const char *fields[] = {text_of(perfdata->warning), text_of(perfdata->critical),
                            perfdata->min ? perfdata->min : "", perfdata->max ? perfdata->max : ""};
    size_t n = sizeof fields / sizeof *fields;
    double number;
    FILE *to = result->perfdata;
    bool known =
        perfdata->value && text_to_decimal(perfdata->value, strlen(perfdata->value), &number);
    while (n > 0 && !*fields[n - 1])
        n--;
    fputc(' ', to);
    put_label(to, perfdata->label);
    if (known)
        fprintf(to, "=%s%s", perfdata->value,
                perfdata->counter ? "c" : unit_of_measurement(perfdata));
    else
        fputs("=U", to);
    for (size_t i = 0; i < n; i++)
        fprintf(to, ";%s", fields[i]);
}

void result_count(struct result *result, const char *label, size_t count,
                  const struct range *warning, const struct range *critical)
{
    char number[DECIMAL_SIZE];
    text_format(number, sizeof number, "%zu", count);
    const struct perfdata perfdata = {
        .label = label, .value = number, .warning = warning, .critical = critical, .min = "0"};
    result_perfdata(result, &perfdata);
}

void result_print(struct result *result, FILE *to)
{
    fflush(result->lines);
    fflush(result->perfdata);
    fprintf(to, "DCAMP %s: %s", status_name(result->status), result->summary);
    if (result->perfdata_size > 0)
        fprintf(to, " |%s", result->perfdata_text);
    fputc('\n', to);
    fputs(result->lines_text, to);
    if (result->n_left_out > 0)
        fprintf(to, "and %u more (-v shows all)\n", result->n_left_out);
}
