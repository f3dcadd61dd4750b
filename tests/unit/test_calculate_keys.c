/* Keys that have most: what holds of a merged counter, whatever was added where. */
#include "calculate/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdcamp/space_saving.h"
#include "tests/unit/heap.h"
#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

static struct top_key key_of(const char *octets, uint64_t count, uint64_t error)
{
    struct top_key key = {.count = count, .error = error};
    for (size_t i = 0; i < sizeof key.octets && octets[i]; i++)
        key.octets[i] = octets[i];
    return key;
}

static const struct top_key *find(const struct top_keys *keys, const char *octets)
{
    struct top_key wanted = key_of(octets, 0, 0);
    for (size_t i = 0; i < keys->size; i++)
        if (memcmp(keys->key[i].octets, wanted.octets, SEGMENT_KEY) == 0)
            return &keys->key[i];
    return NULL;
}

static void merge(struct top_keys *into, struct top_key *key, size_t n, uint64_t absent)
{
    n = keys_sort(key, n);
    assert_int_equal(keys_merge(into, key, n, absent), 0);
}

static void assert_key(const struct top_keys *keys, const char *octets, uint64_t count,
                       uint64_t error)
{
    const struct top_key *key = find(keys, octets);
    if (!key || key->count != count || key->error != error)
        fail_msg("%s: %llu, %llu", octets, (unsigned long long)(key ? key->count : 0),
                 (unsigned long long)(key ? key->error : 0));
}

static void equal_keys_are_added_up(void **state)
{
    (void)state;
    struct top_keys keys = {0};
    merge(&keys, (struct top_key[]){key_of("b", 5, 1), key_of("a", 7, 0)}, 2, 0);
    merge(&keys, (struct top_key[]){key_of("c", 1, 0), key_of("b", 10, 2)}, 2, 0);
    assert_int_equal(keys.size, 3);
    assert_key(&keys, "a", 7, 0);
    assert_key(&keys, "b", 15, 3);
    assert_key(&keys, "c", 1, 0);
    assert_int_equal(keys.absent, 0);
    keys_release(&keys);
    assert_int_equal(keys.size, 0);
    assert_null(keys.key);
}

/* One that a full counter does not have may have had as much there as the smallest of it. */
static void absent_keys_may_have_had_something(void **state)
{
    (void)state;
    struct top_keys keys = {0};
    merge(&keys, (struct top_key[]){key_of("a", 100, 10)}, 1, 20);
    merge(&keys, (struct top_key[]){key_of("b", 50, 5)}, 1, 3);
    assert_key(&keys, "a", 103, 13);
    assert_key(&keys, "b", 70, 25);
    assert_int_equal(keys.absent, 23);
    merge(&keys, NULL, 0, 2);
    assert_key(&keys, "a", 105, 15);
    assert_int_equal(keys.absent, 25);
    keys_release(&keys);
}

static void a_key_that_stands_twice_counts_once(void **state)
{
    (void)state;
    struct top_key key[] = {key_of("a", 3, 1), key_of("b", 1, 0), key_of("a", 9, 4),
                            key_of("a", 5, 0)};
    assert_int_equal(keys_sort(key, N_OF(key)), 2);
    assert_int_equal(key[0].count, 9);
    assert_int_equal(key[0].error, 4);
    assert_int_equal(key[1].count, 1);
    assert_int_equal(keys_sort(key, 0), 0);
}

/* Any octets: the whole length, and those beyond 0x7f, in the order of unsigned ones. */
static void keys_are_octets(void **state)
{
    (void)state;
    struct top_keys keys = {0};
    char full[SEGMENT_KEY + 1];
    memset(full, 'x', SEGMENT_KEY);
    full[SEGMENT_KEY] = '\0';
    merge(&keys, (struct top_key[]){key_of("\xff\xfe", 1, 0), key_of(full, 2, 0), key_of("", 3, 0)},
          3, 0);
    full[SEGMENT_KEY - 1] = 'y';
    merge(&keys, (struct top_key[]){key_of(full, 4, 0), key_of("\xff\xfe", 10, 0)}, 2, 0);
    assert_int_equal(keys.size, 4);
    assert_key(&keys, "", 3, 0);
    assert_key(&keys, "\xff\xfe", 11, 0);
    assert_key(&keys, full, 4, 0);
    assert_memory_equal(keys.key[3].octets, "\xff\xfe", 3);
    keys_release(&keys);
}

