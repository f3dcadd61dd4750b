/* The alarms that a target has been told of and that are not over: a service shows the worst of
 * its alarms, and Alertmanager wants to hear again and again of those that go on. Pure but for
 * loading and saving. */
#ifndef DCAMP_TRAP_ACTIVE_H
#define DCAMP_TRAP_ACTIVE_H

#include "trapd-handlers/trap.h"

struct active;

struct active *active_new(void);
void active_free(struct active *active);

/* Takes a raise in, a clear out; summaries leave it as it is. service: which service the alarm
 * belongs to. False: no memory. */
bool active_apply(struct active *active, const struct trap *trap, const char *service);

/* What is active of a service. The worst come first, of the same severity those that are active
 * for longest. */
#define ACTIVE_WORST 8
struct active_sum {
    const struct trap *worst[ACTIVE_WORST];
    size_t n_worst;
    size_t n, critical, warning, info;
};
void active_sum(const struct active *active, const char *service, struct active_sum *sum);

/* Whether this alarm is active, and of that service. */
bool active_is_of(const struct active *active, const char *key, const char *service);

/* What was told last of this alarm; NULL: it is not active. */
const struct trap *active_find(const struct active *active, const char *key);

size_t active_count(const struct active *active);

/* Every alarm, until visit returns false. */
void active_each(const struct active *active, bool (*visit)(void *context, const struct trap *trap),
                 void *context);

/* DIR/active.json, replaced whole where something has changed. 0 or an errno. A file that is not
 * there is empty. */
int active_load(struct active *active, const char *dir);
int active_save(struct active *active, const char *dir);

#endif
