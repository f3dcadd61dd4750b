/* The alarms of children, from a feed over its report blocks to the parent: whatever is lost on the
 * way or starts again, in the end the parent has what the child has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poller/cursor.h"
#include "report/block.h"

#include "polled.h"

#define ALARMS 40
#define NAME "leaf"

/* -- A node ---------------------------------------------------------------------------------- */

struct item {
    struct feed_item fed;
    uint32_t severity;
    unsigned version;
    char message[MESSAGE_SIZE];
    const char *path; /* NULL: the leaf raised it itself */
};

struct leaf {
    struct feed feed;
    struct report_ring *ring;
    uint32_t boot, keep;
    struct item items[ALARMS];
};

static void describe(const struct feed_item *fed, struct report_alarm *alarm)
{
    const struct item *item = (const void *)fed;
    const char *const texts[REPORT_ALARM_TEXTS] = {item->path ? item->path : "",
                                                   "leaf:busy:total",
                                                   NAME,
                                                   "busy",
                                                   "load",
                                                   "total",
                                                   "60",
                                                   "> 50",
                                                   item->message,
                                                   ""};
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        alarm->text[i].at = texts[i];
        alarm->text[i].len = strlen(texts[i]);
    }
    alarm->index = item->version;
    alarm->since_ms = 1700000000000;
}

static void leaf_open(struct leaf *leaf, uint32_t boot, uint32_t keep)
{
    leaf->boot = boot;
    leaf->keep = keep;
    leaf->ring = calloc(1, sizeof *leaf->ring);
    assert_int_equal(report_open(leaf->ring, boot, keep, 1200), 0);
    feed_open(&leaf->feed);
    leaf->feed.complete = true;
}

static void leaf_close(struct leaf *leaf)
{
    feed_close(&leaf->feed);
    ring_free(leaf->ring);
}

static void leaf_set(struct leaf *leaf, size_t i, uint32_t severity)
{
    struct item *item = &leaf->items[i];
    uint32_t was = item->severity;
    item->severity = severity;
    item->version++;
    snprintf(item->message, sizeof item->message, "alarm %zu, version %u", i, item->version);
    if (!severity)
        feed_remove(&leaf->feed, &item->fed);
    else if (was)
        feed_change(&leaf->feed, &item->fed, severity);
    else
        feed_add(&leaf->feed, &item->fed, (uint32_t)i + 100, severity, describe);
}

/* Its memory of alarms stays, as that of a state file does. */
static void leaf_restart(struct leaf *leaf)
{
    uint32_t boot = leaf->boot + 1, keep = leaf->keep;
    leaf_close(leaf);
    leaf_open(leaf, boot, keep);
    for (size_t i = 0; i < ALARMS; i++)
        if (leaf->items[i].severity)
            feed_add(&leaf->feed, &leaf->items[i].fed, (uint32_t)i + 100, leaf->items[i].severity,
                     describe);
}

static void leaf_cycle(struct leaf *leaf)
{
    const struct result result = {.state = RESULT_VALID, .value = 1};
    report_add(leaf->ring, 1, 1700000000000, &result);
    feed_write(&leaf->feed, leaf->ring, 1700000000000);
    assert_int_equal(report_flush(leaf->ring), 0);
}

/* -- Its parent ------------------------------------------------------------------------------- */

struct family {
    struct polled *polled;
    struct child *child;
    struct cursor cursor;
    struct leaf leaf;
    bool damage; /* the next block that comes */
};

static void parent_begin(struct family *family)
{
    family->polled = polled_new();
    family->child = polled_child(family->polled, NAME);
    cursor_set(&family->cursor, 0, 0);
}

static void take_moves(struct family *family)
{
    struct polled *polled = family->polled;
    for (size_t i = 0; i < polled->n_sent; i++) {
        const struct message_move *move = (const void *)polled->sent[i];
        if (polled->sent[i]->kind == MESSAGE_MOVE && move->again)
            cursor_set(&family->cursor, move->report_boot, 0);
    }
    polled_forget_sent(polled);
}

static const struct report_block *block_at(const struct family *family, uint32_t sequence)
{
    return (const struct report_block *)index_find(&family->leaf.ring->index, &sequence, 1);
}

