#include "director/planning.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "director/archive.h"

/* How long the first plan waits for the nodes of the list, after the first answer of any. */
#define FORMATION (3 * NS_PER_S)

/* How long a plan waits for further changes. */
#define DEBOUNCE (300 * NS_PER_MS)

/* The pause between two plans that only make the tree more even, and how many nodes move in
 * each. */
#define CALM (10 * NS_PER_S)
#define MOVES 5

/* -- When ------------------------------------------------------------------------------------ */

static void plan_until(struct director *director, uint64_t ns)
{
    if (ns < director->plan.due_ns)
        director->plan.due_ns = ns;
}

/* Whether all nodes of the list have answered: those that do not answer need not be waited for,
 * once the others have had their time. */
static bool all_answered(const struct director *director)
{
    struct node *node;
    TAILQ_FOREACH(node, &director->roster.all, all)
    if (node->member.is_listed && !node->is_leaving && !node->target.looked &&
        node->member.verdict == MEMBER_GOOD)
        return false;
    return true;
}

void planning_now(struct director *director, uint64_t now)
{
    if (director->plan.is_formed)
        plan_until(director, now);
    else
        planning_soon(director, now);
}

void planning_soon(struct director *director, uint64_t now)
{
    if (director->plan.is_formed) {
        plan_until(director, now + DEBOUNCE);
        return;
    }
    if (director->plan.first_ns == 0)
        director->plan.first_ns = now;
    plan_until(director, all_answered(director) ? now : director->plan.first_ns + FORMATION);
}

uint64_t planning_due(const struct director *director)
{
    if (!director->verdict.may_order || !director->tree || director->dissolve.is_wanted)
        return UINT64_MAX;
    return director->plan.due_ns < director->plan.calm_ns ? director->plan.due_ns
                                                          : director->plan.calm_ns;
}

/* -- The serial of the tree document --------------------------------------------------------- */

/* The same document has the same serial, whoever is root: the serial that the candidates state, or
 * that is kept of a root that was lost. A new document gets one more than the highest that any of
 * them has, and so does an earlier document that is ordered again after another one. */
static void find_serial(struct director *director)
{
    uint32_t highest = director->archive.known_serial, same = 0;
    struct node *node;
    if (memcmp(director->archive.known_digest, director->order.digest, CONFIG_DIGEST) == 0)
        same = director->archive.known_serial;
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        const struct target_look *look = &node->target.look;
        if (!node->member.is_candidate)
            continue; /* not every node may have a say in this */
        if (look->serial > highest)
            highest = look->serial;
        if (look->serial > same && strcmp(look->digest, director->digest) == 0)
            same = look->serial;
    }
    bool is_latest = same > 0 && same == highest;
    director->plan.serial = is_latest || highest == UINT32_MAX ? highest : highest + 1;
}

/* -- The plan -------------------------------------------------------------------------------- */

struct planning {
    struct node **nodes; /* in the order of their names */
    struct plan_node *plan;
    struct share_node *shares;
    size_t n, root;
};

static int by_name(const void *a, const void *b)
{
    const struct node *one = *(struct node *const *)a, *other = *(struct node *const *)b;
    return strcmp(one->member.name, other->member.name);
}

/* A node that never answered has no place, because nobody could be given its keys. The root's own
 * node has one. */
static bool takes_part(const struct director *director, const struct node *node)
{
    return !node->is_leaving && node->member.verdict == MEMBER_GOOD && node->member.name[0] &&
           (node->target.looked || director_is_self(director, node));
}

static size_t find_name(const struct planning *planning, const char *name)
{
    size_t low = 0, high = planning->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, planning->nodes[middle]->member.name);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return PLAN_NOBODY;
}

static enum plan_collect may_collect(const struct node *node)
{
    if (target_is_lost(&node->target) || node->is_unfit || node->member.collect == TREE_COLLECT_NO)
        return PLAN_NO;
    return node->member.collect == TREE_COLLECT_YES ? PLAN_YES : PLAN_MAYBE;
}

