#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/acknowledge.h"
#include "cli/alarms.h"
#include "cli/analyse.h"
#include "cli/check.h"
#include "cli/deviations.h"
#include "cli/diff.h"
#include "cli/doctor.h"
#include "cli/export.h"
#include "cli/get.h"
#include "cli/history.h"
#include "cli/init.h"
#include "cli/load.h"
#include "cli/maintenance.h"
#include "cli/plot.h"
#include "cli/promote.h"
#include "cli/revoke.h"
#include "cli/rotate.h"
#include "cli/runs.h"
#include "cli/set.h"
#include "cli/show.h"
#include "cli/snmpconf.h"
#include "cli/snmpd_files.h"
#include "cli/status.h"
#include "cli/thresholds.h"
#include "cli/top.h"
#include "cli/tree.h"
#include "cli/watch.h"
#include "cli/zabbix.h"

#define TIMEOUT_MAX 3600
#define WORDS_MAX 100 /* more than a SET takes */
#define INTERVAL_MIN 100
#define INTERVAL_MAX 86400000
#define WATCH_MS 60000 /* of --watch without a time */

enum { OPT_JSON = LOGIN_END, OPT_TSV, OPT_OF_SOME };

/* The options that only some subcommands have are numbered from OPT_OF_SOME on, in the order of
 * enum command_option. */
#define OPT(option) (OPT_OF_SOME + (int)(option))

static const char *const option_names[COMMAND_OPTIONS] = {[COMMAND_SINCE] = "--since",
                                                          [COMMAND_BELOW] = "--below",
                                                          [COMMAND_INTERVAL] = "--interval",
                                                          [COMMAND_COUNT] = "--count",
                                                          [COMMAND_CHANGES] = "--changes",
                                                          [COMMAND_CREATE] = "--create",
                                                          [COMMAND_DELETE] = "--delete",
                                                          [COMMAND_CONFIG] = "--config",
                                                          [COMMAND_FORCE] = "--force",
                                                          [COMMAND_WAIT] = "--wait",
                                                          [COMMAND_CHECK] = "--check",
                                                          [COMMAND_NEW_SITE] = "--new-site",
                                                          [COMMAND_COLLECTOR] = "--collector",
                                                          [COMMAND_LISTEN] = "--listen",
                                                          [COMMAND_ANNOUNCE] = "--announce",
                                                          [COMMAND_ENGINE_ID] = "--engine-id",
                                                          [COMMAND_ROOT] = "--root",
                                                          [COMMAND_SERVICE] = "--service",
                                                          [COMMAND_FIX] = "--fix",
                                                          [COMMAND_NEW_SECRETS] = "--new-secrets",
                                                          [COMMAND_OUTPUT] = "--output",
                                                          [COMMAND_WATCH] = "--watch",
                                                          [COMMAND_RUN] = "--run",
                                                          [COMMAND_API] = "--api",
                                                          [COMMAND_TOKEN_FILE] = "--token-file",
                                                          [COMMAND_CA] = "--ca",
                                                          [COMMAND_MACROS] = "--macros",
                                                          [COMMAND_TEXT] = "--text",
                                                          [COMMAND_ONCE] = "--once",
                                                          [COMMAND_DIRECTORY] = "--directory",
                                                          [COMMAND_LAST] = "--last",
                                                          [COMMAND_FROM] = "--from",
                                                          [COMMAND_TO] = "--to",
                                                          [COMMAND_STEP] = "--step",
                                                          [COMMAND_PERCENTILES] = "--percentiles",
                                                          [COMMAND_DARK] = "--dark",
                                                          [COMMAND_MERGE] = "--merge",
                                                          [COMMAND_ADDRESS] = "--address",
                                                          [COMMAND_ALL] = "--all",
                                                          [COMMAND_BY] = "--by",
                                                          [COMMAND_HTML] = "--html",
                                                          [COMMAND_INTERRUPTED] = "--interrupted",
                                                          [COMMAND_LEVEL] = "--level",
                                                          [COMMAND_LIMIT] = "--limit",
                                                          [COMMAND_MAP] = "--map",
                                                          [COMMAND_NODES] = "--nodes",
                                                          [COMMAND_RUNS] = "--runs",
                                                          [COMMAND_SEED] = "--seed",
                                                          [COMMAND_TAG] = "--tag"};

/* Options of those that read the history: where it is, and which time of it. */
#define OF_HISTORY                                                                                 \
    (command_bit(COMMAND_DIRECTORY) | command_bit(COMMAND_LAST) | command_bit(COMMAND_FROM) |      \
     command_bit(COMMAND_TO) | command_bit(COMMAND_STEP))

/* Options of those that know runs. */
#define OF_RUNS command_bit(COMMAND_RUNS)

/* Options of dcamp export for those cases in which it makes a file. */
#define TO_FILE                                                                                    \
    (command_bit(COMMAND_OUTPUT) | command_bit(COMMAND_WATCH) | command_bit(COMMAND_RUN))

