#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "knobs.h"

static void usage(FILE *to)
{
    fputs("usage: dcamp-sim [OPTION...]\n"
          "Answers as many dCAMP nodes over SNMPv3, authPriv, on the loopback interface.\n"
          "\n"
          "  --children N         how many; their numbers are 1 to N (1)\n"
          "  --address A          of child 1; child n has the (n-1)th after it (127.1.0.1)\n"
          "  --port PORT          of all of them (16100)\n"
          "  --ports              all have the address A, and child n has the port PORT + n - 1\n"
          "  --user NAME          USM user (dcamp)\n"
          "  --auth-secret TEXT   passphrase (auth-secret-sim)\n"
          "  --priv-secret TEXT   passphrase (priv-secret-sim)\n"
          "  --auth PROTOCOL      sha256 or sha512 (sha256)\n"
          "  --priv PROTOCOL      aes128 or aes256 (aes128)\n"
          "  --series N           series of each child (20)\n"
          "  --share PERCENT      of the series, in each report (10)\n"
          "  --rate R             reports per second; 0: one after the start, then none (1)\n"
          "  --keep N             blocks kept (60)\n"
          "  --block-bytes N      largest block (1200)\n"
          "  --windows N          the first N series also report windows with histograms (0)\n"
          "  --window DURATION    length of a window (10s)\n"
          "  --boots N            engine boots and dcampd boot at first (10)\n"
          "  --knob COMMAND       do this command first; may be repeated\n"
          "  --ready              print a line when all children answer\n"
          "  --help               print this\n",
          to);
    knobs_usage(to);
}

enum option_number {
    OPTION_CHILDREN = 256,
    OPTION_ADDRESS,
    OPTION_PORT,
    OPTION_PORTS,
    OPTION_USER,
    OPTION_AUTH_SECRET,
    OPTION_PRIV_SECRET,
    OPTION_AUTH,
    OPTION_PRIV,
    OPTION_SERIES,
    OPTION_SHARE,
    OPTION_RATE,
    OPTION_KEEP,
    OPTION_BLOCK_BYTES,
    OPTION_WINDOWS,
    OPTION_WINDOW,
    OPTION_BOOTS,
    OPTION_KNOB,
    OPTION_READY,
    OPTION_HELP
};

static const struct option names[] = {
    {"children", required_argument, NULL, OPTION_CHILDREN},
    {"address", required_argument, NULL, OPTION_ADDRESS},
    {"port", required_argument, NULL, OPTION_PORT},
    {"ports", no_argument, NULL, OPTION_PORTS},
    {"user", required_argument, NULL, OPTION_USER},
    {"auth-secret", required_argument, NULL, OPTION_AUTH_SECRET},
    {"priv-secret", required_argument, NULL, OPTION_PRIV_SECRET},
    {"auth", required_argument, NULL, OPTION_AUTH},
    {"priv", required_argument, NULL, OPTION_PRIV},
    {"series", required_argument, NULL, OPTION_SERIES},
    {"share", required_argument, NULL, OPTION_SHARE},
    {"rate", required_argument, NULL, OPTION_RATE},
    {"keep", required_argument, NULL, OPTION_KEEP},
    {"block-bytes", required_argument, NULL, OPTION_BLOCK_BYTES},
    {"windows", required_argument, NULL, OPTION_WINDOWS},
    {"window", required_argument, NULL, OPTION_WINDOW},
    {"boots", required_argument, NULL, OPTION_BOOTS},
    {"knob", required_argument, NULL, OPTION_KNOB},
    {"ready", no_argument, NULL, OPTION_READY},
    {"help", no_argument, NULL, OPTION_HELP},
    {0},
};

/* yes: the second of two words. */
static bool choose(const char *text, const char *first, const char *second, bool *yes)
{
    *yes = strcmp(text, second) == 0;
    return *yes || strcmp(text, first) == 0;
}

static bool secret(const char *text, const char **to)
{
    *to = text;
    return strlen(text) >= 8;
}

