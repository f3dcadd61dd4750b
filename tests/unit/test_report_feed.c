/* Alarms in report blocks: what is written, when, and how it is read. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/block.h"
#include "report/feed.h"

#include "unit.h"

struct item {
    struct feed_item fed;
    const char *message;
};

static void describe(const struct feed_item *fed, struct report_alarm *alarm)
{
    const char *message = ((const struct item *)(const void *)fed)->message;
    const char *const texts[REPORT_ALARM_TEXTS] = {"c/n",   "n:busy:total", "n",    "busy",  "load",
                                                   "total", "60",           "> 50", message, "Ann"};
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        alarm->text[i].at = texts[i];
        alarm->text[i].len = strlen(texts[i]);
    }
    alarm->index = 7;
    alarm->since_ms = 1700000000000;
    alarm->acknowledged_ms = 1700000000001;
    alarm->unconfirmed_ms = 1700000000002;
}

struct seen {
    size_t alarms, cleared, sums;
    struct report_entry last;
    struct report_alarm alarm;
    struct report_alarms sum;
    char message[MESSAGE_SIZE];
};

static int see(void *context, const struct report_entry *entry)
{
    struct seen *seen = context;
    seen->last = *entry;
    if (entry->kind == REPORT_ALARM) {
        seen->alarms++;
        report_alarm_read(entry, &seen->alarm);
        size_t len = seen->alarm.text[REPORT_ALARM_MESSAGE].len;
        assert_true(len < sizeof seen->message);
        memcpy(seen->message, seen->alarm.text[REPORT_ALARM_MESSAGE].at, len);
        seen->message[len] = '\0';
    }
    seen->cleared += entry->kind == REPORT_ALARM_CLEARED;
    seen->sums += entry->kind == REPORT_ALARMS;
    if (entry->kind == REPORT_ALARMS)
        seen->sum = entry->alarms;
    return 0;
}

/* What the blocks from one on say. */
static struct seen read_ring(const struct report_ring *ring, uint32_t from)
{
    struct seen seen = {0};
    for (struct index_node *node = index_first(&ring->index); node; node = index_next(node)) {
        const struct report_block *block = (const struct report_block *)node;
        struct report_header header;
        const char *why = NULL;
        if (block->sequence < from)
            continue;
        assert_int_equal(report_decode(block->bytes, block->len, &header, see, &seen, &why), 0);
    }
    return seen;
}

static void open_both(struct feed *feed, struct report_ring *ring, uint32_t keep, size_t bytes)
{
    feed_open(feed);
    feed->complete = true;
    assert_int_equal(report_open(ring, 1, keep, bytes), 0);
}

static void write_block(struct feed *feed, struct report_ring *ring)
{
    feed_write(feed, ring, 1700000000000);
    report_flush(ring);
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    open_both(&feed, &ring, 600, 1200);
    assert_false(feed_write(&feed, &ring, 0));
    report_flush(&ring);
    assert_int_equal(ring.last, 1);
    struct seen seen = read_ring(&ring, 1);
    assert_int_equal(seen.sums, 1);
    assert_true(seen.sum.complete);
    assert_int_equal(seen.sum.told, 0);
    for (int i = 0; i < 100; i++)
        write_block(&feed, &ring);
    assert_int_equal(ring.last, 1);
    report_close(&ring);
    feed_close(&feed);
}

static void all_of_an_alarm(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    struct item item = {.message = "load is 60"};
    open_both(&feed, &ring, 600, 1200);
    feed_add(&feed, &item.fed, 9, 4, describe);
    assert_true(feed_waits(&feed));
    assert_true(feed_write(&feed, &ring, 1700000000000));
    report_flush(&ring);
    assert_false(feed_waits(&feed));
    struct seen seen = read_ring(&ring, 1);
    assert_int_equal(seen.alarms, 1);
    assert_int_equal(seen.alarm.id, 9);
    assert_int_equal(seen.alarm.index, 7);
    assert_int_equal(seen.alarm.severity, 4);
    assert_int_equal(seen.alarm.since_ms, 1700000000000);
    assert_int_equal(seen.alarm.acknowledged_ms, 1700000000001);
    assert_int_equal(seen.alarm.unconfirmed_ms, 1700000000002);
    assert_string_equal(seen.message, "load is 60");
    assert_int_equal(seen.sum.told, 1);
    assert_int_equal(seen.sum.digest, item.fed.written.hash);
    uint32_t last = ring.last;
    feed_remove(&feed, &item.fed);
    write_block(&feed, &ring);
    seen = read_ring(&ring, last + 1);
    assert_int_equal(seen.cleared, 1);
    assert_int_equal(seen.sum.told, 0);
    assert_int_equal(seen.sum.digest, 0);
    report_close(&ring);
    feed_close(&feed);
}