static const struct subcommand subcommands[] = {
    {.name = "status",
     .words = "",
     .help = "  status            one page: what the node is, has, costs and complains of\n",
     .run = status_run},
    {.name = "alarms",
     .words = "",
     .help = "  alarms            the active alarms, most severe first\n"
             "  alarms --since N  what happened to alarms after sequence number N, oldest\n"
             "                    first, and the number to go on from; 0: all that is kept\n",
     .options = command_bit(COMMAND_SINCE),
     .run = alarms_run},
    {.name = "alarms list",
     .words = "",
     .help = "  alarms list       the same\n",
     .options = command_bit(COMMAND_SINCE),
     .run = alarms_run},
    {.name = "alarms acknowledge",
     .words = "INDEX|KEY... [TEXT]",
     .help = "  alarms acknowledge\n"
             "                    says that somebody has seen active alarms: TEXT, or who runs\n"
             "                    this; '' takes it back\n",
     .least = 1,
     .most = WORDS_MAX,
     .run = alarms_acknowledge_run},
    {.name = "alarms history",
     .words = "",
     .help = "  alarms history    what happened to alarms, newest last; --count N: the latest\n"
             "                    N; --since N: after sequence number N\n",
     .options = command_bit(COMMAND_SINCE) | command_bit(COMMAND_COUNT),
     .run = alarms_history_run},
    {.name = "alarms maintenance",
     .words = "[list|start|end ...]",
     .help = "  alarms maintenance\n"
             "                    when alarms are not told: all rows, and whether it is now;\n"
             "                    start NAME DURATION [nodes PATTERN] [thresholds PATTERN]:\n"
             "                    from now on; end NAME: deletes the row\n",
     .most = MAINTENANCE_WORDS,
     .run = alarms_maintenance_run},
    {.name = "get",
     .words = "[SENSOR [INSTANCE]]",
     .help = "  get               the current values of sensors and aggregates; patterns as in\n"
             "                    dcamp.xml(5). --below: those of the children, too\n",
     .options = command_bit(COMMAND_BELOW),
     .most = 2,
     .run = get_run},
    {.name = "watch",
     .words = "SENSOR [INSTANCE]",
     .help = "  watch             the same, each --interval TIME (1s), --count N times;\n"
             "                    --changes: only those that are not as before\n",
     .options = command_bit(COMMAND_BELOW) | command_bit(COMMAND_INTERVAL) |
                command_bit(COMMAND_COUNT) | command_bit(COMMAND_CHANGES),
     .least = 1,
     .most = 2,
     .run = watch_run},
    {.name = "top",
     .words = "[SCREEN]",
     .help = "  top               live in the terminal: nodes, aggregates, processes,\n"
             "                    applications, alarms, values; ? says the keys. Each\n"
             "                    --interval TIME (2s); --once: prints one screen\n",
     .options = command_bit(COMMAND_INTERVAL) | command_bit(COMMAND_ONCE),
     .most = 1,
     .run = top_run},
    {.name = "history",
     .words = "[NODE [SENSOR [INSTANCE]]]",
     .help = "  history           what was measured: --last TIME (1h), or --from and --to;\n"
             "                    in spans of --step TIME, with --percentiles 50,99. NODE: a\n"
             "                    name, path or pattern, or several with commas; without\n"
             "                    SENSOR or NODE: which there are. --directory DIR in place of\n"
             "                    ADDRESS: of files that are here\n",
     .options = OF_HISTORY | command_bit(COMMAND_PERCENTILES),
     .address = true,
     .most = 3,
     .run = history_run},
    {.name = "plot",
     .words = "NODE SENSOR [INSTANCE]",
     .help = "  plot              draws it into --output FILE.svg or FILE.png: a curve for\n"
             "                    each node and sensor, several with commas; --merge: one for\n"
             "                    all nodes; --dark; times as dcamp history has them\n",
     .options = OF_HISTORY | command_bit(COMMAND_OUTPUT) | command_bit(COMMAND_DARK) |
                command_bit(COMMAND_MERGE),
     .needs = command_bit(COMMAND_OUTPUT),
     .address = true,
     .least = 2,
     .most = 3,
     .run = plot_run},
    {.name = "analyse",
     .words = "NODE SENSOR [INSTANCE]",
     .help = "  analyse           how it is distributed, whether it repeats itself, and what\n"
             "                    comes next, with intervals; times as dcamp history has them\n",
     .options = OF_HISTORY,
     .address = true,
     .least = 2,
     .most = 3,
     .run = analyse_run},
    {.name = "run start",
     .words = "NAME",
     .help = "  run start         a run begins: what the history of --directory DIR, or of the\n"
             "                    node of --address ADDRESS, has from now on; --tag KEY=VALUE\n",
     .options = OF_RUNS | command_bit(COMMAND_ADDRESS) | command_bit(COMMAND_DIRECTORY) |
                command_bit(COMMAND_TAG),
     .of = OF_ADDRESS,
     .least = 1,
     .most = 1,
     .run = run_start_run},
    {.name = "run stop",
     .words = "[NAME]",
     .help = "  run stop          it ends: what was measured is copied into one file, once the\n"
             "                    history has come so far, or --wait SECONDS (30) are over.\n"
             "                    --nodes PATTERN,...: of these only; --interrupted: it did\n"
             "                    not come to its end\n",
     .options = OF_RUNS | command_bit(COMMAND_DIRECTORY) | command_bit(COMMAND_WAIT) |
                command_bit(COMMAND_NODES) | command_bit(COMMAND_INTERRUPTED),
     .of = OF_NOBODY,
     .most = 1,
     .run = run_stop_run},
    {.name = "run list",
     .words = "",
     .help = "  run list          the runs that there are in --runs DIR\n",
     .options = OF_RUNS,
     .of = OF_NOBODY,
     .run = run_list_run},
    {.name = "run delete",
     .words = "NAME",
     .help = "  run delete        removes one\n",
     .options = OF_RUNS,
     .of = OF_NOBODY,
     .least = 1,
     .most = 1,
     .run = run_delete_run},
    {.name = "compare",
     .words = "A B",
     .help = "  compare           two runs, or their files: what differs beyond chance; --all:\n"
             "                    everything; --html FILE: as a page. Status 1: B is slower by\n"
             "                    more than --limit PERCENT (2%), --by mean,p50 or also p99;\n"
             "                    --level 0.95, --seed N, --map NODE=NODE,...\n",
     .options = OF_RUNS | command_bit(COMMAND_ALL) | command_bit(COMMAND_BY) |
                command_bit(COMMAND_HTML) | command_bit(COMMAND_LEVEL) |
                command_bit(COMMAND_LIMIT) | command_bit(COMMAND_MAP) | command_bit(COMMAND_SEED),
     .of = OF_NOBODY,
     .least = 2,
     .most = 2,
     .run = compare_run},
    {.name = "load",
     .words = "EXPRESSION ACTION...",
     .help = "  load              puts load on programs and servers, and tells how long they\n"
             "                    take: dcamp load --help, dcamp-load(1)\n",
     .of = OF_NOBODY,
     .most = WORDS_MAX,
     .run = load_run},
    {.name = "thresholds",
     .words = "[THRESHOLD]",
     .help = "  thresholds        rules, their limits, and how many of their series are raised\n",
     .most = 1,
     .run = thresholds_run},
    {.name = "set",
     .words = "KIND NAME [FIELD VALUE]...",
     .help = "  set               fields of a row: \"threshold hot limit 90 duration 1m\";\n"
             "                    --create makes the row, --delete deletes it; or\n"
             "                    OBJECT.INDEX VALUE with names of the MIB\n",
     .options = command_bit(COMMAND_CREATE) | command_bit(COMMAND_DELETE),
     .least = 1,
     .most = WORDS_MAX,
     .run = set_run},
    {.name = "deviations",
     .words = "",
     .help = "  deviations        rows that a SET has made or changed. One that is local stays\n"
             "                    when there comes another share: \"set ADDRESS deviation\n"
             "                    threshold.hot local yes\"\n",
     .run = deviations_run},
    {.name = "promote",
     .words = "",
     .help = "  promote           makes the node the root of the tree that --config FILE\n"
             "                    describes, and waits --wait SECONDS (30) until all nodes are\n"
             "                    in it; -f, --force takes it out of another tree\n",
     .options =
         command_bit(COMMAND_CONFIG) | command_bit(COMMAND_FORCE) | command_bit(COMMAND_WAIT),
     .needs = command_bit(COMMAND_CONFIG),
     .address = true,
     .run = promote_run},
    {.name = "config push",
     .words = "",
     .help = "  config push       gives the tree of a root another --config FILE\n",
     .options = command_bit(COMMAND_CONFIG) | command_bit(COMMAND_WAIT),
     .needs = command_bit(COMMAND_CONFIG),
     .address = true,
     .run = config_push_run},
    {.name = "config check",
     .words = "FILE",
     .help = "  config check      whether such a file is good, by the dcampd of this machine\n",
     .of = OF_NOBODY,
     .least = 1,
     .most = 1,
     .run = config_check_run},
    {.name = "config show",
     .words = "",
     .help = "  config show       which tree document a node works by: digest, serial, term;\n"
             "                    with --config FILE also whether it is that one (SAME);\n"
             "                    --text: the document itself, to --output FILE if given\n",
     .options =
         command_bit(COMMAND_CONFIG) | command_bit(COMMAND_TEXT) | command_bit(COMMAND_OUTPUT),
     .run = config_show_run},
    {.name = "config diff",
     .words = "",
     .help = "  config diff       what a push of --config FILE would change, line by line\n",
     .options = command_bit(COMMAND_CONFIG),
     .needs = command_bit(COMMAND_CONFIG),
     .address = true,
     .run = config_diff_run},
    {.name = "config rollback",
     .words = "",
     .help = "  config rollback   gives the tree of a root the document that it had before,\n"
             "                    as config push does\n",
     .options = command_bit(COMMAND_WAIT),
     .address = true,
     .run = config_rollback_run},
    {.name = "tree",
     .words = "",
     .help = "  tree              the nodes of the tree of a root, each below its parent\n",
     .run = tree_run},
    {.name = "doctor",
     .words = "",
     .help = "  doctor            why a node is not seen: what was looked at, and what helps;\n"
             "                    of the node here also files and rights, below --root DIR;\n"
             "                    --fix: mends those for which that is safe\n",
     .options = command_bit(COMMAND_ROOT) | command_bit(COMMAND_FIX),
     .of = OF_MACHINE,
     .run = doctor_run},
    {.name = "export nagios",
     .words = "",
     .help = "  export nagios     the nodes of the tree of a root as a management system takes\n",
     .options = TO_FILE,
     .address = true,
     .run = export_nagios_run},
    {.name = "export icinga",
     .words = "",
     .help = "  export icinga     them: hosts and services;\n",
     .options = TO_FILE,
     .address = true,
     .run = export_icinga_run},
    {.name = "export prometheus",
     .words = "",
     .help = "  export prometheus targets, for file_sd_configs;\n",
     .options = TO_FILE,
     .address = true,
     .run = export_prometheus_run},
    {.name = "export snmptrapd",
     .words = "",
     .help = "  export snmptrapd  the user dcampTrap of each engine, with keys for it only\n"
             "                    --output FILE: replaces the file if it is not the same, then\n"
             "                    runs --run COMMAND; --watch[=TIME]: so each minute\n",
     .options = TO_FILE,
     .address = true,
     .run = export_snmptrapd_run},
    {.name = "export zabbix",
     .words = "",
     .help = "  export zabbix     as hosts of Zabbix, through its --api URL, with the token or\n"
             "                    user and password, of --token-file FILE (and --ca FILE);\n"
             "                    --check: only says what it would do; --delete: hosts whose\n"
             "                    nodes are gone, which else are disabled; --macros: without\n"
             "                    passphrases; --watch[=TIME]\n",
     .options = command_bit(COMMAND_API) | command_bit(COMMAND_TOKEN_FILE) |
                command_bit(COMMAND_CA) | command_bit(COMMAND_CHECK) | command_bit(COMMAND_DELETE) |
                command_bit(COMMAND_MACROS) | command_bit(COMMAND_WATCH),
     .needs = command_bit(COMMAND_API) | command_bit(COMMAND_TOKEN_FILE),
     .address = true,
     .run = export_zabbix_run},
    {.name = "key rotate",
     .words = "[USER]...",
     .help = "  key rotate        gives dcampPoll, dcampAdmin and dcampTrap, or the USERs, the\n"
             "                    keys of --new-secrets FILE for those of --secrets, at the\n"
             "                    node, or of a root at all nodes of its tree; once more, it\n"
             "                    goes on where it was interrupted\n",
     .options = command_bit(COMMAND_NEW_SECRETS),
     .needs = command_bit(COMMAND_NEW_SECRETS),
     .address = true,
     .most = ROTATE_USERS_MAX,
     .run = key_rotate_run},
    {.name = "key revoke",
     .words = "NODE",
     .help = "  key revoke        shuts a node out of the tree of a root at once: its keys are\n"
             "                    believed no more, which --config FILE, the document of that\n"
             "                    tree, says then; --engine-id HEX: if no parent knows it\n",
     .options =
         command_bit(COMMAND_CONFIG) | command_bit(COMMAND_ENGINE_ID) | command_bit(COMMAND_WAIT),
     .needs = command_bit(COMMAND_CONFIG),
     .address = true,
     .least = 1,
     .most = 1,
     .run = key_revoke_run},
    {.name = "stop",
     .words = "",
     .help = "  stop              ends the tree of a root: all its nodes are base again\n",
     .options = command_bit(COMMAND_WAIT),
     .address = true,
     .run = stop_run},
    {.name = "init",
     .words = "",
     .help = "  init              prepares this machine, as root: users of snmpd with keys for\n"
             "                    it only, engine ID, services. --check: only looks;\n"
             "                    --new-site: makes the passphrases; --engine-id HEX;\n"
             "                    --listen udp:HOST:PORT: where snmpd listens as well;\n"
             "                    --announce udp:HOST:PORT,...: it announces itself to\n"
             "                    those that may be root of a tree, and hear it there;\n"
             "                    --collector: it may collect, or become a root;\n"
             "                    --root DIR: the machine whose files are below DIR;\n"
             "                    --service PROGRAM: what starts and stops services\n",
     .options = command_bit(COMMAND_CHECK) | command_bit(COMMAND_NEW_SITE) |
                command_bit(COMMAND_COLLECTOR) | command_bit(COMMAND_ENGINE_ID) |
                command_bit(COMMAND_LISTEN) | command_bit(COMMAND_ANNOUNCE) |
                command_bit(COMMAND_ROOT) | command_bit(COMMAND_SERVICE),
     .of = OF_HERE,
     .run = init_run},
};