/* One question and its answer, as a poller has them. True: there is more. */
static bool ask(struct family *family)
{
    struct report_ring *ring = family->leaf.ring;
    const struct cursor_head head = {family->leaf.boot, ring->first, ring->last};
    uint32_t first, n = cursor_ask(&family->cursor, &first), present = 0;
    for (uint32_t i = 0; i < n; i++)
        present |= (uint32_t)(block_at(family, first + i) != NULL) << i;
    struct cursor_step step = cursor_answer(&family->cursor, &head, present);
    assert_null(step.garbage);
    struct answer *answer = answer_new(family->child->id, family->leaf.boot);
    answer->head.lost = step.lost;
    for (uint32_t i = 0; i < step.take; i++) {
        const struct report_block *block = block_at(family, step.first + i);
        size_t len = family->damage ? block->len - 1 : block->len;
        answer_add(answer, block->sequence, block->bytes, len);
        family->damage = false;
    }
    answer->head.last = head.last;
    answer_give(family->polled, answer);
    return step.again;
}

static void poll_child(struct family *family)
{
    polled_wait(family->polled, 1000);
    take_moves(family);
    cursor_begin(&family->cursor);
    while (ask(family))
        ;
}

static void family_begin(struct family *family, uint32_t keep)
{
    memset(family, 0, sizeof *family);
    leaf_open(&family->leaf, 1, keep);
    parent_begin(family);
}

static void family_end(struct family *family)
{
    polled_free(family->polled);
    leaf_close(&family->leaf);
}

static const struct child_alarm *known(const struct family *family, size_t i)
{
    uint32_t key[NAME_SIZE + 1];
    uint32_t len = index_key_text(key, NAME);
    key[len] = (uint32_t)i + 100;
    return (const struct child_alarm *)index_find(&family->polled->children.below, key, len + 1);
}

static bool is_same(const struct family *family)
{
    size_t n = 0;
    for (size_t i = 0; i < ALARMS; i++) {
        const struct item *item = &family->leaf.items[i];
        const struct child_alarm *alarm = known(family, i);
        n += item->severity != 0;
        if (!alarm != !item->severity ||
            (alarm && (alarm->severity != item->severity || alarm->index != item->version ||
                       strcmp(alarm->text[REPORT_ALARM_MESSAGE], item->message) != 0 ||
                       child_alarm_unconfirmed_ms(alarm) != 0)))
            return false;
    }
    return family->polled->children.below.count == n;
}

/* -- Tests ------------------------------------------------------------------------------------ */

static void from_a_raise_to_its_clear(void **state)
{
    (void)state;
    struct family family;
    family_begin(&family, 100);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    const size_t cost = family.child->cost.memory;
    leaf_set(&family.leaf, 3, SEVERITY_WARNING);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_true(is_same(&family));
    assert_true(family.child->cost.memory > cost);
    const struct child_alarm *alarm = known(&family, 3);
    assert_string_equal(alarm->text[REPORT_ALARM_KEY], "leaf:busy:total");
    assert_string_equal(alarm->text[REPORT_ALARM_PATH], "");
    assert_int_equal(child_alarms_count(family.child, SEVERITY_WARNING), 1);
    uint32_t revision = family.polled->children.alarm_changes;
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_int_equal(family.polled->children.alarm_changes, revision);
    leaf_set(&family.leaf, 3, SEVERITY_CRITICAL);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_true(is_same(&family));
    assert_int_equal(child_alarms_count(family.child, SEVERITY_WARNING), 0);
    assert_int_equal(child_alarms_count(family.child, SEVERITY_CRITICAL), 1);
    leaf_set(&family.leaf, 3, 0);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_int_equal(family.polled->children.below.count, 0);
    assert_int_equal(family.child->cost.memory, cost);
    family_end(&family);
}

/* Over many turns of the ring the alarm is there for whoever begins to read. */
static void long_after_the_raise(void **state)
{
    (void)state;
    struct family family;
    family_begin(&family, 16);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    for (int i = 0; i < 200; i++) {
        leaf_cycle(&family.leaf);
        if (i % 3 == 0) {
            polled_free(family.polled);
            parent_begin(&family);
            poll_child(&family);
            poll_child(&family);
            assert_true(is_same(&family));
        }
    }
    family_end(&family);
}

/* Both the raise and the clear fell out of the ring unseen. */
static void what_was_never_heard(void **state)
{
    (void)state;
    struct family family;
    family_begin(&family, 16);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    leaf_set(&family.leaf, 0, 0);
    leaf_set(&family.leaf, 1, SEVERITY_CRITICAL);
    for (int i = 0; i < 100; i++)
        leaf_cycle(&family.leaf);
    poll_child(&family);
    poll_child(&family);
    assert_true(family.child->cursor.lost > 0);
    assert_true(is_same(&family));
    family_end(&family);
}

