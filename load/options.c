#include "load/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/snmpconf.h"
#include "load/arrivals.h"
#include "load/scenario.h"

#define REPETITIONS_MAX 2147483647 /* RFC 3416, section 3 */

enum {
    OPT_CHECK = LOGIN_END,
    OPT_JSON,
    OPT_OPERATION,
    OPT_PROGRAM,
    OPT_URL,
    OPT_METHOD,
    OPT_HEADER,
    OPT_BODY,
    OPT_CONNECT,
    OPT_LINE,
    OPT_NO_ANSWER,
    OPT_SNMP,
    OPT_GET_NEXT,
    OPT_GET_BULK,
    OPT_OBJECT,
    OPT_NOTHING,
    OPT_POISSON,
    OPT_DATA,
    OPT_DATA_PROGRAM,
    OPT_SEED,
    OPT_TIMEOUT,
    OPT_DURATION,
    OPT_RAMP,
    OPT_LIMIT,
    OPT_MOST,
    OPT_RUN,
    OPT_DIRECTORY,
    OPT_RUNS,
    OPT_TAG,
    OPT_APPLICATION
};

static const char usage[] =
    "usage: dcamp load EXPRESSION [--operation NAME] ACTION... [OPTION]...\n"
    "       dcamp load --check EXPRESSION\n"
    "\n"
    "Does operations as the expression says, and tells how long they took: dcamp-load(1).\n"
    "\n"
    "Expressions: once(), once(NAME), list(E,...), random(E,...), loop(N), loop(N,PAUSE),\n"
    "loop(E,N), loop(E,N,PAUSE); a pause is in milliseconds.\n"
    "\n"
    "Actions, of once(NAME) behind --operation NAME, else of once(), loop(N) and loop(N,PAUSE):\n"
    "      --program 'CMD ARGS'   runs a program\n"
    "      --url URL              asks for it; --method M, --header 'N: V', --body TEXT\n"
    "      --connect HOST:PORT    or unix:PATH, --line TEXT: a line there, a line back; with\n"
    "                             --no-answer nothing back\n"
    "      --snmp 'HOST[:PORT] OID...'\n"
    "                             a GET of these by SNMPv3; --get-next, --get-bulk N\n"
    "      --object FILE.so[:SYMBOL]\n"
    "                             calls that function, in a process of each worker\n"
    "      --nothing              what dcamp load itself costs\n"
    "{sequence}, {worker} and {data} in them stand for what is of each operation.\n"
    "\n"
    "  -w, --workers N            closed load of so many workers (1); with --rate, so many\n"
    "                             operations at once at the most (1000)\n"
    "  -r, --rate R               open load: R operations arrive a second; --poisson: by chance\n"
    "      --duration TIME        nothing begins later\n"
    "      --timeout TIME         of an operation (30s)\n"
    "      --ramp TIME            stages of that length, each with half as much load again, up\n"
    "                             to --most N or --limit PERCENTILE=TIME, as p99=200ms\n"
    "      --data FILE            a line for each operation; --data-program 'CMD ARGS': its lines\n"
    "      --seed N               of all that is by chance\n"
    "      --json                 an object a second, and one of the result\n"
    "      --run NAME             as dcamp run start NAME and dcamp run stop around it, with\n"
    "                             --directory DIR, --runs DIR and --tag KEY=VALUE of these\n"
    "      --application NAME     of its sensors (dcamp-load)\n"
    "  -U USER, --secrets FILE, -a SHA-256|SHA-512, -x AES|AES-256, -A, -X, -p PORT,\n"
    "  -l authPriv, -P 3\n"
    "                             the user of SNMPv3, as of dcamp(1), and snmp.conf(5)\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0 carried out, whatever failed of it; 1 not; 2 wrong arguments or expression;\n"
    "130 interrupted.\n";

static int complain(const char *option, const char *value, const char *expected)
{
    fprintf(stderr, "dcamp-load: %s %s: expected %s (dcamp-load --help)\n", option, value,
            expected);
    return LOAD_USAGE;
}

