/* The list of sensors: which texts they may have, and which numbers they get. */
#include "libdcamp/sensor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define N32 "abcdefghijklmnopqrstuvwxyz.ABC_-"
#define N64 N32 N32

static void texts_are_judged(void **state)
{
    (void)state;
    const struct {
        const char *name, *instance, *unit, *purpose, *fault;
    } cases[] = {
        {"a", NULL, NULL, NULL, NULL},
        {N32, N64, "0123456789abcdef", N32, NULL},
        {"orders", "Kälte/µ \xf0\x9f\x98\x80", "µs", "", NULL},
        {NULL, "", "", "", "the name is empty"},
        {"", "", "", "", "the name is empty"},
        {N32 "x", "", "", "", "the name has more than 32 characters"},
        {"a b", "", "", "", "the name has other characters than A-Z a-z 0-9 . _ -"},
        {"\xc3\xa4", "", "", "", "the name has other characters than A-Z a-z 0-9 . _ -"},
        {"a", N64 "x", "", "", "the instance has more than 64 octets"},
        {"a", "", "0123456789abcdefg", "", "the unit has more than 16 octets"},
        {"a", "", "", N32 "x", "the purpose has more than 32 octets"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        const char *fault = dcamp_sensor_fault(SEGMENT_STEP, cases[i].name, cases[i].instance,
                                               cases[i].unit, cases[i].purpose);
        if (cases[i].fault)
            assert_string_equal(fault, cases[i].fault);
        else
            assert_null(fault);
    }
}

/* The borders of RFC 3629, section 4. */
static void instances_are_utf8_without_control_characters(void **state)
{
    (void)state;
    const char *good[] = {" ",
                          "~",
                          "\xc2\xa0",
                          "\xdf\xbf",
                          "\xe0\xa0\x80",
                          "\xec\xbf\xbf",
                          "\xed\x80\x80",
                          "\xed\x9f\xbf",
                          "\xee\x80\x80",
                          "\xef\xbf\xbf",
                          "\xf0\x90\x80\x80",
                          "\xf1\x80\x80\x80",
                          "\xf3\xbf\xbf\xbf",
                          "\xf4\x8f\xbf\xbf"};
    const char *bad[] = {"\x01",
                         "\x1f",
                         "\x7f",
                         "\n",
                         "\xc2\x80",
                         "\xc2\x9f",
                         "\x80",
                         "\xbf",
                         "\xc1\xbf",
                         "\xc3",
                         "\xc3(",
                         "\xe0\x9f\xbf",
                         "\xe0\xa0",
                         "\xe1\x80(",
                         "\xe1\x80\xc0",
                         "\xed\xa0\x80",
                         "\xf0\x8f\xbf\xbf",
                         "\xf0\x90\x80",
                         "\xf4\x90\x80\x80",
                         "\xf5\x80\x80\x80",
                         "\xff",
                         "a\tb"};
    for (size_t i = 0; i < N_OF(good); i++)
        if (dcamp_sensor_fault(SEGMENT_COUNTER, "a", good[i], "", NULL))
            fail_msg("good[%zu]", i);
    for (size_t i = 0; i < N_OF(bad); i++)
        if (!dcamp_sensor_fault(SEGMENT_COUNTER, "a", bad[i], "", NULL) ||
            !dcamp_sensor_fault(SEGMENT_COUNTER, "a", "", bad[i], NULL) ||
            !dcamp_sensor_fault(SEGMENT_STEP, "a", "", "", bad[i]))
            fail_msg("bad[%zu]", i);
}

static struct sensor *add(struct sensors *sensors, enum segment_kind kind, const char *name,
                          const char *instance, const char *unit)
{
    struct sensor *sensor = calloc(1, sizeof *sensor + sizeof *sensor->handle);
    sensor->handle = (struct handle *)(sensor + 1);
    if (dcamp_sensors_add(sensors, sensor, kind, name, instance, unit, NULL) == 0)
        return sensor;
    free(sensor);
    return NULL;
}

static void release(struct sensors *sensors)
{
    for (struct sensor *sensor = sensors->first, *next; sensor; sensor = next) {
        next = sensor->next;
        free(sensor);
    }
}

static void they_are_found(void **state)
{
    (void)state;
    struct sensors sensors;
    struct sensor *other;
    dcamp_sensors_init(&sensors);
    assert_null(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "a", "", "", &other));
    struct sensor *a = add(&sensors, SEGMENT_COUNTER, "a", "", "x");
    struct sensor *b = add(&sensors, SEGMENT_COUNTER, "a", "b", "x");
    struct sensor *long_one = add(&sensors, SEGMENT_GAUGE, N32, N64, "x");
    assert_ptr_equal(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "a", NULL, "x", &other), a);
    assert_ptr_equal(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "a", "b", "x", &other), b);
    assert_ptr_equal(dcamp_sensors_find(&sensors, SEGMENT_GAUGE, N32, N64, "x", &other), long_one);
    assert_null(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "a", "c", "x", &other));
    assert_null(other);
    assert_null(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "b", "", "x", &other));
    assert_null(other);
    assert_null(dcamp_sensors_find(&sensors, SEGMENT_GAUGE, "a", "c", "x", &other));
    assert_non_null(other);
    assert_null(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "a", "c", "y", &other));
    assert_non_null(other);
    release(&sensors);
}

