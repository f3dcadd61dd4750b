#include "application/endpoint.h"

#include <stdlib.h>

#include "metric/field.h"
#include "sample/select.h"

#define PERCENT 100.0
#define MS_PER_S 1000.0

/* How long before the whole intervals of the clock endpoints are asked: long enough for nearly all
 * programs to answer, and for short intervals a part of them. */
#define LEAD_NS (500 * NS_PER_MS)
#define LEAD_PARTS 4

/* The numbers of a series that belong to these fields. */
static unsigned numbers_of(uint32_t fields)
{
    return (fields >> ENDPOINT_COUNT & 1 ? SCRAPED_COUNT : 0) |
           (fields >> ENDPOINT_SUM & 1 ? SCRAPED_SUM : 0) |
           (fields >> ENDPOINT_VALUE & 1 ? SCRAPED_LEVEL : 0);
}

bool endpoint_wishes_have(const void *wishes, const char *name, unsigned has)
{
    const struct endpoint_wishes *are = wishes;
    for (size_t i = 0; i < are->n; i++)
        if (numbers_of(are->wish[i].fields) & has &&
            sampler_selects(SOURCE_ENDPOINT, are->wish[i].pattern, name))
            return true;
    return false;
}

struct endpoint_wishes *endpoint_wishes_use(struct endpoint_wishes *wishes)
{
    wishes->users++;
    return wishes;
}

void endpoint_wishes_leave(struct endpoint_wishes *wishes)
{
    if (!wishes || --wishes->users > 0)
        return;
    for (size_t i = 0; i < wishes->n; i++)
        free((char *)wishes->wish[i].pattern);
    free(wishes);
}

uint64_t endpoint_next(uint64_t interval_ns, uint64_t now_ns)
{
    uint64_t lead = interval_ns / LEAD_PARTS < LEAD_NS ? interval_ns / LEAD_PARTS : LEAD_NS;
    return ((now_ns + lead) / interval_ns + 1) * interval_ns - lead;
}

/* An endpoint that is asked in time has its next answer before twice its interval is over. */
bool endpoint_is_up(const struct endpoint *endpoint, uint64_t now_ns)
{
    const struct endpoint_status *status = &endpoint->status;
    return status->is_good &&
           now_ns - status->good_ns <= 2 * endpoint->setup.interval_ns + endpoint->setup.timeout_ns;
}

void endpoint_answers(struct endpoint *endpoint, struct scrape *scrape, uint64_t took_ns,
                      struct moment now)
{
    struct endpoint_status *status = &endpoint->status;
    const struct exposed_moment moment = {
        .now_ns = now.mono_ns,
        .wall_s = (double)now.wall_ms / MS_PER_S,
        .tolerance = (double)endpoint->setup.tolerance / PERCENT,
    };
    size_t starved = exposed_take(&endpoint->exposed, scrape, &moment);
    status->is_known = status->is_good = true;
    status->good_ns = now.mono_ns;
    status->took_ns = took_ns;
    status->octets = scrape->octets;
    status->kept = scrape->kept;
    status->left_out = scrape->left_out + starved;
    status->beyond = scrape->summary.beyond;
    status->answers++;
    status->faults += scrape->summary.faults;
}

void endpoint_fails(struct endpoint *endpoint)
{
    endpoint->status.is_known = true;
    endpoint->status.is_good = false;
    endpoint->status.failures++;
}

void endpoint_free(struct endpoint *endpoint)
{
    if (!endpoint)
        return;
    exposed_release(&endpoint->exposed);
    free(endpoint);
}