static int complain_of(const char *text)
{
    fprintf(stderr, "dcamp-load: %s (dcamp-load --help)\n", text);
    return LOAD_USAGE;
}

/* -- Values ---------------------------------------------------------------------------------- */

static int take_whole(const char *option, uint64_t least, uint64_t most, uint64_t *number)
{
    char expected[96];
    size_t len = strlen(optarg);
    errno = 0;
    *number = strtoull(optarg, NULL, 10);
    if (len > 0 && strspn(optarg, "0123456789") == len && errno == 0 && *number >= least &&
        *number <= most)
        return -1;
    text_format(expected, sizeof expected, "a number from %" PRIu64 " to %" PRIu64, least, most);
    return complain(option, optarg, expected);
}

static int take_workers(struct options *options)
{
    uint64_t number = 0;
    int status = take_whole("--workers", 1, OPTIONS_WORKERS_MAX, &number);
    options->workers = (unsigned)number;
    return status;
}

static int take_positive(const char *option, double least, double most, double *number)
{
    if (text_to_decimal(optarg, strlen(optarg), number) && *number >= least && *number <= most)
        return -1;
    char expected[96];
    text_format(expected, sizeof expected, "a number from %g to %g", least, most);
    return complain(option, optarg, expected);
}

static int take_time(const char *option, uint32_t *millis)
{
    if (text_to_millis(optarg, strlen(optarg), millis) && *millis > 0)
        return -1;
    return complain(option, optarg, "a time, as 500ms, 10s or 5m");
}

/* "p99=200ms", "p99.9=1s". */
static int take_limit(struct options *options)
{
    const char *equals = strchr(optarg, '=');
    double percent;
    uint32_t millis;
    if (optarg[0] != 'p' || !equals ||
        !text_to_decimal(optarg + 1, (size_t)(equals - optarg) - 1, &percent) || percent <= 0 ||
        percent > 100 || !text_to_millis(equals + 1, strlen(equals + 1), &millis) || millis == 0)
        return complain("--limit", optarg, "a percentile and a time, as p99=200ms");
    options->quantile = percent / 100;
    options->limit_s = millis / 1000.0;
    return -1;
}

static int take_name(const char *option, const char **name)
{
    if (!text_is_name(optarg, strlen(optarg)))
        return complain(option, optarg, "1 to 32 of the characters A-Z a-z 0-9 . _ -");
    *name = optarg;
    return -1;
}

/* -- Actions --------------------------------------------------------------------------------- */

/* The state while the command line is read from left to right. */
struct reading {
    struct options *options;
    const char *name;      /* of the next action; NULL if that is the one of once() */
    struct action *latest; /* NULL if there is none yet */
};

static int take_action(struct reading *reading, enum action_kind kind)
{
    struct options *options = reading->options;
    const char *name = reading->name ? reading->name : SCENARIO_ONCE;
    if (options_find(options, name))
        return complain("--operation", name, "one action for each name");
    if (options->n_actions == OPTIONS_ACTIONS_MAX)
        return complain_of("there are more than 256 actions");
    reading->latest = &options->action[options->n_actions++];
    *reading->latest = (struct action){.kind = kind, .name = name, .target = optarg};
    reading->name = NULL;
    return -1;
}

static int take_program(struct reading *reading)
{
    int error, status = take_action(reading, ACTION_PROGRAM);
    if (status >= 0)
        return status;
    reading->latest->words = action_split(optarg, &error);
    if (reading->latest->words)
        return -1;
    return error == EINVAL ? complain("--program", optarg, "a command whose quotes are closed")
                           : complain_of("out of memory");
}

/* Returns the latest action, to which an option belongs; NULL if it is not of this kind. */
static struct action *action_of(struct reading *reading, enum action_kind kind)
{
    struct action *latest = reading->latest;
    return latest && latest->kind == kind && !reading->name ? latest : NULL;
}