/* Uses what the node says that it is, if this director has not planned for it yet. */
static void fill_past(const struct planning *planning, const struct node *node,
                      struct plan_node *plan)
{
    static const enum plan_role roles[] = {
        [SHARE_METRIC] = PLAN_METRIC, [SHARE_COLLECTOR] = PLAN_COLLECTOR, [SHARE_ROOT] = PLAN_ROOT};
    const struct target_look *look = &node->target.look;
    const char *parent = node->has_place ? node->parent : look->parent;
    plan->was = PLAN_NONE;
    plan->was_below = PLAN_NOBODY;
    if (!node->has_place && (!look->documents[TARGET_SHARE].works || look->role > SHARE_ROOT))
        return;
    plan->was = node->has_place ? node->role : roles[look->role];
    plan->was_below = find_name(planning, parent);
}

static void fill_plan(const struct planning *planning, size_t i, uint64_t now)
{
    const struct node *node = planning->nodes[i];
    struct plan_node *plan = &planning->plan[i];
    *plan = (struct plan_node){.network = node->member.network,
                               .up = true, /* a lost node keeps its place, but does not collect */
                               .collect = may_collect(node),
                               .avoids = find_name(planning, reach_avoids(&node->reach, now)),
                               .parent = PLAN_NOBODY};
    memcpy(plan->name, node->member.name, sizeof plan->name);
    memcpy(plan->group, node->member.group, sizeof plan->group);
    fill_past(planning, node, plan);
    if (plan->collect == PLAN_NO && plan->was == PLAN_COLLECTOR)
        plan->was = PLAN_METRIC;
    planning->shares[i] =
        (struct share_node){.member = &node->member, .share = &planning->nodes[i]->share};
}

static bool open_planning(struct director *director, struct planning *planning, uint64_t now)
{
    size_t room = director->roster.n + 1;
    struct node *node;
    *planning = (struct planning){.nodes = calloc(room, sizeof(struct node *)),
                                  .plan = calloc(room, sizeof(struct plan_node)),
                                  .shares = calloc(room, sizeof(struct share_node))};
    if (!planning->nodes || !planning->plan || !planning->shares)
        return false;
    TAILQ_FOREACH(node, &director->roster.all, all)
    if (takes_part(director, node))
        planning->nodes[planning->n++] = node;
    if (planning->n > 1)
        qsort(planning->nodes, planning->n, sizeof *planning->nodes, by_name);
    planning->root = find_name(planning, director->order.self);
    for (size_t i = 0; i < planning->n; i++)
        fill_plan(planning, i, now);
    return true;
}

static void close_planning(const struct planning *planning)
{
    free(planning->nodes);
    free(planning->plan);
    free(planning->shares);
}

static void say_fault(struct director *director, const char *fault, uint64_t now)
{
    if (fault[0] && strcmp(fault, director->plan.fault) != 0)
        director_log(director, LOG_LEVEL_ERROR, now, "%s", fault);
    text_format(director->plan.fault, sizeof director->plan.fault, "%s", fault);
}

/* True: the node has another place than before. */
static bool take_place(const struct planning *planning, size_t i)
{
    const struct plan_node *plan = &planning->plan[i];
    struct node *node = planning->nodes[i];
    const char *parent = plan->parent < planning->n ? planning->plan[plan->parent].name : "";
    bool moved = node->has_place != (plan->role != PLAN_NONE) || node->role != plan->role ||
                 node->level != plan->level || strcmp(node->parent, parent) != 0;
    node->has_place = plan->role != PLAN_NONE;
    node->role = plan->role;
    node->level = plan->level;
    text_format(node->parent, sizeof node->parent, "%s", parent);
    return moved;
}

static bool take_places(struct director *director, const struct planning *planning)
{
    struct node *node;
    bool moved = false;
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        node->was_lost = target_is_lost(&node->target);
        if (!takes_part(director, node))
            node->has_place = false;
    }
    for (size_t i = 0; i < planning->n; i++)
        moved |= take_place(planning, i);
    return moved;
}

static void make_shares(struct director *director, const struct planning *planning, uint64_t now)
{
    struct share_source source = {
        .tree = director->tree,
        .poll = keys_find(director->credentials, "poll"),
        .next = director->roster.nodes.next ? keys_find(director->credentials, "next poll") : NULL,
        .serial = director->plan.serial};
    memcpy(source.root, director->order.self, sizeof source.root);
    memcpy(source.digest, director->digest, sizeof source.digest);
    if (!source.poll || source.poll->invalid)
        return; /* when the secrets have been read again, a plan is made */
    if (!shares_make(&source, planning->plan, planning->shares, planning->n)) {
        director_log(director, LOG_LEVEL_ERROR, now,
                     "some shares could not be made: is there memory, and are they below 1 MiB?");
        plan_until(director, now + CALM);
    }
}

