/* For tests of poller processes: the test program starts itself as its own poller, as the daemon
 * does. With --poller it only listens, and does what the first child's address says. */
#ifndef DCAMP_TESTS_POLLERS_H
#define DCAMP_TESTS_POLLERS_H

#include "collect/pollers.h"

/* -- The other process ----------------------------------------------------------------------- */

/* Whatever it is, as the text of a message. */
void fake_poller_says(uint32_t id, const char *text);
int fake_poller(void);
/* The same, which tells only what it hears. */
int fake_listener(const char *address);

/* -- Processes ------------------------------------------------------------------------------- */

bool pollers_send_child(struct pollers *pollers, uint32_t id, const char *how);
void pollers_send_forget(struct pollers *pollers, uint32_t id);
const char *pollers_hear_text(struct pollers *pollers, uint64_t now_ns);

#endif
