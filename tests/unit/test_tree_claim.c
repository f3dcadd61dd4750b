/* The claim of a root: step by step, and random histories of candidates and a service, with answers
 * that are late, lost and refused, requests that are lost, processes that are stopped, clocks that
 * do not run equally fast, and keys that are removed by hand. */
#include <stdio.h>
#include <string.h>

#include "tree/claim.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)
#define TTL (9 * SECOND)
#define START (1000 * SECOND)

static struct claim claimant(const char *self, uint64_t delay_ns)
{
    struct claim claim = {.ask = CLAIM_WAIT};
    struct claim_setup setup = {.ttl_ns = TTL, .delay_ns = delay_ns};
    snprintf(setup.self, sizeof setup.self, "%s", self);
    claim_begin(&claim, &setup);
    return claim;
}

static void expect_ask(struct claim *claim, enum claim_ask ask, uint64_t now_ns)
{
    struct claim_question question = claim_next(claim, now_ns);
    assert_int_equal(question.ask, ask);
}

static struct claim_answer keys_of(const char *holder, int64_t lease_id, uint32_t term)
{
    struct claim_answer answer = {.is_done = true,
                                  .keys = {.lease_id = lease_id, .term = term, .revision = term}};
    snprintf(answer.keys.holder, sizeof answer.keys.holder, "%s", holder);
    return answer;
}

static void granted(struct claim *claim, uint64_t now_ns)
{
    const struct claim_answer answer = {.lease_id = 77, .ttl_ns = TTL};
    expect_ask(claim, CLAIM_GRANT, now_ns);
    claim_answered(claim, &answer, now_ns + SECOND);
}

/* The lease 77 was granted at START. */
static struct claim holder(void)
{
    struct claim claim = claimant("r1", 0);
    struct claim_answer nobody = keys_of("", 0, 4), own = keys_of("r1", 77, 5);
    expect_ask(&claim, CLAIM_READ, START);
    claim_answered(&claim, &nobody, START);
    granted(&claim, START);
    expect_ask(&claim, CLAIM_READ, START + SECOND); /* a second has passed */
    claim_answered(&claim, &nobody, START + SECOND);
    struct claim_question take = claim_next(&claim, START + SECOND);
    assert_int_equal(take.ask, CLAIM_TAKE);
    assert_int_equal(take.term, 5);
    assert_int_equal(take.revision, 4);
    assert_int_equal(take.lease_id, 77);
    expect_ask(&claim, CLAIM_WAIT, START + SECOND); /* for the answer */
    claim_answered(&claim, &own, START + 2 * SECOND);
    return claim;
}

static void nothing_is_claimed_without_a_setup(void **state)
{
    (void)state;
    struct claim claim = {.ask = CLAIM_WAIT};
    assert_true(claim_next(&claim, START).until_ns == UINT64_MAX);
    assert_int_equal(claim_term(&claim, START), 0);
    assert_null(claim_other(&claim, START));
    assert_true(claim_changes(&claim, START) == UINT64_MAX);
}

static void it_counts_from_the_question(void **state)
{
    (void)state;
    struct claim claim = holder();
    assert_int_equal(claim_term(&claim, START + 6 * SECOND - 1), 5);
    assert_int_equal(claim_term(&claim, START + 6 * SECOND), 0);
    assert_true(claim_changes(&claim, START + 2 * SECOND) == START + 6 * SECOND);
    assert_null(claim_other(&claim, START + 2 * SECOND));
}

static void it_is_renewed_and_checked(void **state)
{
    (void)state;
    struct claim claim = holder();
    struct claim_answer renewed = {.ttl_ns = TTL}, own = keys_of("r1", 77, 5);
    assert_true(claim_next(&claim, START + 2 * SECOND).until_ns == START + 3 * SECOND);
    expect_ask(&claim, CLAIM_RENEW, START + 3 * SECOND);
    claim_answered(&claim, &renewed, START + 4 * SECOND);
    expect_ask(&claim, CLAIM_READ, START + 4 * SECOND);
    claim_answered(&claim, &own, START + 4 * SECOND);
    assert_int_equal(claim_term(&claim, START + 9 * SECOND - 1), 5);
    assert_int_equal(claim_term(&claim, START + 9 * SECOND), 0);
}

static void a_key_that_was_removed_is_noticed(void **state)
{
    (void)state;
    struct claim claim = holder();
    struct claim_answer renewed = {.ttl_ns = TTL}, other = keys_of("r2", 78, 6);
    expect_ask(&claim, CLAIM_RENEW, START + 3 * SECOND);
    claim_answered(&claim, &renewed, START + 3 * SECOND);
    expect_ask(&claim, CLAIM_READ, START + 3 * SECOND);
    claim_answered(&claim, &other, START + 3 * SECOND);
    assert_int_equal(claim_term(&claim, START + 3 * SECOND), 0);
}