static void after_a_restart_of_the_child(void **state)
{
    (void)state;
    struct family family;
    family_begin(&family, 100);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_set(&family.leaf, 1, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    feed_remove(&family.leaf.feed, &family.leaf.items[1].fed);
    leaf_restart(&family.leaf);
    leaf_set(&family.leaf, 1, 0);
    family.leaf.feed.complete = false;
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_int_equal(child_alarm_unconfirmed_ms(known(&family, 0)), 0);
    assert_true(child_alarm_unconfirmed_ms(known(&family, 1)) > 0);
    family.leaf.feed.complete = true;
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_true(is_same(&family));
    family_end(&family);
}

/* A collector that started again knows nothing of its children yet, however long ago it was met:
 * their alarms stay until it says that it does, or has had the time to learn of them. */
static void restart_of_a_collector(bool says_so)
{
    struct family family;
    family_begin(&family, 100);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    polled_wait(family.polled, 2 * CHILD_KNOWN_NS / NS_PER_MS);
    poll_child(&family);
    feed_remove(&family.leaf.feed, &family.leaf.items[0].fed);
    family.leaf.items[0].severity = 0;
    leaf_restart(&family.leaf);
    family.leaf.feed.complete = false;
    leaf_cycle(&family.leaf);
    poll_child(&family);
    poll_child(&family);
    assert_non_null(known(&family, 0));
    assert_true(child_alarm_unconfirmed_ms(known(&family, 0)) > 0);
    family.leaf.feed.complete = says_so;
    if (!says_so)
        polled_wait(family.polled, CHILD_KNOWN_NS / NS_PER_MS);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_true(is_same(&family));
    family_end(&family);
}

static void after_a_restart_of_a_collector(void **state)
{
    (void)state;
    restart_of_a_collector(true);
    restart_of_a_collector(false);
}

static void lost_and_back(void **state)
{
    (void)state;
    struct family family;
    family_begin(&family, 100);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    int64_t contact_ms = family.child->contact.last.wall_ms;
    for (int i = 0; i < CHILD_LOST_AFTER; i++) {
        assert_int_equal(child_alarm_unconfirmed_ms(known(&family, 0)), 0);
        polled_wait(family.polled, 1000);
        polled_silent(family.polled, family.child, POLL_TIMEOUT, "no answer");
    }
    assert_int_equal(child_alarm_unconfirmed_ms(known(&family, 0)), contact_ms);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_true(is_same(&family));
    family_end(&family);
}

/* A block that cannot be read: what was in it comes when all is read again, and values do not. */
static void after_a_bad_block(void **state)
{
    (void)state;
    struct family family;
    family_begin(&family, 100);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    family.damage = true;
    poll_child(&family);
    assert_false(is_same(&family));
    assert_int_equal(family.child->contact.bad, 1);
    uint64_t blocks = family.child->cursor.blocks;
    poll_child(&family);
    poll_child(&family);
    assert_true(is_same(&family));
    assert_true(family.child->alarms.exact);
    assert_int_equal(family.child->cursor.next_block, family.leaf.ring->last + 1);
    assert_true(family.child->cursor.blocks >= blocks);
    family_end(&family);
}

static void removed_with_its_child(void **state)
{
    (void)state;
    struct family family;
    family_begin(&family, 100);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    config_find(family.polled->config, ROW_CHILD, NAME)->status = ROW_NOT_IN_SERVICE;
    polled_sync(family.polled);
    assert_int_equal(family.polled->children.below.count, 0);
    family_end(&family);
}

/* Anything, in any order, many times; from time to time there is quiet, and then all is right. */
static void at_random(unsigned seed, uint32_t keep)
{
    struct family family;
    srand(seed);
    family_begin(&family, keep);
    for (int round = 0; round < 60; round++) {
        for (int step = rand() % 40; step > 0; step--) {
            int what = rand() % 100;
            if (what < 50)
                leaf_set(&family.leaf, (size_t)rand() % (ALARMS / 4),
                         rand() % 2 ? REPORT_SEVERITY_MIN + (uint32_t)rand() % 3 : 0);
            else if (what < 75)
                leaf_cycle(&family.leaf);
            else if (what < 90)
                poll_child(&family);
            else if (what < 93)
                polled_silent(family.polled, family.child, POLL_TIMEOUT, "no answer");
            else if (what < 95)
                leaf_restart(&family.leaf);
            else if (what < 97)
                family.damage = true;
            else if (what < 98) {
                polled_free(family.polled);
                parent_begin(&family);
            }
        }
        family.damage = false;
        for (int i = 0; i < 3 || (i < 200 && !family.child->alarms.exact); i++) {
            polled_wait(family.polled, 60000);
            leaf_cycle(&family.leaf);
            poll_child(&family);
        }
        if (!is_same(&family))
            fail_msg("seed %u, keep %u, round %d", seed, keep, round);
    }
    family_end(&family);
}

static void whatever_happens(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++)
        at_random(seed, seed % 3 ? 16 : 64);
}

