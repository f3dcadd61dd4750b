/* Prints the buckets of dCAMP's histograms as a header for libdcamp or, with the argument "java",
 * their borders as a class. They are made from those that the daemon itself uses, so that there is
 * one scheme, and the libraries need no code of the daemon.
 *
 * The octets of a double above 0, taken as a number, are in the order of its value. Cut off after
 * the exponent and six bits of the fraction, they number cells of 1/64 of an octave or less. A
 * bucket is wider than that, so that no cell contains more than one border. Therefore the bucket of
 * the smallest value of a cell, and one comparison with its border, give the bucket of any value in
 * the cell. */
#include "calculate/histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_SHIFT 46

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void print_borders(const char *declaration)
{
    printf("%s = {\n", declaration);
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++)
        printf("    %a,\n", histogram_border(i));
    printf("};\n");
}

static void print_class(void)
{
    printf(
        "/* Made by tools/bucketgen.c. */\npackage dcamp;\n\n"
        "/** The largest value of each bucket; and the largest of all that has one to itself. */\n"
        "final class Borders {\nprivate Borders() {}\n"
        "static final double MAX = %a;\n",
        HISTOGRAM_MAX);
    print_borders("static final double[] BORDERS");
    printf("}\n");
}

/* The smallest value of the first cell may be below HISTOGRAM_MIN, and that of the last one is not
 * above HISTOGRAM_MAX. */
static int print_cell(uint64_t cell)
{
    double lowest = value_of(cell << CELL_SHIFT);
    double highest = value_of(((cell + 1) << CELL_SHIFT) - 1);
    int index = histogram_index(lowest < HISTOGRAM_MIN ? HISTOGRAM_MIN : lowest);
    printf("    %d,\n", index - HISTOGRAM_FIRST);
    return histogram_index(highest) - index;
}

static bool print_header(void)
{
    uint64_t first = bits_of(HISTOGRAM_MIN) >> CELL_SHIFT,
             last = bits_of(HISTOGRAM_MAX) >> CELL_SHIFT;
    printf("/* Made by tools/bucketgen.c. */\n#include <stdint.h>\n\n"
           "#define BUCKET_CELL_SHIFT %d\n#define BUCKET_CELL_FIRST %llu\n#define BUCKET_CELLS "
           "%llu\n\n"
           "#define BUCKETS %d\n\n",
           CELL_SHIFT, (unsigned long long)first, (unsigned long long)(last - first + 1),
           HISTOGRAM_LAST - HISTOGRAM_FIRST + 1);
    print_borders("static const double bucket_border[]");
    printf("\nstatic const uint16_t bucket_cell[] = {\n");
    for (uint64_t cell = first; cell <= last; cell++)
        if (print_cell(cell) > 1) {
            fprintf(stderr, "bucketgen: cell %llu has two borders\n", (unsigned long long)cell);
            return false;
        }
    printf("};\n");
    return true;
}

int main(int argc, char **argv)
{
    bool printed = true;
    if (argc == 2 && strcmp(argv[1], "java") == 0)
        print_class();
    else
        printed = print_header();
    return printed && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
