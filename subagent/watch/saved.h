/* What the state file says of watches, by the names of what they are on. */
#ifndef DCAMP_WATCH_SAVED_H
#define DCAMP_WATCH_SAVED_H

#include "config/state.h"
#include "watch/rule.h"

/* The names under which a watch of a rule on a series is saved; its state apart. */
struct saved_series saved_name(const struct watch_rule *rule, const struct series_view *view);

/* The order of such names: less than, equal to or more than 0. */
int saved_compare(const struct saved_series *a, const struct saved_series *b);

/* Puts what was read in the order that saved_find needs. */
void saved_sort(struct state *state);

/* NULL: there is nothing, or it was taken already. */
struct saved_series *saved_find(const struct state *state, const struct watch_rule *rule,
                                const struct series_view *view);

/* A rule ends: what the state file said of it counts no more. */
void saved_forget_rule(const struct state *state, const struct watch_rule *rule);

#endif
