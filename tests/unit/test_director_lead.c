/* Whether a director orders: elections, terms that nodes have heard of, and knowledge that is old.
 */

#include <string.h>

#include "base/clock.h"
#include "director/lead.h"

#include "unit.h"

#define SECOND NS_PER_S
#define HEARTBEAT (2 * SECOND)
#define START (1000 * SECOND)

static const char candidates[][NAME_SIZE] = {"r1", "r2", "r3"};

struct world {
    struct lead lead;
    struct lead_verdict verdict;
    uint64_t now;
};

static struct lead_setup setup_of(const char *self, uint32_t term, const char *root)
{
    struct lead_setup setup = {.candidates = candidates,
                               .n = N_OF(candidates),
                               .rules = {.heartbeat_ns = HEARTBEAT, .missed = 3},
                               .term = term};
    strcpy(setup.self, self);
    strcpy(setup.root, root);
    return setup;
}

static void order(struct world *world, const char *self, uint32_t term, const char *root)
{
    const struct lead_setup setup = setup_of(self, term, root);
    lead_begin(&world->lead, &setup, world->now);
}

static struct world begin(const char *self, uint32_t term, const char *root)
{
    struct world world = {.now = START};
    order(&world, self, term, root);
    return world;
}

static const struct lead_verdict *decide(struct world *world)
{
    lead_tick(&world->lead, world->now);
    lead_decide(&world->lead, world->now, &world->verdict);
    return &world->verdict;
}

static void hear(struct world *world, const char *candidate, uint32_t term, const char *root)
{
    lead_tick(&world->lead, world->now);
    lead_hear(&world->lead, candidate, term > 0, term, root, world->now, world->now);
}

/* So long, in steps of a quarter of a heartbeat, in which these two answer as they do; NULL: not.
 */
static void pass(struct world *world, uint64_t span, const char *root, uint32_t term,
                 const char *one, const char *other)
{
    for (uint64_t end = world->now + span; world->now < end; world->now += HEARTBEAT / 4) {
        if (one)
            hear(world, one, term, root);
        if (other)
            hear(world, other, term, root);
        decide(world);
    }
}

static void nothing_is_decided_without_a_setup(void **state)
{
    (void)state;
    struct world world = {.now = START};
    lead_tick(&world.lead, START);
    lead_hear(&world.lead, "r1", true, 1, "r1", START, START);
    lead_miss(&world.lead, "r1", START);
    assert_false(lead_fence(&world.lead, 1, "r1", true, START));
    decide(&world);
    assert_false(world.verdict.is_root || world.verdict.may_order || world.verdict.promote);
}

static void who_is_no_candidate_never_leads(void **state)
{
    (void)state;
    struct world world = begin("web1", 1, "web1");
    decide(&world);
    assert_false(world.verdict.is_root || world.verdict.may_order || world.verdict.promote);
    assert_non_null(strstr(world.verdict.reason, "no candidate"));
    pass(&world, 100 * SECOND, NULL, 0, NULL, NULL);
    assert_false(world.verdict.promote);
}

/* It is root by its order, but asks the others before it orders. */
static void a_root_asks_first(void **state)
{
    (void)state;
    struct world world = begin("r1", 1, "r1");
    decide(&world);
    assert_true(world.verdict.is_root);
    assert_false(world.verdict.may_order);
    hear(&world, "r2", 1, "r1");
    assert_false(decide(&world)->may_order);
    lead_miss(&world.lead, "r3", world.now - 1); /* that was before */
    assert_false(decide(&world)->may_order);
    lead_miss(&world.lead, "r3", world.now);
    assert_true(decide(&world)->may_order);
    assert_int_equal(world.verdict.term, 1);
    assert_string_equal(world.verdict.root, "r1");
    /* another order of the same term: what is known stays */
    order(&world, "r1", 1, "r1");
    assert_true(decide(&world)->may_order);
}

static void a_root_alone(void **state)
{
    (void)state;
    struct world world = {.now = START};
    struct lead_setup setup = setup_of("r1", 1, "r1");
    setup.n = 1;
    lead_begin(&world.lead, &setup, world.now);
    assert_true(decide(&world)->may_order);
}

