/* Who may push, and how old a message may be: RFC 3414, section 3.2, step 7 b. */

#include <string.h>

#include "base/clock.h"
#include "poller/senders.h"

#include "unit.h"

#define NOW (1000 * NS_PER_S)

/* -- Time ------------------------------------------------------------------------------------ */

static void first_message(void **state)
{
    (void)state;
    struct engine_time time = {0};
    assert_true(engine_time_is_recent(&time, 1, 0, NOW));
    assert_true(engine_time_is_recent(&time, 0, 0, NOW));
    assert_true(engine_time_is_recent(&time, ENGINE_BOOTS_MAX - 1, ENGINE_BOOTS_MAX, NOW));
    assert_false(engine_time_is_recent(&time, ENGINE_BOOTS_MAX, 5, NOW));
    assert_false(engine_time_is_recent(&time, -1, 5, NOW));
    assert_false(engine_time_is_recent(&time, 1, -1, NOW));
    assert_false(engine_time_is_recent(&time, 1, INT64_C(1) << 31, NOW));
    /* What is known of the boots holds from the first message on. */
    engine_time_set_boots(&time, 7);
    assert_false(engine_time_is_recent(&time, 6, 100000, NOW));
    assert_true(engine_time_is_recent(&time, 7, 0, NOW));
    assert_true(engine_time_is_recent(&time, 8, 0, NOW));
}

static void window(void **state)
{
    (void)state;
    struct engine_time time = {0};
    engine_time_advance(&time, 3, 1000, NOW);
    assert_true(engine_time_is_recent(&time, 3, 850, NOW));
    assert_false(engine_time_is_recent(&time, 3, 849, NOW));
    assert_true(engine_time_is_recent(&time, 3, 850, NOW + NS_PER_S - 1));
    assert_false(engine_time_is_recent(&time, 3, 850, NOW + NS_PER_S));
    assert_true(engine_time_is_recent(&time, 3, 900000, NOW));
    assert_false(engine_time_is_recent(&time, 2, 900000, NOW));
    assert_true(engine_time_is_recent(&time, 4, 0, NOW));
    /* A recorded message is of no use after 150 seconds, for ever. */
    for (uint64_t s = 151; s < 10000000; s = s * 3 / 2)
        assert_false(engine_time_is_recent(&time, 3, 1000, NOW + s * NS_PER_S));
}

static void the_time_goes_on(void **state)
{
    (void)state;
    struct engine_time time = {0};
    engine_time_advance(&time, 3, 1000, NOW);
    engine_time_advance(&time, 3, 900, NOW + NS_PER_S); /* older, though authentic */
    assert_int_equal(time.time, 1000);
    assert_int_equal(time.heard_ns, NOW);
    engine_time_advance(&time, 3, 1001, NOW + NS_PER_S);
    assert_int_equal(time.time, 1001);
    engine_time_advance(&time, 4, 0, NOW + 2 * NS_PER_S);
    assert_int_equal(time.boots, 4);
    assert_false(engine_time_is_recent(&time, 3, 1002, NOW + 2 * NS_PER_S));
    engine_time_set_boots(&time, 4); /* no news */
    assert_int_equal(time.heard_ns, NOW + 2 * NS_PER_S);
    engine_time_set_boots(&time, 2); /* the node was restored, and a poll has found that out */
    assert_true(engine_time_is_recent(&time, 2, 0, NOW + 2 * NS_PER_S));
}

/* Its clock is slower than ours by a hundredth: what counts is the time of its messages. */
static void clocks_may_differ(void **state)
{
    (void)state;
    struct engine_time time = {0};
    for (uint64_t s = 0; s < 10 * 86400; s += 10) {
        long said = (long)(s - s / 100);
        assert_true(engine_time_is_recent(&time, 1, said, NOW + s * NS_PER_S));
        engine_time_advance(&time, 1, said, NOW + s * NS_PER_S);
    }
}

/* -- Senders --------------------------------------------------------------------------------- */

