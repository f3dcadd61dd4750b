/* Keys of tops over many children: merged with their bounds, told to the next parent, and shown as
 * rows in the order of the table. */
#include "rollup/tops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"

#define URLS "jd/shop:urls"
/* A step begins no keys when four blocks of 1200 octets are full; 100 of the longest take eight. */
#define TOO_MANY_BLOCKS 14
#define ROOM (NAME_SIZE + INSTANCE_SIZE + 1)

static int64_t wall_ms = INT64_C(1700000000000);

/* A child tells keys: text and count, the error is 1. */
struct pair {
    const char *text;
    uint64_t count;
};

static void tell_pairs(struct leaf *leaf, const char *instance, const struct pair *pairs, size_t n,
                       uint64_t absent)
{
    struct top_key key[REPORT_KEYS_MAX];
    for (size_t i = 0; i < n; i++) {
        key[i] = (struct top_key){.count = pairs[i].count, .error = 1};
        snprintf(key[i].octets, sizeof key[i].octets, "%s", pairs[i].text);
    }
    const struct top_keys keys = {key, keys_sort(key, n), absent};
    leaf_value(leaf, "hot", instance, 1);
    assert_int_equal(
        report_add_keys(leaf->ring, leaf_number(leaf, "hot", instance), wall_ms++, &keys), 0);
}

#define TELL(leaf, instance, absent, ...)                                                          \
    tell_pairs(leaf, instance, (const struct pair[]){__VA_ARGS__},                                 \
               N_OF(((const struct pair[]){__VA_ARGS__})), absent)

static const struct rollup_key *row_of(const struct collector *collector, const char *name,
                                       const char *instance, uint32_t rank)
{
    uint32_t key[ROOM];
    size_t n = index_key_text(key, name);
    n += index_key_text(key + n, instance);
    key[n++] = rank;
    return rollup_top_find(&collector->aggregates.values, key, n);
}

static void check_key(const struct collector *collector, const char *name, const char *instance,
                      uint32_t rank, const char *text, uint64_t count, uint64_t error,
                      bool is_guaranteed)
{
    const struct rollup_key *row = row_of(collector, name, instance, rank);
    assert_non_null(row);
    assert_int_equal(row->rank, rank);
    assert_string_equal(row->key.octets, text);
    assert_int_equal(row->key.count, count);
    assert_int_equal(row->key.error, error);
    assert_int_equal(row->is_guaranteed, is_guaranteed);
}

static unsigned count_rows(const struct collector *collector)
{
    unsigned n = 0;
    const struct rollup_key *row = rollup_top_after(&collector->aggregates.values, NULL, 0);
    for (; row; row = rollup_top_next(row))
        n++;
    return n;
}

/* -- Merging ----------------------------------------------------------------------------------- */

/* What a child does not name may be as much as it says of absent keys. */
static void counts_and_errors_are_added(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x"), *b = collector_leaf(collector, "b", "y");
    AGGREGATE(collector, "hot.all", "sensor", "hot", "function", "sum", "by", "instance");
    TELL(a, URLS, 3, {"/", 100}, {"/cart", 50}, {"/old", 4});
    TELL(b, URLS, 7, {"/", 20}, {"/login", 90});
    leaf_answer(collector, a);
    leaf_answer(collector, b);
    collector_step(collector, 5000);
    collector->aggregates.values.top_size = 3;
    collector_step(collector, 5000);
    check_key(collector, "hot.all", URLS, 1, "/", 120, 2, true);
    check_key(collector, "hot.all", URLS, 2, "/login", 93, 4, true);
    check_key(collector, "hot.all", URLS, 3, "/cart", 57, 8, true);
    assert_null(row_of(collector, "hot.all", URLS, 4));
    assert_null(row_of(collector, "hot.all", URLS, 0));
    assert_int_equal(count_rows(collector), 3);
}

/* Of a child that is not there, neither the value nor the keys count. */
static void children_that_are_lost(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x"), *b = collector_leaf(collector, "b", "x");
    AGGREGATE(collector, "hot.all", "sensor", "hot", "function", "sum");
    TELL(a, URLS, 0, {"/", 100});
    TELL(b, URLS, 0, {"/", 20});
    leaf_answer(collector, a);
    leaf_answer(collector, b);
    collector_step(collector, 5000);
    check_key(collector, "hot.all", "total", 1, "/", 120, 2, true);
    leaf_silent(collector, b, 3);
    collector_step(collector, 5000);
    check_key(collector, "hot.all", "total", 1, "/", 100, 1, true);
    leaf_silent(collector, a, 3);
    collector_step(collector, 5000);
    assert_int_equal(count_rows(collector), 0);
}

