/* The commands that change children while they run. */
#ifndef DCAMP_SIM_KNOBS_H
#define DCAMP_SIM_KNOBS_H

#include "sim.h"

/* Does what the line says, for all children that it names or for none, and says on stdout how it
 * went: "ok: ..." or "error: ...". Changes the line. False: it was an error. */
bool knobs_command(struct sim *sim, char *line, struct moment now);

void knobs_usage(FILE *to);

/* Numbers and durations of people; false for others, with no change. */
bool knobs_number(const char *text, uint32_t low, uint32_t high, uint32_t *number);
bool knobs_percent(const char *text, uint32_t *percent);
bool knobs_rate(const char *text, uint32_t *period_ms);
bool knobs_address(const char *text, uint32_t *address);

#endif
