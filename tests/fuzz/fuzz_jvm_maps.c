/* Fuzz target: any octets as a line of /proc/PID/maps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jvm/maps.h"
#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *line = (const char *)data;
    struct maps_file file;
    if (!maps_find(line, size, &file))
        return 0;
    expect(file.path > line && file.path + file.len <= line + size && *file.path == '/');
    expect(file.number > 0 && file.base > 0 && file.base < file.len);
    expect(memcmp(file.path + file.base, "hsperfdata_", 11) == 0);
    expect(file.path[file.base - 1] == '/');
    return 0;
}
