#include "agent/columns.h"

#include "agent/view.h"

bool give_stamp(const struct view *view, struct mib_value *value, uint64_t when_ns)
{
    uint64_t started_ns = view->started_ns;
    return give_number(value, when_ns > started_ns ? (when_ns - started_ns) / (NS_PER_S / 100) : 0);
}

bool give_storage(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct row *)row)->storage);
}

bool give_status(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct row *)row)->status);
}
