/* The objects that a child has, and their values. */
#ifndef DCAMP_SIM_OBJECTS_H
#define DCAMP_SIM_OBJECTS_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "values.h"

struct sim;
struct sim_child;

enum object {
    OBJECT_UP_TIME,
    OBJECT_NODE_NAME,
    OBJECT_BOOT,
    OBJECT_FIRST,
    OBJECT_LAST,
    OBJECT_BLOCK,
    OBJECT_SENSOR,
    OBJECT_INSTANCE,
    OBJECT_METRIC,
    OBJECT_UNIT,
    OBJECT_ENGINE_ID,
    OBJECT_ENGINE_BOOTS,
    OBJECT_ENGINE_TIME,
    OBJECT_ENGINE_MAX_SIZE,
    OBJECTS
};

/* In the order of their OIDs. */
struct object_set {
    struct object_name {
        oid id[MAX_OID_LEN];
        size_t len;
    } names[OBJECTS];
};

/* An instance: its row is 0 for a scalar. Or none: the exception that says so. */
struct object_instance {
    enum object object;
    uint32_t row;
    uint8_t exception; /* 0, SNMP_NOSUCHOBJECT, SNMP_NOSUCHINSTANCE or SNMP_ENDOFMIBVIEW */
};

struct object_value {
    uint8_t type;
    uint64_t number;
    const uint8_t *octets; /* perhaps those below */
    size_t len;
    struct sim_series series;
    char text[NAME_SIZE];
};

void objects_init(struct object_set *set);

struct object_instance objects_find(const struct sim *sim, const struct sim_child *child,
                                    const oid *id, size_t len);
struct object_instance objects_next(const struct sim *sim, const struct sim_child *child,
                                    const oid *id, size_t len);

/* The instance that comes after an instance. */
struct object_instance objects_after(const struct sim *sim, const struct sim_child *child,
                                     struct object_instance instance);

/* Valid until the child changes. */
void objects_value(const struct sim *sim, const struct sim_child *child,
                   struct object_instance instance, struct moment now, struct object_value *value);

#endif
