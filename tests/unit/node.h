/* For tests: one whole node without threads of its own, on a copy of a fixture, with a clock that
 * the test steps. */
#ifndef DCAMP_TESTS_NODE_H
#define DCAMP_TESTS_NODE_H

#include "agent/engine.h"
#include "daemon/dcampd.h"
#include "tree.h"

struct node {
    struct tree tree; /* proc and sys, the configuration and the state directory */
    char config_path[PATH_MAX];
    char state_dir[PATH_MAX];
    char apps_dir[PATH_MAX]; /* in which programs publish */
    struct dcampd *daemon;
    struct engine engine;
    struct moment now;
};

/* The clock begins at a whole minute, some time after the daemon did. */
void node_start(struct node *node);

/* The elements of a configuration; the node's name, if it is to have one. */
void node_configure(struct node *node, const char *name, const char *elements);
struct node *node_new(const char *elements);

/* As the daemon ends: what there is to save is handed over, and written before all is freed. */
void node_stop(struct node *node);
void node_start_again(struct node *node);
void node_free(struct node *node);

/* A cycle, ms after the one before. Returns when the next one is due, in nanoseconds from then. */
int64_t node_cycle(struct node *node, uint64_t ms);

/* Until the saver has nothing to do. */
void node_wait(struct node *node);

/* Until the state file has everything: what was SET while the saver was busy comes in a cycle
 * soon after. */
void node_wait_saved(struct node *node);

/* The oldest notification, whether its state is on disk yet or not. */
const struct notification *node_told(struct node *node);

/* -- Kernel files ---------------------------------------------------------------------------- */

/* Interfaces, each with the octets it has received; names are those of the fixture or new. */
struct interface {
    const char *name;
    uint64_t rx_bytes;
};

void node_network(struct node *node, const struct interface *interfaces, size_t n);
void node_load(struct node *node, const char *load);
void node_process(struct node *node, int pid, const char *name);

/* -- Setup and teardown ---------------------------------------------------------------------- */

int node_teardown(void **state);

#define node_test(test) cmocka_unit_test_setup_teardown(test, node_setup, node_teardown)

#endif
