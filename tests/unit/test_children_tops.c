/* Keys of tops of children: parts become whole, and what does not fit together is left out. */
#include "children/tops.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "children/bound.h"
#include "scarce.h"
#include "unit.h"

#define KEYS 12

static struct report_ring ring;
static struct child_top *top;

static int setup(void **state)
{
    (void)state;
    top = NULL;
    return report_open(&ring, 1, 1000, REPORT_BLOCK_MIN);
}

static int teardown(void **state)
{
    (void)state;
    child_top_free(top);
    report_close(&ring);
    return 0;
}

/* Puts n keys into the blocks, each so long that few are in an entry. Key i has (i + 1) * unit. */
static void report(int64_t wall_ms, size_t n, uint64_t unit, uint64_t absent)
{
    struct top_key key[KEYS];
    struct top_keys keys = {key, n, absent};
    for (size_t i = 0; i < n; i++) {
        key[i] = (struct top_key){.count = (i + 1) * unit, .error = i};
        snprintf(key[i].octets, sizeof key[i].octets, "%060zu", i);
    }
    assert_int_equal(report_add_keys(&ring, 1, wall_ms, &keys), 0);
}

/* Takes those of the entries that the text has a '1' for: all that are behind its end. */
struct taking {
    const char *which;
    unsigned taken;
    int error;
};

static int take(void *context, const struct report_entry *entry)
{
    struct taking *taking = context;
    bool is_left_out = *taking->which == '0';
    taking->which += *taking->which != '\0';
    taking->taken++;
    if (!is_left_out)
        taking->error = child_top_take(&top, entry);
    return taking->error;
}

static unsigned take_those(const char *which)
{
    struct taking taking = {.which = which};
    struct report_header header;
    const char *why;
    assert_int_equal(report_flush(&ring), 0);
    for (struct index_node *i = index_first(&ring.index); i && !taking.error; i = index_next(i)) {
        const struct report_block *block = (const struct report_block *)i;
        assert_int_equal(report_decode(block->bytes, block->len, &header, take, &taking, &why), 0);
    }
    assert_int_equal(taking.error, 0);
    return taking.taken;
}

static void assert_whole(size_t n, uint64_t unit, uint64_t absent, uint64_t finished)
{
    assert_int_equal(top->finished, finished);
    assert_int_equal(top->whole.size, n);
    assert_int_equal(top->whole.absent, absent);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(top->whole.key[i].count, (i + 1) * unit);
        assert_int_equal(top->whole.key[i].error, i);
    }
    size_t keys = top->parts.size + top->whole.size;
    size_t rows = (n + 1) * CHILD_TOP_ROW; /* as they may become, and what they are in */
    assert_int_equal(child_top_cost(top), sizeof *top + keys * sizeof(struct top_key) + rows);
}

static void in_one_part(void **state)
{
    (void)state;
    report(5, 2, 10, 7);
    assert_int_equal(take_those(""), 1);
    assert_whole(2, 10, 7, 1);
}

static void in_many_parts(void **state)
{
    (void)state;
    report(5, KEYS, 10, 7);
    assert_true(take_those("") > 3);
    assert_whole(KEYS, 10, 7, 1);
    assert_int_equal(top->parts.size, 0);
}

static void the_latest_counts(void **state)
{
    (void)state;
    report(5, KEYS, 10, 7);
    report(6, KEYS - 1, 20, 8);
    take_those("");
    assert_whole(KEYS - 1, 20, 8, 2);
}

static void none_is_whole_at_once(void **state)
{
    (void)state;
    report(5, 3, 10, 7);
    report(6, 0, 0, 0);
    take_those("");
    assert_whole(0, 0, 0, 2);
}

/* Whichever part is lost, that time is left out, and the one before and the one behind are not. */
static void a_part_is_lost(void **state)
{
    (void)state;
    report(5, KEYS, 10, 7);
    unsigned parts = take_those("");
    for (unsigned lost = 0; lost < parts; lost++) {
        char which[100];
        teardown(state);
        setup(state);
        report(5, KEYS, 10, 7);
        report(6, KEYS, 30, 9);
        memset(which, '1', sizeof which);
        which[parts + lost] = '0';
        which[2 * parts] = '\0';
        assert_int_equal(take_those(which), 2 * parts);
        assert_whole(KEYS, 10, 7, 1);
        report(7, KEYS, 40, 1);
        memset(which, '0', 2 * parts);
        take_those(which);
        assert_whole(KEYS, 40, 1, 2);
    }
}

/* The next time begins before the last one was whole. */
static void one_is_broken_off(void **state)
{
    (void)state;
    report(5, KEYS, 10, 7);
    report(6, 2, 20, 7);
    take_those("1100");
    assert_whole(2, 20, 7, 1);
}

/* What is told in a circle, or by a liar, stays within what may be told. */
static void the_same_again_and_again(void **state)
{
    (void)state;
    report(5, KEYS, 10, 7);
    unsigned parts = take_those("");
    for (unsigned i = 0; i < 50; i++)
        take_those("10");
    assert_true(top->parts.size <= KEYS);
    assert_true(child_top_cost(top) <=
                sizeof *top + 2 * KEYS * sizeof(struct top_key) + (KEYS + 1) * CHILD_TOP_ROW);
    assert_true(parts > 0);
}

static void without_memory_it_can_be_taken_again(void **state)
{
    (void)state;
    report(5, KEYS, 10, 7);
    assert_int_equal(report_flush(&ring), 0);
    bool has_failed = true;
    for (size_t nth = 1; has_failed; nth++) {
        struct report_header header;
        const char *why;
        has_failed = false;
        child_top_free(top);
        top = NULL;
        for (struct index_node *i = index_first(&ring.index); i; i = index_next(i)) {
            const struct report_block *block = (const struct report_block *)i;
            struct taking taking = {.which = ""};
            scarce_fail(has_failed ? 1000000 : nth);
            report_decode(block->bytes, block->len, &header, take, &taking, &why);
            bool failed = scarce_stop();
            has_failed |= failed;
            if (!failed)
                continue;
            char behind[10] = "000000000";
            behind[taking.taken > 0 ? taking.taken - 1 : 0] = '\0';
            taking = (struct taking){.which = taking.error ? behind : ""};
            assert_int_equal(report_decode(block->bytes, block->len, &header, take, &taking, &why),
                             0);
            assert_int_equal(taking.error, 0);
        }
        assert_whole(KEYS, 10, 7, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_one_part, setup, teardown),
        cmocka_unit_test_setup_teardown(in_many_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(the_latest_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(none_is_whole_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_part_is_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(one_is_broken_off, setup, teardown),
        cmocka_unit_test_setup_teardown(the_same_again_and_again, setup, teardown),
        cmocka_unit_test_setup_teardown(without_memory_it_can_be_taken_again, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
