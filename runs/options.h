/* The command line of dcamp-runs. dcamp run and dcamp compare start it with the words that they
 * were given. */
#ifndef DCAMP_RUNS_OPTIONS_H
#define DCAMP_RUNS_OPTIONS_H

#include "runs/folder.h"

/* Exit status. */
enum { RUNS_ALIKE = 0, RUNS_SLOWER = 1, RUNS_CUT = 1, RUNS_USAGE = 2, RUNS_FAILED = 5 };

enum runs_action { RUNS_START, RUNS_STOP, RUNS_LIST, RUNS_DELETE, RUNS_COMPARE };

struct options {
    enum runs_action action;
    const char *name, *other;       /* of runs; NULL if not given */
    char folder[FOLDER_PATH_SIZE];  /* of the runs */
    const char *directory;          /* of the history; NULL if not given */
    const char *nodes, *map, *html; /* as given, or NULL */
    const char *tags[RUN_TAGS_MAX]; /* "KEY=VALUE" */
    size_t n_tags;
    bool is_json, is_interrupted, has_all;
    unsigned wait_s;
    double limit, level; /* percent; 0 to 1 */
    unsigned statistics; /* compare_bit() */
    uint64_t seed;
};

/* Returns -1 to go on; otherwise the exit status, after an error or the version was printed. */
int options_read(int argc, char **argv, struct options *options);

#endif