/* Raised and cleared between two blocks: nobody has to know. */
static void too_short_to_tell(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    struct item item = {.message = "x"};
    open_both(&feed, &ring, 600, 1200);
    write_block(&feed, &ring);
    feed_add(&feed, &item.fed, 9, 4, describe);
    feed_remove(&feed, &item.fed);
    feed_remove(&feed, &item.fed);
    assert_false(feed_write(&feed, &ring, 0));
    report_flush(&ring);
    assert_int_equal(ring.last, 1);
    report_close(&ring);
    feed_close(&feed);
}

static void the_next_free_number(void **state)
{
    (void)state;
    struct feed feed;
    struct item items[4] = {0};
    feed_open(&feed);
    feed_add(&feed, &items[0].fed, UINT32_MAX, 2, describe);
    feed_add(&feed, &items[1].fed, UINT32_MAX, 2, describe);
    feed_add(&feed, &items[2].fed, 0, 2, describe);
    assert_int_equal(items[1].fed.id, 1);
    assert_int_equal(items[2].fed.id, 2);
    feed_remove(&feed, &items[1].fed);
    feed_add(&feed, &items[3].fed, 1, 2, describe);
    assert_int_equal(items[3].fed.id, 1);
    feed_close(&feed);
}

/* Where nothing is reported there is no feed; what is in none is not told. */
static void without_a_feed(void **state)
{
    (void)state;
    struct item item = {.message = "m"};
    feed_add(NULL, &item.fed, 9, 4, describe);
    feed_change(NULL, &item.fed, 3);
    feed_remove(NULL, &item.fed);
    assert_int_equal(item.fed.list, FEED_NONE);
    struct feed feed;
    feed_open(&feed);
    feed_change(&feed, &item.fed, 3);
    assert_false(feed_waits(&feed));
    feed_remove(&feed, &item.fed);
    assert_false(feed_waits(&feed));
    feed_close(&feed);
}

static void describe_without_key(const struct feed_item *fed, struct report_alarm *alarm)
{
    describe(fed, alarm);
    alarm->text[REPORT_ALARM_KEY].len = 0;
}

/* A parent keeps alarms by their keys: one without is damage; one of a character is none. */
static void alarms_have_keys(void **state)
{
    (void)state;
    for (size_t len = 0; len < 2; len++) {
        struct feed feed;
        struct report_ring ring;
        struct item item = {.message = "m"};
        open_both(&feed, &ring, 600, 1200);
        feed_add(&feed, &item.fed, 9, 4, len ? describe : describe_without_key);
        write_block(&feed, &ring);
        const struct report_block *block = (const struct report_block *)index_first(&ring.index);
        struct seen seen = {0};
        struct report_header header;
        const char *why = "";
        int error = report_decode(block->bytes, block->len, &header, see, &seen, &why);
        assert_int_equal(error, len ? 0 : EBADMSG);
        assert_int_equal(strstr(why, "a text of an alarm") != NULL, len == 0);
        assert_int_equal(seen.alarms, len);
        report_close(&ring);
        feed_close(&feed);
    }
}

/* A message of three octets a character, in the smallest blocks. */
static void cut_short(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    char message[MESSAGE_SIZE] = "";
    for (size_t i = 0; i + 3 < sizeof message; i += 3)
        strcat(message, "\u20ac");
    struct item item = {.message = message};
    for (size_t bytes = REPORT_BLOCK_MIN; bytes < REPORT_BLOCK_MIN + 40; bytes++) {
        open_both(&feed, &ring, 16, bytes);
        feed_add(&feed, &item.fed, 9, 4, describe);
        write_block(&feed, &ring);
        struct seen seen = read_ring(&ring, 1);
        assert_int_equal(seen.alarms, 1);
        assert_int_equal(strlen(seen.message) % 3, 0);
        assert_true(strlen(seen.message) > 30 && strlen(seen.message) < strlen(message));
        report_close(&ring);
        feed_close(&feed);
    }
}

