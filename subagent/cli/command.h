/* The command line of dcamp: its subcommands, what they take, and the exit statuses. */
#ifndef DCAMP_CLI_COMMAND_H
#define DCAMP_CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/login.h"
#include "cli/sheet.h"

enum exit_status {
    EXIT_GOOD,
    EXIT_CUT, /* all that there is was printed, but something is missing or not as it should be */
    EXIT_LACKS = EXIT_CUT, /* this machine lacks something */
    EXIT_USAGE,   /* wrong arguments, or file of secrets; or what they name does not exist */
    EXIT_SILENT,  /* no answer in time, or not one of dcampd */
    EXIT_REFUSED, /* user, keys or access; a SET that the node does not take */
    EXIT_BROKEN   /* an answer that makes no sense, no memory, no room for the output */
};

struct client;
struct command;

/* Asks the node, prints on to what comes, and tells on errors what goes wrong, a line each. client
 * is NULL for a subcommand that is not of a node. */
typedef enum exit_status subcommand_run(const struct command *command, struct client *client,
                                        FILE *to, FILE *errors);

/* Whom a subcommand asks. */
enum subcommand_of {
    OF_NODE,    /* a node, through the client that it gets */
    OF_ADDRESS, /* the node of the option --address; without it nobody, and it gets no client */
    OF_MACHINE, /* whom it likes, also if the login is no good: it gets no client */
    OF_NOBODY,  /* nobody: there is neither an address nor a login nor a client */
    OF_HERE     /* nobody, but it uses the file of secrets of the login */
};

/* A row of the table of subcommands. */
struct subcommand {
    const char *name;  /* one word or two */
    const char *words; /* behind the address, as the help writes them */
    const char *help;  /* lines of at most 80 columns */
    uint64_t options;  /* those that not all have: command_bit(enum command_option) */
    uint64_t needs;    /* those of the options that must be given */
    enum subcommand_of of;
    bool address;    /* it must be given, as also if there must be words behind it */
    int least, most; /* words behind the address */
    subcommand_run *run;
};

/* Options that only some subcommands have. */
enum command_option {
    COMMAND_SINCE,
    COMMAND_BELOW,
    COMMAND_INTERVAL,
    COMMAND_COUNT,
    COMMAND_CHANGES,
    COMMAND_CREATE,
    COMMAND_DELETE,
    COMMAND_CONFIG,
    COMMAND_FORCE,
    COMMAND_WAIT,
    COMMAND_CHECK,
    COMMAND_NEW_SITE,
    COMMAND_COLLECTOR,
    COMMAND_ENGINE_ID,
    COMMAND_LISTEN,
    COMMAND_ANNOUNCE,
    COMMAND_ROOT,
    COMMAND_SERVICE,
    COMMAND_FIX,
    COMMAND_NEW_SECRETS,
    COMMAND_OUTPUT,
    COMMAND_WATCH,
    COMMAND_RUN,
    COMMAND_API,
    COMMAND_TOKEN_FILE,
    COMMAND_CA,
    COMMAND_MACROS,
    COMMAND_TEXT,
    COMMAND_ONCE,
    COMMAND_DIRECTORY,
    COMMAND_LAST,
    COMMAND_FROM,
    COMMAND_TO,
    COMMAND_STEP,
    COMMAND_PERCENTILES,
    COMMAND_DARK,
    COMMAND_MERGE,
    COMMAND_ADDRESS,
    COMMAND_ALL,
    COMMAND_BY,
    COMMAND_HTML,
    COMMAND_INTERRUPTED,
    COMMAND_LEVEL,
    COMMAND_LIMIT,
    COMMAND_MAP,
    COMMAND_NODES,
    COMMAND_RUNS,
    COMMAND_SEED,
    COMMAND_TAG,
    COMMAND_OPTIONS
};

/* Options that are only passed on to the program which does what is asked for. */
#define COMMAND_PASSED_MAX 100
struct command_passed {
    const char *option; /* "--limit" */
    const char *value;  /* NULL: it has none */
};

/* The longest error has the names of all subcommands. */
#define COMMAND_ERROR_SIZE 768

struct command {
    const struct subcommand *subcommand;
    struct login login;
    char *const *words; /* behind the address; those of argv */
    int n_words;
    enum sheet_format format;
    unsigned timeout_s; /* how long to go on without an answer */
    bool verbose;
    uint64_t given;          /* of enum command_option */
    uint32_t since;          /* with COMMAND_SINCE */
    uint32_t interval_ms;    /* between rounds; never 0 */
    uint32_t count;          /* of rounds; 0: without an end */
    const char *config;      /* with COMMAND_CONFIG: the file with the tree document */
    unsigned wait_s;         /* how long to wait for all nodes of a tree; 0: not */
    const char *new_secrets; /* with COMMAND_NEW_SECRETS: the file */
    const char *engine_id, *listen, *root, *service;  /* as they were given, and checked; or NULL */
    const char *announce;                             /* likewise */
    const char *output, *run, *api, *token_file, *ca; /* as they were given; or NULL */
    const char *directory;                            /* with COMMAND_DIRECTORY: no node is asked */
    const char *last, *from, *to, *step, *percentiles; /* as they were given; or NULL */
    struct command_passed passed[COMMAND_PASSED_MAX];
    size_t n_passed;
    char login_error[COMMAND_ERROR_SIZE]; /* of OF_MACHINE: what is wrong with the login; else "" */
};

#define command_bit(option) (UINT64_C(1) << (option))

static inline bool command_has(const struct command *command, enum command_option option)
{
    return (command->given >> option & 1) != 0;
}

/* Whether there is a client for it. */
static inline bool command_asks_node(const struct command *command)
{
    bool is_asked = command->subcommand->of == OF_NODE || (command->subcommand->of == OF_ADDRESS &&
                                                           command_has(command, COMMAND_ADDRESS));
    return is_asked && !command_has(command, COMMAND_DIRECTORY);
}

enum command_outcome { COMMAND_GOOD, COMMAND_BAD, COMMAND_HELP, COMMAND_VERSION };

/* Reads arguments and the file of secrets; overwrites passphrases as login_take does. argv must
 * stay as long as the command. COMMAND_BAD: error holds one line. */
enum command_outcome command_read(int argc, char **argv, struct command *command,
                                  char error[COMMAND_ERROR_SIZE]);

void command_help(FILE *to);

#endif
