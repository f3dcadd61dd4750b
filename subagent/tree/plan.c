/* All metric nodes are equally far from the root. A layer is the distance from them: they are in
 * layer 0, a collector is one layer above its children, and the root is above all.
 *
 * The plan is made in steps: first it is found what can stay as it is; then how many collectors
 * each layer needs; then new ones are chosen; then nodes without a parent get one. Each step is a
 * number of passes over sorted arrays for each layer, and the number of layers is the logarithm of
 * the number of nodes. */
#include "tree/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 8
#define LAYERS_MAX 40 /* enough for a fan-out of 2 and more nodes than there is memory for */

/* A node while the plan is made. */
struct seat {
    enum plan_role was;
    size_t was_below;
    size_t parent;
    size_t load;          /* children that it has */
    size_t link;          /* the parent that it had, if that node may be a parent */
    size_t pending;       /* children that had it as their parent and have not been looked at yet */
    bool is_linked;       /* somebody has it as link */
    bool is_above_metric; /* it is a metric node, or has one somewhere below it */
    uint32_t height;
    uint32_t layer;
    uint32_t group;     /* numbers in the order of the names */
    uint32_t class;     /* of its group and network */
    uint32_t key;       /* for a collector: the class of most of its children, else its own */
    uint32_t run_class; /* the class of the children that are being counted, ... */
    size_t run, best;   /* ... how many they are, and how many are of the class that is the key */
};

/* The nodes of one group and network. Those that may still be made collectors are in
 * plan.spare[first] to [end - 1], the best choice first. */
struct class
{
    uint32_t group;
    uint32_t next; /* the next class that may have such nodes: this one, or a later one */
    size_t first, end;
    size_t heaviest;       /* how many children its fullest collector has */
    size_t home, home_end; /* indexes of entries: its collectors that may have room */
};

struct group {
    uint32_t first, end; /* its classes */
    size_t need;         /* how many nodes its collectors have no room for */
    size_t room;
    size_t quota;      /* how many more collectors it is to have */
    uint32_t heaviest; /* the class of its fullest collector */
    size_t home, home_end;
};

/* A collector as a parent: id is what its children should have in common. */
struct entry {
    uint32_t id;
    size_t load, node;
};

struct plan {
    const struct plan_node *nodes;
    struct seat *seats;
    size_t root, fanout;
    size_t *order; /* the nodes that are up, except for the root: by group, network and name */
    size_t m;
    uint32_t top; /* the layer of the root */
    size_t have[LAYERS_MAX + 1], want[LAYERS_MAX + 1];
    size_t may;   /* nodes that may collect */
    size_t wants; /* and how many are told to */
    struct class *classes;
    uint32_t n_classes;
    struct group *groups;
    uint32_t n_groups;
    size_t *spare;
    size_t *upwards, n_upwards; /* children before their parents */
    size_t *items;              /* nodes that look for a parent */
    size_t *below, *from;       /* the children of node i of one layer begin at below[from[i]] */
    struct entry *entries;
    size_t moves; /* how many are still allowed */
};

static bool may_collect(const struct plan *plan, size_t i)
{
    return plan->nodes[i].collect != PLAN_NO;
}

static bool is_told_to(const struct plan *plan, size_t i)
{
    return plan->nodes[i].collect == PLAN_YES;
}

