/* Data items: the vectors of RFC 8949, appendix A, and the limits of what has a double. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/item.h"

#include "unit.h"

static const struct {
    uint8_t octets[12];
    size_t len;
    enum item_kind kind;
    uint64_t number;
    double real;
} vectors[] = {
    {{0x00}, 1, ITEM_UINT, 0, 0},
    {{0x17}, 1, ITEM_UINT, 23, 0},
    {{0x18, 0x18}, 2, ITEM_UINT, 24, 0},
    {{0x19, 0x03, 0xe8}, 3, ITEM_UINT, 1000, 0},
    {{0x1a, 0x00, 0x0f, 0x42, 0x40}, 5, ITEM_UINT, 1000000, 0},
    {{0x1b, 0x00, 0x00, 0x00, 0xe8, 0xd4, 0xa5, 0x10, 0x00}, 9, ITEM_UINT, 1000000000000, 0},
    {{0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 9, ITEM_UINT, UINT64_MAX, 0},
    {{0x20}, 1, ITEM_NEGINT, 0, 0},
    {{0x38, 0x63}, 2, ITEM_NEGINT, 99, 0},
    {{0x39, 0x03, 0xe7}, 3, ITEM_NEGINT, 999, 0},
    {{0x3a, 0x00, 0x0f, 0x42, 0x40}, 5, ITEM_NEGINT, 1000000, 0},
    {{0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 9, ITEM_NEGINT, UINT64_MAX, 0},
    {{0x83}, 1, ITEM_ARRAY, 3, 0},
    {{0x98, 0x19}, 2, ITEM_ARRAY, 25, 0},
    {{0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a}, 9, ITEM_FLOAT, 0, 1.1},
    {{0xf6}, 1, ITEM_NULL, 0, 0},
    {{0xf7}, 1, ITEM_UNDEF, 0, 0},
    {{0x64, 'I', 'E', 'T', 'F'}, 5, ITEM_TEXT, 4, 0},
    {{0x60}, 1, ITEM_TEXT, 0, 0},
    {{0x44, 1, 2, 3, 4}, 5, ITEM_OCTETS, 4, 0},
    {{0x40}, 1, ITEM_OCTETS, 0, 0},
    {{0xa1}, 1, ITEM_OTHER, 0, 0},
    {{0xc0}, 1, ITEM_OTHER, 0, 0},
    {{0xf5}, 1, ITEM_OTHER, 0, 0},
    {{0xf9, 0x3c, 0x00}, 3, ITEM_FLOAT, 0, 1},
    {{0xfa, 0x47, 0xc3, 0x50, 0x00}, 5, ITEM_FLOAT, 0, 100000},
    {{0x9f}, 1, ITEM_OTHER, 0, 0},
    {{0x7f}, 1, ITEM_OTHER, 0, 0},
    {{0x5f}, 1, ITEM_OTHER, 0, 0},
    {{0xbf}, 1, ITEM_OTHER, 0, 0},
    {{0xff}, 1, ITEM_OTHER, 0, 0},
};

static void each_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(vectors); i++) {
        uint8_t octets[16];
        struct item item;
        memcpy(octets, vectors[i].octets, sizeof vectors[i].octets);
        struct item_reader reader = {octets, vectors[i].len + 1};
        assert_int_equal(item_take(&reader, &item), 0);
        if (item.kind != vectors[i].kind || item.number != vectors[i].number)
            fail_msg("row %zu: kind %d, %ju", i, item.kind, (uintmax_t)item.number);
        assert_true(item.real == vectors[i].real);
        assert_int_equal(item.length, vectors[i].len);
        assert_ptr_equal(reader.at, octets + vectors[i].len);
        assert_int_equal(reader.left, 1);
        if (item.kind == ITEM_TEXT || item.kind == ITEM_OCTETS)
            assert_ptr_equal(item.text, octets + 1);
        else
            assert_null(item.text);
        for (size_t len = 0; len < vectors[i].len; len++) {
            reader = (struct item_reader){octets, len};
            assert_int_equal(item_take(&reader, &item), ENODATA);
            assert_ptr_equal(reader.at, octets);
            assert_int_equal(reader.left, len);
        }
    }
}

static void what_is_no_item(void **state)
{
    static const uint8_t reserved[] = {0x1c, 0x3d, 0x5e, 0x9c, 0xfc, 0x1f};
    (void)state;
    for (size_t i = 0; i < N_OF(reserved); i++) {
        struct item item;
        struct item_reader reader = {reserved + i, 1};
        assert_int_equal(item_take(&reader, &item), EBADMSG);
        assert_ptr_equal(reader.at, reserved + i);
    }
}

static void integers(void **state)
{
    static const struct {
        struct item item;
        bool good;
        int64_t number;
    } rows[] = {
        {{.kind = ITEM_UINT, .number = INT64_MAX}, true, INT64_MAX},
        {{.kind = ITEM_UINT, .number = UINT64_C(1) << 63}, false, 0},
        {{.kind = ITEM_NEGINT, .number = 0}, true, -1},
        {{.kind = ITEM_NEGINT, .number = INT64_MAX}, true, INT64_MIN},
        {{.kind = ITEM_NEGINT, .number = UINT64_C(1) << 63}, false, 0},
        {{.kind = ITEM_ARRAY, .number = 1}, false, 0},
        {{.kind = ITEM_FLOAT, .real = 1}, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        int64_t number = 77;
        assert_int_equal(item_int(&rows[i].item, &number), rows[i].good);
        assert_int_equal(number, rows[i].good ? rows[i].number : 77);
    }
}

static void numbers(void **state)
{
    static const uint64_t most = UINT64_C(1) << 53;
    const struct {
        struct item item;
        bool good;
        double number;
    } rows[] = {
        {{.kind = ITEM_UINT, .number = most}, true, 9007199254740992.0},
        {{.kind = ITEM_UINT, .number = most + 1}, false, 0},
        {{.kind = ITEM_NEGINT, .number = most - 1}, true, -9007199254740992.0},
        {{.kind = ITEM_NEGINT, .number = most}, false, 0},
        {{.kind = ITEM_FLOAT, .real = -1.5}, true, -1.5},
        {{.kind = ITEM_FLOAT, .real = (double)INFINITY}, false, 0},
        {{.kind = ITEM_FLOAT, .real = (double)NAN}, false, 0},
        {{.kind = ITEM_NULL}, false, 0},
        {{.kind = ITEM_TEXT, .number = 1}, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        double number = 77;
        if (item_number(&rows[i].item, &number) != rows[i].good)
            fail_msg("row %zu", i);
        assert_true(number == rows[i].number);
    }
}

/* Each number in its shortest form: whole ones as integers, as far as each has a double of its own
 * and no float is shorter; else in the least float that has it exactly. */