/* No two of them share a word or a panel, and the words of each are in one panel. */
static void numbers_are_given_once(void **state)
{
    (void)state;
    static uint8_t words[SEGMENT_NUMBERS * SEGMENT_WORDS_IN_PANEL], panels[SEGMENT_NUMBERS];
    struct sensors sensors;
    char name[16];
    dcamp_sensors_init(&sensors);
    memset(words, 0, sizeof words);
    memset(panels, 0, sizeof panels);
    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "s%u", i);
        struct sensor *sensor = add(&sensors, SEGMENT_COUNTER + i % SEGMENT_STEP, name, "", "");
        assert_non_null(sensor);
        const struct segment_descriptor *is = &sensor->descriptor;
        assert_int_equal(sensor->handle->index, i);
        assert_int_equal(sensor->handle->word_panel, is->first_word / SEGMENT_WORDS_IN_PANEL);
        assert_int_equal(sensor->handle->word_panel,
                         (is->first_word + is->words - 1) / SEGMENT_WORDS_IN_PANEL);
        assert_int_equal(sensor->handle->word, is->first_word % SEGMENT_WORDS_IN_PANEL);
        for (uint32_t w = 0; w < is->words; w++)
            assert_int_equal(words[is->first_word + w]++, 0);
        for (uint32_t p = 0; p < is->panels; p++)
            assert_int_equal(panels[is->first_panel + p]++, 0);
        panels[sensor->handle->word_panel] |= 2;
    }
    for (uint32_t p = 0; p < SEGMENT_RING_PANELS; p++)
        assert_int_equal(panels[sensors.ring + p]++, 0);
    for (uint32_t p = 0; p < SEGMENT_NUMBERS; p++)
        assert_true(panels[p] <= 2);
    release(&sensors);
}

static void there_is_an_end(void **state)
{
    (void)state;
    const struct {
        enum segment_kind kind;
        unsigned most;
    } cases[] = {
        {SEGMENT_COUNTER, SEGMENT_DESCRIPTORS_MAX},
        {SEGMENT_GAUGE, SEGMENT_DESCRIPTORS_MAX},
        {SEGMENT_TIMER, (SEGMENT_NUMBERS - 21) / 25},
        {SEGMENT_TOP, (SEGMENT_NUMBERS - 4) / 167},
    };
    for (size_t c = 0; c < N_OF(cases); c++) {
        struct sensors sensors;
        char name[16];
        unsigned n = 0;
        dcamp_sensors_init(&sensors);
        do
            snprintf(name, sizeof name, "s%u", n++);
        while (add(&sensors, cases[c].kind, name, "", ""));
        assert_int_equal(sensors.count, n - 1);
        assert_int_equal(n - 1, cases[c].most);
        assert_true(sensors.next_number <= SEGMENT_NUMBERS);
        release(&sensors);
    }
}

