/* Fuzz target: any octets as an encoded histogram. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/histogram.h"
#include "calculate/histogram_cbor.h"
#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* What was accepted is the one encoding of what it holds, and can be used. */
static void check_decoded(struct histogram *histogram, const uint8_t *data, size_t used)
{
    uint8_t *again = malloc(used);
    expect(again && histogram_encode(histogram, again, used) == used);
    expect(memcmp(again, data, used) == 0);
    free(again);
    for (int i = 0; i <= 10; i++)
        expect(isnan(histogram_quantile(histogram, i / 10.0)) == (histogram->count == 0));
    struct histogram sum = {0};
    expect(histogram_merge(&sum, histogram) == 0 && histogram_equal(&sum, histogram));
    int error = histogram_merge(&sum, histogram);
    expect(error == 0 || (error == EOVERFLOW && histogram_equal(&sum, histogram)));
    histogram_release(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct histogram histogram = {0};
    const char *why = NULL;
    size_t used = 0;
    int error = histogram_decode(&histogram, data, size, &used, &why);
    expect(!error == !why);
    if (!error)
        check_decoded(&histogram, data, used);
    else
        expect(histogram.count == 0 && !histogram.positive.counts);
    histogram_release(&histogram);
    return 0;
}
