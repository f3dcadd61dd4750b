#include "application/trouble.h"

static bool may_be_told(const struct trouble *trouble, uint64_t now_ns)
{
    return !trouble->is_told &&
           (!trouble->was_over || now_ns - trouble->over_ns >= TROUBLE_QUIET_NS);
}

enum trouble_news trouble_step(struct trouble *trouble, bool is_there, uint64_t now_ns)
{
    if (is_there && !trouble->is_there && !trouble->is_told)
        trouble->since_ns = now_ns;
    trouble->is_there = is_there;
    if (is_there) {
        if (!may_be_told(trouble, now_ns))
            return TROUBLE_NO_NEWS;
        trouble->is_told = true;
        return TROUBLE_BEGINS;
    }
    if (!trouble->is_told)
        return TROUBLE_NO_NEWS;
    trouble->is_told = false;
    trouble->was_over = true;
    trouble->over_ns = now_ns;
    return TROUBLE_IS_OVER;
}
