/* One node and its orders: whatever is lost or restarted, it comes to work by what is wanted of it.
 * The node is simulated: it follows the rule by which nodes accept orders. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "director/target.h"

#include "unit.h"

#define SECOND NS_PER_S

static const struct target_rules rules = {
    .heartbeat_ns = 2 * SECOND, .leaf_heartbeat_ns = 30 * SECOND, .missed = 3, .root = "r1"};

/* -- A node ---------------------------------------------------------------------------------- */

struct node {
    struct target_look look;
    uint8_t octets[TARGET_KINDS][PARCEL_MAX / 64];
    bool is_slow;      /* a document that is whole comes into force with the look after the next */
    bool is_unable;    /* it cannot work by any document */
    bool is_forbidden; /* it refuses every SET */
    const char *why;   /* dcampSelfSetError */
    uint32_t shares;   /* that it has come to work by */
};

static void node_init(struct node *node)
{
    *node = (struct node){.look = {.name = "n", .boot = 1, .role = 1}};
    for (int i = 0; i < TARGET_KINDS; i++)
        node->look.documents[i].state = TARGET_NONE;
}

/* What is partial is only in memory; its order may be forgotten, too. */
static void node_restart(struct node *node)
{
    node->look.boot++;
    for (int i = 0; i < TARGET_KINDS; i++) {
        struct target_document *document = &node->look.documents[i];
        if (document->state != TARGET_PARTIAL)
            continue;
        document->has_digest = document->works;
        memcpy(document->digest, document->in_force, CONFIG_DIGEST);
        document->offset = document->length = 0;
        document->state = document->works ? TARGET_IN_FORCE : TARGET_NONE;
    }
}

static void adopt(struct node *node, enum target_kind kind)
{
    struct target_document *document = &node->look.documents[kind];
    document->state = node->is_unable ? TARGET_REFUSED : TARGET_IN_FORCE;
    if (node->is_unable) {
        strcpy(document->error, "line 3: no such sensor");
        return;
    }
    node->shares += kind == TARGET_SHARE;
    document->works = true;
    memcpy(document->in_force, document->digest, CONFIG_DIGEST);
}

static bool is_accepted(const struct target_document *document, const struct target_order *order,
                        bool same)
{
    if (order->term != document->term)
        return order->term > document->term;
    return strcmp(document->root, "r1") == 0 &&
           (order->epoch > document->epoch || (order->epoch == document->epoch && same));
}

static void take_part(struct node *node, const struct target_order *order)
{
    struct target_document *document = &node->look.documents[order->kind];
    uint8_t *octets = node->octets[order->kind];
    assert_true(order->n <= TARGET_PART_MAX);
    assert_true(order->offset + order->n <= order->packed->len);
    memcpy(octets + order->offset, order->packed->octets + order->offset, order->n);
    if (document->offset < order->offset + order->n)
        document->offset = order->offset + order->n;
    if (document->offset < document->length)
        return;
    assert_memory_equal(octets, order->packed->octets, order->packed->len);
    document->state = TARGET_WAITING;
    if (!node->is_slow)
        adopt(node, order->kind);
}

/* False: inconsistentValue. */
static bool node_set(struct node *node, const struct target_order *order)
{
    struct target_document *document = &node->look.documents[order->kind];
    const struct parcel *packed = order->packed;
    bool same = document->has_digest == (packed != NULL) &&
                (!packed || memcmp(document->digest, packed->digest, CONFIG_DIGEST) == 0);
    node->why = node->is_forbidden ? "it has no room" : "the order is an old one";
    bool goes_on = same && document->state == TARGET_PARTIAL;
    if (node->is_forbidden || !is_accepted(document, order, same) ||
        order->offset > (goes_on ? document->offset : 0)) /* octets before it were lost */
        return false;
    document->term = order->term;
    document->epoch = order->epoch;
    strcpy(document->root, "r1");
    document->has_digest = packed != NULL;
    document->length = packed ? packed->len : 0;
    if (!packed) {
        document->works = false;
        document->state = TARGET_NONE;
        return true;
    }
    if (!goes_on)
        document->offset = 0;
    memcpy(document->digest, packed->digest, CONFIG_DIGEST);
    document->state = TARGET_PARTIAL;
    if (document->works && memcmp(document->in_force, packed->digest, CONFIG_DIGEST) == 0)
        document->state = TARGET_IN_FORCE;
    else if (order->n)
        take_part(node, order);
    return true;
}

static void node_look(struct node *node, struct target_look *look)
{
    *look = node->look;
    for (int i = 0; i < TARGET_KINDS; i++)
        if (node->look.documents[i].state == TARGET_WAITING)
            adopt(node, (enum target_kind)i);
}

