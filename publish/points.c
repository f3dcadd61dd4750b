#include "publish/points.h"

#include "publish/numbers.h"

#define POINTS_VERSION 1
#define COUNT_BITS 11 /* of numbers up to POINTS_MAX */
#define RUN_BITS 10   /* of numbers below that */

/* -- Points without a value ------------------------------------------------------------------ */

static bool has_value(const struct point *point)
{
    return point->result.state == RESULT_VALID;
}

/* The end of the run of points that have the same state as the one at i. */
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

static bool are_times(const struct points_times *times, const struct point *points, size_t n)
{
    if (times->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (times->at[i] != points[i].wall_ms)
            return false;
    return true;
}

static void keep_times(struct points_times *times, const struct point *points, size_t n)
{
    struct bit_writer writer = {.at = times->octets, .room = sizeof times->octets};
    for (size_t i = 0; i < n; i++)
        times->at[i] = points[i].wall_ms;
    times->n = n;
    integers_put(&writer, times->at, n);
    times->bits = 8 * writer.length + writer.n_held;
    bits_end(&writer);
}

#define AT_ONCE 56 /* bits */

static void put_times(struct bit_writer *writer, const struct points_times *times)
{
    struct bit_reader reader = {.at = times->octets, .length = sizeof times->octets};
    while (reader.place < times->bits) {
        size_t left = times->bits - reader.place;
        unsigned n = left < AT_ONCE ? (unsigned)left : AT_ONCE;
        bits_put_few(writer, bits_take_few(&reader, n), n);
    }
}

size_t points_pack_next(const struct point *points, size_t n, uint8_t *octets,
                        struct points_times *times)
{
    struct bit_writer writer = {.at = octets, .room = POINTS_OCTETS_MAX};
    double values[POINTS_MAX];
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++)
        if (has_value(&points[i]))
            values[n_values++] = points[i].result.value;
    if (!are_times(times, points, n))
        keep_times(times, points, n);
    bits_put(&writer, POINTS_VERSION, 8);
    bits_put(&writer, n, COUNT_BITS);
    put_runs(&writer, points, n);
    put_times(&writer, times);
    if (n_values > 0)
        numbers_put(&writer, values, n_values);
    return bits_end(&writer);
}

size_t points_pack(const struct point *points, size_t n, uint8_t *octets)
{
    struct points_times times = {0};
    return points_pack_next(points, n, octets, &times);
}

static const char *take_values(struct bit_reader *reader, struct point *points, size_t n)
{
    double values[POINTS_MAX];
    size_t n_values = 0, next = 0;
    unsigned decimals;
    for (size_t i = 0; i < n; i++)
        n_values += has_value(&points[i]);
    if (n_values > 0 && !numbers_take(reader, values, n_values, &decimals))
        return "its values make no sense";
    for (size_t i = 0; i < n; i++)
        if (has_value(&points[i]))
            points[i].result.value = values[next++];
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