/* Whether nothing is under way, and every node is there. */
static bool is_calm(const struct director *director)
{
    struct node *node;
    TAILQ_FOREACH(node, &director->roster.all, all)
    if (takes_part(director, node) && !target_is_done(&node->target))
        return false;
    return true;
}

static void plan_all(struct director *director, const struct planning *planning, bool calm,
                     char fault[MESSAGE_SIZE], uint64_t now)
{
    const struct plan_rules rules = {
        .fanout = director->tree->rules.fanout, .calm = calm, .moves = MOVES};
    if (plan_make(planning->plan, planning->n, planning->root, &rules, fault))
        fault[0] = '\0';
    if (planning->plan[planning->root].role != PLAN_ROOT) { /* no memory */
        plan_until(director, now + CALM);
        return;
    }
    if (take_places(director, planning)) {
        director->plan.calm_ns = now + CALM;
        director->archive.has_moved = true;
    }
    make_shares(director, planning, now);
}

static void make_plan(struct director *director, bool calm, uint64_t now)
{
    char fault[MESSAGE_SIZE] = "";
    struct planning planning;
    if (!open_planning(director, &planning, now)) {
        text_format(fault, sizeof fault, "no memory for a plan of the tree");
        plan_until(director, now + CALM);
    } else if (planning.root == PLAN_NOBODY) {
        text_format(fault, sizeof fault,
                    "\"%s\", the root, is not in the tree or not who it seems: nothing is ordered",
                    director->order.self);
    } else {
        plan_all(director, &planning, calm, fault, now);
    }
    say_fault(director, fault, now);
    close_planning(&planning);
}

bool planning_step(struct director *director, uint64_t now)
{
    bool calm = false;
    if (now < planning_due(director))
        return false;
    if (now < director->plan.due_ns) {
        calm = is_calm(director);
        director->plan.calm_ns = calm ? UINT64_MAX : now + CALM;
        if (!calm)
            return false;
    }
    director->plan.due_ns = UINT64_MAX;
    director->plan.is_formed = true;
    if (director->plan.serial == 0)
        find_serial(director);
    make_plan(director, calm, now);
    return true;
}

/* -- What a node is to have ------------------------------------------------------------------ */

/* The root does not order its own tree document, because that is what makes it root. But to become
 * root, it does. */
static void want_tree(struct director *director, struct node *node, bool is_own)
{
    bool ends = node->is_leaving || director->dissolve.is_wanted || !node->member.is_candidate;
    struct parcel *document = is_own ? archive_document(director) : director->document;
    if (is_own ? director->verdict.promote && document : !ends && document)
        target_want(&node->target, TARGET_TREE, document);
    else if (is_own || !ends)
        target_want_nothing(&node->target, TARGET_TREE);
    else
        target_want(&node->target, TARGET_TREE, NULL);
}

/* Collectors go last: until then their children are asked through them. */
static bool may_end(const struct director *director, const struct node *node)
{
    return !director->dissolve.is_wanted || !node->has_place ||
           node->level >= director->dissolve.level;
}

static void want_share(struct director *director, struct node *node)
{
    bool ends = node->is_leaving || director->dissolve.is_wanted;
    if (ends && may_end(director, node))
        target_want(&node->target, TARGET_SHARE, NULL);
    else if (node->has_place && node->share.packed)
        target_want(&node->target, TARGET_SHARE, node->share.packed);
    else
        target_want_nothing(&node->target, TARGET_SHARE);
}

void planning_want(struct director *director, struct node *node)
{
    struct target *target = &node->target;
    bool is_own = director_is_self(director, node);
    bool is_good = node->member.verdict == MEMBER_GOOD || node->is_leaving;
    bool orders = director->verdict.may_order && archive_is_kept(director);
    uint32_t term = orders && is_good ? director->order.term : 0;
    if (is_own && director->verdict.promote)
        term = director->verdict.promote;
    target->is_leaf = !node->member.is_candidate && node->has_place && node->role == PLAN_METRIC;
    target_set_term(target, term);
    want_tree(director, node, is_own);
    if (is_own && director->verdict.promote)
        target_want_nothing(target, TARGET_SHARE);
    else
        want_share(director, node);
}
