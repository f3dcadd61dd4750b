/* One series of a node below that is relayed: what it is called here, and the list of the relayed
 * series of one child. Pure but for its memory. */
#ifndef DCAMP_RELAY_RELAYED_H
#define DCAMP_RELAY_RELAYED_H

#include "base/limits.h"
#include "children/child.h"
#include "filter/filter.h"
#include "report/pace.h"
#include "series/dictionary.h"

struct relay_rule;

/* Its texts except for the path belong to the name of the child's series, which it must not
 * outlive. */
struct relayed {
    struct dictionary_entry entry;
    struct relay_rule *rule;
    struct child_series *series;
    struct result result; /* the result that was last relayed */
    struct filter_state filter;
    char texts[]; /* the metric and the path: series/dictionary.h */
};

/* The relayed series of one child, by their numbers there. Places of series that have gone stay for
 * a while: when many go at once, the others would otherwise move up each time. */
struct relayed_place {
    uint32_t number;
    struct relayed *is; /* NULL: the series has gone */
};
struct relayed_list {
    struct relayed_place *at;
    uint32_t n;            /* how many there are */
    uint32_t used, room;   /* of places */
    uint32_t next;         /* the place after the last one that was found: blocks have the series in
                            * order */
    uint64_t pass;         /* the pass that part belongs to */
    struct pace_user part; /* how much of the pace it has used */
};

/* The path from here to the node that the series belongs to. False: the path is too long, or
 * contains a name twice or the name of this node; that happens where nodes relay to each other in a
 * circle, which would never end. */
bool relayed_path(const struct child_series *series, const char *node, char path[ALARM_PATH_SIZE]);

/* Makes one that is in the list, but in no dictionary. NULL: no memory. */
struct relayed *relayed_new(struct relayed_list *list, struct child_series *series,
                            const char *path);

/* NULL: the series is not relayed. */
struct relayed *relayed_find(struct relayed_list *list, const struct child_series *series);

/* Takes it out of the list and frees it. */
void relayed_free(struct relayed_list *list, struct relayed *relayed);

#endif
