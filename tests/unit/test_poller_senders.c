/* Who may push, and how often. How old a message may be is test_snmpv3_engine_time's. */

#include <string.h>

#include "base/clock.h"
#include "poller/senders.h"

#include "unit.h"

#define NOW (1000 * NS_PER_S)

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

static void keys_of_a_sender(void **state)
{
    (void)state;
    struct senders senders = {0};
    struct message_sender message = {.id = 1, .credential = "site", .engine_id_len = 5};
    memcpy(message.engine_id, "first", 5);
    assert_true(senders_set(&senders, &message));
    const struct sender *sender = senders_find(&senders, message.engine_id, 5);
    assert_null(sender->keys);
    message.keys = (struct localized_keys){.engine_id_len = 5, .auth_len = 32, .priv_len = 16};
    assert_true(senders_set(&senders, &message));
    assert_true(localized_keys_same(sender->keys, &message.keys));
    assert_null(sender->next_keys);
    message.next_keys = message.keys;
    message.next_keys.auth[0] = 1;
    assert_true(senders_set(&senders, &message));
    assert_true(localized_keys_same(sender->keys, &message.keys));
    assert_true(localized_keys_same(sender->next_keys, &message.next_keys));
    message.next_keys = (struct localized_keys){.engine_id_len = 0};
    assert_true(senders_set(&senders, &message));
    assert_null(sender->next_keys);
    message.keys = (struct localized_keys){.engine_id_len = 0};
    assert_true(senders_set(&senders, &message));
    assert_null(sender->keys);
    message.keys = (struct localized_keys){.engine_id_len = 5, .auth_len = 32, .priv_len = 16};
    assert_true(senders_set(&senders, &message));
    senders_free(&senders); /* with them */
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
        cmocka_unit_test(by_engine),
        cmocka_unit_test(keys_of_a_sender),
        cmocka_unit_test(another_engine_has_another_time),
        cmocka_unit_test(twins),
        cmocka_unit_test(too_many_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
