/* Rows of cells: what was packed is added up again, exactly; what is no row is refused. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "publish/cells.h"
#include "unit.h"

static int add(struct cells *cells, const uint8_t *octets, size_t len, const char **why)
{
    uint8_t *copy = malloc(len ? len : 1); /* so that a sanitizer sees any octet too far */
    memcpy(copy, octets, len);
    int error = cells_add(cells, copy, len, why);
    free(copy);
    return error;
}

static uint8_t *pack(const struct cells *cells, size_t *len)
{
    *len = cells_pack(cells, NULL, 0);
    uint8_t *octets = malloc(*len + CELLS_SLACK);
    assert_int_equal(cells_pack(cells, octets, *len + CELLS_SLACK), *len);
    return octets;
}

static void are_equal(const struct statistics_window *a, const struct statistics_window *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count == 0)
        return;
    assert_true(a->min == b->min && a->max == b->max);
    assert_true(fabs(a->mean - b->mean) <= 0x1p-50 * fmax(fabs(a->min), fabs(a->max)));
    /* Below 1e-308, doubles are less exact themselves. */
    assert_true(fabs(a->m2 - b->m2) <= 1e-11 * a->m2 + 1e-310);
    assert_true(histogram_equal(&a->histogram, &b->histogram));
}

/* What is packed again stays as it is. */
static void stays(const struct cells *cells, const uint8_t *octets, size_t len)
{
    size_t again_len;
    uint8_t *again = pack(cells, &again_len);
    assert_int_equal(again_len, len);
    assert_memory_equal(again, octets, len);
    free(again);
}

/* Without histograms, all else is the same. */
static void has_moments(const struct cells *cells, const uint8_t *octets, size_t len)
{
    static struct cells moments;
    const char *why;
    memset(&moments, 0, sizeof moments);
    assert_int_equal(cells_add_moments(&moments, octets, len, &why), 0);
    assert_null(why);
    for (int i = 0; i < CELLS_MAX; i++) {
        const struct statistics_window *a = &cells->at[i].values, *b = &moments.at[i].values;
        assert_int_equal(a->count, b->count);
        assert_int_equal(cells->at[i].windows.count, moments.at[i].windows.count);
        assert_true(a->count == 0 || (a->min == b->min && a->max == b->max && a->mean == b->mean &&
                                      a->m2 == b->m2 && b->histogram.count == 0));
    }
}

/* Packs, unpacks and compares; returns the length. */
static size_t check(const struct cells *cells)
{
    static struct cells again;
    const char *why;
    size_t len;
    uint8_t *octets = pack(cells, &len);
    memset(&again, 0, sizeof again);
    assert_int_equal(add(&again, octets, len, &why), 0);
    assert_null(why);
    for (int i = 0; i < CELLS_MAX; i++) {
        are_equal(&cells->at[i].values, &again.at[i].values);
        are_equal(&cells->at[i].windows, &again.at[i].windows);
    }
    stays(&again, octets, len);
    has_moments(&again, octets, len);
    cells_release(&again);
    free(octets);
    return len;
}

static void count(struct statistics_window *window, double value)
{
    assert_int_equal(statistics_window_add(window, value), 0);
}

/* A row with cells of each form. */
static void fill(struct cells *cells)
{
    memset(cells, 0, sizeof *cells);
    for (int i = 0; i < 100; i++) {
        count(&cells->at[0].values, i / 7.0 - 3);
        count(&cells->at[1].windows, 5);
        count(&cells->at[CELLS_MAX - 1].values, i * 1e6);
        count(&cells->at[CELLS_MAX - 1].windows, -i);
    }
    count(&cells->at[2].values, 0);
    cells->at[3].windows =
        (struct statistics_window){.count = 3, .min = 1, .max = 4, .mean = 2, .m2 = 6};
    cells->at[4].windows = (struct statistics_window){.count = 3, .min = 1, .max = 1, .mean = 1};
    cells->at[5].values =
        (struct statistics_window){.count = UINT64_C(1) << 40, .min = 1, .max = 1, .mean = 1};
}

static void every_form_comes_out(void **state)
{
    (void)state;
    static struct cells cells;
    assert_int_equal(check(&cells), 3);
    fill(&cells);
    check(&cells);
    cells_release(&cells);
}

static void windows_count_before_values(void **state)
{
    (void)state;
    struct cell cell = {.values = {.count = 1}};
    assert_ptr_equal(cell_statistics(&cell), &cell.values);
    cell.windows.count = 1;
    assert_ptr_equal(cell_statistics(&cell), &cell.windows);
}

