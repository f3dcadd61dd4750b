/* The agent of a node under a real master, in this process, with memory that fails.
 *
 *   scarce-agent SOCKET CONFIG STATE-DIR COMMAND... -- MAKE SHOW REMOVE
 *
 * For each allocation that the agent makes, this is done once without that one:
 *   - a session is opened and registered, and the master takes a notification over;
 *   - each COMMAND is run, a GET or GETNEXT: it prints what it prints with memory, or it fails;
 *   - MAKE is run, a SET: if it succeeds, what it made is on disk and SHOW succeeds; else neither.
 *
 * Prints one line for each, and exits with 1 at the first thing that is not so. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/dispatch.h"
#include "agent/notify.h"
#include "agent/tables.h"
#include "base/clock.h"
#include "daemon/dcampd.h"

#include "../unit/scarce.h"

#define ROUNDS_MAX 2000

struct bench {
    struct agentx_parameters parameters;
    struct agentx_events events;
    struct agentx *agentx;
    struct dispatch dispatch;
    struct dcampd *core;
    uint64_t
        ahead_ns; /* its clock is that of the machine and this: what is retried is retried now */
    bool told;    /* a notification was taken over */
    bool telling;
};

static void fail(const char *what, size_t nth, const char *more)
{
    printf("allocation %zu: %s %s\n", nth, what, more);
    exit(1);
}

static uint64_t bench_now(const struct bench *bench)
{
    return clock_mono_ns() + bench->ahead_ns;
}

/* -- What the session tells ------------------------------------------------------------------ */

static void on_request(void *context, struct agentx *agentx, netsnmp_pdu *pdu)
{
    struct bench *bench = context;
    dispatch_request(&bench->dispatch, agentx, pdu);
}

static void on_attached(void *context)
{
    (void)context;
}

static void on_notified(void *context, long error)
{
    struct bench *bench = context;
    bench->told |= error == 0;
    bench->telling = false;
}

static void on_detached(void *context)
{
    struct bench *bench = context;
    bench->telling = false;
    dispatch_reset(&bench->dispatch);
}

/* -- One round ------------------------------------------------------------------------------- */

/* As the agent's thread: only what it does itself is without memory. */
static void run_once(struct bench *bench)
{
    scarce_go_on();
    agentx_tick(bench->agentx, bench_now(bench));
    dispatch_tick(&bench->dispatch, bench->agentx);
    scarce_stop();
    struct pollfd fd = {.fd = agentx_fd(bench->agentx), .events = POLLIN};
    if (poll(&fd, 1, 2) > 0) {
        scarce_go_on();
        agentx_read(bench->agentx, bench_now(bench));
        scarce_stop();
    } else if (!agentx_ready(bench->agentx)) {
        bench->ahead_ns += NS_PER_S / 4;
    }
    if (bench->dispatch.commit) /* a SET waits until it is saved; nothing else needs the core */
        dcampd_cycle(bench->core, clock_now());
}

static bool is_saved(struct bench *bench)
{
    dcampd_lock(bench->core);
    bool dirty = dcampd_dirty(bench->core);
    dcampd_unlock(bench->core);
    return !dirty;
}

static void tell(struct bench *bench)
{
    static const struct notification notification = {
        .index = 17, .facts = {.kind = ALARM_OF_THRESHOLD, .event = ALARM_RAISED, .key = "k"}};
    if (bench->telling || !agentx_ready(bench->agentx))
        return;
    scarce_go_on();
    netsnmp_variable_list *varbinds = notify_varbinds(&notification, 0);
    bench->telling = varbinds && agentx_notify(bench->agentx, varbinds, bench_now(bench));
    scarce_stop();
}

static void await_ready(struct bench *bench, size_t nth)
{
    for (int i = 0; !agentx_ready(bench->agentx); i++) {
        if (i == ROUNDS_MAX)
            fail("the session is not opened again", nth, "");
        run_once(bench);
    }
}

static bool session_with(struct bench *bench, size_t nth)
{
    scarce_fail(nth);
    bench->agentx = agentx_new(&bench->parameters, &bench->events);
    scarce_stop();
    if (!bench->agentx)
        return true;
    bench->told = bench->telling = false;
    for (int i = 0; !bench->told; i++) {
        if (i == ROUNDS_MAX)
            fail("no notification is taken over", nth, "");
        tell(bench);
        run_once(bench);
    }
    scarce_go_on();
    agentx_free(bench->agentx);
    bench->agentx = NULL;
    return scarce_stop();
}