static void written_and_read(void **state)
{
    static const struct {
        double value;
        size_t len;
        enum item_kind kind;
    } rows[] = {
        {0, 1, ITEM_UINT},
        {23, 1, ITEM_UINT},
        {24, 2, ITEM_UINT},
        {-1, 1, ITEM_NEGINT},
        {-24, 1, ITEM_NEGINT},
        {-25, 2, ITEM_NEGINT},
        {255, 2, ITEM_UINT},
        {256, 3, ITEM_UINT},
        {65536, 5, ITEM_UINT},
        {4294967295.0, 5, ITEM_UINT},
        {-4294967295.0, 5, ITEM_NEGINT},
        {4294967296.0, 5, ITEM_FLOAT},
        {-4294967296.0, 5, ITEM_FLOAT},
        {4294967297.0, 9, ITEM_UINT},
        {-4294967297.0, 9, ITEM_NEGINT},
        {9007199254740991.0, 9, ITEM_UINT},
        {-9007199254740991.0, 9, ITEM_NEGINT},
        {9007199254740992.0, 5, ITEM_FLOAT},
        {9007199254740994.0, 9, ITEM_FLOAT},
        {-9007199254740994.0, 9, ITEM_FLOAT},
        {0.5, 3, ITEM_FLOAT},
        {-0.5, 3, ITEM_FLOAT},
        {2047.5, 5, ITEM_FLOAT},
        {1023.5, 3, ITEM_FLOAT},
        {1 + 0x1p-10, 3, ITEM_FLOAT},
        {1 + 0x1p-11, 5, ITEM_FLOAT},
        {1 + 0x1p-23, 5, ITEM_FLOAT},
        {1 + 0x1p-24, 9, ITEM_FLOAT},
        {0x1p-14, 3, ITEM_FLOAT},
        {0x1p-15, 5, ITEM_FLOAT},
        {0x1p-149, 5, ITEM_FLOAT},
        {0x1p-150, 9, ITEM_FLOAT},
        {0x1p127, 5, ITEM_FLOAT},
        {0x1.fffffep127, 5, ITEM_FLOAT},
        {0x1p128, 9, ITEM_FLOAT},
        {0.1, 9, ITEM_FLOAT},
        {(double)0.1f, 5, ITEM_FLOAT},
        {1e300, 9, ITEM_FLOAT},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint8_t octets[ITEM_HEAD_MAX];
        struct item item;
        double number;
        assert_int_equal(item_put_number(octets, rows[i].len - 1, rows[i].value), 0);
        if (item_put_number(octets, sizeof octets, rows[i].value) != rows[i].len)
            fail_msg("row %zu", i);
        struct item_reader reader = {octets, rows[i].len};
        assert_int_equal(item_take(&reader, &item), 0);
        assert_int_equal(item.kind, rows[i].kind);
        assert_int_equal(reader.left, 0);
        if (fabs(rows[i].value) < 9007199254740993.0 || item.kind == ITEM_FLOAT) {
            assert_true(item_number(&item, &number));
            assert_true(number == rows[i].value);
        }
    }
    uint8_t octets[ITEM_HEAD_MAX];
    assert_int_equal(item_put_int(octets, sizeof octets, INT64_MIN), 9);
    assert_int_equal(octets[0], 0x3b);
    assert_int_equal(octets[1], 0x7f);
    assert_int_equal(item_put_int(octets, sizeof octets, INT64_MAX), 9);
    assert_int_equal(octets[0], 0x1b);
    assert_int_equal(octets[8], 0xff);
    assert_int_equal(item_put_int(octets, 0, 0), 0);
}

