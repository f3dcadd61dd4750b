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
    uint32_t users; /* how many devices have it, plus one for the list of all while it is in
                     * there */
    bool is_scalar;
    char instances[PATTERN_SIZE];
    const uint32_t *oid, *label; /* behind the struct; label NULL: none */
    uint32_t n_oid, n_label;
};

/* Adds an object to all; one that is there already stays as it is. False: no memory. */
bool object_define(struct object **all, const struct message_object *message);

/* Takes an object out of all; it is freed when no device has it any more. */
void object_drop(struct object **all, uint32_t id);
void object_drop_all(struct object **all);

/* A device begins to use an object; NULL: there is none with this id. Ends with object_release. */
struct object *object_use(struct object *all, uint32_t id);
void object_release(struct object *object);

#endif
