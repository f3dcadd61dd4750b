#include "core/footprint.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

#define LOOK_NS (60 * NS_PER_S)
#define SECOND_LOOK_NS (5 * NS_PER_S)
#define GIVE_BACK_NS (300 * NS_PER_S)

static void give_back(struct footprint *footprint, uint64_t now_ns)
{
    if (++footprint->looks == 2)
        memory_let_go();
    else if (now_ns - footprint->gave_back_ns >= GIVE_BACK_NS)
        memory_trim();
    else
        return;
    footprint->gave_back_ns = now_ns;
}

unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns)
{
    if (now_ns < footprint->due_ns)
        return 0;
    give_back(footprint, now_ns);
    footprint->due_ns = now_ns + (footprint->looks == 1 ? SECOND_LOOK_NS : LOOK_NS);
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    int found = fscanf(file, "%*u %lu", &pages);
    fclose(file);
    return found == 1 ? pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024 : 0;
}
