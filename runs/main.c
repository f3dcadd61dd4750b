/* dcamp-runs does what dcamp run and dcamp compare do, which start it with their words and
 * options. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/text.h"
#include "publish/history.h"
#include "runs/compare.h"
#include "runs/copy.h"
#include "runs/options.h"
#include "runs/page.h"
#include "runs/print.h"

#define LOOK_NS 200000000 /* pause between two looks at how far the history has come */

static int fail(int status, const char *error)
{
    fputs("dcamp: ", stderr);
    print_clean(error, stderr);
    putc('\n', stderr);
    return status;
}

static int fail_of(int status, const char *what, const char *error)
{
    char text[FOLDER_PATH_SIZE + RUN_ERROR_SIZE];
    text_format(text, sizeof text, "%s: %s", what, error);
    return fail(status, text);
}

/* -- start ----------------------------------------------------------------------------------- */

static bool fill_tags(const struct options *options, struct run *run)
{
    for (size_t i = 0; i < options->n_tags; i++) {
        size_t key = strcspn(options->tags[i], "=");
        run->tags[run->n_tags++] =
            (struct run_tag){strndup(options->tags[i], key), strdup(options->tags[i] + key + 1)};
        if (!run->tags[i].key || !run->tags[i].value)
            return false;
    }
    return true;
}

static int start_run(const struct options *options)
{
    char path[FOLDER_PATH_SIZE], error[RUN_ERROR_SIZE];
    struct run run = {.start_ms = clock_now().wall_ms};
    int code;
    if (!run_is_name(options->name))
        return fail_of(RUNS_USAGE, options->name,
                       "a name is up to 64 letters, digits, '.', '_' and '-'");
    char *directory = realpath(
        options->directory ? options->directory : DCAMP_PUBLISH_STATE_DIR "/history", NULL);
    struct history *history = directory ? history_open(directory, &code) : NULL;
    code = directory && history ? 0 : directory ? code : errno;
    if (code || (code = folder_make(options->folder))) {
        const char *what = history              ? options->folder
                           : options->directory ? options->directory
                                                : DCAMP_PUBLISH_STATE_DIR "/history";
        code = fail_of(RUNS_USAGE, what, strerror(code));
    } else {
        text_format(run.name, sizeof run.name, "%s", options->name);
        folder_find(options->folder, options->name, path);
        struct run_file *file =
            fill_tags(options, &run) ? run_file_create(path, &run, directory, error) : NULL;
        code = file ? RUNS_ALIKE
                    : fail(RUNS_USAGE, run.n_tags == options->n_tags ? error : "no memory");
        run_file_close(file);
    }
    run_release(&run);
    history_close(history);
    free(directory);
    return code;
}

/* -- stop ------------------------------------------------------------------------------------ */

struct stopping {
    const struct options *options;
    struct run run;
    struct run_file *file;
    char *directory;
};

/* Finds the name of the only run that is not stopped. Returns -1 if there is exactly one, otherwise
 * the exit status. */
static int find_started(const struct options *options, char name[RUN_NAME_MAX + 1])
{
    char **names, path[FOLDER_PATH_SIZE], error[RUN_ERROR_SIZE];
    size_t n, found = 0;
    int code = folder_list(options->folder, &names, &n);
    for (size_t i = 0; i < n; i++) {
        struct run run;
        folder_find(options->folder, names[i], path);
        struct run_file *file = run_file_open(path, false, error);
        if (file && run_file_read(file, false, &run, NULL, error)) {
            found += !run_is_whole(&run);
            if (!run_is_whole(&run))
                text_format(name, RUN_NAME_MAX + 1, "%s", names[i]);
        }
        if (file)
            run_release(&run);
        run_file_close(file);
        free(names[i]);
    }
    free(names);
    if (code)
        return fail_of(RUNS_FAILED, options->folder, strerror(code));
    if (found == 1)
        return -1;
    return fail_of(RUNS_USAGE, options->folder,
                   found == 0 ? "no run was started" : "several runs were started: stop NAME");
}

/* Waits until the history has come to the end of the run, or until the time for that is over. */
static int wait_for_history(const struct stopping *stopping, struct copy_lag *lag)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    uint64_t until_ns = clock_mono_ns() + stopping->options->wait_s * NS_PER_S;
    for (;;) {
        int error;
        struct history *history = history_open(stopping->directory, &error);
        if (history)
            error = copy_look(history, stopping->run.start_ms, stopping->run.stop_ms, lag);
        history_close(history);
        if (error == ENOMEM || !history || lag->nodes + lag->records == 0 ||
            clock_mono_ns() >= until_ns)
            return history || error == ENOMEM ? error == ENOMEM ? ENOMEM : 0 : error;
        nanosleep(&pause, NULL);
    }
}

