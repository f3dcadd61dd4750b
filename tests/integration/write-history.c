/* Writes a history by the real writer: write-history DIRECTORY NOW_MS [inbox]. Each line of
 * standard input is a value: path, sensor, instance, unit, milliseconds since 1970 and a number, or
 * - for a gap, with tabs between; of a path "-", the node itself. With three numbers more, count,
 * least and largest, it is the mean of a minute that ended then, without a histogram. With inbox,
 * nothing is digested. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/scribe.h"

enum {
    AT_PATH,
    AT_SENSOR,
    AT_INSTANCE,
    AT_UNIT,
    AT_TIME,
    AT_VALUE,
    AT_COUNT,
    AT_LEAST,
    AT_LARGEST,
    FIELDS
};

/* A line, whose fields are there up to the value at least. */
static void write_line(struct scribe *scribe, char *const fields[FIELDS])
{
    const struct scribe_words words = {strcmp(fields[AT_PATH], "-") == 0 ? "" : fields[AT_PATH],
                                       fields[AT_SENSOR], fields[AT_INSTANCE], "metric",
                                       fields[AT_UNIT]};
    int64_t wall_ms = strtoll(fields[AT_TIME], NULL, 10);
    double value = strcmp(fields[AT_VALUE], "-") == 0 ? NAN : strtod(fields[AT_VALUE], NULL);
    if (fields[AT_LARGEST])
        scribe_moments(scribe, &words, wall_ms,
                       &(struct statistics_window){.count = strtoull(fields[AT_COUNT], NULL, 10),
                                                   .min = strtod(fields[AT_LEAST], NULL),
                                                   .max = strtod(fields[AT_LARGEST], NULL),
                                                   .mean = value,
                                                   .m2 = 1});
    else
        scribe_value(scribe, &words, wall_ms, value);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    if (argc < 3)
        return 2;
    int64_t now_ms = strtoll(argv[2], NULL, 10);
    struct scribe *scribe = scribe_open(argv[1], now_ms);
    while (getline(&line, &size, stdin) > 0) {
        char *fields[FIELDS] = {NULL}, *rest = line;
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < FIELDS && rest; i++)
            fields[i] = strsep(&rest, "\t");
        if (!fields[AT_VALUE])
            return 2;
        write_line(scribe, fields);
    }
    scribe_commit(scribe, now_ms, argc == 3);
    scribe_close(scribe);
    free(line);
    return 0;
}
