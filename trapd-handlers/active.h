/* The alarms that a target has been told of and that are not over: a service shows the worst of its
 * alarms, and Alertmanager has to be sent those that go on again and again. Pure except for loading
 * and saving. */
#ifndef DCAMP_TRAP_ACTIVE_H
#define DCAMP_TRAP_ACTIVE_H

#include "trapd-handlers/trap.h"

struct active;

struct active *active_new(void);
void active_free(struct active *active);

/* Adds the alarm of a raise and removes that of a clear; summaries change nothing. service: the
 * service to which the alarm belongs. Returns false if memory runs out. */
bool active_apply(struct active *active, const struct trap *trap, const char *service);

/* The active alarms of a service. The worst come first; of the same severity, those that have been
 * active longest. */
#define ACTIVE_WORST 8
struct active_sum {
    const struct trap *worst[ACTIVE_WORST];
    size_t n_worst;
    size_t n, critical, warning, info;
};
void active_sum(const struct active *active, const char *service, struct active_sum *sum);

/* Whether this alarm is active and belongs to that service. */
bool active_is_of(const struct active *active, const char *key, const char *service);

/* The latest trap of this alarm; NULL if it is not active. */
const struct trap *active_trap(const struct active *active, const char *key);

size_t active_count(const struct active *active);

/* Visits every alarm, until visit returns false. */
void active_each(const struct active *active, bool (*visit)(void *context, const struct trap *trap),
                 void *context);

/* DIR/active.json is replaced as a whole if something has changed. They return 0 or an errno. A
 * file that does not exist counts as empty. */
int active_load(struct active *active, const char *dir);
int active_save(struct active *active, const char *dir);

#endif