static int take_of_url(struct reading *reading, int option)
{
    struct action *action = action_of(reading, ACTION_URL);
    if (!action)
        return complain_of("--method, --header and --body stand behind their --url");
    if (option == OPT_METHOD && strspn(optarg, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(optarg))
        return complain("--method", optarg, "upper-case letters");
    if (option == OPT_HEADER && (strpbrk(optarg, "\r\n") || !strpbrk(optarg, ":;")))
        return complain("--header", optarg, "'NAME: VALUE' in one line");
    if (option == OPT_HEADER && action->n_headers == ACTION_HEADERS_MAX)
        return complain_of("a URL has at most 32 --header");
    if (option == OPT_METHOD)
        action->method = optarg;
    else if (option == OPT_BODY)
        action->body = optarg;
    else
        action->headers[action->n_headers++] = optarg;
    return -1;
}

static int take_of_line(struct reading *reading, int option)
{
    struct action *action = action_of(reading, ACTION_LINE);
    if (!action)
        return complain_of("--line and --no-answer stand behind their --connect");
    if (option == OPT_LINE && strchr(optarg, '\n'))
        return complain("--line", optarg, "one line");
    if (option == OPT_LINE)
        action->line = optarg;
    else
        action->is_unanswered = true;
    return -1;
}

static int take_snmp(struct reading *reading)
{
    int error, status = take_action(reading, ACTION_SNMP);
    if (status >= 0)
        return status;
    reading->latest->words = action_split(optarg, &error);
    if (reading->latest->words && reading->latest->words[1])
        return -1;
    return !reading->latest->words && error == ENOMEM
               ? complain_of("out of memory")
               : complain("--snmp", optarg, "'HOST[:PORT] OID...'");
}

static int take_of_snmp(struct reading *reading, int option)
{
    struct action *action = action_of(reading, ACTION_SNMP);
    uint64_t number = 0;
    if (!action || action->request != ACTION_GET)
        return complain_of("--get-next or --get-bulk stands behind its --snmp");
    if (option == OPT_GET_NEXT) {
        action->request = ACTION_GET_NEXT;
        return -1;
    }
    action->request = ACTION_GET_BULK;
    int status = take_whole("--get-bulk", 1, REPETITIONS_MAX, &number);
    action->repetitions = (long)number;
    return status;
}

static int take_of_action(struct reading *reading, int option)
{
    switch (option) {
    case OPT_OPERATION:
        return take_name("--operation", &reading->name);
    case OPT_PROGRAM:
        return take_program(reading);
    case OPT_URL:
        return take_action(reading, ACTION_URL);
    case OPT_CONNECT:
        return take_action(reading, ACTION_LINE);
    case OPT_NOTHING:
        return take_action(reading, ACTION_NOTHING);
    case OPT_OBJECT:
        return take_action(reading, ACTION_OBJECT);
    case OPT_SNMP:
        return take_snmp(reading);
    case OPT_GET_NEXT:
    case OPT_GET_BULK:
        return take_of_snmp(reading, option);
    case OPT_LINE:
    case OPT_NO_ANSWER:
        return take_of_line(reading, option);
    default:
        return take_of_url(reading, option);
    }
}

const struct action *options_find(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->n_actions; i++)
        if (strcmp(options->action[i].name, name) == 0)
            return &options->action[i];
    return NULL;
}

/* -- All of them ----------------------------------------------------------------------------- */

/* dcamp run gets these options, and it reports what is wrong with their values. */
static int take_of_run(struct run_options *run, int option)
{
    if (option == OPT_TAG && run->n_tags == RUN_TAGS_MAX)
        return complain_of("there are more than 32 tags");
    if (optarg[0] == '-')
        return complain("--run and its options", optarg, "what does not begin with -");
    if (option == OPT_RUN)
        run->name = optarg;
    else if (option == OPT_DIRECTORY)
        run->directory = optarg;
    else if (option == OPT_RUNS)
        run->runs = optarg;
    else
        run->tags[run->n_tags++] = optarg;
    return -1;
}

