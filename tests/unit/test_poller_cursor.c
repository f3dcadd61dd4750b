#include <stdlib.h>

#include "poller/cursor.h"

#include "unit.h"

#define LAST UINT32_MAX

/* What a child that keeps first to last answers to the cursor's question. */
static struct cursor_step ask(struct cursor *cursor, uint32_t boot, uint32_t first, uint32_t last)
{
    struct cursor_head head = {boot, first, last};
    uint32_t from, present = 0, n = cursor_ask(cursor, &from);
    for (uint32_t i = 0; i < n; i++)
        if (first != 0 && from + i >= first && from + i <= last)
            present |= UINT32_C(1) << i;
    return cursor_answer(cursor, &head, present);
}

static void first_contact(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first;
    cursor_set(&cursor, 0, 0);
    cursor_begin(&cursor);
    assert_int_equal(cursor_ask(&cursor, &first), 0);
    struct cursor_step step = ask(&cursor, 3, 10, 15);
    assert_null(step.garbage);
    assert_int_equal(step.lost, 0);
    assert_int_equal(step.take, 0);
    assert_true(step.again);
    assert_int_equal(cursor_ask(&cursor, &first), 4);
    assert_int_equal(first, 10);
    step = ask(&cursor, 3, 10, 15);
    assert_int_equal(step.first, 10);
    assert_int_equal(step.take, 4);
    assert_true(step.again);
    step = ask(&cursor, 3, 10, 15);
    assert_int_equal(step.take, 2);
    assert_false(step.again);
    cursor_begin(&cursor);
    step = ask(&cursor, 3, 10, 15);
    assert_int_equal(step.take, 0);
    assert_false(step.again);
    assert_int_equal(cursor_ask(&cursor, &first), 4);
    assert_int_equal(first, 16);
}

static void known_cursor(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first;
    cursor_set(&cursor, 3, 12);
    cursor_begin(&cursor);
    assert_int_equal(cursor_ask(&cursor, &first), 1);
    assert_int_equal(first, 12);
    assert_int_equal(ask(&cursor, 3, 10, 12).take, 1);
    cursor_set(&cursor, 3, 0);
    assert_int_equal(cursor_ask(&cursor, &first), 0);
    cursor_set(&cursor, 0, 12); /* a number without its boot means nothing */
    assert_int_equal(cursor_ask(&cursor, &first), 0);
}

static void boots_and_gaps(void **state)
{
    (void)state;
    static const struct {
        uint32_t boot, next, last; /* the cursor */
        struct cursor_head head;
        uint32_t lost, next_then;
    } cases[] = {
        {3, 12, 11, {4, 1, 5}, 0, 1},    /* a new boot, nothing dropped */
        {3, 12, 11, {4, 3, 5}, 2, 3},    /* its first two are gone */
        {3, 12, 14, {4, 3, 5}, 5, 3},    /* and three of the old boot */
        {3, 12, 11, {4, 0, 0}, 0, 1},    /* and has none yet */
        {4, 12, 11, {3, 1, 5}, 0, 1},    /* another boot need not be a higher one */
        {0, 0, 0, {4, 7, 9}, 0, 7},      /* first contact: what was before is not lost */
        {3, 12, 11, {3, 13, 20}, 1, 13}, /* a gap of one */
        {3, 12, 11, {3, 1000, 1000}, 988, 1000},
        {3, 1, 0, {3, LAST, LAST}, LAST - 1, LAST},
        {3, 12, LAST, {4, LAST, LAST}, LAST, LAST}, /* more than can be counted */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cursor cursor;
        uint32_t first;
        cursor_set(&cursor, cases[i].boot, cases[i].next);
        cursor.last = cases[i].last;
        cursor_begin(&cursor);
        struct cursor_step step = cursor_answer(&cursor, &cases[i].head, 0);
        assert_null(step.garbage);
        assert_int_equal(step.lost, cases[i].lost);
        assert_int_equal(step.take, 0);
        assert_int_equal(step.again, cases[i].head.last != 0);
        cursor_ask(&cursor, &first);
        assert_int_equal(first, cases[i].next_then);
    }
}

