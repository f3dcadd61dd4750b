/* The plan of the tree: cases that are easily told, and random histories of nodes that come, go,
 * fail and return, after each step of which the whole plan is looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scarce.h"
#include "tree/plan.h"
#include "unit.h"

/* -- A site ---------------------------------------------------------------------------------- */

struct site {
    struct plan_node *nodes;
    size_t n, root;
    struct plan_rules rules;
    char fault[MESSAGE_SIZE];
};

static struct site site_new(size_t n, uint32_t fanout)
{
    struct site site = {.n = n, .rules = {.fanout = fanout}};
    site.nodes = calloc(n, sizeof *site.nodes);
    for (size_t i = 0; i < n; i++) {
        struct plan_node *node = &site.nodes[i];
        snprintf(node->name, sizeof node->name, "node%05zu", i);
        snprintf(node->group, sizeof node->group, "default");
        node->up = true;
        node->was_below = node->avoids = PLAN_NOBODY;
    }
    return site;
}

static void site_free(struct site *site)
{
    free(site->nodes);
}

static void set_group(struct site *site, size_t from, size_t to, const char *group,
                      uint32_t network)
{
    for (size_t i = from; i < to; i++) {
        snprintf(site->nodes[i].group, sizeof site->nodes[i].group, "%s", group);
        site->nodes[i].network = network;
    }
}

static bool make(struct site *site)
{
    return plan_make(site->nodes, site->n, site->root, &site->rules, site->fault);
}

/* What is planned is done. */
static void carry_out(struct site *site)
{
    for (size_t i = 0; i < site->n; i++) {
        site->nodes[i].was = site->nodes[i].role;
        site->nodes[i].was_below = site->nodes[i].parent;
    }
}

static size_t count_role(const struct site *site, enum plan_role role)
{
    size_t n = 0;
    for (size_t i = 0; i < site->n; i++)
        n += site->nodes[i].role == role;
    return n;
}

static size_t count_below(const struct site *site, size_t parent)
{
    size_t n = 0;
    for (size_t i = 0; i < site->n; i++)
        n += site->nodes[i].parent == parent;
    return n;
}

/* Who has another parent than before, among those that had one. */
static size_t count_moves(const struct site *site)
{
    size_t n = 0;
    for (size_t i = 0; i < site->n; i++)
        n += site->nodes[i].was_below != PLAN_NOBODY && site->nodes[i].parent != PLAN_NOBODY &&
             site->nodes[i].was_below != site->nodes[i].parent;
    return n;
}

static uint32_t depth_of(const struct site *site)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < site->n; i++)
        if (site->nodes[i].role == PLAN_METRIC && site->nodes[i].level > depth)
            depth = site->nodes[i].level;
    return depth;
}

/* -- What holds of every plan ---------------------------------------------------------------- */

static void check_places(const struct site *site)
{
    for (size_t i = 0; i < site->n; i++) {
        const struct plan_node *node = &site->nodes[i];
        if (i == site->root) {
            assert_int_equal(node->role, PLAN_ROOT);
            assert_int_equal(node->level, 0);
            assert_true(node->parent == PLAN_NOBODY);
        } else if (!node->up) {
            assert_int_equal(node->role, PLAN_NONE);
            assert_int_equal(node->level, 0);
            assert_true(node->parent == PLAN_NOBODY);
        } else {
            assert_true(node->role == PLAN_METRIC || node->role == PLAN_COLLECTOR);
            assert_true(node->collect != PLAN_NO || node->role == PLAN_METRIC);
            assert_in_range(node->parent, 0, site->n - 1);
            const struct plan_node *parent = &site->nodes[node->parent];
            assert_true(parent->role == PLAN_ROOT || parent->role == PLAN_COLLECTOR);
            assert_true(parent->up);
            assert_true(node->parent == site->root || node->parent != node->avoids);
            assert_int_equal(node->level, parent->level + 1); /* so there is no circle */
        }
    }
}

/* If enough nodes may collect. */
static void check_shape(const struct site *site)
{
    size_t *load = calloc(site->n, sizeof *load), *collectors = calloc(site->n, sizeof *load);
    uint32_t depth = depth_of(site);
    size_t up = 0;
    for (size_t i = 0; i < site->n; i++)
        if (site->nodes[i].parent != PLAN_NOBODY) {
            up++;
            load[site->nodes[i].parent]++;
            collectors[site->nodes[i].parent] += site->nodes[i].role == PLAN_COLLECTOR;
        }
    for (size_t i = 0; i < site->n; i++) {
        const struct plan_node *node = &site->nodes[i];
        assert_true(load[i] <= site->rules.fanout);
        assert_true(collectors[i] == 0 || collectors[i] == load[i]);
        assert_true(node->role != PLAN_METRIC || node->level == depth);
        assert_true(node->role != PLAN_METRIC || load[i] == 0);
        assert_true(node->role != PLAN_COLLECTOR || node->collect == PLAN_YES || load[i] > 0);
        if (node->role == PLAN_METRIC && node->collect == PLAN_YES)
            assert_int_equal(load[site->root], site->rules.fanout);
    }
    if (up > site->rules.fanout)
        assert_true(collectors[site->root] > 0);
    free(load);
    free(collectors);
}