/* -- A level higher --------------------------------------------------------------------------- */

static const struct feed_item *only_item(const struct feed *feed)
{
    assert_int_equal(feed->items.count, 1);
    return (const struct feed_item *)index_first(&feed->items);
}

static void told_to_the_next_parent(void **state)
{
    (void)state;
    struct family family;
    struct feed feed;
    family_begin(&family, 100);
    feed_open(&feed);
    family.polled->children.feed = &feed;
    struct report_ring *ring = ring_new(1);
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    children_alarms_step(&family.polled->children, family.polled->now);
    assert_true(feed.complete);
    assert_true(feed_write(&feed, ring, 0));
    struct report_alarm alarm = {.id = 0};
    const struct feed_item *item = only_item(&feed);
    item->describe(item, &alarm);
    assert_int_equal(alarm.text[REPORT_ALARM_PATH].len, strlen(NAME));
    assert_memory_equal(alarm.text[REPORT_ALARM_PATH].at, NAME, strlen(NAME));
    uint32_t id = item->id;
    /* FNV-1a: parents know the alarm by it, over restarts and new versions. */
    const uint8_t named[] = {'l', 'e', 'a', 'f', 100, 0, 0, 0};
    assert_int_equal(known(&family, 0)->id, 100);
    assert_int_equal(id, block_hash(named, sizeof named));
    leaf_set(&family.leaf, 0, 0);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_int_equal(feed.items.count, 0);
    assert_true(feed_write(&feed, ring, 0));
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_int_equal(only_item(&feed)->id, id);
    ring_free(ring);
    family_end(&family);
    feed_close(&feed);
}

static int count_alarms(void *context, const struct report_entry *entry)
{
    *(size_t *)context += entry->kind == REPORT_ALARM;
    return 0;
}

/* The alarms in a ring that any parent can read. */
static size_t readable(const struct report_ring *ring)
{
    size_t n = 0;
    for (struct index_node *node = index_first(&ring->index); node; node = index_next(node)) {
        const struct report_block *block = (const struct report_block *)node;
        struct report_header header;
        const char *why = NULL;
        if (report_decode(block->bytes, block->len, &header, count_alarms, &n, &why) != 0)
            fail_msg("block %u: %s", block->sequence, why);
    }
    return n;
}

/* A child cannot make its parent write what nobody can read: a path that grows until there is no
 * room for the name of the child before it is told no more. */
static void a_path_that_grows(void **state)
{
    (void)state;
    char path[ALARM_PATH_SIZE] = "";
    struct family family;
    struct feed feed;
    family_begin(&family, 100);
    feed_open(&feed);
    family.polled->children.feed = &feed;
    struct report_ring *ring = ring_new(1);
    family.leaf.items[0].path = path;
    for (size_t len = 0; len < ALARM_PATH_SIZE; len++) {
        memset(path, 'x', len);
        leaf_set(&family.leaf, 0, SEVERITY_INFO);
        leaf_cycle(&family.leaf);
        poll_child(&family);
        assert_true(is_same(&family));
        size_t before = readable(ring);
        feed_write(&feed, ring, 0);
        assert_int_equal(report_flush(ring), 0);
        bool fits = strlen(NAME "/") + len < ALARM_PATH_SIZE;
        assert_int_equal(readable(ring) - before, fits);
        assert_int_equal(feed.items.count, fits);
    }
    path[1] = '\0';
    leaf_set(&family.leaf, 0, SEVERITY_INFO);
    leaf_cycle(&family.leaf);
    poll_child(&family);
    assert_int_equal(feed.items.count, 1);
    ring_free(ring);
    family_end(&family);
    feed_close(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_a_raise_to_its_clear),
        cmocka_unit_test(long_after_the_raise),
        cmocka_unit_test(what_was_never_heard),
        cmocka_unit_test(after_a_restart_of_the_child),
        cmocka_unit_test(after_a_restart_of_a_collector),
        cmocka_unit_test(lost_and_back),
        cmocka_unit_test(after_a_bad_block),
        cmocka_unit_test(removed_with_its_child),
        cmocka_unit_test(whatever_happens),
        cmocka_unit_test(told_to_the_next_parent),
        cmocka_unit_test(a_path_that_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