static void a_lease_that_is_not_known_any_more_is_over(void **state)
{
    (void)state;
    struct claim claim = holder();
    struct claim_answer gone = {.ttl_ns = 0};
    expect_ask(&claim, CLAIM_RENEW, START + 3 * SECOND);
    claim_answered(&claim, &gone, START + 3 * SECOND);
    assert_int_equal(claim_term(&claim, START + 3 * SECOND), 0);
    expect_ask(&claim, CLAIM_READ, START + 3 * SECOND);
}

/* The service did it, and nobody said so. */
static void the_answer_to_the_claim_is_lost(void **state)
{
    (void)state;
    struct claim claim = claimant("r1", 0);
    struct claim_answer nobody = keys_of("", 0, 0), own = keys_of("r1", 77, 1);
    expect_ask(&claim, CLAIM_READ, START);
    claim_answered(&claim, &nobody, START);
    const struct claim_answer lease = {.lease_id = 77, .ttl_ns = TTL};
    expect_ask(&claim, CLAIM_GRANT, START);
    claim_answered(&claim, &lease, START);
    expect_ask(&claim, CLAIM_TAKE, START);
    claim_failed(&claim, "timed out", false, false, START + SECOND);
    assert_int_equal(claim_term(&claim, START + SECOND), 0);
    expect_ask(&claim, CLAIM_WAIT, START + SECOND);
    expect_ask(&claim, CLAIM_READ, START + 2 * SECOND);
    claim_answered(&claim, &own, START + 2 * SECOND);
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 1);
    assert_int_equal(claim_term(&claim, START + 6 * SECOND), 0);
}

/* A lease of this name that a process before this one took is waited for. */
static void its_own_past_is_another_one(void **state)
{
    (void)state;
    struct claim claim = claimant("r1", 0);
    struct claim_answer past = keys_of("r1", 50, 3);
    expect_ask(&claim, CLAIM_READ, START);
    claim_answered(&claim, &past, START);
    assert_int_equal(claim_term(&claim, START), 0);
    assert_true(claim_next(&claim, START).until_ns == START + SECOND);
    expect_ask(&claim, CLAIM_READ, START + SECOND);
}

static void others_wait_their_turn(void **state)
{
    (void)state;
    struct claim claim = claimant("r2", 1500000000);
    struct claim_answer nobody = keys_of("", 0, 3), other = keys_of("r1", 9, 3);
    expect_ask(&claim, CLAIM_READ, START);
    claim_answered(&claim, &other, START);
    assert_string_equal(claim_other(&claim, START), "r1");
    assert_true(claim_changes(&claim, START) == START + TTL);
    assert_null(claim_other(&claim, START + TTL));
    expect_ask(&claim, CLAIM_READ, START + SECOND);
    claim_answered(&claim, &nobody, START + SECOND);
    expect_ask(&claim, CLAIM_WAIT, START + SECOND);
    expect_ask(&claim, CLAIM_READ, START + 2 * SECOND);
    claim_answered(&claim, &nobody, START + 2 * SECOND);
    assert_true(claim_next(&claim, START + 2 * SECOND).until_ns == START + 2500000000);
    expect_ask(&claim, CLAIM_GRANT, START + 2500000000);
}

static void the_term_is_higher_than_what_nodes_obey(void **state)
{
    (void)state;
    struct claim claim = holder();
    struct claim_answer raised = keys_of("r1", 77, 101);
    claim_outdo(&claim, 100);
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 0);
    struct claim_question raise = claim_next(&claim, START + 2 * SECOND);
    assert_int_equal(raise.ask, CLAIM_RAISE);
    assert_int_equal(raise.term, 101);
    claim_answered(&claim, &raised, START + 2 * SECOND);
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 101);
    claim_outdo(&claim, 50);
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 101);
    claim_outdo(&claim, UINT32_MAX);
    expect_ask(&claim, CLAIM_WAIT, START + 2 * SECOND); /* there is no higher one */
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 0);
}

static void it_yields_once_for_each_term(void **state)
{
    (void)state;
    struct claim claim = holder();
    struct claim_answer done = {.is_done = true}, nobody = keys_of("", 0, 5);
    claim_yield(&claim, 8, START + 2 * SECOND);
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 0);
    expect_ask(&claim, CLAIM_GIVE_BACK, START + 2 * SECOND);
    claim_answered(&claim, &done, START + 2 * SECOND);
    expect_ask(&claim, CLAIM_READ, START + 2 * SECOND);
    claim_answered(&claim, &nobody, START + 2 * SECOND);
    expect_ask(&claim, CLAIM_WAIT, START + 2 * SECOND);
    claim_yield(&claim, 8, START + 19 * SECOND);
    expect_ask(&claim, CLAIM_READ, START + 20 * SECOND);
    claim_answered(&claim, &nobody, START + 20 * SECOND);
    expect_ask(&claim, CLAIM_GRANT, START + 20 * SECOND);
}

