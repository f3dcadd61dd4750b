/* The command line of dcamp, and its exit statuses. */
#ifndef DCAMP_CLI_COMMAND_H
#define DCAMP_CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/login.h"
#include "cli/sheet.h"

enum exit_status {
    EXIT_GOOD,
    EXIT_CUT,     /* all that there is was printed, but there has been more */
    EXIT_USAGE,   /* arguments, or the file of secrets */
    EXIT_SILENT,  /* no answer in time, or not of dcampd */
    EXIT_REFUSED, /* user, keys or access */
    EXIT_BROKEN   /* an answer that makes no sense, no memory, no room for the output */
};

enum subcommand { SUBCOMMAND_ALARMS, SUBCOMMAND_NONE };

struct command {
    enum subcommand subcommand;
    struct login login;
    enum sheet_format format;
    unsigned timeout_s; /* without an answer */
    bool verbose;
    bool log; /* --since is given */
    uint32_t since;
};

enum command_outcome { COMMAND_GOOD, COMMAND_BAD, COMMAND_HELP, COMMAND_VERSION };

/* Reads arguments and the file of secrets; overwrites passphrases as login_take does.
 * COMMAND_BAD: error holds one line. */
enum command_outcome command_read(int argc, char **argv, struct command *command, char error[512]);

void command_help(FILE *to);

#endif
