/* dcamp-load: puts load on programs and servers, as an expression says. dcamp load starts it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "load/arrivals.h"
#include "load/engine.h"
#include "load/options.h"
#include "load/report.h"
#include "load/run.h"

#define LOAD_INTERRUPTED(signal) (128 + (signal)) /* as a shell reports it */

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "dcamp-load: %s%s%s\n", what, what[0] ? ": " : "", why);
    return LOAD_FAILED;
}

static int fail_place(size_t line, size_t column, const char *text)
{
    fprintf(stderr, "dcamp-load: line %zu, column %zu: %s\n", line, column, text);
    return LOAD_USAGE;
}

/* On LOAD_OK, the scenario has to be released. */
static int parse(const char *expression, struct scenario *scenario)
{
    struct scenario_error error;
    int code = scenario_parse(scenario, expression, strlen(expression), &error);
    if (code == ENOMEM)
        return fail("", "out of memory");
    return code == 0 ? LOAD_OK : fail_place(error.line, error.column, error.text);
}

/* -- What is checked and made before the test ------------------------------------------------ */

static bool has_name(const struct scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->n_names; i++)
        if (strcmp(scenario->name[i].text, name) == 0)
            return true;
    return false;
}

/* An action that no operation uses has a misspelt name, or its name is missing. Returns LOAD_OK, or
 * the exit status after the fault was reported. */
static int check_actions(const struct options *options, const struct scenario *scenario)
{
    for (size_t i = 0; i < options->n_actions; i++) {
        const char *name = options->action[i].name;
        if (has_name(scenario, name))
            continue;
        if (strcmp(name, SCENARIO_ONCE) == 0)
            fputs("dcamp-load: an action without --operation: the expression has no once(), "
                  "loop(N) or loop(N,PAUSE)\n",
                  stderr);
        else
            fprintf(stderr, "dcamp-load: --operation %s: the expression has no once(%s)\n", name,
                    name);
        return LOAD_USAGE;
    }
    return LOAD_OK;
}

/* The action of each name, in the order of the names. Returns NULL if a name has none, or if memory
 * runs out; this was reported. */
static const struct action **choose_actions(const struct options *options,
                                            const struct scenario *scenario, int *status)
{
    const struct action **chosen = calloc(scenario->n_names, sizeof *chosen);
    if (!chosen)
        *status = fail("", "out of memory");
    for (uint32_t i = 0; chosen && i < scenario->n_names; i++) {
        const struct scenario_name *name = &scenario->name[i];
        char text[128];
        if ((chosen[i] = options_find(options, name->text)))
            continue;
        snprintf(text, sizeof text,
                 "there is no action for %s: expected --operation %s and its "
                 "action",
                 name->text, name->text);
        *status = fail_place(name->line, name->column, text);
        free(chosen);
        return NULL;
    }
    return chosen;
}

/* nohup(1), for example, ignores SIGHUP. If a signal that is ignored were blocked here, it would
 * arrive through the descriptor nevertheless. */
static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Lets signals arrive through a descriptor. Writing to a pipe or a socket that nobody reads gives
 * an error instead of a signal. SIGINT counts even if it is ignored, for a shell ignores it in what
 * a script starts in the background. Returns -1 with errno on an error. */
static int catch_signals(void)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    if (!is_ignored(SIGHUP))
        sigaddset(&ending, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &ending, NULL) != 0)
        return -1;
    return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

#define OTHER_FILES 50 /* open files other than those of workers */

/* A worker has a connection or a process, each of which needs a descriptor. */
static void warn_of_limit(const struct options *options, unsigned workers)
{
    struct rlimit limit;
    bool has_any = false;
    for (size_t i = 0; i < options->n_actions; i++)
        has_any = has_any || options->action[i].kind != ACTION_NOTHING;
    if (has_any && getrlimit(RLIMIT_NOFILE, &limit) == 0 && workers + OTHER_FILES > limit.rlim_cur)
        fprintf(stderr,
                "dcamp-load: %u workers at once need more than the %llu files that may be open "
                "here: operations may fail for that (ulimit -Hn)\n",
                workers, (unsigned long long)limit.rlim_cur);
}

/* Each connection needs a descriptor: the limit is raised to what the administrator allows. */
static void raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static unsigned workers_of(const struct options *options)
{
    if (options->workers > 0)
        return options->workers;
    return options->rate > 0 ? OPTIONS_OPEN_WORKERS : 1;
}

/* If the test begins with more workers than a ramp's default limit, the default is not applied. */
static double most_of(const struct options *options)
{
    if (options->most > 0)
        return options->most;
    if (options->rate > 0)
        return ARRIVALS_RATE_MAX;
    return workers_of(options) < OPTIONS_RAMP_WORKERS ? OPTIONS_RAMP_WORKERS : OPTIONS_WORKERS_MAX;
}

static struct ramp ramp_of(const struct options *options)
{
    return (struct ramp){.stage_ns = options->ramp_ms * NS_PER_MS,
                         .quantile = options->quantile,
                         .limit_s = options->limit_s,
                         .largest = most_of(options),
                         .is_whole = options->rate <= 0};
}

/* On NULL, why says why not. */
static struct data *data_of_command(const char *command, char why[FAILURE_TEXT])
{
    int error;
    struct data *data = NULL;
    char **words = action_split(command, &error);
    if (words)
        data = data_of_program(words, why);
    else
        strcpy(why,
               error == EINVAL ? "expected a command whose quotes are closed" : "out of memory");
    action_free_words(words);
    return data;
}

