/* For tests: watches on series that the test makes and gives values, without producers. */
#ifndef DCAMP_TESTS_WATCHED_H
#define DCAMP_TESTS_WATCHED_H

#include "config/config.h"
#include "unit.h"
#include "watch/watches.h"

#define WATCHED_MAX 1100

struct fake_series {
    const char *node, *group; /* NULL: of this node, whose name is "lap" */
    const char *sensor, *instance, *unit;
    struct result result;
    int64_t wall_ms; /* of the value; 0: now */
    bool is_current;
    struct watch *watches;
    ptrdiff_t charged;
    struct statistics_window window;
    uint64_t window_number; /* 0: there is none */
    bool begun;
};

struct watched {
    struct alarms alarms;
    struct watches watches;
    struct config *config;
    struct moment now;
    struct fake_series series[WATCHED_MAX];
    size_t n;
    const char *coming; /* the sensor of which series may come yet; NULL: all have */
    const char *asked;  /* the node that was asked for then */
    struct series_producer producer;
    uint32_t sequence; /* of the log, up to which what happened was looked at */
    char happened[1024];
};

struct watched *watched_new(void);
void watched_free(struct watched *watched);
void watched_wait(struct watched *watched, uint64_t ns);

/* An active row with fields as in "sensor=load;operator=gt;limit=5". In the place of one of that
 * name, if there is one. */
struct row *watched_row(struct watched *watched, enum row_kind kind, const char *name,
                        const char *fields);
void watched_remove(struct watched *watched, enum row_kind kind, const char *name);
void watched_sync(struct watched *watched);

/* A series that is there; "begin" tells the watches. */
struct fake_series *watched_series(struct watched *watched, const char *node, const char *sensor,
                                   const char *instance);
void watched_begin(struct watched *watched, struct fake_series *series);
void watched_end(struct watched *watched, struct fake_series *series);
struct series_ref watched_ref(struct fake_series *series);

/* It has a value, or a window with that mean and no value. */
void watched_value(struct watched *watched, struct fake_series *series, double value);
void watched_window(struct watched *watched, struct fake_series *series, double mean);

/* What the log has of it since the last call, as in "Rw lap:high:total, C- lap:high:total": R
 * raised, C cleared, H changed, F flapping. */
const char *watched_happened(struct watched *watched);

/* The message of the latest entry. */
const char *watched_message(const struct watched *watched);

int watched_setup(void **state);
int watched_teardown(void **state);

#define watched_test(test) cmocka_unit_test_setup_teardown(test, watched_setup, watched_teardown)

#endif
