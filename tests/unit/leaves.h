/* A node with two children, for tests: their answers, their silence, their restarts and its own. */
#ifndef DCAMP_TESTS_LEAVES_H
#define DCAMP_TESTS_LEAVES_H

#include "events.h"
#include "polled.h"

#define CHILD(name, group)                                                                         \
    "<child name=\"" name "\" address=\"udp:127.0.0.1:1161\" credential=\"lab\" group=\"" group    \
    "\"/>"

#define BUSY "<threshold name=\"busy\" sensor=\"cpu\" children=\"*\" operator=\"gt\" limit=\"90\" "

#define CONFIG(thresholds, children)                                                               \
    "<sensors><sensor name=\"load\" metric=\"load.1\"/></sensors><thresholds>" thresholds          \
    "</thresholds><credentials><credential name=\"lab\" user=\"dcamp\" secrets=\"/nowhere\"/>"     \
    "</credentials><children>" children "</children>"

#define BOTH CHILD("a", "red") CHILD("b", "blue")
#define ANY_BUSY "<conditions><condition name=\"c\" thresholds=\"busy\"/></conditions>"

/* Two children, each with its reports. */
struct world {
    struct node *node;
    struct leaf {
        const char *name;
        struct report_ring *ring;
        uint32_t boot, sent;
    } a, b;
};

int leaves_begin(void **state, const char *elements);
int leaves_setup(void **state);
int leaves_teardown(void **state);
struct child *leaves_child(const struct world *world, const struct leaf *leaf);

/* Up to n blocks that were not sent yet; the head tells of all. */
void leaves_answer(struct world *world, struct leaf *leaf, size_t n);
void leaves_name(struct world *world, const struct leaf *leaf, const char *sensor,
                 const char *instance);

/* Series 1 is cpu of total. */
void leaves_say(struct world *world, struct leaf *leaf, double value);
void leaves_silent(struct world *world, const struct leaf *leaf);
void leaves_reboot(struct leaf *leaf);

/* This node dies, and asks for everything that its children keep. */
void leaves_restart(struct world *world, bool killed);
enum threshold_phase leaves_phase(struct world *world, const char *child);
void assert_leaf_ended(struct world *world, const char *key, const char *why);

#endif