/* -- Both, and what is between them ---------------------------------------------------------- */

enum fault {
    NO_FAULT,
    LOST_QUESTION,
    LOST_ANSWER,
    TWICE, /* the question comes twice, as one that is sent again */
    RESTART_BEFORE,
    RESTART_AFTER,
    DIRECTOR_BEFORE,
    DIRECTOR_AFTER,
    FAULTS
};

struct play {
    struct node node;
    struct target target;
    struct parcel *share, *tree;
    uint32_t term;
    uint64_t now;
    uint32_t questions, orders, explanations;
    struct {
        uint32_t at;
        enum fault fault;
    } faults[2];
};

static struct parcel *make_packed(uint32_t seed, uint32_t len)
{
    char *text = malloc(len);
    assert_non_null(text);
    for (uint32_t i = 0; i < len; i++) /* does not get smaller by much */
        text[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
    struct parcel *packed = parcel_make(text, len);
    free(text);
    assert_non_null(packed);
    return packed;
}

static void begin_director(struct play *play)
{
    target_init(&play->target, &rules);
    target_set_term(&play->target, play->term);
    target_want(&play->target, TARGET_SHARE, play->share);
    if (play->tree)
        target_want(&play->target, TARGET_TREE, play->tree);
}

static void begin_play(struct play *play, uint32_t len)
{
    *play = (struct play){.term = 1, .now = 100 * SECOND};
    node_init(&play->node);
    play->share = make_packed(1, len);
    play->tree = make_packed(2, 700);
    begin_director(play);
}

static void end_play(struct play *play)
{
    target_release(&play->target);
    assert_int_equal(play->share ? play->share->users : 1, 1);
    parcel_drop(play->share);
    parcel_drop(play->tree);
}

static enum fault fault_now(const struct play *play)
{
    for (size_t i = 0; i < N_OF(play->faults); i++)
        if (play->faults[i].fault && play->faults[i].at == play->questions)
            return play->faults[i].fault;
    return NO_FAULT;
}

static void restart_director(struct play *play)
{
    target_release(&play->target);
    begin_director(play);
}

static void tell(struct play *play, enum target_ask ask, bool accepted,
                 const struct target_look *look)
{
    struct target *target = &play->target;
    if (ask == TARGET_DISCOVER)
        target_discovered(target, play->now);
    else if (ask == TARGET_LOOK)
        target_looked(target, look, NS_PER_MS, play->now);
    else if (ask == TARGET_EXPLAIN)
        target_explained(target, play->node.why, play->now);
    else if (accepted)
        target_ordered(target, play->now);
    else
        target_refused(target, "inconsistentValue", play->now);
}

/* One question, with the fault that it has. */
static void ask(struct play *play, const struct target_step *step)
{
    enum fault fault = fault_now(play);
    struct target_look look = {0};
    bool accepted = false;
    play->questions++;
    play->orders += step->ask == TARGET_ORDER;
    play->explanations += step->ask == TARGET_EXPLAIN;
    if (fault == DIRECTOR_BEFORE)
        return restart_director(play);
    if (fault == RESTART_BEFORE)
        node_restart(&play->node);
    for (int i = 0; i < 1 + (fault == TWICE) && fault != LOST_QUESTION; i++) {
        if (step->ask == TARGET_ORDER)
            accepted = node_set(&play->node, &step->order);
        if (step->ask == TARGET_LOOK)
            node_look(&play->node, &look);
    }
    if (fault == RESTART_AFTER)
        node_restart(&play->node);
    if (fault == DIRECTOR_AFTER)
        return restart_director(play);
    if (fault != LOST_QUESTION && fault != LOST_ANSWER) {
        play->now += NS_PER_MS;
        return tell(play, step->ask, accepted, &look);
    }
    play->now += 2 * target_timeout(&play->target);
    target_failed(&play->target, "no answer", play->target.met, play->now);
}

static bool works_by(const struct play *play, enum target_kind kind, const struct parcel *packed)
{
    const struct target_document *document = &play->node.look.documents[kind];
    return document->works && document->term == play->term &&
           memcmp(document->in_force, packed->digest, CONFIG_DIGEST) == 0;
}

static bool is_settled(const struct play *play)
{
    return works_by(play, TARGET_SHARE, play->share) &&
           (!play->tree || works_by(play, TARGET_TREE, play->tree)) &&
           target_is_done(&play->target);
}

/* Goes on until it is settled, or for so long. */
static bool run_play(struct play *play, uint64_t span)
{
    uint64_t end = play->now + span;
    while (play->now < end && !is_settled(play)) {
        struct target_step step = target_next(&play->target, play->now);
        if (step.ask != TARGET_WAIT) {
            ask(play, &step);
            continue;
        }
        assert_true(step.until_ns > play->now);
        play->now = step.until_ns < end ? step.until_ns : end;
    }
    return is_settled(play);
}

/* -- Tests ----------------------------------------------------------------------------------- */

static void a_node_is_given_its_documents(void **state)
{
    (void)state;
    static struct play play;
    for (uint32_t len = 1; len < 6000; len += 500) {
        begin_play(&play, len);
        assert_true(run_play(&play, SECOND));
        assert_int_equal(play.orders, 1 + (play.share->len + 1023) / 1024);
        assert_int_equal(play.node.shares, 1);
        end_play(&play);
    }
}

/* Every two faults at every two questions. */
static void every_two_faults(void **state)
{
    (void)state;
    static struct play play;
    for (uint32_t at = 0; at < 14; at++)
        for (uint32_t other = at; other < 16; other++)
            for (int fault = NO_FAULT + 1; fault < FAULTS; fault++)
                for (int second = NO_FAULT; second < FAULTS; second++)
                    for (int slow = 0; slow < 2; slow++) {
                        begin_play(&play, 3000);
                        play.node.is_slow = slow;
                        play.faults[0].at = at;
                        play.faults[0].fault = (enum fault)fault;
                        play.faults[1].at = other;
                        play.faults[1].fault = (enum fault)second;
                        if (!run_play(&play, 25 * SECOND))
                            fail_msg("faults %d at %u and %d at %u", fault, at, second, other);
                        assert_true(play.node.shares >= 1);
                        end_play(&play);
                    }
}

/* A third of all questions and answers is lost. */
static void a_bad_network(void **state)
{
    (void)state;
    static struct play play;
    srand(7);
    for (int i = 0; i < 300; i++) {
        begin_play(&play, 3000);
        while (!is_settled(&play) && play.now < 400 * SECOND) {
            play.faults[0].at = play.questions;
            play.faults[0].fault = rand() % 3 ? NO_FAULT : rand() % 2 ? LOST_QUESTION : LOST_ANSWER;
            run_play(&play, NS_PER_MS);
        }
        assert_true(is_settled(&play));
        end_play(&play);
    }
}

static void another_document_replaces_it(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 3000);
    assert_true(run_play(&play, SECOND));
    uint32_t epoch = play.node.look.documents[TARGET_SHARE].epoch;
    parcel_drop(play.share);
    play.share = make_packed(9, 5000);
    target_want(&play.target, TARGET_SHARE, play.share);
    assert_false(target_is_done(&play.target));
    uint64_t before = play.now;
    assert_true(run_play(&play, SECOND));
    assert_true(play.now < before + SECOND / 10); /* no look is waited for */
    assert_int_equal(play.node.look.documents[TARGET_SHARE].epoch, epoch + 1);
    assert_int_equal(play.node.shares, 2);
    end_play(&play);
}

