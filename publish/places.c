#include "publish/places.h"

#include <string.h>

size_t places_of_number(const void *array, size_t n, size_t size, uint32_t number)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t at;
        memcpy(&at, (const char *)array + middle * size, sizeof at);
        if (at < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t places_of_id(const void *array, size_t n, size_t size, int64_t id)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t at;
        memcpy(&at, (const char *)array + middle * size, sizeof at);
        if (at < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
