/* Test data: one line for each operation, from a file or from the output of a program. */
#ifndef DCAMP_LOAD_DATA_H
#define DCAMP_LOAD_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/failure.h"

#define DATA_LINE_MAX (1 << 20) /* octets */

struct data;

/* Reads the whole file; when all of its lines have been used, they begin again. On NULL, why says
 * what is wrong, and in which line. */
struct data *data_of_file(const char *path, char why[FAILURE_TEXT]);

/* Starts the program, whose output is read as lines are needed; they end when the program does. */
struct data *data_of_program(char *const *words, char why[FAILURE_TEXT]);

/* Ends a program that is still running. NULL is allowed. */
void data_close(struct data *data);

/* Reads what a program has written so far, without waiting for more. Returns whether data_next()
 * has something to return; this is always true of a file. */
bool data_is_ready(struct data *data);

/* The descriptor that is readable when a program has written something or ended; -1 for a file. */
int data_fd(const struct data *data);

enum data_outcome {
    DATA_LINE,
    DATA_END, /* there are no more lines */
    DATA_BAD, /* why says what is wrong */
};

/* Returns the next line without its newline; it is valid until the next call of this function or of
 * data_is_ready(), which must have been true. A carriage return at the end is part of the line. */
enum data_outcome data_next(struct data *data, const char **line, char why[FAILURE_TEXT]);

/* After DATA_END: whether the program has failed, by its exit status or by a signal; why says how.
 * A program that does not end although it has closed its output is waited for at most a second, and
 * has not failed. */
bool data_has_failed(struct data *data, char why[FAILURE_TEXT]);

#endif
