#include "director/roster.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void roster_open(struct roster *roster, int epoll)
{
    TAILQ_INIT(&roster->all);
    nodes_open(&roster->nodes, epoll);
}

void roster_close(struct roster *roster)
{
    while (!TAILQ_EMPTY(&roster->all))
        roster_remove(roster, TAILQ_FIRST(&roster->all));
    nodes_close(&roster->nodes);
}

struct node *roster_find(const struct roster *roster, const char *address)
{
    struct node *node;
    HASH_FIND(hh, roster->by_address, address, strlen(address), node);
    return node;
}

struct node *roster_named(const struct roster *roster, const char *name)
{
    struct node *node;
    TAILQ_FOREACH(node, &roster->all, all)
    if (!node->is_leaving && strcmp(node->member.name, name) == 0)
        return node;
    return NULL;
}

struct node *roster_member(const struct roster *roster, const char *name)
{
    struct node *node;
    HASH_FIND(named, roster->by_name, name, strlen(name), node);
    return node;
}

struct node *roster_add(struct roster *roster, const char *address)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    node_open(node, &roster->nodes, &roster->rules);
    text_format(node->member.address, sizeof node->member.address, "%s", address);
    HASH_ADD_KEYPTR(hh, roster->by_address, node->member.address, strlen(node->member.address),
                    node);
    if (!table_has(hh, node)) {
        node_close(node);
        free(node);
        return NULL;
    }
    TAILQ_INSERT_TAIL(&roster->all, node, all);
    roster->n++;
    node->member.place = ++roster->last_place;
    return node;
}

void roster_remove(struct roster *roster, struct node *node)
{
    HASH_DELETE(hh, roster->by_address, node);
    if (table_has(named, node))
        HASH_DELETE(named, roster->by_name, node);
    TAILQ_REMOVE(&roster->all, node, all);
    roster->n--;
    node_close(node);
    free(node);
}

/* -- The tree document ----------------------------------------------------------------------- */

/* Nodes that were found come after the list. */
static bool follow_list(struct roster *roster, const struct tree_config *tree)
{
    bool all = true;
    for (size_t i = 0; i < tree->n_nodes; i++) {
        struct node *node = roster_find(roster, tree->nodes[i].address);
        if (!node)
            node = roster_add(roster, tree->nodes[i].address);
        all &= node != NULL;
        if (!node)
            continue;
        member_list(&node->member, tree, i);
        node->is_leaving = node->is_unfit = false;
    }
    return all;
}

bool roster_follow(struct roster *roster, const struct tree_config *tree)
{
    struct node *node;
    TAILQ_FOREACH(node, &roster->all, all)
    {
        char address[PEER_ADDRESS_SIZE];
        uint32_t place = node->member.place;
        memcpy(address, node->member.address, sizeof address);
        node->is_unfit = false;
        node->is_leaving = !member_find(&node->member, tree, address);
        node->member.place =
            place < tree->n_nodes ? (uint32_t)tree->n_nodes + ++roster->last_place : place;
    }
    if (roster->last_place < tree->n_nodes)
        roster->last_place = (uint32_t)tree->n_nodes;
    return follow_list(roster, tree);
}

/* -- Who is who ------------------------------------------------------------------------------ */

static void hold(struct node *node)
{
    bool held = node->member.verdict == MEMBER_CLONE || node->member.verdict == MEMBER_REVOKED;
    if (node->target.is_held && !held)
        target_hurry(&node->target);
    node->target.is_held = held;
}

/* Rebuilds the table of names: each name belongs to one node. */
static void name_all(struct roster *roster)
{
    struct node *node;
    HASH_CLEAR(named, roster->by_name);
    TAILQ_FOREACH(node, &roster->all, all)
    {
        const struct member *member = &node->member;
        memset(&node->named, 0, sizeof node->named);
        if (!node->is_leaving && member->verdict == MEMBER_GOOD && member->name[0])
            HASH_ADD_KEYPTR(named, roster->by_name, member->name, strlen(member->name), node);
    }
}

bool roster_judge(struct roster *roster, const struct tree_config *tree)
{
    struct member **members = calloc(roster->n + 1, sizeof(struct member *));
    struct node *node;
    size_t n = 0;
    if (!members)
        return false;
    TAILQ_FOREACH(node, &roster->all, all)
    {
        if (!node->member.is_listed)
            memcpy(node->member.name, node->member.said, sizeof node->member.name);
        if (!node->is_leaving)
            members[n++] = &node->member;
    }
    members_judge(members, n);
    if (tree)
        members_revoke(members, n, tree);
    free(members);
    TAILQ_FOREACH(node, &roster->all, all)
    hold(node);
    name_all(roster);
    return true;
}

void roster_name(const struct node *node, char name[NAME_SIZE])
{
    const struct member *member = &node->member;
    bool has_own = member->is_listed || (member->name[0] && member->verdict != MEMBER_CLONE);
    const char *start = strrchr(member->address, '[') ? strrchr(member->address, '[') + 1
                        : strncmp(member->address, "udp:", 4) == 0 ? member->address + 4
                                                                   : member->address;
    text_format(name, NAME_SIZE, "%s", has_own ? member->name : start);
    for (char *at = name; !has_own && *at; at++)
        if (!text_is_name(at, 1))
            *at = '-';
}
