#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/snmpconf.h"

#define TIMEOUT_MAX 3600

enum { OPT_SINCE = LOGIN_END, OPT_JSON, OPT_TSV };

static const char *const subcommands[] = {[SUBCOMMAND_ALARMS] = "alarms"};

void command_help(FILE *to)
{
    fputs("dcamp asks a dCAMP node over SNMPv3.\n\n"
          "usage: dcamp alarms [OPTION]... [ADDRESS]\n\n"
          "  alarms            the active alarms, most severe first\n"
          "  alarms --since N  what happened to alarms after sequence number N, oldest\n"
          "                    first, and the number to go on from; 0: all that is kept\n\n"
          "ADDRESS is HOST or HOST:PORT, by default localhost.\n\n"
          "      --json            an object on each line\n"
          "      --tsv             tab-separated values\n"
          "  -p, --port PORT       the port (161)\n"
          "  -t, --timeout SECONDS how long to wait for an answer (10)\n"
          "  -v, --verbose         says what is answered, on the standard error\n"
          "  -h, --help            -V, --version\n\n"
          "SNMPv3, authPriv only; what is not given is taken from snmp.conf(5):\n"
          "  -U, --secname USER              -l, --seclevel authPriv\n"
          "  -a, --authproto SHA-256|SHA-512 -x, --privproto AES|AES-256\n"
          "      --secrets FILE              has \"auth PASSPHRASE\" and \"priv PASSPHRASE\"\n"
          "  -A, --authpasswd PASSPHRASE     -X, --privpasswd PASSPHRASE\n\n"
          "Exit status: 0 good; 1 entries after N are not kept any more; 2 wrong arguments;\n"
          "3 no answer; 4 user, keys or access refused; 5 anything else. See dcamp(1).\n",
          to);
}

static bool refuse_option(char error[512], const char *option, const char *value,
                          const char *expected)
{
    text_format(error, 512, "%s %s: expected %s", option, value, expected);
    return false;
}

static bool take_number(const char *text, unsigned long least, unsigned long most,
                        unsigned long *number)
{
    size_t len = strlen(text);
    errno = 0;
    *number = strtoul(text, NULL, 10);
    return len > 0 && strspn(text, "0123456789") == len && errno == 0 && *number >= least &&
           *number <= most;
}

static bool take_option(struct command *command, int option, char error[512])
{
    unsigned long number;
    switch (option) {
    case OPT_SINCE:
        if (!take_number(optarg, 0, UINT32_MAX, &number))
            return refuse_option(error, "--since", optarg, "a sequence number, 0 to 4294967295");
        command->log = true;
        command->since = (uint32_t)number;
        return true;
    case OPT_JSON:
        command->format = SHEET_JSON;
        return true;
    case OPT_TSV:
        command->format = SHEET_TSV;
        return true;
    case 't':
        if (!take_number(optarg, 1, TIMEOUT_MAX, &number))
            return refuse_option(error, "-t", optarg, "1 to 3600 seconds");
        command->timeout_s = (unsigned)number;
        return true;
    case 'v':
        command->verbose = true;
        return true;
    default:
        return login_take(&command->login, option, optarg, error);
    }
}

static const char short_options[] = ":t:vhV" LOGIN_SHORT;
static const struct option long_options[] = {{"since", required_argument, NULL, OPT_SINCE},
                                             {"json", no_argument, NULL, OPT_JSON},
                                             {"tsv", no_argument, NULL, OPT_TSV},
                                             {"timeout", required_argument, NULL, 't'},
                                             {"verbose", no_argument, NULL, 'v'},
                                             {"help", no_argument, NULL, 'h'},
                                             {"version", no_argument, NULL, 'V'},
                                             LOGIN_LONG,
                                             {NULL, 0, NULL, 0}};

static enum command_outcome take_options(int argc, char **argv, struct command *command,
                                         char error[512])
{
    optind = 0; /* of getopt(3): from the beginning */
    for (int c; (c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1;) {
        if (c == 'h' || c == 'V')
            return c == 'h' ? COMMAND_HELP : COMMAND_VERSION;
        if (c == '?' || c == ':') {
            login_bad_option(c, short_options, argv, error);
            return COMMAND_BAD;
        }
        if (!take_option(command, c, error))
            return COMMAND_BAD;
    }
    return COMMAND_GOOD;
}

static bool take_subcommand(const char *word, struct command *command, char error[512])
{
    struct nearest nearest = {.text = word ? word : ""};
    for (int i = 0; i < SUBCOMMAND_NONE; i++) {
        nearest_offer(&nearest, subcommands[i]);
        if (word && strcmp(word, subcommands[i]) == 0)
            command->subcommand = (enum subcommand)i;
    }
    if (!word)
        text_format(error, 512, "the subcommand is missing; there is alarms");
    else if (command->subcommand == SUBCOMMAND_NONE && nearest.best)
        text_format(error, 512, "%s: no such subcommand; did you mean \"%s\"?", word, nearest.best);
    else if (command->subcommand == SUBCOMMAND_NONE)
        text_format(error, 512, "%s: no such subcommand; there is alarms", word);
    return command->subcommand != SUBCOMMAND_NONE;
}

enum command_outcome command_read(int argc, char **argv, struct command *command, char error[512])
{
    *command =
        (struct command){.subcommand = SUBCOMMAND_NONE, .format = SHEET_TABLE, .timeout_s = 10};
    login_init(&command->login);
    command->login.fill = snmpconf_fill;
    enum command_outcome outcome = take_options(argc, argv, command, error);
    if (outcome != COMMAND_GOOD)
        return outcome;
    int words = argc - optind;
    if (!take_subcommand(words > 0 ? argv[optind] : NULL, command, error))
        return COMMAND_BAD;
    if (words > 2) {
        refuse_option(error, subcommands[command->subcommand], argv[optind + 2], "one address");
        return COMMAND_BAD;
    }
    command->login.host = words > 1 ? argv[optind + 1] : "localhost";
    return login_finish(&command->login, "address", error) ? COMMAND_GOOD : COMMAND_BAD;
}
