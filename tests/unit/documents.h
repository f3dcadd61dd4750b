/* Documents of the configuration, as text. */
#ifndef DCAMP_TESTS_DOCUMENTS_H
#define DCAMP_TESTS_DOCUMENTS_H

#include "config/config.h"
#include "unit.h"

#define SENSORS(text) "<dcamp version=\"1\"><sensors>" text "</sensors></dcamp>"
#define FILTERS(text) "<dcamp version=\"1\"><filters>" text "</filters></dcamp>"
#define MAINTENANCE(attributes)                                                                    \
    "<dcamp version=\"1\"><maintenances><maintenance name=\"m\" " attributes                       \
    "/></maintenances></dcamp>"
#define A_SENSOR "<sensor name=\"s\" metric=\"cpu.busy\"/>"

#define THRESHOLD(attributes)                                                                      \
    "<dcamp version=\"1\"><sensors>" A_SENSOR "</sensors><thresholds><threshold " attributes       \
    "/></thresholds></dcamp>"

int set_schema_dir(void **state);
struct config *load_text(const char *text, char error[CONFIG_ERROR_SIZE]);

#endif
