/* Who has announced itself: how many packets are looked at, and whom a director asks. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "director/announced.h"

#include "scarce.h"
#include "unit.h"

#define SECOND NS_PER_S

static struct announced announced;

static int begin(void **state)
{
    (void)state;
    announced_open(&announced, 42);
    return 0;
}

static int end(void **state)
{
    (void)state;
    announced_close(&announced);
    return 0;
}

static void hear(unsigned i, uint64_t now)
{
    char address[PEER_ADDRESS_SIZE];
    snprintf(address, sizeof address, "udp:10.0.%u.%u:161", i >> 8, i & 255);
    assert_true(announced_hear(&announced, address, "web", now));
}

static void assert_next(const char *address, uint64_t now)
{
    const struct announced_place *place = announced_next(&announced, now);
    if (!address) {
        assert_null(place);
        return;
    }
    assert_non_null(place);
    assert_string_equal(place->address, address);
}

/* -- Addresses ------------------------------------------------------------------------------- */

static void one_is_asked(void **state)
{
    (void)state;
    uint64_t now = 100 * SECOND;
    assert_int_equal(announced_due(&announced), UINT64_MAX);
    assert_next(NULL, now);
    hear(1, now);
    assert_int_equal(announced_due(&announced), now);
    const struct announced_place *place = announced_next(&announced, now);
    assert_non_null(place);
    assert_string_equal(place->address, "udp:10.0.0.1:161");
    assert_string_equal(place->group, "web");
    assert_false(place->was_known);
    assert_next(NULL, now);
    assert_int_equal(announced_due(&announced), now + 5 * SECOND);
    announced_forget(&announced, "udp:10.0.0.1:161");
    announced_forget(&announced, "udp:10.0.0.1:161"); /* once is enough */
    assert_int_equal(announced.n, 0);
    assert_next(NULL, now + 5 * SECOND);
    assert_int_equal(announced_due(&announced), UINT64_MAX);
}

/* Three times, after longer and longer pauses. */
static void nobody_is_there(void **state)
{
    (void)state;
    static const char address[] = "udp:10.0.0.1:161";
    uint64_t now = SECOND;
    hear(1, now);
    assert_next(address, now);
    assert_false(announced_is_gone(&announced, address));
    assert_next(NULL, now + 5 * SECOND - 1);
    now += 5 * SECOND;
    assert_next(address, now);
    assert_false(announced_is_gone(&announced, address));
    assert_next(NULL, now + 10 * SECOND - 1);
    now += 10 * SECOND;
    assert_next(address, now);
    assert_true(announced_is_gone(&announced, address));
    assert_int_equal(announced.n, 0);
    assert_false(announced_is_gone(&announced, address));
}

/* However often somebody says that it is there, it is asked once in five seconds. */
static void said_again_and_again(void **state)
{
    (void)state;
    unsigned asked = 0;
    for (uint64_t now = 0; now < 100 * SECOND; now += SECOND / 10) {
        hear(1, now);
        while (announced_next(&announced, now))
            asked++;
    }
    assert_int_equal(announced.n, 1);
    assert_in_range(asked, 1, 20);
}

static void the_latest_wish_counts(void **state)
{
    (void)state;
    assert_true(announced_known(&announced, "udp:10.0.0.1:161", "db", 5));
    assert_true(announced_hear(&announced, "udp:10.0.0.1:161", "", 6));
    const struct announced_place *place = announced_next(&announced, 7);
    assert_string_equal(place->group, "");
    assert_false(place->was_known);
    assert_true(announced_known(&announced, "udp:10.0.0.1:161", "db", 8));
    assert_true(place->was_known);
    assert_int_equal(announced.n, 1);
}

/* Who is heard while there is no room takes the place of the one that was not heard for longest. */
static void bounded(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ANNOUNCED_MAX; i++)
        hear(i, i);
    hear(0, ANNOUNCED_MAX); /* it is the latest now */
    assert_int_equal(announced.n, ANNOUNCED_MAX);
    for (unsigned i = 0; i < 10; i++)
        hear(ANNOUNCED_MAX + i, ANNOUNCED_MAX);
    assert_int_equal(announced.n, ANNOUNCED_MAX);
    assert_next("udp:10.0.0.11:161", ANNOUNCED_MAX);
    size_t n = 1;
    while (announced_next(&announced, ANNOUNCED_MAX))
        n++;
    assert_int_equal(n, ANNOUNCED_MAX);
}

