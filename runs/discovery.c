#include "runs/discovery.h"

/* What is not beyond chance at one alpha is not at a smaller one, either, so that it is excluded
 * once and for all. k decreases from n, and the loop ends at the largest k for which k differences
 * are beyond chance at alpha k / n. */
size_t discovery_run(size_t n, double alpha, discovery_test_fn *test, void *context, bool *found)
{
    size_t k = n, left = n;
    for (size_t i = 0; i < n; i++)
        found[i] = true;
    do {
        k = left;
        left = 0;
        for (size_t i = 0; i < n; i++) {
            found[i] = found[i] && test(context, i, alpha * (double)k / (double)n);
            left += found[i];
        }
    } while (left < k && left > 0);
    return left;
}
