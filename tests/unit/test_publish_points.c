/* Chunks of points: what was packed comes out again, exactly; what is no chunk is refused. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/points.h"
#include "unit.h"

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

static double below(uint64_t *seed, double limit)
{
    return (double)(next(seed) >> 11) / 9007199254740992.0 * limit;
}

static struct point value_at(int64_t wall_ms, double value)
{
    return (struct point){wall_ms, {RESULT_VALID, value}};
}

/* Octet by octet, so that 0 and -0 are two values. */
static bool are_equal(const struct point *a, const struct point *b)
{
    return a->wall_ms == b->wall_ms && a->result.state == b->result.state &&
           memcmp(&a->result.value, &b->result.value, sizeof a->result.value) == 0;
}

/* The octets in memory of their own, so that a sanitizer sees any octet too far. */
static const char *unpack(const uint8_t *octets, size_t len, struct point *points, size_t *n)
{
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, octets, len);
    const char *fault = points_unpack(copy, len, points, n);
    free(copy);
    return fault;
}

/* Packs and compares, and returns the length. */
static size_t check(const struct point *points, size_t n)
{
    static uint8_t octets[POINTS_OCTETS_MAX];
    static struct point out[POINTS_MAX];
    size_t n_out = 0, len = points_pack(points, n, octets);
    assert_in_range(len, 1, POINTS_OCTETS_MAX);
    assert_null(unpack(octets, len, out, &n_out));
    assert_int_equal(n_out, n);
    for (size_t i = 0; i < n; i++)
        assert_true(are_equal(&points[i], &out[i]));
    return len;
}

/* -- Values ---------------------------------------------------------------------------------- */

static const double edges[] = {
    0.0,
    -0.0,
    1,
    -1,
    0.1,
    -0.1,
    1.0 / 3,
    DBL_MIN,
    -DBL_MIN,
    DBL_MAX,
    -DBL_MAX,
    4.94e-324,
    -4.94e-324,
    9007199254740991.0,
    9007199254740992.0,
    9007199254740993.0,
    -9007199254740992.0,
    1e15,
    1e16,
    1e22,
    123456.789,
    1e-15,
    1e-16,
    0.3,
    18446744073709551615.0,
};

/* Each alone, and each beside each other one: what fits one form may not fit that of the other. */
static void values_come_out_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(edges); i++)
        for (size_t j = 0; j < N_OF(edges); j++) {
            struct point points[] = {value_at(0, edges[i]), value_at(1, edges[j]),
                                     value_at(2, edges[i])};
            check(points, 1);
            check(points, 2);
            check(points, 3);
        }
}

static void any_bits_of_a_double_come_out(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        struct point points[3];
        for (int i = 0; i < 3; i++) {
            uint64_t bits = next(&seed) << (round % 53);
            double value;
            memcpy(&value, &bits, sizeof value);
            points[i] = value_at(i, isfinite(value) ? value : 0);
        }
        check(points, 3);
    }
}

/* As people write them, of each number of decimals. */
static void decimals_come_out_exactly(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int decimals = 0; decimals <= 17; decimals++)
        for (int round = 0; round < 300; round++) {
            char text[64];
            struct point points[2];
            for (int i = 0; i < 2; i++) {
                snprintf(text, sizeof text, "%.*f", decimals, below(&seed, 2000) - 1000);
                points[i] = value_at(i, strtod(text, NULL));
            }
            check(points, 2);
        }
}

/* -- Times ----------------------------------------------------------------------------------- */

static void times_come_out_exactly(void **state)
{
    (void)state;
    static const int64_t times[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_C(1795729010385), 1000};
    for (size_t i = 0; i < N_OF(times); i++)
        for (size_t j = 0; j < N_OF(times); j++)
            for (size_t k = 0; k < N_OF(times); k++) {
                struct point points[] = {value_at(times[i], 1), value_at(times[j], 1),
                                         value_at(times[k], 1)};
                check(points, 3);
            }
}

/* -- Points without a value ------------------------------------------------------------------ */

/* Every sequence of up to seven points of the three states. */
static void states_come_out(void **state)
{
    (void)state;
    static const enum result_state states[] = {RESULT_VALID, RESULT_GAP, RESULT_UNAVAILABLE};
    unsigned of_length = 3;
    for (size_t n = 1; n <= 7; n++, of_length *= 3)
        for (unsigned code = 0; code < of_length; code++) {
            struct point points[7];
            for (unsigned i = 0, left = code; i < n; i++, left /= 3) {
                points[i] = value_at(1000 * i, 0);
                points[i].result.state = states[left % 3];
                if (states[left % 3] == RESULT_VALID)
                    points[i].result.value = i + 0.5;
            }
            check(points, n);
        }
}

