/* Fuzz target: any octets as a histogram, packed or as blocks of version 1 have it. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/histogram.h"
#include "calculate/histogram_cbor.h"
#include "calculate/histogram_packed.h"
#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* What was accepted can be packed, and is the same then. */
static void check_packing(const struct histogram *histogram)
{
    struct histogram unpacked = {0};
    const char *why;
    size_t len = histogram_pack(histogram, NULL, 0);
    uint8_t *octets = malloc(len);
    expect(octets && histogram_pack(histogram, octets, len) == len);
    expect(histogram_unpack(&unpacked, octets, len, &why) == 0);
    expect(histogram_equal(&unpacked, histogram));
    histogram_release(&unpacked);
    free(octets);
}

/* What was unpacked is the one form of what it holds. */
static void check_unpacked(const struct histogram *histogram, const uint8_t *data, size_t size)
{
    uint8_t *again = malloc(size);
    expect(again && histogram_pack(histogram, again, size) == size);
    expect(memcmp(again, data, size) == 0);
    free(again);
}

/* What was accepted can be used. */
static void check_decoded(struct histogram *histogram)
{
    check_packing(histogram);
    for (int i = 0; i <= 10; i++)
        expect(isnan(histogram_quantile(histogram, i / 10.0)) == (histogram->count == 0));
    struct histogram sum = {0};
    expect(histogram_merge(&sum, histogram) == 0 && histogram_equal(&sum, histogram));
    int error = histogram_merge(&sum, histogram);
    expect(error == 0 || (error == EOVERFLOW && histogram_equal(&sum, histogram)));
    histogram_release(&sum);
}

static void unpack(const uint8_t *data, size_t size)
{
    struct histogram histogram = {0};
    const char *why = NULL;
    int error = histogram_unpack(&histogram, data, size, &why);
    expect(!error == !why);
    if (error)
        expect(histogram.count == 0 && !histogram.positive.counts);
    else
        check_unpacked(&histogram, data, size);
    if (!error)
        check_decoded(&histogram);
    histogram_release(&histogram);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct histogram histogram = {0};
    const char *why = NULL;
    size_t used = 0;
    int error = histogram_decode(&histogram, data, size, &used, &why);
    expect(!error == !why);
    if (!error)
        check_decoded(&histogram);
    else
        expect(histogram.count == 0 && !histogram.positive.counts);
    histogram_release(&histogram);
    unpack(data, size);
    return 0;
}
