/* check_dcamp: one check of a dCAMP node by the guidelines of the Monitoring Plugins. This file has
 * arguments, time-out and exit status; options.h has what can be asked, judge.h what comes out. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "plugins/run.h"

/* Nagios cuts the output of plugins off at 8 KB. */
#define LINES_MAX 40

/* Requests end so long before the time-out; the rest is for printing the result. */
#define RESERVE (NS_PER_S / 10)

/* What is printed when a resolver takes too long; the library's own waits all have a deadline. */
static char too_late[512];
static volatile sig_atomic_t too_late_status;

static void on_alarm(int signal)
{
    (void)signal;
    ssize_t written = write(STDOUT_FILENO, too_late, strlen(too_late));
    _exit(written < 0 ? STATUS_UNKNOWN : too_late_status);
}

static void set_alarm(const struct options *options)
{
    text_format(too_late, sizeof too_late, "DCAMP %s: %s: no answer within %u s\n",
                status_name(options->silent), options->login.address.host, options->timeout_s);
    too_late_status = (int)options->silent;
    signal(SIGALRM, on_alarm);
    alarm(options->timeout_s);
}

static void say_how(const struct run *run, const char *address, uint64_t started)
{
    unsigned requests, varbinds;
    client_counts(run->client, &requests, &varbinds);
    result_line(run->result, "%s as %s: %u requests, %u values, %.1f ms", address,
                run->options->login.credential.user, requests, varbinds,
                (double)(clock_mono_ns() - started) / (double)NS_PER_MS);
}

static void check(const struct options *options, struct result *result)
{
    static void (*const modes[])(struct run *) = {[MODE_SENSOR] = mode_values,
                                                  [MODE_AGGREGATE] = mode_values,
                                                  [MODE_ALARMS] = mode_alarms,
                                                  [MODE_TREE] = mode_tree,
                                                  [MODE_FRESHNESS] = mode_freshness};
    char address[PEER_ADDRESS_SIZE];
    uint64_t started = clock_mono_ns();
    uint64_t deadline = started + options->timeout_s * NS_PER_S - RESERVE;
    const char *why = address_resolve(&options->login.address, address);
    if (why) {
        result_worsen(result, STATUS_UNKNOWN);
        result_summary(result, "%s: %s", options->login.address.host, why);
        return;
    }
    struct run run = {options, client_new(address, &options->login.credential, deadline), result};
    if (!run.client) {
        run_no_memory(&run);
        return;
    }
    if (options->verbose >= 3)
        client_trace(run.client, stderr);
    modes[options->mode](&run);
    if (options->verbose >= 2)
        say_how(&run, address, started);
    client_free(run.client);
}

int main(int argc, char **argv)
{
    static struct options options; /* contains secrets, which are overwritten below */
    struct result result;
    char error[512];
    switch (options_read(argc, argv, &options, error)) {
    case OPTIONS_HELP: /* for these two, the guidelines want UNKNOWN: no check was made */
        options_help(stdout);
        return STATUS_UNKNOWN;
    case OPTIONS_VERSION:
        puts("check_dcamp v" PACKAGE_VERSION " (dcamp " PACKAGE_VERSION ")");
        return STATUS_UNKNOWN;
    case OPTIONS_BAD:
        printf("DCAMP UNKNOWN: %s (check_dcamp --help)\n", error);
        return STATUS_UNKNOWN;
    case OPTIONS_GOOD:
        break;
    }
    if (!result_init(&result, options.verbose > 0 ? UINT32_MAX : LINES_MAX)) {
        puts("DCAMP UNKNOWN: no memory");
        return STATUS_UNKNOWN;
    }
    set_alarm(&options);
    check(&options, &result);
    alarm(0); /* so that the result is printed whole, and nothing after it */
    explicit_bzero(&options.login.credential, sizeof options.login.credential);
    result_print(&result, stdout);
    enum status status = result.status;
    result_free(&result);
    if (fflush(stdout) != 0)
        return STATUS_UNKNOWN;
    return (int)status;
}
