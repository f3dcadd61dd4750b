/* One simulated agent: its engine, its keys, and the reports that it makes. */
#ifndef DCAMP_SIM_CHILD_H
#define DCAMP_SIM_CHILD_H

#include "sim.h"

/* Each is 0, ENOMEM, or EIO if the keys cannot be computed. */

int child_open(struct sim *sim, struct sim_child *child, uint32_t number, struct moment now);
void child_close(struct sim *sim, struct sim_child *child);

/* Engine and dcampd start with these boots; reports begin anew. */
int child_start(struct sim *sim, struct sim_child *child, uint32_t engine_boots, uint32_t boot,
                struct moment now);

/* An engine ID of its own that it never had. */
int child_new_engine(struct sim *sim, struct sim_child *child);

/* The engine ID and the keys of another child. */
void child_clone(struct sim_child *child, const struct sim_child *from);

/* Keys from other passphrases. */
int child_rekey(struct sim *sim, struct sim_child *child, const char *auth, const char *priv);

/* From now on; the next report has every series. */
void child_set_period(struct sim *sim, struct sim_child *child, uint32_t period_ms,
                      struct moment now);

/* The time of the report that a series was in last. */
int64_t child_reported(const struct sim *sim, const struct sim_child *child, uint32_t place);

uint32_t child_engine_time(const struct sim_child *child, struct moment now);

#endif
