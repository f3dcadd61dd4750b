#include "daemon/ranked.h"

#include <stdlib.h>
#include <string.h>

struct looking {
    struct process_usage *usage;
    struct usage_ranking ranking;                      /* of the last look */
    struct ranked_row rows[USAGE_ORDERS][USAGE_RANKS]; /* those that are in the index come first */
    size_t n[USAGE_ORDERS];
};

void ranked_open(struct ranked *ranked, const char *root)
{
    memset(ranked, 0, sizeof *ranked);
    index_init(&ranked->rows);
    ranked->root = root;
}

static void end_looking(struct ranked *ranked)
{
    struct looking *own = ranked->own;
    struct index_node *node;
    while ((node = index_first(&ranked->rows)))
        index_remove(&ranked->rows, node);
    index_release(&ranked->rows);
    index_init(&ranked->rows);
    ranked->looked_ns = ranked->span_ns = ranked->processes = 0;
    ranked->own = NULL;
    if (own)
        process_usage_free(own->usage);
    free(own);
}

void ranked_close(struct ranked *ranked)
{
    end_looking(ranked);
    index_release(&ranked->rows);
}

bool ranked_ask(struct ranked *ranked)
{
    return !atomic_exchange(&ranked->asked, true);
}

/* Whether the first look was made, and the second one was not. */
static bool is_halfway(const struct ranked *ranked)
{
    return ranked->own && ranked->looked_ns > 0 && ranked->span_ns == 0;
}

uint64_t ranked_due(const struct ranked *ranked)
{
    if (ranked->asked || is_halfway(ranked))
        return ranked->due_ns;
    return ranked->own ? ranked->asked_ns + RANKED_KEPT_NS : UINT64_MAX;
}

/* False: no memory. */
static bool begin_looking(struct ranked *ranked)
{
    struct looking *own = calloc(1, sizeof *own);
    if (own)
        own->usage = process_usage_new(ranked->root);
    if (!own || !own->usage) {
        free(own);
        return false;
    }
    for (unsigned order = 0; order < USAGE_ORDERS; order++)
        for (unsigned i = 0; i < USAGE_RANKS; i++) {
            struct ranked_row *row = &own->rows[order][i];
            row->key[0] = order + 1;
            row->key[1] = i + 1;
            row->node.key = row->key;
            row->node.key_len = 2;
        }
    ranked->own = own;
    return true;
}

static void publish(struct ranked *ranked, uint64_t now_ns)
{
    struct looking *own = ranked->own;
    for (unsigned order = 0; order < USAGE_ORDERS; order++) {
        size_t n = own->ranking.n[order];
        for (size_t i = 0; i < n; i++)
            own->rows[order][i].rank = own->ranking.ranks[order][i];
        for (; own->n[order] < n; own->n[order]++)
            index_add(&ranked->rows, &own->rows[order][own->n[order]].node);
        while (own->n[order] > n)
            index_remove(&ranked->rows, &own->rows[order][--own->n[order]].node);
    }
    ranked->looked_ns = now_ns;
    ranked->span_ns = own->ranking.span_ns;
    ranked->processes = own->ranking.processes;
}

static void look(struct ranked *ranked, pthread_mutex_t *lock, uint64_t now_ns)
{
    uint64_t began = clock_mono_ns();
    bool good = (ranked->own || begin_looking(ranked)) &&
                process_usage_look(ranked->own->usage, now_ns, &ranked->own->ranking) == 0;
    uint64_t rest = (clock_mono_ns() - began) * RANKED_SHARE;
    ranked->due_ns = now_ns + (rest > RANKED_EVERY_NS ? rest : RANKED_EVERY_NS);
    if (!good)
        return;
    pthread_mutex_lock(lock);
    publish(ranked, now_ns);
    pthread_mutex_unlock(lock);
}

void ranked_update(struct ranked *ranked, pthread_mutex_t *lock, uint64_t now_ns)
{
    if (now_ns < ranked_due(ranked))
        return;
    if (ranked->asked || is_halfway(ranked)) {
        if (atomic_exchange(&ranked->asked, false))
            ranked->asked_ns = now_ns;
        look(ranked, lock, now_ns);
        return;
    }
    pthread_mutex_lock(lock);
    end_looking(ranked);
    pthread_mutex_unlock(lock);
}
