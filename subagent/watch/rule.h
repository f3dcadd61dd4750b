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
    bool is_special; /* its watches have more than those of plain rules */
    struct watch *watches;
    uint32_t raised; /* watches with an active alarm */
    bool starved;    /* there was no memory for one of its watches */
};

/* NULL: no memory. To be freed by free(3), once it has no watches. */
struct watch_rule *rule_new(const struct threshold_row *row);

/* Takes a changed row. False: the row makes it another rule, which must begin anew. */
bool rule_take_row(struct watch_rule *rule, const struct threshold_row *row);

/* The season of a rule on deviations: a day, if its row does not say. */
uint32_t rule_season_ms(const struct watch_rule *rule);

/* Whether it is on series of a node; NULL, NULL is this node. */
bool rule_is_on_node(const struct watch_rule *rule, const char *node, const char *group);

/* Whether it is on a series. */
bool rule_is_on(const struct watch_rule *rule, const struct series_view *view);

#endif