/* The sum of two rows is the row of all values. */
static void rows_add_up(void **state)
{
    (void)state;
    static struct cells part, sum, whole;
    const char *why;
    for (int half = 0; half < 2; half++) {
        memset(&part, 0, sizeof part);
        for (int i = half; i < 1000; i += 2)
            count(&part.at[i % 7].values, sqrt(i) - 10);
        size_t len;
        uint8_t *octets = pack(&part, &len);
        assert_int_equal(add(&sum, octets, len, &why), 0);
        free(octets);
        cells_release(&part);
    }
    for (int i = 0; i < 1000; i++)
        count(&whole.at[i % 7].values, sqrt(i) - 10);
    for (int i = 0; i < 7; i++) {
        const struct statistics_window *a = &sum.at[i].values, *b = &whole.at[i].values;
        assert_int_equal(a->count, b->count);
        assert_true(a->min == b->min && a->max == b->max);
        assert_true(fabs(a->mean - b->mean) < 1e-12 && fabs(a->m2 - b->m2) < 1e-10 * a->m2);
        assert_true(histogram_equal(&a->histogram, &b->histogram));
    }
    cells_release(&sum);
    cells_release(&whole);
}

static void fill_minutes(struct cells *cells, double (*value)(int))
{
    memset(cells, 0, sizeof *cells);
    for (int i = 0; i < CELLS_MAX; i++)
        for (int j = 0; j < 6; j++)
            count(&cells->at[i].values, value(6 * i + j));
}

static double of_all_bits(int i)
{
    return 100 * sin(i / 6 + i % 6) * sin(i / 6 + i % 6);
}

static double of_pages(int i)
{
    return 4096 * (100000 + floor(200 * sin(i)));
}

static double of_hundredths(int i)
{
    return floor(100 * (2 + sin(i))) / 100;
}

static double of_nothing(int i)
{
    return 0 * i;
}

/* Six values of a minute, as most cells have. */
static void sizes(void **state)
{
    (void)state;
    static struct cells cells;
    static const struct {
        double (*value)(int);
        size_t most;
    } kinds[] = {{of_all_bits, 41}, {of_pages, 14}, {of_hundredths, 16}, {of_nothing, 1}};
    for (size_t i = 0; i < N_OF(kinds); i++) {
        fill_minutes(&cells, kinds[i].value);
        size_t len = check(&cells);
        printf("# %.1f octets a cell of 6 values\n", (double)len / CELLS_MAX);
        assert_in_range(len, 1, kinds[i].most * CELLS_MAX);
        cells_release(&cells);
    }
}

/* What children tell need not be of values that there are. */
static void windows_that_are_beyond(void **state)
{
    (void)state;
    static struct cells cells;
    static const struct statistics_window windows[] = {
        {.count = 3, .min = -1, .max = 0.25, .mean = 0.1, .m2 = 1e-320},
        {.count = INT64_MAX, .min = -1e140, .max = 1e140, .mean = -0.0, .m2 = 0x1p995},
        {.count = 1, .min = 0.5, .max = 0.5, .mean = 0.7, .m2 = 1e299},
        {.count = UINT64_C(1) << 33, .min = -0.0, .max = 0, .mean = 0, .m2 = 0},
    };
    memset(&cells, 0, sizeof cells);
    for (size_t i = 0; i < N_OF(windows); i++)
        cells.at[7 * i].windows = windows[i];
    cells.at[14].windows.mean = 0.5;
    check(&cells);
    cells.at[7].windows.count = 0;
    check(&cells);
}

static void shorter_and_longer_ones_are_refused(void **state)
{
    (void)state;
    static struct cells cells, other;
    const char *why;
    size_t len;
    fill(&cells);
    uint8_t *octets = pack(&cells, &len), *longer = calloc(1, len + 1);
    for (size_t shorter = 0; shorter < len; shorter++) {
        assert_int_equal(add(&other, octets, shorter, &why), EBADMSG);
        assert_non_null(why);
        cells_release(&other);
        memset(&other, 0, sizeof other);
    }
    memcpy(longer, octets, len);
    assert_int_equal(add(&other, longer, len + 1, &why), EBADMSG);
    assert_string_equal(why, "there is more behind it");
    free(longer);
    free(octets);
    cells_release(&cells);
    cells_release(&other);
}

