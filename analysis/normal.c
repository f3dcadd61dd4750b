#include "analysis/normal.h"

#include <math.h>
#include <stddef.h>

double normal_probability(double z)
{
    return erfc(-z * M_SQRT1_2) / 2;
}

static double polynomial(const double *coefficient, size_t n, double x)
{
    double sum = 0;
    while (n--)
        sum = sum * x + coefficient[n];
    return sum;
}

/* From so many degrees of freedom on, Hill's expansion is accurate to six figures. */
#define REFINED_BELOW 20

#define RATIO(numerator, denominator, x)                                                           \
    (polynomial(numerator, 8, x) / polynomial(denominator, 8, x))

/* |p - 0.5| <= 0.425 */
static double central(double q)
{
    static const double a[] = {3.387132872796366608,  133.14166789178437745, 1971.5909503065514427,
                               13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
                               33430.575583588128105, 2509.0809287301226727};
    static const double b[] = {1,
                               42.313330701600911252,
                               687.1870074920579083,
                               5394.1960214247511077,
                               21213.794301586595867,
                               39307.89580009271061,
                               28729.085735721942674,
                               5226.495278852545925};
    return q * RATIO(a, b, 0.180625 - q * q);
}

/* r is the square root of -ln(p), where p is the smaller tail. */
static double near_tail(double r)
{
    static const double c[] = {1.42343711074968357734,  4.6303378461565452959,
                               5.7694972214606914055,   3.64784832476320460504,
                               1.27045825245236838258,  .24178072517745061177,
                               .0227238449892691845833, 7.7454501427834140764e-4};
    static const double d[] = {1,
                               2.05319162663775882187,
                               1.6763848301838038494,
                               .68976733498510000455,
                               .14810397642748007459,
                               .0151986665636164571966,
                               5.475938084995344946e-4,
                               1.05075007164441684324e-9};
    return RATIO(c, d, r - 1.6);
}

static double far_tail(double r)
{
    static const double e[] = {6.6579046435011037772,     5.4637849111641143699,
                               1.7848265399172913358,     .29656057182850489123,
                               .026532189526576123093,    .0012426609473880784386,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {1,
                               .59983220655588793769,
                               .13692988092273580531,
                               .0148753612908506148525,
                               7.868691311456132591e-4,
                               1.8463183175100546818e-5,
                               1.4215117583164458887e-7,
                               2.04426310338993978564e-15};
    return RATIO(e, f, r - 5);
}

double normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    double q = p - 0.5;
    if (fabs(q) <= 0.425)
        return central(q);
    double r = sqrt(-log(q < 0 ? p : 1 - p));
    return copysign(r <= 5 ? near_tail(r) : far_tail(r), q);
}

/* Hill's expansion. tails: the probability of both tails together. */
static double hill(double tails, double n)
{
    double a = 1 / (n - 0.5), b = 48 / (a * a);
    double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
    double d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * M_PI_2) * n;
    double y = pow(d * tails, 2 / n);
    if (y > 0.05 + a) {
        double x = normal_quantile(tails / 2);
        y = x * x;
        if (n < 5)
            c += 0.3 * (n - 4.5) * (x + 0.6);
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
        y = expm1(a * y * y);
    } else {
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y -
             1) *
                (n + 1) / (n + 2) +
            1 / y;
    }
    return sqrt(n * y);
}

/* Exact for one and two degrees of freedom, and interpolated in 1/freedom between them, because the
 * expansion fails there. */
static double student_few(double tails, double freedom)
{
    double one = 1 / tan(tails * M_PI_2), two = sqrt(2 / (tails * (2 - tails)) - 2);
    double part = 2 / freedom - 1;
    return exp(part * log(one) + (1 - part) * log(two));
}

static double log_beta(double a, double b)
{
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/* The regularized incomplete beta function I_x(a, b) by its power series (Abramowitz, Stegun,
 * Handbook of Mathematical Functions, 26.5.4 and 15.1.1), for 0 < x <= 0.5. */
static double beta_series(double x, double a, double b)
{
    double term = 1, sum = 1 / a;
    for (int k = 1; fabs(term) > 1e-17 && k < 100; k++) {
        term *= x * (k - b) / k;
        sum += term / (a + k);
    }
    return exp(a * log(x) - log_beta(a, b)) * sum;
}

/* The probability of a value above t > 0. */
static double student_tail(double t, double freedom)
{
    double far = freedom / (freedom + t * t), near = t * t / (freedom + t * t);
    return 0.5 * (far <= 0.5 ? beta_series(far, freedom / 2, 0.5)
                             : 1 - beta_series(near, 0.5, freedom / 2));
}

/* Used where Hill's expansion has few figures: Newton's method on logarithms, in which the tail is
 * almost a straight line. */
static double student_refined(double tails, double freedom, double t)
{
    for (int i = 0; i < 4; i++) {
        double above = student_tail(t, freedom);
        double density =
            exp(-(freedom + 1) / 2 * log1p(t * t / freedom) - log_beta(0.5, freedom / 2)) /
            sqrt(freedom);
        t *= exp(log(2 * above / tails) * above / (t * density));
    }
    return t;
}

double student_quantile(double p, double freedom)
{
    if (!(p > 0 && p < 1 && freedom >= 1))
        return NAN;
    if (p == 0.5)
        return 0;
    double tails = 2 * fmin(p, 1 - p);
    double t = freedom <= 2    ? student_few(tails, freedom)
               : freedom > 1e6 ? -normal_quantile(tails / 2)
                               : hill(tails, freedom);
    if (freedom < REFINED_BELOW && isfinite(t * t))
        t = student_refined(tails, freedom, t);
    return copysign(t, p - 0.5);
}
