/* The lease of the root: to the nanosecond; and simulated holders and a service, with messages that
 * are late and lost, processes that are stopped and clocks that do not run equally fast. */
#include <string.h>

#include "tree/lease.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)
#define TTL (9 * SECOND)
#define START (1000 * SECOND)

static struct lease taken(void)
{
    struct lease lease = {0};
    assert_true(lease_take(&lease, 7, TTL, START));
    return lease;
}

static void none_is_held_in_the_beginning(void **state)
{
    (void)state;
    struct lease lease = {0};
    assert_int_equal(lease_state(&lease, START), LEASE_NONE);
    assert_true(lease_due(&lease, START) == UINT64_MAX);
    assert_true(lease_changes(&lease, START) == UINT64_MAX);
    lease_confirm(&lease, TTL, START, START);
    assert_int_equal(lease_state(&lease, START), LEASE_NONE);
}

static void it_is_sure_for_two_thirds(void **state)
{
    (void)state;
    struct lease lease = taken();
    assert_int_equal(lease.term, 7);
    assert_int_equal(lease_state(&lease, START), LEASE_SURE);
    assert_true(lease_changes(&lease, START) == START + 6 * SECOND);
    assert_int_equal(lease_state(&lease, START + 6 * SECOND - 1), LEASE_SURE);
    assert_int_equal(lease_state(&lease, START + 6 * SECOND), LEASE_UNSURE);
    assert_true(lease_changes(&lease, START + 6 * SECOND) == START + TTL);
    assert_int_equal(lease_state(&lease, START + TTL - 1), LEASE_UNSURE);
    assert_int_equal(lease_state(&lease, START + TTL), LEASE_NONE);
    assert_true(lease_changes(&lease, START + TTL) == UINT64_MAX);
    assert_true(lease_due(&lease, START + TTL) == UINT64_MAX);
}

static void it_is_renewed_in_time(void **state)
{
    (void)state;
    struct lease lease = taken();
    assert_true(lease_due(&lease, START) == START + 3 * SECOND);
    lease_try(&lease, START + 3 * SECOND);
    assert_true(lease_due(&lease, START + 3 * SECOND) == START + 3 * SECOND + TTL / 12);
    lease_confirm(&lease, TTL, START + 3 * SECOND, START + 5 * SECOND);
    assert_true(lease_due(&lease, START + 5 * SECOND) == START + 6 * SECOND);
    assert_int_equal(lease_state(&lease, START + 9 * SECOND - 1), LEASE_SURE);
    assert_int_equal(lease_state(&lease, START + 9 * SECOND), LEASE_UNSURE);
}

/* It counts when it was sent, not when the answer came. */
static void answers_come_late_and_in_any_order(void **state)
{
    (void)state;
    struct lease lease = taken();
    lease_confirm(&lease, TTL, START + 4 * SECOND, START + 8 * SECOND);
    assert_int_equal(lease_state(&lease, START + 8 * SECOND), LEASE_SURE);
    lease_confirm(&lease, TTL, START + 3 * SECOND, START + 8 * SECOND);
    assert_true(lease_changes(&lease, START + 8 * SECOND) == START + 10 * SECOND);
    lease_confirm(&lease, TTL, START + 5 * SECOND, START + 12 * SECOND);
    assert_int_equal(lease_state(&lease, START + 12 * SECOND), LEASE_UNSURE);
    lease_confirm(&lease, TTL, START + 13 * SECOND, START + 14 * SECOND); /* it is over */
    assert_int_equal(lease_state(&lease, START + 14 * SECOND), LEASE_NONE);
}

static void another_time_to_live_counts(void **state)
{
    (void)state;
    struct lease lease = taken();
    lease_confirm(&lease, 30 * SECOND, START + SECOND, START + SECOND);
    assert_true(lease_changes(&lease, START + SECOND) == START + 21 * SECOND);
}

static void the_service_knows_it_no_longer(void **state)
{
    (void)state;
    static const uint64_t bad[] = {0, 1, LEASE_TTL_MIN_NS - 1, LEASE_TTL_MAX_NS + 1, UINT64_MAX};
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct lease lease = taken(), none = {0};
        assert_false(lease_take(&none, 1, bad[i], START));
        assert_false(none.is_held);
        lease_confirm(&lease, bad[i], START + SECOND, START + SECOND);
        assert_int_equal(lease_state(&lease, START + SECOND), LEASE_NONE);
        lease_confirm(&lease, TTL, START + 2 * SECOND, START + 2 * SECOND);
        assert_int_equal(lease_state(&lease, START + 2 * SECOND), LEASE_NONE);
    }
    struct lease lease = taken();
    lease_lose(&lease);
    assert_int_equal(lease_state(&lease, START), LEASE_NONE);
}

static void a_clock_that_goes_back_ends_nothing(void **state)
{
    (void)state;
    struct lease lease = taken();
    assert_int_equal(lease_state(&lease, START - SECOND), LEASE_SURE);
    assert_true(lease_changes(&lease, START - SECOND) == START + 6 * SECOND);
}

/* -- Holders and a service ------------------------------------------------------------------- */

#define HOLDERS 3
#define MESSAGES 32

