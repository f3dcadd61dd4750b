#include "series/interval.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

static bool begin(struct interval *interval, const struct sample_computed *by)
{
    interval_release(interval);
    interval->state = by ? calloc(1, by->size) : NULL;
    interval->by = interval->state ? by : NULL;
    return interval->by;
}

void interval_take(struct interval *interval, const struct sample_slot *slot)
{
    if (interval->by != slot->computed && !begin(interval, slot->computed))
        return;
    if (interval->by && interval->by->take(interval->state, slot) != 0)
        interval_release(interval);
}

bool interval_end(struct interval *interval, unsigned field, uint64_t now_ns, double *value)
{
    bool is_first = interval->since_ns == 0;
    *value = NAN;
    if (!interval->by)
        return true;
    double seconds = (double)(now_ns - interval->since_ns) / (double)NS_PER_S;
    if (!is_first)
        *value = interval->by->value(interval->state, field, seconds);
    interval->by->begin(interval->state);
    interval->since_ns = now_ns;
    return !is_first;
}

void interval_release(struct interval *interval)
{
    if (interval->by)
        interval->by->release(interval->state);
    free(interval->state);
    *interval = (struct interval){.by = NULL};
}
