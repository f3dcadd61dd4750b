/* Which of many differences are beyond chance. Of 1,000 series that are alike, 50 intervals of 95
 * percent do not contain 0; so the share of false differences among those that are found is kept
 * below a bound, by the step-up procedure of Y. Benjamini and Y. Hochberg (Controlling the False
 * Discovery Rate. Journal of the Royal Statistical Society B 57(1), 1995). The bound holds for
 * series that are independent, or rise and fall together (Y. Benjamini, D. Yekutieli: The Control
 * of the False Discovery Rate in Multiple Testing under Dependency. Annals of Statistics 29(4),
 * 2001). Pure. */
#ifndef DCAMP_RUNS_DISCOVERY_H
#define DCAMP_RUNS_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the i-th difference is beyond chance, if a share alpha of those that are not real may be
 * taken for real. What is beyond chance at one alpha has to be so at all larger ones. */
typedef bool discovery_test_fn(void *context, size_t i, double alpha);

/* Sets found[i] of all n and returns how many are true, r. With n tests at rate alpha, each of
 * these was tested with alpha r / n: on average, intervals of the level 1 - alpha r / n then fail
 * to cover at most a share alpha of those that were found (Y. Benjamini, D. Yekutieli: False
 * Discovery Rate-Adjusted Multiple Confidence Intervals for Selected Parameters. JASA 100,
 * 2005). */
size_t discovery_run(size_t n, double alpha, discovery_test_fn *test, void *context, bool *found);

#endif