static int take_of_test(struct options *options, int option)
{
    switch (option) {
    case 'w':
        return take_workers(options);
    case 'r':
        return take_positive("--rate", ARRIVALS_RATE_MIN, ARRIVALS_RATE_MAX, &options->rate);
    case OPT_SEED:
        return take_whole("--seed", 0, INT64_MAX, &options->seed);
    case OPT_TIMEOUT:
        return take_time("--timeout", &options->timeout_ms);
    case OPT_DURATION:
        return take_time("--duration", &options->duration_ms);
    case OPT_RAMP:
        return take_time("--ramp", &options->ramp_ms);
    case OPT_LIMIT:
        return take_limit(options);
    case OPT_MOST:
        return take_positive("--most", 1, ARRIVALS_RATE_MAX, &options->most);
    case OPT_RUN:
    case OPT_DIRECTORY:
    case OPT_RUNS:
    case OPT_TAG:
        return take_of_run(&options->run, option);
    case OPT_APPLICATION:
        return take_name("--application", &options->application);
    case OPT_DATA:
        options->data_file = optarg;
        return -1;
    default:
        options->data_program = optarg;
        return -1;
    }
}

static bool is_of_login(int option)
{
    return option == LOGIN_SECRETS || (option < 0x80 && strchr(LOGIN_SHORT, option));
}

static int take_of_login(struct options *options, int option)
{
    char error[512];
    options->has_login = true;
    if (login_take(&options->login, option, optarg, error))
        return -1;
    return complain_of(error);
}

static int take_option(struct reading *reading, int option)
{
    switch (option) {
    case OPT_CHECK:
        reading->options->check = true;
        return -1;
    case OPT_JSON:
        reading->options->json = true;
        return -1;
    case OPT_POISSON:
        reading->options->is_poisson = true;
        return -1;
    case 'h':
        fputs(usage, stdout);
        return LOAD_OK;
    case 'V':
        puts("dcamp-load " PACKAGE_VERSION);
        return LOAD_OK;
    case '?':
    case ':':
        return complain_of("that option is not known, or its value is missing");
    default:
        if (is_of_login(option))
            return take_of_login(reading->options, option);
        return option >= OPT_OPERATION && option <= OPT_NOTHING
                   ? take_of_action(reading, option)
                   : take_of_test(reading->options, option);
    }
}

static int check_actions(const struct reading *reading)
{
    const struct options *options = reading->options;
    if (reading->name)
        return complain("--operation", reading->name, "an action behind it");
    if (options->n_actions == 0)
        return complain_of("expected --program, --url, --connect, --snmp, --object or --nothing");
    bool has_data = options->data_file || options->data_program;
    for (size_t i = 0; i < options->n_actions; i++) {
        const struct action *action = &options->action[i];
        if (action->kind == ACTION_LINE && !action->line)
            return complain("--connect", action->target, "--line behind it");
        if (!has_data && action_takes_data(action))
            return complain_of("{data} needs --data or --data-program");
    }
    return -1;
}

/* One login serves all actions. */
static int check_login(struct options *options)
{
    char error[512];
    bool is_needed = false;
    options->login.fill = snmpconf_fill;
    for (size_t i = 0; i < options->n_actions; i++) {
        struct action *action = &options->action[i];
        if (action->kind != ACTION_SNMP)
            continue;
        action->credential = &options->login.credential;
        action->port = options->login.port;
        options->login.host = action->words[0];
        is_needed = true;
    }
    if (!is_needed)
        return options->has_login ? complain_of("options of a user need --snmp") : -1;
    return login_finish(&options->login, "--snmp", error) ? -1 : complain_of(error);
}

/* A ramp of arrivals begins at --rate; one of workers begins at --workers, or with one worker. */
static int check_most(const struct options *options)
{
    if (options->ramp_ms == 0 || options->most <= 0)
        return -1;
    if (options->rate > 0)
        return options->most < options->rate ? complain_of("--most: expected --rate at least") : -1;
    if (options->most > OPTIONS_WORKERS_MAX || options->most != floor(options->most))
        return complain_of("--most: expected a whole number of workers, at most 1000000");
    return options->most < options->workers ? complain_of("--most: expected --workers at least")
                                            : -1;
}

