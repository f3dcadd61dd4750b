/* Derived sensors in the configuration: whether an expression makes sense among the other rows. */
#ifndef DCAMP_CONFIG_DERIVED_H
#define DCAMP_CONFIG_DERIVED_H

#include "config/config.h"

/* The row of a sensor, active or not; NULL where there is none. */
typedef const struct sensor_row *derived_row_fn(void *context, const char *name);

struct derived_fault {
    struct expression_error error;
    char unknown[NAME_SIZE]; /* the sensor that is not there, if that is what is wrong; else "" */
};

/* Looks for what keeps the expression of a row from being computed: a sensor that is not there, one
 * that is derived from itself, units that do not go together, more than DERIVED_DEPTH_MAX
 * expressions over each other. Rows come in any order over SNMP: unless complete, a sensor that is
 * not there yet is no fault, and then units are not compared.
 * False with the fault. */
#define DERIVED_DEPTH_MAX 32
bool derived_check(const struct sensor_row *row, derived_row_fn *rows, void *context, bool complete,
                   struct derived_fault *fault);

#endif
