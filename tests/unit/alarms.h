/* Alarms for tests. */
#ifndef DCAMP_TESTS_ALARMS_H
#define DCAMP_TESTS_ALARMS_H

#include "alarm/alarm.h"
#include "unit.h"

extern const struct alarm_limits roomy;
struct moment at_s(uint64_t seconds);
struct alarm_facts facts_of(const char *key);
int alarms_setup(void **state);
int alarms_teardown(void **state);
const struct alarm_entry *entry_of(const struct alarms *alarms, uint32_t sequence);
bool raise_key(struct alarms *alarms, const char *key, struct moment now);
bool clear_key(struct alarms *alarms, const char *key, struct moment now);

#define ALARM_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, alarms_setup, alarms_teardown)

#endif