static void a_root_steps_down(void **state)
{
    (void)state;
    struct world world = begin("r1", 1, "r1");
    hear(&world, "r2", 4, "r2");
    lead_miss(&world.lead, "r3", world.now);
    decide(&world);
    assert_false(world.verdict.is_root || world.verdict.may_order || world.verdict.promote);
    assert_string_equal(world.verdict.root, "r2");
    assert_int_equal(world.verdict.term, 4);
    order(&world, "r1", 4, "r2");
    hear(&world, "r2", 4, "r2");
    decide(&world);
    assert_false(world.verdict.is_root);
    assert_string_equal(world.verdict.root, "r2");
}

static void a_standby_takes_over(void **state)
{
    (void)state;
    struct world world = begin("r2", 1, "r1");
    pass(&world, 20 * SECOND, "r1", 1, "r1", "r3");
    assert_false(world.verdict.is_root || world.verdict.promote);
    assert_string_equal(world.verdict.root, "r1");
    uint64_t silent = world.now;
    while (!world.verdict.promote && world.now < silent + 60 * SECOND) {
        lead_miss(&world.lead, "r1", world.now);
        pass(&world, HEARTBEAT / 4, "r1", 1, "r3", NULL);
    }
    assert_true(world.verdict.promote > 1);
    assert_false(world.verdict.is_root || world.verdict.may_order);
    assert_true(world.now <= silent + 5 * HEARTBEAT);
    order(&world, "r2", world.verdict.promote, "r2");
    hear(&world, "r3", 1, "r1");
    lead_miss(&world.lead, "r1", world.now);
    assert_true(decide(&world)->may_order);
}

/* Who was stopped knows nothing any more: whoever was there before is asked before it acts. */
static void a_frozen_root(void **state)
{
    (void)state;
    struct world world = begin("r1", 1, "r1");
    pass(&world, 10 * SECOND, "r1", 1, "r2", "r3");
    assert_true(world.verdict.may_order);
    uint64_t asked = world.now;
    world.now += HEARTBEAT + 1;
    decide(&world);
    assert_true(world.verdict.is_root);
    assert_false(world.verdict.may_order);
    /* what was asked before it is as old as that */
    lead_hear(&world.lead, "r2", true, 1, "r1", asked, world.now);
    lead_miss(&world.lead, "r3", asked);
    assert_false(decide(&world)->may_order);
    hear(&world, "r2", 8, "r2");
    hear(&world, "r3", 8, "r2");
    decide(&world);
    assert_false(world.verdict.is_root || world.verdict.may_order);
    assert_string_equal(world.verdict.root, "r2");
}

static void a_root_that_is_never_late(void **state)
{
    (void)state;
    struct world world = begin("r1", 1, "r1");
    pass(&world, HEARTBEAT, "r1", 1, "r2", "r3");
    world.now += HEARTBEAT / 2;
    assert_true(decide(&world)->may_order);
}

static void a_frozen_standby(void **state)
{
    (void)state;
    struct world world = begin("r2", 1, "r1");
    pass(&world, 10 * SECOND, "r1", 1, "r1", "r3");
    world.now += 1000 * SECOND;
    decide(&world);
    assert_int_equal(world.verdict.promote, 0);
    hear(&world, "r1", 1, "r1");
    hear(&world, "r3", 1, "r1");
    decide(&world);
    assert_int_equal(world.verdict.promote, 0);
    assert_string_equal(world.verdict.root, "r1");
}

/* A node obeys a higher term of a candidate that is dead: it is waited for, then passed over. */
static void a_root_that_has_died(void **state)
{
    (void)state;
    struct world world = begin("r1", 1, "r1");
    pass(&world, 2 * SECOND, "r1", 1, "r3", NULL);
    lead_miss(&world.lead, "r2", world.now);
    assert_true(decide(&world)->may_order);
    assert_true(lead_fence(&world.lead, 7, "r2", true, world.now));
    decide(&world);
    assert_false(world.verdict.may_order || world.verdict.promote);
    uint64_t since = world.now;
    while (!world.verdict.promote && world.now < since + 60 * SECOND) {
        lead_miss(&world.lead, "r2", world.now);
        pass(&world, HEARTBEAT / 4, "r1", 1, "r3", NULL);
        assert_false(world.verdict.may_order);
    }
    assert_true(world.now >= since + 3 * HEARTBEAT);
    assert_true(world.verdict.promote > 7);
    order(&world, "r1", world.verdict.promote, "r1");
    hear(&world, "r3", 1, "r1");
    assert_true(decide(&world)->may_order);
}