/* A request, or the answer to it. */
struct message {
    uint64_t due_ns; /* of the service's clock; 0: there is none */
    size_t holder;
    bool is_answer, takes;
    uint64_t sent_ns; /* of the holder's clock */
    uint64_t ttl_ns;
    uint32_t term;
};

struct world {
    uint64_t seed, now;
    size_t holder; /* to the service; HOLDERS: nobody */
    uint64_t ends_ns;
    uint32_t term;
    struct lease leases[HOLDERS];
    uint32_t rate[HOLDERS]; /* thousandths of the service's clock */
    uint64_t stopped_ns[HOLDERS], asked_ns[HOLDERS];
    struct message messages[MESSAGES];
    size_t n_sure, n_changes;
};

static uint32_t draw(struct world *world, uint32_t below)
{
    world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((world->seed >> 33) % below);
}

static uint64_t local(const struct world *world, size_t holder)
{
    return world->now / 1000 * world->rate[holder];
}

static void post(struct world *world, struct message message)
{
    if (draw(world, 5) == 0)
        return;
    message.due_ns = world->now + draw(world, draw(world, 4) ? 100 : 4000) * (SECOND / 1000) + 1;
    for (size_t m = 0; m < MESSAGES; m++)
        if (world->messages[m].due_ns == 0) {
            world->messages[m] = message;
            return;
        }
}

static void serve(struct world *world, struct message message)
{
    if (world->now >= world->ends_ns)
        world->holder = HOLDERS;
    if (message.takes && world->holder == HOLDERS) {
        world->holder = message.holder;
        world->term++;
        world->n_changes++;
    } else if (message.takes || world->holder != message.holder || world->term != message.term) {
        message.ttl_ns = 0;
    }
    message.is_answer = true;
    message.term = message.takes ? world->term : message.term;
    if (message.ttl_ns > 0)
        world->ends_ns = world->now + message.ttl_ns;
    post(world, message);
}

static void answer(struct world *world, const struct message *message)
{
    struct lease *lease = &world->leases[message->holder];
    if (!message->takes && lease->term == message->term)
        lease_confirm(lease, message->ttl_ns, message->sent_ns, local(world, message->holder));
    else if (message->takes && message->ttl_ns > 0)
        lease_take(lease, message->term, message->ttl_ns, message->sent_ns);
}

static void deliver(struct world *world)
{
    for (size_t m = 0; m < MESSAGES; m++) {
        struct message message = world->messages[m];
        if (message.due_ns == 0 || message.due_ns > world->now ||
            (message.is_answer && world->now < world->stopped_ns[message.holder]))
            continue;
        world->messages[m].due_ns = 0;
        if (message.is_answer)
            answer(world, &message);
        else
            serve(world, message);
    }
}

static void hold(struct world *world, size_t holder)
{
    struct lease *lease = &world->leases[holder];
    uint64_t now = local(world, holder);
    bool takes = lease_state(lease, now) == LEASE_NONE;
    if (world->now < world->stopped_ns[holder])
        return;
    if (draw(world, 2000) == 0)
        world->stopped_ns[holder] = world->now + draw(world, 30) * SECOND;
    if (takes ? now < world->asked_ns[holder] + SECOND : now < lease_due(lease, now))
        return;
    world->asked_ns[holder] = now;
    if (!takes)
        lease_try(lease, now);
    post(world,
         (struct message){
             .holder = holder, .takes = takes, .sent_ns = now, .ttl_ns = TTL, .term = lease->term});
}

/* Who is sure of its lease has it, to the service. */
static void check(struct world *world)
{
    for (size_t holder = 0; holder < HOLDERS; holder++)
        if (lease_state(&world->leases[holder], local(world, holder)) == LEASE_SURE) {
            assert_int_equal(world->holder, holder);
            assert_true(world->now < world->ends_ns);
            assert_int_equal(world->leases[holder].term, world->term);
            world->n_sure++;
        }
}

static void random_histories(void **state)
{
    (void)state;
    size_t n_sure = 0, n_changes = 0;
    for (uint64_t number = 1; number <= 300; number++) {
        struct world world = {.seed = number, .now = START, .holder = HOLDERS};
        for (size_t holder = 0; holder < HOLDERS; holder++)
            world.rate[holder] = 700 + draw(&world, 600);
        for (size_t k = 0; k < 6000; k++) {
            world.now += SECOND / 20;
            deliver(&world);
            for (size_t holder = 0; holder < HOLDERS; holder++)
                hold(&world, holder);
            check(&world);
        }
        n_sure += world.n_sure;
        n_changes += world.n_changes;
    }
    assert_true(n_sure > 300 * 2000); /* it is held most of the time, */
    assert_true(n_changes > 300 * 3); /* and not by the same one for ever */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_held_in_the_beginning),
        cmocka_unit_test(it_is_sure_for_two_thirds),
        cmocka_unit_test(it_is_renewed_in_time),
        cmocka_unit_test(answers_come_late_and_in_any_order),
        cmocka_unit_test(another_time_to_live_counts),
        cmocka_unit_test(the_service_knows_it_no_longer),
        cmocka_unit_test(a_clock_that_goes_back_ends_nothing),
        cmocka_unit_test(random_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
