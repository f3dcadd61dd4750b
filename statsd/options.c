#include "statsd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostport.h"
#include "base/text.h"

enum { OPT_STDIN = 256, OPT_BY_PREFIX, OPT_SENSORS, OPT_APPLICATIONS, OPT_SYSLOG };

static const char usage[] =
    "usage: dcamp-statsd [OPTION]...\n"
    "\n"
    "Takes datagrams of statsd, and publishes what they count as sensors of an application for\n"
    "dCAMP: see dcamp-statsd(8).\n"
    "\n"
    "  -l, --listen ADDRESS   HOST or HOST:PORT, up to 8 times (default: 127.0.0.1 and ::1, "
    "port " STATSD_PORT ")\n"
    "      --stdin            take datagrams from the socket that is the standard input\n"
    "  -n, --name NAME        of the application (default: statsd)\n"
    "      --by-prefix        the first part of a name, before its first dot, is the application\n"
    "      --sensors N        of an application, at the most (default: 500, up to 1000)\n"
    "      --applications N   besides NAME, at the most (default: 16, up to 64)\n"
    "      --syslog           log to syslog, not to standard error\n"
    "  -h, --help\n"
    "  -V, --version\n";

static int complain(const char *what, const char *text)
{
    fprintf(stderr, "dcamp-statsd: %s%s (dcamp-statsd --help)\n", what, text);
    return STATSD_USAGE;
}

static int take_address(struct options *options)
{
    struct hostport parts;
    if (!hostport_split(optarg, &parts) || parts.host_len == 0 ||
        (parts.port && !hostport_is_port(parts.port)))
        return complain("expected HOST or HOST:PORT: ", optarg);
    if (options->n_listen == STATSD_LISTEN_MAX)
        return complain("too many addresses: ", optarg);
    options->listen[options->n_listen++] = optarg;
    return -1;
}

static int take_number(const char *option, size_t most, size_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(optarg, &end, 10);
    if (errno || *end != '\0' || optarg[0] < '0' || optarg[0] > '9' || value < 1 || value > most) {
        fprintf(stderr,
                "dcamp-statsd: %s %s: expected a number from 1 to %zu (dcamp-statsd --help)\n",
                option, optarg, most);
        return STATSD_USAGE;
    }
    *number = value;
    return -1;
}

static int take_name(struct options *options)
{
    if (!text_is_name(optarg, strlen(optarg)))
        return complain("a name has 1 to 32 of the characters A-Z a-z 0-9 . _ -: ", optarg);
    options->name = optarg;
    return -1;
}

static int take_option(struct options *options, int option)
{
    switch (option) {
    case 'l':
        return take_address(options);
    case 'n':
        return take_name(options);
    case OPT_STDIN:
        options->from_stdin = true;
        return -1;
    case OPT_BY_PREFIX:
        options->by_prefix = true;
        return -1;
    case OPT_SENSORS:
        return take_number("--sensors", STATSD_SENSORS_MAX, &options->sensors);
    case OPT_APPLICATIONS:
        return take_number("--applications", STATSD_APPLICATIONS_MAX, &options->applications);
    case OPT_SYSLOG:
        options->to_syslog = true;
        return -1;
    case 'h':
        fputs(usage, stdout);
        return fflush(stdout) == 0 ? STATSD_OK : STATSD_FAILED;
    case 'V':
        puts("dcamp-statsd " PACKAGE_VERSION);
        return fflush(stdout) == 0 ? STATSD_OK : STATSD_FAILED;
    default: /* getopt_long(3) has reported it */
        return STATSD_USAGE;
    }
}

int options_parse(int argc, char **argv, struct options *options)
{
    static const struct option long_options[] = {
        {"listen", required_argument, NULL, 'l'},
        {"stdin", no_argument, NULL, OPT_STDIN},
        {"name", required_argument, NULL, 'n'},
        {"by-prefix", no_argument, NULL, OPT_BY_PREFIX},
        {"sensors", required_argument, NULL, OPT_SENSORS},
        {"applications", required_argument, NULL, OPT_APPLICATIONS},
        {"syslog", no_argument, NULL, OPT_SYSLOG},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    int option, status = -1;
    *options = (struct options){
        .name = "statsd", .sensors = STATSD_SENSORS, .applications = STATSD_APPLICATIONS};
    optind = 0;
    while (status < 0 && (option = getopt_long(argc, argv, "l:n:hV", long_options, NULL)) != -1)
        status = take_option(options, option);
    if (status >= 0)
        return status;
    if (optind < argc)
        return complain("expected no argument: ", argv[optind]);
    if (options->from_stdin && (options->n_listen > 0 || options->by_prefix))
        return complain("--stdin goes with neither --listen nor --by-prefix", "");
    return -1;
}