/* Values of one child, or of series without keys, have none; nor have top and share. */
static void only_where_there_are_keys(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x");
    AGGREGATE(collector, "cold", "sensor", "cold", "function", "sum");
    AGGREGATE(collector, "share", "sensor", "hot", "function", "share");
    AGGREGATE(collector, "top", "sensor", "hot", "function", "top", "parameter", "1");
    AGGREGATE(collector, "users", "sensor", "hot", "function", "sum", "instances", "*users");
    TELL(a, URLS, 0, {"/", 100});
    leaf_value(a, "cold", "total", 1);
    leaf_answer(collector, a);
    collector_step(collector, 5000);
    assert_int_equal(count_rows(collector), 0);
}

/* What ends takes its rows along. */
static void series_that_end(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x");
    struct row *row = AGGREGATE(collector, "hot.all", "sensor", "hot", "function", "sum");
    TELL(a, URLS, 0, {"/", 100});
    leaf_answer(collector, a);
    collector_step(collector, 5000);
    assert_int_equal(count_rows(collector), 1);
    row->status = ROW_NOT_IN_SERVICE;
    collector_sync(collector);
    assert_int_equal(count_rows(collector), 0);
}

/* -- When -------------------------------------------------------------------------------------- */

static uint32_t blocks_of_step(struct collector *collector)
{
    uint32_t before = collector->report.last;
    collector_step(collector, 1000);
    return collector->report.last - before;
}

/* They are merged when a child has told others, once in a pause that depends on how many there are.
 */
static void not_all_the_time(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x");
    AGGREGATE(collector, "hot.all", "sensor", "hot", "function", "sum", "interval", "100ms");
    TELL(a, URLS, 0, {"/", 100});
    leaf_answer(collector, a);
    collector_step(collector, 100);
    check_key(collector, "hot.all", "total", 1, "/", 100, 1, true);
    TELL(a, URLS, 0, {"/", 150});
    leaf_answer(collector, a);
    collector_step(collector, 100);
    check_key(collector, "hot.all", "total", 1, "/", 100, 1, true);
    collector_step(collector, 1000);
    check_key(collector, "hot.all", "total", 1, "/", 150, 1, true);
    const struct rollup_key *row = row_of(collector, "hot.all", "total", 1);
    collector_step(collector, 5000);
    assert_ptr_equal(row, row_of(collector, "hot.all", "total", 1));
}

/* So many keys that a step has no room for all of them: the others have their turn before the first
 * ones are told again. */
static void very_many_take_turns(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x");
    static char text[REPORT_KEYS_MAX][SEGMENT_KEY];
    struct pair pairs[REPORT_KEYS_MAX];
    char instance[INSTANCE_SIZE];
    AGGREGATE(collector, "hot.all", "sensor", "hot", "function", "sum", "by", "instance",
              "interval", "1s");
    for (unsigned i = 0; i < REPORT_KEYS_MAX; i++) {
        snprintf(text[i], sizeof text[i], "%060u", i);
        pairs[i] = (struct pair){text[i], UINT64_MAX / 2};
    }
    unsigned rows = 0, steps = 0;
    for (; rows < 10 * REPORT_KEYS_MAX; steps++) {
        for (unsigned i = 0; i < 10; i++) {
            snprintf(instance, sizeof instance, "jd/shop:%u", i);
            tell_pairs(a, instance, pairs, REPORT_KEYS_MAX, 0);
            leaf_answer(collector, a);
        }
        assert_true(blocks_of_step(collector) < TOO_MANY_BLOCKS);
        rows = count_rows(collector);
        assert_true(steps < 20);
    }
    assert_true(steps > 3);
}

/* -- The next parent ------------------------------------------------------------------------- */

