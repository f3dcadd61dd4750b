/* For tests: a device, and an agent of which it knows nothing, with cells that the test puts there.
 * What the answers bring is written down as text. */
#ifndef DCAMP_TESTS_DEVICES_H
#define DCAMP_TESTS_DEVICES_H

#include "poller/device.h"
#include "unit.h"

#define CELLS_MAX 30000

struct cell {
    unsigned long name[OID_MAX];
    size_t n;
    enum device_type type;
    uint64_t number;
    double real;
    char text[80];
};

struct bench {
    struct device *device;
    struct object *objects;
    uint32_t n_objects;
    uint64_t now;
    struct cell *cells; /* by name */
    size_t n_cells;
    size_t gets, bulks, largest; /* answered; varbinds of the largest GET */
    size_t most;                 /* varbinds that the agent can put into an answer; 0: any number */
    size_t begun, ended, sampled, faulted;
    char log[8192]; /* what came, while it fits */
};

struct device_events bench_events(struct bench *bench);

/* -- The agent ------------------------------------------------------------------------------ */

struct cell *bench_put(struct bench *bench, const char *name);
void bench_put_number(struct bench *bench, const char *name, uint64_t number);
void bench_put_text(struct bench *bench, const char *name, const char *text);
void bench_remove(struct bench *bench, const char *name);

struct reply {
    struct cell names[DEVICE_VARBINDS_MAX + 1]; /* of what is not there */
    struct device_varbind varbinds[DEVICE_VARBINDS_MAX + 1];
    struct device_answer answer;
};

/* What the agent answers to what the device asks now. */
struct reply *bench_reply(struct bench *bench);
const char *bench_take(struct bench *bench, struct reply *reply);

/* A whole poll, after some seconds; returns what came. */
const char *bench_poll(struct bench *bench, uint64_t seconds);

/* -- Tables ---------------------------------------------------------------------------------- */

#define IF_NAME "1.3.6.1.2.1.31.1.1.1.1"
#define IF_IN "1.3.6.1.2.1.31.1.1.1.6"
#define IF_OUT "1.3.6.1.2.1.31.1.1.1.10"

void bench_put_if(struct bench *bench, unsigned index, const char *name, uint64_t in);
void bench_fill(struct bench *bench, size_t n);

/* -- Objects -------------------------------------------------------------------------------- */

/* One more object: a scalar where label is NULL; a column without labels where it is "". */
uint32_t bench_object(struct bench *bench, const char *oid, const char *label,
                      const char *instances);

/* The device gets all of them. */
void bench_set(struct bench *bench);
int bench_setup(void **state);
int bench_teardown(void **state);

#define bench_test(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)

#endif
