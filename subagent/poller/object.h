/* The managed objects that devices are polled for, shared by all devices of a poller. Pure. */
#ifndef DCAMP_POLLER_OBJECT_H
#define DCAMP_POLLER_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "collect/message.h"

struct object {
    UT_hash_handle hh;
    uint32_t id;
    uint32_t users; /* devices that have it, and the list of all while it is there */
    bool is_scalar;
    char instances[PATTERN_SIZE];
    const uint32_t *oid, *label; /* behind the struct; label NULL: none */
    uint32_t n_oid, n_label;
};

/* Adds an object to all; one that is there already stays as it is. False: no memory. */
bool object_define(struct object **all, const struct message_object *message);

/* Takes it out of all; it lives as long as a device has it. */
void object_drop(struct object **all, uint32_t id);
void object_drop_all(struct object **all);

/* A device begins to use it; NULL: there is none. Ends with object_release. */
struct object *object_use(struct object *all, uint32_t id);
void object_release(struct object *object);

#endif
