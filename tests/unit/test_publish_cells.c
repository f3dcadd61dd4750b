/* Rows of cells: what was packed is added up again, exactly; what is no row is refused. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    assert_true(a->min == b->min && a->max == b->max && a->mean == b->mean && a->m2 == b->m2);
    assert_true(histogram_equal(&a->histogram, &b->histogram));
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
    assert_int_equal(check(&cells), 2);
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
        assert_true(fabs(a->mean - b->mean) < 1e-12 && fabs(a->m2 - b->m2) < 1e-9);
        assert_true(histogram_equal(&a->histogram, &b->histogram));
    }
    cells_release(&sum);
    cells_release(&whole);
}

/* Six values of a minute, as most cells have; and one value. */
static void sizes(void **state)
{
    (void)state;
    static struct cells cells;
    memset(&cells, 0, sizeof cells);
    for (int i = 0; i < CELLS_MAX; i++)
        for (int j = 0; j < 6; j++)
            count(&cells.at[i].values, 100 * sin(i + j) * sin(i + j));
    size_t len = check(&cells);
    printf("# %.1f octets a cell of 6 values\n", (double)len / CELLS_MAX);
    assert_in_range(len, 1, 62 * CELLS_MAX);
    cells_release(&cells);
    memset(&cells, 0, sizeof cells);
    for (int i = 0; i < CELLS_MAX; i++)
        count(&cells.at[i].values, 0);
    assert_in_range(check(&cells), 1, 7 * CELLS_MAX);
    cells_release(&cells);
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

static void each_fault_has_its_words(void **state)
{
    (void)state;
    static struct cells cells;
    static const struct {
        uint8_t octets[12];
        size_t len;
        const char *why;
    } bad[] = {
        {{2, 0}, 2, "it is of another version"},
        {{1, 0x18, 61}, 3, "it is of another version"},
        {{1, 1, 0x18, 60}, 4, "a cell has no place"},
        {{1, 2, 1, 0, 0, 1}, 6, "a cell has no place"},
        {{1, 1, 0, 5}, 4, "statistics are of another form"},
        {{1, 1, 0, 4, 0}, 5, "a count is none"},
        {{1, 1, 0, 4, 1, 0x60}, 6, "a minimum is none"},
        {{1, 1, 0, 2, 1, 1, 2, 1, 0x20}, 9, "moments cannot be"},
        {{1, 1, 0, 2, 1, 1, 2, 3, 0}, 9, "moments cannot be"},
        {{1, 1, 0, 1, 1, 1, 2, 1, 0, 9}, 10, "a histogram is cut"},
        {{1, 1, 0, 1, 1, 1, 2, 1, 0, 1, 0xe0}, 11, "a histogram has not all values"},
        {{1, 1, 0, 0, 0, 0}, 6, "there is more behind it"},
    };
    for (size_t i = 0; i < N_OF(bad); i++) {
        const char *why = NULL;
        memset(&cells, 0, sizeof cells);
        assert_int_equal(add(&cells, bad[i].octets, bad[i].len, &why), EBADMSG);
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
        cmocka_unit_test(shorter_and_longer_ones_are_refused),
        cmocka_unit_test(damaged_ones_are_harmless),
        cmocka_unit_test(each_fault_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
