#include "daemon/costs.h"

void costs_open(struct costs *costs)
{
    *costs = (struct costs){0};
    index_init(&costs->index);
    for (int source = 0; source < SOURCE_COUNT; source++) {
        struct cost_row *row = &costs->rows[source];
        row->node.key = row->key;
        row->node.key_len = index_key_text(row->key, source_name((enum metric_source)source));
        index_add(&costs->index, &row->node);
    }
}

void costs_close(struct costs *costs)
{
    index_release(&costs->index);
}

void costs_update(struct costs *costs, const struct sampler *sampler, unsigned sources)
{
    for (int source = 0; source < SOURCE_COUNT; source++)
        if (sources >> source & 1)
            costs->rows[source].cost = *sampler_cost(sampler, (enum metric_source)source);
}