/* -- Requests -------------------------------------------------------------------------------- */

struct outcome {
    int status;
    char text[4096];
};

/* Runs a command of the shell, and serves what it asks the master for. */
static struct outcome serve(struct bench *bench, const char *command, size_t nth)
{
    struct outcome outcome = {.status = -1};
    int ends[2];
    size_t used = 0;
    ssize_t n = 1;
    await_ready(bench, nth);
    if (pipe(ends) != 0)
        fail("pipe", nth, "");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    scarce_fail(nth);
    scarce_stop();
    while (n > 0) {
        struct pollfd fd = {.fd = ends[0], .events = POLLIN};
        run_once(bench);
        if (poll(&fd, 1, 0) <= 0)
            continue;
        n = read(ends[0], outcome.text + used, sizeof outcome.text - 1 - used);
        used += n > 0 ? (size_t)n : 0;
    }
    close(ends[0]);
    waitpid(pid, &outcome.status, 0);
    return outcome;
}

static size_t read_with_all(struct bench *bench, const char *command)
{
    const struct outcome whole = serve(bench, command, 0);
    size_t nth = 1, refused = 0;
    if (whole.status != 0)
        fail("with memory it fails:", 0, whole.text);
    for (bool failed = true; failed; nth++) {
        const struct outcome outcome = serve(bench, command, nth);
        failed = scarce_stop();
        refused += outcome.status != 0;
        if (outcome.status == 0 && strcmp(outcome.text, whole.text) != 0)
            fail("another answer:", nth, outcome.text);
        if (outcome.status != 0 && !failed)
            fail("it is refused:", nth, outcome.text);
    }
    if (refused == 0)
        fail("nothing was refused", nth, command);
    return nth - 1;
}

/* What snmpd undoes it undoes after it has answered. */
static bool shows(struct bench *bench, const char *command, bool expected)
{
    bool shown = !expected;
    for (int i = 0; i < 20 && shown != expected; i++)
        shown = serve(bench, command, 0).status == 0;
    return shown;
}

static size_t set_with_all(struct bench *bench, char **commands)
{
    size_t nth = 1;
    for (bool failed = true; failed; nth++) {
        const struct outcome outcome = serve(bench, commands[0], nth);
        failed = scarce_stop();
        bool done = outcome.status == 0;
        if (!done && !failed)
            fail("it is refused:", nth, outcome.text);
        if (done && !is_saved(bench))
            fail("it is not on disk:", nth, outcome.text);
        if (shows(bench, commands[1], done) != done)
            fail(done ? "it is not done:" : "it is done:", nth, outcome.text);
        if (done && serve(bench, commands[2], 0).status != 0)
            fail("it cannot be taken back", nth, "");
    }
    return nth - 1;
}

int main(int argc, char **argv)
{
    char error[1024] = "";
    if (argc < 8)
        return 2;
    const struct dcampd_options options = {.config_path = argv[2], .state_dir = argv[3]};
    struct bench bench = {
        .parameters = {.socket = argv[1],
                       .ping_ns = 15 * NS_PER_S,
                       .timeout_ns = 10 * NS_PER_S,
                       .description = "scarce-agent"},
        .events = {on_request, on_attached, on_notified, on_detached, &bench},
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    bench.core = bench.dispatch.core = dcampd_new(&options, error);
    if (!bench.core || engine_open(&bench.dispatch.engine, dcamp_tables, dcamp_table_count))
        fail("it does not start:", 0, error);
    size_t nth = 1;
    while (session_with(&bench, nth))
        nth++;
    printf("sessions: %zu\n", nth);
    bench.agentx = agentx_new(&bench.parameters, &bench.events);
    int i = 4;
    for (; strcmp(argv[i], "--") != 0; i++)
        printf("%zu: %s\n", read_with_all(&bench, argv[i]), strrchr(argv[i], ':') + 1);
    printf("%zu: SET\n", set_with_all(&bench, &argv[i + 1]));
    agentx_free(bench.agentx);
    dcampd_free(bench.core);
    return 0;
}
