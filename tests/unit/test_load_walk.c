/* The way through a scenario, beside what a naive expansion of it has: exact to the operation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/chance.h"
#include "load/walk.h"
#include "unit.h"

/* -- Expressions of the test's own ----------------------------------------------------------- */

enum form { ONCE, LIST, RANDOM, LOOP, LOOP_OF };

#define PARTS 4
#define NAMES 5

struct tree {
    enum form form;
    unsigned name, n, times;
    int pause; /* -1: none is written */
    struct tree *part[PARTS];
};

static unsigned chosen(unsigned n)
{
    return (unsigned)rand() % n;
}

static struct tree *grow(unsigned depth)
{
    struct tree *tree = calloc(1, sizeof *tree);
    tree->form = depth == 0 ? chosen(2) * LOOP : (enum form)chosen(5);
    tree->name = chosen(NAMES);
    tree->times = chosen(4);
    tree->pause = (int)chosen(4) - 1;
    tree->n =
        tree->form == LIST || tree->form == RANDOM ? 1 + chosen(PARTS) : tree->form == LOOP_OF;
    for (unsigned i = 0; i < tree->n; i++)
        tree->part[i] = grow(depth - 1);
    return tree;
}

static void fell(struct tree *tree)
{
    for (unsigned i = 0; i < tree->n; i++)
        fell(tree->part[i]);
    free(tree);
}

/* Name 0 is that of an operation without one. */
static void write_text(FILE *to, const struct tree *tree)
{
    static const char *const words[] = {"once(", "list(", "random(", "loop(", "loop("};
    fputs(words[tree->form], to);
    for (unsigned i = 0; i < tree->n; i++) {
        if (i > 0)
            fputs(", ", to);
        write_text(to, tree->part[i]);
    }
    if (tree->form == ONCE && tree->name > 0)
        fprintf(to, "n%u", tree->name);
    if (tree->form >= LOOP)
        fprintf(to, "%s%u", tree->form == LOOP_OF ? "," : "", tree->times);
    if (tree->form >= LOOP && tree->pause >= 0)
        fprintf(to, ",%d", tree->pause);
    fputc(')', to);
}

/* -- What it is, written out ----------------------------------------------------------------- */

/* Pauses are negative, operations are numbers of names. */
struct expansion {
    int *event;
    size_t n, room;
    uint64_t n_operations;
    unsigned short chance[3];
};

static void add(struct expansion *to, int event)
{
    if (to->n == to->room) {
        to->room = to->room ? to->room * 2 : 64;
        to->event = realloc(to->event, to->room * sizeof *to->event);
    }
    to->event[to->n++] = event;
    to->n_operations += event >= 0;
}

/* Whether nothing ever comes of it. What is not gone round asks for no chance, either. */
static bool is_idle(const struct tree *tree)
{
    bool is_empty = true;
    for (unsigned i = 0; i < tree->n; i++)
        is_empty = is_empty && is_idle(tree->part[i]);
    if (tree->form == LOOP)
        return tree->times == 0;
    if (tree->form == LOOP_OF)
        return tree->times == 0 || (is_empty && tree->pause <= 0);
    return tree->form != ONCE && is_empty;
}

static void expand(struct expansion *to, const struct tree *tree)
{
    if (tree->form >= LOOP && is_idle(tree))
        return;
    switch (tree->form) {
    case ONCE:
        add(to, (int)tree->name);
        break;
    case LIST:
        for (unsigned i = 0; i < tree->n; i++)
            expand(to, tree->part[i]);
        break;
    case RANDOM:
        expand(to, tree->part[((uint64_t)nrand48(to->chance) * tree->n) >> 31]);
        break;
    case LOOP:
    case LOOP_OF:
        for (unsigned i = 0; i < tree->times; i++) {
            if (tree->form == LOOP)
                add(to, 0);
            else
                expand(to, tree->part[0]);
            if (tree->pause > 0)
                add(to, -tree->pause);
        }
    }
}

/* The number that the test gives to a name. */
static int number_of(const struct scenario *scenario, uint64_t operation)
{
    const char *name = scenario->name[operation].text;
    return strcmp(name, SCENARIO_ONCE) == 0 ? 0 : atoi(name + 1);
}

/* -- Beside each other ----------------------------------------------------------------------- */

static void compare(struct walk *walk, const struct expansion *expected)
{
    uint64_t what = 0;
    for (size_t i = 0; i < expected->n; i++) {
        enum walk_step step = walk_next(walk, &what);
        if (expected->event[i] < 0) {
            assert_int_equal(step, WALK_PAUSE);
            assert_int_equal(what, -expected->event[i]);
        } else {
            assert_int_equal(step, WALK_OPERATION);
            assert_int_equal(number_of(walk->scenario, what), expected->event[i]);
        }
    }
    assert_int_equal(walk_next(walk, &what), WALK_END);
    assert_int_equal(walk_next(walk, &what), WALK_END);
}

