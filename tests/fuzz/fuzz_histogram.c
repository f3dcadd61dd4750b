/* Fuzz target: any octets as an encoded histogram. With -DFUZZ_MAIN it runs over files instead. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

#ifdef FUZZ_MAIN
/* The copy ends where its memory ends, so that a sanitizer sees any octet too far. */
static int run_file(const char *path)
{
    const size_t room = 1 << 20;
    FILE *file = fopen(path, "rb");
    uint8_t *buffer = malloc(room), *exact = NULL;
    int rc = -1;
    if (file && buffer) {
        size_t size = fread(buffer, 1, room, file);
        exact = realloc(buffer, size ? size : 1);
        if (exact && !ferror(file))
            rc = LLVMFuzzerTestOneInput(exact, size);
    }
    if (rc != 0)
        perror(path);
    free(exact ? exact : buffer);
    if (file)
        fclose(file);
    return rc;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= run_file(argv[i]) != 0;
    return failed;
}
#endif
