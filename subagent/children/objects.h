/* What devices, children of kind snmp, are polled for: the rows of the configuration at run
 * time. */
#ifndef DCAMP_CHILDREN_OBJECTS_H
#define DCAMP_CHILDREN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "config/config.h"

struct children;

struct polled_object {
    UT_hash_handle hh; /* by name, while there is such a row */
    uint32_t id;       /* in messages; a changed row is another object */
    uint32_t users;
    struct object_row row;
    struct filter_rule filter;
    uint64_t passed, held, errors;
    uint64_t since_ns; /* monotonic: when the counters were 0 */
    size_t n_series;
};

/* Makes the objects those of the configuration, and tells all pollers. True: there are new ones, or
 * some do not exist any more. *whole becomes false if there was no memory for one. */
bool children_sync_objects(struct children *children, const struct config *config, uint64_t now_ns,
                           bool *whole);
void children_end_objects(struct children *children);

/* NULL: there is no object of that name, or it is not active. */
const struct polled_object *children_object(const struct children *children, const char *name);

/* Tells the poller of the child with the id to of all objects. */
void children_tell_objects(const struct children *children, uint32_t to);

/* object_hold adds a user of the object, object_let_go removes one; without users it is freed. */
struct polled_object *object_hold(struct polled_object *object);
void object_let_go(struct polled_object *object);

#endif