#define SUBCOMMANDS (sizeof subcommands / sizeof *subcommands)

/* Whether the subcommand is about a node whose address may be given; else it is about this one. */
static bool has_address(const struct subcommand *subcommand)
{
    return subcommand->of == OF_NODE || subcommand->of == OF_MACHINE;
}

static void print_usage(FILE *to, const char *before, const struct subcommand *subcommand)
{
    const char *words = subcommand->words;
    const char *needed = subcommand->needs >> COMMAND_CONFIG & 1        ? "--config FILE "
                         : subcommand->needs >> COMMAND_NEW_SECRETS & 1 ? "--new-secrets FILE "
                         : subcommand->needs >> COMMAND_OUTPUT & 1      ? "--output FILE "
                         : subcommand->needs >> COMMAND_API & 1 ? "--api URL --token-file FILE "
                                                                : "";
    fprintf(to, "%s dcamp %s %s[OPTION]... ", before, subcommand->name, needed);
    if (!has_address(subcommand))
        fprintf(to, "%s\n", words);
    else if (subcommand->least > 0 || subcommand->address)
        fprintf(to, "ADDRESS%s%s\n", words[0] ? " " : "", words);
    else
        fprintf(to, "[ADDRESS%s%s]\n", words[0] ? " " : "", words);
}

