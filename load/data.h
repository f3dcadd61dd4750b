/* Test data: a line for each operation, from a file or from what a program writes. */
#ifndef DCAMP_LOAD_DATA_H
#define DCAMP_LOAD_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/failure.h"

#define DATA_LINE_MAX (1 << 20) /* octets */

struct data;

/* Reads the whole file: when its lines have been used, they begin again. NULL: why says what is
 * wrong, and in which line. */
struct data *data_of_file(const char *path, char why[FAILURE_TEXT]);

/* Starts the program, whose output is read as lines are needed; they end when it does. */
struct data *data_of_program(char *const *words, char why[FAILURE_TEXT]);

/* Ends a program that still runs. NULL is fine. */
void data_close(struct data *data);

/* Reads what a program has written by now, and does not wait for more. Whether data_next() has
 * something to say; of a file always. */
bool data_is_ready(struct data *data);

/* What is readable when a program has written something, or has ended; -1: it is a file. */
int data_fd(const struct data *data);

enum data_outcome {
    DATA_LINE,
    DATA_END, /* there are no more */
    DATA_BAD, /* why says what is wrong */
};

/* The next line without its end; valid until the next call of this or data_is_ready(), which has to
 * have been true. A carriage return before the end is part of the line. */
enum data_outcome data_next(struct data *data, const char **line, char why[FAILURE_TEXT]);

/* Once there was DATA_END: whether the program has failed, by its exit status or a signal; why says
 * how. One that does not end, though it has closed its output, is not waited for longer than a
 * second, and has not failed. */
bool data_has_failed(struct data *data, char why[FAILURE_TEXT]);

#endif
