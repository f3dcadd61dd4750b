/* dcampd: arguments and exit status. Everything else is in the library that the tests link too. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/account.h"
#include "base/credentials.h"
#include "base/log.h"
#include "config/load.h"
#include "config/tree_config.h"
#include "poller/poller.h"
#include "collect/pollers.h"
#include "poller/receiver.h"
#include "snmpv3/secrets.h"
#include "director/director.h"
#include "daemon/loop.h"
#include "daemon/selftest.h"
#include "daemon/dcampd.h"
#include "metric/list.h"

enum { EXIT_CONFIG = 1, EXIT_SELF_TEST = 1, EXIT_USAGE = 2, EXIT_RUNTIME = 3 };

enum mode {
    MODE_DAEMON,
    MODE_CHECK,
    MODE_CHECK_TREE,
    MODE_SELF_TEST,
    MODE_LIST,
    MODE_POLLER,
    MODE_RECEIVER,
    MODE_DIRECTOR
};

enum {
    OPT_CHECK = 256,
    OPT_CHECK_TREE,
    OPT_LIST,
    OPT_SELF_TEST,
    OPT_SOCKET,
    OPT_STATE,
    OPT_APPS,
    OPT_JVM_HELPER,
    OPT_PUBLISH_SOCKET,
    OPT_ROOT,
    OPT_POLLER,
    OPT_RECEIVER,
    OPT_DIRECTOR
};

struct arguments {
    struct dcampd_options daemon;
    enum mode mode;
    bool foreground;
    const char *debug;
    const char *tree_path;
    const char *receiver_address;
    const char *poller_options[4];
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
        "                           config, state, agentx, set, alarm, notify, collect,\n"
        "                           tree; or all\n"
        "      --check-config       check the configuration and exit\n"
        "      --check-tree FILE    check the document of a tree, see dcamp-tree.xml(5), and exit\n"
        "      --list-metrics       print all metrics that there are\n"
        "      --self-test          sample for a second what the configuration wants, print what\n"
        "                           each sampler costs, and exit\n"
        "      --agentx-socket ADDR the master's AgentX socket (default: the configuration's)\n"
        "      --state-dir DIR      what must survive (default: the configuration's)\n"
        "      --apps-dir DIR       where programs publish (default: the configuration's)\n"
        "      --jvm-helper FILE    what looks for JVMs: a socket, or the program dcamp-jvm\n"
        "                           (default: the socket of dcamp-jvm.socket, else the program)\n"
        "      --publish-socket FILE  where dcamp-publish connects\n"
        "                           (default: " DCAMP_PUBLISH_SOCKET ")\n"
        "      --root DIR           read proc and sys below DIR (default: /)\n"
        "      --version            print the version and exit\n"
        "      --help               print this and exit\n\n"
        "HUP reloads the configuration, TERM stops. See dcampd(8) and dcamp.xml(5).\n",
        to);
}

/* Where the text of an option goes; NULL: the option takes none. */
static const char **text_of(struct arguments *arguments, int option)
{
    switch (option) {
    case 'c':
        return &arguments->daemon.config_path;
    case OPT_SOCKET:
        return &arguments->daemon.agentx_socket;
    case OPT_STATE:
        return &arguments->daemon.state_dir;
    case OPT_APPS:
        return &arguments->daemon.apps_dir;
    case OPT_JVM_HELPER:
        return &arguments->daemon.jvm_helper;
    case OPT_PUBLISH_SOCKET:
        return &arguments->daemon.publish_socket;
    case OPT_ROOT:
        return &arguments->daemon.root;
    default:
        return NULL;
    }
}

