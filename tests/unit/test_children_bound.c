/* What one child may cost: it is accounted to the last octet, and who goes beyond it is refused,
 * told of once, and tried again. DCAMP_BLOCKS: how many random blocks, for a longer run. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../sim/hostile.h"
#include "base/text.h"

#include "polled.h"

#define BLOCKS CASES(10000)
#define BLOCK_OCTETS 1200 /* as nodes make them, if nothing else is configured */
#define MIB ((size_t)1 << 20)

static const char key[] = "leaf:node-lost:";

/* Of malloc(3), or where something else is in its place, valgrind or a sanitizer, what the account
 * says. */
static size_t heap_used(const struct child *child)
{
    size_t before = mallinfo2().uordblks;
    void *volatile some = malloc(60000); /* not of a cache, and not left out */
    bool is_counted = mallinfo2().uordblks > before;
    free(some);
    return is_counted ? before : child->cost.memory;
}

static void give_block(struct polled *polled, const struct child *child, struct hostile *hostile)
{
    uint8_t block[BLOCK_OCTETS];
    uint32_t boot = child->cursor.boot ? child->cursor.boot : 7;
    uint32_t sequence = child->cursor.next_block ? child->cursor.next_block : 1;
    size_t len = hostile_block(hostile, boot, sequence, block, sizeof block);
    struct answer *answer = answer_new(child->id, boot);
    answer_add(answer, sequence, block, len);
    answer_give(polled, answer);
}

static size_t sent_of(const struct polled *polled, enum message_kind kind)
{
    size_t n;
    polled_sent(polled, kind, &n);
    return n;
}

/* Seconds go by; the child answers each time with nothing new, if it is polled. */
static void behave(struct polled *polled, const struct child *child, unsigned seconds)
{
    for (unsigned i = 0; i < seconds; i++) {
        polled_wait(polled, 1000);
        children_watch(&polled->children, polled->now);
        polled_answer(polled, child, 7, NULL, 0);
    }
}

static void until_refused(struct polled *polled, const struct child *child, struct hostile *hostile)
{
    for (int i = 0; i < 100 && child->contact.state != CHILD_REFUSED; i++)
        give_block(polled, child, hostile);
    assert_int_equal(child->contact.state, CHILD_REFUSED);
}

/* As much as it may cost is not beyond it, of memory and of work alone. */
static void at_the_bound(void **state)
{
    static const struct {
        size_t memory;
        uint64_t work;
        bool beyond;
    } rows[] = {{0, 0, false},   {999, 999, false}, {1000, 1000, false},
                {1001, 0, true}, {0, 1001, true},   {1001, 1001, true}};
    (void)state;
    const struct children children = {.bound = 1000};
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct child child = {.cost = {.memory = rows[i].memory, .work = rows[i].work}};
        assert_int_equal(child_is_beyond(&children, &child), rows[i].beyond);
    }
}

static void windows_of_all_buckets(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct child *other = polled_child(polled, "other");
    struct hostile hostile = {.random = 1, .series_max = 10000, .wide = true};
    polled_answer(polled, child, 7, NULL, 0);
    polled_answer(polled, other, 7, NULL, 0);
    size_t before = heap_used(child);
    assert_told(polled, key, 0, 1);
    polled_forget_sent(polled);
    size_t most = 0;
    for (int i = 0; i < 100 && child->contact.state != CHILD_REFUSED; i++) {
        size_t used = heap_used(child) - before;
        most = used > most ? used : most;
        give_block(polled, child, &hostile);
    }
    print_message("refused at %zu octets\n", most);
    assert_in_range(most, 12 * MIB, 17 * MIB);
    assert_int_equal(child->contact.state, CHILD_REFUSED);
    assert_string_equal(child_error(child),
                        "it needs more memory here than 16384 KiB a child (collect "
                        "child-kb), not polled for 30 s");
    assert_int_equal(child->cost.memory, 0);
    assert_true(heap_used(child) < before + MIB);
    assert_int_equal(sent_of(polled, MESSAGE_FORGET), 1);
    assert_told(polled, key, 1, 1);
    give_block(polled, child, &hostile); /* was under way */
    assert_int_equal(child->cost.memory, 0);
    assert_int_equal(other->contact.state, CHILD_UP);
}

static void the_way_back(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct hostile hostile = {.random = 1, .series_max = 10000, .wide = true};
    polled_answer(polled, child, 7, NULL, 0);
    until_refused(polled, child, &hostile);
    uint32_t id = child->id;
    polled_forget_sent(polled);
    behave(polled, child, 29);
    assert_int_equal(child->contact.state, CHILD_REFUSED);
    assert_int_equal(sent_of(polled, MESSAGE_CHILD), 0);
    behave(polled, child, 2);
    assert_int_equal(sent_of(polled, MESSAGE_CHILD), 1);
    assert_int_equal(sent_of(polled, MESSAGE_SENDER), 1);
    assert_true(child->id > id);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_told(polled, key, 1, 1); /* it is on trial */
    until_refused(polled, child, &hostile);
    assert_non_null(strstr(child_error(child), "not polled for 60 s"));
    assert_told(polled, key, 1, 1);
    behave(polled, child, 61 + 61);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_told(polled, key, 1, 2); /* it has joined again */
    until_refused(polled, child, &hostile);
    assert_non_null(strstr(child_error(child), "not polled for 30 s")); /* from the beginning */
    assert_told(polled, key, 2, 2);
}

