#include "publish/points.h"

#include <math.h>
#include <string.h>

#define POINTS_VERSION 1
#define COUNT_BITS 11 /* of numbers up to POINTS_MAX */
#define RUN_BITS 10   /* of numbers below that */
#define FORM_BITS 5
#define SHIFT_BITS 6
#define DECIMALS_MAX 15
#define FORM_OF_BITS 16

/* Above that, not every integer is a double. */
#define INTEGER_MAX 9007199254740992.0 /* 2^53 */

static const double power_of_ten[DECIMALS_MAX + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* -- Values as integers ---------------------------------------------------------------------- */

/* Whether the value has so many decimals and no more: -0.0 has none at all. */
static bool has_decimals(double value, unsigned decimals, int64_t *integer)
{
    double scaled = value * power_of_ten[decimals];
    if (fabs(scaled) > INTEGER_MAX)
        return false;
    *integer = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
    return bits_of((double)*integer / power_of_ten[decimals]) == bits_of(value);
}

/* A value that has so many decimals has more, too, unless there are too many digits then. False:
 * there is no number of decimals with which all are integers. */
static bool take_decimals(const double *values, size_t n, unsigned *decimals, int64_t *integers)
{
    *decimals = 0;
    for (size_t i = 0; i < n; i++) {
        while (!has_decimals(values[i], *decimals, &integers[i]))
            if (++*decimals > DECIMALS_MAX)
                return false;
    }
    for (size_t i = 0; i < n; i++)
        if (!has_decimals(values[i], *decimals, &integers[i]))
            return false;
    return true;
}

#define SIGN_BIT (UINT64_C(1) << 63)

static void take_bits(const double *values, size_t n, int64_t *integers)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = bits_of(values[i]);
        int64_t magnitude = (int64_t)(bits & ~SIGN_BIT);
        integers[i] = (bits & SIGN_BIT) ? ~magnitude : magnitude;
    }
}

/* The zeros that all of them have at their end are left out. */
static unsigned shorten(int64_t *integers, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= (uint64_t)integers[i];
    unsigned shift = all ? (unsigned)__builtin_ctzll(all) : 0;
    for (size_t i = 0; i < n; i++)
        integers[i] /= INT64_C(1) << shift;
    return shift;
}

static double value_of(int64_t integer, unsigned form)
{
    if (form <= DECIMALS_MAX)
        return (double)integer / power_of_ten[form];
    return of_bits(integer < 0 ? (uint64_t)~integer | SIGN_BIT : (uint64_t)integer);
}

static void put_values(struct bit_writer *writer, const double *values, size_t n)
{
    int64_t integers[POINTS_MAX];
    unsigned form;
    if (!take_decimals(values, n, &form, integers)) {
        form = FORM_OF_BITS;
        take_bits(values, n, integers);
    }
    bits_put(writer, form, FORM_BITS);
    bits_put(writer, shorten(integers, n), SHIFT_BITS);
    integers_put(writer, integers, n);
}

/* -- Points without a value ------------------------------------------------------------------ */

static bool has_value(const struct point *point)
{
    return point->result.state == RESULT_VALID;
}

/* The end of the points that are as the one at i. */
static size_t end_of_run(const struct point *points, size_t n, size_t i)
{
    size_t end = i + 1;
    while (end < n && points[end].result.state == points[i].result.state)
        end++;
    return end;
}

static void put_runs(struct bit_writer *writer, const struct point *points, size_t n)
{
    size_t runs = 0, before = 0;
    for (size_t i = 0; i < n; i = end_of_run(points, n, i))
        runs += !has_value(&points[i]);
    bits_put(writer, runs, COUNT_BITS);
    for (size_t i = 0, end; i < n; i = end) {
        end = end_of_run(points, n, i);
        if (has_value(&points[i]))
            continue;
        bits_put(writer, i - before, RUN_BITS);
        bits_put(writer, end - i - 1, RUN_BITS);
        bits_put(writer, points[i].result.state == RESULT_UNAVAILABLE, 1);
        before = end;
    }
}

static const char *take_runs(struct bit_reader *reader, struct point *points, size_t n)
{
    size_t runs = bits_take(reader, COUNT_BITS), at = 0;
    for (size_t i = 0; i < n; i++)
        points[i].result.state = RESULT_VALID;
    for (; runs > 0; runs--) {
        at += bits_take(reader, RUN_BITS);
        size_t end = at + bits_take(reader, RUN_BITS) + 1;
        bool unavailable = bits_take(reader, 1);
        if (end > n || reader->is_short)
            return "there are more points without a value than points";
        for (; at < end; at++)
            points[at].result = (struct result){unavailable ? RESULT_UNAVAILABLE : RESULT_GAP, 0};
    }
    return NULL;
}

/* -- Chunks ---------------------------------------------------------------------------------- */

size_t points_pack(const struct point *points, size_t n, uint8_t *octets)
{
    struct bit_writer writer = {.at = octets, .room = POINTS_OCTETS_MAX};
    int64_t times[POINTS_MAX];
    double values[POINTS_MAX];
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++) {
        times[i] = points[i].wall_ms;
        if (has_value(&points[i]))
            values[n_values++] = points[i].result.value;
    }
    bits_put(&writer, POINTS_VERSION, 8);
    bits_put(&writer, n, COUNT_BITS);
    put_runs(&writer, points, n);
    integers_put(&writer, times, n);
    if (n_values > 0)
        put_values(&writer, values, n_values);
    return bits_end(&writer);
}

static const char *take_values(struct bit_reader *reader, struct point *points, size_t n)
{
    int64_t integers[POINTS_MAX];
    size_t n_values = 0, next = 0;
    for (size_t i = 0; i < n; i++)
        n_values += has_value(&points[i]);
    if (n_values == 0)
        return NULL;
    unsigned form = (unsigned)bits_take(reader, FORM_BITS);
    unsigned shift = (unsigned)bits_take(reader, SHIFT_BITS);
    if (form > FORM_OF_BITS || !integers_take(reader, integers, n_values))
        return "its values make no sense";
    for (size_t i = 0; i < n; i++) {
        if (!has_value(&points[i]))
            continue;
        uint64_t integer = (uint64_t)integers[next++] << shift;
        points[i].result.value = value_of((int64_t)integer, form);
        if (!isfinite(points[i].result.value))
            return "a value is no number";
    }
    return NULL;
}

const char *points_unpack(const uint8_t *octets, size_t len, struct point *points, size_t *n)
{
    struct bit_reader reader = {.at = octets, .length = len};
    int64_t times[POINTS_MAX];
    if (bits_take(&reader, 8) != POINTS_VERSION)
        return "it is of another version";
    *n = bits_take(&reader, COUNT_BITS);
    if (*n == 0 || *n > POINTS_MAX)
        return "it has no points, or too many";
    const char *fault = take_runs(&reader, points, *n);
    if (!fault && !integers_take(&reader, times, *n))
        fault = "its times make no sense";
    if (!fault)
        fault = take_values(&reader, points, *n);
    if (!fault && (reader.is_short || bits_left(&reader) >= 8))
        fault = "it has another length";
    for (size_t i = 0; !fault && i < *n; i++)
        points[i].wall_ms = times[i];
    return fault;
}
