/* Derived sensors: their values are computed from the latest values of other sensors of the node.
 *
 * One has a series for each instance on which all that it refers to have a value: the series of
 * that instance, or, of a sensor that has only the machine as a whole, that one. "a / b" with a on
 * eth0 and eth1 and b on the whole machine has the instances eth0 and eth1. */
#ifndef DCAMP_SERIES_DERIVE_H
#define DCAMP_SERIES_DERIVE_H

#include "series/series.h"

/* A sensor may be derived from one that is derived, and so on: so often. */
#define DERIVE_RANK_MAX 32

/* Parses the expression of a sensor that begins. False: no memory, for what cannot be parsed is no
 * row. */
bool derive_begin(struct sensor *sensor);

/* After a change of the sensors: finds what derives from what, the units, and what cannot be
 * computed; puts the list of all in an order in which every sensor comes after its inputs. */
void derive_order(struct measure *measure, struct moment now);

/* Matches the series of a derived sensor with those that it refers to. */
void derive_match(struct measure *measure, struct sensor *sensor, struct moment now);

/* Computes the value of a series. It has none while one of its inputs has none. */
void derive_sample(struct series *series, struct moment now);

#endif
