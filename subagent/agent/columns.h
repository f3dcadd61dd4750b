/* Getters of columns that many tables have. */
#ifndef DCAMP_AGENT_COLUMNS_H
#define DCAMP_AGENT_COLUMNS_H

#include "agent/table.h"

/* When something happened, by the monotonic clock, as the dcampNodeUpTime of that moment. */
bool give_stamp(const struct view *view, struct mib_value *value, uint64_t when_ns);

/* The columns that every configuration table has. */
bool give_storage(const struct view *view, const void *row, struct mib_value *value);
bool give_status(const struct view *view, const void *row, struct mib_value *value);

#endif