/* It changes while it is being given: at every question. */
static void another_document_amidst(void **state)
{
    (void)state;
    static struct play play;
    for (uint32_t at = 0; at < 12; at++) {
        begin_play(&play, 6000);
        play.node.is_slow = at % 2;
        while (play.questions < at && !is_settled(&play))
            run_play(&play, 1);
        parcel_drop(play.share);
        play.share = make_packed(at + 10, 2500);
        target_want(&play.target, TARGET_SHARE, play.share);
        assert_true(run_play(&play, 5 * SECOND));
        end_play(&play);
    }
}

/* It changes while a part of it is under way. */
static void another_document_under_way(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 6000);
    while (target_next(&play.target, play.now).ask != TARGET_ORDER)
        tell(&play, play.target.step.ask, false, &play.node.look);
    tell(&play, TARGET_ORDER, node_set(&play.node, &play.target.step.order), NULL);
    while (target_next(&play.target, play.now).ask != TARGET_ORDER ||
           play.target.step.order.kind != TARGET_SHARE) {
        if (play.target.step.ask == TARGET_ORDER)
            tell(&play, TARGET_ORDER, node_set(&play.node, &play.target.step.order), NULL);
        else
            tell(&play, play.target.step.ask, false, &play.node.look);
    }
    parcel_drop(play.share);
    play.share = make_packed(8, 2500);
    target_want(&play.target, TARGET_SHARE, play.share);
    assert_true(node_set(&play.node, &play.target.step.order));
    tell(&play, TARGET_ORDER, true, NULL);
    assert_true(run_play(&play, SECOND));
    end_play(&play);
}