static void fill(struct point *points, size_t n, enum result_state (*state_of)(size_t i))
{
    for (size_t i = 0; i < n; i++) {
        points[i] = value_at((int64_t)i, 0);
        points[i].result.state = state_of(i);
    }
}

static enum result_state none(size_t i)
{
    (void)i;
    return RESULT_GAP;
}

static enum result_state by_turns(size_t i)
{
    return i % 2 ? RESULT_UNAVAILABLE : RESULT_GAP;
}

static void whole_chunks_without_values(void **state)
{
    (void)state;
    static struct point points[POINTS_MAX];
    fill(points, POINTS_MAX, none);
    assert_in_range(check(points, POINTS_MAX), 1, 200);
    fill(points, POINTS_MAX, by_turns);
    check(points, POINTS_MAX);
}

/* -- Lengths --------------------------------------------------------------------------------- */

/* Of any length; and the worst of the longest one fits. */
static void every_length(void **state)
{
    (void)state;
    static struct point points[POINTS_MAX];
    uint64_t seed = 3;
    for (size_t i = 0; i < POINTS_MAX; i++) {
        uint64_t bits = next(&seed) & ~(UINT64_C(1) << 62); /* finite */
        points[i] = value_at((int64_t)next(&seed), 0);
        memcpy(&points[i].result.value, &bits, sizeof bits);
        if (i % 2)
            points[i].result = (struct result){i % 4 > 1 ? RESULT_GAP : RESULT_UNAVAILABLE, 0};
    }
    for (size_t n = 1; n <= POINTS_MAX; n++)
        check(points, n);
}

static void a_constant_costs_next_to_nothing(void **state)
{
    (void)state;
    static struct point points[POINTS_MAX];
    for (size_t i = 0; i < POINTS_MAX; i++)
        points[i] = value_at(INT64_C(1795729010385) + 1000 * (int64_t)i, 1 / 3.0);
    assert_in_range(check(points, POINTS_MAX), 1, POINTS_MAX / 2);
}

/* -- Sizes ----------------------------------------------------------------------------------- */

/* What sensors give, second by second: each fills the n points from what it is to look like. */
static double cpu_percent(uint64_t *seed, double before)
{
    (void)before;
    return 100.0 * (double)(next(seed) % 60) / (double)(199 + next(seed) % 3);
}

static double free_octets(uint64_t *seed, double before)
{
    return before + 4096.0 * (double)((int64_t)(next(seed) % 4000) - 2000);
}

static double load_average(uint64_t *seed, double before)
{
    double hundredths = round(100 * before) + (double)(next(seed) % 9) - 4;
    return (hundredths < 0 ? 0 : hundredths) / 100;
}

static double seldom_rate(uint64_t *seed, double before)
{
    (void)before;
    return next(seed) % 20 ? 0 : (double)(next(seed) % 500) / (1 + below(seed, 1e-4));
}

static double steady_counter(uint64_t *seed, double before)
{
    return before + 1000 + (double)(next(seed) % 64);
}

static double busy_rate(uint64_t *seed, double before)
{
    (void)before;
    return (double)(next(seed) % 5000) / (1 + below(seed, 1e-4));
}

/* At most so many tenths of octets a value. */
static const struct kind {
    const char *name;
    double (*next)(uint64_t *seed, double before);
    double first;
    size_t tenths;
} kinds[] = {
    {"cpu", cpu_percent, 0, 80},        {"memory", free_octets, 4e9, 22},
    {"load", load_average, 1, 12},      {"disk at rest", seldom_rate, 0, 16},
    {"counter", steady_counter, 0, 18}, {"switches", busy_rate, 0, 84},
};

static void sizes_of_what_sensors_give(void **state)
{
    (void)state;
    static struct point points[250];
    size_t all = 0;
    for (size_t k = 0; k < N_OF(kinds); k++) {
        uint64_t seed = 4;
        double value = kinds[k].first;
        int64_t wall_ms = INT64_C(1795729010385);
        for (size_t i = 0; i < N_OF(points); i++) {
            value = kinds[k].next(&seed, value);
            points[i] = value_at(wall_ms, value);
            wall_ms += 1000 + (next(&seed) % 10 ? 0 : 1);
        }
        size_t len = check(points, N_OF(points));
        printf("# %s: %.2f octets a value\n", kinds[k].name, (double)len / N_OF(points));
        assert_in_range(10 * len / N_OF(points), 1, kinds[k].tenths);
        all += len;
    }
    assert_in_range(all / N_OF(kinds) / N_OF(points), 0, 4);
}

