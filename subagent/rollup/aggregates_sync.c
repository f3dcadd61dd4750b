/* Which aggregates there are. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "rollup/aggregates.h"

static void end(struct aggregates *aggregates, struct running_aggregate *running, const char *why,
                struct moment now)
{
    while (running->rows)
        aggregate_row_end(aggregates, running->rows, why, now);
    index_remove(&aggregates->index, &running->node);
    aggregate_unmatch(&running->members);
    aggregate_release(&running->single);
    free(running);
}

/* The daemon stops: the owner has taken report and observer from the publisher. */
void aggregates_close(struct aggregates *aggregates)
{
    struct index_node *node;
    while ((node = index_first(&aggregates->index)))
        end(aggregates, (struct running_aggregate *)node, "the daemon stops", (struct moment){0});
    index_release(&aggregates->index);
    index_release(&aggregates->values);
}

/* In the dictionary, a sensor and an aggregate of one name could not be told apart. */
static bool is_taken(const struct aggregates *aggregates, const char *name)
{
    return measure_find(aggregates->measure, name) != NULL;
}

static void end_stale(struct aggregates *aggregates, const struct config *config, struct moment now)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&aggregates->index); node; node = next) {
        struct running_aggregate *running = (struct running_aggregate *)node;
        next = index_next(node);
        const struct row *row = config_find(config, ROW_AGGREGATE, running->row.row.name);
        if (!row || row->status != ROW_ACTIVE)
            end(aggregates, running, "the aggregate is no longer active", now);
        else if (row_restarts(&running->row.row, row))
            end(aggregates, running, "the aggregate was changed", now);
        else if (is_taken(aggregates, row->name))
            end(aggregates, running, "a sensor has the name of the aggregate", now);
    }
}

static struct running_aggregate *begin(struct aggregates *aggregates,
                                       const struct aggregate_row *row, struct moment now)
{
    struct running_aggregate *running = calloc(1, sizeof *running);
    if (!running)
        return NULL;
    running->row = *row;
    running->due_ns = now.mono_ns;
    running->membership = UINT64_MAX;
    running->node.key = running->key;
    running->node.key_len = index_key_text(running->key, row->row.name);
    index_add(&aggregates->index, &running->node);
    return running;
}

void aggregates_sync(struct aggregates *aggregates, const struct config *config, struct moment now)
{
    end_stale(aggregates, config, now);
    for (struct index_node *node = index_first(&config->rows[ROW_AGGREGATE]); node;
         node = index_next(node)) {
        const struct aggregate_row *row = (const struct aggregate_row *)node;
        struct running_aggregate *running = aggregates_find(aggregates, row->row.name);
        if (row->row.status != ROW_ACTIVE)
            continue;
        if (is_taken(aggregates, row->row.name))
            log_warning("core", "aggregate %s is not computed: a sensor has the same name",
                        row->row.name);
        else if (!running)
            running = begin(aggregates, row, now);
        if (!running)
            continue;
        running->row = *row;
        running->filter = config_filter(config, row->filter);
    }
    aggregates_plan(aggregates);
}