/* A new root only tells its term: no part is sent again. */
static void a_new_term(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 5000);
    assert_true(run_play(&play, SECOND));
    play.term = 4;
    uint32_t orders = play.orders;
    restart_director(&play);
    assert_true(run_play(&play, SECOND));
    assert_int_equal(play.orders - orders, 2);
    assert_int_equal(play.node.look.documents[TARGET_SHARE].epoch, 1);
    assert_int_equal(play.node.shares, 1);
    end_play(&play);
}

static void who_obeys_another_root_is_not_ordered(void **state)
{
    (void)state;
    static struct play play;
    static const struct {
        uint32_t term;
        const char *root;
        bool fenced;
    } cases[] = {{3, "r2", true},  {3, "r1", true},  {2, "r2", true},
                 {2, "r1", false}, {1, "r2", false}, {0, "", false}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        begin_play(&play, 500);
        play.term = 2;
        restart_director(&play);
        struct target_document *document = &play.node.look.documents[TARGET_SHARE];
        document->term = cases[i].term;
        strcpy(document->root, cases[i].root);
        assert_null(target_fence(&play.target));
        assert_int_equal(run_play(&play, 10 * SECOND), !cases[i].fenced);
        const struct target_document *fence = target_fence(&play.target);
        assert_int_equal(fence != NULL, cases[i].fenced);
        if (fence)
            assert_int_equal(fence->term, cases[i].term);
        assert_int_equal(play.orders, cases[i].fenced ? 1 : 2); /* the tree document */
        end_play(&play);
    }
}

static void only_looked_at_without_a_term(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 500);
    play.term = 0;
    restart_director(&play);
    run_play(&play, 20 * SECOND);
    assert_int_equal(play.orders, 0);
    assert_in_range(play.questions, 10, 12);
    assert_true(target_is_done(&play.target));
    assert_null(target_fence(&play.target));
    end_play(&play);
}

static void documents_are_taken_away(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 2000);
    assert_true(run_play(&play, SECOND));
    target_want(&play.target, TARGET_SHARE, NULL);
    target_want(&play.target, TARGET_TREE, NULL);
    run_play(&play, SECOND);
    assert_true(target_is_done(&play.target));
    assert_false(play.node.look.documents[TARGET_SHARE].works);
    assert_false(play.node.look.documents[TARGET_TREE].works);
    uint32_t orders = play.orders;
    run_play(&play, 20 * SECOND);
    assert_int_equal(play.orders, orders);
    end_play(&play);
    /* who has none is not told so, whoever its root is */
    begin_play(&play, 2000);
    target_want(&play.target, TARGET_SHARE, NULL);
    target_want(&play.target, TARGET_TREE, NULL);
    play.node.look.documents[TARGET_TREE].term = 9;
    run_play(&play, 20 * SECOND);
    assert_int_equal(play.orders, 0);
    assert_true(target_is_done(&play.target));
    assert_null(target_fence(&play.target));
    end_play(&play);
}

/* It is asked why, and then tried again seldom. */
static void who_refuses_is_asked_why(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 500);
    play.node.is_forbidden = true;
    assert_false(run_play(&play, 29 * SECOND));
    assert_int_equal(play.orders, 2);
    assert_int_equal(play.explanations, 2);
    assert_string_equal(play.target.refusal, "it has no room");
    assert_false(run_play(&play, 30 * SECOND));
    assert_int_equal(play.orders, 3);
    play.node.is_forbidden = false;
    assert_true(run_play(&play, 40 * SECOND));
    assert_string_equal(play.target.refusal, "");
    end_play(&play);
}

static void who_cannot_work_by_it_is_left_alone(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 500);
    play.node.is_unable = true;
    assert_false(run_play(&play, 300 * SECOND));
    assert_int_equal(play.orders, 2);
    assert_true(target_is_unable(&play.target, TARGET_SHARE));
    assert_true(target_is_unable(&play.target, TARGET_TREE));
    play.node.is_unable = false;
    parcel_drop(play.tree);
    play.tree = NULL;
    target_want_nothing(&play.target, TARGET_TREE);
    parcel_drop(play.share);
    play.share = make_packed(3, 600);
    target_want(&play.target, TARGET_SHARE, play.share);
    assert_true(run_play(&play, SECOND));
    assert_false(target_is_unable(&play.target, TARGET_SHARE));
    end_play(&play);
}

