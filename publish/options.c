#include "publish/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/text.h"

enum { OPT_SOCKET = 256, OPT_STATE_DIR, OPT_MODULES, OPT_SINK, OPT_UNTIL_EOF, OPT_SYSLOG };

static const char usage[] =
    "usage: dcamp-publish [OPTION]...\n"
    "\n"
    "Writes what dcampd measures and collects to the sinks of its configuration: see\n"
    "dcamp-publish(8).\n"
    "\n"
    "      --socket PATH      of dcampd (default: " DCAMP_PUBLISH_SOCKET ")\n"
    "      --state-dir DIR    where it writes (default: " DCAMP_PUBLISH_STATE_DIR ")\n"
    "      --modules DIR      of sinks (default: " DCAMP_PUBLISH_MODULES ")\n"
    "      --sink NAME        work for this sink only, in this process\n"
    "      --until-eof        end when the standard input does\n"
    "      --syslog           log to syslog, not to standard error\n"
    "  -h, --help\n"
    "  -V, --version\n";

static int complain(const char *what, const char *text)
{
    fprintf(stderr, "dcamp-publish: %s%s (dcamp-publish --help)\n", what, text);
    return PUBLISH_USAGE;
}

static int take_socket(struct options *options)
{
    if (!optarg[0] || strlen(optarg) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return complain("the path of a socket has 1 to 107 octets: ", optarg);
    options->socket = optarg;
    return -1;
}

static int take_sink(struct options *options)
{
    if (!text_is_name(optarg, strlen(optarg)))
        return complain("a name has 1 to 32 of the characters A-Z a-z 0-9 . _ -: ", optarg);
    options->sink = optarg;
    return -1;
}

static int take_option(struct options *options, int option)
{
    switch (option) {
    case OPT_SOCKET:
        return take_socket(options);
    case OPT_STATE_DIR:
        options->state_dir = optarg;
        return -1;
    case OPT_MODULES:
        options->modules = optarg;
        return -1;
    case OPT_SINK:
        return take_sink(options);
    case OPT_UNTIL_EOF:
        options->until_eof = true;
        return -1;
    case OPT_SYSLOG:
        options->to_syslog = true;
        return -1;
    case 'h':
        fputs(usage, stdout);
        return fflush(stdout) == 0 ? PUBLISH_OK : PUBLISH_FAILED;
    case 'V':
        puts("dcamp-publish " PACKAGE_VERSION);
        return fflush(stdout) == 0 ? PUBLISH_OK : PUBLISH_FAILED;
    default: /* getopt_long(3) has printed the error */
        return PUBLISH_USAGE;
    }
}

int options_parse(int argc, char **argv, struct options *options)
{
    static const struct option long_options[] = {
        {"socket", required_argument, NULL, OPT_SOCKET},
        {"state-dir", required_argument, NULL, OPT_STATE_DIR},
        {"modules", required_argument, NULL, OPT_MODULES},
        {"sink", required_argument, NULL, OPT_SINK},
        {"until-eof", no_argument, NULL, OPT_UNTIL_EOF},
        {"syslog", no_argument, NULL, OPT_SYSLOG},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    int option, status = -1;
    *options = (struct options){.socket = DCAMP_PUBLISH_SOCKET,
                                .state_dir = DCAMP_PUBLISH_STATE_DIR,
                                .modules = DCAMP_PUBLISH_MODULES};
    optind = 0;
    while (status < 0 && (option = getopt_long(argc, argv, "hV", long_options, NULL)) != -1)
        status = take_option(options, option);
    if (status < 0 && optind < argc)
        return complain("expected no argument: ", argv[optind]);
    return status;
}
