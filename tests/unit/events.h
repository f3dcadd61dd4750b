/* For tests: what happened to alarms. */
#ifndef DCAMP_TESTS_EVENTS_H
#define DCAMP_TESTS_EVENTS_H

#include "manager.h"

/* Entries of the log of one alarm (NULL: of all) and one event (0: of all). */
size_t events_of(struct node *node, const char *key, int event);
const struct alarm_entry *last_event(struct node *node);
const struct alarm *active_alarm(struct node *node, const char *key);

/* The log has so many raises and clears of an alarm, each of which was notified once; changes of
 * its severity do not count. */
void assert_events(struct node *node, const char *key, size_t raised, size_t cleared);
enum threshold_phase phase_of(struct node *node, const char *threshold, const char *instance);

#endif