/* The same nodes in another order have the same places. */
static void check_order(const struct site *site, size_t step)
{
    struct site other = site_new(site->n, site->rules.fanout);
    size_t *place = calloc(site->n, sizeof *place);
    for (size_t i = 0; i < site->n; i++)
        place[i] = (i * 7919 + step) % site->n;
    if (site->n % 7919 == 0)
        fail_msg("the shuffle is none");
    other.rules = site->rules;
    other.root = place[site->root];
    for (size_t i = 0; i < site->n; i++) {
        other.nodes[place[i]] = site->nodes[i];
        if (site->nodes[i].was_below < site->n)
            other.nodes[place[i]].was_below = place[site->nodes[i].was_below];
        if (site->nodes[i].avoids < site->n)
            other.nodes[place[i]].avoids = place[site->nodes[i].avoids];
    }
    make(&other);
    for (size_t i = 0; i < site->n; i++) {
        assert_int_equal(other.nodes[place[i]].role, site->nodes[i].role);
        assert_true(
            other.nodes[place[i]].parent ==
            (site->nodes[i].parent == PLAN_NOBODY ? PLAN_NOBODY : place[site->nodes[i].parent]));
    }
    free(place);
    site_free(&other);
}

/* A second plan over what the first one said changes nothing. */
static void check_again(const struct site *site, bool enough)
{
    struct site other = *site;
    other.nodes = calloc(site->n, sizeof *other.nodes);
    memcpy(other.nodes, site->nodes, site->n * sizeof *other.nodes);
    carry_out(&other);
    other.rules.calm = false;
    assert_int_equal(make(&other), enough);
    for (size_t i = 0; i < site->n; i++) {
        assert_int_equal(other.nodes[i].role, site->nodes[i].role);
        assert_true(other.nodes[i].parent == site->nodes[i].parent);
        assert_int_equal(other.nodes[i].level, site->nodes[i].level);
    }
    site_free(&other);
}

/* Whose shape is another one: who avoids all collectors is below the root. */
static bool has_avoiders(const struct site *site)
{
    for (size_t i = 0; i < site->n; i++)
        if (site->nodes[i].avoids != PLAN_NOBODY)
            return true;
    return false;
}

static bool make_and_check(struct site *site, size_t step)
{
    bool enough = make(site);
    check_places(site);
    if (enough && !has_avoiders(site))
        check_shape(site);
    assert_int_equal(site->fault[0] == '\0', enough);
    check_again(site, enough);
    check_order(site, step);
    return enough;
}

/* -- Formation ------------------------------------------------------------------------------- */

static void few_are_below_the_root(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 11; n++) {
        struct site site = site_new(n, 10);
        assert_true(make_and_check(&site, n));
        assert_int_equal(count_role(&site, PLAN_METRIC), n - 1);
        assert_int_equal(count_below(&site, 0), n - 1);
        site_free(&site);
    }
}

static void one_more_than_the_fan_out_makes_a_level(void **state)
{
    (void)state;
    struct site site = site_new(12, 10);
    assert_true(make_and_check(&site, 1));
    assert_int_equal(count_role(&site, PLAN_COLLECTOR), 1);
    assert_int_equal(count_below(&site, 0), 1);
    assert_int_equal(depth_of(&site), 2);
    site_free(&site);
}

static void who_is_told_to_collects(void **state)
{
    (void)state;
    struct site site = site_new(4, 10);
    site.nodes[2].collect = PLAN_YES;
    assert_true(make_and_check(&site, 1));
    assert_int_equal(site.nodes[2].role, PLAN_COLLECTOR);
    assert_int_equal(site.nodes[1].parent, 2);
    assert_int_equal(site.nodes[3].parent, 2);
    site_free(&site);
}

static void collectors_are_used_evenly(void **state)
{
    (void)state;
    struct site site = site_new(201, 100);
    for (size_t i = 1; i <= 5; i++) {
        site.nodes[i].collect = PLAN_YES;
        snprintf(site.nodes[i].group, sizeof site.nodes[i].group, "infrastructure");
    }
    assert_true(make_and_check(&site, 1));
    assert_int_equal(count_role(&site, PLAN_COLLECTOR), 5);
    for (size_t i = 1; i <= 5; i++)
        assert_int_equal(count_below(&site, i), 39);
    site_free(&site);
}

