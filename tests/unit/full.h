/* For tests: a node that has rows in every table. */
#ifndef DCAMP_TESTS_FULL_H
#define DCAMP_TESTS_FULL_H

#include "manager.h"

/* Rows of every kind. */
extern const char full_elements[];

/* Every table has rows; sensors are sampling, unavailable and paused, series valid, waiting,
 * with a gap and unavailable; thresholds unknown, clear, pending and raised. */
int full_setup(void **state);

#define full_test(test) cmocka_unit_test_setup_teardown(test, full_setup, node_teardown)

#endif