static uint32_t all(const uint32_t n[REPORT_SEVERITIES])
{
    return n[0] + n[1] + n[2];
}

/* Far more than the ring has room for: the most severe are told of, and as others go, the rest. */
static void most_severe_first(void **state)
{
    (void)state;
    enum { N = 300 };
    struct feed feed;
    struct report_ring ring;
    struct item *items = calloc(N, sizeof *items);
    open_both(&feed, &ring, 32, 1200);
    for (size_t i = 0; i < N; i++) {
        items[i].message = "too many";
        feed_add(&feed, &items[i].fed, (uint32_t)i + 1, i < 200 ? 2 : i < 290 ? 3 : 4, describe);
    }
    for (int i = 0; i < 200; i++)
        write_block(&feed, &ring);
    assert_false(feed_waits(&feed));
    struct seen seen = read_ring(&ring, 1);
    assert_int_equal(seen.sum.told + all(seen.sum.left), N);
    assert_int_equal(feed.n_told[2], 10);
    assert_true(seen.sum.told > 90 && seen.sum.left[0] > 0);
    assert_int_equal(seen.sum.left[1] + seen.sum.left[2], 0);
    /* Another critical one takes the place of one that is less severe. */
    struct item more = {.message = "one more"};
    uint32_t last = ring.last;
    feed_add(&feed, &more.fed, 1000, 4, describe);
    write_block(&feed, &ring);
    seen = read_ring(&ring, last + 1);
    assert_int_equal(seen.alarm.id, 1000);
    assert_true(seen.cleared >= 1);
    assert_int_equal(seen.sum.told + all(seen.sum.left), N + 1);
    for (size_t i = 200; i < N; i++)
        feed_remove(&feed, &items[i].fed);
    for (int i = 0; i < 10; i++)
        write_block(&feed, &ring);
    seen = read_ring(&ring, ring.last);
    assert_int_equal(feed.n_told[1], 0);
    assert_int_equal(feed.n_told[0] + feed.n_left[0], 200);
    assert_true(feed.n_told[0] > 90);
    report_close(&ring);
    feed_close(&feed);
    free(items);
}

/* -- A ring that is full ----------------------------------------------------------------------- */

enum { CROWD = 300 };

struct crowd {
    struct feed feed;
    struct report_ring ring;
    struct item items[CROWD], more;
};

/* So many are of severity 2, the others as given; all is settled. */
static struct crowd *crowd_new(size_t infos, uint32_t others)
{
    struct crowd *crowd = calloc(1, sizeof *crowd);
    open_both(&crowd->feed, &crowd->ring, 32, 1200);
    crowd->more.message = "one more";
    for (size_t i = 0; i < CROWD; i++) {
        crowd->items[i].message = "too many";
        feed_add(&crowd->feed, &crowd->items[i].fed, (uint32_t)i + 1, i < infos ? 2 : others,
                 describe);
    }
    for (int i = 0; i < 200; i++)
        write_block(&crowd->feed, &crowd->ring);
    assert_false(feed_waits(&crowd->feed));
    assert_true(all(crowd->feed.n_left) > 0);
    return crowd;
}

static void crowd_free(struct crowd *crowd)
{
    report_close(&crowd->ring);
    feed_close(&crowd->feed);
    free(crowd);
}

static struct item *crowd_told(struct crowd *crowd, uint32_t severity)
{
    for (size_t i = 0; i < CROWD; i++)
        if (crowd->items[i].fed.told == severity)
            return &crowd->items[i];
    fail();
    return NULL;
}

/* A critical one takes the place of a warning, where the only one that is less severe than that
 * becomes critical at the same time. */