static void it_logs_in_first_and_again(void **state)
{
    (void)state;
    struct claim claim = {.ask = CLAIM_WAIT};
    struct claim_setup setup = {.self = "r1", .ttl_ns = TTL, .logs_in = true};
    struct claim_answer done = {.is_done = true};
    claim_begin(&claim, &setup);
    expect_ask(&claim, CLAIM_LOGIN, START);
    claim_answered(&claim, &done, START);
    expect_ask(&claim, CLAIM_READ, START);
    claim_failed(&claim, "invalid auth token", true, true, START);
    assert_string_equal(claim.fault, "invalid auth token");
    expect_ask(&claim, CLAIM_LOGIN, START + SECOND);
}

static void a_new_setup_keeps_what_is_held(void **state)
{
    (void)state;
    struct claim claim = holder();
    struct claim_setup setup = claim.setup;
    setup.delay_ns = 5;
    claim_begin(&claim, &setup);
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 5);
    setup.ttl_ns = 2 * TTL;
    claim_begin(&claim, &setup);
    assert_int_equal(claim_term(&claim, START + 2 * SECOND), 0);
}

/* -- Random histories ------------------------------------------------------------------------ */

#define HOLDERS 3

struct request {
    bool is_there, is_executed, refused;
    uint64_t arrives_ns, returns_ns; /* UINT64_MAX: lost */
    struct claim_question question;
    struct claim_answer answer;
};

struct world {
    uint32_t seed;
    uint64_t now;
    struct claim claims[HOLDERS];
    struct request requests[HOLDERS][4]; /* those that were given up may still arrive */
    uint64_t gives_up_ns[HOLDERS], stopped_ns[HOLDERS], rate[HOLDERS];
    /* The service. */
    struct claim_keys keys;
    int64_t last_id, revision;
    uint64_t ends_ns[4096];
    bool is_down;
    uint32_t used[HOLDERS]; /* the term that each was last sure of */
    uint32_t highest;
    size_t n_sure, n_terms, n_both;
};

static uint32_t draw(struct world *world, uint32_t below)
{
    world->seed = world->seed * 1664525 + 1013904223;
    return (world->seed >> 8) % below;
}

static uint64_t local(const struct world *world, size_t i)
{
    return (i + 1) * 1000 * SECOND + world->now / 1000 * world->rate[i];
}

static void expire(struct world *world)
{
    if (world->keys.holder[0] && world->ends_ns[world->keys.lease_id] <= world->now) {
        world->keys.holder[0] = '\0';
        world->keys.lease_id = 0;
    }
}

static void put_term(struct world *world, uint32_t term)
{
    world->keys.term = term;
    world->keys.revision = ++world->revision;
}

static bool is_alive(const struct world *world, int64_t id)
{
    return world->ends_ns[id] > world->now;
}

static void execute(struct world *world, size_t i, struct request *request)
{
    const struct claim_question *question = &request->question;
    struct claim_answer *answer = &request->answer;
    bool same = question->revision == world->keys.revision;
    int64_t id = question->lease_id;
    if (question->ask == CLAIM_GRANT && world->last_id < 4095) {
        answer->lease_id = ++world->last_id;
        answer->ttl_ns = TTL;
        world->ends_ns[world->last_id] = world->now + TTL;
    } else if (question->ask == CLAIM_RENEW && is_alive(world, id)) {
        answer->ttl_ns = TTL;
        world->ends_ns[id] = world->now + TTL;
    } else if (question->ask == CLAIM_GIVE_BACK) {
        world->ends_ns[id] = 0;
        expire(world);
    } else if (question->ask == CLAIM_TAKE) {
        answer->is_done = !world->keys.holder[0] && same;
        request->refused = answer->is_done && !is_alive(world, id);
        if (answer->is_done && !request->refused) {
            memcpy(world->keys.holder, world->claims[i].setup.self, NAME_SIZE);
            world->keys.lease_id = id;
            put_term(world, question->term);
        }
    } else if (question->ask == CLAIM_RAISE) {
        answer->is_done = world->keys.lease_id == id && same;
        if (answer->is_done)
            put_term(world, question->term);
    }
    answer->keys = world->keys;
}

