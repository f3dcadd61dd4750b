#include "plugins/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define TIMEOUT_MAX 3600

enum {
    OPT_INSTANCE = LOGIN_END,
    OPT_STATISTIC,
    OPT_MISSING_WARNING,
    OPT_MISSING_CRITICAL,
    OPT_MAX_AGE,
    OPT_BELOW,
    OPT_SEVERITY,
    OPT_NODE,
    OPT_THRESHOLD,
    OPT_SENSOR
};

static const char *const modes[] = {[MODE_SENSOR] = "sensor",
                                    [MODE_AGGREGATE] = "aggregate",
                                    [MODE_ALARMS] = "alarms",
                                    [MODE_TREE] = "tree",
                                    [MODE_FRESHNESS] = "freshness"};

void options_help(FILE *to)
{
    fputs("check_dcamp checks a dCAMP node over SNMPv3, for Nagios, Icinga and others.\n\n"
          "usage: check_dcamp -H HOST -U USER --secrets FILE [OPTION]... MODE\n\n"
          "  sensor NAME     values of a sensor     aggregate NAME  values of an aggregate\n"
          "  alarms          active alarms          tree            children of a collector\n"
          "  freshness       is the node there, are its values fresh\n\n"
          "  -H, --hostname HOST[:PORT]      -p, --port PORT (161)\n"
          "  -w, --warning RANGE             -c, --critical RANGE\n"
          "      of the value; the number of alarms; the children that are not up (or\n"
          "      RANGE%); the seconds that a value is overdue (5 and 30)\n"
          "  -t, --timeout SECONDS[:STATUS]  (10:UNKNOWN; 10:CRITICAL for freshness)\n"
          "  -v, --verbose                   -vv, -vvv: more\n"
          "  -h, --help                      -V, --version\n\n"
          "SNMPv3, authPriv only:\n"
          "  -U, --secname USER              -l, --seclevel authPriv\n"
          "  -P, --protocol 3                there is no other\n"
          "  -a, --authproto SHA-256|SHA-512 -x, --privproto AES|AES-256\n"
          "      --secrets FILE              has \"auth PASSPHRASE\" and \"priv PASSPHRASE\"\n"
          "  -A, --authpasswd PASSPHRASE     -X, --privpasswd PASSPHRASE\n\n"
          "sensor and aggregate:\n"
          "      --instance PATTERN          which instances (*), such as 'eth* !eth3'\n"
          "      --max-age SECONDS           an older value is UNKNOWN\n"
          "      --statistic WHICH           min, max, mean, stddev, p50, p90, p95 or p99\n"
          "                                  of the last whole window of a sensor\n"
          "      --missing-warning RANGE     --missing-critical RANGE\n"
          "                                  of an aggregate's missing series, or RANGE%\n"
          "alarms:\n"
          "      --below                     those of all nodes below count, too\n"
          "      --severity LEAST            info, warning or critical (info)\n"
          "      --node, --threshold, --sensor, --instance PATTERN\n\n"
          "RANGE is [@]START:END, a value outside of it alerts (with @ inside): 10 is 0:10,\n"
          "10: is 10 and more, ~:10 is 10 and less. See check_dcamp(1).\n",
          to);
}

static bool bad(char error[512], const char *option, const char *value, const char *expected)
{
    text_format(error, 512, "%s %s: expected %s", option, value, expected);
    return false;
}

/* -- Single options -------------------------------------------------------------------------- */

static bool take_seconds(const char *text, size_t len, unsigned most, unsigned *seconds)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (len == 0 || strspn(text, "0123456789") < len || end != text + len || number > most)
        return false;
    *seconds = (unsigned)number;
    return true;
}

static bool take_timeout(struct options *options, const char *text, char error[512])
{
    const char *colon = strchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : strlen(text);
    bool known = !colon;
    for (int i = STATUS_OK; colon && i <= STATUS_UNKNOWN; i++) {
        const char digit[] = {(char)('0' + i), '\0'};
        if (strcasecmp(colon + 1, status_name(i)) == 0 || strcmp(colon + 1, digit) == 0) {
            options->silent = i;
            known = true;
        }
    }
    if (!known || !take_seconds(text, len, TIMEOUT_MAX, &options->timeout_s) ||
        options->timeout_s == 0)
        return bad(error, "-t", text, "SECONDS or SECONDS:STATUS");
    return true;
}

