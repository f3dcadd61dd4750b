/* For tests: a device without a poller. What a poller would say of it is made here. */
#ifndef DCAMP_TESTS_SWITCH_H
#define DCAMP_TESTS_SWITCH_H

#include "polled.h"

struct samples {
    struct message_samples message;
    struct sample at[POLL_SAMPLES_MAX];
};

struct polled_switch {
    struct polled *polled;
    struct child *child;
    struct samples samples;
    uint32_t boots, up_time;
    bool has_up_time;
};

struct row *switch_object(struct polled *polled, const char *name, const char *oid);
int switch_setup(void **state);
int switch_teardown(void **state);
void switch_sync(struct polled_switch *place);

/* -- What a poller says ---------------------------------------------------------------------- */

void switch_says_instance(struct polled_switch *place, uint32_t object, uint32_t series,
                          const char *name);
void switch_says_fault(struct polled_switch *place, uint32_t object, uint32_t cycle,
                       const char *text);
void switch_says(struct polled_switch *place, struct sample sample);

/* All that was said, as one whole poll. */
void switch_sends(struct polled_switch *place, uint32_t cycle);

/* A poll with one number, so many ms after the one before. */
void switch_polled(struct polled_switch *place, uint64_t ms, enum sample_type type,
                   uint64_t number);
const struct child_series *switch_series(struct polled_switch *place, const char *sensor,
                                         const char *instance);
void assert_result(const struct child_series *series, enum result_state state, double value);
struct row *switch_one_object(struct polled_switch *place, const char *kind,
                              const char *calculation);

#define switch_test(test) cmocka_unit_test_setup_teardown(test, switch_setup, switch_teardown)

#endif