/* Little memory, but always the same work. */
static void much_work(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct hostile hostile = {.random = 1, .series_max = 100, .wide = true};
    for (int i = 0; i < 1000; i++) { /* ten blocks a second are no harm */
        give_block(polled, child, &hostile);
        polled_wait(polled, 100);
    }
    assert_int_equal(child->contact.state, CHILD_UP);
    int taken = 0;
    for (; taken < 10000 && child->contact.state == CHILD_UP; taken++)
        give_block(polled, child, &hostile);
    print_message("%d blocks at once are too much work\n", taken);
    assert_int_equal(child->contact.state, CHILD_REFUSED);
    assert_non_null(strstr(child_error(child), "more work"));
    assert_in_range(taken, 50, 1000);
}

/* It says that it has started again, each time. */
static void many_boots(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct hostile hostile = {.random = 1, .series_max = 1000};
    uint32_t boot = 7;
    for (int i = 0; i < 100; i++)
        give_block(polled, child, &hostile);
    for (struct child_series *series; (series = TAILQ_FIRST(&child->series.unnamed));) {
        char instance[16];
        snprintf(instance, sizeof instance, "%u", series->number);
        polled_name(polled, child, series->number, "load", instance);
    }
    assert_true(child->series.n_named > 900);
    for (int i = 0; i < 100000 && child->contact.state == CHILD_UP; i++) {
        polled_answer(polled, child, ++boot, NULL, 0);
        if (child->series.n_named == 0)
            break; /* what has no name any more costs nothing */
    }
    assert_true(child->contact.state == CHILD_REFUSED || child->series.n_named == 0);
}

/* As many series as a child may have, with names and values: that is no harm. */
static void a_large_honest_child(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct report_ring ring;
    const struct result result = {.state = RESULT_VALID, .value = 1.5};
    assert_int_equal(report_open(&ring, 7, 1000, 1200), 0);
    for (uint32_t i = 1; i <= CHILD_SERIES_MAX; i++)
        assert_int_equal(report_add(&ring, i, INT64_C(1700000000123), &result), 0);
    assert_int_equal(report_flush(&ring), 0);
    for (struct index_node *node = index_first(&ring.index); node; node = index_next(node)) {
        const struct report_block *block = (struct report_block *)node;
        struct answer *answer = answer_new(child->id, 7);
        answer_add(answer, block->sequence, block->bytes, block->len);
        answer_give(polled, answer);
        polled_forget_sent(polled);
    }
    for (uint32_t i = 1; i <= CHILD_SERIES_MAX; i++) {
        char instance[INSTANCE_SIZE];
        snprintf(instance, sizeof instance, "a-rather-long-instance-%u", i);
        polled_name(polled, child, i, "a.sensor.with.a.name", instance);
        polled_forget_sent(polled);
    }
    report_close(&ring);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_int_equal(child->series.n_named, CHILD_SERIES_MAX);
    print_message("%d series are %zu octets\n", CHILD_SERIES_MAX, child->cost.memory);
    assert_in_range(child->cost.memory, 2 * MIB, 8 * MIB);
}

/* -- Random blocks --------------------------------------------------------------------------- */

static void answer_look_ups(struct polled *polled, struct child *child, struct hostile *hostile)
{
    size_t n;
    const struct message_look_up *ask = polled_sent(polled, MESSAGE_LOOK_UP, &n);
    struct message_look_up copy = {.n = 0};
    if (ask)
        copy = *ask;
    polled_forget_sent(polled);
    for (uint32_t i = 0; i < copy.n; i++) {
        char instance[INSTANCE_SIZE];
        uint32_t number = copy.series[i];
        text_format(instance, sizeof instance, "%.*s%u", (int)(number % 40),
                    "a name may be as long as an instance may be", number);
        bool is_gone = (number + hostile->next++) % 8 == 0;
        polled_name(polled, child, number, is_gone ? NULL : "load", instance);
    }
}

static bool is_refused(const struct child *child)
{
    return child->contact.state == CHILD_REFUSED &&
           strncmp(child_error(child), "it needs more", 13) == 0;
}

static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* One poll a second, with as many blocks as one may bring. */
static void random_blocks(void **state)
{
    struct polled *polled = *state;
    const char *wanted = getenv("DCAMP_BLOCKS");
    unsigned long blocks = wanted ? strtoul(wanted, NULL, 10) : BLOCKS, taken = 0, refused = 0;
    struct child *child = polled_child(polled, "leaf");
    struct hostile hostile = {.random = 99, .series_max = 12000};
    size_t before = heap_used(child), most = 0;
    double began = cpu_s();
    uint64_t simulated = 0;
    while (taken < blocks) {
        bool was_refused = is_refused(child);
        for (int i = 0; i < 64 && !is_refused(child); i++, taken++) {
            hostile.wide = i % 8 == 0;
            give_block(polled, child, &hostile);
            answer_look_ups(polled, child, &hostile);
            size_t used = heap_used(child) - before;
            most = used > most ? used : most;
        }
        uint64_t step = is_refused(child) ? 10000 : 1000;
        refused += !was_refused && is_refused(child);
        polled_wait(polled, step);
        simulated += step;
        children_watch(&polled->children, polled->now);
        polled_forget_sent(polled);
    }
    double took = cpu_s() - began;
    print_message("%lu random blocks: %.1f us of CPU a block, making it included, %zu KiB at most; "
                  "refused %lu times in %.0f s of its time\n",
                  taken, took / (double)taken * 1e6, most / 1024, refused,
                  (double)simulated / 1000);
    assert_true(most < 18 * MIB);
    assert_int_equal(child->cursor.blocks, taken); /* each was well-formed */
    assert_true(refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_bound), polled_test(windows_of_all_buckets),
        polled_test(the_way_back),      polled_test(much_work),
        polled_test(many_boots),        polled_test(a_large_honest_child),
        polled_test(random_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
