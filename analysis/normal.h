/* Quantiles and tails of the distributions that intervals and tests are made of. Pure. */
#ifndef DCAMP_ANALYSIS_NORMAL_H
#define DCAMP_ANALYSIS_NORMAL_H

/* P(Z <= z) of the standard normal distribution, also far out, where it is near to 0. */
double normal_probability(double z);

/* The z with P(Z <= z) = p, 0 < p < 1; relative error about 1e-15 (Wichura, AS 241, Applied
 * Statistics 37, 1988: what R has as qnorm). -INFINITY at 0, INFINITY at 1, else NAN. */
double normal_quantile(double p);

/* The t of Student's distribution with so many degrees of freedom, which may be no integer,
 * freedom >= 1, and 0 < p < 1: Hill's expansion (Algorithm 396, CACM 13, 1970), which Newton's
 * method refines where freedom is small. Relative error below 1e-6 where t^2 is a number. NAN for
 * anything else. */
double student_quantile(double p, double freedom);

#endif