static bool has_random(const struct tree *tree)
{
    bool has = tree->form == RANDOM;
    for (unsigned i = 0; i < tree->n; i++)
        has = has || has_random(tree->part[i]);
    return has;
}

static void check_tree(const struct tree *tree, uint64_t seed)
{
    struct expansion expected = {0};
    struct scenario scenario;
    struct scenario_error error;
    struct walk walk;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    write_text(to, tree);
    fclose(to);
    chance_begin(expected.chance, seed);
    expand(&expected, tree);
    assert_int_equal(scenario_parse(&scenario, text, size, &error), 0);
    const struct scenario_node *root = scenario_root(&scenario);
    assert_true(root->least <= expected.n_operations && expected.n_operations <= root->most);
    assert_true(has_random(tree) || root->least == root->most);
    assert_true((double)root->least <= root->mean * 1.000001 &&
                root->mean <= (double)root->most * 1.000001);
    assert_true(walk_open(&walk, &scenario, seed));
    compare(&walk, &expected);
    walk_close(&walk);
    scenario_release(&scenario);
    free(text);
    free(expected.event);
}

static void walks_are_expansions(void **state)
{
    (void)state;
    srand(19);
    for (unsigned i = 0; i < CASES(20000); i++) {
        struct tree *tree = grow(i % 6);
        check_tree(tree, i);
        fell(tree);
    }
}

static struct walk walk_of(struct scenario *scenario, const char *text, uint64_t seed)
{
    struct scenario_error error;
    struct walk walk;
    assert_int_equal(scenario_parse(scenario, text, strlen(text), &error), 0);
    assert_true(walk_open(&walk, scenario, seed));
    return walk;
}

/* A loop of 10^18 rounds in which nothing is done is not gone round. */
static void idle_loops_end_at_once(void **state)
{
    static const char *const idle[] = {
        "loop(0)", "loop(loop(0),1000000000000000000)",
        "loop(list(loop(0),random(loop(0),loop(once(),0,5))),1000000000000000000)",
        "loop(loop(loop(0),1000000000000000000),1000000000000000000)"};
    (void)state;
    for (size_t i = 0; i < N_OF(idle); i++) {
        struct scenario scenario;
        struct walk walk = walk_of(&scenario, idle[i], 1);
        uint64_t what;
        assert_true(scenario_root(&scenario)->is_idle);
        assert_int_equal(walk_next(&walk, &what), WALK_END);
        walk_close(&walk);
        scenario_release(&scenario);
    }
}

/* One that only pauses does pause. */
static void pauses_alone_are_pauses(void **state)
{
    struct scenario scenario;
    struct walk walk = walk_of(&scenario, "loop(loop(loop(0),2,7),1000000000000000000)", 1);
    uint64_t what;
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(walk_next(&walk, &what), WALK_PAUSE);
        assert_int_equal(what, 7);
    }
    walk_close(&walk);
    scenario_release(&scenario);
}

/* Where chance finds next to nothing in 10^18 rounds, who walks has a turn all the same. */
static void rounds_of_nothing_are_interrupted(void **state)
{
    char text[1024] = "loop(";
    struct scenario scenario;
    uint64_t what = 1;
    (void)state;
    for (int i = 0; i < 60; i++)
        strcat(text, "random(loop(0),");
    strcat(text, "once()");
    memset(text + strlen(text), ')', 60);
    strcat(text, ",1000000000000000000)");
    struct walk walk = walk_of(&scenario, text, 1);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(walk_next(&walk, &what), WALK_PAUSE);
        assert_int_equal(what, 0);
        assert_int_equal(walk.n_steps, i * WALK_STEPS_MAX);
    }
    walk_close(&walk);
    scenario_release(&scenario);
}

/* Chance is fair: of three, each comes a third of the time; another seed is another way. */
static void chance_is_fair(void **state)
{
    static const char text[] = "loop(random(once(a),once(b),once(c)),30000)";
    struct scenario scenario, again;
    struct walk walk = walk_of(&scenario, text, 7), other = walk_of(&again, text, 8);
    uint64_t what, counts[3] = {0}, differ = 0, its;
    (void)state;
    while (walk_next(&walk, &what) == WALK_OPERATION) {
        counts[what]++;
        assert_int_equal(walk_next(&other, &its), WALK_OPERATION);
        differ += its != what;
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(counts[i], 9600, 10400); /* five standard deviations */
    assert_in_range(differ, 19600, 20400);
    walk_close(&walk);
    walk_close(&other);
    scenario_release(&scenario);
    scenario_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_expansions),
        cmocka_unit_test(idle_loops_end_at_once),
        cmocka_unit_test(pauses_alone_are_pauses),
        cmocka_unit_test(rounds_of_nothing_are_interrupted),
        cmocka_unit_test(chance_is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
