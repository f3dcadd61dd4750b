/* Finds the objects of the MIB by names as snmptrapd prints them. Pure. OIDs and labels are those
 * that mibgen has derived from DCAMP-MIB.txt. */
#ifndef DCAMP_TRAP_OBJECTS_H
#define DCAMP_TRAP_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/oid.h"

struct object_name {
    uint32_t oid[OID_MAX];
    size_t len;
    bool known; /* false if it has a label that is not known here; then it has no OID */
};

/* Reads a name in any form that Net-SNMP's output options produce: numbers, with or without the
 * first dot or "iso", label and instance, module::label.instance, the full path of labels,
 * instances in brackets. Returns false if the text is not the name of an object. */
bool object_parse(const char *text, size_t len, struct object_name *name);

/* The object of the DCAMP-MIB that has this name, or of which this is an instance: enum mib_object,
 * or -1. instance_len: how many numbers follow the OID of the object. */
int object_find(const struct object_name *name, size_t *instance_len);

/* Whether it is the instance .0 of this OID. */
bool object_is_scalar(const struct object_name *name, const uint32_t *oid, size_t len);

#endif
