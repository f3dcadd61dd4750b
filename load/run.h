/* A test as a run of dCAMP: by the name of the run, what the machine measured during the test can
 * be found again. The command dcamp begins and ends the run. */
#ifndef DCAMP_LOAD_RUN_H
#define DCAMP_LOAD_RUN_H

#include <stdbool.h>
#include <stddef.h>

#define RUN_TAGS_MAX 32

/* As given on the command line; NULL means the default of dcamp run. */
struct run_options {
    const char *name;      /* NULL: the test is not a run */
    const char *directory; /* of the history */
    const char *runs;      /* the directory of runs */
    const char *tags[RUN_TAGS_MAX];
    size_t n_tags;
};

/* Runs dcamp run start NAME, and waits for it. Returns false if it could not be started, which was
 * reported on standard error, or if it failed and reported that itself. */
bool run_start(const struct run_options *options);

/* Runs dcamp run stop NAME in the same way. Signals blocked by the caller stay blocked in it. */
bool run_stop(const struct run_options *options, bool is_interrupted);

#endif
