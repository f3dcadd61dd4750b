/* One series of a node below that is relayed: what it is called here, and the list of those of one
 * child. Pure but for its memory. */
#ifndef DCAMP_RELAY_RELAYED_H
#define DCAMP_RELAY_RELAYED_H

#include "base/limits.h"
#include "children/child.h"
#include "filter/filter.h"
#include "report/pace.h"
#include "series/dictionary.h"

struct relay_rule;

/* Its texts but the path are those of the name of the child's series, which it does not outlive. */
struct relayed {
    struct dictionary_entry entry;
    struct relay_rule *rule;
    struct child_series *series;
    struct result result; /* the latest that was relayed */
    struct filter_state filter;
    char texts[]; /* the metric and the path: series/dictionary.h */
};

/* Those of one child, by their numbers there. Places of those that have gone stay for a while: when
 * many go at once, the others would move up each time. */
struct relayed_place {
    uint32_t number;
    struct relayed *is; /* NULL: it has gone */
};
struct relayed_list {
    struct relayed_place *at;
    uint32_t n;          /* that are there */
    uint32_t used, room; /* places */
    uint32_t next;       /* where the one after the last one found is: blocks have them in order */
    uint64_t pass;       /* to which the part belongs */
    struct pace_user part; /* what it has had of the pace */
};

/* The path from here of the node that the series is of. False: it is too long, or has a name twice,
 * or that of this node, as where nodes relay to each other in a circle: nothing would end it. */
bool relayed_path(const struct child_series *series, const char *node, char path[ALARM_PATH_SIZE]);

/* NULL: no memory. It is in the list, and in no dictionary. */
struct relayed *relayed_new(struct relayed_list *list, struct child_series *series,
                            const char *path);

/* NULL: the series is not relayed. */
struct relayed *relayed_find(struct relayed_list *list, const struct child_series *series);

/* Takes it out of the list and frees it. */
void relayed_free(struct relayed_list *list, struct relayed *relayed);

#endif