static bool add_knob(struct sim_options *options, const char *command)
{
    if (options->n_knobs == RANGES_MAX)
        return false;
    options->knobs[options->n_knobs++] = command;
    return true;
}

static bool set_network(struct sim_options *options, int option, const char *text)
{
    uint32_t port;
    switch (option) {
    case OPTION_CHILDREN:
        return knobs_number(text, 1, 1000000, &options->children);
    case OPTION_ADDRESS:
        return knobs_address(text, &options->address);
    case OPTION_PORT:
        if (!knobs_number(text, 1, UINT16_MAX, &port))
            return false;
        options->port = (uint16_t)port;
        return true;
    case OPTION_PORTS:
        options->ports = true;
        return true;
    case OPTION_USER:
        options->user = text;
        return strlen(text) >= 1 && strlen(text) <= 32;
    case OPTION_AUTH_SECRET:
        return secret(text, &options->auth_secret);
    case OPTION_PRIV_SECRET:
        return secret(text, &options->priv_secret);
    case OPTION_AUTH:
        return choose(text, "sha256", "sha512", &options->sha512);
    case OPTION_PRIV:
        return choose(text, "aes128", "aes256", &options->aes256);
    default:
        return false;
    }
}

static bool set_reports(struct sim_options *options, int option, const char *text)
{
    switch (option) {
    case OPTION_SERIES:
        return knobs_number(text, 1, 100000, &options->series);
    case OPTION_SHARE:
        return knobs_percent(text, &options->share);
    case OPTION_RATE:
        return knobs_rate(text, &options->period_ms);
    case OPTION_KEEP:
        return knobs_number(text, 1, 1000000, &options->keep);
    case OPTION_BLOCK_BYTES:
        return knobs_number(text, REPORT_BLOCK_MIN, REPORT_BLOCK_MAX, &options->block_bytes);
    case OPTION_WINDOWS:
        return knobs_number(text, 0, 100000, &options->window_series);
    case OPTION_WINDOW:
        return text_to_millis(text, strlen(text), &options->window_ms) && options->window_ms > 0;
    case OPTION_BOOTS:
        return knobs_number(text, 1, 1000000, &options->boots);
    case OPTION_KNOB:
        return add_knob(options, text);
    case OPTION_READY:
        options->ready = true;
        return true;
    default:
        return false;
    }
}

static bool apply(struct sim_options *options, int option, const char *text)
{
    return option < OPTION_SERIES ? set_network(options, option, text)
                                  : set_reports(options, option, text);
}

static const char *fault(const struct sim_options *options)
{
    if (options->ports && options->port + options->children - 1 > UINT16_MAX)
        return "the last child's port is above 65535";
    if (!options->ports && (options->address + options->children - 1) >> 24 != IN_LOOPBACKNET)
        return "the last child's address is beyond 127.0.0.0/8";
    if (options->window_series > options->series)
        return "--windows is above --series";
    return NULL;
}

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "dcamp-sim: %s: %s; see --help\n", what, why);
    return 2;
}

int options_parse(struct sim_options *options, int argc, char **argv)
{
    int option, at = 0;
    *options = (struct sim_options){
        .children = 1,
        .address = (UINT32_C(127) << 24) + (1 << 16) + 1,
        .port = 16100,
        .user = "dcamp",
        .auth_secret = "auth-secret-sim",
        .priv_secret = "priv-secret-sim",
        .series = 20,
        .share = 10,
        .period_ms = 1000,
        .keep = 60,
        .block_bytes = 1200,
        .window_ms = 10000,
        .boots = 10,
    };
    while ((option = getopt_long(argc, argv, "", names, &at)) != -1) {
        char what[96];
        if (option == '?')
            return 2;
        if (option == OPTION_HELP) {
            usage(stdout);
            return 0;
        }
        text_format(what, sizeof what, "--%s %s", names[option - OPTION_CHILDREN].name,
                    optarg ? optarg : "");
        if (!apply(options, option, optarg))
            return refuse(what, "this is not possible");
    }
    if (optind < argc)
        return refuse(argv[optind], "no such argument");
    return fault(options) ? refuse("options", fault(options)) : -1;
}