void command_help(FILE *to)
{
    fputs("dcamp asks a dCAMP node over SNMPv3.\n\n", to);
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        print_usage(to, i ? "      " : "usage:", &subcommands[i]);
    putc('\n', to);
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        fputs(subcommands[i].help, to);
    fputs("\nADDRESS is HOST or HOST:PORT, by default localhost.\n\n"
          "      --json            an object on each line\n"
          "      --tsv             tab-separated values\n"
          "  -p, --port PORT       the port (161)\n"
          "  -t, --timeout SECONDS how long to wait for an answer (10)\n"
          "  -v, --verbose         says what is answered, on the standard error\n"
          "  -h, --help            -V, --version\n\n"
          "SNMPv3, authPriv only; what is not given is taken from snmp.conf(5):\n"
          "  -U, --secname USER              -l, --seclevel authPriv\n"
          "  -P, --protocol 3                there is no other\n"
          "  -a, --authproto SHA-256|SHA-512 -x, --privproto AES|AES-256\n"
          "      --secrets FILE              has \"auth PASSPHRASE\" and \"priv PASSPHRASE\"\n"
          "  -A, --authpasswd PASSPHRASE     -X, --privpasswd PASSPHRASE\n\n"
          "Exit status: 0 good; 1 entries after N are gone, nodes not up, checks not ok,\n"
          "the document is another one, or init misses something; 2 wrong arguments;\n"
          "3 no answer; 4 user, keys, access or SET refused; 5 anything else. See dcamp(1).\n",
          to);
}

