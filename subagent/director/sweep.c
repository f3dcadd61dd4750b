#include "director/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "director/planning.h"
#include "director/rows.h"

/* How often free probes are sent out: at most 128 addresses are asked in a second. */
#define STEP (250 * NS_PER_MS)

/* The pause between two rounds. */
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

/* Finds a node that is already known by another address. */
static struct node *find_same(const struct director *director, const struct node *probe)
{
    struct node *node = roster_named(&director->roster, probe->member.said);
    bool is_same =
        node && node->member.engine_len == probe->member.engine_len &&
        memcmp(node->member.engine_id, probe->member.engine_id, probe->member.engine_len) == 0;
    return is_same ? node : NULL;
}

/* Whether the node has another address now: it had announced itself before, and is not at the
 * earlier address any more. */
static bool has_moved(const struct node *node, const struct node *probe)
{
    return probe->member.is_announced && node->member.is_announced && target_is_lost(&node->target);
}

/* False: the node is known and there, by another address. */
static bool make_way(struct director *director, const struct node *probe, uint64_t now)
{
    struct node *node = find_same(director, probe);
    if (!node)
        return true;
    if (!has_moved(node, probe))
        return false;
    rows_drop(director, node, now);
    roster_remove(&director->roster, node);
    return true;
}

/* What has answered becomes a node, and is asked as a node from now on. */
static void take_in(struct director *director, const struct node *probe, uint64_t now)
{
    struct node *node;
    if (roster_find(&director->roster, probe->member.address) || !make_way(director, probe, now))
        return;
    node = roster_add(&director->roster, probe->member.address);
    if (!node)
        return; /* the next round, or its next announcement, finds it again */
    node->member.is_announced = probe->member.is_announced;
    memcpy(node->member.wish, probe->member.wish, sizeof node->member.wish);
    if (!member_find(&node->member, director->tree, probe->member.address)) {
        roster_remove(&director->roster, node);
        return;
    }
    director_log(director, LOG_LEVEL_INFO, now, "\"%s\" %s at %s", probe->member.said,
                 probe->member.is_announced ? "has announced itself and was found" : "was found",
                 probe->member.address);
    planning_want(director, node);
    node_run(node, now);
}

/* Handles the result of the question to one that had announced itself. */
static void end_announced(struct director *director, const struct node *probe, uint64_t now)
{
    const char *address = probe->member.address;
    if (probe->target.looked)
        announced_forget(&director->announced, address);
    else if (announced_is_gone(&director->announced, address))
        director_log(director, LOG_LEVEL_WARNING, now,
                     "a node has announced itself at %s, and is not found there: %s", address,
                     probe->target.silence);
}

static void end_probes(struct director *director, uint64_t now)
{
    for (size_t i = 0; i < DIRECTOR_PROBES; i++) {
        struct node *probe = director->sweep.probes[i];
        if (!probe || !probe->is_spent)
            continue;
        if (probe->target.looked)
            take_in(director, probe, now);
        if (probe->member.is_announced)
            end_announced(director, probe, now);
        end_probe(&director->sweep.probes[i]);
    }
}

/* -- Questions ------------------------------------------------------------------------------- */

/* NULL: as many are being asked as is allowed. */
static struct node **free_probe(struct director *director)
{
    for (size_t i = 0; i < DIRECTOR_PROBES; i++)
        if (!director->sweep.probes[i])
            return &director->sweep.probes[i];
    return NULL;
}

/* wish: the group that one that has announced itself wants; NULL: it is an address of a range. */
static void begin_probe(struct director *director, struct node **probe, const char *address,
                        const char *wish, uint64_t now)
{
    *probe = malloc(sizeof **probe);
    if (!*probe)
        return;
    node_open(*probe, &director->roster.nodes, &director->roster.rules);
    struct member *member = &(*probe)->member;
    (*probe)->is_probe = true;
    member->is_announced = wish != NULL;
    text_format(member->address, sizeof member->address, "%s", address);
    text_format(member->wish, sizeof member->wish, "%s", wish ? wish : "");
    node_run(*probe, now);
}

static bool is_probed(const struct director *director, const char *address)
{
    for (size_t i = 0; i < DIRECTOR_PROBES; i++) {
        const struct node *probe = director->sweep.probes[i];
        if (probe && strcmp(probe->member.address, address) == 0)
            return true;
    }
    return false;
}

/* The document may have changed since they announced themselves. */
static bool is_asked(const struct director *director, const char *address)
{
    return member_may_announce(director->tree, address) && !roster_find(&director->roster, address);
}

/* The group that a node had before is its wish, unless it is the group for those without a wish. */
static const char *wish_of(const struct director *director, const struct announced_place *place)
{
    bool has_none =
        place->was_known && strcmp(place->group, director->tree->announcements.group) == 0;
    return has_none ? "" : place->group;
}

/* Asks those that have announced themselves. */
static uint64_t ask_announced(struct director *director, uint64_t now)
{
    const struct announced_place *place;
    struct node **probe = NULL;
    if (now < director->sweep.announced_ns)
        return director->sweep.announced_ns;
    while ((probe = free_probe(director)) && (place = announced_next(&director->announced, now))) {
        director->sweep.announced_ns = now + STEP;
        if (!is_asked(director, place->address))
            announced_forget(&director->announced, place->address);
        else if (!is_probed(director, place->address))
            begin_probe(director, probe, place->address, wish_of(director, place), now);
    }
    uint64_t due = announced_due(&director->announced);
    return probe && due > director->sweep.announced_ns ? due : now + STEP;
}

/* False: the round has ended. */
static bool next_address(struct director *director, char address[PEER_ADDRESS_SIZE])
{
    const struct tree_config *tree = director->tree;
    bool is_one;
    do
        is_one = range_next(&director->sweep.cursor, tree->ranges, tree->n_ranges, address);
    while (is_one && roster_find(&director->roster, address));
    return is_one;
}

/* Asks the addresses of the ranges. */
static uint64_t ask_ranges(struct director *director, uint64_t now)
{
    char address[PEER_ADDRESS_SIZE];
    struct node **probe;
    if (director->tree->n_ranges == 0)
        return UINT64_MAX;
    if (now < director->sweep.due_ns)
        return director->sweep.due_ns;
    director->sweep.due_ns = now + STEP;
    while ((probe = free_probe(director))) {
        if (!next_address(director, address)) {
            director->sweep.due_ns = now + PAUSE;
            break;
        }
        begin_probe(director, probe, address, NULL, now);
        if (!*probe)
            break;
    }
    return director->sweep.due_ns;
}

uint64_t sweep_step(struct director *director, uint64_t now)
{
    end_probes(director, now);
    uint64_t announced = ask_announced(director, now), ranges = ask_ranges(director, now);
    return announced < ranges ? announced : ranges;
}
