/* Where dcamp history and dcamp plot find what they are asked for: the files, the nodes and the
 * series in them. */
#ifndef DCAMP_CLI_RECALL_H
#define DCAMP_CLI_RECALL_H

#include <stddef.h>

#include "cli/question.h"
#include "publish/catalog.h"

struct history;

#define RECALL_PATH_SIZE 4096

struct recall {
    struct question *question;
    struct history *history;
    char directory[RECALL_PATH_SIZE]; /* of its files */
    struct catalog_nodes nodes;
    const struct catalog_node **chosen; /* of the nodes */
    const char **paths;                 /* the paths of these */
    size_t n_chosen;
};

/* Opens the files: those of --directory, or those where the node that is asked says they are.
 * False: status says why, here and in all functions below. It must be closed in either case. */
bool recall_open(struct recall *recall, struct question *question);
void recall_close(struct recall *recall);

/* Chooses nodes: names, paths or patterns with commas between. */
bool recall_choose(struct recall *recall, const char *text);

/* Finds a series that the chosen nodes have, with its names. instance NULL: the only one that there
 * is, or "total". The series must be released. */
bool recall_find(struct recall *recall, const char *sensor, const char *instance,
                 struct catalog_series *series);
void recall_release(struct catalog_series *series);

/* Takes what a function of publish/ has returned. That a file could not be read is told once, and
 * the status is then EXIT_CUT. False: it is no use to go on. */
bool recall_check(struct recall *recall, int error);

/* How a node is called: by its path or, if that is empty, by its name. */
const char *recall_name(const struct catalog_node *node);

#endif