static void others_make_room(void **state)
{
    (void)state;
    struct crowd *crowd = crowd_new(CROWD, 2);
    while (crowd->feed.n_told[0] > 1) {
        feed_change(&crowd->feed, &crowd_told(crowd, 2)->fed, 3);
        write_block(&crowd->feed, &crowd->ring);
    }
    struct item *least = crowd_told(crowd, 2);
    feed_add(&crowd->feed, &crowd->more.fed, 1000, 4, describe);
    feed_change(&crowd->feed, &least->fed, 4);
    for (int i = 0; i < 10; i++)
        write_block(&crowd->feed, &crowd->ring);
    assert_int_equal(least->fed.told, 4);
    assert_int_equal(crowd->more.fed.told, 4);
    assert_true(crowd->feed.n_told[1] > 0);
    crowd_free(crowd);
}

/* What becomes less severe than something that is left out makes room for it. */
static void less_severe_makes_room(void **state)
{
    (void)state;
    struct crowd *crowd = crowd_new(0, 4);
    struct item *less = crowd_told(crowd, 4);
    uint32_t told = crowd->feed.n_told[2];
    feed_change(&crowd->feed, &less->fed, 2);
    for (int i = 0; i < 10; i++)
        write_block(&crowd->feed, &crowd->ring);
    assert_int_equal(crowd->feed.n_told[0], 0);
    assert_int_equal(less->fed.list, FEED_LEFT);
    assert_true(crowd->feed.n_told[2] >= told);
    crowd_free(crowd);
}

static void describe_long(const struct feed_item *fed, struct report_alarm *alarm)
{
    static const char key[] =
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";
    describe(fed, alarm);
    for (size_t i = REPORT_ALARM_PATH; i <= REPORT_ALARM_INSTANCE; i++) {
        alarm->text[i].at = key;
        alarm->text[i].len = 60;
    }
}

/* What no block has room for keeps nothing else of its severity out. */
static void behind_one_that_is_too_long(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    struct item big = {.message = "b"}, small = {.message = "s"}, gone[30];
    open_both(&feed, &ring, 16, REPORT_BLOCK_MIN);
    for (size_t i = 0; i < 30; i++) {
        gone[i].message = "g";
        feed_add(&feed, &gone[i].fed, (uint32_t)i + 1, 2, describe);
    }
    write_block(&feed, &ring);
    write_block(&feed, &ring);
    feed_add(&feed, &big.fed, 100, 2, describe_long);
    feed_add(&feed, &small.fed, 101, 2, describe);
    for (size_t i = 0; i < 30; i++)
        if (gone[i].fed.list == FEED_LEFT)
            feed_remove(&feed, &gone[i].fed);
    write_block(&feed, &ring);
    assert_int_equal(big.fed.list, FEED_LEFT);
    assert_int_equal(small.fed.list, FEED_LEFT);
    for (size_t i = 0; i < 30; i++)
        feed_remove(&feed, &gone[i].fed);
    for (int i = 0; i < 5; i++)
        write_block(&feed, &ring);
    assert_int_equal(big.fed.list, FEED_LEFT);
    assert_int_equal(small.fed.list, FEED_TOLD);
    report_close(&ring);
    feed_close(&feed);
}

/* However many two children say that they have left out, there are never fewer than one says. */
static void left_out_below_in_all(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    open_both(&feed, &ring, 16, 1200);
    feed.left_below[1] += UINT32_MAX;
    feed.left_below[1] += 6;
    write_block(&feed, &ring);
    assert_int_equal(read_ring(&ring, 1).sum.left[1], UINT32_MAX);
    feed.left_below[1] -= UINT32_MAX;
    write_block(&feed, &ring);
    assert_int_equal(read_ring(&ring, 1).sum.left[1], 6);
    report_close(&ring);
    feed_close(&feed);
}

/* Each has a record in the ring at every time, however often the ring turns. */
static void always_in_the_ring(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    struct item items[5];
    const struct result value = {.state = RESULT_VALID, .value = 1};
    open_both(&feed, &ring, 16, 1200);
    for (size_t i = 0; i < 5; i++) {
        items[i].message = "long";
        feed_add(&feed, &items[i].fed, (uint32_t)i + 1, 2, describe);
    }
    for (int i = 0; i < 300; i++) {
        report_add(&ring, 1, 1700000000000, &value);
        write_block(&feed, &ring);
        for (size_t k = 0; k < 5; k++)
            assert_in_range(items[k].fed.written.block, ring.first, ring.last);
        assert_in_range(feed.said_block, ring.first, ring.last);
    }
    assert_true(ring.last == 300);
    report_close(&ring);
    feed_close(&feed);
}

