/* Whether a block of a simulated child says what values.h says it does.
 *
 *   expect CHILD SERIES
 *
 * reads the block as hexadecimal digits from standard input; blanks do not count. It prints
 * each value with its place and time, then the boot, the sequence number, and how many values and
 * whole windows there are; or what is wrong, and exits with 1. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"
#include "values.h"

struct expectation {
    uint32_t child, n_series, boot;
    uint32_t values, windows;
    uint32_t window_series; /* of the parts so far */
    struct statistics_window window;
    const char *wrong;
};

static size_t read_hex(uint8_t *bytes, size_t size)
{
    size_t n = 0;
    int c, high = -1;
    while ((c = getchar()) != EOF && n < size) {
        if (isspace(c))
            continue;
        if (!isxdigit(c))
            return 0;
        int digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        if (high >= 0)
            bytes[n++] = (uint8_t)(high * 16 + digit);
        high = high >= 0 ? -1 : digit;
    }
    return high >= 0 ? 0 : n;
}

static bool same(const struct statistics_window *a, const struct statistics_window *b)
{
    return a->count == b->count && a->min == b->min && a->max == b->max && a->mean == b->mean &&
           a->m2 == b->m2 && histogram_equal(&a->histogram, &b->histogram);
}

static void check_window(struct expectation *is, const struct report_entry *entry, uint32_t place)
{
    struct statistics_window wanted = {0};
    if (entry->window.has_moments)
        statistics_window_reset(&is->window);
    else if (is->window_series != entry->series)
        is->wrong = "a part of a window without its first one";
    is->window_series = entry->series;
    if (report_window_merge(&is->window, &entry->window) != 0) {
        is->wrong = "a window cannot be merged";
        return;
    }
    if (is->window.count != is->window.histogram.count)
        return;
    is->windows++;
    if (sim_window(is->child, place, entry->wall_ms, &wanted) != 0 || !same(&is->window, &wanted))
        is->wrong = "a window is another one";
    statistics_window_release(&wanted);
}

static int check(void *context, const struct report_entry *entry)
{
    struct expectation *is = context;
    uint32_t place = sim_series_place(entry->series, is->boot, is->n_series);
    if (place == is->n_series) {
        is->wrong = "a series that is not in the dictionary";
    } else if (entry->kind == REPORT_WINDOW) {
        check_window(is, entry, place);
    } else {
        char text[DECIMAL_SIZE];
        text_from_decimal(text, entry->result.value);
        printf("value %u %lld %s\n", place, (long long)entry->wall_ms, text);
        is->values++;
        if (entry->result.state != RESULT_VALID ||
            entry->result.value != sim_value(is->child, place, entry->wall_ms))
            is->wrong = "a value is another one";
    }
    return is->wrong != NULL;
}

static int nothing(void *context, const struct report_entry *entry)
{
    (void)context;
    (void)entry;
    return 1;
}

int main(int argc, char **argv)
{
    uint8_t bytes[REPORT_BLOCK_MAX + 1];
    struct report_header header;
    struct expectation is = {0};
    if (argc == 3) {
        is.child = (uint32_t)strtoul(argv[1], NULL, 10);
        is.n_series = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    if (is.child == 0 || is.n_series == 0) {
        fputs("usage: expect CHILD SERIES <HEXADECIMAL\n", stderr);
        return 2;
    }
    size_t len = read_hex(bytes, sizeof bytes);
    /* The boot, which is needed to read the entries, comes only with them. */
    if (report_decode(bytes, len, &header, nothing, NULL, &is.wrong) == 0) {
        is.boot = header.boot;
        report_decode(bytes, len, &header, check, &is, &is.wrong);
    }
    statistics_window_release(&is.window);
    if (is.wrong) {
        printf("%s\n", is.wrong);
        return 1;
    }
    printf("boot %u sequence %u values %u windows %u\n", header.boot, header.sequence, is.values,
           is.windows);
    return 0;
}
