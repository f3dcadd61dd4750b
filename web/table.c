#include "web/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const columns[] = {"value", "min", "max", "count", "p10", "p50", "p90", "p99"};
#define COLUMNS (sizeof columns / sizeof *columns)

static void put_time(FILE *to, int64_t wall_ms)
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm calendar;
    char text[32];
    gmtime_r(&seconds, &calendar);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &calendar);
    fprintf(to, "%s.%03d,%" PRId64, text, (int)(wall_ms % 1000), wall_ms);
}

/* The shortest of 15 and 17 digits that is the same number again; an empty cell for null. */
static void put_number(FILE *to, const json_t *value)
{
    if (json_is_integer(value)) {
        fprintf(to, ",%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        char text[40];
        double number = json_real_value(value), again;
        snprintf(text, sizeof text, "%.15g", number);
        if (sscanf(text, "%lf", &again) != 1 || again < number || again > number)
            snprintf(text, sizeof text, "%.17g", number);
        fprintf(to, ",%s", text);
    } else {
        fputc(',', to);
    }
}

char *table_of(const json_t *answer)
{
    char *text = NULL;
    size_t size = 0, i;
    json_t *value;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    fputs("time,t", to);
    for (size_t column = 0; column < COLUMNS; column++)
        fprintf(to, ",%s", columns[column]);
    fputs("\r\n", to);
    json_array_foreach(json_object_get(answer, "values"), i, value)
    {
        put_time(to, json_integer_value(json_object_get(value, "t")));
        for (size_t column = 0; column < COLUMNS; column++)
            put_number(to, json_object_get(value, columns[column]));
        fputs("\r\n", to);
    }
    int failed = ferror(to);
    if (fclose(to) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
