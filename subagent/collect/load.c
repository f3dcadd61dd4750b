#include "collect/load.h"

#include "base/clock.h"

/* Files that a poller has besides the sockets of its children, and those that libraries open. */
#define DESCRIPTORS_BESIDE 24

uint32_t load_polls_per_hour(uint32_t period_ms)
{
    return (uint32_t)(MS_PER_HOUR / (period_ms ? period_ms : 1));
}

static bool is_much_work(uint64_t polls_per_hour)
{
    return polls_per_hour > UINT64_C(3600) * LOAD_POLLS_PER_S;
}

/* If a process may have fewer files than that, a poller takes a single child, which reports that it
 * cannot open its socket. */
static uint64_t sockets(uint64_t descriptors)
{
    return descriptors > DESCRIPTORS_BESIDE ? descriptors - DESCRIPTORS_BESIDE : 1;
}

bool load_takes(const struct load *load, uint32_t polls_per_hour, size_t pollers,
                uint64_t descriptors)
{
    if (load->children >= sockets(descriptors) || load->children >= LOAD_CHILDREN_MAX)
        return false;
    return load->children < LOAD_CHILDREN ||
           (pollers >= LOAD_POLLERS && !is_much_work(load->polls_per_hour + polls_per_hour));
}

bool load_is_too_much(const struct load *load)
{
    return load->children > LOAD_CHILDREN && is_much_work(load->polls_per_hour);
}

void load_add(struct load *load, uint32_t polls_per_hour)
{
    load->children++;
    load->polls_per_hour += polls_per_hour;
}

void load_drop(struct load *load, uint32_t polls_per_hour)
{
    load->children--;
    load->polls_per_hour -= polls_per_hour;
}