/* A standby that becomes root asks all, whenever it heard of them. */
static void hurried(void **state)
{
    (void)state;
    hear(1, 0);
    hear(2, 0);
    assert_next("udp:10.0.0.1:161", 0);
    assert_next("udp:10.0.0.2:161", 0);
    assert_next(NULL, SECOND);
    announced_hurry(&announced, SECOND);
    assert_int_equal(announced_due(&announced), SECOND);
    assert_next("udp:10.0.0.1:161", SECOND);
    assert_false(announced_is_gone(&announced, "udp:10.0.0.1:161"));
    assert_next("udp:10.0.0.2:161", SECOND);
    assert_next(NULL, SECOND);
}

static void without_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        scarce_fail((size_t)i + 1);
        bool heard = announced_hear(&announced, "udp:10.0.0.1:161", "", 0);
        bool failed = scarce_stop();
        assert_int_equal(heard, !failed);
        assert_int_equal(announced.n, heard);
        if (heard)
            return;
        assert_next(NULL, 0);
    }
    fail_msg("it takes memory again and again");
}

/* -- Packets --------------------------------------------------------------------------------- */

static unsigned looked_at(uint32_t source, unsigned packets, uint64_t now)
{
    unsigned n = 0;
    for (unsigned i = 0; i < packets; i++)
        n += announced_may(&announced, &source, sizeof source, now);
    return n;
}

static void one_source(void **state)
{
    (void)state;
    uint64_t now = SECOND;
    assert_int_equal(looked_at(7, 1000, now), ANNOUNCED_SOURCE_BURST);
    assert_int_equal(looked_at(7, 1000, now), 0);
    now += SECOND;
    assert_int_equal(looked_at(7, 1000, now), ANNOUNCED_SOURCE_RATE);
    now += 3600 * SECOND; /* rest is not saved up beyond the burst */
    assert_int_equal(looked_at(7, 1000, now), ANNOUNCED_SOURCE_BURST);
}

/* A flood of one leaves to the others what they need. */
static void a_flood_of_one(void **state)
{
    (void)state;
    uint64_t now = 10 * SECOND;
    unsigned flood = 0, others = 0;
    for (unsigned i = 0; i < 100; i++, now += SECOND / 10) {
        flood += looked_at(7, 100000, now);
        others += looked_at(1000 + i % 10, 1, now);
    }
    assert_in_range(flood, 1, ANNOUNCED_SOURCE_BURST + 10 * ANNOUNCED_SOURCE_RATE);
    assert_int_equal(others, 100);
}

/* Of sources that are forged, too, so many at most. */
static void a_flood_of_all(void **state)
{
    (void)state;
    unsigned n = 0;
    uint32_t source = 0;
    for (uint64_t now = SECOND; now < 11 * SECOND; now += SECOND / 100)
        for (unsigned i = 0; i < 1000; i++)
            n += looked_at(source++, 1, now);
    assert_in_range(n, 10 * ANNOUNCED_RATE, ANNOUNCED_BURST + 10 * ANNOUNCED_RATE);
    assert_int_equal(announced.n, 0);
}

/* IPv6 addresses, and seeds: who shares a bucket with whom is no secret of the address. */
static void sources(void **state)
{
    (void)state;
    uint8_t one[16] = {0x20, 1}, other[16] = {0x20, 1, [15] = 1};
    unsigned shared = 0;
    for (uint64_t seed = 0; seed < 2560; seed++) {
        struct announced own;
        announced_open(&own, seed * UINT64_C(0x9e3779b97f4a7c15));
        for (unsigned i = 0; i < ANNOUNCED_SOURCE_BURST; i++)
            assert_true(announced_may(&own, one, sizeof one, SECOND));
        assert_false(announced_may(&own, one, sizeof one, SECOND));
        shared += !announced_may(&own, other, sizeof other, SECOND);
        announced_close(&own);
    }
    assert_in_range(shared, 0, 40); /* one in 256 */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(one_is_asked),           TEST(nobody_is_there), TEST(said_again_and_again),
        TEST(the_latest_wish_counts), TEST(bounded),         TEST(hurried),
        TEST(without_memory),         TEST(one_source),      TEST(a_flood_of_one),
        TEST(a_flood_of_all),         TEST(sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
