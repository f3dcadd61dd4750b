#include "cli/range.h"

#include <string.h>

#include "base/date.h"
#include "base/text.h"

static bool refuse(char error[512], const char *option, const char *text, const char *expected)
{
    text_format(error, 512, "%s %.200s: expected %s", option, text, expected);
    return false;
}

static bool read_time(const char *option, const char *text, int64_t *ms, char error[512])
{
    return !text || date_from_text(text, strlen(text), ms) ||
           refuse(error, option, text, "a time as 2026-11-26T22:00:00Z");
}

static bool read_span(const char *option, const char *text, int64_t *ms, char error[512])
{
    return !text || text_to_span(text, ms) ||
           refuse(error, option, text, "a time such as 90s, 6h, 7d or 4w");
}

static bool read_percentiles(const char *text, struct range *range, char error[512])
{
    while (text && *text) {
        size_t len = strcspn(text, ",");
        double value;
        if (range->n_percentiles == RANGE_PERCENTILES_MAX || !text_to_decimal(text, len, &value) ||
            value < 0 || value > 100 || (text[len] && !text[len + 1]))
            return refuse(error, "--percentiles", text, "up to 8 numbers, as 50,90,99.9");
        range->percentiles[range->n_percentiles++] = value;
        text += len + (text[len] == ',');
    }
    return true;
}

bool range_read(const struct command *command, int64_t now_ms, struct range *range, char error[512])
{
    int64_t last_ms = RANGE_LAST_MS;
    *range = (struct range){.to_ms = now_ms};
    if (!read_span("--last", command->last, &last_ms, error) ||
        !read_span("--step", command->step, &range->step_ms, error) ||
        !read_time("--to", command->to, &range->to_ms, error) ||
        !read_percentiles(command->percentiles, range, error))
        return false;
    range->from_ms = range->to_ms - last_ms;
    if (!read_time("--from", command->from, &range->from_ms, error))
        return false;
    if (command->from && command->last) {
        text_format(error, 512, "--last and --from: one of the two");
        return false;
    }
    if (range->from_ms <= range->to_ms)
        return true;
    text_format(error, 512, "--from %.200s: that is after the end", command->from);
    return false;
}
