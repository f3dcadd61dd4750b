#include "children/holders.h"

#include "base/oid.h"
#include "children/child.h"

static int compare_children(const struct child *a, const struct child *b)
{
    return oid_compare(a->node.key, a->node.key_len, b->node.key, b->node.key_len);
}

/* RB_GENERATE_STATIC is not used, because it relies on an __unused that glibc does not define. */
RB_GENERATE_INTERNAL(child_holders, child, holder, compare_children,
                     __attribute__((__unused__)) static)

void holders_note(struct children *children, struct child *child)
{
    bool holds = child->series.sorted.n > 0;
    if (holds && !child->holds)
        RB_INSERT(child_holders, &children->holders, child);
    if (!holds && child->holds)
        RB_REMOVE(child_holders, &children->holders, child);
    child->holds = holds;
}

struct child *holders_from(const struct children *children, struct child *child)
{
    if (!child || child->holds)
        return child;
    return RB_NFIND(child_holders, (struct child_holders *)&children->holders, child);
}

struct child *holders_next(struct child *child)
{
    return RB_NEXT(child_holders, NULL, child);
}