/* The smallest number of collectors, of which each has as many children as it can, found by trying.
 */
static size_t try_all(size_t m, size_t fanout)
{
    if (m <= fanout)
        return 0;
    for (size_t lowest = 1;; lowest++) {
        size_t sum = lowest;
        for (size_t layer = lowest; layer > fanout;) {
            layer = (layer + fanout - 1) / fanout;
            sum += layer;
        }
        if (m <= sum + lowest * fanout)
            return sum;
    }
}

static void as_few_collectors_as_the_fan_out_needs(void **state)
{
    (void)state;
    for (uint32_t fanout = 2; fanout < 12; fanout += 3)
        for (size_t n = 2; n < 220; n++) {
            struct site site = site_new(n, fanout);
            assert_true(make_and_check(&site, n));
            size_t needed = try_all(n - 1, fanout);
            if (count_role(&site, PLAN_COLLECTOR) > needed)
                fail_msg("%zu nodes, fan-out %u: %zu collectors, %zu are enough", n, fanout,
                         count_role(&site, PLAN_COLLECTOR), needed);
            site_free(&site);
        }
}

/* Groups whose sizes fit have collectors of their own, which have nodes of their group only. */
static void groups_keep_to_themselves(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{60, 60, 0}, {95, 25, 0}, {101, 101, 101}, {30, 101, 101}};
    for (size_t s = 0; s < N_OF(sizes); s++) {
        struct site site = site_new(1 + sizes[s][0] + sizes[s][1] + sizes[s][2], 100);
        set_group(&site, 1, 1 + sizes[s][0], "web", 0);
        set_group(&site, 1 + sizes[s][0], 1 + sizes[s][0] + sizes[s][1], "db", 0);
        set_group(&site, 1 + sizes[s][0] + sizes[s][1], site.n, "mail", 0);
        assert_true(make_and_check(&site, s));
        for (size_t i = 1; i < site.n; i++)
            if (site.nodes[i].role == PLAN_METRIC)
                assert_string_equal(site.nodes[i].group, site.nodes[site.nodes[i].parent].group);
        site_free(&site);
    }
}

static void networks_keep_to_their_collectors(void **state)
{
    (void)state;
    struct site site = site_new(91, 100);
    set_group(&site, 0, 21, "web", 1);
    set_group(&site, 21, 91, "web", 2);
    site.nodes[5].collect = site.nodes[25].collect = PLAN_YES;
    assert_true(make_and_check(&site, 3));
    assert_int_equal(count_below(&site, 5), 19);
    assert_int_equal(count_below(&site, 25), 69);
    site_free(&site);
}

/* Three collectors are enough, and four groups would each like one: those that need most have them.
 */
static void the_largest_groups_have_collectors(void **state)
{
    (void)state;
    struct site site = site_new(1 + 10 + 140 + 60, 100);
    set_group(&site, 1, 11, "a", 0);
    set_group(&site, 11, 151, "b", 0);
    set_group(&site, 151, 211, "c", 0);
    assert_true(make_and_check(&site, 3));
    size_t b = 0, c = 0;
    for (size_t i = 1; i < site.n; i++) {
        b += site.nodes[i].role == PLAN_COLLECTOR && strcmp(site.nodes[i].group, "b") == 0;
        c += site.nodes[i].role == PLAN_COLLECTOR && strcmp(site.nodes[i].group, "c") == 0;
    }
    assert_int_equal(count_role(&site, PLAN_COLLECTOR), 3);
    assert_int_equal(c, 1);
    assert_int_equal(b, 2);
    site_free(&site);
}

/* Who has no collector in its network goes to one of its group, however many children that has. */
static void the_group_is_next_to_the_network(void **state)
{
    (void)state;
    struct site site = site_new(62, 100);
    set_group(&site, 1, 11, "a", 1);
    set_group(&site, 11, 51, "b", 1);
    set_group(&site, 51, 62, "b", 2);
    site.nodes[1].collect = site.nodes[11].collect = PLAN_YES;
    assert_true(make_and_check(&site, 3));
    assert_int_equal(count_below(&site, 1), 9);
    for (size_t i = 12; i < 62; i++)
        assert_int_equal(site.nodes[i].parent, 11);
    site_free(&site);
}

static void more_collectors_than_the_fan_out_make_a_level(void **state)
{
    (void)state;
    struct site site = site_new(51, 10);
    for (size_t i = 1; i <= 12; i++)
        site.nodes[i].collect = PLAN_YES;
    assert_true(make_and_check(&site, 3));
    assert_int_equal(count_role(&site, PLAN_COLLECTOR), 12);
    assert_int_equal(depth_of(&site), 3);
    for (size_t i = 1; i <= 12; i++)
        assert_int_equal(site.nodes[i].role, PLAN_COLLECTOR);
    site_free(&site);
}

