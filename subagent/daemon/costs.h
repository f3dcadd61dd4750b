/* What the samplers cost, as rows of dcampSamplerTable. */
#ifndef DCAMP_DAEMON_COSTS_H
#define DCAMP_DAEMON_COSTS_H

#include "base/index.h"
#include "base/limits.h"
#include "sample/sample.h"

struct cost_row {
    struct index_node node; /* key: name of the source */
    uint32_t key[NAME_SIZE];
    struct sampler_cost cost;
};

struct costs {
    struct index index; /* read under the lock */
    struct cost_row rows[SOURCE_COUNT];
};

void costs_open(struct costs *costs);
void costs_close(struct costs *costs);

/* Publishes the costs of the sources in the mask, 1 << source. Under the lock. */
void costs_update(struct costs *costs, const struct sampler *sampler, unsigned sources);

#endif