/* All that one block told is told again before that block falls out. */
static void many_in_one_block(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    struct item items[16];
    const struct result value = {RESULT_VALID, 1};
    open_both(&feed, &ring, 16, REPORT_BLOCK_MAX);
    for (size_t i = 0; i < N_OF(items); i++) {
        items[i] = (struct item){.message = "m"};
        feed_add(&feed, &items[i].fed, (uint32_t)i + 1, 2, describe);
    }
    for (int i = 0; i < 100; i++) {
        report_add(&ring, 1, 1700000000000, &value);
        write_block(&feed, &ring);
        for (size_t k = 0; k < N_OF(items); k++)
            assert_in_range(items[k].fed.written.block, ring.first, ring.last);
    }
    report_close(&ring);
    feed_close(&feed);
}

/* However many end between two blocks, each end is told. */
static void many_end_at_once(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    static struct item items[200];
    open_both(&feed, &ring, 600, REPORT_BLOCK_MAX);
    for (size_t i = 0; i < N_OF(items); i++) {
        items[i] = (struct item){.message = "m"};
        feed_add(&feed, &items[i].fed, (uint32_t)i + 1, 2, describe);
    }
    for (int i = 0; i < 10; i++)
        write_block(&feed, &ring);
    uint32_t last = ring.last;
    for (size_t i = 0; i < N_OF(items); i++) {
        assert_int_not_equal(items[i].fed.told, 0);
        feed_remove(&feed, &items[i].fed);
    }
    assert_in_range(feed.room_cleared, N_OF(items), 4 * N_OF(items));
    for (int i = 0; i < 10; i++)
        write_block(&feed, &ring);
    assert_int_equal(read_ring(&ring, last + 1).cleared, N_OF(items));
    assert_false(feed_waits(&feed));
    report_close(&ring);
    feed_close(&feed);
}

/* draft-eastlake-fnv: the hashes of no octet, of "a" and of "foobar". */
static void known_hashes(void **state)
{
    (void)state;
    assert_int_equal(block_hash((const uint8_t *)"", 0), 0x811c9dc5);
    assert_int_equal(block_hash((const uint8_t *)"a", 1), 0xe40c292c);
    assert_int_equal(block_hash((const uint8_t *)"foobar", 6), 0xbf9cf968);
}

static void damaged(void **state)
{
    (void)state;
    struct feed feed;
    struct report_ring ring;
    struct item item = {.message = "m"};
    open_both(&feed, &ring, 600, 1200);
    feed_add(&feed, &item.fed, 9, 4, describe);
    write_block(&feed, &ring);
    const struct report_block *block = (const struct report_block *)index_first(&ring.index);
    for (size_t i = 0; i < block->len; i++)
        for (int octet = 0; octet < 256; octet++) {
            uint8_t *copy = malloc(block->len);
            struct seen seen = {0};
            struct report_header header;
            const char *why = NULL;
            memcpy(copy, block->bytes, block->len);
            copy[i] = (uint8_t)octet;
            int error = report_decode(copy, block->len, &header, see, &seen, &why);
            assert_int_equal(!error, !why);
            free(copy);
        }
    for (size_t len = 0; len < block->len; len++) {
        uint8_t *copy = malloc(len ? len : 1);
        struct seen seen = {0};
        struct report_header header;
        const char *why = NULL;
        memcpy(copy, block->bytes, len);
        assert_int_not_equal(report_decode(copy, len, &header, see, &seen, &why), 0);
        free(copy);
    }
    report_close(&ring);
    feed_close(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_costs_nothing),
        cmocka_unit_test(all_of_an_alarm),
        cmocka_unit_test(too_short_to_tell),
        cmocka_unit_test(the_next_free_number),
        cmocka_unit_test(without_a_feed),
        cmocka_unit_test(alarms_have_keys),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(most_severe_first),
        cmocka_unit_test(others_make_room),
        cmocka_unit_test(less_severe_makes_room),
        cmocka_unit_test(behind_one_that_is_too_long),
        cmocka_unit_test(left_out_below_in_all),
        cmocka_unit_test(always_in_the_ring),
        cmocka_unit_test(many_in_one_block),
        cmocka_unit_test(many_end_at_once),
        cmocka_unit_test(known_hashes),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
