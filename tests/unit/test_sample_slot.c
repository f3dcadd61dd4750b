/* Slots keep their places while instances come and go. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/slot.h"

#include "heap.h"
#include "unit.h"

static const struct source_type may_be_empty = {.name = "test", .may_be_empty = true};
static const struct source_type never_empty = {.name = "test"};

struct scene {
    struct pool pool;
    struct source source;
};

static void scene_open(struct scene *scene, const struct source_type *type)
{
    *scene = (struct scene){.source = {.type = type, .id = SOURCE_NETWORK, .fields = UINT32_MAX}};
    scene->source.file.fd = -1;
    slot_entries_init(&scene->pool);
    scene->source.slot_entries = &scene->pool;
}

static void scene_close(struct scene *scene)
{
    source_release(&scene->source);
    pool_release(&scene->pool);
}

/* A pass with instances of one letter each; returns what source_end says. */
static int play(struct scene *scene, const char *names)
{
    source_begin(&scene->source);
    for (; *names; names++)
        source_slot(&scene->source, names, 1);
    return source_end(&scene->source);
}

/* The letters in the order of the slots, '.' for a free one. */
static void assert_slots(const struct scene *scene, const char *expected)
{
    char text[64] = "";
    for (size_t i = 0; i < scene->source.set.count; i++)
        text[i] = scene->source.set.slots[i].present ? scene->source.set.slots[i].name[0] : '.';
    assert_string_equal(text, expected);
}

static void places(void **state)
{
    static const struct {
        const char *names, *slots;
        uint64_t membership;
    } rows[] = {
        {"abc", "abc", 3},
        {"abc", "abc", 3},
        {"cab", "abc", 3},
        {"ac", "a.c", 4},
        {"acd", "adc", 5},
        {"dcae", "adce", 6},
        {"", "....", 10},
        {"x", "x...", 11},
        {"xyzvw", "xyzvw", 15},
        {"xyzvwabcd", "xyzvwabcd", 19},
        {"xyzvwabcdefghijkl", "xyzvwabcdefghijkl", 27},
    };
    (void)state;
    struct scene scene;
    scene_open(&scene, &may_be_empty);
    for (size_t i = 0; i < N_OF(rows); i++) {
        assert_int_equal(play(&scene, rows[i].names), 0);
        assert_slots(&scene, rows[i].slots);
        if (scene.source.set.membership != rows[i].membership)
            fail_msg("row %zu: %ju", i, (uintmax_t)scene.source.set.membership);
    }
    assert_int_equal(scene.source.set.slots[0].incarnation, 2); /* a, then x */
    assert_int_equal(scene.source.set.slots[1].incarnation, 3); /* b, d, y */
    assert_int_equal(scene.source.set.slots[2].incarnation, 2); /* c, z */
    scene_close(&scene);
}

/* Where there must be some, none at all is an error, and those that were there stay. */
static void none_at_all(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, &never_empty);
    assert_int_equal(play(&scene, ""), EBADMSG);
    assert_int_equal(play(&scene, "ab"), 0);
    assert_int_equal(play(&scene, ""), EBADMSG);
    assert_slots(&scene, "ab");
    assert_int_equal(scene.source.set.membership, 2);
    source_begin(&scene.source);
    source_slot(&scene.source, "c", 1);
    scene.source.failure = ENOMEM;
    assert_int_equal(source_end(&scene.source), ENOMEM);
    assert_slots(&scene, "abc"); /* nobody goes in a pass that failed */
    assert_int_equal(play(&scene, "c"), 0);
    assert_slots(&scene, "..c");
    scene_close(&scene);
}

static void names(void **state)
{
    static const struct {
        const char *name;
        bool good;
    } rows[] = {
        {"", false},
        {"a b", true},
        {"a\tb", false},
        {"a\x1f", false},
        {" ", true},
        {"a\x7f", false},
        {"a\x7e", true},
        {"\xc3\xa9", true},
        {"0123456789012345678901234567890123456789012345678901234567890123", true},
        {"01234567890123456789012345678901234567890123456789012345678901234", false},
    };
    (void)state;
    struct scene scene;
    scene_open(&scene, &may_be_empty);
    source_begin(&scene.source);
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct sample_slot *slot =
            source_slot(&scene.source, rows[i].name, strlen(rows[i].name));
        if ((slot != NULL) != rows[i].good)
            fail_msg("row %zu", i);
        if (slot)
            assert_string_equal(slot->name, rows[i].name);
    }
    assert_null(source_slot(&scene.source, "a b", 3));     /* it came before in this pass */
    assert_non_null(source_slot(&scene.source, "a b", 1)); /* that is another one: "a" */
    assert_int_equal(source_end(&scene.source), 0);
    scene_close(&scene);
}

