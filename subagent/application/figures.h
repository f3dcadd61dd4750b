/* What is computed from everything that came in the interval of a series, for the slots of a source
 * of samples: how contended a lock is, how busy a step is, whether arrivals are a Poisson process.
 * The fields are those of metric/field.h. Pure. */
#ifndef DCAMP_APPLICATION_FIGURES_H
#define DCAMP_APPLICATION_FIGURES_H

#include "sample/sample.h"

extern const struct sample_computed figures_of_step; /* APPLICATION_RUNTIME and so on */
extern const struct sample_computed figures_of_lock; /* APPLICATION_CONTENTION and so on */
extern const struct sample_computed figures_of_fit;  /* of the events: APPLICATION_CV2 and so on */

#endif
