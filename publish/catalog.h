/* What a history has: its nodes, and the series of each. */
#ifndef DCAMP_PUBLISH_CATALOG_H
#define DCAMP_PUBLISH_CATALOG_H

#include <stddef.h>
#include <stdint.h>

struct history;

/* Texts are as nodes gave them: whoever prints them makes them harmless first. */
struct catalog_node {
    char
        *path; /* names with "/" in between, from the publishing node down; "": it is that itself */
    char *name;  /* of the node, as it was last known */
    char *group; /* "": none */
    size_t came; /* how many came before it, until they are sorted */
};
struct catalog_nodes {
    struct catalog_node *list; /* by path */
    size_t n, room;
};

struct catalog_series {
    char *sensor, *instance, *metric, *unit; /* the latter two as they were last */
    int64_t first_ms, last_ms; /* of what there is; of what is kept as hours only, of these.
                                * first_ms is larger than last_ms where there is nothing */
    size_t came;               /* as of nodes */
};
struct catalog_series_list {
    struct catalog_series *list; /* by sensor and instance */
    size_t n, room;
};

/* The list is to be released in either case. 0; ENOMEM; or another errno, where one of the files
 * could not be read: history_fault() says which, and what the others have is in the list. */
int catalog_nodes(struct history *history, struct catalog_nodes *nodes);
int catalog_series(struct history *history, const char *path, struct catalog_series_list *series);
void catalog_nodes_release(struct catalog_nodes *nodes);
void catalog_series_release(struct catalog_series_list *series);

/* Whether somebody who writes this means that node: its path, its name, the last name of its path,
 * or a pattern (fnmatch(3)) of one of these. */
int catalog_is_meant(const struct catalog_node *node, const char *text);

#endif