static void too_few_may_collect(void **state)
{
    (void)state;
    struct site site = site_new(31, 5);
    for (size_t i = 1; i < 31; i++)
        site.nodes[i].collect = i <= 2 ? PLAN_MAYBE : PLAN_NO;
    assert_false(make_and_check(&site, 1));
    assert_int_equal(count_role(&site, PLAN_COLLECTOR), 2);
    assert_int_equal(count_below(&site, 1), 5);
    assert_int_equal(count_below(&site, 2), 5);
    assert_int_equal(count_below(&site, 0), 20);
    assert_string_equal(site.fault,
                        "30 nodes with a fan-out of 5 need 5 collectors, and 2 may collect: 18 are "
                        "left over and below the root itself");
    for (size_t i = 1; i < 31; i++)
        site.nodes[i].collect = PLAN_NO;
    assert_false(make_and_check(&site, 1));
    assert_int_equal(count_below(&site, 0), 30);
    assert_string_equal(site.fault,
                        "30 nodes with a fan-out of 5 need 5 collectors, and 0 may collect: 25 are "
                        "left over and below the root itself");
    site_free(&site);
}

/* -- What changes, and what stays ------------------------------------------------------------ */

static struct site five_collectors(void)
{
    struct site site = site_new(206, 100);
    for (size_t i = 1; i <= 5; i++)
        site.nodes[i].collect = PLAN_YES;
    assert_true(make_and_check(&site, 1));
    carry_out(&site);
    return site;
}

static void only_the_children_of_who_fails_move(void **state)
{
    (void)state;
    struct site site = five_collectors();
    site.nodes[3].up = false;
    assert_true(make_and_check(&site, 1));
    assert_int_equal(count_moves(&site), 40);
    for (size_t i = 6; i < site.n; i++)
        assert_true(site.nodes[i].was_below == 3 ||
                    site.nodes[i].parent == site.nodes[i].was_below);
    for (size_t i = 1; i <= 5; i++)
        assert_int_equal(count_below(&site, i), i == 3 ? 0 : 50);
    site_free(&site);
}

/* It goes to the collector that has the fewest children, and all others stay. */
static void who_avoids_its_parent_moves(void **state)
{
    (void)state;
    for (size_t from = 1; from <= 5; from++) {
        struct site site = five_collectors();
        size_t i = 6;
        while (site.nodes[i].was_below != from)
            i++;
        site.nodes[i].avoids = from;
        assert_true(make_and_check(&site, from));
        assert_int_equal(count_moves(&site), 1);
        assert_true(site.nodes[i].parent >= 1 && site.nodes[i].parent <= 5);
        carry_out(&site);
        site.rules.calm = true;
        site.rules.moves = 10;
        assert_true(make_and_check(&site, from)); /* it is not led back */
        assert_true(site.nodes[i].parent != from);
        assert_int_equal(count_below(&site, from), 40);
        site_free(&site);
    }
}

static void who_avoids_the_only_collector_is_below_the_root(void **state)
{
    (void)state;
    struct site site = site_new(12, 10);
    assert_true(make_and_check(&site, 1));
    carry_out(&site);
    size_t collector = 1;
    while (site.nodes[collector].role != PLAN_COLLECTOR)
        collector++;
    for (size_t i = 1; i < 12; i++)
        if (i != collector)
            site.nodes[i].avoids = i % 2 ? collector : PLAN_NOBODY;
    make_and_check(&site, 1);
    for (size_t i = 1; i < 12; i++)
        if (i != collector)
            assert_true(site.nodes[i].parent == (i % 2 ? site.root : collector));
    carry_out(&site);
    for (size_t i = 1; i < 12; i++)
        site.nodes[i].avoids = PLAN_NOBODY;
    assert_true(make_and_check(&site, 1)); /* they are led back */
    assert_int_equal(count_below(&site, site.root), 1);
    site_free(&site);
}

/* All children of a collector that is out of order. */
static void all_avoid_one(void **state)
{
    (void)state;
    struct site site = five_collectors();
    for (size_t i = 6; i < site.n; i++)
        if (site.nodes[i].was_below == 2)
            site.nodes[i].avoids = 2;
    assert_true(make_and_check(&site, 1));
    assert_int_equal(count_below(&site, 2), 0);
    for (size_t c = 1; c <= 5; c++)
        assert_int_equal(count_below(&site, c), c == 2 ? 0 : 50);
    site_free(&site);
}