static int check_all(const struct reading *reading)
{
    struct options *options = reading->options;
    if (!options->expression)
        return complain_of("expected an expression");
    if (options->check)
        return -1;
    if (options->is_poisson && options->rate <= 0)
        return complain_of("--poisson needs --rate");
    if (options->data_file && options->data_program)
        return complain_of("--data and --data-program: expected one of them");
    if (options->ramp_ms == 0 && (isfinite(options->limit_s) || options->most > 0))
        return complain_of("--limit and --most need --ramp");
    int status = check_most(options);
    if (status >= 0)
        return status;
    if (!options->run.name && (options->run.directory || options->run.runs || options->run.n_tags))
        return complain_of("--directory, --runs and --tag need --run");
    status = check_actions(reading);
    return status < 0 ? check_login(options) : status;
}

static const struct option long_options[] = {
    {"check", no_argument, NULL, OPT_CHECK},
    {"json", no_argument, NULL, OPT_JSON},
    {"operation", required_argument, NULL, OPT_OPERATION},
    {"program", required_argument, NULL, OPT_PROGRAM},
    {"url", required_argument, NULL, OPT_URL},
    {"method", required_argument, NULL, OPT_METHOD},
    {"header", required_argument, NULL, OPT_HEADER},
    {"body", required_argument, NULL, OPT_BODY},
    {"connect", required_argument, NULL, OPT_CONNECT},
    {"line", required_argument, NULL, OPT_LINE},
    {"no-answer", no_argument, NULL, OPT_NO_ANSWER},
    {"snmp", required_argument, NULL, OPT_SNMP},
    {"get-next", no_argument, NULL, OPT_GET_NEXT},
    {"get-bulk", required_argument, NULL, OPT_GET_BULK},
    {"object", required_argument, NULL, OPT_OBJECT},
    {"nothing", no_argument, NULL, OPT_NOTHING},
    {"workers", required_argument, NULL, 'w'},
    {"rate", required_argument, NULL, 'r'},
    {"poisson", no_argument, NULL, OPT_POISSON},
    {"data", required_argument, NULL, OPT_DATA},
    {"data-program", required_argument, NULL, OPT_DATA_PROGRAM},
    {"seed", required_argument, NULL, OPT_SEED},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"duration", required_argument, NULL, OPT_DURATION},
    {"ramp", required_argument, NULL, OPT_RAMP},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"most", required_argument, NULL, OPT_MOST},
    {"run", required_argument, NULL, OPT_RUN},
    {"directory", required_argument, NULL, OPT_DIRECTORY},
    {"runs", required_argument, NULL, OPT_RUNS},
    {"tag", required_argument, NULL, OPT_TAG},
    {"application", required_argument, NULL, OPT_APPLICATION},
    LOGIN_LONG,
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

int options_read(int argc, char **argv, struct options *options)
{
    struct reading reading = {.options = options};
    int option, status = -1;
    *options = (struct options){.timeout_ms = 30000,
                                .seed = 1,
                                .quantile = 0.99,
                                .limit_s = (double)INFINITY,
                                .application = "dcamp-load"};
    login_init(&options->login);
    optind = 0; /* makes getopt(3) start anew */
    while (status < 0 &&
           (option = getopt_long(argc, argv, "w:r:hV" LOGIN_SHORT, long_options, NULL)) != -1)
        status = take_option(&reading, option);
    if (status < 0 && optind < argc)
        options->expression = argv[optind++];
    if (status < 0 && optind < argc)
        status = complain_of("expected one expression: quote it for the shell");
    if (status < 0)
        status = check_all(&reading);
    if (status >= 0)
        options_release(options);
    return status;
}

void options_release(struct options *options)
{
    for (size_t i = 0; i < options->n_actions; i++)
        action_free_words(options->action[i].words);
    explicit_bzero(&options->login.credential, sizeof options->login.credential);
    *options = (struct options){0};
}
