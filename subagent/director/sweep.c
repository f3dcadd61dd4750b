#include "director/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "director/planning.h"

/* So often the probes that are free are sent on: at most 128 addresses are asked in a second. */
#define STEP (250 * NS_PER_MS)

/* Between two rounds. */
#define PAUSE (60 * NS_PER_S)

static void end_probe(struct node **probe)
{
    node_close(*probe);
    free(*probe);
    *probe = NULL;
}

void sweep_stop(struct director *director)
{
    for (size_t i = 0; i < DIRECTOR_PROBES; i++)
        if (director->sweep.probes[i])
            end_probe(&director->sweep.probes[i]);
}

/* A node that the list has by another address. */
static bool is_known(const struct director *director, const struct node *probe)
{
    const struct node *node = roster_named(&director->roster, probe->member.said);
    return node && node->member.engine_len == probe->member.engine_len &&
           memcmp(node->member.engine_id, probe->member.engine_id, probe->member.engine_len) == 0;
}

/* Who answered becomes a node, and is asked as such from now on. */
static void take_in(struct director *director, const struct node *probe, uint64_t now)
{
    struct node *node;
    if (!probe->target.looked || is_known(director, probe) ||
        roster_find(&director->roster, probe->member.address))
        return;
    node = roster_add(&director->roster, probe->member.address);
    if (!node)
        return; /* the next round finds it again */
    if (!member_find(&node->member, director->tree, probe->member.address)) {
        roster_remove(&director->roster, node);
        return;
    }
    director_log(director, LOG_LEVEL_INFO, now, "\"%s\" was found at %s", probe->member.said,
                 probe->member.address);
    planning_want(director, node);
    node_run(node, now);
}

static void begin_probe(struct director *director, struct node **probe, const char *address,
                        uint64_t now)
{
    *probe = malloc(sizeof **probe);
    if (!*probe)
        return;
    node_open(*probe, &director->roster.nodes, &director->roster.rules);
    (*probe)->is_probe = true;
    text_format((*probe)->member.address, sizeof(*probe)->member.address, "%s", address);
    node_run(*probe, now);
}

/* False: the round is at its end. */
static bool next_address(struct director *director, char address[PEER_ADDRESS_SIZE])
{
    const struct tree_config *tree = director->tree;
    bool is_one;
    do
        is_one = range_next(&director->sweep.cursor, tree->ranges, tree->n_ranges, address);
    while (is_one && roster_find(&director->roster, address));
    return is_one;
}

uint64_t sweep_step(struct director *director, uint64_t now)
{
    char address[PEER_ADDRESS_SIZE];
    for (size_t i = 0; i < DIRECTOR_PROBES; i++) {
        struct node *probe = director->sweep.probes[i];
        if (!probe || !probe->is_spent)
            continue;
        take_in(director, probe, now);
        end_probe(&director->sweep.probes[i]);
    }
    if (director->tree->n_ranges == 0 || now < director->sweep.due_ns)
        return director->tree->n_ranges == 0 ? UINT64_MAX : director->sweep.due_ns;
    director->sweep.due_ns = now + STEP;
    for (size_t i = 0; i < DIRECTOR_PROBES; i++) {
        if (director->sweep.probes[i])
            continue;
        if (!next_address(director, address)) {
            director->sweep.due_ns = now + PAUSE;
            break;
        }
        begin_probe(director, &director->sweep.probes[i], address, now);
    }
    return director->sweep.due_ns;
}