static bool may_be_below(const struct plan *plan, size_t i, size_t parent)
{
    return plan->nodes[i].avoids != parent || parent == plan->root;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t parts(size_t n, size_t size)
{
    return n / size + (n % size > 0);
}

/* -- Who there is ---------------------------------------------------------------------------- */

static int compare_class(const struct plan_node *a, const struct plan_node *b)
{
    int difference = strcmp(a->group, b->group);
    return difference ? difference : (a->network > b->network) - (a->network < b->network);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct plan_node *const *x = a, *const *y = b;
    int difference = compare_class(*x, *y);
    return difference ? difference : strcmp((*x)->name, (*y)->name);
}

static bool sort_nodes(struct plan *plan, size_t n)
{
    const struct plan_node **sorted = calloc(n, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < n; i++)
        if (i != plan->root && plan->nodes[i].up)
            sorted[plan->m++] = &plan->nodes[i];
    qsort(sorted, plan->m, sizeof *sorted, compare_nodes);
    for (size_t i = 0; i < plan->m; i++)
        plan->order[i] = (size_t)(sorted[i] - plan->nodes);
    free(sorted);
    return true;
}

static void number_classes(struct plan *plan)
{
    const struct plan_node *last = NULL;
    for (size_t i = 0; i < plan->m; i++) {
        const struct plan_node *node = &plan->nodes[plan->order[i]];
        if (!last || strcmp(last->group, node->group) != 0)
            plan->groups[plan->n_groups++] = (struct group){.first = plan->n_classes};
        if (!last || compare_class(last, node) != 0)
            plan->classes[plan->n_classes++] = (struct class){.group = plan->n_groups - 1};
        last = node;
        struct seat *seat = &plan->seats[plan->order[i]];
        seat->group = plan->n_groups - 1;
        seat->class = seat->key = plan->n_classes - 1;
        plan->groups[seat->group].end = plan->n_classes;
        plan->may += may_collect(plan, plan->order[i]);
        plan->wants += is_told_to(plan, plan->order[i]);
    }
}

/* -- How many collectors there must be ------------------------------------------------------- */

/* How many nodes a layer can have below the root, at most n. */
static size_t layer_max(size_t fanout, uint32_t above, size_t n)
{
    size_t max = 1;
    while (above-- > 0 && max < n)
        max = max > n / fanout ? n : max * fanout;
    return least(max, n);
}

/* How many collectors all layers have together, if the lowest has so many and each other at least
 * what it has already. SIZE_MAX: some have no place even so. */
static size_t count_layers(const struct plan *plan, uint32_t top, size_t lowest, const size_t *have,
                           size_t *want)
{
    size_t sum = want[1] = lowest;
    for (uint32_t h = 2; h < top; h++) {
        want[h] = parts(want[h - 1], plan->fanout);
        if (have && have[h] > want[h])
            want[h] = have[h];
        sum += want[h];
    }
    for (uint32_t h = 1; h < top; h++)
        if (want[h] > layer_max(plan->fanout, top - h, plan->m))
            return SIZE_MAX;
    return sum;
}

static bool is_enough(const struct plan *plan, size_t lowest, size_t sum)
{
    return sum >= plan->m || parts(plan->m - sum, plan->fanout) <= lowest;
}

/* The largest number of collectors in the lowest layer with which there are at most limit in all
 * layers. */
static size_t lowest_with(const struct plan *plan, uint32_t top, size_t limit, const size_t *have)
{
    size_t want[LAYERS_MAX + 1], low = 0, high = least(limit, plan->m);
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (count_layers(plan, top, middle, have, want) <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The smallest number with which all nodes have a place; SIZE_MAX: up to limit there is none. */
static size_t lowest_for_all(const struct plan *plan, uint32_t top, size_t limit,
                             const size_t *have)
{
    size_t want[LAYERS_MAX + 1], low = have ? have[1] : 1, high = limit;
    if (low < 1)
        low = 1;
    if (low > high || !is_enough(plan, high, count_layers(plan, top, high, have, want)))
        return SIZE_MAX;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_enough(plan, middle, count_layers(plan, top, middle, have, want)))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Sets want. False: even all nodes that may collect are too few; then as many nodes as possible
 * have a place. */
static bool count_collectors(struct plan *plan, uint32_t top, const size_t *have, size_t told)
{
    size_t most = lowest_with(plan, top, plan->may, have);
    size_t lowest = most > 0 ? lowest_for_all(plan, top, most, have) : SIZE_MAX;
    bool enough = lowest != SIZE_MAX;
    if (!enough)
        lowest = most;
    size_t for_told = lowest_with(plan, top, told, have);
    if (for_told > lowest)
        lowest = for_told;
    size_t sum = count_layers(plan, top, lowest, have, plan->want);
    if (sum < told) /* those are parents that another child would need a parent above */
        plan->want[top - 1] += least(told - sum, plan->fanout - plan->want[top - 1]);
    return enough;
}

/* The layer of the root if nothing were there yet: the lowest one with which all nodes have a
 * place, and so do all that are told to collect. False: too few may collect; then it is the layer
 * with which most have a place. */
static bool find_top(struct plan *plan, uint32_t *top)
{
    size_t best = 0, room = 0;
    bool enough = plan->m <= plan->fanout;
    *top = 1;
    if (plan->may == 0 || (enough && plan->wants == 0))
        return enough;
    enough = false;
    for (uint32_t t = 2; t < LAYERS_MAX && (!enough || room < plan->wants); t++) {
        bool is_enough_here = count_collectors(plan, t, NULL, 0);
        size_t placed = least(plan->want[1] * plan->fanout, plan->m);
        room += layer_max(plan->fanout, t - 1, plan->m);
        if (is_enough_here ? !enough || room >= plan->wants : !enough && placed > best)
            *top = t;
        enough |= is_enough_here;
        best = placed > best ? placed : best;
        if (layer_max(plan->fanout, t - 1, plan->m) >= plan->m)
            break;
    }
    return enough;
}

/* -- What stays as it is --------------------------------------------------------------------- */

static size_t link_of(const struct plan *plan, size_t i, size_t n)
{
    size_t parent = plan->seats[i].was_below;
    if (parent >= n || parent == i || !plan->nodes[parent].up || !may_be_below(plan, i, parent))
        return PLAN_NOBODY;
    return parent == plan->root || may_collect(plan, parent) ? parent : PLAN_NOBODY;
}

static void find_links(struct plan *plan, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        plan->seats[i].pending = 0;
        plan->seats[i].is_linked = false;
    }
    for (size_t k = 0; k < plan->m; k++) {
        size_t i = plan->order[k];
        struct seat *seat = &plan->seats[i];
        seat->link = link_of(plan, i, n);
        seat->height = is_told_to(plan, i) && seat->was == PLAN_COLLECTOR;
        if (seat->link == PLAN_NOBODY)
            continue;
        plan->seats[seat->link].pending++;
        plan->seats[seat->link].is_linked = true;
    }
}

/* Goes from the leaves upwards. A node that is below itself is never reached, and loses its
 * parent. */
static void find_heights(struct plan *plan)
{
    size_t head = 0, tail = 0;
    for (size_t k = 0; k < plan->m; k++) {
        struct seat *seat = &plan->seats[plan->order[k]];
        seat->is_above_metric = seat->height == 0 && !seat->is_linked;
        if (seat->pending == 0)
            plan->upwards[tail++] = plan->order[k];
    }
    while (head < tail) {
        const struct seat *seat = &plan->seats[plan->upwards[head++]];
        if (seat->link == PLAN_NOBODY)
            continue;
        struct seat *parent = &plan->seats[seat->link];
        if (parent->height <= seat->height)
            parent->height = seat->height + 1;
        parent->is_above_metric |= seat->is_above_metric;
        if (--parent->pending == 0 && seat->link != plan->root)
            plan->upwards[tail++] = seat->link;
    }
    plan->n_upwards = tail;
    for (size_t k = 0; k < plan->m; k++)
        if (plan->seats[plan->order[k]].pending > 0)
            plan->seats[plan->order[k]].link = PLAN_NOBODY;
}

/* Collectors without metric nodes below them stay one layer below their parents if they are told to
 * collect, or have such collectors below them. Parents come before their children here. */
static void keep_idle(struct plan *plan)
{
    for (size_t k = plan->n_upwards; k-- > 0;) {
        struct seat *seat = &plan->seats[plan->upwards[k]];
        if (seat->is_above_metric || seat->layer == 0)
            continue;
        uint32_t above = seat->link == PLAN_NOBODY ? 0 : plan->seats[seat->link].layer;
        if (above > seat->height)
            seat->layer = above - 1;
        else if (!seat->is_linked)
            seat->layer = 0;
    }
}

static void keep_parent(struct plan *plan, struct seat *seat)
{
    if (seat->link == PLAN_NOBODY)
        return;
    struct seat *parent = &plan->seats[seat->link];
    if (parent->layer == seat->layer + 1 && parent->load < plan->fanout) {
        seat->parent = seat->link;
        parent->load++;
    }
}

/* Finds out who keeps its place if the root is in this layer. */
static void keep(struct plan *plan, uint32_t top)
{
    plan->top = top;
    memset(plan->have, 0, sizeof plan->have);
    for (size_t k = 0; k < plan->m; k++) {
        struct seat *seat = &plan->seats[plan->order[k]];
        seat->parent = PLAN_NOBODY;
        seat->load = 0;
        seat->layer = seat->height < top ? seat->height : 0;
    }
    plan->seats[plan->root].layer = top;
    plan->seats[plan->root].load = 0;
    keep_idle(plan);
    for (uint32_t h = 0; h < top; h++)
        for (size_t k = 0; k < plan->m; k++) {
            struct seat *seat = &plan->seats[plan->order[k]];
            if (seat->layer != h)
                continue;
            if (h > 0 && seat->load == 0 && !is_told_to(plan, plan->order[k])) {
                seat->layer = 0;
                continue;
            }
            plan->have[h]++;
            keep_parent(plan, seat);
        }
}

static size_t count_told(const struct plan *plan)
{
    size_t told = 0;
    for (size_t k = 0; k < plan->m; k++)
        told += plan->seats[plan->order[k]].layer > 0 || is_told_to(plan, plan->order[k]);
    return told;
}

/* One level more than needed is kept, because it came with nodes that may come back. */
static bool settle(struct plan *plan)
{
    uint32_t needed, kept = 1;
    bool enough = find_top(plan, &needed);
    for (size_t k = 0; k < plan->m; k++)
        if (plan->seats[plan->order[k]].height >= kept)
            kept = plan->seats[plan->order[k]].height + 1;
    if (plan->may == 0)
        kept = needed;
    if (kept > needed) {
        keep(plan, needed + 1);
        if (count_collectors(plan, plan->top, plan->have, count_told(plan)))
            return true;
    }
    keep(plan, needed);
    if (needed == 1)
        return enough;
    if (!count_collectors(plan, needed, plan->have, count_told(plan)))
        count_collectors(plan, needed, NULL, plan->wants);
    return enough;
}

/* -- Who becomes a collector, and who is none any more --------------------------------------- */

static void leave(struct plan *plan, size_t i)
{
    struct seat *seat = &plan->seats[i];
    if (seat->parent != PLAN_NOBODY)
        plan->seats[seat->parent].load--;
    seat->parent = PLAN_NOBODY;
}

static void join(struct plan *plan, size_t i, size_t parent)
{
    plan->seats[i].parent = parent;
    plan->seats[parent].load++;
}

static void make_collector(struct plan *plan, size_t i, uint32_t layer)
{
    leave(plan, i);
    plan->seats[i].layer = layer;
    plan->have[layer]++;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->load != y->load)
        return x->load < y->load ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The member node of an entry is an index of the order. */
static size_t list_collectors(struct plan *plan, uint32_t layer)
{
    size_t n = 0;
    for (size_t k = 0; k < plan->m; k++) {
        const struct seat *seat = &plan->seats[plan->order[k]];
        if (seat->layer == layer && layer > 0)
            plan->entries[n++] = (struct entry){.load = seat->load, .node = k};
    }
    return n;
}

/* Dismisses those with the fewest children first, and those that are told to collect last. */
static void dismiss(struct plan *plan, uint32_t layer)
{
    if (plan->have[layer] <= plan->want[layer])
        return;
    size_t n = list_collectors(plan, layer);
    for (size_t e = 0; e < n; e++)
        plan->entries[e].id = is_told_to(plan, plan->order[plan->entries[e].node]);
    qsort(plan->entries, n, sizeof *plan->entries, compare_entries);
    for (size_t e = 0; e < n - plan->want[layer]; e++) {
        size_t i = plan->order[plan->entries[e].node];
        leave(plan, i);
        plan->seats[i].layer = 0;
    }
    plan->have[layer] = plan->want[layer];
    for (size_t k = 0; k < plan->m; k++) {
        struct seat *seat = &plan->seats[plan->order[k]];
        if (seat->parent != PLAN_NOBODY && plan->seats[seat->parent].layer == 0)
            leave(plan, plan->order[k]);
    }
}

/* Chooses those that are told to collect, spread over the whole order. */
static void choose_told(struct plan *plan, uint32_t layer)
{
    size_t n = 0, lack = plan->want[layer] - plan->have[layer];
    for (size_t k = 0; k < plan->m && lack > 0; k++)
        if (plan->seats[plan->order[k]].layer == 0 && is_told_to(plan, plan->order[k]))
            plan->items[n++] = plan->order[k];
    size_t chosen = least(n, lack);
    for (size_t c = 0; c < chosen; c++)
        make_collector(plan, plan->items[(2 * c + 1) * n / (2 * chosen)], layer);
}

/* The best choice is a node that has collected, then one that has no parent, then by name. */
static uint32_t rank(const struct plan *plan, size_t i)
{
    if (plan->seats[i].was == PLAN_COLLECTOR)
        return 0;
    return plan->seats[i].parent == PLAN_NOBODY ? 1 : 2;
}

static void list_spare(struct plan *plan)
{
    size_t n = 0;
    for (size_t k = 0, c = 0; c < plan->n_classes; c++) {
        size_t first = k, end = k;
        while (end < plan->m && plan->seats[plan->order[end]].class == c)
            end++;
        plan->classes[c].next = (uint32_t)c;
        plan->classes[c].first = n;
        for (uint32_t r = 0; r < 3; r++)
            for (k = first; k < end; k++) {
                size_t i = plan->order[k];
                if (plan->seats[i].layer == 0 && plan->nodes[i].collect == PLAN_MAYBE &&
                    rank(plan, i) == r)
                    plan->spare[n++] = i;
            }
        plan->classes[c].end = n;
        k = end;
    }
}

/* The first class from this one on that has a node which may be chosen; n_classes: none has. */
static uint32_t next_class(struct plan *plan, uint32_t class)
{
    uint32_t found = class;
    while (found < plan->n_classes) {
        struct class *at = &plan->classes[found];
        if (at->next != found)
            found = at->next;
        else if (at->first < at->end)
            break;
        else
            at->next = ++found;
    }
    while (class < found) {
        uint32_t next = plan->classes[class].next;
        plan->classes[class].next = found;
        class = next;
    }
    return found;
}

/* Chooses a node of this class if there is one, else of the group, else any. */
static void choose_near(struct plan *plan, uint32_t class, uint32_t layer)
{
    const struct group *group = &plan->groups[plan->classes[class].group];
    uint32_t found = next_class(plan, class);
    if (found >= group->end)
        found = next_class(plan, group->first);
    if (found >= group->end)
        found = next_class(plan, class);
    if (found >= plan->n_classes)
        found = next_class(plan, 0);
    if (found < plan->n_classes)
        make_collector(plan, plan->spare[plan->classes[found].first++], layer);
}

/* Chooses collectors so that each has an equal part of these items around it. */
static void choose_among(struct plan *plan, const size_t *items, size_t n, size_t chosen,
                         uint32_t layer)
{
    for (size_t c = 0; c < chosen && n > 0; c++)
        choose_near(plan, plan->seats[items[(2 * c + 1) * n / (2 * chosen)]].class, layer);
}

/* Plans collectors for each group if there are enough for that; else for the groups that need
 * most. */
static void share_out(struct plan *plan, size_t lack)
{
    size_t sum = 0, unit = plan->fanout + 1;
    for (uint32_t g = 0; g < plan->n_groups; g++) {
        struct group *group = &plan->groups[g];
        group->need = group->need > group->room ? group->need - group->room : 0;
        sum += parts(group->need, unit);
    }
    bool all = sum <= lack;
    for (uint32_t g = 0; g < plan->n_groups; g++) {
        struct group *group = &plan->groups[g];
        group->quota = least(lack, all ? parts(group->need, unit) : group->need / unit);
        lack -= group->quota;
        plan->entries[g] = (struct entry){.load = unit - group->need % unit, .node = g};
    }
    qsort(plan->entries, plan->n_groups, sizeof *plan->entries, compare_entries);
    for (uint32_t g = 0; !all && g < plan->n_groups && lack > 0; g++)
        if (plan->entries[g].load < unit) {
            plan->groups[plan->entries[g].node].quota++;
            lack--;
        }
}

static size_t list_items(struct plan *plan, uint32_t layer)
{
    size_t n = 0;
    for (size_t k = 0; k < plan->m; k++) {
        const struct seat *seat = &plan->seats[plan->order[k]];
        if (seat->layer == layer && seat->parent == PLAN_NOBODY)
            plan->items[n++] = plan->order[k];
    }
    return n;
}

static void count_needs(struct plan *plan, const size_t *items, size_t n, uint32_t layer)
{
    for (uint32_t g = 0; g < plan->n_groups; g++)
        plan->groups[g].need = plan->groups[g].room = plan->groups[g].quota = 0;
    for (size_t k = 0; k < n; k++)
        plan->groups[plan->seats[items[k]].group].need++;
    for (size_t k = 0; k < plan->m; k++) {
        const struct seat *seat = &plan->seats[plan->order[k]];
        if (seat->layer == layer)
            plan->groups[plan->classes[seat->key].group].room += plan->fanout - seat->load;
    }
}

/* After those that are told to collect: chooses among those that may, near the nodes that need
 * them. */
static void choose_others(struct plan *plan, uint32_t layer)
{
    if (plan->have[layer] >= plan->want[layer])
        return;
    size_t n = list_items(plan, layer - 1);
    count_needs(plan, plan->items, n, layer);
    share_out(plan, plan->want[layer] - plan->have[layer]);
    for (size_t k = 0, end; k < n; k = end) {
        uint32_t group = plan->seats[plan->items[k]].group;
        for (end = k; end < n && plan->seats[plan->items[end]].group == group;)
            end++;
        choose_among(plan, plan->items + k, end - k, plan->groups[group].quota, layer);
    }
    if (plan->have[layer] < plan->want[layer])
        choose_among(plan, n > 0 ? plan->items : plan->order, n > 0 ? n : plan->m,
                     plan->want[layer] - plan->have[layer], layer);
}

/* -- Who is below whom ----------------------------------------------------------------------- */

/* Finds, for each collector of this layer, the class of most of its children. */
static void find_keys(struct plan *plan, uint32_t layer)
{
    for (size_t k = 0; k < plan->m; k++) {
        struct seat *seat = &plan->seats[plan->order[k]];
        seat->key = seat->class;
        seat->run = seat->best = 0;
    }
    for (size_t k = 0; k < plan->m; k++) {
        const struct seat *seat = &plan->seats[plan->order[k]];
        if (seat->layer != layer - 1 || seat->parent == PLAN_NOBODY)
            continue;
        struct seat *parent = &plan->seats[seat->parent];
        if (parent->run_class != seat->class)
            parent->run = 0;
        parent->run_class = seat->class;
        if (++parent->run > parent->best) {
            parent->best = parent->run;
            parent->key = seat->class;
        }
    }
}

/* How near a parent must be: of the same group and network, of the same group, anywhere. */
enum nearness { NEAR_CLASS, NEAR_GROUP, NEAR_ANY };

static uint32_t id_of(const struct plan *plan, uint32_t class, enum nearness nearness)
{
    if (nearness == NEAR_CLASS)
        return class;
    return nearness == NEAR_GROUP ? plan->classes[class].group : 0;
}

/* Sets the load that each entry may have, so that n more children are spread evenly; those with few
 * children come first. Returns how many there is room for. */
static size_t spread(struct entry *entries, size_t n_entries, size_t n, size_t fanout)
{
    size_t left = n, wide = 0, level = entries[0].load;
    while (left > 0 && level < fanout) {
        while (wide < n_entries && entries[wide].load <= level)
            wide++;
        size_t next = wide < n_entries ? least(entries[wide].load, fanout) : fanout;
        if (left <= wide * (next - level)) {
            level += left / wide;
            left %= wide;
            break;
        }
        left -= wide * (next - level);
        level = next;
    }
    bool full = level >= fanout;
    for (size_t e = 0; e < wide; e++)
        entries[e].load = level + (!full && e < left);
    return full ? n - left : n;
}

/* Brings the first of the items that may be below this parent to the front; the others keep their
 * order. False: there is no such item. */
static bool bring_forward(const struct plan *plan, size_t *items, size_t n, size_t parent)
{
    size_t k = 0;
    while (k < n && !may_be_below(plan, items[k], parent))
        k++;
    if (k == n)
        return false;
    size_t item = items[k];
    memmove(items + 1, items, k * sizeof *items);
    items[0] = item;
    return true;
}

/* Returns the one with the fewest children, of those that have room and may have this item. */
static size_t find_other(const struct plan *plan, const struct entry *entries, size_t n_entries,
                         size_t item)
{
    size_t found = PLAN_NOBODY, least_load = plan->fanout;
    for (size_t e = 0; e < n_entries; e++) {
        size_t parent = plan->order[entries[e].node];
        if (plan->seats[parent].load >= least_load || !may_be_below(plan, item, parent))
            continue;
        found = parent;
        least_load = plan->seats[parent].load;
    }
    return found;
}

/* Items that avoid the parents that had room for them are put below others. They are few. */
static size_t fill_others(struct plan *plan, const struct entry *entries, size_t n_entries,
                          size_t *items, size_t n)
{
    size_t placed = 0;
    for (size_t k = 0; k < n; k++) {
        size_t item = items[k], parent = find_other(plan, entries, n_entries, item);
        if (parent == PLAN_NOBODY)
            continue;
        join(plan, item, parent);
        items[k] = items[placed];
        items[placed++] = item;
    }
    return placed;
}

/* Gives parents to as many items as there is room for, in their order except for those that avoid
 * somebody. These items come to the front. Returns how many. */
static size_t fill(struct plan *plan, struct entry *entries, size_t n_entries, size_t *items,
                   size_t n)
{
    if (n_entries == 0)
        return 0;
    size_t placed = 0, room = spread(entries, n_entries, n, plan->fanout);
    for (size_t e = 0; e < n_entries && placed < room; e++) {
        size_t parent = plan->order[entries[e].node];
        while (placed < room && plan->seats[parent].load < entries[e].load &&
               bring_forward(plan, items + placed, room - placed, parent))
            join(plan, items[placed++], parent);
    }
    return placed + fill_others(plan, entries, n_entries, items + placed, room - placed);
}

/* Returns how many items are left. */
static size_t place_near(struct plan *plan, uint32_t layer, size_t n, enum nearness nearness)
{
    size_t left = 0, e = 0, n_entries = list_collectors(plan, layer);
    for (size_t k = 0; k < n_entries; k++)
        plan->entries[k].id =
            id_of(plan, plan->seats[plan->order[plan->entries[k].node]].key, nearness);
    qsort(plan->entries, n_entries, sizeof *plan->entries, compare_entries);
    for (size_t k = 0, end; k < n; k = end) {
        uint32_t id = id_of(plan, plan->seats[plan->items[k]].class, nearness);
        for (end = k; end < n && id_of(plan, plan->seats[plan->items[end]].class, nearness) == id;)
            end++;
        while (e < n_entries && plan->entries[e].id < id)
            e++;
        size_t first = e;
        while (e < n_entries && plan->entries[e].id == id)
            e++;
        k += fill(plan, plan->entries + first, e - first, plan->items + k, end - k);
        while (k < end)
            plan->items[left++] = plan->items[k++];
    }
    return left;
}

/* Lists the children of each collector of a layer. */
static void list_below(struct plan *plan, uint32_t layer)
{
    size_t n = 0;
    for (size_t k = 0; k < plan->m; k++)
        if (plan->seats[plan->order[k]].layer == layer) {
            plan->from[plan->order[k]] = n;
            n += plan->seats[plan->order[k]].load;
            plan->seats[plan->order[k]].run = 0;
        }
    for (size_t k = 0; k < plan->m; k++) {
        const struct seat *seat = &plan->seats[plan->order[k]];
        if (seat->parent == PLAN_NOBODY || plan->seats[seat->parent].layer != layer ||
            seat->parent == plan->root)
            continue;
        plan->below[plan->from[seat->parent] + plan->seats[seat->parent].run++] = plan->order[k];
    }
}

/* Takes from a collector the last child that may be below the other one, and gives it to that one.
 * False: there is no such child. */
static bool move_last(struct plan *plan, size_t from, size_t to)
{
    size_t *below = plan->below + plan->from[from], last = plan->seats[from].load - 1, k = last + 1;
    while (k > 0 && !may_be_below(plan, below[k - 1], to))
        k--;
    if (k == 0)
        return false;
    size_t child = below[k - 1];
    below[k - 1] = below[last];
    leave(plan, child);
    join(plan, child, to);
    return true;
}

/* A collector whose children were all made collectors, or were nearer to others, gets a child of
 * one that has more. If there is none, it stops being a collector, because it would not be one in
 * the next plan either. */
static void place_idle(struct plan *plan, uint32_t layer)
{
    size_t n = list_collectors(plan, layer), from = n;
    qsort(plan->entries, n, sizeof *plan->entries, compare_entries);
    list_below(plan, layer);
    for (size_t e = 0; e < n && plan->entries[e].load == 0; e++) {
        size_t idle = plan->order[plan->entries[e].node];
        if (is_told_to(plan, idle))
            continue;
        if (plan->entries[from - 1].load < 2)
            from = n;
        size_t other = plan->order[plan->entries[from - 1].node];
        if (plan->seats[other].load > 1 && move_last(plan, other, idle)) {
            from--;
        } else if (layer == 1) {
            leave(plan, idle);
            plan->seats[idle].layer = 0;
        }
    }
}

/* Nodes that find no room in the lowest layer are put below the root: for good, or until the next
 * round. */
static void place(struct plan *plan)
{
    for (uint32_t h = 1; h < plan->top; h++) {
        find_keys(plan, h);
        size_t n = list_items(plan, h - 1);
        n = place_near(plan, h, n, NEAR_CLASS);
        n = place_near(plan, h, n, NEAR_GROUP);
        place_near(plan, h, n, NEAR_ANY);
        place_idle(plan, h);
    }
    for (size_t k = 0; k < plan->m; k++)
        if (plan->seats[plan->order[k]].parent == PLAN_NOBODY)
            join(plan, plan->order[k], plan->root);
}

/* -- Improvements while nothing fails -------------------------------------------------------- */

/* Finds where collectors with room are, for each class and for each group. */
static void find_homes(struct plan *plan, uint32_t layer)
{
    for (uint32_t c = 0; c < plan->n_classes; c++)
        plan->classes[c].home = plan->classes[c].home_end = 0;
    for (uint32_t g = 0; g < plan->n_groups; g++)
        plan->groups[g].home = plan->groups[g].home_end = 0;
    size_t n = list_collectors(plan, layer);
    for (size_t e = 0; e < n; e++)
        plan->entries[e].id = plan->seats[plan->order[plan->entries[e].node]].key;
    qsort(plan->entries, n, sizeof *plan->entries, compare_entries);
    for (size_t e = 0; e < n; e++) {
        struct class *class = &plan->classes[plan->entries[e].id];
        struct group *group = &plan->groups[class->group];
        if (class->home_end == 0)
            class->home = e;
        if (group->home_end == 0)
            group->home = e;
        class->home_end = group->home_end = e + 1;
    }
}

/* A collector with room among these, or PLAN_NOBODY. */
static size_t home_of(const struct plan *plan, size_t *home, size_t end)
{
    for (; *home < end; ++*home)
        if (plan->seats[plan->order[plan->entries[*home].node]].load < plan->fanout)
            return plan->order[plan->entries[*home].node];
    return PLAN_NOBODY;
}

/* Nodes that are below a collector of another group or network move to one of their own. */
static void go_home(struct plan *plan, uint32_t layer)
{
    find_keys(plan, layer);
    find_homes(plan, layer);
    for (size_t k = 0; k < plan->m && plan->moves > 0; k++) {
        struct seat *seat = &plan->seats[plan->order[k]];
        if (seat->layer != layer - 1 || seat->parent == plan->root)
            continue;
        const struct seat *parent = &plan->seats[seat->parent];
        if (parent->key == seat->class || parent->load < 2)
            continue;
        struct class *class = &plan->classes[seat->class];
        struct group *group = &plan->groups[seat->group];
        size_t home = home_of(plan, &class->home, class->home_end);
        if (home == PLAN_NOBODY && plan->classes[parent->key].group != seat->group)
            home = home_of(plan, &group->home, group->home_end);
        if (home == PLAN_NOBODY || !may_be_below(plan, plan->order[k], home))
            continue;
        leave(plan, plan->order[k]);
        join(plan, plan->order[k], home);
        plan->moves--;
    }
}

/* Finds where a collector without children is to help: in its own class, its group, or at the
 * fullest one. */
static void find_heaviest(struct plan *plan, size_t n)
{
    uint32_t heaviest = 0;
    for (uint32_t c = 0; c < plan->n_classes; c++)
        plan->classes[c].heaviest = 0;
    for (size_t e = 0; e < n; e++) {
        struct entry *entry = &plan->entries[e];
        struct class *class = &plan->classes[plan->seats[plan->order[entry->node]].key];
        if (entry->load > class->heaviest)
            class->heaviest = entry->load;
    }
    for (uint32_t c = 0; c < plan->n_classes; c++) {
        struct group *group = &plan->groups[plan->classes[c].group];
        if (c == group->first ||
            plan->classes[c].heaviest > plan->classes[group->heaviest].heaviest)
            group->heaviest = c;
        if (plan->classes[c].heaviest > plan->classes[heaviest].heaviest)
            heaviest = c;
    }
    for (size_t e = 0; e < n; e++) {
        struct entry *entry = &plan->entries[e];
        uint32_t id = plan->seats[plan->order[entry->node]].key;
        if (entry->load == 0 && plan->classes[id].heaviest == 0)
            id = plan->groups[plan->classes[id].group].heaviest;
        entry->id = plan->classes[id].heaviest == 0 ? heaviest : id;
    }
}

/* Collectors of one class get numbers of children that differ by at most one; those with few come
 * first. */
static void level_out(struct plan *plan, const struct entry *entries, size_t n)
{
    size_t sum = 0, low = 0, high = n;
    for (size_t e = 0; e < n; e++)
        sum += entries[e].load;
    size_t most = sum % n; /* so many, the last ones, have one child more than the others */
    while (plan->moves > 0) {
        while (low < n &&
               plan->seats[plan->order[entries[low].node]].load >= sum / n + (low >= n - most))
            low++;
        while (high > 0 && plan->seats[plan->order[entries[high - 1].node]].load <=
                               sum / n + (high - 1 >= n - most))
            high--;
        if (low == n || high == 0 ||
            !move_last(plan, plan->order[entries[high - 1].node], plan->order[entries[low].node]))
            return;
        plan->moves--;
    }
}

static void even_out(struct plan *plan, uint32_t layer)
{
    find_keys(plan, layer);
    list_below(plan, layer);
    size_t n = list_collectors(plan, layer);
    find_heaviest(plan, n);
    qsort(plan->entries, n, sizeof *plan->entries, compare_entries);
    for (size_t e = 0, end; e < n; e = end) {
        for (end = e; end < n && plan->entries[end].id == plan->entries[e].id;)
            end++;
        level_out(plan, plan->entries + e, end - e);
    }
}

/* -- Together -------------------------------------------------------------------------------- */

static void plan_free(struct plan *plan)
{
    free(plan->seats);
    free(plan->order);
    free(plan->classes);
    free(plan->groups);
    free(plan->spare);
    free(plan->upwards);
    free(plan->items);
    free(plan->below);
    free(plan->from);
    free(plan->entries);
}

static bool plan_begin(struct plan *plan, size_t n)
{
    plan->seats = calloc(n, sizeof *plan->seats);
    plan->order = calloc(n, sizeof *plan->order);
    plan->classes = calloc(n, sizeof *plan->classes);
    plan->groups = calloc(n, sizeof *plan->groups);
    plan->spare = calloc(n, sizeof *plan->spare);
    plan->upwards = calloc(n, sizeof *plan->upwards);
    plan->items = calloc(n, sizeof *plan->items);
    plan->below = calloc(n, sizeof *plan->below);
    plan->from = calloc(n, sizeof *plan->from);
    plan->entries = calloc(n, sizeof *plan->entries);
    return plan->seats && plan->order && plan->classes && plan->groups && plan->spare &&
           plan->upwards && plan->items && plan->below && plan->from && plan->entries &&
           sort_nodes(plan, n);
}

static void choose(struct plan *plan)
{
    for (uint32_t h = 1; h < plan->top; h++)
        dismiss(plan, h);
    for (uint32_t h = plan->top - 1; h > 0; h--)
        choose_told(plan, h);
    list_spare(plan);
    for (uint32_t h = 1; h < plan->top; h++) {
        find_keys(plan, h);
        choose_others(plan, h);
    }
}

static void improve(struct plan *plan)
{
    for (uint32_t h = 1; h < plan->top; h++) {
        go_home(plan, h);
        even_out(plan, h);
    }
}

/* Makes the planned state the present one. True: it differs. */
static bool take(struct plan *plan)
{
    bool changed = false;
    for (size_t k = 0; k < plan->m; k++) {
        struct seat *seat = &plan->seats[plan->order[k]];
        enum plan_role role = seat->layer > 0 ? PLAN_COLLECTOR : PLAN_METRIC;
        changed |= seat->was != role || seat->was_below != seat->parent;
        seat->was = role;
        seat->was_below = seat->parent;
    }
    return changed;
}

/* When a collector has lost all its children to others that were made collectors, fewer may be
 * needed: then it is planned again, so that the next plan changes nothing. */
static bool make_stable(struct plan *plan, size_t n)
{
    bool enough;
    for (size_t i = 0; i < n; i++) {
        plan->seats[i].was = plan->nodes[i].was;
        plan->seats[i].was_below = plan->nodes[i].was_below;
    }
    uint32_t rounds = ROUNDS_MAX;
    do {
        find_links(plan, n);
        find_heights(plan);
        enough = settle(plan);
        choose(plan);
        place(plan);
    } while (take(plan) && --rounds > 0);
    return enough;
}

static void tell(const struct plan *plan, struct plan_node *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        nodes[i].role = i == plan->root ? PLAN_ROOT : PLAN_NONE;
        nodes[i].parent = PLAN_NOBODY;
        nodes[i].level = 0;
    }
    for (uint32_t h = plan->top; h-- > 0;)
        for (size_t k = 0; k < plan->m; k++) {
            struct plan_node *node = &nodes[plan->order[k]];
            if (plan->seats[plan->order[k]].layer != h)
                continue;
            node->role = plan->seats[plan->order[k]].was;
            node->parent = plan->seats[plan->order[k]].parent;
            node->level = nodes[node->parent].level + 1;
        }
}

static void tell_fault(const struct plan *plan, char fault[MESSAGE_SIZE])
{
    struct plan other = *plan;
    size_t sum = 0, left = 0;
    uint32_t top;
    other.may = other.m;
    find_top(&other, &top);
    count_collectors(&other, top, NULL, 0);
    for (uint32_t h = 1; h < top; h++)
        sum += other.want[h];
    for (size_t k = 0; k < plan->m; k++)
        left += plan->top > 1 && plan->seats[plan->order[k]].layer == 0 &&
                plan->seats[plan->order[k]].parent == plan->root;
    snprintf(
        fault, MESSAGE_SIZE,
        "%zu nodes with a fan-out of %zu need %zu collectors, and %zu may collect: %zu are left "
        "over and below the root itself",
        plan->m, plan->fanout, sum, plan->may, plan->top > 1 ? left : plan->m - plan->fanout);
}

bool plan_make(struct plan_node *nodes, size_t n, size_t root, const struct plan_rules *rules,
               char fault[MESSAGE_SIZE])
{
    struct plan plan = {.nodes = nodes,
                        .root = root,
                        .fanout = rules->fanout > 2 ? rules->fanout : 2,
                        .moves = rules->calm ? rules->moves : 0};
    fault[0] = '\0';
    if (!plan_begin(&plan, n)) {
        plan_free(&plan);
        snprintf(fault, MESSAGE_SIZE, "out of memory");
        return false;
    }
    number_classes(&plan);
    bool enough = make_stable(&plan, n);
    if (plan.moves > 0)
        improve(&plan);
    tell(&plan, nodes, n);
    if (!enough)
        tell_fault(&plan, fault);
    plan_free(&plan);
    return enough;
}
