/* Documents of the configuration, as text. After cmocka.h. */
#ifndef TESTS_UNIT_DOCUMENTS_H
#define TESTS_UNIT_DOCUMENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define SENSORS(text) "<dcamp version=\"1\"><sensors>" text "</sensors></dcamp>"
#define FILTERS(text) "<dcamp version=\"1\"><filters>" text "</filters></dcamp>"
#define A_SENSOR "<sensor name=\"s\" metric=\"cpu.busy\"/>"
#define THRESHOLD(attributes)                                                                      \
    "<dcamp version=\"1\"><sensors>" A_SENSOR "</sensors><thresholds><threshold " attributes       \
    "/></thresholds></dcamp>"

static inline const char *source_dir(void)
{
    const char *dir = getenv("srcdir");
    return dir ? dir : ".";
}

static inline int set_schema_dir(void **state)
{
    (void)state;
    char dir[512];
    snprintf(dir, sizeof dir, "%s/conf", source_dir());
    return setenv("DCAMP_SCHEMA_DIR", dir, 1);
}

static inline struct config *load(const char *text, char error[CONFIG_ERROR_SIZE])
{
    return config_load_memory("f.xml", text, strlen(text), error);
}

#endif
