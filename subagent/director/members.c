#include "director/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "director/range.h"

/* -- What the document says ------------------------------------------------------------------ */

static uint32_t network_of(const struct tree_config *tree, const char *address)
{
    for (size_t i = 0; i < tree->n_ranges; i++)
        if (range_has(&tree->ranges[i], address))
            return (uint32_t)i + 1;
    return 0;
}

static bool is_candidate(const struct tree_config *tree, const char *name)
{
    for (size_t i = 0; i < tree->n_candidates; i++)
        if (strcmp(tree->candidates[i], name) == 0)
            return true;
    return false;
}

void member_list(struct member *member, const struct tree_config *tree, size_t i)
{
    const struct tree_node *node = &tree->nodes[i];
    memcpy(member->name, node->name, sizeof member->name);
    memcpy(member->address, node->address, sizeof member->address);
    memcpy(member->group, node->group, sizeof member->group);
    member->collect = node->collect;
    member->network = network_of(tree, node->address);
    member->is_listed = true;
    member->is_announced = false;
    member->is_candidate = is_candidate(tree, node->name);
    member->place = (uint32_t)i;
}

bool member_may_announce(const struct tree_config *tree, const char *address)
{
    const struct tree_announcements *announcements = &tree->announcements;
    for (size_t i = 0; i < announcements->n_allowed; i++)
        if (range_has(&announcements->allowed[i], address))
            return true;
    return false;
}

/* A range says more of its nodes than a permission to announce does. */
bool member_find(struct member *member, const struct tree_config *tree, const char *address)
{
    const struct tree_announcements *announcements = &tree->announcements;
    uint32_t network = network_of(tree, address);
    const struct tree_range *range = network ? &tree->ranges[network - 1] : NULL;
    const char *group = member->wish[0] ? member->wish : announcements->group;
    if (!range && !(member->is_announced && member_may_announce(tree, address)))
        return false;
    text_format(member->address, sizeof member->address, "%s", address);
    text_format(member->group, sizeof member->group, "%s", range ? range->group : group);
    member->collect = range ? range->collect : announcements->collect;
    member->network = network;
    member->is_listed = member->is_candidate = false;
    return true;
}

/* -- Who is who ------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
    const struct member *one = *(struct member *const *)a, *other = *(struct member *const *)b;
    if (one->place != other->place)
        return one->place < other->place ? -1 : 1;
    return strcmp(one->address, other->address);
}

static int compare_engines(const struct member *one, const struct member *other)
{
    if (one->engine_len != other->engine_len)
        return one->engine_len < other->engine_len ? -1 : 1;
    return memcmp(one->engine_id, other->engine_id, one->engine_len);
}

static int by_engine(const void *a, const void *b)
{
    int order = compare_engines(*(struct member *const *)a, *(struct member *const *)b);
    return order ? order : by_place(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct member *one = *(struct member *const *)a, *other = *(struct member *const *)b;
    int order = strcmp(one->name, other->name);
    return order ? order : by_place(a, b);
}

static void sort(struct member **members, size_t n, int (*order)(const void *, const void *))
{
    if (n > 1)
        qsort(members, n, sizeof *members, order);
}

/* In each run of equal engine IDs, all but the first are clones of the first. */
static void judge_engines(struct member **members, size_t n)
{
    const struct member *first = NULL;
    sort(members, n, by_engine);
    for (size_t i = 0; i < n; i++) {
        struct member *member = members[i];
        if (member->engine_len == 0)
            continue;
        if (!first || compare_engines(first, member) != 0) {
            first = member;
            continue;
        }
        member->verdict = MEMBER_CLONE;
        text_format(
            member->fault, sizeof member->fault,
            "its engine ID is also that of \"%s\" at %s: one of them is a copy, or both are "
            "the same node",
            first->name, first->address);
    }
}

/* A node that was found has no name before it states one. */
static void judge_names(struct member **members, size_t n)
{
    const struct member *first = NULL;
    sort(members, n, by_name);
    for (size_t i = 0; i < n; i++) {
        struct member *member = members[i];
        if (member->verdict != MEMBER_GOOD || !member->name[0])
            continue;
        if (!first || strcmp(first->name, member->name) != 0) {
            first = member;
            continue;
        }
        member->verdict = MEMBER_CLONE;
        text_format(member->fault, sizeof member->fault,
                    "\"%s\" is also the name of the node at %s", member->name, first->address);
    }
}

static void judge_candidate(struct member *member)
{
    if (member->verdict != MEMBER_GOOD || !member->is_candidate || !member->said[0] ||
        strcmp(member->said, member->name) == 0)
        return;
    member->verdict = MEMBER_MISNAMED;
    text_format(member->fault, sizeof member->fault,
                "its dcampNodeName is \"%s\": a candidate must have the name of the list",
                member->said);
}

void members_judge(struct member **members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        members[i]->verdict = MEMBER_GOOD;
        members[i]->fault[0] = '\0';
    }
    judge_engines(members, n);
    judge_names(members, n);
    for (size_t i = 0; i < n; i++)
        judge_candidate(members[i]);
    sort(members, n, by_place);
}

void members_revoke(struct member **members, size_t n, const struct tree_config *tree)
{
    for (size_t i = 0; i < n; i++) {
        struct member *member = members[i];
        if (member->engine_len == 0 || !tree_revokes(tree, member->engine_id, member->engine_len))
            continue;
        member->verdict = MEMBER_REVOKED;
        text_format(member->fault, sizeof member->fault,
                    "its keys are revoked by the tree document");
    }
}
