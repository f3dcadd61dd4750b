#include <stdlib.h>
#include <string.h>

#include "base/index.h"

#include "unit.h"

#define ROWS 300
#define LEN_MAX 5

struct row {
    struct index_node node;
    uint32_t key[LEN_MAX];
    uint32_t len;
    struct index_tail tail;
    bool present;
};

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random >> 16;
}

/* Few different sub-identifiers, so that keys often share a beginning or are equal; the large
 * ones find a comparison that is signed or goes by octets. */
static uint32_t random_key(uint64_t *random, uint32_t key[LEN_MAX])
{
    static const uint32_t parts[] = {0, 1, 2, 256, 0x7fffffff, 0x80000000, UINT32_MAX};
    uint32_t len = 1 + (uint32_t)next_random(random) % LEN_MAX;
    for (size_t i = 0; i < len; i++)
        key[i] = parts[next_random(random) % (sizeof parts / sizeof parts[0])];
    return len;
}

/* The order, written down another way: past its end a key counts as less than any number. */
static int64_t part(const uint32_t *key, size_t len, size_t i)
{
    return i < len ? (int64_t)key[i] : -1;
}

static int order(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len)
{
    for (size_t i = 0; i <= LEN_MAX; i++)
        if (part(a, a_len, i) != part(b, b_len, i))
            return part(a, a_len, i) < part(b, b_len, i) ? -1 : 1;
    return 0;
}

/* The least present row that is greater than the key; with equal, the equal one. */
static struct index_node *model(struct row *rows, const uint32_t *key, size_t len, bool equal)
{
    struct row *best = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        struct row *row = &rows[i];
        int c = order(row->key, row->len, key, len);
        if (!row->present || (equal ? c != 0 : c <= 0))
            continue;
        if (!best || order(row->key, row->len, best->key, best->len) < 0)
            best = row;
    }
    return best ? &best->node : NULL;
}

static void check_walk(const struct index *index, struct row *rows)
{
    size_t count = 0;
    struct index_node *node = index_first(index);
    assert_ptr_equal(node, model(rows, NULL, 0, false));
    for (; node; node = index_next(node), count++) {
        uint32_t key[LEN_MAX];
        size_t len = index_key_length(node);
        index_key_copy(node, key);
        assert_int_equal(len, ((struct row *)node)->len);
        assert_memory_equal(key, ((struct row *)node)->key, len * sizeof *key);
        struct index_node *after = model(rows, key, len, false);
        assert_ptr_equal(index_next(node), after);
        assert_ptr_equal(index_after(index, key, len), after);
        assert_ptr_equal(index_find(index, key, len), node);
    }
    assert_int_equal(count, index->count);
}

static void toggle(struct index *index, struct row *rows, struct row *row)
{
    if (row->present) {
        index_remove(index, &row->node);
        row->present = false;
        return;
    }
    bool taken = model(rows, row->key, row->len, true) != NULL;
    size_t count = index->count;
    assert_int_equal(index_add(index, &row->node), !taken);
    assert_int_equal(index->count, count + !taken);
    row->present = !taken;
}

/* Half of the keys are in two parts, some of which have nothing in them; rows with the same
 * beginning share it. */
static void split_key(struct row *rows, struct row *row, uint64_t *random)
{
    uint32_t at = (uint32_t)next_random(random) % (row->len + 1);
    row->node.key = row->key;
    row->node.key_len = row->len;
    if (next_random(random) % 2)
        return;
    row->tail = (struct index_tail){row->key + at, row->len - at};
    row->node.tail = &row->tail;
    row->node.key_len = at;
    for (struct row *other = rows; other < row; other++)
        if (other->node.key_len == at && memcmp(other->key, row->key, at * sizeof *row->key) == 0)
            row->node.key = other->key;
}

static void test_random_operations(void **unused)
{
    (void)unused;
    struct row rows[ROWS] = {0};
    uint64_t random = 20240229;
    struct index index;
    index_init(&index);
    for (size_t i = 0; i < ROWS; i++) {
        rows[i].len = random_key(&random, rows[i].key);
        split_key(rows, &rows[i], &random);
    }
    for (int i = 0; i < 10000; i++) {
        uint32_t key[LEN_MAX];
        size_t len = random_key(&random, key);
        toggle(&index, rows, &rows[next_random(&random) % ROWS]);
        assert_ptr_equal(index_find(&index, key, len), model(rows, key, len, true));
        assert_ptr_equal(index_after(&index, key, len), model(rows, key, len, false));
        assert_ptr_equal(index_first(&index), model(rows, NULL, 0, false));
        if (i % 1000 == 0)
            check_walk(&index, rows);
    }
    check_walk(&index, rows);
    index_release(&index);
    assert_int_equal(index.count, 0);
    assert_null(index_first(&index));
}

static void test_empty(void **unused)
{
    (void)unused;
    struct index index;
    uint32_t key[] = {1, 2};
    index_init(&index);
    assert_int_equal(index.count, 0);
    assert_null(index_first(&index));
    assert_null(index_find(&index, key, 2));
    assert_null(index_after(&index, key, 2));
    assert_null(index_after(&index, NULL, 0));
    index_release(&index);
    index_release(&index);
}