static void who_returns_is_filled_gently(void **state)
{
    (void)state;
    struct site site = five_collectors();
    site.nodes[3].up = false;
    make_and_check(&site, 1);
    carry_out(&site);
    site.nodes[3].up = true;
    assert_true(make_and_check(&site, 1));
    assert_int_equal(site.nodes[3].role, PLAN_COLLECTOR);
    assert_int_equal(count_moves(&site), 0);
    site.rules.calm = true;
    site.rules.moves = 3;
    for (size_t left = 40; left > 0; left -= left < 3 ? left : 3) {
        carry_out(&site);
        assert_true(make_and_check(&site, left));
        assert_int_equal(count_moves(&site), left < 3 ? left : 3);
    }
    for (size_t i = 1; i <= 5; i++)
        assert_int_equal(count_below(&site, i), 40);
    carry_out(&site);
    make_and_check(&site, 1);
    assert_int_equal(count_moves(&site), 0);
    site_free(&site);
}

/* Its nodes had to go to the collector of another group, and come back to it. */
static void nodes_go_back_to_their_group(void **state)
{
    (void)state;
    struct site site = site_new(61, 100);
    set_group(&site, 1, 31, "db", 0);
    set_group(&site, 31, 61, "web", 0);
    site.nodes[1].collect = site.nodes[31].collect = PLAN_YES;
    make_and_check(&site, 1);
    assert_int_equal(count_below(&site, 31), 29);
    carry_out(&site);
    site.nodes[31].up = false;
    make_and_check(&site, 1);
    assert_int_equal(count_below(&site, 1), 58);
    carry_out(&site);
    site.nodes[31].up = site.rules.calm = true;
    site.rules.moves = 10;
    for (size_t k = 0; k < 3; k++) {
        make_and_check(&site, k);
        carry_out(&site);
    }
    for (size_t i = 32; i < 61; i++)
        assert_int_equal(site.nodes[i].parent, 31);
    assert_int_equal(count_below(&site, 1), 29);
    site_free(&site);
}

/* Collectors that are of another group than all others are used for those. */
static void collectors_of_no_group_are_filled(void **state)
{
    (void)state;
    struct site site = site_new(124, 100);
    set_group(&site, 1, 4, "infrastructure", 7);
    set_group(&site, 44, 124, "web", 1);
    for (size_t i = 1; i < 4; i++)
        site.nodes[i].collect = PLAN_YES;
    site.nodes[2].up = false;
    make_and_check(&site, 1);
    assert_int_equal(count_below(&site, 1), 60);
    assert_int_equal(count_below(&site, 3), 60);
    carry_out(&site);
    site.nodes[2].up = site.rules.calm = true;
    site.rules.moves = 7;
    for (size_t k = 0; k < 12; k++) {
        make_and_check(&site, k);
        assert_in_range(count_moves(&site), k < 4 ? 7 : 0, 7);
        carry_out(&site);
    }
    assert_int_equal(count_moves(&site), 0);
    assert_in_range(count_below(&site, 2), 30, 60);
    site_free(&site);
}

/* A collector without nodes of its network helps its group, not the one that has most. */
static void a_collector_helps_its_group(void **state)
{
    (void)state;
    struct site site = site_new(104, 100);
    set_group(&site, 1, 62, "db", 0);
    set_group(&site, 62, 103, "web", 1);
    set_group(&site, 103, 104, "web", 9);
    site.nodes[1].collect = site.nodes[62].collect = site.nodes[103].collect = PLAN_YES;
    site.nodes[103].up = false;
    make_and_check(&site, 1);
    carry_out(&site);
    site.nodes[103].up = site.rules.calm = true;
    site.rules.moves = 5;
    assert_true(make_and_check(&site, 1));
    assert_int_equal(count_below(&site, 103), 5);
    assert_int_equal(count_below(&site, 62), 35);
    assert_int_equal(count_below(&site, 1), 60);
    site_free(&site);
}

/* A smaller fan-out has no room for all collectors: those with most children stay. */
static void a_smaller_fan_out_dismisses_collectors(void **state)
{
    (void)state;
    static const size_t children[] = {1, 4, 1, 4, 3, 1};
    struct site site = site_new(21, 4);
    size_t next = 7;
    for (size_t c = 0; c < N_OF(children); c++) {
        site.nodes[1 + c].was = PLAN_COLLECTOR;
        site.nodes[1 + c].was_below = 0;
        for (size_t k = 0; k < children[c]; k++)
            site.nodes[next++].was_below = 1 + c;
    }
    assert_int_equal(next, 21);
    assert_true(make_and_check(&site, 1));
    assert_int_equal(count_role(&site, PLAN_COLLECTOR), 4);
    assert_int_equal(depth_of(&site), 2);
    assert_int_equal(site.nodes[2].role, PLAN_COLLECTOR);
    assert_int_equal(site.nodes[4].role, PLAN_COLLECTOR);
    assert_int_equal(site.nodes[5].role, PLAN_COLLECTOR);
    assert_int_equal(count_moves(&site), 4); /* two that were collectors, and their children */
    site_free(&site);
}

