#!/usr/bin/env python3
"""What SciPy (package python3-scipy) says of what calculate/incomplete_gamma.c and application/fit.c compute:

    python3 tests/unit/fit_truth.py > tests/unit/fit_truth.h

The data are drawn here as test_application_fit.c draws them, by the generator of distributions.c. The
distance is of the times themselves; chi-squared is of the buckets of histogram.h, put together here as
fit.h says."""
import math

import numpy
from scipy import special, stats

GAMMA = 101 / 99
BORDERS = GAMMA ** numpy.arange(-1036, 2074)
EXPECTED_MIN = 5


class Uniform:
    """xorshift64*, as uniform() of distributions.c."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        mask = 2**64 - 1
        self.state ^= self.state >> 12
        self.state = (self.state ^ self.state << 25) & mask
        self.state ^= self.state >> 27
        return ((self.state * 2685821657736338717 & mask) >> 11) / 2**53 + 0.5 / 2**53


def exponential(uniform):
    return -math.log(uniform())


def erlang(uniform):
    return exponential(uniform) + exponential(uniform) + exponential(uniform)


def hyperexponential(uniform):
    return (10 if uniform() < 0.1 else 0.5) * exponential(uniform)


def constant(_):
    return 0.0042


def of_pairs(uniform):
    return 0 if uniform() < 0.5 else exponential(uniform)


# Name, which draws, how many, in seconds.
DATA = (
    ('exponential', exponential, 1, 0.002),
    ('exponential', exponential, 4, 0.002),
    ('exponential', exponential, 5, 0.002),
    ('exponential', exponential, 30, 1e6),
    ('exponential', exponential, 1000, 0.002),
    ('exponential', exponential, 100000, 3e-7),
    ('erlang', erlang, 30, 0.002),
    ('erlang', erlang, 1000, 0.002),
    ('hyperexponential', hyperexponential, 50, 0.002),
    ('hyperexponential', hyperexponential, 1000, 0.002),
    ('constant', constant, 1, 1),
    ('constant', constant, 200, 1),
    ('of_pairs', of_pairs, 500, 0.002),
)


def bins_of(times):
    """Observed and expected times of each bin."""
    counts = numpy.append(numpy.histogram(times, numpy.append(0, BORDERS))[0], 0)
    distribution = stats.expon(scale=times.mean())
    edges = numpy.concatenate(([0], BORDERS, [math.inf]))
    expected = len(times) * -numpy.diff(distribution.sf(edges))
    bins = []
    observed_sum = expected_sum = 0.0
    for observed_here, expected_here in zip(counts, expected):
        observed_sum += observed_here
        expected_sum += expected_here
        if expected_sum >= EXPECTED_MIN:
            bins.append([observed_sum, expected_sum])
            observed_sum = expected_sum = 0.0
    if bins:
        bins[-1][0] += observed_sum
        bins[-1][1] += expected_sum
    return numpy.array(bins)


def print_times(name, draw, n, scale):
    uniform = Uniform(n)
    times = scale * numpy.array([draw(uniform) for _ in range(n)])
    mean = times.mean()
    distance = stats.kstest(times, 'expon', (0, mean)).statistic
    bins = bins_of(times)
    chi2, p, degrees = math.nan, math.nan, 0
    if len(bins) >= 3:
        chi2, p = stats.chisquare(bins[:, 0], bins[:, 1], ddof=1)
        degrees = len(bins) - 2
    numbers = ', '.join('NAN' if math.isnan(x) else repr(float(x))
                        for x in (mean, times.var() / mean**2, distance, chi2, p))
    print(f'    {{"{name}", draw_{name}, {n}, {scale!r}, {numbers}, {degrees}}}, \\')


def main():
    print('/* Made by fit_truth.py. */\n/* clang-format off */')
    print('#ifndef DCAMP_TESTS_FIT_TRUTH_H\n#define DCAMP_TESTS_FIT_TRUTH_H\n')
    print('/* Name, generator, number, scale; mean, cv2, distance, chi2, p, degrees. */')
    print('#define FIT_TRUTHS \\')
    for row in DATA:
        print_times(*row)
    print('\n/* a, x, Q(a, x). */')
    print('#define INCOMPLETE_GAMMA_TRUTHS \\')
    for a in (0.5, 1, 1.5, 7, 50.5, 600, 10000):
        for factor in (0, 0.01, 0.5, 0.9, 0.999, 1, 1.001, 1.1, 2, 5):
            x = a * factor
            print(f'    {{{a!r}, {x!r}, {float(special.gammaincc(a, x))!r}}}, \\')
    print('\n#endif')


main()
