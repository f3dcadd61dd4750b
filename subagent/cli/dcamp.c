/* dcamp: asks a node. Arguments, the address, and exit status; command.h has what can be asked. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/load.h"

static enum exit_status run_command(const struct command *command)
{
    char address[PEER_ADDRESS_SIZE];
    if (!command_asks_node(command))
        return command->subcommand->run(command, NULL, stdout, stderr);
    const char *why = address_resolve(&command->login.address, address);
    if (why) {
        fprintf(stderr, "dcamp: %s: %s\n", command->login.address.host, why);
        return EXIT_SILENT;
    }
    struct client *client = client_new(address, &command->login.credential,
                                       clock_mono_ns() + command->timeout_s * NS_PER_S);
    if (!client) {
        fputs("dcamp: no memory\n", stderr);
        return EXIT_BROKEN;
    }
    if (command->verbose)
        client_trace(client, stderr);
    enum exit_status status = command->subcommand->run(command, client, stdout, stderr);
    client_free(client);
    return status;
}

/* Output that could not be written is a failure, whatever else went well. */
static enum exit_status finish_output(enum exit_status status)
{
    bool earlier = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !earlier)
        return status;
    fprintf(stderr, "dcamp: the output is not complete: %s\n", strerror(errno));
    return EXIT_BROKEN;
}

int main(int argc, char **argv)
{
    static struct command command; /* with secrets: overwritten below */
    char error[COMMAND_ERROR_SIZE];
    enum exit_status status = EXIT_GOOD;
    if (load_is_meant(argc, argv))
        return (int)load_become(argv, stderr);
    switch (command_read(argc, argv, &command, error)) {
    case COMMAND_HELP:
        command_help(stdout);
        break;
    case COMMAND_VERSION:
        puts("dcamp " PACKAGE_VERSION);
        break;
    case COMMAND_BAD:
        fprintf(stderr, "dcamp: %s (dcamp --help)\n", error);
        status = EXIT_USAGE;
        break;
    case COMMAND_GOOD:
        status = run_command(&command);
        break;
    }
    explicit_bzero(&command.login.credential, sizeof command.login.credential);
    return (int)finish_output(status);
}
