/* Pushed blocks: taken where they are the next ones, else the poller looks; whatever comes in
 * whatever order, nothing is taken twice and nothing is left out. */
#include <stdlib.h>
#include <string.h>

#include "children/cursor.h"
#include "poller/cursor.h"

#include "polled.h"

#define BOOT 7
#define BLOCKS 60

static void judgement(void **state)
{
    (void)state;
    static const struct {
        uint32_t known_boot, next, boot, sequence;
        enum child_push push;
    } cases[] = {
        {7, 5, 7, 5, CHILD_PUSH_NEXT},
        {7, 5, 7, 4, CHILD_PUSH_OLD},
        {7, 5, 7, 1, CHILD_PUSH_OLD},
        {7, 5, 7, 6, CHILD_PUSH_AHEAD},
        {7, 5, 7, UINT32_MAX, CHILD_PUSH_AHEAD},
        {7, 1, 7, 1, CHILD_PUSH_NEXT},
        {7, UINT32_MAX, 7, UINT32_MAX, CHILD_PUSH_NEXT},
        {7, 5, 8, 5, CHILD_PUSH_AHEAD}, /* it has started again */
        {7, 5, 8, 1, CHILD_PUSH_AHEAD},
        {7, 5, 6, 5, CHILD_PUSH_OLD}, /* recorded */
        {7, 5, 6, 9, CHILD_PUSH_OLD},
        {0, 0, 7, 1, CHILD_PUSH_AHEAD}, /* not polled yet */
        {7, 0, 7, 1, CHILD_PUSH_AHEAD}, /* of this boot nothing was fetched yet */
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(
            child_judge_push(cases[i].known_boot, cases[i].next, cases[i].boot, cases[i].sequence),
            cases[i].push);
}

/* A child with BLOCKS blocks of one value each. */
struct pushing {
    struct polled *polled;
    struct child *child;
    struct report_ring ring;
};

static int setup(void **state)
{
    struct pushing *pushing = calloc(1, sizeof *pushing);
    pushing->polled = polled_new();
    pushing->child = polled_child(pushing->polled, "leaf");
    assert_int_equal(report_open(&pushing->ring, BOOT, BLOCKS, REPORT_BLOCK_MIN), 0);
    for (int i = 1; i <= BLOCKS; i++) {
        const struct result result = {.state = RESULT_VALID, .value = i};
        assert_int_equal(report_add(&pushing->ring, 1, 1000 * i, &result), 0);
        assert_int_equal(report_flush(&pushing->ring), 0);
    }
    *state = pushing;
    return 0;
}

static int teardown(void **state)
{
    struct pushing *pushing = *state;
    report_close(&pushing->ring);
    polled_free(pushing->polled);
    free(pushing);
    return 0;
}

static const struct report_block *block_of(const struct pushing *pushing, uint32_t sequence)
{
    return (const struct report_block *)index_find(&pushing->ring.index, &sequence, 1);
}

static void give(const struct pushing *pushing, const struct message_pushed *like,
                 uint32_t sequence, const void *bytes, size_t len)
{
    union {
        struct message_pushed message;
        uint64_t room[1024];
    } copy = {.message = *like};
    copy.message.head = (struct message){MESSAGE_PUSHED, (uint32_t)(sizeof copy.message + len)};
    copy.message.id = pushing->child->id;
    copy.message.block.sequence = sequence;
    copy.message.block.length = (uint32_t)len;
    memcpy(copy.message.block.bytes, bytes, len);
    children_message(&pushing->polled->children, &copy.message.head, pushing->polled->now);
}

static const struct message_pushed from_its_engine = {
    .engine_id = {0x80, 0, 0x7e, 0xd9, 1}, .engine_id_len = 5, .report_boot = BOOT};

static void push(const struct pushing *pushing, uint32_t sequence)
{
    const struct report_block *block = block_of(pushing, sequence);
    polled_wait(pushing->polled, 1);
    give(pushing, &from_its_engine, sequence, block->bytes, block->len);
}

/* As a poller tells it: so many blocks from one on; or the head alone. */
static void poll(const struct pushing *pushing, uint32_t from, uint32_t n)
{
    struct answer *answer = answer_new(pushing->child->id, BOOT);
    for (uint32_t i = from; i < from + n; i++)
        answer_add(answer, i, block_of(pushing, i)->bytes, block_of(pushing, i)->len);
    polled_wait(pushing->polled, 1);
    answer_give(pushing->polled, answer);
}

/* The poller was told so last. */
static void assert_moved(struct pushing *pushing, uint32_t next, bool soon)
{
    size_t n;
    const struct message_move *move = polled_sent(pushing->polled, MESSAGE_MOVE, &n);
    assert_int_equal(n, 1);
    assert_int_equal(move->report_boot, pushing->child->cursor.boot);
    assert_int_equal(move->next_block, next);
    assert_int_equal(move->soon, soon);
    polled_forget_sent(pushing->polled);
}

static void next_old_and_ahead(void **state)
{
    struct pushing *pushing = *state;
    const struct child *child = pushing->child;
    const struct child_pushes *pushes = &pushing->polled->children.pushes;
    poll(pushing, 1, 3);
    polled_forget_sent(pushing->polled);
    push(pushing, 4);
    assert_moved(pushing, 5, false);
    assert_int_equal(child->cursor.blocks, 4);
    assert_int_equal(child->cursor.pushed, 1);
    assert_int_equal(child->contact.polls, 1); /* it is no poll */
    push(pushing, 4);
    push(pushing, 2);
    size_t n;
    assert_null(polled_sent(pushing->polled, MESSAGE_MOVE, &n));
    assert_int_equal(pushes->old, 2);
    push(pushing, 6);
    assert_moved(pushing, 5, true);
    assert_int_equal(pushes->ahead, 1);
    poll(pushing, 5, 2);
    assert_int_equal(child->cursor.blocks, 6);
    assert_int_equal(child->cursor.pushed, 1);
    poll(pushing, 4, 3); /* asked for before the push was heard of */
    assert_int_equal(child->cursor.blocks, 6);
    assert_int_equal(child->contact.bad + child->cursor.lost, 0);
}

static void before_the_first_poll(void **state)
{
    struct pushing *pushing = *state;
    push(pushing, 1); /* its engine is not known: nobody can have authenticated it */
    assert_int_equal(pushing->polled->children.pushes.ahead, 0);
    poll(pushing, 1, 0);
    polled_forget_sent(pushing->polled);
    push(pushing, 1);
    assert_moved(pushing, 0, true);
    assert_int_equal(pushing->child->cursor.blocks, 0);
}

static void of_another_engine_or_boot(void **state)
{
    struct pushing *pushing = *state;
    const struct report_block *block = block_of(pushing, 4);
    struct message_pushed other = from_its_engine;
    poll(pushing, 1, 3);
    polled_forget_sent(pushing->polled);
    other.engine_id[4] = 2;
    give(pushing, &other, 4, block->bytes, block->len);
    other.engine_id_len = 4;
    give(pushing, &other, 4, block->bytes, block->len);
    assert_int_equal(pushing->polled->n_sent, 0);
    other = from_its_engine;
    other.report_boot = BOOT + 1;
    give(pushing, &other, 1, block->bytes, block->len);
    assert_moved(pushing, 4, true);
    other.report_boot = BOOT - 1;
    give(pushing, &other, 4, block->bytes, block->len);
    assert_int_equal(pushing->polled->n_sent, 0);
    assert_int_equal(pushing->child->cursor.blocks, 3);
}

/* It is counted, said and not asked for again, as one that was fetched. */
static void garbage(void **state)
{
    struct pushing *pushing = *state;
    const struct report_block *five = block_of(pushing, 5);
    poll(pushing, 1, 3);
    polled_forget_sent(pushing->polled);
    give(pushing, &from_its_engine, 4, "garbage", 7);
    assert_int_equal(pushing->child->contact.state, CHILD_REFUSED);
    assert_int_equal(pushing->child->contact.bad, 1);
    assert_string_not_equal(child_error(pushing->child), "");
    assert_moved(pushing, 5, false);
    give(pushing, &from_its_engine, 5, five->bytes, five->len - 1);
    give(pushing, &from_its_engine, 6, five->bytes, five->len); /* under another number */
    give(pushing, &from_its_engine, 7, "", 0);
    assert_int_equal(pushing->child->contact.bad, 4);
    push(pushing, 8);
    poll(pushing, 9, 0);
    assert_int_equal(pushing->child->contact.state, CHILD_UP);
    assert_int_equal(pushing->child->cursor.blocks, 4);
}

/* Nobody looks at the values of a child that is lost: a block that was taken then would never be
 * compared with anything. Once it is back, its blocks are fetched. */
static void of_a_lost_child(void **state)
{
    struct pushing *pushing = *state;
    const struct child *child = pushing->child;
    poll(pushing, 1, 3);
    for (int i = 1; i < CHILD_LOST_AFTER; i++)
        polled_silent(pushing->polled, child, POLL_TIMEOUT, "no answer");
    polled_forget_sent(pushing->polled);
    push(pushing, 4); /* not lost yet */
    assert_moved(pushing, 5, false);
    polled_silent(pushing->polled, child, POLL_TIMEOUT, "no answer");
    push(pushing, 5);
    assert_moved(pushing, 5, true);
    assert_int_equal(child->cursor.blocks, 4);
    assert_int_equal(child->contact.state, CHILD_DOWN);
    poll(pushing, 5, 1);
    assert_int_equal(child->cursor.blocks, 5);
}

/* A poller of its own, pushes that are lost, late and double, and polls with what was pushed while
 * they were under way: in the end each block was taken once. */
static void any_order(void **state)
{
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct pushing *pushing = *state;
        struct cursor cursor;
        const struct child *child = pushing->child;
        uint32_t made = 1;
        srandom(seed);
        cursor_set(&cursor, 0, 0);
        while (child->cursor.next_block <= BLOCKS) {
            uint32_t first, n = cursor_ask(&cursor, &first), present = 0;
            size_t told;
            const struct cursor_head head = {BOOT, 1, made};
            for (uint32_t i = 0; i < n && first + i <= made; i++)
                present |= UINT32_C(1) << i;
            for (long i = random() % 6; i > 0 && child->cursor.boot; i--)
                push(pushing, 1 + (uint32_t)random() % made);
            made += (uint32_t)random() % 3;
            made = made < BLOCKS ? made : BLOCKS;
            for (long i = random() % 3; i > 0 && child->cursor.boot; i--)
                push(pushing, made);
            if (random() % 3 == 0) {
                struct cursor_step step = cursor_answer(&cursor, &head, present);
                assert_null(step.garbage);
                assert_int_equal(step.lost, 0);
                poll(pushing, step.take ? step.first : 1, step.take);
            }
            const struct message_move *move = polled_sent(pushing->polled, MESSAGE_MOVE, &told);
            if (move)
                cursor_pass(&cursor, move->report_boot, move->next_block);
            polled_forget_sent(pushing->polled);
        }
        assert_int_equal(child->cursor.blocks, BLOCKS);
        assert_int_equal(child->contact.bad + child->cursor.lost, 0);
        assert_true(child->cursor.pushed <= BLOCKS);
        teardown(state);
        setup(state);
    }
}

