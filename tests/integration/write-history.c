/* Writes a history by the real writer: write-history DIRECTORY NOW_MS [inbox]. Each line of
 * standard input is a value: path, sensor, instance, unit, milliseconds since 1970 and a number, or
 * - for a gap, with tabs between; of a path "-", the node itself. With inbox, nothing is digested.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/scribe.h"

enum { AT_PATH, AT_SENSOR, AT_INSTANCE, AT_UNIT, AT_TIME, AT_VALUE, FIELDS };

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
        const struct scribe_words words = {strcmp(fields[AT_PATH], "-") == 0 ? "" : fields[AT_PATH],
                                           fields[AT_SENSOR], fields[AT_INSTANCE], "metric",
                                           fields[AT_UNIT]};
        scribe_value(scribe, &words, strtoll(fields[AT_TIME], NULL, 10),
                     strcmp(fields[AT_VALUE], "-") == 0 ? NAN : strtod(fields[AT_VALUE], NULL));
    }
    scribe_commit(scribe, now_ms, argc == 3);
    scribe_close(scribe);
    free(line);
    return 0;
}
