/* Space-Saving beside the exact counts of the same keys. */
#include "libdcamp/space_saving.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/distributions.h"
#include "tests/unit/unit.h"

#define KEYS 20000

#define KEY 64

static struct space_saving saving;
static struct {
    char key[KEY + 1];
    uint64_t error;
} kept[SPACE_SAVING_COUNTERS];
static uint64_t exact[KEYS], total;

static void begin(uint32_t limit)
{
    memset(&saving, 0, sizeof saving);
    memset(exact, 0, sizeof exact);
    total = 0;
    saving.limit = limit;
}

static int find(const char *key, uint32_t hash)
{
    const struct space_saving_cell *cell;
    uint32_t place = hash;
    while ((cell = dcamp_space_saving_find(&saving, hash, &place))) {
        uint32_t index = space_saving_index(cell);
        assert_int_equal(cell->where, index * 3);
        if (strcmp(kept[index].key, key) == 0)
            return (int)index;
    }
    return -1;
}

static int take(const char *key, uint32_t hash, uint64_t n)
{
    uint64_t error;
    struct space_saving_cell *cell = dcamp_space_saving_take(&saving, hash, n, &error);
    if (!cell)
        return -1;
    uint32_t index = space_saving_index(cell);
    assert_int_equal(cell->where, 0);
    cell->where = index * 3;
    snprintf(kept[index].key, sizeof kept[index].key, "%s", key);
    kept[index].error = error;
    return (int)index;
}

static uint32_t hash_of(const char *key)
{
    return dcamp_space_saving_hash(key, strlen(key), 42);
}

static void add_text(const char *key, uint64_t n)
{
    uint32_t hash = hash_of(key);
    int index = find(key, hash);
    if (index >= 0)
        dcamp_space_saving_add(&saving, (uint32_t)index, n);
    else
        take(key, hash, n);
}

static void add(unsigned key, uint64_t n)
{
    char text[16];
    snprintf(text, sizeof text, "key%u", key);
    add_text(text, n);
    exact[key] += n;
    total += n;
}