static void the_last_one_can_go(void **state)
{
    (void)state;
    struct sensors sensors;
    struct sensor *other;
    dcamp_sensors_init(&sensors);
    dcamp_sensors_drop_last(&sensors);
    assert_int_equal(sensors.count, 0);
    struct sensor *a = add(&sensors, SEGMENT_COUNTER, "a", "", "");
    struct sensor *b = add(&sensors, SEGMENT_COUNTER, "b", "", "");
    dcamp_sensors_drop_last(&sensors);
    assert_null(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "b", "", "", &other));
    struct sensor *c = add(&sensors, SEGMENT_COUNTER, "c", "", "");
    assert_int_equal(c->handle->index, b->handle->index);
    assert_int_equal(c->handle->word, b->handle->word);
    assert_ptr_equal(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "a", "", "", &other), a);
    assert_ptr_equal(dcamp_sensors_find(&sensors, SEGMENT_COUNTER, "c", "", "", &other), c);
    dcamp_sensors_drop_last(&sensors);
    dcamp_sensors_drop_last(&sensors);
    assert_null(sensors.first);
    free(a);
    free(b);
    free(c);
}

/* A program that cannot publish tries again: however often, no numbers are used up. The panel with
 * words may have been made by then, so that its number is never that of another panel. */
static void numbers_come_back(void **state)
{
    (void)state;
    for (enum segment_kind kind = SEGMENT_COUNTER; kind <= SEGMENT_STEP; kind++)
        for (unsigned words = 0; words <= SEGMENT_WORDS_IN_PANEL; words++) {
            struct sensors sensors;
            struct sensor *first = NULL;
            dcamp_sensors_init(&sensors);
            sensors.words = words;
            sensors.next_number = 1;
            for (int i = 0; i < 1000; i++) {
                struct sensor *tried = add(&sensors, kind, "a", "", "");
                assert_non_null(tried);
                if (first) {
                    assert_memory_equal(&tried->descriptor, &first->descriptor,
                                        sizeof tried->descriptor);
                    assert_int_equal(tried->handle->word_panel, first->handle->word_panel);
                }
                dcamp_sensors_drop_last(&sensors);
                assert_int_equal(sensors.next_number, 1 + tried->handle->word_panel);
                assert_int_equal(sensors.ring, 0);
                assert_int_equal(sensors.count, 0);
                free(first);
                first = tried;
            }
            free(first);
        }
}

/* The ring of a step that stays is not given back with another one. */
static void the_ring_stays_with_the_first_step(void **state)
{
    (void)state;
    struct sensors sensors;
    dcamp_sensors_init(&sensors);
    struct sensor *first = add(&sensors, SEGMENT_STEP, "first", "", "s");
    uint32_t ring = sensors.ring, next = sensors.next_number;
    assert_int_equal(ring, first->descriptor.first_panel + first->descriptor.panels);
    struct sensor *second = add(&sensors, SEGMENT_STEP, "second", "", "s");
    dcamp_sensors_drop_last(&sensors);
    assert_int_equal(sensors.ring, ring);
    assert_int_equal(sensors.next_number, next);
    free(second);
    release(&sensors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_judged),
        cmocka_unit_test(instances_are_utf8_without_control_characters),
        cmocka_unit_test(they_are_found),
        cmocka_unit_test(numbers_are_given_once),
        cmocka_unit_test(there_is_an_end),
        cmocka_unit_test(the_last_one_can_go),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(the_ring_stays_with_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
