/* Alarms in report blocks: what is written, when, and how it is read. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    feed_close(&feed);
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
        cmocka_unit_test(cut_short),
        cmocka_unit_test(most_severe_first),
        cmocka_unit_test(always_in_the_ring),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
