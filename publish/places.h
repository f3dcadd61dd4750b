/* Places in sorted arrays: that of the first element that is not less, where the one that is looked
 * for is, or would be. Pure. */
#ifndef DCAMP_PUBLISH_PLACES_H
#define DCAMP_PUBLISH_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* For n elements of `size` octets, which begin with a uint32_t, or an int64_t, and ascend by it. */
size_t places_of_number(const void *array, size_t n, size_t size, uint32_t number);
size_t places_of_id(const void *array, size_t n, size_t size, int64_t id);

#endif
