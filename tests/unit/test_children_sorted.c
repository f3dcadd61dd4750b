/* Series of children by name: in whatever order they get their names and end, one is found by its
 * key, and a walk over all children comes to each once, in the order of the keys. */
#include "children/sorted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/oid.h"

#include "polled.h"

#define NAMES 60
#define KEY_MAX (2 * NAME_SIZE + INSTANCE_SIZE)

static uint32_t length_of_tail(uint32_t *key, unsigned i)
{
    static const char *const sensors[] = {"cpu", "load", "a.sensor.with.a.long.name"};
    char instance[16];
    uint32_t len = index_key_text(key, sensors[i % N_OF(sensors)]);
    snprintf(instance, sizeof instance, "i%u", i / (unsigned)N_OF(sensors));
    return len + index_key_text(key + len, instance);
}

/* -- One list ------------------------------------------------------------------------------- */

struct named {
    struct series_name name;
    struct child_series series;
    uint32_t key[KEY_MAX];
    bool is_there;
};

static struct named *named_new(void)
{
    struct named *all = calloc(NAMES, sizeof *all);
    assert_non_null(all);
    for (unsigned i = 0; i < NAMES; i++) {
        all[i].name.tail = (struct index_tail){all[i].key, length_of_tail(all[i].key, i)};
        all[i].series.name = &all[i].name;
    }
    return all;
}

static void add(struct child_list *sorted, struct named *named)
{
    const struct index_tail *tail = &named->name.tail;
    uint32_t place = sorted_place(sorted, tail->key, tail->len);
    assert_null(sorted_at(sorted, place, tail->key, tail->len));
    assert_int_equal(sorted_find(sorted, &named->series), sorted->n);
    assert_true(list_reserve(sorted));
    list_insert(sorted, place, &named->series);
    named->is_there = true;
}

static void assert_sorted(const struct child_list *sorted, const struct named *all)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < NAMES; i++) {
        const struct index_tail *tail = &all[i].name.tail;
        uint32_t copy[KEY_MAX], place = sorted_place(sorted, tail->key, tail->len);
        memcpy(copy, tail->key, tail->len * sizeof *copy);
        assert_int_equal(sorted_place(sorted, copy, tail->len), place);
        assert_ptr_equal(sorted_at(sorted, place, copy, tail->len),
                         all[i].is_there ? &all[i].series : NULL);
        assert_int_equal(sorted_find(sorted, &all[i].series), all[i].is_there ? place : sorted->n);
        n += all[i].is_there;
    }
    assert_int_equal(sorted->n, n);
    for (uint32_t i = 1; i < n; i++) {
        const struct index_tail *a = &sorted->at[i - 1]->name->tail;
        const struct index_tail *b = &sorted->at[i]->name->tail;
        assert_true(oid_compare(a->key, a->len, b->key, b->len) < 0);
    }
}

/* Against what is there; some end together. */
static void any_order(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct named *all = named_new();
        struct child_list sorted = {0};
        srandom(seed);
        for (int step = 0; step < 300; step++) {
            struct named *named = &all[random() % NAMES];
            if (!named->is_there)
                add(&sorted, named);
            else if (random() % 2 == 0)
                list_remove(&sorted, sorted_find(&sorted, &named->series));
            named->is_there = sorted_find(&sorted, &named->series) < sorted.n;
            if (step % 50 == 0)
                assert_sorted(&sorted, all);
        }
        for (unsigned i = 0; i < NAMES; i++) {
            all[i].series.ends = random() % 2 == 0;
            all[i].is_there &= !all[i].series.ends;
        }
        sorted_sweep(&sorted);
        assert_sorted(&sorted, all);
        list_release(&sorted);
        free(all);
    }
}

/* The beginning of keys, and what is before and behind all. */
static void places_of_other_keys(void **state)
{
    (void)state;
    struct named *all = named_new();
    struct child_list sorted = {0};
    const uint32_t last[] = {UINT32_MAX}, cpu[] = {3, 'c', 'p', 'u'};
    assert_int_equal(sorted_place(&sorted, cpu, N_OF(cpu)), 0);
    assert_null(sorted_at(&sorted, 0, cpu, N_OF(cpu)));
    for (unsigned i = 0; i < NAMES; i++)
        add(&sorted, &all[i]);
    assert_int_equal(sorted_place(&sorted, NULL, 0), 0);
    assert_int_equal(sorted_place(&sorted, cpu, N_OF(cpu)), 0);
    assert_null(sorted_at(&sorted, 0, cpu, N_OF(cpu)));
    assert_int_equal(sorted_place(&sorted, last, 1), NAMES);
    assert_null(sorted_at(&sorted, NAMES, last, 1));
    list_release(&sorted);
    free(all);
}

/* -- Those of all children ------------------------------------------------------------------- */

static const char *const names[] = {"b", "a", "leaf", "leaf2", "z"};

