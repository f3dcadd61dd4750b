/* The output of a plugin: a status, one line, perfdata, further lines. Pure, except for memory.
 *
 * Texts may come from a node, so characters that have a meaning for Nagios are replaced. */
#ifndef DCAMP_PLUGINS_RESULT_H
#define DCAMP_PLUGINS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plugins/range.h"

/* The exit statuses of the guidelines. */
enum status { STATUS_OK, STATUS_WARNING, STATUS_CRITICAL, STATUS_UNKNOWN };

#define SUMMARY_SIZE 512

struct result {
    enum status status;
    char summary[SUMMARY_SIZE];
    FILE *lines, *perfdata; /* in memory */
    char *lines_text, *perfdata_text;
    size_t lines_size, perfdata_size;
    unsigned n_lines, n_left_out;
    unsigned most_lines; /* because Nagios takes only 8 KB of output */
};

struct perfdata {
    const char *label;
    const char *value;                      /* a decimal; NULL if it is not known, printed as U */
    const char *unit;                       /* of the values: "%", "s", "B/s" ...; NULL if none */
    bool counter;                           /* it only grows */
    const struct range *warning, *critical; /* NULL if there is none */
    const char *min, *max;                  /* decimals; NULL if there is none */
};

/* Returns false if memory runs out. The result must not move. */
bool result_init(struct result *result, unsigned most_lines);
void result_free(struct result *result);

/* Makes the status the worse one of both; the order is critical, warning, unknown, ok. */
void result_worsen(struct result *result, enum status status);

/* The status of a value by the two ranges. */
enum status result_judge(const struct range *warning, const struct range *critical, double value);

void result_summary(struct result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void result_line(struct result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void result_perfdata(struct result *result, const struct perfdata *perfdata);
/* A number of things, at least 0. */
void result_count(struct result *result, const char *label, size_t count,
                  const struct range *warning, const struct range *critical);

/* Prints all of it, in the format that Nagios reads. */
void result_print(struct result *result, FILE *to);

const char *status_name(enum status status);

#endif
