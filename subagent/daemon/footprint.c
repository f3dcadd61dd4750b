#include "daemon/footprint.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/procfile.h"

/* The pause grows by five seconds with each of the first looks, up to a minute: memory that a start
 * with thousands of children needs is given back while they come up. */
#define FIRST_LOOKS 12
#define PAUSE_NS (5 * NS_PER_S)

/* Looking for free memory costs as much as one or two cycles, and memory that is given back and
 * then needed again costs as much once more. So free memory is given back only when the daemon's
 * own memory has grown by GROWN_MUCH_KB, or by GROWN_KB if it was last given back at least
 * TRIM_PAUSE_NS ago. */
#define GROWN_MUCH_KB 128
#define GROWN_KB 16
#define TRIM_PAUSE_NS (300 * NS_PER_S)

struct memory_size {
    unsigned long resident_kb;
    unsigned long own_kb; /* the part that belongs to no file: the heap, the stacks */
};

/* In statm, proc(5), the second number is that of all resident pages, the third that of pages of
 * files. */
static struct memory_size look_at_memory(void)
{
    char text[128], *end;
    if (procfile_read_once(AT_FDCWD, "/proc/self/statm", text, sizeof text) != 0)
        return (struct memory_size){0};
    unsigned long page_kb = (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
    strtoul(text, &end, 10);
    unsigned long resident = strtoul(end, &end, 10);
    unsigned long of_files = strtoul(end, &end, 10);
    return (struct memory_size){resident * page_kb, (resident - of_files) * page_kb};
}

static struct memory_size give_back(bool all)
{
    if (all)
        memory_let_go();
    else
        memory_trim();
    return look_at_memory();
}

bool footprint_has_grown(const struct footprint *footprint, unsigned long own_kb, uint64_t now_ns)
{
    bool rested = now_ns - footprint->trimmed_ns >= TRIM_PAUSE_NS;
    return own_kb > footprint->own_kb + (rested ? GROWN_KB : GROWN_MUCH_KB);
}

unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns)
{
    if (now_ns < footprint->due_ns)
        return 0;
    footprint->looks++;
    bool started = footprint->looks == 2;
    struct memory_size size = look_at_memory();
    bool grown = footprint_has_grown(footprint, size.own_kb, now_ns);
    if (started || grown) {
        size = give_back(started);
        footprint->trimmed_ns = now_ns;
    }
    if (started || grown || size.own_kb < footprint->own_kb)
        footprint->own_kb = size.own_kb;
    uint64_t pauses = footprint->looks < FIRST_LOOKS ? footprint->looks : FIRST_LOOKS;
    /* Sensors are sampled at whole seconds, so a look at one needs no wake-up of its own. */
    footprint->due_ns = (now_ns + pauses * PAUSE_NS) / NS_PER_S * NS_PER_S;
    return size.resident_kb;
}
