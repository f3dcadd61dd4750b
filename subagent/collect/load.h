/* How children are shared out among poller processes, by their number and by how often they are
 * polled. Pure.
 *
 * A process costs about 1.4 MB of its own, which speaks for few of them. For many speaks that one
 * that dies or hangs takes all of its children's polls with it for as long as it takes to begin
 * anew, and that a process has one thread. So a poller takes LOAD_CHILDREN while there are less
 * than LOAD_POLLERS of them; then those that are there take up to LOAD_CHILDREN_MAX, as long as
 * that is not more work than LOAD_POLLS_PER_S: the end of one is that of a twenty-fifth of the
 * children, or of LOAD_CHILDREN. */
#ifndef DCAMP_COLLECT_LOAD_H
#define DCAMP_COLLECT_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_CHILDREN 1000
#define LOAD_POLLERS 25
#define LOAD_CHILDREN_MAX 4000

/* A fifth of a CPU, at 50 us a poll: what 4,000 children are that are polled every second. Of one
 * that has LOAD_CHILDREN or less nothing is asked: it is as it always was. */
#define LOAD_POLLS_PER_S 4000

struct load {
    uint32_t children;
    uint64_t polls_per_hour;
};

/* How often a child with this period is polled, which is at least 1 ms. */
uint32_t load_polls_per_hour(uint32_t period_ms);

/* Whether a poller can take a child that is polled so often, of so many pollers. descriptors: how
 * many files a process may have open. */
bool load_takes(const struct load *load, uint32_t polls_per_hour, size_t pollers,
                uint64_t descriptors);

/* Whether a poller has more than it would have been given, since the periods of its children have
 * changed. */
bool load_is_too_much(const struct load *load);

void load_add(struct load *load, uint32_t polls_per_hour);
void load_drop(struct load *load, uint32_t polls_per_hour);

#endif