static void serve(struct world *world)
{
    expire(world);
    for (size_t i = 0; i < HOLDERS; i++)
        for (size_t k = 0; k < 4; k++) {
            struct request *request = &world->requests[i][k];
            if (!request->is_there || request->is_executed || request->arrives_ns > world->now)
                continue;
            request->is_executed = true;
            if (world->is_down)
                request->returns_ns = UINT64_MAX;
            else
                execute(world, i, request);
        }
}

/* The latest request is the first one. */
static void post(struct world *world, size_t i, const struct claim_question *question)
{
    struct request *requests = world->requests[i];
    memmove(&requests[1], &requests[0], 3 * sizeof *requests);
    requests[0] = (struct request){.is_there = true, .question = *question};
    requests[0].arrives_ns = world->now + draw(world, 2) * draw(world, 30) * SECOND / 10;
    requests[0].returns_ns = requests[0].arrives_ns + draw(world, 3) * SECOND / 10;
    if (draw(world, 20) == 0)
        requests[0].arrives_ns = UINT64_MAX;
    if (draw(world, 20) == 0 || requests[0].arrives_ns == UINT64_MAX)
        requests[0].returns_ns = UINT64_MAX;
    world->gives_up_ns[i] = local(world, i) + claim_timeout(&world->claims[i]);
}

static void act(struct world *world, size_t i)
{
    struct claim *claim = &world->claims[i];
    struct request *request = &world->requests[i][0];
    uint64_t now = local(world, i);
    if (world->now < world->stopped_ns[i])
        return;
    if (draw(world, 1500) == 0)
        world->stopped_ns[i] = world->now + draw(world, 30) * SECOND;
    if (claim->ask != CLAIM_WAIT && request->is_executed && request->returns_ns <= world->now) {
        if (request->refused)
            claim_failed(claim, "refused", true, false, now);
        else
            claim_answered(claim, &request->answer, now);
    } else if (claim->ask != CLAIM_WAIT && now >= world->gives_up_ns[i]) {
        claim_failed(claim, "no answer", false, false, now);
    }
    if (draw(world, 3000) == 0)
        claim_outdo(claim, claim->keys.term + draw(world, 5));
    if (draw(world, 5000) == 0)
        claim_yield(claim, claim->yielded_term + 1, now);
    struct claim_question question = claim_next(claim, now);
    if (question.ask != CLAIM_WAIT)
        post(world, i, &question);
}

/* Who is sure holds the key, in the term that it thinks; so there is one, and a term has one. */
static void check(struct world *world)
{
    expire(world);
    for (size_t i = 0; i < HOLDERS; i++) {
        uint32_t term = claim_term(&world->claims[i], local(world, i));
        if (term == 0)
            continue;
        assert_string_equal(world->keys.holder, world->claims[i].setup.self);
        assert_true(term <= world->keys.term);
        assert_true(term > world->claims[i].above);
        assert_true(term == world->used[i] || term > world->highest);
        world->n_terms += term != world->used[i];
        world->used[i] = term;
        world->highest = term > world->highest ? term : world->highest;
        world->n_sure++;
    }
}

static void random_histories(void **state)
{
    (void)state;
    size_t n_sure = 0, n_terms = 0;
    for (uint32_t number = 1; number <= 200; number++) {
        static const char *const names[HOLDERS] = {"r1", "r2", "r3"};
        struct world world = {.seed = number, .now = START};
        for (size_t i = 0; i < HOLDERS; i++) {
            world.claims[i] = claimant(names[i], i * SECOND);
            world.rate[i] = 850 + draw(&world, 300);
        }
        for (size_t k = 0; k < 6000; k++) {
            world.now += SECOND / 20;
            if (draw(&world, world.is_down ? 200 : 2000) == 0)
                world.is_down = !world.is_down;
            serve(&world);
            for (size_t i = 0; i < HOLDERS; i++)
                act(&world, i);
            check(&world);
        }
        n_sure += world.n_sure;
        n_terms += world.n_terms;
    }
    assert_true(n_sure > 200 * 2500);
    assert_true(n_terms > 200 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_claimed_without_a_setup),
        cmocka_unit_test(it_counts_from_the_question),
        cmocka_unit_test(it_is_renewed_and_checked),
        cmocka_unit_test(a_key_that_was_removed_is_noticed),
        cmocka_unit_test(a_lease_that_is_not_known_any_more_is_over),
        cmocka_unit_test(the_answer_to_the_claim_is_lost),
        cmocka_unit_test(its_own_past_is_another_one),
        cmocka_unit_test(others_wait_their_turn),
        cmocka_unit_test(the_term_is_higher_than_what_nodes_obey),
        cmocka_unit_test(it_yields_once_for_each_term),
        cmocka_unit_test(it_logs_in_first_and_again),
        cmocka_unit_test(a_new_setup_keeps_what_is_held),
        cmocka_unit_test(random_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
