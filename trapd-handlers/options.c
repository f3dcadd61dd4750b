#include "trapd-handlers/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "trapd-handlers/once.h"
#include "trapd-handlers/stream.h"
#include "trapd-handlers/target.h"
#include "trapd-handlers/template.h"
#include "trapd-handlers/usage.h"

enum {
    OPT_STREAM = 256,
    OPT_FLUSH,
    OPT_STATUS,
    OPT_PRINT,
    OPT_SYSLOG,
    OPT_SPOOL,
    OPT_SPOOL_SIZE,
    OPT_SPOOL_AGE,
    OPT_NO_SYNC,
    OPT_HOST,
    OPT_SERVICE,
    OPT_CATCH_ALL,
    OPT_OBJECTS,
    OPT_COMMAND_FILE,
    OPT_HOST_CHECK,
    OPT_TRAP_FILE,
    OPT_ADDRESS,
    OPT_DATE,
    OPT_SERVER,
    OPT_ITEM,
    OPT_URL,
    OPT_CREDENTIALS,
    OPT_AUTHORITY,
    OPT_RESEND,
    OPT_HOLD,
    OPT_LABEL,
    OPT_FROM,
    OPT_SENDMAIL,
    OPT_SUBJECT
};

static const struct target_kind *const kinds[] = {&target_nagios, &target_icinga,
                                                  &target_zabbix, &target_alertmanager,
                                                  &target_mail,   &target_exec};

static int complain(const char *text, const char *what)
{
    fprintf(stderr, "dcamp-trap: %s%s\nTry 'dcamp-trap --help'.\n", text, what);
    return STATUS_USAGE;
}

static const struct target_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

/* Where the text of an option is stored; NULL if the option is more than a text. */
static const char **text_of(struct options *options, int option)
{
    switch (option) {
    case 'D':
        return &options->debug;
    case OPT_SPOOL:
        return &options->spool;
    case OPT_COMMAND_FILE:
        return &options->command_file;
    case OPT_OBJECTS:
        return &options->objects;
    case OPT_TRAP_FILE:
        return &options->trap_file;
    case OPT_DATE:
        return &options->date;
    case OPT_SERVER:
        return &options->server;
    case OPT_ITEM:
        return &options->item;
    case OPT_URL:
        return &options->url;
    case OPT_CREDENTIALS:
        return &options->credentials;
    case OPT_AUTHORITY:
        return &options->authority;
    case OPT_FROM:
        return &options->from;
    case OPT_SENDMAIL:
        return &options->sendmail;
    default:
        return NULL;
    }
}

static const char **template_of(struct options *options, int option)
{
    switch (option) {
    case OPT_HOST:
        return &options->host;
    case OPT_SERVICE:
        return &options->service;
    case OPT_CATCH_ALL:
        return &options->catch_all;
    case OPT_ADDRESS:
        return &options->address;
    case OPT_SUBJECT:
        return &options->subject;
    default:
        return NULL;
    }
}

static uint32_t *duration_of(struct options *options, int option)
{
    switch (option) {
    case OPT_SPOOL_AGE:
        return &options->spool_age_ms;
    case OPT_RESEND:
        return &options->resend_ms;
    case OPT_HOLD:
        return &options->hold_ms;
    case 't':
        return &options->timeout_ms;
    default:
        return NULL;
    }
}

static int take_value(struct options *options, int option)
{
    const char **text = text_of(options, option), **template = template_of(options, option), *at;
    uint32_t *duration = duration_of(options, option);
    if (text) {
        *text = optarg;
    } else if (template) {
        if (!template_check(optarg, &at))
            return complain("no such part of a name: ", at);
        *template = optarg;
    } else if (duration) {
        if (!text_to_millis(optarg, strlen(optarg), duration) || *duration == 0)
            return complain("expected a duration such as 10s: ", optarg);
    } else {
        return complain("internal: option without a place: ", "");
    }
    return -1;
}

static int take_size(struct options *options)
{
    char *end;
    errno = 0;
    unsigned long long size = strtoull(optarg, &end, 10);
    if (errno || *end != '\0' || optarg[0] < '0' || optarg[0] > '9' || size < 2 || size > 1 << 20)
        return complain("expected a number of MiB from 2 to 1048576: ", optarg);
    options->spool_size = size << 20;
    return -1;
}

static int take_label(struct options *options)
{
    const char *equals = strchr(optarg, '=');
    size_t len = equals ? (size_t)(equals - optarg) : 0;
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
                                  "0123456789";
    if (len == 0 || strspn(optarg, letters) != len || (optarg[0] >= '0' && optarg[0] <= '9'))
        return complain("expected NAME=VALUE: ", optarg);
    if (options->n_labels == OPTIONS_LABELS_MAX)
        return complain("too many labels: ", optarg);
    options->labels[options->n_labels++] = optarg;
    return -1;
}

