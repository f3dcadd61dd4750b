/* Says in words why a SET was refused, in dcampSelfSetError and in the log: its sender sees an
 * error-status only. */
#ifndef DCAMP_AGENT_REFUSAL_H
#define DCAMP_AGENT_REFUSAL_H

#include "agent/set.h"
#include "config/fault.h"
#include "daemon/self.h"

/* What is wrong with a varbind by itself. */
void refusal_of_varbind(const struct engine *engine, const struct set_varbind *varbind,
                        enum set_error error, char text[FAULT_SIZE]);

/* What is wrong with a row as it would be. request: what RowStatus was set to, or 0; old: whether
 * the row is there already. */
void refusal_of_row(const struct row *row, int request, bool old, char text[FAULT_SIZE]);

/* Keeps the latest refusal and logs at most one a second, under the lock. varbind: the one that the
 * error-index names; NULL: it names none. */
void refusal_note(struct set_refusal *latest, const struct set_varbind *varbind,
                  enum set_error error, const char *text, struct moment now);

#endif
