#include "publish/settings.h"

#include <string.h>

bool settings_same(const struct outlet_sink *one, const struct outlet_sink *other)
{
    return strcmp(one->name, other->name) == 0 && strcmp(one->kind, other->kind) == 0 &&
           strcmp(one->location, other->location) == 0 &&
           strcmp(one->credentials, other->credentials) == 0 &&
           strcmp(one->sensors, other->sensors) == 0 && one->mode == other->mode &&
           one->queue == other->queue && one->limit == other->limit &&
           one->rotate == other->rotate && one->raw_s == other->raw_s &&
           one->minutes_s == other->minutes_s && one->hours_s == other->hours_s;
}