/* Returns -1 to go on, else the exit status. */
static int take_option(struct arguments *arguments, int option)
{
    const char **text = text_of(arguments, option);
    if (text) {
        *text = optarg;
        return -1;
    }
    switch (option) {
    case 'f':
        arguments->foreground = true;
        return -1;
    case 'D':
        arguments->debug = optarg;
        log_debug_tokens(optarg);
        return -1;
    case OPT_CHECK:
        arguments->mode = MODE_CHECK;
        return -1;
    case OPT_CHECK_TREE:
        arguments->mode = MODE_CHECK_TREE;
        arguments->tree_path = optarg;
        return -1;
    case OPT_SELF_TEST:
        arguments->mode = MODE_SELF_TEST;
        return -1;
    case OPT_RECEIVER:
        arguments->mode = MODE_RECEIVER;
        arguments->receiver_address = optarg;
        return -1;
    case OPT_POLLER:
        arguments->mode = MODE_POLLER;
        return -1;
    case OPT_DIRECTOR:
        arguments->mode = MODE_DIRECTOR;
        return -1;
    case OPT_LIST:
        arguments->mode = MODE_LIST;
        return -1;
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

static int parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"foreground", no_argument, NULL, 'f'},
        {"debug", required_argument, NULL, 'D'},
        {"check-config", no_argument, NULL, OPT_CHECK},
        {"check-tree", required_argument, NULL, OPT_CHECK_TREE},
        {"list-metrics", no_argument, NULL, OPT_LIST},
        {"self-test", no_argument, NULL, OPT_SELF_TEST},
        {"agentx-socket", required_argument, NULL, OPT_SOCKET},
        {"state-dir", required_argument, NULL, OPT_STATE},
        {"apps-dir", required_argument, NULL, OPT_APPS},
        {"jvm-helper", required_argument, NULL, OPT_JVM_HELPER},
        {"publish-socket", required_argument, NULL, OPT_PUBLISH_SOCKET},
        {"root", required_argument, NULL, OPT_ROOT},
        {"poller", no_argument, NULL, OPT_POLLER},
        {"receiver", required_argument, NULL, OPT_RECEIVER},
        {"director", no_argument, NULL, OPT_DIRECTOR},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    int status = -1;
    for (int c; status < 0 && (c = getopt_long(argc, argv, "c:fD:", options, NULL)) != -1;)
        status = take_option(arguments, c);
    if (status < 0 && optind < argc) {
        fprintf(stderr, "dcampd: unexpected argument '%s'\nTry 'dcampd --help'.\n", argv[optind]);
        return EXIT_USAGE;
    }
    return status;
}

/* What is to be said of one file of secrets: who needs it. */
struct secrets_of {
    const char *config, *kind;
    const struct row *row;
    const char *secrets;
};

static bool say_secrets(const struct secrets_of *of, bool good, const char *user, const char *error)
{
    if (good)
        printf("%s: %s \"%s\": user \"%s\" can read %s, dcampd must run as that user\n", of->config,
               of->kind, of->row->name, user, of->secrets);
    else
        fprintf(stderr,
                "%s: %s \"%s\": %s, the user that dcampd runs as must be able to, in the unit that "
                "is \"dcamp\"\n",
                of->config, of->kind, of->row->name, error);
    return good;
}

/* False: some files cannot be read. Of the others it says which user can read them. */
static bool check_secrets(const struct config *config, const char *path)
{
    char user[ACCOUNT_NAME_SIZE], error[512];
    bool good = true;
    for (struct index_node *node = index_first(&config->rows[ROW_CREDENTIAL]); node;
         node = index_next(node)) {
        const struct credential_row *row = (const struct credential_row *)node;
        const struct secrets_of of = {path, "credential", &row->row, row->secrets};
        if (row->secrets[0]) /* without a file, those who use the credential have keys */
            good &= say_secrets(&of, secrets_check(row->secrets, user, error), user, error);
    }
    for (struct index_node *node = index_first(&config->rows[ROW_ENDPOINT]); node;
         node = index_next(node)) {
        const struct endpoint_row *row = (const struct endpoint_row *)node;
        const struct secrets_of of = {path, "endpoint", &row->row, row->secrets};
        if (row->secrets[0])
            good &= say_secrets(&of, credentials_check(row->secrets, user, error), user, error);
    }
    return good;
}

static int check(const char *path)
{
    char error[1024];
    struct config *config = config_load(path, error);
    if (!config) {
        fprintf(stderr, "%s\n", error);
        return EXIT_CONFIG;
    }
    bool good = check_secrets(config, path);
    config_free(config);
    if (good)
        printf("%s: ok\n", path);
    return good ? 0 : EXIT_CONFIG;
}

static int check_tree(const char *path)
{
    char error[CONFIG_ERROR_SIZE];
    struct tree_config *tree = tree_config_load_file(path, error);
    if (!tree) {
        fprintf(stderr, "%s\n", error);
        return EXIT_CONFIG;
    }
    printf("%s: ok: nodes %zu, ranges %zu, groups %zu\n", path, tree->n_nodes, tree->n_ranges,
           tree->n_groups);
    tree_config_free(tree);
    return 0;
}

static int self_test(const struct dcampd_options *options)
{
    char error[1024];
    struct selftest_row rows[SOURCE_COUNT];
    struct config *config = config_load(options->config_path, error);
    if (!config) {
        fprintf(stderr, "dcampd: %s\n", error);
        return EXIT_CONFIG;
    }
    int code =
        selftest_measure(config, options->root ? options->root : "/", SELFTEST_PAUSE_NS, rows);
    config_free(config);
    if (code) {
        fprintf(stderr, "dcampd: %s\n", strerror(code));
        return EXIT_RUNTIME;
    }
    selftest_print(rows, stdout);
    return selftest_passed(rows) ? 0 : EXIT_SELF_TEST;
}