static void the_receiver_is_told(void **state)
{
    struct pushing *pushing = *state;
    size_t n;
    const struct message_sender *told = polled_sent(pushing->polled, MESSAGE_SENDER, &n);
    assert_int_equal(n, 1);
    assert_int_equal(told->id, pushing->child->id);
    assert_string_equal(told->credential, "lab");
    assert_int_equal(told->engine_id_len, 0);
    poll(pushing, 1, 1);
    told = polled_sent(pushing->polled, MESSAGE_SENDER, &n);
    assert_int_equal(n, 2);
    assert_int_equal(told->engine_id_len, 5);
    assert_memory_equal(told->engine_id, from_its_engine.engine_id, 5);
    assert_int_equal(told->engine_boots, 3);
    poll(pushing, 2, 1); /* no news */
    polled_sent(pushing->polled, MESSAGE_SENDER, &n);
    assert_int_equal(n, 2);
    polled_forget_sent(pushing->polled);
    children_tell_receiver(&pushing->polled->children);
    told = polled_sent(pushing->polled, MESSAGE_SENDER, &n);
    assert_int_equal(n, 1);
    assert_int_equal(told->engine_boots, 3);
}

static bool everyone(void *context, uint32_t id)
{
    (void)context;
    (void)id;
    return true;
}