static int tell_stop(const struct stopping *stopping, const struct copy_lag *lag, size_t series,
                     const char *warning)
{
    char error[RUN_ERROR_SIZE];
    if (*warning) {
        text_format(error, sizeof error, "%.400s; its data are missing in the run", warning);
        fail(RUNS_CUT, error);
    }
    if (series == 0)
        return fail_of(RUNS_CUT, stopping->run.name,
                       "the history has nothing of its time: the run is empty");
    if (lag->nodes > 0) {
        text_format(error, sizeof error,
                    "the history has not come to the end of the run: of %.200s the last %.1f s are "
                    "missing%s",
                    lag->node, (double)(stopping->run.stop_ms - lag->last_ms) / 1e3,
                    lag->nodes > 1 ? ", and of others" : "");
        return fail_of(RUNS_CUT, stopping->run.name, error);
    }
    if (lag->records > 0) {
        text_format(error, sizeof error,
                    "the history has not come to the end of the run: of %.200s records of the last "
                    "%.1f s may be missing",
                    lag->records_node, (double)(stopping->run.stop_ms - lag->records_ms) / 1e3);
        return fail_of(RUNS_CUT, stopping->run.name, error);
    }
    return *warning ? RUNS_CUT : RUNS_ALIKE;
}

static int copy(struct stopping *stopping)
{
    char error[RUN_ERROR_SIZE], warning[RUN_ERROR_SIZE];
    struct copy_lag lag;
    size_t series = 0;
    int code = wait_for_history(stopping, &lag);
    if (code)
        return fail_of(RUNS_FAILED, stopping->directory, strerror(code));
    struct history *history = history_open(stopping->directory, &code);
    if (!history)
        return fail_of(RUNS_FAILED, stopping->directory, strerror(code));
    bool good = copy_run(history, &stopping->run, stopping->options->nodes, stopping->file,
                         stopping->options->is_interrupted ? RUN_INTERRUPTED : RUN_STOPPED, &series,
                         warning, error);
    history_close(history);
    return good ? tell_stop(stopping, &lag, series, warning) : fail(RUNS_FAILED, error);
}

/* The end of the run is the time of the first stop: if that stop was cut short, this one goes on
 * with the same end. */
static int stop_file(struct stopping *stopping, const char *path)
{
    char error[RUN_ERROR_SIZE];
    struct run *run = &stopping->run;
    int64_t now_ms = clock_now().wall_ms;
    stopping->file = run_file_open(path, true, error);
    if (!stopping->file || !run_file_read(stopping->file, false, run, &stopping->directory, error))
        return fail(RUNS_USAGE, error);
    if (run_is_whole(run))
        return fail_of(RUNS_USAGE, run->name, "the run was stopped before");
    if (stopping->options->directory) {
        free(stopping->directory);
        stopping->directory = strdup(stopping->options->directory);
    }
    if (!stopping->directory)
        return fail(RUNS_FAILED, "no memory");
    if (run->state == RUN_STARTED) {
        run->stop_ms = now_ms > run->start_ms ? now_ms : run->start_ms;
        if (!run_file_stop(stopping->file, run->stop_ms, error))
            return fail(RUNS_FAILED, error);
    }
    return copy(stopping);
}

static int stop_run(const struct options *options)
{
    char name[RUN_NAME_MAX + 1], path[FOLDER_PATH_SIZE];
    struct stopping stopping = {.options = options};
    int code = options->name ? -1 : find_started(options, name);
    if (code >= 0)
        return code;
    if (!folder_find(options->folder, options->name ? options->name : name, path))
        return fail_of(RUNS_USAGE, options->name, "no name of a run");
    code = stop_file(&stopping, path);
    run_file_close(stopping.file);
    run_release(&stopping.run);
    free(stopping.directory);
    return code;
}

/* -- list and delete ------------------------------------------------------------------------- */

static void print_line(const struct run *run)
{
    char start[DECIMAL_SIZE];
    date_to_text(start, run->start_ms);
    printf("%-20s %-20s ", run->name, start);
    if (run->state == RUN_STARTED)
        printf("%10s", "-");
    else
        printf("%8.1f s", (double)(run->stop_ms - run->start_ms) / 1e3);
    printf("  %s", run_state_name(run->state));
    for (size_t i = 0; i < run->n_tags; i++) {
        fputs("  ", stdout);
        print_clean(run->tags[i].key, stdout);
        putchar('=');
        print_clean(run->tags[i].value, stdout);
    }
    putchar('\n');
}

static void print_object(const struct run *run)
{
    json_t *tags = json_object();
    for (size_t i = 0; i < run->n_tags; i++)
        json_object_set_new(tags, run->tags[i].key, json_string(run->tags[i].value));
    json_t *object = json_pack(
        "{s:s, s:s, s:I, s:o, s:o?}", "name", run->name, "state", run_state_name(run->state),
        "start", (json_int_t)run->start_ms, "stop",
        run->state == RUN_STARTED ? json_null() : json_integer(run->stop_ms), "tags", tags);
    if (object)
        json_dumpf(object, stdout, JSON_COMPACT);
    json_decref(object);
    putchar('\n');
}