/* Key 0 most often, the others by Zipf's law with that exponent. */
static unsigned zipf(uint64_t *seed, double exponent)
{
    static double sum[KEYS], of = -1;
    if (of != exponent) {
        of = exponent;
        sum[0] = 1;
        for (unsigned i = 1; i < KEYS; i++)
            sum[i] = sum[i - 1] + pow(i + 1, -exponent);
    }
    double part = uniform(seed) * sum[KEYS - 1];
    unsigned low = 0, high = KEYS - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (sum[middle] < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static unsigned key_of(uint32_t index)
{
    return (unsigned)strtoul(kept[index].key + 3, NULL, 10);
}

/* What the paper promises: of each counter, of each key, and of their sum. */
static void check(uint32_t counters)
{
    uint64_t sum = 0, smallest = UINT64_MAX;
    static uint8_t seen[KEYS];
    memset(seen, 0, sizeof seen);
    assert_true(saving.size <= counters);
    for (uint32_t i = 0; i < saving.size; i++) {
        unsigned key = key_of(i);
        assert_false(seen[key]);
        seen[key] = 1;
        assert_true(saving.count[i] >= exact[key]);
        assert_true(saving.count[i] - kept[i].error <= exact[key]);
        assert_true(kept[i].error <= total / counters);
        assert_int_equal(find(kept[i].key, hash_of(kept[i].key)), i);
        sum += saving.count[i];
        smallest = saving.count[i] < smallest ? saving.count[i] : smallest;
    }
    assert_int_equal(sum, total);
    for (unsigned key = 0; key < KEYS; key++)
        if (!seen[key])
            assert_true(exact[key] <= (saving.size < counters ? 0 : smallest));
}

static void few_keys_are_counted_exactly(void **state)
{
    (void)state;
    begin(SPACE_SAVING_COUNTERS);
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++)
        add((unsigned)(uniform(&seed) * SPACE_SAVING_COUNTERS), 1);
    check(SPACE_SAVING_COUNTERS);
    for (uint32_t i = 0; i < saving.size; i++) {
        assert_int_equal(kept[i].error, 0);
        assert_int_equal(saving.count[i], exact[key_of(i)]);
    }
}

/* The twenty keys that have most, with the same counts. */
static void the_top_is_there(void **state)
{
    (void)state;
    const double exponents[] = {0.8, 1.0, 1.2};
    for (size_t e = 0; e < N_OF(exponents); e++) {
        begin(SPACE_SAVING_COUNTERS);
        uint64_t seed = 7;
        for (int i = 0; i < 400000; i++)
            add(zipf(&seed, exponents[e]), 1);
        check(SPACE_SAVING_COUNTERS);
        for (unsigned key = 0; key < 20; key++) {
            char text[16];
            snprintf(text, sizeof text, "key%u", key);
            int found = find(text, hash_of(text));
            assert_true(found >= 0);
            assert_true(saving.count[found] <= exact[key] + exact[key] / 10);
        }
    }
}

static void bounds_hold_of_every_size_and_weight(void **state)
{
    (void)state;
    const uint32_t limits[] = {1, 2, 3, 4, 5, 6, 17, 100, 999, 1000};
    for (size_t l = 0; l < N_OF(limits); l++) {
        begin(limits[l]);
        uint64_t seed = limits[l];
        for (int i = 0; i < 30000; i++) {
            add(zipf(&seed, 0.9), (uint64_t)(uniform(&seed) * 1000));
            if (i % 3000 == 0)
                check(limits[l]);
        }
        check(limits[l]);
    }
}

/* Keys that come in turn are the worst case: each takes the counter of the one before it. */
static void keys_in_turn_keep_the_bounds(void **state)
{
    (void)state;
    begin(10);
    for (unsigned i = 0; i < 100000; i++)
        add(i % 11, 1);
    check(10);
}

static void no_counter_takes_nothing(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(take("a", 1, 1), -1);
    assert_int_equal(saving.size, 0);
}

/* The limit may fall below what there is, when the file is full: then no more are taken. */
static void a_limit_may_come_later(void **state)
{
    (void)state;
    begin(SPACE_SAVING_COUNTERS);
    for (unsigned i = 0; i < 50; i++)
        add(i, i + 1);
    saving.limit = saving.size;
    for (unsigned i = 50; i < 500; i++)
        add(i, 1);
    assert_int_equal(saving.size, 50);
    check(50);
}

/* Keys whose hashes say the same cell are in it and in those behind it, and others come and go from
 * their midst; the first cell is behind the last one. */
static void equal_hashes_are_told_apart(void **state)
{
    (void)state;
    const uint32_t cells[] = {7, SPACE_SAVING_CELLS - 2};
    for (size_t c = 0; c < N_OF(cells); c++) {
        uint32_t hash = cells[c], other = hash + SPACE_SAVING_CELLS;
        begin(3);
        assert_int_equal(take("a", hash, 1), 0);
        assert_int_equal(take("b", hash, 2), 1);
        assert_int_equal(take("c", other, 3), 2);
        assert_int_equal(find("a", hash), 0);
        assert_int_equal(find("b", hash), 1);
        assert_int_equal(find("c", other), 2);
        assert_int_equal(find("c", hash), -1);
        assert_int_equal(take("d", hash, 10), 0);
        assert_int_equal(find("a", hash), -1);
        assert_int_equal(saving.count[0], 11);
        assert_int_equal(kept[0].error, 1);
        assert_int_equal(take("e", hash + 2, 1), 1);
        assert_int_equal(find("b", hash), -1);
        assert_int_equal(find("c", other), 2);
        assert_int_equal(find("d", hash), 0);
        assert_int_equal(find("e", hash + 2), 1);
    }
}

/* Few cells are those of all of 300 counters, whose keys change all the time: each is found all the
 * same. */
static void crowded_cells_lose_nothing(void **state)
{
    (void)state;
    uint64_t seed = 5;
    uint32_t hash[300];
    begin(N_OF(hash));
    for (unsigned i = 0; i < 50000; i++) {
        char text[16];
        uint32_t given = (uint32_t)(uniform(&seed) * 40) + SPACE_SAVING_CELLS - 20;
        snprintf(text, sizeof text, "key%u", i);
        int index = take(text, given, 1 + (uint64_t)(uniform(&seed) * 3));
        hash[index] = given;
        if (i % 500 == 0)
            for (uint32_t k = 0; k < saving.size; k++)
                assert_int_equal(find(kept[k].key, hash[k]), k);
    }
    unsigned used = 0;
    for (unsigned i = 0; i < SPACE_SAVING_CELLS; i++)
        used += saving.cell[i].mark != 0;
    assert_int_equal(used, N_OF(hash));
}

/* The counter that is replaced is always one with the smallest count. */
static void the_smallest_is_replaced(void **state)
{
    (void)state;
    const unsigned weights[] = {1, 2, 1000};
    for (size_t w = 0; w < N_OF(weights); w++) {
        uint64_t seed = 9;
        begin(200);
        for (unsigned i = 0; i < 20000; i++) {
            char text[16];
            uint64_t least = UINT64_MAX;
            snprintf(text, sizeof text, "key%u", i);
            for (uint32_t k = 0; k < saving.size; k++)
                least = saving.count[k] < least ? saving.count[k] : least;
            bool full = saving.size == saving.limit;
            int index = take(text, hash_of(text), (uint64_t)(uniform(&seed) * weights[w]));
            assert_int_equal(kept[index].error, full ? least : 0);
            if (uniform(&seed) < 0.5)
                dcamp_space_saving_add(&saving, (uint32_t)(uniform(&seed) * saving.size), i % 7);
        }
    }
}

/* Nobody can foresee the hashes of another seed, and those of one seed are spread. */
static void hashes_are_spread(void **state)
{
    (void)state;
    static unsigned cells[SPACE_SAVING_CELLS];
    unsigned most = 0, equal = 0;
    for (unsigned i = 0; i < 10 * SPACE_SAVING_CELLS; i++) {
        char text[16];
        size_t length = (size_t)snprintf(text, sizeof text, "key%u", i);
        uint32_t hash = dcamp_space_saving_hash(text, length, 42);
        unsigned n = ++cells[hash % SPACE_SAVING_CELLS];
        most = n > most ? n : most;
        equal += hash == dcamp_space_saving_hash(text, length, 43);
    }
    assert_true(most < 40);
    assert_true(equal < 3);
}

static int compare_hashes(const void *a, const void *b)
{
    const uint32_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

static size_t count_equal(uint32_t *hash, size_t n)
{
    size_t equal = 0;
    qsort(hash, n, sizeof *hash, compare_hashes);
    for (size_t i = 1; i < n; i++)
        equal += hash[i] == hash[i - 1];
    return equal;
}

static const uint64_t seeds[] = {1, 42, UINT64_C(1) << 63, UINT64_C(0x0123456789abcdef),
                                 UINT64_MAX};

/* What somebody makes who knows all but the seed: in each pair of blocks the highest bit of one
 * differs, and in the next one the bits that this would change by a multiplication with a known
 * factor and a shift. */
static void keys_made_to_collide_do_not(void **state)
{
    (void)state;
    char key[128][KEY];
    uint32_t hash[N_OF(key)];
    memset(key, 'A', sizeof key);
    for (unsigned i = 0; i < N_OF(key); i++)
        for (unsigned block = 0; block < 7; block++)
            if (i >> block & 1) {
                key[i][8 * block + 7] ^= (char)0x80;
                key[i][8 * block + 15] ^= (char)0x80;
                key[i][8 * block + 12] ^= 4;
            }
    for (size_t s = 0; s < N_OF(seeds); s++) {
        for (unsigned i = 0; i < N_OF(key); i++)
            hash[i] = dcamp_space_saving_hash(key[i], sizeof key[i], seeds[s]);
        assert_int_equal(count_equal(hash, N_OF(key)), 0);
    }
}

/* No difference of one or two bits, wherever they are, leaves a hash as it was. */
static void bits_that_differ_change_the_hash(void **state)
{
    (void)state;
    enum { OCTETS = 24, BITS = 8 * OCTETS };
    static uint32_t hash[BITS * (BITS - 1) / 2 + BITS];
    char key[OCTETS];
    for (size_t s = 0; s < N_OF(seeds); s++) {
        size_t n = 0;
        memset(key, 'k', sizeof key);
        for (unsigned a = 0; a < BITS; a++)
            for (unsigned b = a; b < BITS; b++) {
                key[a / 8] ^= (char)(1 << a % 8);
                key[b / 8] ^= (char)(a == b ? 0 : 1 << b % 8);
                hash[n++] = dcamp_space_saving_hash(key, sizeof key, seeds[s]);
                key[b / 8] ^= (char)(a == b ? 0 : 1 << b % 8);
                key[a / 8] ^= (char)(1 << a % 8);
            }
        assert_int_equal(n, N_OF(hash));
        assert_true(count_equal(hash, n) < 3); /* of 18,528, 0.04 by chance */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_keys_are_counted_exactly),
        cmocka_unit_test(the_top_is_there),
        cmocka_unit_test(bounds_hold_of_every_size_and_weight),
        cmocka_unit_test(keys_in_turn_keep_the_bounds),
        cmocka_unit_test(no_counter_takes_nothing),
        cmocka_unit_test(a_limit_may_come_later),
        cmocka_unit_test(equal_hashes_are_told_apart),
        cmocka_unit_test(crowded_cells_lose_nothing),
        cmocka_unit_test(the_smallest_is_replaced),
        cmocka_unit_test(hashes_are_spread),
        cmocka_unit_test(keys_made_to_collide_do_not),
        cmocka_unit_test(bits_that_differ_change_the_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
