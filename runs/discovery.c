#include "runs/discovery.h"

/* Who is beyond chance with more of alpha than there can be for all is out of it once and for all;
 * from above, the largest k of which k are beyond chance with alpha k / n is where it ends. */
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
