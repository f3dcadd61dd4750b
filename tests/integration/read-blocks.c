/* Prints what report blocks have of series. They are read from standard input, each as hexadecimal
 * digits, with blanks, on a line of its own. Of a value its series, its time and the value; of a
 * window, or a part of one, its series, its time, its length, how many values it has, the least,
 * the largest, the mean and the deviation, and how many values are in its histogram, or - where it
 * has none; of a record its series, its time, its start, its duration, its sequence, its result and
 * its node, or - where that is the one that reports. Status 1: something is no block, and standard
 * error says why. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"

static void print_window(const struct report_entry *entry)
{
    const struct report_window *window = &entry->window;
    printf("window %" PRIu32 " %" PRId64 " %" PRIu32, entry->series, entry->wall_ms,
           window->window_ms);
    if (window->has_moments)
        printf(" %" PRIu64 " %g %g %g %g", window->count, window->min, window->max, window->mean,
               sqrt(window->m2 / (double)window->count));
    else
        printf(" - - - - -");
    if (window->histogram)
        printf(" %" PRIu64 "\n", window->histogram->count);
    else
        printf(" -\n");
}

static void print_record(const struct report_entry *entry)
{
    const struct report_record *record = &entry->record;
    printf("record %" PRIu32 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId32 " %.*s\n",
           entry->series, entry->wall_ms, record->start_ns, record->duration_ns, record->sequence,
           record->result, (int)(record->node_len ? record->node_len : 1),
           record->node_len ? record->node : "-");
}

/* A report_entry_fn. */
static int print(void *context, const struct report_entry *entry)
{
    (void)context;
    if (entry->kind == REPORT_WINDOW)
        print_window(entry);
    else if (entry->kind == REPORT_RECORD)
        print_record(entry);
    else if (entry->kind == REPORT_VALUE && entry->result.state == RESULT_VALID)
        printf("value %" PRIu32 " %" PRId64 " %g\n", entry->series, entry->wall_ms,
               entry->result.value);
    else if (entry->kind == REPORT_VALUE)
        printf("value %" PRIu32 " %" PRId64 " -\n", entry->series, entry->wall_ms);
    return 0;
}

/* The octets of a line. 0: it is empty, or there are no more. */
static size_t read_line(uint8_t octets[REPORT_BLOCK_MAX])
{
    size_t n = 0, digits = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (isspace(c))
            continue;
        if (!isxdigit(c) || n == REPORT_BLOCK_MAX) {
            fprintf(stderr, "read-blocks: digit %zu is none of a block\n", digits);
            exit(EXIT_FAILURE);
        }
        int digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        octets[n] = (uint8_t)(digits % 2 ? octets[n] * 16 + digit : digit);
        n += digits++ % 2;
    }
    return n;
}

int main(void)
{
    uint8_t octets[REPORT_BLOCK_MAX];
    struct report_header header;
    const char *why = NULL;
    while (!feof(stdin)) {
        size_t n = read_line(octets);
        if (n > 0 && report_decode(octets, n, &header, print, NULL, &why) != 0) {
            fprintf(stderr, "read-blocks: %s\n", why);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
