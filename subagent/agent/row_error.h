/* Why a row of the configuration that was accepted does not work, as far as that can be known: it
 * names what is not there, matches nothing, or its source cannot be read. */
#ifndef DCAMP_AGENT_ROW_ERROR_H
#define DCAMP_AGENT_ROW_ERROR_H

#include "agent/table.h"

/* The getter of a column. Empty: the row works, or is not active. The words are those of
 * dcampd --check-config. */
bool give_error(const struct view *view, const void *row, struct mib_value *value);

#endif
