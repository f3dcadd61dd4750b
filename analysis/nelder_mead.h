/* The minimum of a function of few variables whose derivative is not known. Pure. */
#ifndef DCAMP_ANALYSIS_NELDER_MEAD_H
#define DCAMP_ANALYSIS_NELDER_MEAD_H

#include <stddef.h>

#define NELDER_MEAD_MOST 4

/* A result of NAN or INFINITY counts as larger than any other. */
typedef double nelder_mead_function(const double *at, void *context);

/* Searches from at, by a simplex whose corners are step away from it (Nelder, Mead, Computer
 * Journal 7, 1965), until the values at its corners differ by at most tolerance times the least of
 * them, or the function has been called calls times. n <= NELDER_MEAD_MOST. Returns the least value
 * that was found; at becomes its place. */
double nelder_mead(nelder_mead_function *function, void *context, double *at, size_t n, double step,
                   double tolerance, size_t calls);

#endif