static void garbage(void **state)
{
    (void)state;
    static const struct {
        struct cursor_head head;
        uint32_t present;
    } cases[] = {
        {{0, 1, 5}, 0},  /* boot 0 */
        {{3, 6, 5}, 0},  /* first after last */
        {{3, 0, 5}, 0},  /* no first, but a last */
        {{3, 5, 0}, 0},  /* no last, but a first */
        {{3, 1, 11}, 1}, /* a block beyond the last */
        {{3, 1, 12}, 2}, /* and in the second place */
        {{0, 0, 0}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cursor cursor;
        cursor_set(&cursor, 3, 12);
        cursor_begin(&cursor);
        cursor.want = 4;
        struct cursor_step step = cursor_answer(&cursor, &cases[i].head, cases[i].present);
        assert_non_null(step.garbage);
        assert_int_equal(step.take, 0);
        assert_int_equal(step.lost, 0);
        assert_false(step.again);
        assert_int_equal(cursor.next, 12);
        assert_int_equal(cursor.boot, 3);
    }
}

/* Numbers that went back within a boot: said once, and then begun anew. */
static void numbers_went_back(void **state)
{
    (void)state;
    struct cursor cursor;
    cursor_set(&cursor, 3, 12);
    cursor_begin(&cursor);
    assert_null(ask(&cursor, 3, 1, 11).garbage);
    assert_non_null(ask(&cursor, 3, 1, 10).garbage);
    assert_int_equal(cursor.boot, 0);
    assert_null(ask(&cursor, 3, 1, 10).garbage);
    assert_int_equal(ask(&cursor, 3, 1, 10).first, 1);
}

/* A block that the head promises may come late, but not never. */
static void missing_block(void **state)
{
    (void)state;
    struct cursor cursor;
    struct cursor_head head = {3, 1, 14};
    cursor_set(&cursor, 3, 12);
    cursor_begin(&cursor);
    cursor.want = 3;
    struct cursor_step step = cursor_answer(&cursor, &head, 1 | 4); /* 12, 14 */
    assert_null(step.garbage);
    assert_int_equal(step.take, 1);
    assert_true(step.again);
    step = cursor_answer(&cursor, &head, 0);
    assert_null(step.garbage);
    assert_int_equal(step.take, 0);
    assert_true(step.again);
    step = cursor_answer(&cursor, &head, 0);
    assert_non_null(step.garbage);
    assert_int_equal(cursor.next, 13);
    step = cursor_answer(&cursor, &head, 3);
    assert_null(step.garbage);
    assert_int_equal(step.take, 2);
}

static void last_number_of_all(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first;
    cursor_set(&cursor, 3, LAST - 1);
    cursor_begin(&cursor);
    cursor.want = 4;
    assert_int_equal(cursor_ask(&cursor, &first), 2);
    assert_int_equal(ask(&cursor, 3, 1, LAST).take, 2);
    assert_int_equal(cursor_ask(&cursor, &first), 0);
    struct cursor_step step = ask(&cursor, 3, 1, LAST);
    assert_null(step.garbage);
    assert_int_equal(step.take, 0);
    assert_false(step.again);
    assert_int_equal(step.lost, 0);
}

static void rounds_are_bounded(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t rounds = 1, taken = 0;
    cursor_set(&cursor, 3, 1);
    cursor_begin(&cursor);
    struct cursor_step step;
    while ((step = ask(&cursor, 3, 1, 1000)).again) {
        taken += step.take;
        rounds++;
    }
    taken += step.take;
    assert_int_equal(rounds, CURSOR_ROUNDS_MAX);
    assert_int_equal(taken, 1 + (CURSOR_ROUNDS_MAX - 1) * CURSOR_BLOCKS_MAX);
    cursor_begin(&cursor);
    assert_true(ask(&cursor, 3, 1, 1000).again);
}

static void too_big(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first;
    cursor_set(&cursor, 3, 1);
    cursor_begin(&cursor);
    assert_false(cursor_too_big(&cursor));
    ask(&cursor, 3, 1, 100);
    assert_int_equal(cursor_ask(&cursor, &first), CURSOR_BLOCKS_MAX);
    for (uint32_t n = CURSOR_BLOCKS_MAX / 2; n >= 1; n /= 2) {
        assert_true(cursor_too_big(&cursor));
        assert_int_equal(cursor_ask(&cursor, &first), n);
        ask(&cursor, 3, 1, 100);
        assert_int_equal(cursor_ask(&cursor, &first), n);
    }
    assert_false(cursor_too_big(&cursor));
}

/* How many answers of a child that has enough bring one block each, before more is asked for. */
static unsigned answers_alone(struct cursor *cursor)
{
    uint32_t first;
    unsigned n = 0;
    while (cursor_ask(cursor, &first) == 1) {
        cursor_begin(cursor);
        struct cursor_step step = ask(cursor, 3, 1, 100000);
        assert_null(step.garbage);
        assert_int_equal(step.take, 1);
        assert_true(step.again);
        n++;
    }
    assert_int_equal(cursor_ask(cursor, &first), CURSOR_BLOCKS_MAX);
    return n;
}

/* A network that drops fragments: more than one block is tried ever less often, but one always
 * comes. */
static void answers_in_fragments_are_lost(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first;
    cursor_set(&cursor, 3, 1);
    assert_int_equal(answers_alone(&cursor), 1);
    for (unsigned expected = CURSOR_ALONE; expected < CURSOR_ALONE_MAX; expected *= 2) {
        cursor_unanswered(&cursor);
        cursor_unanswered(&cursor); /* which one block is, too, changes nothing */
        assert_int_equal(answers_alone(&cursor), expected);
    }
    for (unsigned i = 0; i < 3; i++) {
        cursor_unanswered(&cursor);
        assert_int_equal(answers_alone(&cursor), CURSOR_ALONE_MAX);
    }
    assert_int_equal(ask(&cursor, 3, 1, 100000).take, CURSOR_BLOCKS_MAX); /* the way is mended */
    assert_int_equal(cursor_ask(&cursor, &first), CURSOR_BLOCKS_MAX);
    cursor_unanswered(&cursor);
    assert_int_equal(answers_alone(&cursor), CURSOR_ALONE);
}

/* A question for one block or for none is small enough. */
static void small_answers_are_lost(void **state)
{
    (void)state;
    struct cursor cursor;
    for (uint32_t next = 0; next <= 1; next++) {
        cursor_set(&cursor, 3, next);
        struct cursor before = cursor;
        cursor_unanswered(&cursor);
        assert_memory_equal(&cursor, &before, sizeof cursor);
    }
}

/* As many as came at most are asked for next time. */
static void learns_the_pace(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first, last = 0;
    cursor_set(&cursor, 3, 1);
    for (uint32_t n = 0; n <= 6; n++) {
        cursor_begin(&cursor);
        last += n;
        while (ask(&cursor, 3, last ? 1 : 0, last).again)
            continue;
        uint32_t expected = n == 0 ? 1 : n < CURSOR_BLOCKS_MAX ? n : CURSOR_BLOCKS_MAX;
        assert_int_equal(cursor_ask(&cursor, &first), expected);
    }
}

/* Polls that need a second request, of a child that has so many blocks more each time. */
static unsigned second_requests(struct cursor *cursor, uint32_t *last, uint32_t blocks)
{
    unsigned n = 0;
    cursor_begin(cursor);
    *last += blocks;
    while (ask(cursor, 3, 1, *last).again)
        n++;
    return n;
}

/* Sensors of two intervals: one poll in so many has a block more than the others. Once one was
 * met, each poll is one request. */
static void intervals_of_two_lengths(void **state)
{
    (void)state;
    for (unsigned length = 2; length <= CURSOR_POLLS_FEWER; length++) {
        struct cursor cursor;
        uint32_t last = 0;
        cursor_set(&cursor, 3, 1);
        for (unsigned i = 1; i <= 1000; i++) {
            unsigned n = second_requests(&cursor, &last, i % length == 0 ? 2 : 1);
            assert_int_equal(n, i == length);
        }
    }
}

/* What is not brought any more is not asked for much longer: one block less after each span. */
static void forgets_the_pace(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first, last = 0;
    cursor_set(&cursor, 3, 1);
    second_requests(&cursor, &last, 9);
    for (uint32_t expected = CURSOR_BLOCKS_MAX; expected > 1; expected--)
        for (unsigned i = 0; i < CURSOR_POLLS_FEWER; i++) {
            assert_int_equal(cursor_ask(&cursor, &first), expected);
            assert_int_equal(second_requests(&cursor, &last, i % 2), 0);
        }
    for (unsigned i = 0; i < 2 * CURSOR_POLLS_FEWER; i++) {
        assert_int_equal(cursor_ask(&cursor, &first), 1);
        second_requests(&cursor, &last, 0);
    }
}

/* A random child that adds, drops and restarts: each block comes at most once and in order, and
 * those that do not come are counted. */
static void nothing_twice_nothing_silently(void **state)
{
    (void)state;
    srandom(2);
    struct cursor cursor;
    uint32_t boot = 1, first = 1, last = 0, seen = 0;
    cursor_set(&cursor, 1, 1);
    for (int i = 0; i < 200000; i++) {
        uint32_t from, n;
        last += (uint32_t)random() % 4;
        if (random() % 10 == 0 && last >= first)
            first += (uint32_t)random() % (last - first + 1);
        if (random() % 1000 == 0) {
            boot++;
            first = 1;
            last = seen = 0;
            ask(&cursor, boot, 0, 0);
        }
        cursor_begin(&cursor);
        n = cursor_ask(&cursor, &from);
        struct cursor_step step =
            ask(&cursor, boot, last >= first ? first : 0, last >= first ? last : 0);
        if (last < first) {
            assert_int_equal(last, 0);
            continue;
        }
        assert_null(step.garbage);
        assert_true(step.take <= n);
        seen += step.lost;
        if (step.take)
            assert_int_equal(step.first, seen + 1);
        seen += step.take;
        assert_int_equal(cursor.next, seen + 1);
        assert_int_equal(step.again, seen < last);
    }
    assert_true(boot > 100);
}

/* What came in another way is not asked for, and not lost. */
static void passed(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first;
    cursor_set(&cursor, 0, 0);
    cursor_pass(&cursor, 0, 9); /* nothing is known yet */
    assert_int_equal(cursor.next, 0);
    cursor_set(&cursor, 3, 10);
    cursor_pass(&cursor, 2, 20); /* of another boot */
    cursor_pass(&cursor, 3, 10);
    cursor_pass(&cursor, 3, 9);
    assert_int_equal(cursor.next, 10);
    cursor_pass(&cursor, 3, 12);
    cursor_ask(&cursor, &first);
    assert_int_equal(first, 12);
    struct cursor_step step = ask(&cursor, 3, 12, 12);
    assert_null(step.garbage);
    assert_int_equal(step.lost, 0);
    assert_int_equal(step.first, 12);
    assert_int_equal(step.take, 1);
    cursor_pass(&cursor, 3, 14);
    step = ask(&cursor, 4, 1, 1); /* and all of the old boot was taken */
    assert_int_equal(step.lost, 0);
    cursor_set(&cursor, 3, 10);
    cursor_pass(&cursor, 3, LAST);
    cursor_ask(&cursor, &first);
    assert_int_equal(first, LAST);
}

/* Who reads again from an old block on is not brought forward by who wants less of that. */
static void goes_back(void **state)
{
    (void)state;
    struct cursor cursor;
    uint32_t first;
    cursor_set(&cursor, 3, 10);
    cursor_back(&cursor, 2, 5); /* of another boot */
    cursor_back(&cursor, 3, 10);
    cursor_back(&cursor, 3, 11);
    cursor_ask(&cursor, &first);
    assert_int_equal(first, 10);
    cursor_back(&cursor, 3, 7);
    cursor_ask(&cursor, &first);
    assert_int_equal(first, 7);
    cursor_back(&cursor, 3, 0);
    assert_int_equal(cursor_ask(&cursor, &first), 0); /* from the oldest on */
    assert_int_equal(cursor.boot, 3);
    cursor_back(&cursor, 3, 8);
    assert_int_equal(cursor.next, 0);
    struct cursor_step step = ask(&cursor, 3, 2, 12);
    assert_int_equal(step.lost, 0);
    assert_int_equal(cursor.next, 2);
    cursor_back(&cursor, 3, 8);
    assert_int_equal(cursor.next, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_contact),
        cmocka_unit_test(known_cursor),
        cmocka_unit_test(boots_and_gaps),
        cmocka_unit_test(garbage),
        cmocka_unit_test(numbers_went_back),
        cmocka_unit_test(missing_block),
        cmocka_unit_test(last_number_of_all),
        cmocka_unit_test(rounds_are_bounded),
        cmocka_unit_test(too_big),
        cmocka_unit_test(answers_in_fragments_are_lost),
        cmocka_unit_test(small_answers_are_lost),
        cmocka_unit_test(learns_the_pace),
        cmocka_unit_test(intervals_of_two_lengths),
        cmocka_unit_test(forgets_the_pace),
        cmocka_unit_test(nothing_twice_nothing_silently),
        cmocka_unit_test(passed),
        cmocka_unit_test(goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
