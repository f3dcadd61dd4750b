/* Getters of columns that many tables have. */
#ifndef DCAMP_AGENT_COLUMNS_H
#define DCAMP_AGENT_COLUMNS_H

#include "agent/table.h"

/* Gives the dcampNodeUpTime of the moment when something happened; when_ns is monotonic. */
bool give_stamp(const struct view *view, struct mib_value *value, uint64_t when_ns);

/* The columns that every configuration table has. */
bool give_storage(const struct view *view, const void *row, struct mib_value *value);
bool give_status(const struct view *view, const void *row, struct mib_value *value);

#endif