static int take_option(struct options *options, int option)
{
    switch (option) {
    case OPT_STREAM:
        options->action = ACTION_STREAM;
        options->stream_path = optarg;
        return -1;
    case OPT_FLUSH:
        options->action = ACTION_FLUSH;
        return -1;
    case OPT_STATUS:
        options->action = ACTION_STATUS;
        return -1;
    case OPT_SYSLOG:
        options->to_syslog = true;
        return -1;
    case OPT_NO_SYNC:
        options->sync = SYNC_NEVER;
        return -1;
    case OPT_HOST_CHECK:
        options->host_check = true;
        return -1;
    case OPT_SPOOL_SIZE:
        return take_size(options);
    case OPT_LABEL:
        return take_label(options);
    case OPT_PRINT:
        fputs(stream_configuration, stdout);
        return STATUS_OK;
    case 'V':
        puts("dcamp-trap " PACKAGE_VERSION);
        return STATUS_OK;
    case 'h':
        fputs(usage_text, stdout);
        return STATUS_OK;
    case '?':
        fputs("Try 'dcamp-trap --help'.\n", stderr);
        return STATUS_USAGE;
    default:
        return take_value(options, option);
    }
}

static const struct option long_options[] = {
    {"stream", optional_argument, NULL, OPT_STREAM},
    {"flush", no_argument, NULL, OPT_FLUSH},
    {"status", no_argument, NULL, OPT_STATUS},
    {"print-snmptrapd-conf", no_argument, NULL, OPT_PRINT},
    {"syslog", no_argument, NULL, OPT_SYSLOG},
    {"debug", required_argument, NULL, 'D'},
    {"timeout", required_argument, NULL, 't'},
    {"spool", required_argument, NULL, OPT_SPOOL},
    {"spool-size", required_argument, NULL, OPT_SPOOL_SIZE},
    {"spool-age", required_argument, NULL, OPT_SPOOL_AGE},
    {"no-sync", no_argument, NULL, OPT_NO_SYNC},
    {"host", required_argument, NULL, OPT_HOST},
    {"service", required_argument, NULL, OPT_SERVICE},
    {"catch-all", required_argument, NULL, OPT_CATCH_ALL},
    {"objects", required_argument, NULL, OPT_OBJECTS},
    {"command-file", required_argument, NULL, OPT_COMMAND_FILE},
    {"host-check", no_argument, NULL, OPT_HOST_CHECK},
    {"trap-file", required_argument, NULL, OPT_TRAP_FILE},
    {"address", required_argument, NULL, OPT_ADDRESS},
    {"date", required_argument, NULL, OPT_DATE},
    {"server", required_argument, NULL, OPT_SERVER},
    {"item", required_argument, NULL, OPT_ITEM},
    {"url", required_argument, NULL, OPT_URL},
    {"credentials", required_argument, NULL, OPT_CREDENTIALS},
    {"ca", required_argument, NULL, OPT_AUTHORITY},
    {"resend", required_argument, NULL, OPT_RESEND},
    {"hold", required_argument, NULL, OPT_HOLD},
    {"label", required_argument, NULL, OPT_LABEL},
    {"from", required_argument, NULL, OPT_FROM},
    {"sendmail", required_argument, NULL, OPT_SENDMAIL},
    {"subject", required_argument, NULL, OPT_SUBJECT},
    {"version", no_argument, NULL, 'V'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

/* Checks which options and arguments belong together. */
static int check(const struct options *options)
{
    bool http = options->kind == &target_icinga || options->kind == &target_alertmanager;
    bool mail = options->kind == &target_mail, takes = mail || options->kind == &target_exec;
    if (http && !options->url)
        return complain("--url is missing", "");
    if (takes && options->n_arguments == 0)
        return complain(mail ? "expected receivers of mail" : "expected a program", "");
    if (!takes && options->n_arguments > 0)
        return complain("unexpected argument: ", options->arguments[0]);
    if (options->kind == &target_exec && options->arguments[0][0] != '/')
        return complain("expected the program's whole path: ", options->arguments[0]);
    return -1;
}

static void set_defaults(struct options *options)
{
    *options = (struct options){
        .spool_size = UINT64_C(64) << 20,
        .spool_age_ms = 7 * 24 * 3600 * 1000u,
        .timeout_ms = 5000,
        .resend_ms = 60000,
        .hold_ms = 24 * 3600 * 1000u,
        .host = "%n",
        .service = "dcamp %r",
        .catch_all = "dcamp other",
        .command_file = "/var/lib/nagios4/rw/nagios.cmd",
        .objects = "/var/lib/nagios4/objects.cache",
        .trap_file = "/tmp/zabbix_traps.tmp",
        .address = "%a",
        .date = "%H:%M:%S %Y/%m/%d",
        .item = "dcamp.trap",
        .sendmail = "/usr/sbin/sendmail",
        .subject = "[dCAMP] ",
    };
}

int options_parse(int argc, char **argv, struct options *options)
{
    int status = -1;
    set_defaults(options);
    /* '+': what follows the program of exec belongs to the program. */
    const char *name = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
    if (name && !(options->kind = find_kind(name)))
        return complain("no such target: ", name);
    optind = name ? 2 : 1;
    for (int c; status < 0 && (c = getopt_long(argc, argv, "+t:D:", long_options, NULL)) != -1;)
        status = take_option(options, c);
    if (status >= 0)
        return status;
    options->arguments = argv + optind;
    options->n_arguments = (size_t)(argc - optind);
    if (!options->kind)
        return complain("expected a target", "");
    return check(options);
}
