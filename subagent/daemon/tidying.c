#include "daemon/tidying.h"

/* Sensors are sampled at whole seconds, so this needs no wake-up of its own. */
static void look_after(struct tidying *tidying, uint64_t now_ns, uint64_t pause_ns)
{
    tidying->due_ns = (now_ns + pause_ns) / NS_PER_S * NS_PER_S;
}

bool tidying_begin(struct tidying *tidying, struct directory *directory, uint64_t now_ns)
{
    if (now_ns < tidying->due_ns)
        return false;
    if (directory_has_files(directory))
        return true;
    look_after(tidying, now_ns, TIDYING_PAUSE_NS);
    return false;
}

void tidying_end(struct tidying *tidying, const struct directory *directory, uint64_t now_ns)
{
    bool more = directory_has_more(directory);
    look_after(tidying, now_ns, more ? TIDYING_MORE_NS : TIDYING_PAUSE_NS);
}