/* Signals are caught only after a file has been read: the file may be a FIFO that nobody writes to,
 * and then signals must end the program. A data program is started after that, so that it does not
 * outlive this one. Returns false after an error was reported. */
static bool open_inputs(const struct options *options, struct engine_load *load)
{
    char why[FAILURE_TEXT] = "";
    const char *what = options->data_file ? options->data_file : options->data_program;
    if (options->data_file)
        load->data = data_of_file(options->data_file, why);
    load->stop_fd = catch_signals();
    if (load->stop_fd < 0) {
        fail("signalfd", strerror(errno));
        return false;
    }
    if (options->data_program)
        load->data = data_of_command(options->data_program, why);
    if (what && !load->data)
        fail(what, why);
    return load->data || !what;
}

/* -- The test -------------------------------------------------------------------------------- */

/* Who is informed of the test, and the run that belongs to it. */
struct audience {
    struct report report;
    const struct run_options *run;
    bool is_begun; /* the run has been begun */
};

/* A test that cannot be done at all makes no run. */
static bool begin_run(void *context, char why[FAILURE_TEXT])
{
    struct audience *audience = context;
    if (!audience->run->name)
        return true;
    audience->is_begun = run_start(audience->run);
    if (!audience->is_begun)
        text_format(why, FAILURE_TEXT, "%s: the run was not started, and so no load",
                    audience->run->name);
    return audience->is_begun;
}

static bool tell_second(void *context, const struct engine_second *second, char why[FAILURE_TEXT])
{
    bool is_told = report_second(&((struct audience *)context)->report, second);
    if (!is_told)
        text_format(why, FAILURE_TEXT, "what is printed cannot be written: %s", strerror(errno));
    return is_told;
}

/* If the data program has failed, the data ended too early, and the test was broken off. */
static void note_failed_data(const struct options *options, const struct engine_load *load,
                             struct engine_result *result)
{
    char why[FAILURE_TEXT];
    if (result->is_data_ended && !result->why[0] && data_has_failed(load->data, why))
        text_format(result->why, sizeof result->why, "test data: %s: %s", options->data_program,
                    why);
}

static int tell(const struct options *options, const struct engine_load *load,
                struct report *report, struct engine_result *result)
{
    note_failed_data(options, load, result);
    bool is_told = report_result(report, load, result);
    if (result->is_data_ended)
        fprintf(stderr, "dcamp-load: there were no more test data: %s\n", options->data_program);
    if (result->why[0])
        return fail("broken off", result->why);
    if (!is_told)
        return fail("standard output", strerror(errno));
    return result->signal ? LOAD_INTERRUPTED(result->signal) : LOAD_OK;
}

static int run_engine(const struct options *options, const struct engine_load *load)
{
    struct audience audience = {
        .report = {.to = stdout,
                   .progress = isatty(STDERR_FILENO) ? stderr : NULL,
                   .is_json = options->json},
        .run = &options->run,
    };
    const struct engine_observer observer = {begin_run, tell_second, &audience};
    struct engine_result result;
    int code = engine_run(load, &observer, &result);
    int status = code != 0 ? fail("", result.why) : tell(options, load, &audience.report, &result);
    bool is_interrupted = code != 0 || result.signal != 0 || result.why[0];
    if (audience.is_begun && !run_stop(&options->run, is_interrupted)) {
        int failed = fail(options->run.name, "the run was not stopped");
        status = status == LOAD_OK ? failed : status;
    }
    engine_result_release(&result, load->scenario);
    return status;
}

static int run_with(const struct options *options, const struct scenario *scenario,
                    const struct action **actions)
{
    struct ramp ramp = ramp_of(options);
    struct engine_load load = {.scenario = scenario,
                               .action = actions,
                               .workers = workers_of(options),
                               .rate = options->rate,
                               .is_poisson = options->is_poisson,
                               .seed = options->seed,
                               .timeout_ns = options->timeout_ms * NS_PER_MS,
                               .duration_ns = options->duration_ms * NS_PER_MS,
                               .ramp = options->ramp_ms > 0 ? &ramp : NULL,
                               .application = options->application,
                               .stop_fd = -1};
    warn_of_limit(options, load.workers);
    int status = open_inputs(options, &load) ? run_engine(options, &load) : LOAD_FAILED;
    data_close(load.data);
    if (load.stop_fd >= 0)
        close(load.stop_fd);
    return status;
}

static int run(const struct options *options)
{
    struct scenario scenario;
    int status = parse(options->expression, &scenario);
    if (status != LOAD_OK)
        return status;
    if (options->check) {
        if (!report_count(stdout, &scenario, options->json))
            status = fail("standard output", strerror(errno));
    } else {
        const struct action **actions = choose_actions(options, &scenario, &status);
        if (actions)
            status = check_actions(options, &scenario);
        if (actions && status == LOAD_OK)
            status = run_with(options, &scenario, actions);
        free(actions);
    }
    scenario_release(&scenario);
    return status;
}

/* A parent may ignore the ends of its children, and this is inherited: then the exit status of a
 * program could not be read. */
int main(int argc, char **argv)
{
    struct options options;
    signal(SIGCHLD, SIG_DFL);
    int status = options_read(argc, argv, &options);
    if (status >= 0)
        return status;
    raise_limit();
    status = run(&options);
    options_release(&options);
    return status;
}