/* What is taken in place is what item_take() has of it, and what is not, is left where it is. */
static void assert_alike(const uint8_t *octets, size_t len)
{
    struct item_reader whole = {octets, len}, some = whole;
    struct item item;
    double number = 0, expected = 0;
    uint16_t small = 0;
    int error = item_take(&whole, &item);
    if (item_take_number(&some, &number)) {
        assert_int_equal(error, 0);
        assert_true(item_number(&item, &expected));
        assert_memory_equal(&number, &expected, sizeof number);
        assert_ptr_equal(some.at, whole.at);
        assert_int_equal(some.left, whole.left);
    } else {
        assert_ptr_equal(some.at, octets);
        assert_int_equal(some.left, len);
    }
    some = (struct item_reader){octets, len};
    bool is_small = item_take_small(&some, &small);
    bool should_be = error == 0 && item.kind == ITEM_UINT && item.length <= 3;
    assert_int_equal(is_small, should_be);
    assert_int_equal(some.left, is_small ? whole.left : len);
    if (is_small)
        assert_int_equal(small, item.number);
}

/* All first octets, all floats of 16 bits, and of the others some that are infinite, no number, or
 * 0; each cut at every length, in memory that ends there. */
static void taken_in_place(void **state)
{
    static const uint8_t behind[][8] = {{0},
                                        {1, 2, 3, 4, 5, 6, 7, 8},
                                        {0x80},
                                        {0x7f, 0x80},
                                        {0xff, 0x80},
                                        {0x7f, 0xf0},
                                        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    (void)state;
    for (unsigned first = 0; first < 256; first++)
        for (size_t i = 0; i < N_OF(behind); i++)
            for (size_t len = 0; len <= ITEM_HEAD_MAX; len++) {
                uint8_t *octets = malloc(len ? len : 1), all[ITEM_HEAD_MAX] = {(uint8_t)first};
                assert_non_null(octets);
                memcpy(all + 1, behind[i], sizeof behind[i]);
                memcpy(octets, all, len);
                assert_alike(octets, len);
                free(octets);
            }
    for (unsigned half = 0; half < 0x10000; half++) {
        const uint8_t octets[ITEM_HEAD_MAX] = {0xf9, (uint8_t)(half >> 8), (uint8_t)half};
        assert_alike(octets, sizeof octets);
    }
}

/* The most frequent ones are: or it would be of no use. */
static void frequent_forms(void **state)
{
    static const double values[] = {0,   23,    24,  255,  256,          65535, 65536, 4294967295.0,
                                    0.5, -2.25, 0.1, -0.1, (double)0.1f, 1e300};
    (void)state;
    for (size_t i = 0; i < N_OF(values); i++) {
        uint8_t octets[2 * ITEM_HEAD_MAX] = {0};
        double number;
        size_t len = item_put_number(octets, sizeof octets, values[i]);
        struct item_reader reader = {octets, sizeof octets};
        assert_true(item_take_number(&reader, &number));
        assert_true(number == values[i]);
        assert_int_equal(reader.left, sizeof octets - len);
    }
    struct item_reader array = {(const uint8_t *)"\x83\x82", 2};
    assert_false(item_take_array(&array, 2));
    assert_true(item_take_array(&array, 3));
    assert_true(item_take_array(&array, 2));
    assert_false(item_take_array(&array, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind),        cmocka_unit_test(what_is_no_item),
        cmocka_unit_test(integers),         cmocka_unit_test(numbers),
        cmocka_unit_test(written_and_read), cmocka_unit_test(taken_in_place),
        cmocka_unit_test(frequent_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