/* "leaf2" has none, and "z" but one, which has no name yet. */
static void report_some(struct polled *polled)
{
    static const char *const instances[] = {"eth1", "eth0", "eth10"};
    for (size_t i = 0; i < N_OF(names); i++) {
        struct report_ring *ring = ring_new(7);
        struct child *child = polled_child(polled, names[i]);
        bool has_names = strcmp(names[i], "leaf2") != 0 && strcmp(names[i], "z") != 0;
        for (uint32_t k = 0; k < N_OF(instances) && has_names; k++)
            ring_value(ring, k + 1, k);
        if (strcmp(names[i], "z") == 0)
            ring_value(ring, 1, 1);
        polled_answer(polled, child, 7, ring, 1);
        for (uint32_t k = 0; k < N_OF(instances) && has_names; k++)
            polled_name(polled, child, k + 1, "rx", instances[k]);
        ring_free(ring);
    }
}

static void assert_walk_from(const struct polled *polled, const uint32_t *from, size_t len)
{
    const struct child_series *at = children_series_after(&polled->children, from, len);
    const struct child_series *each = children_series_after(&polled->children, NULL, 0);
    const struct child_series *expected = NULL;
    uint32_t key[KEY_MAX];
    for (; each && !expected; each = children_series_next(each)) {
        size_t key_len = child_series_key(each, key);
        if (oid_compare(key, key_len, from, len) > 0)
            expected = each;
    }
    assert_ptr_equal(at, expected);
}

/* From each key, from the beginnings of it, and from keys that are a little less or more. */
static void walks_begin_anywhere(void **state)
{
    struct polled *polled = *state;
    report_some(polled);
    const struct child_series *series = children_series_after(&polled->children, NULL, 0);
    uint32_t before[KEY_MAX], key[KEY_MAX + 1];
    size_t n = 0, before_len = 0;
    for (; series; series = children_series_next(series), n++) {
        size_t len = child_series_key(series, key);
        assert_ptr_equal(children_series_find(&polled->children, key, len), series);
        assert_true(n == 0 || oid_compare(before, before_len, key, len) < 0);
        memcpy(before, key, len * sizeof *key);
        before_len = len;
        for (size_t i = 1; i <= len; i++) {
            assert_walk_from(polled, key, i);
            if (i < len)
                assert_null(children_series_find(&polled->children, key, i));
            key[i - 1]--;
            assert_walk_from(polled, key, i);
            key[i - 1] += 2;
            assert_walk_from(polled, key, i);
            key[i - 1]--;
        }
        key[len] = 0;
        assert_walk_from(polled, key, len + 1);
        assert_null(children_series_find(&polled->children, key, len + 1));
    }
    assert_int_equal(n, 9);
    assert_int_equal(n, series_count(polled));
    assert_null(children_series_find(&polled->children, NULL, 0));
}

static void keys_of_nobody(void **state)
{
    struct polled *polled = *state;
    static const uint32_t keys[][3] = {{0, 0, 0}, {1, 'c', 0}, {UINT32_MAX, 1, 1}, {2, 'l', 'e'}};
    assert_null(children_series_after(&polled->children, NULL, 0));
    report_some(polled);
    for (size_t i = 0; i < N_OF(keys); i++)
        for (size_t len = 1; len <= 3; len++) {
            assert_null(children_series_find(&polled->children, keys[i], len));
            assert_walk_from(polled, keys[i], len);
        }
}

/* -- Those that have none -------------------------------------------------------------------- */

/* What a walk could do once for each child. */
static size_t steps;

struct index_node *__real_index_next(struct index_node *node);
struct index_node *__wrap_index_next(struct index_node *node);
int __real_oid_compare(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len);
int __wrap_oid_compare(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len);

struct index_node *__wrap_index_next(struct index_node *node)
{
    steps++;
    return __real_index_next(node);
}

int __wrap_oid_compare(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len)
{
    steps++;
    return __real_oid_compare(a, a_len, b, b_len);
}

#define CROWD 10000
#define STEPS_MOST 100 /* some logarithms of that */

static const char *crowd_name(unsigned i)
{
    static char name[NAME_SIZE];
    snprintf(name, sizeof name, "leaf%05u", i);
    return name;
}

static void assert_few_steps(void)
{
    assert_in_range(steps, 0, STEPS_MOST);
    steps = 0;
}

/* From the first on: with a key, as GETNEXT does, and from row to row, as GETBULK does. */
static void assert_walk_of(const struct polled *polled, const unsigned *who, size_t n)
{
    uint32_t key[KEY_MAX];
    const struct child_series *series = NULL;
    size_t len = 0;
    for (size_t i = 0; i <= n; i++) {
        steps = 0;
        const struct child_series *next = series ? children_series_next(series) : NULL;
        assert_few_steps();
        series = children_series_after(&polled->children, key, len);
        assert_few_steps();
        assert_true(i == 0 || next == series);
        if (i == n)
            break;
        assert_non_null(series);
        assert_string_equal(series->child->name, crowd_name(who[i]));
        len = child_series_key(series, key);
    }
    assert_null(series);
}

