/* An active row of dcampThresholdTable at run time. */
#ifndef DCAMP_WATCH_RULE_H
#define DCAMP_WATCH_RULE_H

#include "config/config.h"
#include "series/observer.h"

struct watch_rule {
    struct index_node node; /* key: name */
    uint32_t key[NAME_SIZE];
    struct threshold_row row; /* a copy */
    struct threshold_levels levels;
    struct damper_rule damper;
    bool of_children;
    bool is_special; /* its watches have more than plain ones */
    struct watch *watches;
    uint32_t raised; /* watches with an active alarm */
    bool starved;    /* there was no memory for a watch */
};

/* NULL: no memory. Freed by free(3), once it has no watches. */
struct watch_rule *rule_new(const struct threshold_row *row);

/* False: the row is another rule, which begins anew. */
bool rule_take_row(struct watch_rule *rule, const struct threshold_row *row);

/* The season of a rule on deviations: a day, if its row does not say. */
uint32_t rule_season_ms(const struct watch_rule *rule);

/* Whether it is on series of a node: NULL, NULL is this one. */
bool rule_is_on_node(const struct watch_rule *rule, const char *node, const char *group);

/* Whether it is on a series. */
bool rule_is_on(const struct watch_rule *rule, const struct series_view *view);

#endif
