/* Derived sensors: their values are computed from the latest values of other sensors of the node.
 *
 * A derived sensor has a series for each instance on which everything that it refers to has a
 * value: from each sensor it takes the series of that instance or, if the sensor has only one for
 * the whole machine, that one. "a / b" with a on eth0 and eth1 and b on the whole machine has the
 * instances eth0 and eth1. */
#ifndef DCAMP_SERIES_DERIVE_H
#define DCAMP_SERIES_DERIVE_H

#include "series/series.h"

/* A sensor may be derived from a derived one, and so on: this is the greatest depth. */
#define DERIVE_RANK_MAX 32

/* Parses the expression of a sensor that begins. False: no memory; it cannot be a syntax error,
 * because such an expression is in no row. */
bool derive_begin(struct sensor *sensor);

/* After a change of the sensors: finds what derives from what, the units, and what cannot be
 * computed; orders the list of all sensors so that each comes after its inputs. */
void derive_order(struct measure *measure, struct moment now);

/* Matches the series of a derived sensor with those that it refers to. */
void derive_match(struct measure *measure, struct sensor *sensor, struct moment now);

/* Computes the value of a series. It has none while one of its inputs has none. */
void derive_sample(struct series *series, struct moment now);

#endif
