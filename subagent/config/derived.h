/* Derived sensors in the configuration: whether an expression makes sense together with the other
 * rows. */
#ifndef DCAMP_CONFIG_DERIVED_H
#define DCAMP_CONFIG_DERIVED_H

#include "config/config.h"

/* The row of a sensor, active or not; NULL if there is none. */
typedef const struct sensor_row *derived_row_fn(void *context, const char *name);

struct derived_fault {
    struct expression_error error;
    char unknown[NAME_SIZE]; /* the sensor that does not exist, if that is the fault; else "" */
};

/* Looks for what keeps the expression of a row from being computed: a sensor that does not exist,
 * one that is derived from itself, units that do not fit each other, or more than DERIVED_DEPTH_MAX
 * expressions above each other. Over SNMP, rows come in any order: unless complete, a sensor that
 * does not exist yet is not a fault, and then units are not compared. False: there is a fault. */
#define DERIVED_DEPTH_MAX 32
bool derived_check(const struct sensor_row *row, derived_row_fn *rows, void *context, bool complete,
                   struct derived_fault *fault);

#endif