static void sums_do_not_wrap(void **state)
{
    (void)state;
    struct top_keys keys = {0};
    merge(&keys, (struct top_key[]){key_of("a", UINT64_MAX - 1, 5)}, 1, UINT64_MAX);
    merge(&keys, (struct top_key[]){key_of("a", 3, UINT64_MAX), key_of("b", 1, 1)}, 2, 9);
    assert_key(&keys, "a", UINT64_MAX, UINT64_MAX);
    assert_key(&keys, "b", UINT64_MAX, UINT64_MAX);
    assert_int_equal(keys.absent, UINT64_MAX);
    keys_release(&keys);
}

/* Those with the smallest counts go, and bound what absent keys may have had. */
static void no_more_are_kept_than_there_may_be(void **state)
{
    (void)state;
    struct top_keys keys = {0};
    struct top_key key[KEYS_MAX];
    char name[16];
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned i = 0; i < KEYS_MAX; i++) {
            snprintf(name, sizeof name, "k%u", half * KEYS_MAX + i);
            key[i] = key_of(name, 1 + i * 2 + half, 0);
        }
        merge(&keys, key, KEYS_MAX, 0);
    }
    assert_int_equal(keys.size, KEYS_MAX);
    assert_int_equal(keys.absent, KEYS_MAX);
    assert_key(&keys, "k999", 1999, 0);
    assert_key(&keys, "k1999", 2000, 0);
    assert_null(find(&keys, "k0"));
    for (size_t i = 1; i < keys.size; i++)
        assert_true(memcmp(keys.key[i - 1].octets, keys.key[i].octets, SEGMENT_KEY) < 0);
    for (size_t i = 0; i < keys.size; i++)
        assert_true(keys.key[i].count > keys.absent);
    keys_release(&keys);
}

static void the_first_are_chosen(void **state)
{
    (void)state;
    struct top_keys keys = {0};
    struct top_key most[4];
    uint64_t rest;
    merge(&keys,
          (struct top_key[]){key_of("a", 10, 0), key_of("b", 30, 3), key_of("c", 20, 0),
                             key_of("d", 20, 5), key_of("e", 5, 0)},
          5, 1);
    assert_int_equal(keys_most(&keys, most, 3, &rest), 3);
    assert_int_equal(most[0].count, 30);
    assert_string_equal(most[1].octets, "c");
    assert_string_equal(most[2].octets, "d");
    assert_int_equal(rest, 10);
    assert_int_equal(keys_most(&keys, most, 0, &rest), 0);
    assert_int_equal(rest, 30);
    assert_int_equal(keys_most(&keys, most, 4, &rest), 4);
    assert_int_equal(rest, 5);
    keys.absent = 77;
    assert_int_equal(keys_most(&keys, most, 4, &rest), 4);
    assert_int_equal(rest, 77);
    keys_release(&keys);
    assert_int_equal(keys_most(&keys, most, 4, &rest), 0);
    assert_int_equal(rest, 0);
}

/* -- Against what was really added ------------------------------------------------------------- */

#define KEYS 5000
#define PARTS 6

static uint64_t truth[KEYS];
static struct part {
    struct space_saving saving;
    char key[SPACE_SAVING_COUNTERS][SEGMENT_KEY];
    uint64_t error[SPACE_SAVING_COUNTERS];
} part_of[PARTS];

