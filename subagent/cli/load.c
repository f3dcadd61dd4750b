#include "cli/load.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/program.h"

#define PROGRAM "dcamp-load"

bool load_is_meant(int argc, char *const *argv)
{
    return argc > 1 && strcmp(argv[1], "load") == 0;
}

/* The program is beside dcamp itself, as where it was built, or where PATH says. */
enum exit_status load_become(char **argv, FILE *errors)
{
    static char name[] = PROGRAM;
    argv[1] = name;
    program_become(PROGRAM, argv + 1);
    execvp(PROGRAM, argv + 1);
    if (errno == ENOENT)
        fputs("dcamp: " PROGRAM
              ", which puts load on others, is not installed: package dcamp-load\n",
              errors);
    else
        fprintf(errors, "dcamp: " PROGRAM ": %s\n", strerror(errno));
    return EXIT_BROKEN;
}

enum exit_status load_run(const struct command *command, struct client *client, FILE *to,
                          FILE *errors)
{
    (void)command;
    (void)client;
    (void)to;
    fputs("dcamp: load has options of its own, which stand behind it: dcamp load --help\n", errors);
    return EXIT_USAGE;
}
