/* Walks, GET and search ranges over a node that has rows in every table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/engine.h"
#include "agent/tables.h"

#include "full.h"
#include "walk.h"

static void every_table_has_rows(void **state)
{
    struct node *node = *state;
    for (size_t t = 0; t < dcamp_table_count; t++)
        if (table_has_rows(dcamp_tables[t]) && node_count(node, dcamp_tables[t]) < 2)
            fail_msg("%s has too few rows", mib_objects[dcamp_tables[t]->object].name);
}

static void walk_finds_what_get_finds(void **state)
{
    struct node *node = *state;
    struct cells walked = cells_new(), got = cells_new();
    cells_walk(node, &walked);
    cells_get(node, &got);
    for (size_t i = 0; i < walked.n && i < got.n; i++)
        if (cells_compare(&walked.oids[i], &got.oids[i]) != 0)
            fail_msg("the walk has %s where GET has another", oid_text(&walked.oids[i]));
    assert_int_equal(walked.n, got.n);
    assert_true(walked.n > 400);
    free(walked.oids);
    free(got.oids);
}

/* Each table on its own: a walk that begins at the table ends with its last cell. */
static void tables_can_be_walked_alone(void **state)
{
    struct node *node = *state;
    struct cells all = cells_new();
    size_t found = 0;
    cells_walk(node, &all);
    for (size_t t = 0; t < dcamp_table_count; t++) {
        const struct mib_info *info = &mib_objects[dcamp_tables[t]->object];
        struct mib_oid at = {.len = info->oid_len}, end = {.len = info->oid_len}, next;
        struct mib_value value;
        memcpy(at.id, info->oid, info->oid_len * sizeof *at.id);
        end = at;
        end.id[end.len - 1]++;
        /* The scalars of dcampReports lie beside tables. */
        size_t n = 0;
        while (node_next(node, &at, false, &end, &next, &value) == ENGINE_OK) {
            size_t rest;
            int object = engine_object(next.id, next.len, &rest);
            n += node->engine.bound[object].table == dcamp_tables[t];
            at = next;
        }
        assert_true(n > 0);
        found += n;
    }
    assert_int_equal(found, all.n);
    free(all.oids);
}

/* -- Beside the cells ------------------------------------------------------------------------ */

static const struct mib_oid *lower_bound(const struct cells *cells, const struct mib_oid *oid,
                                         bool inclusive)
{
    size_t low = 0, high = cells->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cells_compare(&cells->oids[middle], oid) < (inclusive ? 0 : 1))
            low = middle + 1;
        else
            high = middle;
    }
    return low < cells->n ? &cells->oids[low] : NULL;
}

/* The OID itself and its neighbours: one step before and after, longer, shorter. */
#define NEIGHBOURS 7
static size_t neighbours(const struct mib_oid *oid, struct mib_oid near[NEIGHBOURS])
{
    size_t n = 0;
    for (size_t i = 0; i < NEIGHBOURS; i++)
        near[i] = *oid;
    n++;
    near[n++].id[oid->len - 1]++;
    if (oid->id[oid->len - 1] > 0)
        near[n++].id[oid->len - 1]--;
    near[n].id[near[n].len++] = 0;
    n++;
    near[n].id[near[n].len++] = UINT32_MAX;
    n++;
    near[n++].len--;
    near[n++].len = mib_objects[0].oid_len + 3;
    return n;
}

static void check_beside(struct node *node, const struct cells *cells, const struct mib_oid *oid)
{
    struct mib_value value;
    enum engine_status status = node_get(node, oid, &value);
    const struct mib_oid *cell = lower_bound(cells, oid, true);
    if (cell && cells_compare(cell, oid) == 0) {
        assert_int_equal(status, ENGINE_OK);
        return;
    }
    /* RFC 3416, section 4.2.1: noSuchInstance below an object that can be read. */
    size_t rest = 0;
    int object = engine_object(oid->id, oid->len, &rest);
    bool readable =
        object >= 0 && is_leaf(&mib_objects[object]) && mib_objects[object].access >= MIB_READ_ONLY;
    if (status != (readable ? ENGINE_NO_INSTANCE : ENGINE_NO_OBJECT))
        fail_msg("GET of %s: %d", oid_text(oid), status);
}

static void get_beside_the_cells(void **state)
{
    struct node *node = *state;
    struct cells cells = cells_new();
    cells_walk(node, &cells);
    for (size_t i = 0; i < cells.n; i++) {
        struct mib_oid near[NEIGHBOURS];
        size_t n = neighbours(&cells.oids[i], near);
        for (size_t k = 0; k < n; k++)
            check_beside(node, &cells, &near[k]);
    }
    free(cells.oids);
}

