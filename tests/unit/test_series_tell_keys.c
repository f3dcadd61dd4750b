/* When the keys of tops are told to the parent: once in a window of their sensor, in the pass that
 * has them, and those that wait first. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/field.h"
#include "series/measure.h"
#include "series/tell_keys.h"

#include "unit.h"

#define N_SLOTS 40
#define WINDOW_S 10

struct scene {
    struct config *config;
    struct report_ring ring;
    struct publisher publisher;
    struct measure measure;
    struct sensor *sensor;
    struct sample_slot slots[N_SLOTS];
    struct sample_set set;
    struct moment now;
    struct top_key key[REPORT_KEYS_MAX];
    size_t n_keys; /* of each top */
    bool no_memory;
    unsigned asked;
    uint32_t read; /* the newest block that was read */
};

static struct scene scene;

static int keys_of(const void *context, struct top_keys *keys)
{
    struct scene *of = (struct scene *)(uintptr_t)context;
    of->asked++;
    return of->no_memory ? ENOMEM : keys_merge(keys, of->key, of->n_keys, 3);
}

static void set_field(struct row *row, const char *field, const char *text)
{
    assert_int_equal(field_set_text(row, row_field(ROW_SENSOR, field), text, strlen(text)),
                     FIELD_OK);
}

/* Other fields than these may be set once it runs. */
static void configure(const char *window, const char *level)
{
    struct row *row = row_new(ROW_SENSOR, "hot");
    set_field(row, "metric", "app.count");
    set_field(row, "window", window);
    set_field(row, "level", level);
    row->status = ROW_ACTIVE;
    assert_true(config_add(scene.config, row));
    assert_true(measure_sync(&scene.measure, scene.config, scene.now));
    scene.sensor = measure_find(&scene.measure, "hot");
}

static int setup(void **state)
{
    (void)state;
    scene = (struct scene){.config = config_new(), .now = {10 * NS_PER_S, 1700000000000}};
    assert_int_equal(report_open(&scene.ring, 1, 10000, REPORT_BLOCK_MAX), 0);
    dictionary_open(&scene.publisher.dictionary);
    scene.publisher.report = &scene.ring;
    measure_open(&scene.measure, &scene.publisher);
    scene.set = (struct sample_set){.slots = scene.slots, .membership = 1};
    for (scene.n_keys = 0; scene.n_keys < 3; scene.n_keys++)
        scene.key[scene.n_keys] =
            (struct top_key){scene.n_keys + 5, 1, {(char)('a' + scene.n_keys)}};
    return scene.config ? 0 : ENOMEM;
}

static int teardown(void **state)
{
    (void)state;
    scene.publisher.report = NULL;
    measure_close(&scene.measure);
    dictionary_close(&scene.publisher.dictionary);
    report_close(&scene.ring);
    config_free(scene.config);
    return 0;
}

static struct sample_slot *put(const char *name, bool is_top)
{
    struct sample_slot *slot = &scene.slots[scene.set.count++];
    *slot = (struct sample_slot){.class = RESOURCE_APPLICATION_SENSOR,
                                 .present = true,
                                 .incarnation = 1,
                                 .valid = UINT32_MAX,
                                 .is_top = is_top,
                                 .keys_of = &scene};
    snprintf(slot->name, sizeof slot->name, "%s", name);
    scene.set.membership++;
    return slot;
}

/* A pass a second later, which reads keys if that is wanted. */
static bool pass(void)
{
    scene.now.mono_ns += NS_PER_S;
    scene.now.wall_ms += 1000;
    scene.set.taken_ns = scene.now.mono_ns;
    bool wants = tell_keys_wants(&scene.measure, scene.now.mono_ns);
    for (size_t i = 0; i < scene.set.count; i++)
        scene.slots[i].keys = wants && scene.slots[i].is_top ? keys_of : NULL;
    sensor_pass(&scene.measure, scene.sensor, &scene.set, scene.now);
    sensor_schedule(scene.sensor, scene.now.mono_ns);
    return wants;
}

struct told {
    unsigned tops; /* that are whole: the parts of one follow each other */
    size_t keys;
    uint32_t series[N_SLOTS * 4];
    struct report_keys last;
};

static int see(void *context, const struct report_entry *entry)
{
    struct told *told = context;
    if (entry->kind != REPORT_KEYS)
        return 0;
    told->keys += entry->keys.n;
    told->last = entry->keys;
    if (told->keys == entry->keys.size) {
        told->series[told->tops++] = entry->series;
        told->keys = 0;
    }
    return 0;
}

/* What was told since the last time. */
static struct told told_now(void)
{
    struct told told = {.tops = 0};
    assert_int_equal(report_flush(&scene.ring), 0);
    while (scene.read < scene.ring.last) {
        struct report_header header;
        const char *why;
        scene.read++;
        const struct report_block *block =
            (const struct report_block *)index_find(&scene.ring.index, &scene.read, 1);
        assert_int_equal(report_decode(block->bytes, block->len, &header, see, &told, &why), 0);
    }
    assert_int_equal(told.keys, 0);
    return told;
}

static unsigned tops_told(void)
{
    return told_now().tops;
}

/* -- Once in a window -------------------------------------------------------------------------- */