static bool set(struct senders *senders, uint32_t id, const char *engine, uint32_t boots)
{
    struct message_sender message = {
        .id = id, .engine_id_len = (uint32_t)strlen(engine), .engine_boots = boots};
    strcpy(message.credential, "site");
    memcpy(message.engine_id, engine, message.engine_id_len);
    return senders_set(senders, &message);
}

/* 0: nobody. */
static uint32_t find(const struct senders *senders, const char *engine)
{
    const struct sender *sender = senders_find(senders, (const uint8_t *)engine, strlen(engine));
    return sender ? sender->id : 0;
}

static void by_engine(void **state)
{
    (void)state;
    struct senders senders = {0};
    assert_int_equal(find(&senders, "first"), 0);
    assert_true(set(&senders, 1, "first", 5));
    assert_true(set(&senders, 2, "second", 5));
    assert_true(set(&senders, 3, "", 0));
    assert_int_equal(find(&senders, "first"), 1);
    assert_int_equal(find(&senders, "second"), 2);
    assert_int_equal(find(&senders, ""), 0);
    assert_int_equal(find(&senders, "firs"), 0);
    assert_int_equal(find(&senders, "an engine ID that is longer than thirty-two octets"), 0);
    assert_true(set(&senders, 3, "third", 1)); /* it has become known */
    assert_int_equal(find(&senders, "third"), 3);
    assert_true(set(&senders, 3, "other", 1));
    assert_int_equal(find(&senders, "third"), 0);
    assert_int_equal(find(&senders, "other"), 3);
    senders_forget(&senders, 3);
    senders_forget(&senders, 99);
    assert_int_equal(find(&senders, "other"), 0);
    senders_free(&senders);
    assert_null(senders.ids);
    assert_null(senders.engines);
}

static void another_engine_has_another_time(void **state)
{
    (void)state;
    struct senders senders = {0};
    set(&senders, 1, "first", 5);
    struct sender *sender = senders_find(&senders, (const uint8_t *)"first", 5);
    engine_time_advance(&sender->time, 9, 100, NOW);
    set(&senders, 1, "first", 9); /* the poller has heard it, too */
    assert_int_equal(sender->time.time, 100);
    set(&senders, 1, "other", 2);
    assert_int_equal(sender->time.boots, 2);
    assert_int_equal(sender->time.heard_ns, 0);
    senders_free(&senders);
}

/* Whoever of them goes, in whatever order, the last one is alone again. */
static void twins(void **state)
{
    (void)state;
    for (uint32_t first = 1; first <= 3; first++)
        for (uint32_t second = 1; second <= 3; second++) {
            struct senders senders = {0};
            if (first == second)
                continue;
            for (uint32_t id = 1; id <= 3; id++)
                set(&senders, id, "clone", 1);
            assert_int_equal(find(&senders, "clone"), 0);
            senders_forget(&senders, first);
            assert_int_equal(find(&senders, "clone"), 0);
            set(&senders, second, "made anew", 1);
            assert_int_equal(find(&senders, "clone"), 6 - first - second);
            assert_int_equal(find(&senders, "made anew"), second);
            senders_free(&senders);
        }
}

/* Opening a packet is what costs: one sender is stopped where others are not. */
static void too_many_packets(void **state)
{
    (void)state;
    struct sender sender = {0}, other = {0};
    for (int second = 0; second < 3; second++) {
        uint64_t now = NOW + (uint64_t)second * NS_PER_S;
        for (int i = 0; i < SENDER_PACKETS_MAX; i++)
            assert_true(sender_may(&sender, now + (uint64_t)i));
        assert_false(sender_may(&sender, now + NS_PER_S - 1));
        assert_true(sender_may(&other, now));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_message),
        cmocka_unit_test(window),
        cmocka_unit_test(the_time_goes_on),
        cmocka_unit_test(clocks_may_differ),
        cmocka_unit_test(by_engine),
        cmocka_unit_test(another_engine_has_another_time),
        cmocka_unit_test(twins),
        cmocka_unit_test(too_many_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
