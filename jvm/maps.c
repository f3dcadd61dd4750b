#include "jvm/maps.h"

#include <string.h>

#define FOLDER "hsperfdata_"
#define DELETED " (deleted)"
#define NUMBER_MAX 10 /* digits */

static bool begins(const char *text, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && memcmp(text, with, n) == 0;
}

/* "START-END rw-s OFFSET DEVICE INODE      PATH": the columns before the path have no '/'. */
static const char *path_of(const char *line, size_t len)
{
    const char *blank = memchr(line, ' ', len);
    size_t rest = blank ? len - (size_t)(blank - line) : 0;
    if (!blank || !begins(blank, rest, " rw-s "))
        return NULL;
    return memchr(blank, '/', rest);
}

static bool read_number(const char *text, size_t len, unsigned *number)
{
    unsigned long sum = 0;
    if (len == 0 || len > NUMBER_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        sum = sum * 10 + (unsigned)(text[i] - '0');
    }
    *number = (unsigned)sum;
    return sum > 0 && sum <= (unsigned)-1;
}

bool maps_find(const char *line, size_t len, struct maps_file *file)
{
    const char *path = path_of(line, len);
    if (!path)
        return false;
    len -= (size_t)(path - line);
    size_t n = sizeof DELETED - 1;
    if (len > n && memcmp(path + len - n, DELETED, n) == 0)
        len -= n;
    const char *name = memrchr(path, '/', len);
    const char *folder = name > path ? memrchr(path, '/', (size_t)(name - path)) : NULL;
    if (!folder || !begins(folder + 1, (size_t)(name - folder - 1), FOLDER))
        return false;
    *file = (struct maps_file){.path = path, .len = len, .base = (size_t)(folder + 1 - path)};
    return read_number(name + 1, len - (size_t)(name + 1 - path), &file->number);
}