static bool take_max_age(struct options *options, const char *text, char error[512])
{
    unsigned seconds;
    if (!take_seconds(text, strlen(text), UINT32_MAX / 1000, &seconds))
        return bad(error, "--max-age", text, "seconds");
    options->max_age_ms = (int64_t)seconds * 1000;
    return true;
}

static bool take_statistic(struct options *options, const char *text, char error[512])
{
    static const char *const known[] = {"min", "max", "mean", "stddev", "p50", "p90", "p95", "p99"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i]) == 0) {
            options->statistic = known[i];
            return true;
        }
    return bad(error, "--statistic", text, "min, max, mean, stddev, p50, p90, p95 or p99");
}

static bool take_severity(struct options *options, const char *text, char error[512])
{
    static const char *const known[] = {"info", "warning", "critical"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(text, known[i]) == 0) {
            options->severity = SEVERITY_INFO + (int)i;
            return true;
        }
    return bad(error, "--severity", text, "info, warning or critical");
}

static bool take_range(struct share_range *range, const char *option, const char *text,
                       char error[512])
{
    return share_read(text, range) || bad(error, option, text, "a range, [@]START:END");
}

/* -- All options ----------------------------------------------------------------------------- */

struct reading {
    struct options *options;
    char *error;
    unsigned used; /* a bit for each option that not all modes have */
};

#define USED(option) (1u << ((option)-OPT_INSTANCE))
static const unsigned allowed[] = {
    [MODE_SENSOR] = USED(OPT_INSTANCE) | USED(OPT_STATISTIC) | USED(OPT_MAX_AGE),
    [MODE_AGGREGATE] = USED(OPT_INSTANCE) | USED(OPT_MAX_AGE) | USED(OPT_MISSING_WARNING) |
                       USED(OPT_MISSING_CRITICAL),
    [MODE_ALARMS] = USED(OPT_INSTANCE) | USED(OPT_BELOW) | USED(OPT_SEVERITY) | USED(OPT_NODE) |
                    USED(OPT_THRESHOLD) | USED(OPT_SENSOR),
    [MODE_TREE] = 0,
    [MODE_FRESHNESS] = 0};

/* Where the text of an option is stored unchanged; NULL if it has to be interpreted. */
static const char **text_of(struct reading *reading, int option)
{
    struct options *options = reading->options;
    switch (option) {
    case 'H':
        return &options->login.host;
    case OPT_INSTANCE:
        return &options->instances;
    case OPT_NODE:
        return &options->node;
    case OPT_THRESHOLD:
        return &options->threshold;
    case OPT_SENSOR:
        return &options->sensor;
    default:
        return NULL;
    }
}

static bool take_option(struct options *options, int option, char error[512])
{
    switch (option) {
    case 'w':
        return take_range(&options->warning, "-w", optarg, error);
    case 'c':
        return take_range(&options->critical, "-c", optarg, error);
    case OPT_MISSING_WARNING:
        return take_range(&options->missing_warning, "--missing-warning", optarg, error);
    case OPT_MISSING_CRITICAL:
        return take_range(&options->missing_critical, "--missing-critical", optarg, error);
    case 't':
        return take_timeout(options, optarg, error);
    case OPT_MAX_AGE:
        return take_max_age(options, optarg, error);
    case OPT_STATISTIC:
        return take_statistic(options, optarg, error);
    case OPT_BELOW:
        options->below = true;
        return true;
    case OPT_SEVERITY:
        return take_severity(options, optarg, error);
    case 'v':
        options->verbose++;
        return true;
    default:
        return login_take(&options->login, option, optarg, error);
    }
}