/* Of two collectors in the lowest layer one has lost its parent, and the only child of the other
 * one is chosen for that: then that one is needed no longer. */
static void a_collector_loses_its_child_to_a_layer_above(void **state)
{
    (void)state;
    static const struct {
        size_t i, below;
        enum plan_collect collect;
    } was[] = {{1, 4, PLAN_MAYBE}, {2, 4, PLAN_MAYBE}, {3, 5, PLAN_MAYBE}, {4, 0, PLAN_MAYBE},
               {5, 6, PLAN_MAYBE}, {6, 0, PLAN_MAYBE}, {7, 1, PLAN_NO},    {8, 2, PLAN_MAYBE},
               {9, 3, PLAN_NO},    {10, 5, PLAN_NO}};
    struct site site = site_new(11, 2);
    for (size_t k = 0; k < N_OF(was); k++) {
        site.nodes[was[k].i].was_below = was[k].below;
        site.nodes[was[k].i].collect = was[k].collect;
        site.nodes[was[k].i].was = was[k].i < 7 ? PLAN_COLLECTOR : PLAN_METRIC;
    }
    site.nodes[3].was_below = 6;
    site.nodes[6].up = site.nodes[5].up = site.nodes[10].up = false;
    assert_true(make_and_check(&site, 1));
    assert_int_equal(depth_of(&site), 3);
    site_free(&site);
}

/* A collector that nobody told to collect goes on with it, even when it is needed no longer. */
static void a_collector_goes_on(void **state)
{
    (void)state;
    struct site site = site_new(12, 10);
    make_and_check(&site, 1);
    carry_out(&site);
    for (size_t i = 11; i > 2; i--) {
        if (site.nodes[i].was == PLAN_COLLECTOR)
            continue;
        site.nodes[i].up = false;
        assert_true(make_and_check(&site, i));
        assert_int_equal(count_moves(&site), 0);
        carry_out(&site);
    }
    assert_int_equal(count_role(&site, PLAN_COLLECTOR), 1);
    site_free(&site);
}

/* The root fails, and another node is root: the collectors keep their children. */
static void another_root_keeps_the_rest(void **state)
{
    (void)state;
    struct site site = five_collectors();
    site.nodes[0].up = false;
    site.root = 100;
    assert_true(make_and_check(&site, 1));
    assert_int_equal(count_moves(&site), 5); /* the collectors, to the new root */
    for (size_t i = 1; i <= 5; i++)
        assert_int_equal(site.nodes[i].parent, 100);
    site_free(&site);
}

/* -- What nodes say may be nonsense ---------------------------------------------------------- */

static void circles_are_cut(void **state)
{
    (void)state;
    struct site site = site_new(40, 5);
    for (size_t i = 0; i < 40; i++) {
        site.nodes[i].was = PLAN_COLLECTOR;
        site.nodes[i].was_below = i % 10 < 5 ? (i + 1) % 40 : i; /* others: below themselves */
    }
    for (size_t i = 10; i < 20; i++)
        site.nodes[i].was_below = i == 19 ? 10 : i + 1;
    site.nodes[7].was_below = 40;
    site.nodes[8].was_below = SIZE_MAX - 1;
    assert_true(make_and_check(&site, 1));
    site_free(&site);
}

static void a_long_chain_becomes_a_tree(void **state)
{
    (void)state;
    struct site site = site_new(1000, 10);
    for (size_t i = 1; i < 1000; i++) {
        site.nodes[i].was = PLAN_COLLECTOR;
        site.nodes[i].was_below = i - 1;
    }
    assert_true(make_and_check(&site, 1));
    assert_in_range(depth_of(&site), 3, 4);
    site_free(&site);
}

/* -- Random histories ------------------------------------------------------------------------ */