/* Looks go on, orders are tried seldom. */
static void who_answers_looks_only(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 500);
    while (play.now < 160 * SECOND) {
        struct target_step step = target_next(&play.target, play.now);
        play.faults[0].at = play.questions;
        play.faults[0].fault = step.ask == TARGET_ORDER ? LOST_QUESTION : NO_FAULT;
        if (step.ask != TARGET_WAIT)
            ask(&play, &step);
        else
            play.now = step.until_ns;
    }
    assert_false(target_is_lost(&play.target));
    assert_in_range(play.orders, 8, 16);
    assert_string_equal(play.target.refusal, "an order: no answer");
    end_play(&play);
}

/* It is lost after as many looks as may be missed, within as many heartbeats; and comes back. */
static void who_is_silent_is_lost(void **state)
{
    (void)state;
    static struct play play;
    for (int is_leaf = 0; is_leaf < 2; is_leaf++) {
        begin_play(&play, 500);
        assert_true(run_play(&play, SECOND));
        play.target.is_leaf = is_leaf;
        uint64_t silent = play.now, lost = 0;
        uint32_t asked = 0;
        while (play.now < silent + 100 * SECOND) {
            struct target_step step = target_next(&play.target, play.now);
            if (step.ask == TARGET_WAIT) {
                play.now = step.until_ns;
                continue;
            }
            assert_int_equal(step.ask, TARGET_LOOK);
            play.now += 2 * target_timeout(&play.target);
            target_failed(&play.target, "no answer", true, play.now);
            asked++;
            if (!lost && target_is_lost(&play.target)) {
                lost = play.now;
                assert_int_equal(asked, 3);
            }
        }
        assert_true(lost && lost <= silent + (is_leaf ? 32 : 6) * SECOND);
        assert_in_range(asked, 8, 14);
        assert_false(target_is_done(&play.target));
        assert_string_equal(play.target.silence, "no answer");
        assert_true(run_play(&play, 11 * SECOND));
        assert_string_equal(play.target.silence, "");
        end_play(&play);
    }
}

static void patience(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 500);
    target_next(&play.target, play.now);
    assert_int_equal(target_timeout(&play.target), SECOND / 2);
    for (int i = 0; i < 6; i++) {
        target_failed(&play.target, "no answer", false, play.now);
        play.now += 100 * SECOND;
        assert_int_equal(target_next(&play.target, play.now).ask, TARGET_DISCOVER);
    }
    assert_int_equal(target_timeout(&play.target), 5 * SECOND);
    target_discovered(&play.target, play.now);
    assert_int_equal(target_next(&play.target, play.now).ask, TARGET_LOOK);
    target_looked(&play.target, &play.node.look, SECOND, play.now);
    assert_int_equal(target_timeout(&play.target), 4 * SECOND);
    end_play(&play);
}

/* Only who it is, is asked for. */
static void who_is_held(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 500);
    play.target.is_held = true;
    assert_false(run_play(&play, 95 * SECOND));
    assert_int_equal(play.questions, 4);
    assert_int_equal(play.orders, 0);
    assert_false(play.target.looked);
    play.target.is_held = false;
    target_hurry(&play.target);
    assert_true(run_play(&play, SECOND));
    end_play(&play);
}

/* Epochs end: then nothing is ordered that nobody would take. */
static void the_last_epoch(void **state)
{
    (void)state;
    static struct play play;
    begin_play(&play, 500);
    strcpy(play.node.look.documents[TARGET_SHARE].root, "r1");
    play.node.look.documents[TARGET_SHARE].term = 1;
    play.node.look.documents[TARGET_SHARE].epoch = UINT32_MAX;
    assert_false(run_play(&play, 20 * SECOND));
    assert_int_equal(play.orders, 1);
    play.term = 2;
    restart_director(&play);
    assert_true(run_play(&play, SECOND));
    end_play(&play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_given_its_documents),
        cmocka_unit_test(every_two_faults),
        cmocka_unit_test(a_bad_network),
        cmocka_unit_test(another_document_replaces_it),
        cmocka_unit_test(another_document_amidst),
        cmocka_unit_test(another_document_under_way),
        cmocka_unit_test(a_new_term),
        cmocka_unit_test(who_obeys_another_root_is_not_ordered),
        cmocka_unit_test(only_looked_at_without_a_term),
        cmocka_unit_test(documents_are_taken_away),
        cmocka_unit_test(who_refuses_is_asked_why),
        cmocka_unit_test(who_cannot_work_by_it_is_left_alone),
        cmocka_unit_test(who_answers_looks_only),
        cmocka_unit_test(who_is_silent_is_lost),
        cmocka_unit_test(patience),
        cmocka_unit_test(who_is_held),
        cmocka_unit_test(the_last_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
