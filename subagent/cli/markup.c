#include "cli/markup.h"

#include <string.h>

char *markup_plain(const char *text)
{
    static const char *const marks[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    char *plain = strdup(text);
    for (char *at = plain; at && (at = strchr(at, '<')); at++)
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            size_t len = strlen(marks[i][0]);
            if (strncmp(at, marks[i][0], len) != 0)
                continue;
            const char *end = strstr(at + len, marks[i][1]);
            memset(at, ' ', end ? (size_t)(end - at) + strlen(marks[i][1]) : strlen(at));
            break;
        }
    return plain;
}
