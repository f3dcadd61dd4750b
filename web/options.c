#include "web/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/hostport.h"

enum { OPT_PAGE = 256, OPT_HOST, OPT_TOKEN, OPT_USER_HEADER, OPT_SYSLOG };

static const char usage[] =
    "usage: dcamp-web [OPTION]...\n"
    "\n"
    "Shows the history that dcamp-publish keeps, as a page and as JSON: see dcamp-web(8).\n"
    "\n"
    "  -d, --directory DIR       the history (default: " DCAMP_PUBLISH_STATE_DIR "/history"
    ")\n"
    "  -l, --listen ADDRESS      HOST or HOST:PORT (default: 127.0.0.1:" WEB_PORT ")\n"
    "      --host NAME           a name under which browsers ask for this server, up to 8 times\n"
    "      --token FILE          a file with the line 'token TEXT': who asks must know it\n"
    "      --user-header NAME    the header by which a proxy in front says who asks\n"
    "      --page DIR            the files of the page (default: " DCAMP_PAGE_DIR ")\n"
    "      --syslog              log to syslog, not to standard error\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Whoever can connect to an address of loopback may read, unless there is a token or a proxy; "
    "at\n"
    "any other address one of these is needed.\n";

static int complain(const char *what, const char *text)
{
    fprintf(stderr, "dcamp-web: %s%s (dcamp-web --help)\n", what, text);
    return WEB_USAGE;
}

static int take_host(struct options *options)
{
    struct hostport parts;
    if (!hostport_split(optarg, &parts) || parts.host_len == 0 || parts.port)
        return complain("expected a name without a port: ", optarg);
    if (options->n_hosts == sizeof options->hosts / sizeof *options->hosts)
        return complain("too many names: ", optarg);
    options->hosts[options->n_hosts++] = optarg;
    return -1;
}

static int take_token(struct options *options)
{
    char error[512];
    if (!credentials_read(optarg, &options->credentials, error)) {
        fprintf(stderr, "dcamp-web: %s\n", error);
        return WEB_USAGE;
    }
    if (!options->credentials.token[0])
        return complain("there is no line 'token TEXT' in it: ", optarg);
    options->has_token = true;
    return -1;
}

static int take_header(struct options *options)
{
    size_t len = strlen(optarg);
    if (len == 0 || strspn(optarg, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789-") != len)
        return complain("expected the name of a header: ", optarg);
    options->user_header = optarg;
    return -1;
}

static int take_option(struct options *options, int option)
{
    switch (option) {
    case 'd':
        options->directory = optarg;
        return -1;
    case 'l':
        options->listen = optarg;
        return -1;
    case OPT_HOST:
        return take_host(options);
    case OPT_TOKEN:
        return take_token(options);
    case OPT_USER_HEADER:
        return take_header(options);
    case OPT_PAGE:
        options->page = optarg;
        return -1;
    case OPT_SYSLOG:
        options->to_syslog = true;
        return -1;
    case 'h':
        fputs(usage, stdout);
        return fflush(stdout) == 0 ? WEB_OK : WEB_FAILED;
    case 'V':
        puts("dcamp-web " PACKAGE_VERSION);
        return fflush(stdout) == 0 ? WEB_OK : WEB_FAILED;
    default: /* getopt_long(3) has printed the error */
        return WEB_USAGE;
    }
}

int options_parse(int argc, char **argv, struct options *options)
{
    static const struct option long_options[] = {
        {"directory", required_argument, NULL, 'd'},
        {"listen", required_argument, NULL, 'l'},
        {"host", required_argument, NULL, OPT_HOST},
        {"token", required_argument, NULL, OPT_TOKEN},
        {"user-header", required_argument, NULL, OPT_USER_HEADER},
        {"page", required_argument, NULL, OPT_PAGE},
        {"syslog", no_argument, NULL, OPT_SYSLOG},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    int option, status = -1;
    *options = (struct options){.directory = DCAMP_PUBLISH_STATE_DIR "/history",
                                .page = DCAMP_PAGE_DIR,
                                .listen = "127.0.0.1:" WEB_PORT};
    optind = 0;
    while (status < 0 && (option = getopt_long(argc, argv, "d:l:hV", long_options, NULL)) != -1)
        status = take_option(options, option);
    if (status < 0 && optind < argc)
        return complain("expected no argument: ", argv[optind]);
    return status;
}