/* It answers, and is root: it is followed. Or it is not root any more: then it is not waited for.
 */
static void a_root_that_is_alive(void **state)
{
    (void)state;
    for (int is_root = 0; is_root < 2; is_root++) {
        struct world world = begin("r1", 1, "r1");
        pass(&world, 2 * SECOND, "r1", 1, "r2", "r3");
        assert_true(lead_fence(&world.lead, 7, "r2", true, world.now));
        if (is_root)
            hear(&world, "r2", 7, "r2");
        else
            hear(&world, "r2", 1, "r1");
        decide(&world);
        assert_false(world.verdict.may_order);
        assert_int_equal(world.verdict.is_root, !is_root);
        assert_int_equal(world.verdict.promote > 7, !is_root);
    }
}

/* Of a term of its own past, nobody else can be root; nor of one that has no nodes any more. */
static void terms_that_are_used_up(void **state)
{
    (void)state;
    static const struct {
        const char *root;
        bool works, passed_over;
    } cases[] = {{"r1", true, true}, {"x", false, true}, {"x", true, false}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct world world = begin("r1", 1, "r1");
        pass(&world, 2 * SECOND, "r1", 1, "r2", "r3");
        assert_int_equal(lead_fence(&world.lead, 7, cases[i].root, cases[i].works, world.now),
                         cases[i].passed_over);
        decide(&world);
        assert_true(world.verdict.is_root);
        assert_int_equal(world.verdict.may_order, !cases[i].passed_over);
        assert_int_equal(world.verdict.promote > 7, cases[i].passed_over);
        if (!cases[i].passed_over)
            continue;
        order(&world, "r1", world.verdict.promote, "r1");
        assert_true(decide(&world)->may_order);
    }
    struct world world = begin("r1", 1, "r1");
    pass(&world, 2 * SECOND, "r1", 1, "r2", "r3");
    lead_fence(&world.lead, UINT32_MAX, "r1", true, world.now);
    decide(&world);
    assert_false(world.verdict.may_order || world.verdict.promote);
}

static void terms_that_do_not_matter(void **state)
{
    (void)state;
    struct world world = begin("r1", 5, "r1");
    pass(&world, 2 * SECOND, "r1", 5, "r2", "r3");
    assert_true(lead_fence(&world.lead, 4, "r2", true, world.now));
    assert_true(lead_fence(&world.lead, 5, "r1", true, world.now));
    assert_true(lead_fence(&world.lead, 0, "", false, world.now));
    assert_true(decide(&world)->may_order);
}

/* Candidates come and go with the document; what is known of those that stay stays. */
static void another_list(void **state)
{
    (void)state;
    static const char more[][NAME_SIZE] = {"r0", "r1", "r2"};
    struct world world = begin("r1", 1, "r1");
    hear(&world, "r2", 1, "r1");
    lead_miss(&world.lead, "r3", world.now);
    assert_true(decide(&world)->may_order);
    struct lead_setup setup = setup_of("r1", 1, "r1");
    setup.candidates = more;
    lead_begin(&world.lead, &setup, world.now);
    assert_false(decide(&world)->may_order);
    hear(&world, "r0", 0, "");
    assert_true(decide(&world)->may_order);
    assert_int_equal(world.lead.election.self, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_decided_without_a_setup),
        cmocka_unit_test(who_is_no_candidate_never_leads),
        cmocka_unit_test(a_root_asks_first),
        cmocka_unit_test(a_root_alone),
        cmocka_unit_test(a_root_steps_down),
        cmocka_unit_test(a_standby_takes_over),
        cmocka_unit_test(a_frozen_root),
        cmocka_unit_test(a_root_that_is_never_late),
        cmocka_unit_test(a_frozen_standby),
        cmocka_unit_test(a_root_that_has_died),
        cmocka_unit_test(a_root_that_is_alive),
        cmocka_unit_test(terms_that_are_used_up),
        cmocka_unit_test(terms_that_do_not_matter),
        cmocka_unit_test(another_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