/* One bit is another one: refused, or cells that can be packed. */
static void damaged_ones_are_harmless(void **state)
{
    (void)state;
    static struct cells cells, other;
    const char *why;
    size_t len;
    fill(&cells);
    uint8_t *octets = pack(&cells, &len);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        octets[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        memset(&other, 0, sizeof other);
        int error = add(&other, octets, len, &why);
        assert_int_equal(error == EBADMSG, why != NULL);
        if (!error)
            check(&other);
        cells_release(&other);
        octets[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
    }
    free(octets);
    cells_release(&cells);
}

/* Numbers in so many bits, from the version on; of 0 bits is none. */
struct field {
    uint64_t number;
    unsigned bits;
};

static size_t put_fields(const struct field *fields, uint8_t octets[64])
{
    struct bit_writer writer = {.at = octets, .room = 64};
    for (; fields->bits > 0; fields++)
        bits_put(&writer, fields->number, fields->bits);
    return bits_end(&writer);
}

#define ONE UINT64_C(0x3ff0000000000000) /* the double 1 */
#define TWO UINT64_C(0x4000000000000000)
#define BEGIN                                                                                      \
    {2, 8}, {1, 6},                                                                                \
    {                                                                                              \
        0, 6                                                                                       \
    } /* one cell of values, at the first place */
#define PLACES                                                                                     \
    BEGIN, {1, 1},                                                                                 \
    {                                                                                              \
        0, 6                                                                                       \
    }
#define COUNT_1                                                                                    \
    PLACES, {1, 1}, {0, 6},                                                                        \
    {                                                                                              \
        1, 1                                                                                       \
    } /* its count is 1 */
#define COUNT_2                                                                                    \
    PLACES, {1, 1}, {1, 6},                                                                        \
    {                                                                                              \
        2, 2                                                                                       \
    }
#define RAW                                                                                        \
    {                                                                                              \
        0, 1                                                                                       \
    }

static void each_fault_has_its_words(void **state)
{
    (void)state;
    static struct cells cells;
    static const struct {
        struct field fields[20];
        const char *why;
    } bad[] = {
        {{{1, 8}, {0, 12}}, "it is of another version"},
        {{{2, 8}, {61, 6}, {0, 6}, {1, 1}, {0, 6}}, "cells have no place"},
        {{{2, 8}, {2, 6}, {59, 6}, {1, 1}, {0, 6}}, "cells have no place"},
        {{{2, 8}, {2, 6}, {0, 6}, {0, 1}, {1, 60}, {0, 6}}, "cells have no place"},
        {{{2, 8}, {1, 6}, {0, 6}, {0, 1}, {0, 60}, {0, 6}}, "cells have no place"},
        {{PLACES, {1, 1}, {0, 6}, {0, 1}}, "a count is none"},
        {{COUNT_1, {UINT64_C(0x7ff) << 52, 64}, {ONE, 64}, {0, 9}},
         "a least or largest value is none"},
        {{COUNT_1, {ONE, 64}, {ONE, 64}, {1, 1}, {0, 64}, {0, 64}, {1, 1}}, "there are no units"},
        {{COUNT_1, {ONE, 64}, {ONE, 64}, RAW, {ONE, 64}, {UINT64_C(0x7ff) << 52, 64}, {1, 1}},
         "a moment is none"},
        {{COUNT_1, {TWO, 64}, {ONE, 64}, RAW, {ONE, 64}, {0, 64}, {1, 1}}, "moments cannot be"},
        {{COUNT_1, {ONE, 64}, {ONE, 64}, RAW, {TWO, 64}, {0, 64}, {1, 1}}, "moments cannot be"},
        {{PLACES,
          {1, 1},
          {32, 6},
          {1, 1},
          {0, 32},
          {ONE, 64},
          {ONE, 64},
          RAW,
          {ONE, 64},
          {0, 64},
          {1, 1}},
         "a count is too large"},
        {{COUNT_2, {ONE, 64}, {TWO, 64}, RAW, {ONE, 64}, {0, 64}, {1, 1}, {0, 2}, {9, 8}},
         "a histogram is cut"},
        {{COUNT_1, {ONE, 64}, {ONE, 64}, RAW, {ONE, 64}, {0, 64}, {1, 1}, {1, 3}},
         "there is more behind its cells"},
        {{COUNT_1, {ONE, 64}, {ONE, 64}, RAW, {ONE, 64}, {0, 64}, {1, 1}, {0, 3}, {0, 8}},
         "there is more behind it"},
        {{COUNT_1, {ONE, 64}, {ONE, 64}, RAW, {ONE, 64}}, "it is cut"},
    };
    for (size_t i = 0; i < N_OF(bad); i++) {
        const char *why = NULL;
        uint8_t octets[64];
        size_t len = put_fields(bad[i].fields, octets);
        memset(&cells, 0, sizeof cells);
        assert_int_equal(add(&cells, octets, len, &why), EBADMSG);
        assert_string_equal(why, bad[i].why);
        cells_release(&cells);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_comes_out),
        cmocka_unit_test(windows_count_before_values),
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(sizes),
        cmocka_unit_test(windows_that_are_beyond),
        cmocka_unit_test(shorter_and_longer_ones_are_refused),
        cmocka_unit_test(damaged_ones_are_harmless),
        cmocka_unit_test(each_fault_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
