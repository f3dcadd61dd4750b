/* How children are shared out among poller processes, by their number and by how often they are
 * polled. Pure.
 *
 * A process costs about 1.4 MB of its own, which is a reason to have few of them. There are two
 * reasons to have many: a poller that dies or hangs takes the polls of all its children with it
 * until it has begun anew, and a process has one thread. So a poller takes LOAD_CHILDREN while
 * there are fewer than LOAD_POLLERS pollers; then the existing pollers take up to
 * LOAD_CHILDREN_MAX, as long as that is not more work than LOAD_POLLS_PER_S. Thus a poller that
 * ends affects at most a twenty-fifth of the children, or LOAD_CHILDREN. */
#ifndef DCAMP_COLLECT_LOAD_H
#define DCAMP_COLLECT_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_CHILDREN 1000
#define LOAD_POLLERS 25
#define LOAD_CHILDREN_MAX 4000

/* A fifth of a CPU, at 50 us a poll: the load of 4,000 children that are polled every second. The
 * limit does not apply to a poller that has LOAD_CHILDREN or fewer, which is treated as it always
 * was. */
#define LOAD_POLLS_PER_S 4000

struct load {
    uint32_t children;
    uint64_t polls_per_hour;
};

/* How often a child with this period is polled, which is at least 1 ms. */
uint32_t load_polls_per_hour(uint32_t period_ms);

/* Whether a poller with this load can take a child that is polled so often, where there are so many
 * pollers. descriptors: how many files a process may have open. */
bool load_takes(const struct load *load, uint32_t polls_per_hour, size_t pollers,
                uint64_t descriptors);

/* Whether a poller has more than it would have been given, because the periods of its children have
 * changed. */
bool load_is_too_much(const struct load *load);

void load_add(struct load *load, uint32_t polls_per_hour);
void load_drop(struct load *load, uint32_t polls_per_hour);

#endif
