/* Quantiles and tails of the distributions that intervals and tests are made of. Pure. */
#ifndef DCAMP_ANALYSIS_NORMAL_H
#define DCAMP_ANALYSIS_NORMAL_H

/* P(Z <= z) of the standard normal distribution; accurate also far out, where it is close to 0. */
double normal_probability(double z);

/* The z with P(Z <= z) = p, 0 < p < 1; relative error about 1e-15 (Wichura, AS 241, Applied
 * Statistics 37, 1988, which is R's qnorm). -INFINITY at 0, INFINITY at 1, otherwise NAN. */
double normal_quantile(double p);

/* The quantile p of Student's t distribution, 0 < p < 1. freedom: the degrees of freedom, at least
 * 1, not necessarily an integer. It is computed by Hill's expansion (Algorithm 396, CACM 13, 1970),
 * which Newton's method refines where freedom is small. The relative error is below 1e-6 if t^2 is
 * finite. NAN for any other argument. */
double student_quantile(double p, double freedom);

#endif