/* The process that the core starts, with a socket to it. It logs as the core does. */
static int poller(const struct arguments *arguments)
{
    /* It was started by the name /proc/self/exe, and would be shown as "exe". */
    prctl(PR_SET_NAME, "dcampd-poller");
    log_open(!arguments->foreground);
    return poller_run(POLLER_FD) == 0 ? 0 : EXIT_RUNTIME;
}

static int receiver(const struct arguments *arguments)
{
    prctl(PR_SET_NAME, "dcampd-receiver");
    log_open(!arguments->foreground);
    return receiver_run(POLLER_FD, arguments->receiver_address) == 0 ? 0 : EXIT_RUNTIME;
}

static int director(const struct arguments *arguments)
{
    prctl(PR_SET_NAME, "dcampd-director");
    log_open(!arguments->foreground);
    return director_run(POLLER_FD) == 0 ? 0 : EXIT_RUNTIME;
}

static void set_poller_options(struct arguments *arguments)
{
    size_t n = 0;
    if (arguments->foreground)
        arguments->poller_options[n++] = "--foreground";
    if (arguments->debug) {
        arguments->poller_options[n++] = "--debug";
        arguments->poller_options[n++] = arguments->debug;
    }
    arguments->daemon.poller_options = arguments->poller_options;
}

/* -- The daemon ----------------------------------------------------------------------------- */

static int fail(const char *error, int status)
{
    fprintf(stderr, "dcampd: %s\n", error);
    return status;
}

/* Finds what is wrong before anything is begun. */
static int check_start(const struct arguments *arguments)
{
    char error[1024];
    if (!dcampd_may_run(error))
        return fail(error, EXIT_RUNTIME);
    struct config *config = config_load(arguments->daemon.config_path, error);
    if (!config)
        return fail(error, EXIT_CONFIG);
    config_free(config);
    return 0;
}

/* Leaves the terminal of the caller, who need not wait any longer. */
static void leave_caller(int started)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
    ssize_t ignored = write(started, "", 1);
    (void)ignored;
    close(started);
}

/* started: where the parent waits to hear that all went well; -1: no parent waits. */
static int start(const struct arguments *arguments, int started)
{
    char error[1024];
    loop_block_signals();
    struct dcampd *dcampd = dcampd_new(&arguments->daemon, error);
    if (!dcampd) {
        log_error("core", "%s", error);
        return started < 0 ? EXIT_RUNTIME : fail(error, EXIT_RUNTIME);
    }
    if (started >= 0)
        leave_caller(started);
    int status = dcampd_run(dcampd, &agent_server) == 0 ? 0 : EXIT_RUNTIME;
    dcampd_free(dcampd);
    return status;
}

/* Waits until the child has started or ended. */
static int await_start(int started, pid_t child)
{
    char octet;
    int status;
    if (read(started, &octet, sizeof octet) == sizeof octet)
        return 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return EXIT_RUNTIME;
    return WEXITSTATUS(status);
}

/* As daemon(3), but if the start fails, the caller gets the message and the exit status. */
static int start_in_background(const struct arguments *arguments)
{
    int pair[2];
    pid_t child = pipe2(pair, O_CLOEXEC) == 0 ? fork() : -1;
    if (child < 0) {
        fprintf(stderr, "dcampd: cannot go to the background: %s\n", strerror(errno));
        return EXIT_RUNTIME;
    }
    if (child > 0) {
        close(pair[1]);
        return await_start(pair[0], child);
    }
    close(pair[0]);
    setsid();
    return start(arguments, pair[1]);
}

static int run(const struct arguments *arguments)
{
    int status = check_start(arguments);
    if (status)
        return status;
    log_open(!arguments->foreground);
    return arguments->foreground ? start(arguments, -1) : start_in_background(arguments);
}

int main(int argc, char **argv)
{
    struct arguments arguments = {
        .daemon = {.config_path = DCAMP_CONFIG_FILE, .publish_socket = DCAMP_PUBLISH_SOCKET}};
    int status = parse(argc, argv, &arguments);
    if (status >= 0)
        return status;
    set_poller_options(&arguments);
    switch (arguments.mode) {
    case MODE_CHECK:
        return check(arguments.daemon.config_path);
    case MODE_CHECK_TREE:
        return check_tree(arguments.tree_path);
    case MODE_SELF_TEST:
        return self_test(&arguments.daemon);
    case MODE_LIST:
        (isatty(STDOUT_FILENO) ? metric_table : metric_list)(stdout);
        return 0;
    case MODE_POLLER:
        return poller(&arguments);
    case MODE_RECEIVER:
        return receiver(&arguments);
    case MODE_DIRECTOR:
        return director(&arguments);
    default:
        return run(&arguments);
    }
}
