/* The incomplete gamma function, from which the probabilities of the chi-squared distribution are
 * computed. Pure.
 *
 * libm has lgamma(3) only. The libraries of Debian that have the rest, libgsl27 and r-mathlib,
 * would take three megabytes each on every machine for this one function. */
#ifndef DCAMP_CALCULATE_INCOMPLETE_GAMMA_H
#define DCAMP_CALCULATE_INCOMPLETE_GAMMA_H

#define INCOMPLETE_GAMMA_MIN 0.5
#define INCOMPLETE_GAMMA_MAX 1e4

/* Q(a, x), the regularized upper incomplete gamma function (NIST Digital Library of Mathematical
 * Functions, 8.2.4), from 1 at x = 0 down to 0. The probability that a chi-squared variable of k
 * degrees of freedom is above c is Q(k / 2, c / 2). Its relative error is below 1e-9, except for
 * results below 1e-300. 0 < a <= INCOMPLETE_GAMMA_MAX, x >= 0 and finite; for other arguments the
 * result is not a number. */
double incomplete_gamma(double a, double x);

#endif