static void add(struct part *to, const char *name, uint64_t n)
{
    uint32_t hash = dcamp_space_saving_hash(name, strlen(name), 1), place = hash;
    const struct space_saving_cell *cell;
    while ((cell = dcamp_space_saving_find(&to->saving, hash, &place)))
        if (strcmp(to->key[space_saving_index(cell)], name) == 0) {
            dcamp_space_saving_add(&to->saving, space_saving_index(cell), n);
            return;
        }
    uint64_t error;
    cell = dcamp_space_saving_take(&to->saving, hash, n, &error);
    uint32_t index = space_saving_index(cell);
    to->error[index] = error;
    snprintf(to->key[index], SEGMENT_KEY, "%s", name);
}

static void add_from(struct top_keys *keys, const struct part *part)
{
    const struct space_saving *from = &part->saving;
    struct top_key key[SPACE_SAVING_COUNTERS];
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < from->size; i++) {
        key[i] = (struct top_key){from->count[i], part->error[i], ""};
        memcpy(key[i].octets, part->key[i], strlen(part->key[i]));
        least = key[i].count < least ? key[i].count : least;
    }
    merge(keys, key, from->size, from->size == from->limit ? least : 0);
}

/* No count is too small, none too large by more than its error, and what is not there had no more
 * than it says. One counter had room for few. */
static void counts_lie_between_the_bounds(void **state)
{
    (void)state;
    unsigned seed = 7;
    memset(truth, 0, sizeof truth);
    memset(part_of, 0, sizeof part_of);
    for (unsigned part = 0; part < PARTS; part++)
        part_of[part].saving.limit = part == 0 ? 100 : SPACE_SAVING_COUNTERS;
    for (unsigned i = 0; i < 400000; i++) {
        unsigned key = (unsigned)rand_r(&seed) % ((unsigned)rand_r(&seed) % KEYS + 1);
        char name[16];
        snprintf(name, sizeof name, "%u", key);
        add(&part_of[i % PARTS], name, 1);
        truth[key]++;
    }
    struct top_keys keys = {0};
    for (unsigned part = 0; part < PARTS; part++)
        add_from(&keys, &part_of[part]);
    for (unsigned key = 0; key < KEYS; key++) {
        char name[16];
        snprintf(name, sizeof name, "%u", key);
        const struct top_key *is = find(&keys, name);
        if (is && (truth[key] > is->count || truth[key] < is->count - is->error))
            fail_msg("%u: %llu of %llu - %llu", key, (unsigned long long)truth[key],
                     (unsigned long long)is->count, (unsigned long long)is->error);
        assert_true(is || truth[key] <= keys.absent);
    }
    keys_release(&keys);
}

/* -- Memory ------------------------------------------------------------------------------------ */

static void without_memory_nothing_is_added(void **state)
{
    (void)state;
    struct top_keys keys = {0};
    struct top_key key = key_of("a", 1, 0);
    merge(&keys, &key, 1, 5);
    scarce_fail(1);
    assert_int_equal(keys_merge(&keys, &key, 1, 5), ENOMEM);
    assert_true(scarce_stop());
    assert_key(&keys, "a", 1, 0);
    assert_int_equal(keys.absent, 5);
    keys_release(&keys);
}

static void play(void)
{
    struct top_keys keys = {0};
    merge(&keys, (struct top_key[]){key_of("a", 1, 0)}, 1, 0);
    merge(&keys, (struct top_key[]){key_of("b", 1, 0)}, 1, 0);
    keys_release(&keys);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_keys_are_added_up),
        cmocka_unit_test(absent_keys_may_have_had_something),
        cmocka_unit_test(a_key_that_stands_twice_counts_once),
        cmocka_unit_test(keys_are_octets),
        cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(no_more_are_kept_than_there_may_be),
        cmocka_unit_test(the_first_are_chosen),
        cmocka_unit_test(counts_lie_between_the_bounds),
        cmocka_unit_test(without_memory_nothing_is_added),
        cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
