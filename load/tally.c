#include "load/tally.h"

#include <math.h>

#include <string.h>

#include "base/clock.h"

static double seconds(uint64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

static void add_failures(struct tally_failures *failures, uint64_t n, const char *example)
{
    if (failures->n == 0)
        memcpy(failures->example, example, sizeof failures->example);
    failures->n += n;
}

void tally_add(struct tally *tally, const struct tally_operation *operation)
{
    const struct failure *failure = operation->failure;
    tally->operations++;
    if (statistics_window_add(&tally->response, seconds(operation->response_ns)) != 0 ||
        statistics_window_add(&tally->lateness, seconds(operation->lateness_ns)) != 0)
        tally->uncounted++;
    if (!failure)
        return;
    tally->errors++;
    add_failures(&tally->failures[failure->kind], 1, failure->text);
}

void tally_merge(struct tally *into, const struct tally *from)
{
    into->operations += from->operations;
    into->errors += from->errors;
    into->uncounted += from->uncounted;
    if (statistics_merge(&into->response, &from->response) != 0 ||
        statistics_merge(&into->lateness, &from->lateness) != 0)
        into->uncounted += from->operations;
    for (int i = 0; i < FAILURE_KINDS; i++)
        if (from->failures[i].n > 0)
            add_failures(&into->failures[i], from->failures[i].n, from->failures[i].example);
}

/* The histogram rounds a rank, from 0 to n - 1, down; so it is asked for half a rank more than the
 * wanted one. */
double tally_quantile(const struct statistics_window *times, double quantile)
{
    double rank = ceil(quantile * (double)times->count) - 1;
    double last = (double)times->count - 1;
    if (times->count == 0)
        return NAN;
    if (rank >= last)
        return statistics_quantile(times, 1);
    return statistics_quantile(times, rank > 0 ? (rank + 0.5) / last : 0);
}

void tally_reset(struct tally *tally)
{
    struct statistics_window response = tally->response, lateness = tally->lateness;
    statistics_window_reset(&response);
    statistics_window_reset(&lateness);
    *tally = (struct tally){.response = response, .lateness = lateness};
}

void tally_release(struct tally *tally)
{
    statistics_window_release(&tally->response);
    statistics_window_release(&tally->lateness);
    *tally = (struct tally){0};
}