/* A file that is not a run is reported, and the others are still listed. */
static int list_one(const struct options *options, const char *name)
{
    char path[FOLDER_PATH_SIZE], error[RUN_ERROR_SIZE];
    struct run run = {0};
    folder_find(options->folder, name, path);
    struct run_file *file = run_file_open(path, false, error);
    bool good = file && run_file_read(file, false, &run, NULL, error);
    if (good)
        (options->is_json ? print_object : print_line)(&run);
    run_release(&run);
    run_file_close(file);
    return good ? RUNS_ALIKE : fail(RUNS_CUT, error);
}

static int list_runs(const struct options *options)
{
    char **names;
    size_t n;
    int status = RUNS_ALIKE, code = folder_list(options->folder, &names, &n);
    if (code)
        fail_of(RUNS_FAILED, options->folder, strerror(code));
    for (size_t i = 0; i < n; i++) {
        if (list_one(options, names[i]) != RUNS_ALIKE)
            status = RUNS_CUT;
        free(names[i]);
    }
    free(names);
    return code ? RUNS_FAILED : status;
}

/* A path may name anything, so only the file of a run is deleted. In the directory of runs, a
 * broken file is deleted, too. */
static int delete_run(const struct options *options)
{
    char path[FOLDER_PATH_SIZE], error[RUN_ERROR_SIZE];
    if (!folder_find(options->folder, options->name, path))
        return fail_of(RUNS_USAGE, options->name, "no name of a run");
    struct run_file *file =
        folder_is_path(options->name) ? run_file_open(path, false, error) : NULL;
    if (folder_is_path(options->name) && !file)
        return fail(RUNS_USAGE, error);
    run_file_close(file);
    return unlink(path) == 0 ? RUNS_ALIKE : fail_of(RUNS_USAGE, path, strerror(errno));
}

/* -- compare --------------------------------------------------------------------------------- */

static bool read_run(const struct options *options, const char *name, struct run *run)
{
    char path[FOLDER_PATH_SIZE], error[RUN_ERROR_SIZE];
    *run = (struct run){0};
    if (!folder_find(options->folder, name, path)) {
        fail_of(RUNS_USAGE, name, "no name of a run");
        return false;
    }
    struct run_file *file = run_file_open(path, false, error);
    bool good = file && run_file_read(file, true, run, NULL, error);
    run_file_close(file);
    if (!good)
        fail(RUNS_USAGE, error);
    else if (!run_is_whole(run))
        fail_of(RUNS_USAGE, run->name, "the run is not stopped: dcamp run stop");
    return good && run_is_whole(run);
}

static bool write_all(const struct options *options, const struct print_subject *subject)
{
    char error[PAGE_ERROR_SIZE];
    if (options->html && !page_write(subject, options->html, error)) {
        fail(RUNS_FAILED, error);
        return false;
    }
    bool good = options->is_json ? print_json(subject, stdout)
                                 : print_text(subject, options->has_all, stdout);
    if (!good)
        fail(RUNS_FAILED, "no memory");
    return good;
}

static int compare(const struct options *options)
{
    struct run a, b = {0};
    struct comparison comparison = {0};
    char error[COMPARE_ERROR_SIZE];
    const struct compare_settings settings = {.map = options->map,
                                              .level = options->level,
                                              .limit = options->limit,
                                              .statistics = options->statistics,
                                              .seed = options->seed};
    const struct print_subject subject = {&a, &b, &comparison, &settings};
    int status = RUNS_USAGE;
    if (!read_run(options, options->name, &a) || !read_run(options, options->other, &b))
        status = RUNS_USAGE;
    else if (!compare_runs(&a, &b, &settings, &comparison, error))
        fail(RUNS_USAGE, error);
    else if (!write_all(options, &subject))
        status = RUNS_FAILED;
    else
        status = comparison.n_slower > 0    ? RUNS_SLOWER
                 : comparison.n_judged == 0 ? RUNS_USAGE
                                            : RUNS_ALIKE;
    compare_release(&comparison);
    run_release(&a);
    run_release(&b);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    static int (*const actions[])(const struct options *) = {[RUNS_START] = start_run,
                                                             [RUNS_STOP] = stop_run,
                                                             [RUNS_LIST] = list_runs,
                                                             [RUNS_DELETE] = delete_run,
                                                             [RUNS_COMPARE] = compare};
    int status = options_read(argc, argv, &options);
    if (status < 0)
        status = actions[options.action](&options);
    if (fflush(stdout) != 0 || ferror(stdout))
        return fail_of(RUNS_FAILED, "the output is not complete", strerror(errno));
    return status;
}
