/* A test as a run of dCAMP: what the machine measures meanwhile is found again by its name. It is
 * the command dcamp that begins and ends it. */
#ifndef DCAMP_LOAD_RUN_H
#define DCAMP_LOAD_RUN_H

#include <stdbool.h>
#include <stddef.h>

#define RUN_TAGS_MAX 32

/* As the command line says it; NULL: as dcamp run has it by default. */
struct run_options {
    const char *name;      /* NULL: the test is no run */
    const char *directory; /* of the history */
    const char *runs;      /* the directory of runs */
    const char *tags[RUN_TAGS_MAX];
    size_t n_tags;
};

/* dcamp run start NAME, and waits for it. False: it could not be started, which was said on the
 * standard error, or has failed and said so itself. */
bool run_start(const struct run_options *options);

/* dcamp run stop NAME, likewise. The signals that the caller has blocked stay blocked in it. */
bool run_stop(const struct run_options *options, bool is_interrupted);

#endif