static void once_in_a_window(void **state)
{
    (void)state;
    configure("10s", "percentile");
    put("jd/shop:urls", true);
    put("jd/shop:orders", false);
    assert_false(pass()); /* at 11 s it finds that there is a top */
    assert_int_equal(tops_told(), 0);
    assert_true(pass());
    struct told told = told_now();
    assert_int_equal(told.tops, 1);
    assert_int_equal(told.last.size, 3);
    assert_int_equal(told.last.absent, 3);
    assert_int_equal(told.series[0],
                     measure_series(&scene.measure, "hot", "jd/shop:urls")->entry.number);
    for (unsigned second = 13; second <= 20; second++)
        assert_false(pass());
    assert_int_equal(tops_told(), 0);
    assert_int_equal(scene.asked, 1);
    assert_true(pass()); /* at 21 s: since 20 s, the next window */
    assert_int_equal(tops_told(), 1);
}

/* Who reads the keys for another reason gives them to the parent, too. */
static void they_may_be_there_already(void **state)
{
    (void)state;
    configure("10s", "percentile");
    put("jd/shop:urls", true)->keys = keys_of;
    scene.set.taken_ns = scene.now.mono_ns += NS_PER_S;
    sensor_pass(&scene.measure, scene.sensor, &scene.set, scene.now);
    assert_int_equal(tops_told(), 1);
    sensor_schedule(scene.sensor, scene.now.mono_ns);
    assert_false(pass());
}

static void not_without_a_window(void **state)
{
    (void)state;
    configure("none", "percentile");
    put("jd/shop:urls", true);
    for (unsigned i = 0; i < 20; i++)
        assert_false(pass());
    assert_int_equal(tops_told(), 0);
}

static void not_below_the_level_of_histograms(void **state)
{
    (void)state;
    configure("10s", "basic");
    put("jd/shop:urls", true);
    for (unsigned i = 0; i < 20; i++)
        assert_false(pass());
    assert_int_equal(tops_told(), 0);
}

static void not_where_nobody_reads_blocks(void **state)
{
    (void)state;
    configure("10s", "percentile");
    put("jd/shop:urls", true);
    scene.publisher.report = NULL;
    assert_false(pass());
    assert_false(pass());
}

/* A top that comes within a window is told in it. */
static void one_that_comes_later(void **state)
{
    (void)state;
    configure("10s", "percentile");
    put("jd/shop:urls", true);
    pass();
    pass();
    put("jd/shop:users", true);
    assert_false(pass());
    assert_true(pass());
    struct told told = told_now();
    assert_int_equal(told.tops, 2);
    assert_int_not_equal(told.series[0], told.series[1]);
}

/* -- What waits -------------------------------------------------------------------------------- */

static void without_memory_they_wait(void **state)
{
    (void)state;
    configure("10s", "percentile");
    put("jd/shop:urls", true);
    scene.no_memory = true;
    pass();
    assert_true(pass());
    assert_true(pass());
    assert_int_equal(tops_told(), 0);
    scene.no_memory = false;
    assert_true(pass());
    assert_int_equal(tops_told(), 1);
    assert_false(pass());
}

/* The sensor is not due in the pass of another one: what it wants is still wanted when it is. */
static void another_sensor_reads_for_itself(void **state)
{
    (void)state;
    configure("10s", "percentile");
    put("jd/shop:urls", true);
    pass();
    scene.sensor->due_ns = scene.now.mono_ns + 5 * NS_PER_S;
    assert_false(tell_keys_wants(&scene.measure, scene.now.mono_ns + NS_PER_S));
    scene.now.mono_ns += 4 * NS_PER_S;
    assert_true(pass());
    assert_int_equal(tops_told(), 1);
}

/* A pass tells so many blocks, and each of very many is told before any is told again. */
static void very_many_take_turns(void **state)
{
    (void)state;
    unsigned told_of[N_SLOTS + 1] = {0};
    configure("2s", "percentile");
    for (scene.n_keys = 0; scene.n_keys < REPORT_KEYS_MAX; scene.n_keys++) {
        struct top_key *key = &scene.key[scene.n_keys];
        key->count = UINT64_MAX;
        snprintf(key->octets, sizeof key->octets, "%060zu", scene.n_keys);
    }
    for (unsigned i = 0; i < N_SLOTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "jd/shop:top%u", i);
        put(name, true);
    }
    pass();
    unsigned total = 0, passes = 0;
    for (; total < 3 * N_SLOTS; passes++) {
        uint32_t before = scene.ring.last;
        pass();
        struct told told = told_now();
        assert_true(scene.ring.last - before <= TELL_KEYS_BLOCKS + 4);
        for (unsigned i = 0; i < told.tops; i++)
            told_of[told.series[i]]++;
        total += told.tops;
        unsigned least = UINT32_MAX, most = 0;
        for (unsigned i = 1; i <= N_SLOTS; i++) {
            least = told_of[i] < least ? told_of[i] : least;
            most = told_of[i] > most ? told_of[i] : most;
        }
        assert_true(most - least <= 1);
    }
    assert_true(passes > N_SLOTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(once_in_a_window, setup, teardown),
        cmocka_unit_test_setup_teardown(they_may_be_there_already, setup, teardown),
        cmocka_unit_test_setup_teardown(not_without_a_window, setup, teardown),
        cmocka_unit_test_setup_teardown(not_below_the_level_of_histograms, setup, teardown),
        cmocka_unit_test_setup_teardown(not_where_nobody_reads_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_comes_later, setup, teardown),
        cmocka_unit_test_setup_teardown(without_memory_they_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(another_sensor_reads_for_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(very_many_take_turns, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
