/* dcamp load: hands over to dcamp-load, a program of its own, which reads its arguments itself. */
#ifndef DCAMP_CLI_LOAD_H
#define DCAMP_CLI_LOAD_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

/* Whether the first word is load: then everything behind it is for that program. */
bool load_is_meant(int argc, char *const *argv);

/* Becomes dcamp-load. It returns only where there is none. */
enum exit_status load_become(char **argv, FILE *errors);

/* Where options of dcamp stand before the word: says that they are none of dcamp-load. */
enum exit_status load_run(const struct command *command, struct client *client, FILE *to,
                          FILE *errors);

#endif