static bool refuse_option(char error[COMMAND_ERROR_SIZE], const char *option, const char *value,
                          const char *expected)
{
    text_format(error, COMMAND_ERROR_SIZE, "%s %s: expected %s", option, value, expected);
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

static bool take_engine_id(struct command *command, char error[COMMAND_ERROR_SIZE])
{
    struct snmpd_engine engine;
    command->engine_id = optarg;
    return snmpd_read_engine(optarg, strlen(optarg), &engine) ||
           refuse_option(error, "--engine-id", optarg, "10 to 64 hexadecimal digits");
}

static bool take_listen(struct command *command, char error[COMMAND_ERROR_SIZE])
{
    command->listen = optarg;
    return snmpd_is_address(optarg) ||
           refuse_option(error, "--listen", optarg, "an address such as udp:192.0.2.7:161");
}

static bool take_announce(struct command *command, char error[COMMAND_ERROR_SIZE])
{
    command->announce = optarg;
    return snmpd_are_addresses(optarg) ||
           refuse_option(error, "--announce", optarg,
                         "addresses with commas between, such as udp:192.0.2.1:1621");
}

static bool take_interval(struct command *command, const char *option,
                          char error[COMMAND_ERROR_SIZE])
{
    return (text_to_millis(optarg, strlen(optarg), &command->interval_ms) &&
            command->interval_ms >= INTERVAL_MIN && command->interval_ms <= INTERVAL_MAX) ||
           refuse_option(error, option, optarg, "a time of 100ms to 1d, such as 10s");
}

static bool take_watch(struct command *command, char error[COMMAND_ERROR_SIZE])
{
    command->interval_ms = WATCH_MS;
    return !optarg || take_interval(command, "--watch", error);
}

/* Where the value of an option is kept as it was given; NULL: that is not done with this option. */
static const char **place_of(struct command *command, enum command_option option)
{
    switch (option) {
    case COMMAND_CONFIG:
        return &command->config;
    case COMMAND_ROOT:
        return &command->root;
    case COMMAND_SERVICE:
        return &command->service;
    case COMMAND_NEW_SECRETS:
        return &command->new_secrets;
    case COMMAND_OUTPUT:
        return &command->output;
    case COMMAND_RUN:
        return &command->run;
    case COMMAND_API:
        return &command->api;
    case COMMAND_TOKEN_FILE:
        return &command->token_file;
    case COMMAND_CA:
        return &command->ca;
    case COMMAND_DIRECTORY:
        return &command->directory;
    case COMMAND_LAST:
        return &command->last;
    case COMMAND_FROM:
        return &command->from;
    case COMMAND_TO:
        return &command->to;
    case COMMAND_STEP:
        return &command->step;
    case COMMAND_PERCENTILES:
        return &command->percentiles;
    case COMMAND_ADDRESS:
        return &command->login.host;
    default:
        return NULL;
    }
}

static bool is_passed(enum command_option option)
{
    return option == COMMAND_WAIT || (option >= COMMAND_ALL && option <= COMMAND_TAG);
}

/* Keeps an option for the program that gets it, which checks the value itself. */
static bool pass(struct command *command, enum command_option option,
                 char error[COMMAND_ERROR_SIZE])
{
    if (command->n_passed == COMMAND_PASSED_MAX)
        return refuse_option(error, option_names[option], optarg ? optarg : "", "fewer options");
    command->passed[command->n_passed++] = (struct command_passed){option_names[option], optarg};
    return true;
}

/* Takes an option that only some subcommands have. */
static bool take_special(struct command *command, enum command_option option,
                         char error[COMMAND_ERROR_SIZE])
{
    unsigned long number;
    const char **place = place_of(command, option);
    command->given |= command_bit(option);
    if (place)
        *place = optarg;
    if (is_passed(option) && !pass(command, option, error))
        return false;
    switch (option) {
    case COMMAND_SINCE:
        if (!take_number(optarg, 0, UINT32_MAX, &number))
            return refuse_option(error, "--since", optarg, "a sequence number, 0 to 4294967295");
        command->since = (uint32_t)number;
        return true;
    case COMMAND_COUNT:
        if (!take_number(optarg, 1, UINT32_MAX, &number))
            return refuse_option(error, "--count", optarg, "a number, 1 to 4294967295");
        command->count = (uint32_t)number;
        return true;
    case COMMAND_INTERVAL:
        return take_interval(command, "--interval", error);
    case COMMAND_WATCH:
        return take_watch(command, error);
    case COMMAND_WAIT:
        if (!take_number(optarg, 0, TIMEOUT_MAX, &number))
            return refuse_option(error, "--wait", optarg, "0 to 3600 seconds");
        command->wait_s = (unsigned)number;
        return true;
    case COMMAND_ENGINE_ID:
        return take_engine_id(command, error);
    case COMMAND_LISTEN:
        return take_listen(command, error);
    case COMMAND_ANNOUNCE:
        return take_announce(command, error);
    default:
        return true;
    }
}

static bool take_option(struct command *command, int option, char error[COMMAND_ERROR_SIZE])
{
    unsigned long number;
    if (option >= OPT_OF_SOME)
        return take_special(command, (enum command_option)(option - OPT_OF_SOME), error);
    switch (option) {
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
    case 'f':
        return take_special(command, COMMAND_FORCE, error);
    default:
        return login_take(&command->login, option, optarg, error);
    }
}

static const char short_options[] = ":t:fvhV" LOGIN_SHORT;
static const struct option long_options[] = {
    {"since", required_argument, NULL, OPT(COMMAND_SINCE)},
    {"below", no_argument, NULL, OPT(COMMAND_BELOW)},
    {"interval", required_argument, NULL, OPT(COMMAND_INTERVAL)},
    {"count", required_argument, NULL, OPT(COMMAND_COUNT)},
    {"changes", no_argument, NULL, OPT(COMMAND_CHANGES)},
    {"create", no_argument, NULL, OPT(COMMAND_CREATE)},
    {"delete", no_argument, NULL, OPT(COMMAND_DELETE)},
    {"config", required_argument, NULL, OPT(COMMAND_CONFIG)},
    {"force", no_argument, NULL, OPT(COMMAND_FORCE)},
    {"wait", required_argument, NULL, OPT(COMMAND_WAIT)},
    {"check", no_argument, NULL, OPT(COMMAND_CHECK)},
    {"new-site", no_argument, NULL, OPT(COMMAND_NEW_SITE)},
    {"collector", no_argument, NULL, OPT(COMMAND_COLLECTOR)},
    {"engine-id", required_argument, NULL, OPT(COMMAND_ENGINE_ID)},
    {"listen", required_argument, NULL, OPT(COMMAND_LISTEN)},
    {"announce", required_argument, NULL, OPT(COMMAND_ANNOUNCE)},
    {"root", required_argument, NULL, OPT(COMMAND_ROOT)},
    {"service", required_argument, NULL, OPT(COMMAND_SERVICE)},
    {"fix", no_argument, NULL, OPT(COMMAND_FIX)},
    {"new-secrets", required_argument, NULL, OPT(COMMAND_NEW_SECRETS)},
    {"output", required_argument, NULL, OPT(COMMAND_OUTPUT)},
    {"watch", optional_argument, NULL, OPT(COMMAND_WATCH)},
    {"run", required_argument, NULL, OPT(COMMAND_RUN)},
    {"api", required_argument, NULL, OPT(COMMAND_API)},
    {"token-file", required_argument, NULL, OPT(COMMAND_TOKEN_FILE)},
    {"ca", required_argument, NULL, OPT(COMMAND_CA)},
    {"macros", no_argument, NULL, OPT(COMMAND_MACROS)},
    {"text", no_argument, NULL, OPT(COMMAND_TEXT)},
    {"once", no_argument, NULL, OPT(COMMAND_ONCE)},
    {"directory", required_argument, NULL, OPT(COMMAND_DIRECTORY)},
    {"last", required_argument, NULL, OPT(COMMAND_LAST)},
    {"from", required_argument, NULL, OPT(COMMAND_FROM)},
    {"to", required_argument, NULL, OPT(COMMAND_TO)},
    {"step", required_argument, NULL, OPT(COMMAND_STEP)},
    {"percentiles", required_argument, NULL, OPT(COMMAND_PERCENTILES)},
    {"dark", no_argument, NULL, OPT(COMMAND_DARK)},
    {"merge", no_argument, NULL, OPT(COMMAND_MERGE)},
    {"address", required_argument, NULL, OPT(COMMAND_ADDRESS)},
    {"all", no_argument, NULL, OPT(COMMAND_ALL)},
    {"by", required_argument, NULL, OPT(COMMAND_BY)},
    {"html", required_argument, NULL, OPT(COMMAND_HTML)},
    {"interrupted", no_argument, NULL, OPT(COMMAND_INTERRUPTED)},
    {"level", required_argument, NULL, OPT(COMMAND_LEVEL)},
    {"limit", required_argument, NULL, OPT(COMMAND_LIMIT)},
    {"map", required_argument, NULL, OPT(COMMAND_MAP)},
    {"nodes", required_argument, NULL, OPT(COMMAND_NODES)},
    {"runs", required_argument, NULL, OPT(COMMAND_RUNS)},
    {"seed", required_argument, NULL, OPT(COMMAND_SEED)},
    {"tag", required_argument, NULL, OPT(COMMAND_TAG)},
    {"json", no_argument, NULL, OPT_JSON},
    {"tsv", no_argument, NULL, OPT_TSV},
    {"timeout", required_argument, NULL, 't'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    LOGIN_LONG,
    {NULL, 0, NULL, 0}};

static enum command_outcome take_options(int argc, char **argv, struct command *command,
                                         char error[COMMAND_ERROR_SIZE])
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

/* How many of the words are the name of a subcommand, 0: they are not. */
static int words_of_name(const char *name, int n, char *const *words)
{
    size_t len = n > 0 ? strlen(words[0]) : 0;
    if (n > 0 && strcmp(words[0], name) == 0)
        return 1;
    bool first = n > 1 && strncmp(words[0], name, len) == 0 && name[len] == ' ';
    return first && strcmp(words[1], name + len + 1) == 0 ? 2 : 0;
}

/* Whether a word is the first of two words that are the name of a subcommand. */
static bool begins_name(const char *name, const char *word)
{
    size_t len = strlen(word);
    return strncmp(name, word, len) == 0 && name[len] == ' ';
}

/* Writes "there is alarms, get or set": the subcommands of two words whose first is the word; NULL:
 * all. Returns how many there are. */
static size_t list_subcommands(const char *word, char *text, size_t size)
{
    const char *names[SUBCOMMANDS];
    size_t n = 0, at = (size_t)snprintf(text, size, "there is ");
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (!word || begins_name(subcommands[i].name, word))
            names[n++] = subcommands[i].name;
    for (size_t i = 0; i < n && at < size; i++) {
        const char *before = i == 0 ? "" : i + 1 == n ? " or " : ", ";
        at += (size_t)snprintf(text + at, size - at, "%s%s", before, names[i]);
    }
    return n;
}

static bool refuse_subcommand(int n, char *const *words, char error[COMMAND_ERROR_SIZE])
{
    const char *word = n > 0 ? words[0] : "";
    struct nearest nearest = {.text = word};
    char some[COMMAND_ERROR_SIZE - 64];
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        nearest_offer(&nearest, subcommands[i].name);
    if (n > 0 && list_subcommands(word, some, sizeof some) > 0)
        text_format(error, COMMAND_ERROR_SIZE, "%s%s%s: no such subcommand; %s", word,
                    n > 1 ? " " : "", n > 1 ? words[1] : "", some);
    else if (n > 0 && nearest.best)
        text_format(error, COMMAND_ERROR_SIZE, "%s: no such subcommand; did you mean \"%s\"?", word,
                    nearest.best);
    else if (list_subcommands(NULL, some, sizeof some) > 0)
        text_format(error, COMMAND_ERROR_SIZE, "%s%s; %s",
                    n > 0 ? word : "the subcommand is missing", n > 0 ? ": no such subcommand" : "",
                    some);
    return false;
}

/* Returns the number of words that the subcommand has; 0: there is none. If both "alarms" and
 * "alarms list" are possible, the longer one is taken. */
static int take_subcommand(int n, char *const *words, struct command *command,
                           char error[COMMAND_ERROR_SIZE])
{
    int most = 0;
    command->subcommand = NULL;
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        int taken = words_of_name(subcommands[i].name, n, words);
        if (taken <= most)
            continue;
        command->subcommand = &subcommands[i];
        most = taken;
    }
    return most > 0 ? most : refuse_subcommand(n, words, error);
}

/* "alarms acknowlege web1 17": the misspelt second word of the name was taken for the address. */
static bool misspells_name(const struct command *command, char error[COMMAND_ERROR_SIZE])
{
    const char *first = command->subcommand->name;
    size_t len = strlen(first);
    struct nearest nearest = {.text = command->login.host};
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (begins_name(subcommands[i].name, first))
            nearest_offer(&nearest, subcommands[i].name + len + 1);
    if (nearest.best)
        text_format(error, COMMAND_ERROR_SIZE,
                    "%s %.100s: no such subcommand; did you mean \"%s %s\"?", first, nearest.text,
                    first, nearest.best);
    return nearest.best != NULL;
}

/* Whether the subcommand has the options and the words that were given. */
static bool check_use(const struct command *command, char error[COMMAND_ERROR_SIZE])
{
    const struct subcommand *subcommand = command->subcommand;
    for (int i = 0; i < COMMAND_OPTIONS; i++)
        if (command_has(command, (enum command_option)i) && !(subcommand->options >> i & 1)) {
            text_format(error, COMMAND_ERROR_SIZE, "%s: no option of %s", option_names[i],
                        subcommand->name);
            return false;
        }
    for (int i = 0; i < COMMAND_OPTIONS; i++)
        if (subcommand->needs >> i & 1 && !command_has(command, (enum command_option)i)) {
            text_format(error, COMMAND_ERROR_SIZE, "%s: %s is missing", subcommand->name,
                        option_names[i]);
            return false;
        }
    if (subcommand->address && !command->login.host && !command_has(command, COMMAND_DIRECTORY)) {
        text_format(error, COMMAND_ERROR_SIZE, "%s: expected ADDRESS", subcommand->name);
        return false;
    }
    if (command->n_words >= subcommand->least && command->n_words <= subcommand->most)
        return true;
    if (subcommand->of == OF_HERE)
        return refuse_option(error, subcommand->name, command->words[0], "nothing behind it");
    if (command->n_words > subcommand->most && misspells_name(command, error))
        return false;
    if (command->n_words > subcommand->most && subcommand->most == 0)
        return refuse_option(error, subcommand->name, command->words[0], "one address");
    text_format(error, COMMAND_ERROR_SIZE, "%s: expected %s%s", subcommand->name,
                has_address(subcommand) ? "ADDRESS " : "", subcommand->words);
    return false;
}

/* The subcommand asks nobody: it needs no user and no passphrases, but may have a file of
 * secrets. */
static bool check_here(const struct command *command, char error[COMMAND_ERROR_SIZE])
{
    const struct usm_credential *credential = &command->login.credential;
    bool asks = credential->user[0] || credential->auth_secret[0] || credential->priv_secret[0];
    bool two = command->login.secrets && command_has(command, COMMAND_NEW_SITE);
    if (asks)
        text_format(error, COMMAND_ERROR_SIZE,
                    "%s asks no node: no -U, -A, -X; --secrets FILE has the passphrases",
                    command->subcommand->name);
    else if (two)
        text_format(error, COMMAND_ERROR_SIZE, "--secrets and --new-site: one of the two");
    return !asks && !two;
}

/* If the subcommand goes on without a login, it is told what is wrong with the login. */
static bool finish_login(struct command *command, char error[COMMAND_ERROR_SIZE])
{
    if (command->subcommand->of == OF_HERE)
        return check_here(command, error);
    if (command->subcommand->of == OF_NOBODY || command_has(command, COMMAND_DIRECTORY) ||
        (command->subcommand->of == OF_ADDRESS && !command_has(command, COMMAND_ADDRESS)))
        return true;
    if (!command->login.host)
        command->login.host = "localhost";
    if (login_finish(&command->login, "address", error))
        return true;
    if (command->subcommand->of != OF_MACHINE || !command->login.address.host[0])
        return false;
    text_format(command->login_error, sizeof command->login_error, "%s", error);
    return true;
}

enum command_outcome command_read(int argc, char **argv, struct command *command,
                                  char error[COMMAND_ERROR_SIZE])
{
    *command =
        (struct command){.format = SHEET_TABLE, .timeout_s = 10, .interval_ms = 1000, .wait_s = 30};
    login_init(&command->login);
    command->login.fill = snmpconf_fill;
    enum command_outcome outcome = take_options(argc, argv, command, error);
    if (outcome != COMMAND_GOOD)
        return outcome;
    int words = argc - optind, name = take_subcommand(words, argv + optind, command, error);
    if (name == 0)
        return COMMAND_BAD;
    int address = has_address(command->subcommand) && !command_has(command, COMMAND_DIRECTORY);
    command->n_words = words > name + address ? words - name - address : 0;
    command->words = argv + argc - command->n_words;
    if (words > name && address)
        command->login.host = argv[optind + name];
    return check_use(command, error) && finish_login(command, error) ? COMMAND_GOOD : COMMAND_BAD;
}
