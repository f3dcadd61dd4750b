/* What every subcommand does with the node that it asks: questions, progress, and what to say and
 * which exit status to leave with when something goes wrong. */
#ifndef DCAMP_CLI_QUESTION_H
#define DCAMP_CLI_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/sheet.h"

/* One run of a subcommand. It owns nothing: those who made the parts keep them. */
struct question {
    const struct command *command;
    struct client *client;
    FILE *to, *errors;
    enum exit_status status; /* EXIT_GOOD until something goes wrong */
};

/* Each says one line on errors, sets the status and returns false, so that it can be the end of a
 * condition. */
bool question_fail(struct question *question, enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool question_no_memory(struct question *question);
bool question_client_failed(struct question *question);

/* An answer has come: the time-out counts from now on. */
void question_progress(struct question *question);

void question_sleep(uint64_t ns);

/* Whether a dcampd is behind the snmpd that answers. To be called first. False: status says it. */
bool question_is_dcamp(struct question *question);

/* GET of cells, and a walk of one column, as client.h has them. False: status says it. */
bool question_get(struct question *question, struct cell *cells, size_t n);
bool question_walk(struct question *question, const struct cell *start, size_t expected,
                   client_take *take, void *context);

/* A SET, as client.h has it; if the node refuses it, its own reason is told. tries: how often it is
 * sent at most while there is no answer; more than once only if it may be done twice. */
bool question_set(struct question *question, const struct cell *cells, size_t n, unsigned tries);

/* What question_set does when client_set has failed for these cells. Always false. */
bool question_set_failed(struct question *question, const struct cell *cells, size_t n);

/* The rows of a sheet in the format that was asked for. False: status says it. */
bool question_print(struct question *question, struct sheet *sheet);

/* A value of a sheet from a cell, whose text it points to. Numbers with labels are given by their
 * label if the column is of text. */
void question_value(struct sheet_value *value, enum sheet_kind kind, const struct cell *cell);

#endif
