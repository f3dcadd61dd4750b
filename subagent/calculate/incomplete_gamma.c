#include "calculate/incomplete_gamma.h"

#include <float.h>
#include <math.h>

/* Both expansions need about 10 sqrt(a) terms where they are slowest: at x = a. */
#define TERMS 10000

/* x^a e^-x / gamma(a) */
static double density(double a, double x)
{
    int sign;
    return exp(a * log(x) - x - lgamma_r(a, &sign));
}

/* 1 - Q by its power series, for x below a + 1: DLMF 8.7.1. */
static double series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int k = 1; k < TERMS && term > sum * DBL_EPSILON; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum * density(a, x);
}

/* Q by the even part of the continued fraction of DLMF 8.9.2, for x from a + 1 on. It is evaluated
 * from its beginning (W. J. Lentz: Generating Bessel functions in Mie scattering calculations using
 * continued fractions. Applied Optics 15(3), 1976); for such x, no denominator is 0. */
static double fraction(double a, double x)
{
    double b = x + 1 - a, c = INFINITY, d = 1 / b, value = d, factor = 0;
    for (int k = 1; k < TERMS && fabs(factor - 1) > DBL_EPSILON; k++) {
        double numerator = -k * (k - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        factor = c * d;
        value *= factor;
    }
    return value * density(a, x);
}

double incomplete_gamma(double a, double x)
{
    if (!(a >= INCOMPLETE_GAMMA_MIN && a <= INCOMPLETE_GAMMA_MAX && x >= 0 && x <= DBL_MAX))
        return NAN;
    if (x < DBL_MIN)
        return 1;
    return x < a + 1 ? 1 - series(a, x) : fraction(a, x);
}
