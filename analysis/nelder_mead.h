/* The least of a function of few variables that has no derivative to go by. Pure. */
#ifndef DCAMP_ANALYSIS_NELDER_MEAD_H
#define DCAMP_ANALYSIS_NELDER_MEAD_H

#include <stddef.h>

#define NELDER_MEAD_MOST 4

/* NAN and INFINITY are larger than anything. */
typedef double nelder_mead_function(const double *at, void *context);

/* From at, by a simplex whose corners are step away from it (Nelder, Mead, Computer Journal 7,
 * 1965), until the values of its corners differ by tolerance of the least at most, or the function
 * has been called calls times. n <= NELDER_MEAD_MOST. Returns the least that was found, at becomes
 * where. */
double nelder_mead(nelder_mead_function *function, void *context, double *at, size_t n, double step,
                   double tolerance, size_t calls);

#endif