/* GET of what is no leaf, of index columns, of columns that the MIB does not have. */
static void get_of_no_cell(void **state)
{
    struct node *node = *state;
    struct mib_value value;
    for (int object = 0; object < MIB_OBJECTS; object++) {
        const struct mib_info *info = &mib_objects[object];
        struct mib_oid oid = cell_of((enum mib_object)object, "load", NULL);
        bool readable = node->engine.bound[object].table != NULL;
        oid.len = info->oid_len;
        assert_int_equal(node_get(node, &oid, &value),
                         readable ? ENGINE_NO_INSTANCE : ENGINE_NO_OBJECT);
        oid.len++;
        if (!is_leaf(info) || !readable)
            assert_int_not_equal(node_get(node, &oid, &value), ENGINE_OK);
        oid.id[info->oid_len] = 4000;
        if (!is_leaf(info))
            assert_int_equal(node_get(node, &oid, &value), ENGINE_NO_OBJECT);
    }
    assert_false(node_has(node, MIB_dcampSensorName, "load", NULL));
    static const struct mib_oid beside[] = {
        {.len = 0}, {{0}, 1}, {{1, 3, 6, 1, 2, 1, 1, 5, 0}, 9}, {{2, 5}, 2}, {{UINT32_MAX}, 1}};
    for (size_t i = 0; i < N_OF(beside); i++)
        assert_int_equal(node_get(node, &beside[i], &value), ENGINE_NO_OBJECT);
}

/* -- Search ranges --------------------------------------------------------------------------- */

static void check_range(struct node *node, const struct cells *cells, const struct mib_oid *start,
                        bool inclusive, const struct mib_oid *end)
{
    struct mib_oid found = {.len = 0};
    struct mib_value value;
    enum engine_status status = node_next(node, start, inclusive, end, &found, &value);
    const struct mib_oid *expected = lower_bound(cells, start, inclusive);
    if (expected && end && cells_compare(expected, end) >= 0)
        expected = NULL;
    if (status != (expected ? ENGINE_OK : ENGINE_END))
        fail_msg("GETNEXT of %s: %d", oid_text(start), status);
    if (expected && cells_compare(expected, &found) != 0)
        fail_msg("GETNEXT, not expected: %s", oid_text(&found));
}

static void next_within_search_ranges(void **state)
{
    struct node *node = *state;
    struct cells cells = cells_new();
    cells_walk(node, &cells);
    for (size_t i = 0; i < cells.n; i++) {
        struct mib_oid starts[NEIGHBOURS], ends[NEIGHBOURS];
        size_t n = neighbours(&cells.oids[i], starts);
        size_t m = neighbours(&cells.oids[(i + 1) % cells.n], ends);
        for (size_t s = 0; s < n; s++) {
            check_range(node, &cells, &starts[s], false, NULL);
            check_range(node, &cells, &starts[s], true, NULL);
            for (size_t e = 0; e < m; e++)
                check_range(node, &cells, &starts[s], (e ^ s) & 1, &ends[e]);
        }
    }
    free(cells.oids);
}

/* From every object of the MIB, to every one of some. */
static void next_between_objects(void **state)
{
    struct node *node = *state;
    struct cells cells = cells_new();
    cells_walk(node, &cells);
    static const struct mib_oid beside[] = {
        {{0}, 1}, {{1, 3, 6, 1, 2, 1, 1, 5, 0}, 9}, {{2, 5}, 2}, {{UINT32_MAX}, 1}};
    for (int object = 0; object < MIB_OBJECTS; object++) {
        struct mib_oid start = cell_of((enum mib_object)object, "", NULL);
        start.len = mib_objects[object].oid_len;
        for (int inclusive = 0; inclusive < 2; inclusive++) {
            check_range(node, &cells, &start, inclusive, NULL);
            for (int to = object % 7; to < MIB_OBJECTS; to += 7) {
                struct mib_oid end = cell_of((enum mib_object)to, "", NULL);
                end.len = mib_objects[to].oid_len;
                check_range(node, &cells, &start, inclusive, &end);
            }
            for (size_t i = 0; i < N_OF(beside); i++) {
                check_range(node, &cells, &beside[i], inclusive, NULL);
                check_range(node, &cells, &beside[i], inclusive, &start);
                check_range(node, &cells, &start, inclusive, &beside[i]);
            }
        }
    }
    free(cells.oids);
}

/* -- Rows that come and go ------------------------------------------------------------------- */

#define PLUGS 24

static void plug(struct node *node, unsigned *seed)
{
    static const char *const names[PLUGS] = {
        "a",   "aa",  "ab", "b",    "ba",   "eth0", "eth1", "eth10", "eth2", "lo", "p1p1", "p1p2",
        "tap", "tun", "tu", "veth", "vet0", "w",    "wlan", "x",     "xx",   "y",  "z",    "zz"};
    struct interface interfaces[PLUGS] = {{"lo", 1}};
    size_t n = 1;
    for (size_t i = 0; i < PLUGS; i++)
        if (rand_r(seed) % 2 && strcmp(names[i], "lo") != 0)
            interfaces[n++] = (struct interface){names[i], (uint64_t)rand_r(seed) % 1000};
    node_network(node, interfaces, n);
}