/* -- Octets that are no chunk ---------------------------------------------------------------- */

static size_t a_chunk(uint8_t octets[POINTS_OCTETS_MAX], double unit)
{
    struct point points[20];
    for (int i = 0; i < 20; i++)
        points[i] = value_at(1000 * i + i % 3, i * i * unit);
    points[7].result = (struct result){RESULT_GAP, 0};
    points[8].result = (struct result){RESULT_UNAVAILABLE, 0};
    return points_pack(points, 20, octets);
}

static void shorter_and_longer_ones_are_refused(void **state)
{
    (void)state;
    static uint8_t octets[POINTS_OCTETS_MAX];
    static struct point points[POINTS_MAX];
    size_t n, len = a_chunk(octets, 0.5);
    for (size_t shorter = 0; shorter < len; shorter++)
        assert_non_null(unpack(octets, shorter, points, &n));
    octets[len] = 0;
    assert_string_equal(unpack(octets, len + 1, points, &n), "it has another length");
}

/* One bit is another one: refused, or points that are packed again. */
static void damaged_ones_are_harmless(void **state)
{
    (void)state;
    static uint8_t octets[POINTS_OCTETS_MAX];
    static struct point points[POINTS_MAX];
    static const double units[] = {0.5, 1 / 3.0};
    for (size_t u = 0; u < N_OF(units); u++) {
        size_t n, len = a_chunk(octets, units[u]);
        for (size_t bit = 0; bit < 8 * len; bit++) {
            octets[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
            if (!unpack(octets, len, points, &n))
                check(points, n);
            octets[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        }
    }
}

static void each_fault_has_its_words(void **state)
{
    (void)state;
    static struct point points[POINTS_MAX];
    static const struct {
        uint8_t octets[12];
        const char *fault;
    } bad[] = {
        {{2}, "it is of another version"},
        {{1, 0, 0}, "it has no points, or too many"},
        {{1, 0xff, 0xff}, "it has no points, or too many"},
        /* one point and one run, of two */
        {{1, 0, 0x20, 0x04, 0, 0, 0x40}, "there are more points without a value than points"},
        /* one point, no run, order 3 */
        {{1, 0, 0x20, 0x03, 0}, "its times make no sense"},
        /* and a width of 127 */
        {{1, 0, 0x20, 0x00, 0xff, 0}, "its times make no sense"},
    };
    for (size_t i = 0; i < N_OF(bad); i++) {
        size_t n;
        assert_string_equal(unpack(bad[i].octets, sizeof bad[i].octets, points, &n), bad[i].fault);
    }
}

/* The octets of a version never change: by hand, from publish/points.h. */
static void golden_octets(void **state)
{
    (void)state;
    static uint8_t octets[POINTS_OCTETS_MAX];
    struct point points[] = {value_at(0, 0), {0, {RESULT_GAP, 0}}};
    /* version, 1 point, 0 runs, order 0, 4 widths, a prefix, form, zeros, the same again: 103 bits
     */
    static const uint8_t one[13] = {0x01, 0x00, 0x20};
    size_t len = points_pack(points, 1, octets);
    assert_int_equal(len, sizeof one);
    assert_memory_equal(octets, one, sizeof one);
    /* version, 2 points, 1 run, after 1 point, of 1, gaps; and as above: 125 bits */
    static const uint8_t two[16] = {0x01, 0x00, 0x40, 0x04, 0x01};
    len = points_pack(points, 2, octets);
    assert_int_equal(len, sizeof two);
    assert_memory_equal(octets, two, sizeof two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_out_exactly),
        cmocka_unit_test(any_bits_of_a_double_come_out),
        cmocka_unit_test(decimals_come_out_exactly),
        cmocka_unit_test(times_come_out_exactly),
        cmocka_unit_test(states_come_out),
        cmocka_unit_test(whole_chunks_without_values),
        cmocka_unit_test(every_length),
        cmocka_unit_test(a_constant_costs_next_to_nothing),
        cmocka_unit_test(sizes_of_what_sensors_give),
        cmocka_unit_test(shorter_and_longer_ones_are_refused),
        cmocka_unit_test(damaged_ones_are_harmless),
        cmocka_unit_test(each_fault_has_its_words),
        cmocka_unit_test(golden_octets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