static void they_are_merged_again_above(void **state)
{
    struct collector *root = *state, *below[2];
    struct leaf *known[2];
    AGGREGATE(root, "hot.all", "sensor", "hot.some", "function", "sum", "by", "instance");
    for (unsigned i = 0; i < 2; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "collector%u", i);
        below[i] = collector_new();
        known[i] = collector_leaf(root, name, "default");
        AGGREGATE(below[i], "hot.some", "sensor", "hot", "function", "sum", "by", "instance");
        struct leaf *a = collector_leaf(below[i], "a", "x"),
                    *b = collector_leaf(below[i], "b", "x");
        TELL(a, URLS, 3, {"/", 100}, {i ? "/cart" : "/login", 50});
        TELL(b, URLS, 4, {"/", 10 + i});
        TELL(b, "jd/shop:users", 0, {"ann", 6});
        leaf_answer(below[i], a);
        leaf_answer(below[i], b);
        collector_step(below[i], 5000);
        collector_tell(below[i], root, known[i]);
    }
    collector_step(root, 5000);
    check_key(root, "hot.all", URLS, 1, "/", 221, 4, true);
    check_key(root, "hot.all", URLS, 2, "/cart", 61, 12, true);
    check_key(root, "hot.all", URLS, 3, "/login", 61, 12, true);
    check_key(root, "hot.all", "jd/shop:users", 1, "ann", 12, 2, true);
    for (unsigned i = 0; i < 2; i++)
        leaf_silent(below[i], below[i]->leaves[0], 3);
    for (unsigned i = 0; i < 2; i++) {
        leaf_silent(below[i], below[i]->leaves[1], 3);
        collector_step(below[i], 5000);
        collector_tell(below[i], root, known[i]);
        collector_free(below[i]);
    }
    collector_step(root, 5000);
    assert_int_equal(count_rows(root), 0);
}

/* -- Rows ------------------------------------------------------------------------------------ */

static size_t key_of_row(const struct rollup_key *row, uint32_t *key)
{
    size_t len = rollup_top_key(row, key);
    assert_true(len <= ROOM);
    return len;
}

/* From any place, which may be within a key, or be none that is one. */
static void a_walk_from_anywhere(void **state)
{
    struct collector *collector = *state;
    const struct rollup_values *values = &collector->aggregates.values;
    struct leaf *a = collector_leaf(collector, "a", "x");
    AGGREGATE(collector, "a", "sensor", "hot", "function", "sum", "by", "instance");
    AGGREGATE(collector, "b", "sensor", "cold", "function", "sum");
    AGGREGATE(collector, "c", "sensor", "hot", "function", "sum");
    TELL(a, "u", 0, {"1", 9}, {"2", 8}, {"3", 7});
    TELL(a, "v", 0, {"4", 5});
    leaf_value(a, "cold", "total", 1);
    leaf_answer(collector, a);
    collector_step(collector, 5000);
    assert_int_equal(count_rows(collector), 3 + 1 + 4);

    uint32_t key[ROOM + 1], next[ROOM];
    for (const struct rollup_key *row = rollup_top_after(values, NULL, 0); row;
         row = rollup_top_next(row)) {
        const struct rollup_key *behind = rollup_top_next(row);
        size_t len = key_of_row(row, key);
        assert_ptr_equal(rollup_top_find(values, key, len), row);
        assert_ptr_equal(rollup_top_after(values, key, len), behind);
        key[len] = 0; /* a longer one is behind it, too */
        assert_ptr_equal(rollup_top_after(values, key, len + 1), behind);
        assert_null(rollup_top_find(values, key, len + 1));
        for (size_t part = 0; part < len; part++) { /* a shorter one is before it */
            assert_null(rollup_top_find(values, key, part));
            const struct rollup_key *first = rollup_top_after(values, key, part);
            assert_non_null(first);
            size_t n = key_of_row(first, next);
            assert_true(memcmp(next, key, (part < n ? part : n) * sizeof *key) == 0);
        }
        key[len - 1] = 0;
        const struct rollup_key *first = rollup_top_after(values, key, len);
        assert_int_equal(first->rank, 1);
        assert_ptr_equal(first->value, row->value);
        key[len - 1] = UINT32_MAX;
        first = rollup_top_after(values, key, len);
        assert_true(!first || first->value != row->value);
    }
    key[0] = UINT32_MAX;
    assert_null(rollup_top_after(values, key, 1));
    assert_null(rollup_top_find(values, key, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        collector_test(counts_and_errors_are_added),
        collector_test(children_that_are_lost),
        collector_test(only_where_there_are_keys),
        collector_test(series_that_end),
        collector_test(not_all_the_time),
        collector_test(very_many_take_turns),
        collector_test(they_are_merged_again_above),
        collector_test(a_walk_from_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