/* Makes a row if it is not there, and destroys it if it is. */
static void make_or_destroy(struct node *node, unsigned *seed)
{
    char name[2] = {(char)('a' + rand_r(seed) % 26), '\0'};
    bool there = config_find(node->daemon->config, ROW_SENSOR, name) != NULL;
    const struct bind binds[] = {
        {MIB_dcampSensorRowStatus, name,
         there ? dcampSensorRowStatus_destroy : dcampSensorRowStatus_createAndGo, NULL},
        {MIB_dcampSensorMetric, name, 0, "net.rx.bytes"},
        {MIB_dcampThresholdRowStatus, name,
         there ? dcampThresholdRowStatus_destroy : dcampThresholdRowStatus_createAndGo, NULL},
        {MIB_dcampThresholdSensor, name, 0, name},
        {MIB_dcampThresholdInstances, name, 0, "eth* w*"},
        {MIB_dcampThresholdOperator, name, COMPARE_GT, NULL},
        {MIB_dcampThresholdLimit, name, 0, "500"},
        {MIB_dcampFilterRowStatus, name,
         there ? dcampFilterRowStatus_destroy : dcampFilterRowStatus_createAndGo, NULL},
    };
    pthread_mutex_lock(&node->daemon->lock);
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
    pthread_mutex_unlock(&node->daemon->lock);
}

static void change_something(struct node *node, unsigned *seed)
{
    char path[32];
    int pid = 100 + rand_r(seed) % 50;
    plug(node, seed);
    make_or_destroy(node, seed);
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (rand_r(seed) % 2)
        node_process(node, pid, "come");
    else
        tree_remove(&node->tree, path);
    node_cycle(node, 2100);
}

/* Some changes in each column: with no end to them there would be none to the walk of a table that
 * grows at its end, such as the alarm log. */
#define CHANGES_PER_COLUMN 2

static void walk_with_changes(struct node *node, unsigned *seed)
{
    struct mib_oid at = {.len = 0};
    size_t steps = 0, rest;
    int column = -1, changes = 0;
    while (walk_step(node, &at)) {
        int object = engine_object(at.id, at.len, &rest);
        changes = object == column ? changes : 0;
        column = object;
        assert_true(++steps < 50000);
        if (steps % 5 || changes++ >= CHANGES_PER_COLUMN)
            continue;
        change_something(node, seed);
    }
    assert_true(steps > 400);
}

static void walks_survive_changes(void **state)
{
    unsigned seed = 20241120;
    for (int walk = 0; walk < 2; walk++)
        walk_with_changes(*state, &seed);
}

/* -- Beside the core ------------------------------------------------------------------------- */

/* What the agent's thread does: walks on and on, with the lock for each step only. */
struct reader {
    struct node *node;
    struct moment now;
    atomic_bool stop;
    size_t walks, faults;
};

static bool read_step(struct reader *reader, struct mib_oid *at)
{
    struct mib_oid found;
    struct mib_value value;
    pthread_mutex_lock(&reader->node->daemon->lock);
    const struct view view = view_of(reader->node->daemon, reader->now);
    bool more = engine_next(&reader->node->engine, at->id, at->len, false, NULL, 0, &view, &found,
                            &value) == ENGINE_OK;
    /* Octets point into the row. */
    if (more && value.syntax == MIB_SYNTAX_OCTETS && value.octets.len > 0)
        reader->faults += memchr(value.octets.at, 0x01, value.octets.len) == at;
    pthread_mutex_unlock(&reader->node->daemon->lock);
    reader->faults += more && cells_compare(&found, at) <= 0;
    if (more)
        *at = found;
    return more;
}

static void *read_on(void *context)
{
    struct reader *reader = context;
    while (!reader->stop) {
        struct mib_oid at = {.len = 0};
        while (!reader->stop && read_step(reader, &at))
            ;
        reader->walks++;
    }
    return NULL;
}

static void walks_beside_the_core(void **state)
{
    struct node *node = *state;
    struct reader reader = {.node = node, .now = node->now};
    unsigned seed = 20241122;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_on, &reader), 0);
    for (int i = 0; i < 60; i++)
        change_something(node, &seed);
    reader.stop = true;
    pthread_join(thread, NULL);
    assert_true(reader.walks > 0);
    assert_int_equal(reader.faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        full_test(every_table_has_rows),
        full_test(walk_finds_what_get_finds),
        full_test(tables_can_be_walked_alone),
        full_test(get_beside_the_cells),
        full_test(get_of_no_cell),
        full_test(next_within_search_ranges),
        full_test(next_between_objects),
        full_test(walks_survive_changes),
        full_test(walks_beside_the_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
