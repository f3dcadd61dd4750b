/* What the state file says of watches, found by the names of what they are on. */
#ifndef DCAMP_WATCH_SAVED_H
#define DCAMP_WATCH_SAVED_H

#include "config/state.h"
#include "watch/rule.h"

/* The names under which a watch of a rule on a series is saved, without its state. */
struct saved_series saved_name(const struct watch_rule *rule, const struct series_view *view);

/* The order of such names: less than, equal to or more than 0. */
int saved_compare(const struct saved_series *a, const struct saved_series *b);

/* Puts what was read into the order that saved_find needs. */
void saved_sort(struct state *state);

/* NULL: nothing was saved, or it was taken already. */
struct saved_series *saved_find(const struct state *state, const struct watch_rule *rule,
                                const struct series_view *view);

/* A rule ends: what the state file said of it does not count any more. */
void saved_forget_rule(const struct state *state, const struct watch_rule *rule);

#endif