static const char short_options[] = ":H:w:c:t:vhV" LOGIN_SHORT;
static const struct option long_options[] = {
    {"hostname", required_argument, NULL, 'H'},
    {"warning", required_argument, NULL, 'w'},
    {"critical", required_argument, NULL, 'c'},
    {"timeout", required_argument, NULL, 't'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    LOGIN_LONG,
    {"instance", required_argument, NULL, OPT_INSTANCE},
    {"statistic", required_argument, NULL, OPT_STATISTIC},
    {"missing-warning", required_argument, NULL, OPT_MISSING_WARNING},
    {"missing-critical", required_argument, NULL, OPT_MISSING_CRITICAL},
    {"max-age", required_argument, NULL, OPT_MAX_AGE},
    {"below", no_argument, NULL, OPT_BELOW},
    {"severity", required_argument, NULL, OPT_SEVERITY},
    {"node", required_argument, NULL, OPT_NODE},
    {"threshold", required_argument, NULL, OPT_THRESHOLD},
    {"sensor", required_argument, NULL, OPT_SENSOR},
    {NULL, 0, NULL, 0}};

static enum options_outcome take_options(int argc, char **argv, struct reading *reading)
{
    enum options_outcome outcome = OPTIONS_GOOD;
    optind = 0; /* makes getopt(3) start anew */
    for (int c; outcome == OPTIONS_GOOD &&
                (c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1;) {
        const char **text = text_of(reading, c);
        if (c >= OPT_INSTANCE)
            reading->used |= USED(c);
        if (c == 'h' || c == 'V') {
            outcome = c == 'h' ? OPTIONS_HELP : OPTIONS_VERSION;
        } else if (c == '?' || c == ':') {
            login_bad_option(c, short_options, argv, reading->error);
            outcome = OPTIONS_BAD;
        } else if (text) {
            *text = optarg;
        } else if (!take_option(reading->options, c, reading->error)) {
            outcome = OPTIONS_BAD;
        }
    }
    return outcome;
}

/* -- What belongs together ------------------------------------------------------------------- */

static bool say(const struct reading *reading, const char *what)
{
    text_format(reading->error, 512, "%s", what);
    return false;
}

static bool take_mode(int argc, char **argv, struct reading *reading)
{
    struct options *options = reading->options;
    int words = argc - optind;
    for (int i = MODE_SENSOR; words > 0 && i < MODE_NONE; i++)
        if (strcmp(argv[optind], modes[i]) == 0)
            options->mode = i;
    bool named = options->mode == MODE_SENSOR || options->mode == MODE_AGGREGATE;
    if (words == 0 || options->mode == MODE_NONE)
        return bad(reading->error, "mode", words ? argv[optind] : "is missing",
                   "sensor NAME, aggregate NAME, alarms, tree or freshness");
    if (words != 1 + named)
        return bad(reading->error, modes[options->mode], words > 1 ? argv[argc - 1] : "",
                   named ? "one name" : "no name");
    options->name = named ? argv[optind + 1] : NULL;
    return !named || text_is_name(options->name, strlen(options->name)) ||
           bad(reading->error, modes[options->mode], options->name,
               "1 to 32 letters, digits, '.', '_' and '-'");
}

static bool check_mode(const struct reading *reading)
{
    const struct options *options = reading->options;
    unsigned wrong = reading->used & ~allowed[options->mode];
    bool percent = options->warning.percent || options->critical.percent;
    for (size_t i = 0; wrong && long_options[i].name; i++)
        if (long_options[i].val >= OPT_INSTANCE && wrong & USED(long_options[i].val)) {
            text_format(reading->error, 512, "--%s does not go with %s", long_options[i].name,
                        modes[options->mode]);
            return false;
        }
    return !percent || options->mode == MODE_TREE || say(reading, "-w and -c: no % in this mode");
}

/* Freshness is there to report a node that is silent, so that is CRITICAL in this mode. */
static void set_defaults(struct options *options, bool silent_given)
{
    if (options->mode != MODE_FRESHNESS)
        return;
    if (!silent_given)
        options->silent = STATUS_CRITICAL;
    if (!options->warning.range.given)
        share_read("5", &options->warning);
    if (!options->critical.range.given)
        share_read("30", &options->critical);
}

enum options_outcome options_read(int argc, char **argv, struct options *options, char error[512])
{
    enum { NOT_GIVEN = STATUS_UNKNOWN + 1 };
    struct reading reading = {.options = options, .error = error};
    *options = (struct options){.mode = MODE_NONE,
                                .instances = "*",
                                .max_age_ms = NO_AGE,
                                .severity = SEVERITY_INFO,
                                .node = "*",
                                .threshold = "*",
                                .sensor = "*",
                                .timeout_s = 10,
                                .silent = (enum status)NOT_GIVEN};
    login_init(&options->login);
    enum options_outcome outcome = take_options(argc, argv, &reading);
    if (outcome != OPTIONS_GOOD)
        return outcome;
    if (!take_mode(argc, argv, &reading) || !check_mode(&reading) ||
        !login_finish(&options->login, "-H", error))
        return OPTIONS_BAD;
    bool silent_given = (int)options->silent != NOT_GIVEN;
    if (!silent_given)
        options->silent = STATUS_UNKNOWN;
    set_defaults(options, silent_given);
    return OPTIONS_GOOD;
}
