#include "daemon/exposing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_up(struct endpoint_setup *setup, const struct endpoint_row *row)
{
    memcpy(setup->name, row->row.name, sizeof setup->name);
    memcpy(setup->url, row->url, sizeof setup->url);
    memcpy(setup->socket, row->socket, sizeof setup->socket);
    memcpy(setup->ca, row->ca, sizeof setup->ca);
    memcpy(setup->secrets, row->secrets, sizeof setup->secrets);
    setup->interval_ns = row->interval_ms * NS_PER_MS;
    setup->timeout_ns = row->timeout_ms * NS_PER_MS;
    setup->series = row->series;
    setup->tolerance = row->tolerance;
}

_Static_assert(sizeof((struct endpoint_setup *)0)->url == sizeof((struct endpoint_row *)0)->url,
               "a url of a row is one of an endpoint");
_Static_assert(sizeof((struct endpoint_setup *)0)->socket ==
                   sizeof((struct endpoint_row *)0)->socket,
               "and so is a socket");
_Static_assert(sizeof((struct endpoint_setup *)0)->ca == sizeof((struct endpoint_row *)0)->ca,
               "and a file of certificates");
_Static_assert(sizeof((struct endpoint_setup *)0)->secrets ==
                   sizeof((struct endpoint_row *)0)->secrets,
               "and one of credentials");

static int set_endpoints(struct endpoints *endpoints, const struct config *config)
{
    const struct index *rows = &config->rows[ROW_ENDPOINT];
    struct endpoint_setup *setups = calloc(rows->count + 1, sizeof *setups);
    size_t n = 0;
    if (!setups)
        return ENOMEM;
    for (struct index_node *node = index_first(rows); node; node = index_next(node)) {
        const struct endpoint_row *row = (const struct endpoint_row *)node;
        if (row->row.status == ROW_ACTIVE)
            set_up(&setups[n++], row);
    }
    int error = endpoints_set(endpoints, setups, n);
    free(setups);
    return error;
}

/* Metrics of an endpoint itself need none of its series, only that it is asked. */
static uint32_t fields_of(const struct metric *metric)
{
    bool is_of_series = metric->classes >> RESOURCE_ENDPOINT_SERIES & 1;
    return is_of_series ? UINT32_C(1) << metric->field : 0;
}

static int set_wishes(struct endpoints *endpoints, const struct measure *measure)
{
    struct endpoint_wish *wishes = calloc(measure->sensors.count + 1, sizeof *wishes);
    size_t n = 0;
    if (!wishes)
        return ENOMEM;
    for (const struct sensor *sensor = measure->all; sensor; sensor = sensor->next)
        if (sensor->metric && sensor->metric->source == SOURCE_ENDPOINT)
            wishes[n++] = (struct endpoint_wish){sensor->row.instances, fields_of(sensor->metric)};
    int error = endpoints_wish(endpoints, wishes, n);
    free(wishes);
    return error;
}

bool exposing_sync(struct endpoints *endpoints, const struct config *config,
                   const struct measure *measure)
{
    int error = set_endpoints(endpoints, config);
    return set_wishes(endpoints, measure) == 0 && error == 0;
}
