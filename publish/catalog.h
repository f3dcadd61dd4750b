/* What a history has: its nodes, and the series of each. */
#ifndef DCAMP_PUBLISH_CATALOG_H
#define DCAMP_PUBLISH_CATALOG_H

#include <stddef.h>
#include <stdint.h>

struct history;

/* Texts are as nodes gave them: whoever prints them must make them harmless first. */
struct catalog_node {
    char
        *path; /* names with "/" in between, from the publishing node down; "" is that one itself */
    char *name;  /* of the node, as it was last known */
    char *group; /* "": none */
    size_t came; /* how many came before it; used for sorting */
};
struct catalog_nodes {
    struct catalog_node *list; /* by path */
    size_t n, room;
};

struct catalog_series {
    char *sensor, *instance, *metric, *unit; /* metric and unit are the latest */
    int64_t first_ms, last_ms; /* of its values; where only hours are kept, of these. If there is
                                  nothing, first_ms is larger than last_ms */
    size_t came;               /* as in struct catalog_node */
};
struct catalog_series_list {
    struct catalog_series *list; /* by sensor and instance */
    size_t n, room;
};

/* The list is to be released in any case. 0; ENOMEM; or another errno if one of the files could not
 * be read: history_fault() says which, and the list has what the other files have. */
int catalog_nodes(struct history *history, struct catalog_nodes *nodes);
int catalog_series(struct history *history, const char *path, struct catalog_series_list *series);
void catalog_nodes_release(struct catalog_nodes *nodes);
void catalog_series_release(struct catalog_series_list *series);

/* Whether this text means that node: it is its path, its name, the last name of its path, or a
 * pattern (fnmatch(3)) that matches one of these. */
int catalog_is_meant(const struct catalog_node *node, const char *text);

#endif