/* What the receiver has heard of an engine since is newer than what the core knows. */
static void a_poller_begins(void **state)
{
    struct pushing *pushing = *state;
    size_t n;
    poll(pushing, 1, 1);
    polled_forget_sent(pushing->polled);
    children_resend(&pushing->polled->children, everyone, NULL, pushing->polled->now);
    assert_non_null(polled_sent(pushing->polled, MESSAGE_CHILD, &n));
    assert_null(polled_sent(pushing->polled, MESSAGE_SENDER, &n));
}

static void what_was_dropped(void **state)
{
    struct pushing *pushing = *state;
    const struct message_dropped dropped = {
        .head = {MESSAGE_DROPPED, sizeof dropped}, .unknown = 3, .refused = 4};
    for (int i = 0; i < 2; i++)
        children_message(&pushing->polled->children, &dropped.head, pushing->polled->now);
    assert_int_equal(pushing->polled->children.pushes.unknown, 6);
    assert_int_equal(pushing->polled->children.pushes.refused, 8);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judgement),
        TEST(next_old_and_ahead),
        TEST(before_the_first_poll),
        TEST(of_another_engine_or_boot),
        TEST(garbage),
        TEST(of_a_lost_child),
        TEST(any_order),
        TEST(the_receiver_is_told),
        TEST(a_poller_begins),
        TEST(what_was_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
