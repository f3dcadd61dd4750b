/* dcamp load: hands over to dcamp-load, a program of its own, which reads its arguments itself. */
#ifndef DCAMP_CLI_LOAD_H
#define DCAMP_CLI_LOAD_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

/* Whether the first word is load: then everything behind it is for that program. */
bool load_is_meant(int argc, char *const *argv);

/* Becomes dcamp-load. Returns only if there is none. */
enum exit_status load_become(char **argv, FILE *errors);

/* For options of dcamp before the word: says that dcamp-load does not take them. */
enum exit_status load_run(const struct command *command, struct client *client, FILE *to,
                          FILE *errors);

#endif