static uint32_t draw(uint64_t *seed, size_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

#define HISTORIES 400

enum event { FAILS, RETURNS, CHANGES, IS_CALM, EVENTS };

/* What happened since the last plan that is not one node that failed or returned: then nothing is
 * said of how many move. */
struct history {
    struct site site;
    uint64_t seed;
    size_t steps, failed;
    uint32_t depth;
    bool enough;
    bool was_changed;
    bool avoid; /* some avoid others now and then */
};

static void random_node(struct plan_node *node, uint64_t *seed, size_t kind)
{
    static const char *const groups[] = {"web", "db", "mail", "default"};
    snprintf(node->group, sizeof node->group, "%s", groups[draw(seed, kind % 4 + 1)]);
    node->network = draw(seed, kind % 3 + 1);
    uint32_t chance = draw(seed, 10);
    node->collect = chance < kind % 4 ? PLAN_YES : chance > 11 - kind % 6 ? PLAN_NO : PLAN_MAYBE;
}

static void one_event(struct history *history, enum event event)
{
    struct site *site = &history->site;
    size_t i = draw(&history->seed, site->n);
    history->was_changed = event == CHANGES;
    history->failed = PLAN_NOBODY;
    site->rules.calm = event == IS_CALM;
    switch (event) {
    case FAILS:
        if (i != site->root && site->nodes[i].up) {
            site->nodes[i].up = false;
            history->failed = i;
        }
        break;
    case RETURNS:
        site->nodes[i].up = true;
        if (draw(&history->seed, 2) == 0) { /* as base, without a share */
            site->nodes[i].was = PLAN_NONE;
            site->nodes[i].was_below = PLAN_NOBODY;
        }
        break;
    case CHANGES:
        for (size_t k = draw(&history->seed, 8); k > 0; k--) {
            size_t other = draw(&history->seed, site->n);
            site->nodes[other].up = other == site->root || draw(&history->seed, 2) == 0;
            site->nodes[other].was_below = draw(&history->seed, site->n);
            if (history->avoid)
                site->nodes[draw(&history->seed, site->n)].avoids =
                    draw(&history->seed, 3) ? draw(&history->seed, site->n) : PLAN_NOBODY;
        }
        if (draw(&history->seed, 4) == 0)
            random_node(&site->nodes[i], &history->seed, history->seed >> 40);
        if (draw(&history->seed, 8) == 0)
            site->rules.fanout = 2 + draw(&history->seed, 12);
        if (draw(&history->seed, 8) == 0 && site->nodes[i].up)
            site->root = i;
        break;
    default:
        break;
    }
}

/* How many have become what they were not. */
static size_t count_turned(const struct site *site, enum plan_role was, enum plan_role role)
{
    size_t n = 0;
    for (size_t i = 0; i < site->n; i++)
        n += site->nodes[i].role == role && site->nodes[i].was == was;
    return n;
}

/* Collectors that have lost all the children that they had. */
static size_t count_bereft(const struct site *site)
{
    size_t n = 0;
    for (size_t i = 0; i < site->n; i++) {
        size_t kept = 0;
        for (size_t k = 0; k < site->n; k++)
            kept += site->nodes[k].was_below == i && site->nodes[k].parent == i;
        n += site->nodes[i].was == PLAN_COLLECTOR && kept == 0;
    }
    return n;
}

/* A collector that is new moves itself, and may need a child of another one. */
static size_t count_demanded(const struct site *site)
{
    return 2 * (count_turned(site, PLAN_NONE, PLAN_COLLECTOR) +
                count_turned(site, PLAN_METRIC, PLAN_COLLECTOR)) +
           2 * count_bereft(site);
}

static void check_moves(const struct history *history, bool enough)
{
    const struct site *site = &history->site;
    size_t orphans = 0;
    for (size_t i = 0; i < site->n; i++)
        orphans += history->failed != PLAN_NOBODY && site->nodes[i].was_below == history->failed &&
                   site->nodes[i].parent != PLAN_NOBODY;
    size_t allowed = orphans + count_demanded(site) + (site->rules.calm ? site->rules.moves : 0);
    if (history->was_changed || !enough || !history->enough || depth_of(site) != history->depth ||
        has_avoiders(site))
        return;
    if (count_moves(site) > allowed)
        fail_msg("step %zu: %zu moved, %zu of them had to", history->steps, count_moves(site),
                 allowed);
}

/* Where all nodes are of one group and network, collectors of a layer have equally many children.
 */
static void check_even(const struct site *site)
{
    size_t least[64], most[64] = {0};
    memset(least, 0xff, sizeof least);
    for (size_t i = 0; i < site->n; i++) {
        const struct plan_node *node = &site->nodes[i], *root = &site->nodes[site->root];
        if (node->up && (strcmp(node->group, root->group) != 0 || node->network != root->network))
            return;
        size_t load = count_below(site, i);
        if (node->role == PLAN_COLLECTOR && load < least[node->level])
            least[node->level] = load;
        if (node->role == PLAN_COLLECTOR && load > most[node->level])
            most[node->level] = load;
    }
    for (size_t level = 1; level < N_OF(most); level++)
        assert_true(most[level] == 0 || most[level] - least[level] <= 1);
}

static void one_history(size_t number)
{
    struct history history = {
        .seed = number * 2654435761u, .depth = UINT32_MAX, .avoid = number % 4 == 0};
    struct site *site = &history.site;
    *site = site_new(2 + draw(&history.seed, 90), 2 + draw(&history.seed, 12));
    site->rules.moves = draw(&history.seed, 6);
    for (size_t i = 0; i < site->n; i++)
        random_node(&site->nodes[i], &history.seed, number);
    for (history.steps = 0; history.steps < 60; history.steps++) {
        bool enough = make_and_check(site, history.steps);
        if (history.steps > 0)
            check_moves(&history, enough);
        history.depth = depth_of(site);
        history.enough = enough;
        carry_out(site);
        one_event(&history, draw(&history.seed, EVENTS));
    }
    /* While nothing happens, it becomes as good as it gets, and then stays so. */
    site->rules.calm = true;
    site->rules.moves = 1 + number % 5;
    size_t plans = 0;
    do {
        make_and_check(site, 1);
        assert_in_range(plans++, 0, 200);
        if (count_moves(site) == 0 && plans > 1)
            break;
        carry_out(site);
    } while (true);
    if (!has_avoiders(site))
        check_even(site);
    site_free(site);
}

static void random_histories(void **state)
{
    (void)state;
    for (size_t number = 1; number <= HISTORIES; number++)
        one_history(number);
    one_history(3143); /* collectors that have only idle collectors below them keep their layer */
}

/* -- Large ----------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void large_site(size_t n, uint32_t fanout, size_t groups)
{
    struct site site = site_new(n, fanout);
    for (size_t i = 0; i < n; i++) {
        snprintf(site.nodes[i].group, sizeof site.nodes[i].group, "g%zu", i * 31 % groups);
        site.nodes[i].network = (uint32_t)(i / 200);
    }
    double begun = seconds();
    assert_true(make(&site));
    double made = seconds();
    check_places(&site);
    check_shape(&site);
    carry_out(&site);
    for (size_t i = 1; i < n; i += 2)
        site.nodes[i].up = false;
    site.rules.calm = true;
    site.rules.moves = n;
    double half = seconds();
    assert_true(make(&site));
    double end = seconds();
    check_places(&site);
    check_shape(&site);
    print_message("%zu nodes, fan-out %u, %zu groups: %.0f ns a node; half of them down: %.0f ns\n",
                  n, fanout, groups, (made - begun) * 1e9 / (double)n,
                  (end - half) * 1e9 / (double)n);
    site_free(&site);
}

static void many_nodes(void **state)
{
    (void)state;
    static const uint32_t fanouts[] = {2, 100, 1000};
    for (size_t n = 1000; n <= 100000; n *= 10)
        for (size_t f = 0; f < N_OF(fanouts); f++) {
            large_site(n, fanouts[f], 10);
            large_site(n, fanouts[f], n / 2);
        }
}

static void memory_fails(void **state)
{
    (void)state;
    struct site site = site_new(40, 5);
    for (size_t nth = 1;; nth++) {
        scarce_fail(nth);
        bool made = make(&site);
        if (!scarce_stop()) {
            assert_true(made);
            assert_true(nth > 9);
            break;
        }
        assert_false(made);
        assert_string_equal(site.fault, "out of memory");
        assert_int_equal(site.nodes[1].role, PLAN_NONE);
    }
    site_free(&site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_below_the_root),
        cmocka_unit_test(one_more_than_the_fan_out_makes_a_level),
        cmocka_unit_test(who_is_told_to_collects),
        cmocka_unit_test(collectors_are_used_evenly),
        cmocka_unit_test(as_few_collectors_as_the_fan_out_needs),
        cmocka_unit_test(groups_keep_to_themselves),
        cmocka_unit_test(networks_keep_to_their_collectors),
        cmocka_unit_test(the_largest_groups_have_collectors),
        cmocka_unit_test(the_group_is_next_to_the_network),
        cmocka_unit_test(more_collectors_than_the_fan_out_make_a_level),
        cmocka_unit_test(too_few_may_collect),
        cmocka_unit_test(only_the_children_of_who_fails_move),
        cmocka_unit_test(who_avoids_its_parent_moves),
        cmocka_unit_test(who_avoids_the_only_collector_is_below_the_root),
        cmocka_unit_test(all_avoid_one),
        cmocka_unit_test(who_returns_is_filled_gently),
        cmocka_unit_test(nodes_go_back_to_their_group),
        cmocka_unit_test(collectors_of_no_group_are_filled),
        cmocka_unit_test(a_collector_helps_its_group),
        cmocka_unit_test(a_smaller_fan_out_dismisses_collectors),
        cmocka_unit_test(a_collector_loses_its_child_to_a_layer_above),
        cmocka_unit_test(a_collector_goes_on),
        cmocka_unit_test(another_root_keeps_the_rest),
        cmocka_unit_test(circles_are_cut),
        cmocka_unit_test(a_long_chain_becomes_a_tree),
        cmocka_unit_test(random_histories),
        cmocka_unit_test(many_nodes),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