static void test_prefixes_and_neighbours(void **unused)
{
    (void)unused;
    static const uint32_t keys[][3] = {{1}, {1, 0}, {1, 0, 0}, {1, 1}, {2}, {256}, {UINT32_MAX}};
    static const uint32_t lens[] = {1, 2, 3, 2, 1, 1, 1};
    static const size_t arrival[] = {4, 0, 6, 2, 5, 1, 3};
    struct index_node nodes[7] = {0};
    struct index index;
    index_init(&index);
    for (size_t i = 0; i < 7; i++) {
        struct index_node *node = &nodes[arrival[i]];
        node->key = keys[arrival[i]];
        node->key_len = lens[arrival[i]];
        assert_true(index_add(&index, node));
    }
    struct index_node *at = index_after(&index, NULL, 0);
    for (size_t i = 0; i < 7; i++, at = index_next(at))
        assert_ptr_equal(at, &nodes[i]);
    assert_null(at);
    /* A row that is gone is still a place to walk on from. */
    index_remove(&index, &nodes[2]);
    assert_ptr_equal(index_after(&index, keys[2], 3), &nodes[3]);
    assert_null(index_find(&index, keys[2], 3));
    assert_null(index_after(&index, keys[6], 1));
    index_release(&index);
}

static void test_duplicate_changes_nothing(void **unused)
{
    (void)unused;
    static const uint32_t key[] = {3, 1}, same[] = {3, 1};
    struct index_node first = {.key = key, .key_len = 2}, second = {.key = same, .key_len = 2};
    struct index index;
    index_init(&index);
    assert_true(index_add(&index, &first));
    assert_false(index_add(&index, &second));
    assert_false(index_add(&index, &first));
    assert_int_equal(index.count, 1);
    assert_ptr_equal(index_find(&index, same, 2), &first);
    assert_null(index_next(&first));
    index_remove(&index, &first);
    assert_int_equal(index.count, 0);
    assert_true(index_add(&index, &second));
    assert_ptr_equal(index_find(&index, key, 2), &second);
    index_release(&index);
}

#define MANY 2000 /* enough for buckets with several nodes */

/* Of every three queries, one is for a key that is there and one for a key that is not; the third
 * has an index without rows, or none at all. */
static void make_queries(struct index_query *queries, size_t n, const struct index *index,
                         const struct index *empty, const uint32_t *keys)
{
    for (size_t i = 0; i < n; i++) {
        const struct index *asked[] = {index, index, i & 1 ? empty : NULL};
        queries[i] = (struct index_query){
            .index = asked[i % 3],
            .key = &keys[i % 3 == 1 ? MANY + i : i * 7 % MANY],
            .len = 1,
            .found = (struct index_node *)queries, /* to be overwritten */
        };
    }
}

static void test_find_all(void **unused)
{
    (void)unused;
    static uint32_t keys[2 * MANY];
    static struct index_node nodes[MANY];
    struct index_query queries[40];
    struct index index, empty;
    index_init(&index);
    index_init(&empty);
    for (uint32_t i = 0; i < 2 * MANY; i++)
        keys[i] = i * 40503;
    for (size_t i = 0; i < MANY; i++) {
        nodes[i].key = &keys[i];
        nodes[i].key_len = 1;
        assert_true(index_add(&index, &nodes[i]));
    }
    for (size_t n = 0; n <= 40; n++) {
        make_queries(queries, n, &index, &empty, keys);
        index_find_all(queries, n);
        for (size_t i = 0; i < n; i++)
            assert_ptr_equal(queries[i].found, i % 3 == 0 ? &nodes[i * 7 % MANY] : NULL);
    }
    index_release(&index);
}

static void test_key_text(void **unused)
{
    (void)unused;
    uint32_t key[4] = {9, 9, 9, 9};
    assert_int_equal(index_key_text(key, ""), 1);
    assert_int_equal(key[0], 0);
    assert_int_equal(key[1], 9);
    assert_int_equal(index_key_text(key, "a\xff"), 3);
    assert_int_equal(key[0], 2);
    assert_int_equal(key[1], 'a');
    assert_int_equal(key[2], 255);
    assert_int_equal(key[3], 9);
}

static void long_texts_have_ends(void **state)
{
    (void)state;
    uint32_t key[8];
    assert_int_equal(index_key_end(key, "", 3), 1);
    assert_int_equal(index_key_end(key, "abc", 3), 4);
    assert_memory_equal(key, ((const uint32_t[]){3, 'a', 'b', 'c'}), 16);
    assert_int_equal(index_key_end(key, "abcd", 3), 4);
    assert_memory_equal(key, ((const uint32_t[]){3, '~', 'c', 'd'}), 16);
    assert_int_equal(index_key_end(key, "abcdefgh", 1), 2);
    assert_memory_equal(key, ((const uint32_t[]){1, '~'}), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_prefixes_and_neighbours),
        cmocka_unit_test(test_duplicate_changes_nothing),
        cmocka_unit_test(test_find_all),
        cmocka_unit_test(test_key_text),
        cmocka_unit_test(long_texts_have_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
