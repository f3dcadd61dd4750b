#include "core/footprint.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/procfile.h"

/* The pause grows by five seconds with each of the first looks, up to a minute: what a start with
 * thousands of children needs goes back while they come up. */
#define FIRST_LOOKS 12
#define PAUSE_NS (5 * NS_PER_S)

static void give_back(struct footprint *footprint)
{
    if (++footprint->looks == 2)
        memory_let_go();
    else
        memory_trim();
}

/* The second number of statm, proc(5), is of pages. */
static unsigned long resident_kb(void)
{
    char text[128], *size_end, *end;
    if (procfile_read_once(AT_FDCWD, "/proc/self/statm", text, sizeof text) != 0)
        return 0;
    strtoul(text, &size_end, 10);
    unsigned long pages = strtoul(size_end, &end, 10);
    return end > size_end ? pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024 : 0;
}

unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns)
{
    if (now_ns < footprint->due_ns)
        return 0;
    give_back(footprint);
    uint64_t pauses = footprint->looks < FIRST_LOOKS ? footprint->looks : FIRST_LOOKS;
    footprint->due_ns = now_ns + pauses * PAUSE_NS;
    return resident_kb();
}
