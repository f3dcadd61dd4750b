#include "cli/runs.h"

#include "cli/program.h"
#include "cli/recall.h"

#define PROGRAM "dcamp-runs"
#define ARGUMENTS_MAX (2 * COMMAND_PASSED_MAX + 16)

struct arguments {
    char *list[ARGUMENTS_MAX]; /* execv(3) does not change them */
    size_t n;
};

static void add(struct arguments *arguments, const char *text)
{
    arguments->list[arguments->n++] = (char *)text;
}

static void add_option(struct arguments *arguments, const char *option, const char *value)
{
    add(arguments, option);
    if (value)
        add(arguments, value);
}

/* Returns only if there is no such program. */
static enum exit_status become(const struct command *command, const char *action,
                               const char *directory, FILE *to, FILE *errors)
{
    struct arguments arguments = {.n = 0};
    add(&arguments, PROGRAM);
    for (size_t i = 0; i < command->n_passed; i++)
        add_option(&arguments, command->passed[i].option, command->passed[i].value);
    if (command->format == SHEET_JSON)
        add(&arguments, "--json");
    if (directory)
        add_option(&arguments, "--directory", directory);
    add(&arguments, "--");
    add(&arguments, action);
    for (int i = 0; i < command->n_words; i++)
        add(&arguments, command->words[i]);
    fflush(to);
    program_become(PROGRAM, arguments.list);
    fputs("dcamp: " PROGRAM ", which keeps runs, is not installed: package dcamp-plot\n", errors);
    return EXIT_BROKEN;
}

/* Starts a run with the history of the node that is asked. */
static enum exit_status start_at(const struct command *command, struct client *client, FILE *to,
                                 FILE *errors)
{
    struct question question = {
        .command = command, .client = client, .to = to, .errors = errors, .status = EXIT_GOOD};
    struct recall recall;
    enum exit_status status = question.status;
    if (recall_open(&recall, &question))
        status = become(command, "start", recall.directory, to, errors);
    else
        status = question.status;
    recall_close(&recall);
    return status;
}

enum exit_status run_start_run(const struct command *command, struct client *client, FILE *to,
                               FILE *errors)
{
    return client ? start_at(command, client, to, errors)
                  : become(command, "start", command->directory, to, errors);
}

enum exit_status run_stop_run(const struct command *command, struct client *client, FILE *to,
                              FILE *errors)
{
    (void)client;
    return become(command, "stop", command->directory, to, errors);
}

enum exit_status run_list_run(const struct command *command, struct client *client, FILE *to,
                              FILE *errors)
{
    (void)client;
    return become(command, "list", NULL, to, errors);
}

enum exit_status run_delete_run(const struct command *command, struct client *client, FILE *to,
                                FILE *errors)
{
    (void)client;
    return become(command, "delete", NULL, to, errors);
}

enum exit_status compare_run(const struct command *command, struct client *client, FILE *to,
                             FILE *errors)
{
    (void)client;
    return become(command, "compare", NULL, to, errors);
}