/* While very many children are met, most have no series with a name yet. */
static void most_have_none(void **state)
{
    struct polled *polled = *state;
    static const unsigned who[] = {17, 18, CROWD / 2, CROWD - 2};
    struct report_ring *ring = ring_new(7);
    uint32_t key[KEY_MAX];
    polled->children.send = NULL; /* nobody is told */
    for (unsigned i = 0; i < CROWD; i++)
        polled_row(polled, crowd_name(i));
    polled_sync(polled);
    assert_walk_of(polled, NULL, 0);
    for (size_t i = 0; i < N_OF(who); i++) {
        reporting_child(polled, crowd_name(who[i]), ring);
        assert_walk_of(polled, who, i + 1);
    }
    /* From children that have none, and the one that has none any more. */
    size_t len = index_key_text(key, crowd_name(19));
    steps = 0;
    assert_string_equal(children_series_after(&polled->children, key, len)->child->name,
                        crowd_name(CROWD / 2));
    assert_in_range(steps, 1, STEPS_MOST); /* they are counted */
    polled_name(polled, children_find(&polled->children, crowd_name(17)), 1, NULL, NULL);
    assert_walk_of(polled, who + 1, N_OF(who) - 1);
    ring_free(ring);
}

static void assert_holders(const struct polled *polled)
{
    const struct child *holder = NULL;
    for (struct index_node *node = index_first(&polled->children.index); node;
         node = index_next(node)) {
        struct child *child = (struct child *)node;
        bool holds = child->series.sorted.n > 0;
        assert_int_equal(child->holds, holds);
        if (holds && holder)
            assert_ptr_equal(holders_next((struct child *)(uintptr_t)holder), child);
        if (holds)
            holder = child;
    }
    if (holder)
        assert_null(holders_next((struct child *)(uintptr_t)holder));
}

#define NUMBERS 3

/* Something that a child says or that happens to it, of which its series come or go. */
static void let_happen(struct polled *polled, const char *name)
{
    static const char *const instances[] = {"a", "b"};
    struct child *child = children_find(&polled->children, name);
    uint32_t boot = child ? child->cursor.boot : 0, number = 1 + (uint32_t)random() % NUMBERS;
    struct row *row = config_find(polled->config, ROW_CHILD, name);
    struct report_ring *ring;
    switch (random() % 6) {
    case 0:
        if (row && random() % 2) {
            config_remove(polled->config, row);
            row_free(row);
        }
        polled_child(polled, random() % 2 ? "b" : "leaf");
        return;
    case 1:
        boot++;
        /* falls through */
    case 2:
        if (!child)
            return;
        ring = ring_new(boot);
        for (uint32_t i = 1; i <= NUMBERS; i++)
            ring_value(ring, i, i);
        polled_answer(polled, child, boot, ring, 1);
        ring_free(ring);
        return;
    case 3:
        polled_wait(polled, random() % 2 ? 61000 : 1000);
        return;
    case 4:
        if (child)
            polled_name(polled, child, number, NULL, NULL);
        return;
    default:
        if (child)
            polled_name(polled, child, number, "load", instances[random() % 2]);
    }
}

/* Who watches them may walk whenever it is told of one. */
static void watch(void *context, struct series_ref series, struct moment now)
{
    static int rules;
    (void)now;
    *series.type->watches(series.series) = (struct watch *)(void *)&rules;
    assert_holders(context);
}

static void value(void *context, struct series_ref series, bool window, struct moment now)
{
    (void)series;
    (void)window;
    (void)now;
    assert_holders(context);
}

static void move(void *context, struct series_ref from, struct series_ref to)
{
    *to.type->watches(to.series) = *from.type->watches(from.series);
    *from.type->watches(from.series) = NULL;
    assert_holders(context);
}

static void end(void *context, struct series_ref series, const char *why, struct moment now)
{
    (void)series;
    (void)why;
    (void)now;
    assert_holders(context);
}

static bool hold(void *context, struct series_ref series)
{
    (void)context;
    (void)series;
    return random() % 4 == 0;
}

static void holders_in_any_order(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++) {
        struct polled *polled = polled_new();
        const struct series_observer observer = {watch, value, move, end, hold, NULL, polled};
        polled->children.send = NULL;
        polled->children.observer = &observer;
        srandom(seed);
        for (int step = 0; step < 400; step++) {
            let_happen(polled, names[random() % (long)N_OF(names)]);
            assert_holders(polled);
        }
        polled_free(polled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),       cmocka_unit_test(places_of_other_keys),
        polled_test(walks_begin_anywhere), polled_test(keys_of_nobody),
        polled_test(most_have_none),       cmocka_unit_test(holders_in_any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
