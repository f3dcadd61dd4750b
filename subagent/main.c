/* dcampd: arguments and exit status. Everything else is in the library that the tests link too. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "core/loop.h"
#include "dcampd.h"

enum { EXIT_CONFIG = 1, EXIT_USAGE = 2, EXIT_RUNTIME = 3 };

enum { OPT_CHECK = 256, OPT_SOCKET, OPT_STATE, OPT_ROOT };

struct arguments {
    struct dcampd_options daemon;
    bool foreground, check;
};

static void usage(FILE *to)
{
    fputs(
        "usage: dcampd [OPTION]...\n"
        "The dCAMP node: samples this machine, watches thresholds and serves the DCAMP-MIB as an\n"
        "AgentX subagent of snmpd.\n\n"
        "  -c, --config FILE        configuration (default: " DCAMP_CONFIG_FILE ")\n"
        "  -f, --foreground         stay in the foreground, log to stderr\n"
        "  -D, --debug TOKENS       debug these subsystems, comma-separated: core, sample,\n"
        "                           config, state, agentx, set, alarm, notify; or all\n"
        "      --check-config       check the configuration and exit\n"
        "      --agentx-socket ADDR the master's AgentX socket (default: the configuration's)\n"
        "      --state-dir DIR      what must survive (default: the configuration's)\n"
        "      --root DIR           read proc and sys below DIR (default: /)\n"
        "      --version            print the version and exit\n"
        "      --help               print this and exit\n\n"
        "HUP reloads the configuration, TERM stops. See dcampd(8) and dcamp.xml(5).\n",
        to);
}

/* Returns -1 to go on, else the exit status. */
static int parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"foreground", no_argument, NULL, 'f'},
                                            {"debug", required_argument, NULL, 'D'},
                                            {"check-config", no_argument, NULL, OPT_CHECK},
                                            {"agentx-socket", required_argument, NULL, OPT_SOCKET},
                                            {"state-dir", required_argument, NULL, OPT_STATE},
                                            {"root", required_argument, NULL, OPT_ROOT},
                                            {"version", no_argument, NULL, 'V'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int c;
    while ((c = getopt_long(argc, argv, "c:fD:", options, NULL)) != -1) {
        switch (c) {
        case 'c':
            arguments->daemon.config_path = optarg;
            break;
        case 'f':
            arguments->foreground = true;
            break;
        case 'D':
            log_debug_tokens(optarg);
            break;
        case OPT_CHECK:
            arguments->check = true;
            break;
        case OPT_SOCKET:
            arguments->daemon.agentx_socket = optarg;
            break;
        case OPT_STATE:
            arguments->daemon.state_dir = optarg;
            break;
        case OPT_ROOT:
            arguments->daemon.root = optarg;
            break;
        case 'V':
            puts("dcampd " PACKAGE_VERSION);
            return 0;
        case 'h':
            usage(stdout);
            return 0;
        default:
            fputs("Try 'dcampd --help'.\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "dcampd: unexpected argument '%s'\nTry 'dcampd --help'.\n", argv[optind]);
        return EXIT_USAGE;
    }
    return -1;
}

static int check(const char *path)
{
    char error[1024];
    struct config *config = config_load(path, error);
    if (!config) {
        fprintf(stderr, "%s\n", error);
        return EXIT_CONFIG;
    }
    config_free(config);
    printf("%s: ok\n", path);
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.daemon.config_path = DCAMP_CONFIG_FILE};
    char error[1024];
    int status = parse(argc, argv, &arguments);
    if (status >= 0)
        return status;
    if (arguments.check)
        return check(arguments.daemon.config_path);

    /* Before daemon(3), so that a bad configuration is the caller's to see. */
    struct config *config = config_load(arguments.daemon.config_path, error);
    if (!config) {
        fprintf(stderr, "dcampd: %s\n", error);
        return EXIT_CONFIG;
    }
    config_free(config);
    if (!arguments.foreground && daemon(1, 0) != 0) {
        fprintf(stderr, "dcampd: cannot go to the background: %s\n", strerror(errno));
        return EXIT_RUNTIME;
    }
    log_open(!arguments.foreground);
    loop_block_signals();
    struct dcampd *dcampd = dcampd_new(&arguments.daemon, error);
    if (!dcampd) {
        log_error("config", "%s", error);
        return EXIT_CONFIG;
    }
    status = dcampd_run(dcampd) == 0 ? 0 : EXIT_RUNTIME;
    dcampd_free(dcampd);
    return status;
}