/* The same instances, without a look at each. */
static void the_same_again(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, &never_empty);
    assert_int_equal(play(&scene, "abc"), 0);
    source_begin(&scene.source);
    source_same(&scene.source);
    assert_int_equal(source_end(&scene.source), 0);
    assert_slots(&scene, "abc");
    assert_int_equal(scene.source.set.membership, 3);
    assert_int_equal(play(&scene, "b"), 0);
    assert_slots(&scene, ".b.");
    scene_close(&scene);
}

/* Only those that the last pass had, and that nobody wants. */
static void unwanted(void **state)
{
    static const char *const patterns[] = {"a*", "z"};
    (void)state;
    struct scene scene;
    scene_open(&scene, &never_empty);
    source_begin(&scene.source);
    assert_null(source_unwanted(&scene.source, "b", 1)); /* it is new */
    source_slot(&scene.source, "a", 1)->valid = 7;
    source_slot(&scene.source, "b", 1)->valid = 7;
    assert_int_equal(source_end(&scene.source), 0);
    source_begin(&scene.source);
    assert_null(source_unwanted(&scene.source, "b", 1)); /* there are no patterns: all are wanted */
    scene.source.patterns = patterns;
    scene.source.n_patterns = 2;
    scene.source.patterns_changed = 1;
    assert_null(source_unwanted(&scene.source, "a", 1));
    struct sample_slot *slot = source_unwanted(&scene.source, "b", 1);
    assert_non_null(slot);
    assert_int_equal(slot->valid, 0);
    assert_true(slot->present);
    assert_null(source_unwanted(&scene.source, "b", 1)); /* once in a pass */
    assert_non_null(source_slot(&scene.source, "a", 1));
    assert_int_equal(source_end(&scene.source), 0);
    assert_slots(&scene, "ab");
    /* Other patterns are asked anew, and the same ones are not. */
    static const char *const others[] = {"b"};
    scene.source.patterns = others;
    scene.source.n_patterns = 1;
    source_begin(&scene.source);
    assert_non_null(source_unwanted(&scene.source, "b", 1));
    scene.source.patterns_changed = 2;
    source_begin(&scene.source);
    assert_null(source_unwanted(&scene.source, "b", 1));
    assert_non_null(source_unwanted(&scene.source, "a", 1));
    scene_close(&scene);
}

static void the_node(void **state)
{
    static const uint64_t field[] = {10, 20, 30, 40};
    (void)state;
    struct scene scene;
    scene_open(&scene, &may_be_empty);
    scene.source.fields = 5 | 8;
    source_begin(&scene.source);
    source_fill_node(&scene.source, "total", 0, field, 4);
    assert_int_equal(scene.source.set.count, 0);
    source_fill_node(&scene.source, "total", 7, field, 4);
    const struct sample_slot *slot = scene.source.set.slots;
    assert_int_equal(slot->class, RESOURCE_NODE);
    assert_int_equal(slot->valid, 5);
    assert_int_equal(slot->field[0], 10);
    assert_int_equal(slot->field[1], 0);
    assert_int_equal(slot->field[2], 30);
    assert_int_equal(slot->field[3], 0);
    source_begin(&scene.source);
    source_fill_node(&scene.source, "total", 2, field, 4); /* nobody wants that one */
    assert_int_equal(scene.source.set.slots->valid, 0);
    assert_true(scene.source.set.slots->present);
    scene_close(&scene);
}

/* The name stays, and all else is another instance: who has the old one learns of it. */
static void replaced(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, &may_be_empty);
    play(&scene, "abc");
    uint64_t membership = scene.source.set.membership;
    source_begin(&scene.source);
    struct sample_slot *slot = source_slot(&scene.source, "b", 1);
    slot->valid = 7;
    slot->field[3] = 4;
    uint32_t incarnation = slot->incarnation;
    source_replace(&scene.source, slot);
    assert_int_equal(slot->incarnation, incarnation + 1);
    assert_true(slot->present && slot->valid == 0 && slot->field[3] == 0);
    assert_string_equal(slot->name, "b");
    assert_int_equal(source_end(&scene.source), 0);
    assert_int_equal(scene.source.set.membership, membership + 3); /* a and c are gone */
    assert_int_equal(play(&scene, "b"), 0);
    assert_int_equal(scene.source.set.membership, membership + 3);
    scene_close(&scene);
}

static void play_many(void)
{
    struct scene scene;
    scene_open(&scene, &may_be_empty);
    play(&scene, "abcdefghijklmnopq");
    play(&scene, "acegikmoq");
    play(&scene, "xyz");
    scene_close(&scene);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play_many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),   cmocka_unit_test(none_at_all),
        cmocka_unit_test(names),    cmocka_unit_test(the_same_again),
        cmocka_unit_test(unwanted), cmocka_unit_test(the_node),
        cmocka_unit_test(replaced), cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
