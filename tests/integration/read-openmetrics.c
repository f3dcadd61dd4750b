/* Prints what dCAMP reads in a text of metrics on standard input: read-openmetrics TYPE [PIECE],
 * with the Content-Type of the text, in pieces of so many octets. A line for each sample: "FAMILY
 * NAME LABELS VALUE", the labels with their number; then "faults N beyond N whole 0|1". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "application/openmetrics.h"

static int print(void *context, const struct openmetrics_sample *sample)
{
    (void)context;
    bool has_bound = sample->part == OPENMETRICS_BUCKET || sample->part == OPENMETRICS_QUANTILE;
    printf("%s %s %zu %.17g\n", sample->family->name, sample->name,
           sample->n_labels + (has_bound || sample->part == OPENMETRICS_STATE), sample->value);
    return 0;
}

static void complain(void *context, uint64_t line, const char *why)
{
    (void)context;
    fprintf(stderr, "read-openmetrics: line %llu: %s\n", (unsigned long long)line, why);
}

static int read_all(struct openmetrics *reader, size_t size)
{
    static char piece[65536];
    size_t n;
    int error = 0;
    while (!error && (n = fread(piece, 1, size, stdin)) > 0)
        error = openmetrics_feed(reader, piece, n);
    return error;
}

int main(int argc, char **argv)
{
    static const struct openmetrics_limits limits = OPENMETRICS_LIMITS;
    static const struct openmetrics_listener listener = {print, complain, NULL};
    enum openmetrics_format format;
    long size = argc == 3 ? strtol(argv[2], NULL, 10) : 65536;
    if (argc < 2 || !openmetrics_format(argv[1], &format) || size < 1 || size > 65536) {
        fprintf(stderr, "read-openmetrics TYPE [PIECE]\n");
        return EXIT_FAILURE;
    }
    struct openmetrics *reader = openmetrics_new(format, &limits, 1, &listener);
    struct openmetrics_summary summary;
    if (!reader || read_all(reader, (size_t)size)) {
        perror("read-openmetrics");
        return EXIT_FAILURE;
    }
    openmetrics_end(reader, &summary);
    openmetrics_free(reader);
    printf("faults %llu beyond %llu whole %d\n", (unsigned long long)summary.faults,
           (unsigned long long)summary.beyond, summary.is_whole);
    return EXIT_SUCCESS;
}
