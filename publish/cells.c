#include "publish/cells.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "calculate/histogram_packed.h"
#include "publish/numbers.h"

#define CELLS_VERSION 2
#define PLACE_BITS 6
#define COUNT_WIDTH_BITS 6
#define RAW_MAX 2 /* lists that are longer than this are packed */

/* Up to SUM_MAX units, a sum is found again after the mean was computed from it. MEAN_ERROR is how
 * far a mean may be off, as a part of the largest value: four units of its last place. */
#define SUM_MAX 0x1p48
#define MEAN_ERROR 0x1p-50

/* How many of the 52 bits of m2, or of what stands for it, are not kept. */
#define M2_DROPPED 16

/* M2_MAX is above the sum of 2^64 squares of STATISTICS_LARGEST. In units, m2 is 0 or at least
 * M2_UNITS_MIN, where doubles have all their bits. */
#define M2_MAX 0x1p995
#define M2_UNITS_MIN 1e-200

/* The values, or the windows, of those cells of a row that have any: column by column. */
struct columns {
    size_t n;
    uint8_t place[CELLS_MAX];
    int64_t count[CELLS_MAX];
    double min[CELLS_MAX], max[CELLS_MAX], mean[CELLS_MAX], m2[CELLS_MAX];
    bool has_histogram[CELLS_MAX];
};

enum side { VALUES, WINDOWS, SIDES };

static struct statistics_window *window_of(struct cell *cell, enum side side)
{
    return side == VALUES ? &cell->values : &cell->windows;
}

void cells_release(struct cells *cells)
{
    for (int i = 0; i < CELLS_MAX; i++)
        for (enum side side = VALUES; side < SIDES; side++) {
            struct statistics_window *window = window_of(&cells->at[i], side);
            if (histogram_has_memory(&window->histogram))
                histogram_release(&window->histogram);
            window->count = 0;
        }
}

const struct statistics_window *cell_statistics(const struct cell *cell)
{
    return cell->windows.count > 0 ? &cell->windows : &cell->values;
}

/* The mean, from the sum of the values of a cell in units of their last decimal. */
static double mean_of(double sum, int64_t count, unsigned decimals)
{
    return sum / ((double)count * numbers_power_of_ten(decimals));
}

/* m2 times this is in units. */
static double scale_of(int64_t count, unsigned decimals)
{
    double unit = numbers_power_of_ten(decimals);
    return (double)count * unit * unit;
}

/* -- Writing --------------------------------------------------------------------------------- */

/* A histogram of equal values follows from their number and value. If there are more of them than
 * it can count, there is none. */
static bool has_histogram(const struct statistics_window *window)
{
    return window->histogram.count == window->count &&
           (window->min < window->max || window->count <= UINT32_MAX);
}

static void gather(const struct cells *cells, enum side side, struct columns *columns)
{
    columns->n = 0;
    for (int i = 0; i < CELLS_MAX; i++) {
        const struct cell *cell = &cells->at[i];
        const struct statistics_window *window = side == VALUES ? &cell->values : &cell->windows;
        if (window->count == 0)
            continue;
        size_t n = columns->n++;
        columns->place[n] = (uint8_t)i;
        columns->count[n] = (int64_t)window->count;
        columns->min[n] = window->min;
        columns->max[n] = window->max;
        columns->mean[n] =
            fmin(fmax(window->mean, window->min), window->max); /* rounding may have moved it out */
        columns->m2[n] = window->m2;
        columns->has_histogram[n] = has_histogram(window);
    }
}

static void put_places(struct bit_writer *writer, const struct columns *columns)
{
    size_t n = columns->n;
    bits_put(writer, n, PLACE_BITS);
    if (n == 0)
        return;
    bool is_dense = columns->place[n - 1] - columns->place[0] == (int)n - 1;
    bits_put(writer, columns->place[0], PLACE_BITS);
    bits_put(writer, is_dense, 1);
    if (is_dense)
        return;
    uint64_t places = 0;
    for (size_t i = 0; i < n; i++)
        places |= UINT64_C(1) << (CELLS_MAX - 1 - columns->place[i]);
    bits_put(writer, places, CELLS_MAX);
}

static void put_counts(struct bit_writer *writer, const struct columns *columns)
{
    bool are_equal = true;
    for (size_t i = 1; i < columns->n; i++)
        are_equal &= columns->count[i] == columns->count[0];
    bits_put(writer, are_equal, 1);
    if (are_equal) {
        unsigned width = 64 - (unsigned)__builtin_clzll((uint64_t)columns->count[0]);
        bits_put(writer, width - 1, COUNT_WIDTH_BITS);
        bits_put(writer, (uint64_t)columns->count[0], width);
    } else {
        integers_put(writer, columns->count, columns->n);
    }
}

/* Returns how many decimals they have, as numbers_put() does. */
static unsigned put_numbers(struct bit_writer *writer, const double *numbers, size_t n)
{
    if (n > RAW_MAX)
        return numbers_put(writer, numbers, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        bits_put(writer, bits, 64);
    }
    return NUMBERS_DECIMALS_MAX + 1;
}

static double shortened(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits += UINT64_C(1) << (M2_DROPPED - 1);
    bits &= ~((UINT64_C(1) << M2_DROPPED) - 1);
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Turns a mean into a sum of units, and m2 into such units. False: the mean and m2 would not be
 * found again. */
static bool to_units(const struct columns *columns, size_t i, unsigned decimals, double *sum,
                     double *m2)
{
    int64_t count = columns->count[i];
    double units = (double)count * numbers_power_of_ten(decimals);
    double largest = fmax(fabs(columns->min[i]), fabs(columns->max[i]));
    if (largest * units > SUM_MAX)
        return false;
    *sum = nearbyint(columns->mean[i] * units) + 0.0; /* no -0.0 */
    *m2 = shortened(columns->m2[i] * scale_of(count, decimals));
    return (*m2 == 0 || *m2 >= M2_UNITS_MIN) && isfinite(*m2) &&
           fabs(mean_of(*sum, count, decimals) - columns->mean[i]) <= MEAN_ERROR * largest;
}

static bool all_to_units(const struct columns *columns, unsigned decimals, double *sums, double *m2)
{
    bool is_right = decimals <= NUMBERS_DECIMALS_MAX;
    for (size_t i = 0; i < columns->n && is_right; i++)
        is_right = to_units(columns, i, decimals, &sums[i], &m2[i]);
    return is_right;
}

static void put_moments(struct bit_writer *writer, const struct columns *columns)
{
    double sums[CELLS_MAX], m2[CELLS_MAX];
    size_t n = columns->n;
    put_counts(writer, columns);
    unsigned decimals = put_numbers(writer, columns->min, n);
    unsigned of_max = put_numbers(writer, columns->max, n);
    decimals = of_max > decimals ? of_max : decimals;
    bool has_units = all_to_units(columns, decimals, sums, m2);
    for (size_t i = 0; !has_units && i < n; i++)
        m2[i] = shortened(columns->m2[i]);
    bits_put(writer, has_units, 1);
    put_numbers(writer, has_units ? sums : columns->mean, n);
    put_numbers(writer, m2, n);
}

static void put_flags(struct bit_writer *writer, const struct columns *columns)
{
    bool have_all = true;
    for (size_t i = 0; i < columns->n; i++)
        have_all &= columns->has_histogram[i];
    bits_put(writer, have_all, 1);
    for (size_t i = 0; !have_all && i < columns->n; i++)
        bits_put(writer, columns->has_histogram[i], 1);
}

static void put_length(struct bit_writer *writer, size_t len)
{
    for (; len > 0x7f; len >>= 7)
        bits_put(writer, 0x80 | (len & 0x7f), 8);
    bits_put(writer, len, 8);
}

/* The histogram is packed once, behind room for the longest length, and then moved to where it
 * belongs. */
static void put_histogram(struct bit_writer *writer, const struct histogram *histogram)
{
    size_t place = writer->length + CELLS_SLACK;
    size_t room = place < writer->room ? writer->room - place : 0;
    uint8_t *octets = room ? writer->at + place : NULL;
    size_t len = histogram_pack(histogram, octets, room);
    struct bit_writer length = *writer;
    put_length(&length, len);
    if (len <= room)
        memmove(writer->at + length.length, octets, len);
    else
        writer->room = 0; /* nothing that is written from here on would be of use */
    writer->length = length.length + len;
}

static void put_histograms(struct bit_writer *writer, const struct cells *cells, enum side side,
                           const struct columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        const struct cell *cell = &cells->at[columns->place[i]];
        if (columns->has_histogram[i] && columns->min[i] < columns->max[i])
            put_histogram(writer,
                          side == VALUES ? &cell->values.histogram : &cell->windows.histogram);
    }
}

size_t cells_pack(const struct cells *cells, uint8_t *octets, size_t room)
{
    struct bit_writer writer = {.at = octets, .room = room};
    struct columns columns[SIDES];
    bits_put(&writer, CELLS_VERSION, 8);
    for (enum side side = VALUES; side < SIDES; side++) {
        gather(cells, side, &columns[side]);
        put_places(&writer, &columns[side]);
    }
    for (enum side side = VALUES; side < SIDES; side++)
        if (columns[side].n > 0) {
            put_moments(&writer, &columns[side]);
            put_flags(&writer, &columns[side]);
        }
    bits_end(&writer);
    for (enum side side = VALUES; side < SIDES; side++)
        put_histograms(&writer, cells, side, &columns[side]);
    return writer.length;
}

/* -- Reading --------------------------------------------------------------------------------- */

/* NULL, or what is wrong; the following functions return the same. */
static const char *take_places(struct bit_reader *reader, struct columns *columns)
{
    size_t n = bits_take(reader, PLACE_BITS), found = 0;
    columns->n = n;
    if (n == 0)
        return NULL;
    size_t first = bits_take(reader, PLACE_BITS);
    bool is_dense = bits_take(reader, 1);
    uint64_t places = is_dense ? 0 : bits_take(reader, CELLS_MAX);
    if (n > CELLS_MAX || first + n > CELLS_MAX)
        return "cells have no place";
    for (size_t i = 0; is_dense && i < n; i++)
        columns->place[found++] = (uint8_t)(first + i);
    for (size_t i = first; !is_dense && i < CELLS_MAX && found < n; i++)
        if (places >> (CELLS_MAX - 1 - i) & 1)
            columns->place[found++] = (uint8_t)i;
    bool is_right =
        is_dense || (__builtin_popcountll(places) == (int)n && columns->place[0] == first &&
                     columns->place[n - 1] != first + n - 1);
    return is_right && found == n ? NULL : "cells have no place";
}

static bool take_counts(struct bit_reader *reader, struct columns *columns)
{
    if (!bits_take(reader, 1)) {
        if (!integers_take(reader, columns->count, columns->n))
            return false;
    } else {
        unsigned width = (unsigned)bits_take(reader, COUNT_WIDTH_BITS) + 1;
        columns->count[0] = (int64_t)bits_take(reader, width);
        for (size_t i = 1; i < columns->n; i++)
            columns->count[i] = columns->count[0];
    }
    for (size_t i = 0; i < columns->n; i++)
        if (columns->count[i] <= 0)
            return false;
    return true;
}

static bool take_numbers(struct bit_reader *reader, double *numbers, size_t n, unsigned *decimals)
{
    bool are_finite = true;
    *decimals = NUMBERS_DECIMALS_MAX + 1;
    if (n > RAW_MAX)
        return numbers_take(reader, numbers, n, decimals);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = bits_take(reader, 64);
        memcpy(&numbers[i], &bits, sizeof bits);
        are_finite &= isfinite(numbers[i]) != 0;
    }
    return are_finite && !reader->is_short;
}

/* Turns the sums into means, and what stands for m2 into m2. */
static void divide(struct columns *columns, unsigned decimals)
{
    for (size_t i = 0; i < columns->n; i++) {
        double mean = mean_of(columns->mean[i], columns->count[i], decimals);
        double largest = fmax(fabs(columns->min[i]), fabs(columns->max[i]));
        if (mean >= columns->min[i] - 2 * MEAN_ERROR * largest &&
            mean <= columns->max[i] + 2 * MEAN_ERROR * largest)
            mean = fmin(fmax(mean, columns->min[i]), columns->max[i]);
        columns->mean[i] = mean;
        columns->m2[i] /= scale_of(columns->count[i], decimals);
    }
}

static bool are_moments(const struct columns *columns, size_t i)
{
    return columns->min[i] <= columns->mean[i] && columns->mean[i] <= columns->max[i] &&
           columns->m2[i] >= 0 && columns->m2[i] <= M2_MAX &&
           fabs(columns->min[i]) <= STATISTICS_LARGEST &&
           fabs(columns->max[i]) <= STATISTICS_LARGEST;
}

static const char *take_moments(struct bit_reader *reader, struct columns *columns)
{
    unsigned decimals, of_max, ignored;
    size_t n = columns->n;
    if (!take_counts(reader, columns))
        return "a count is none";
    if (!take_numbers(reader, columns->min, n, &decimals) ||
        !take_numbers(reader, columns->max, n, &of_max))
        return "a least or largest value is none";
    bool has_units = bits_take(reader, 1);
    decimals = of_max > decimals ? of_max : decimals;
    if (has_units && decimals > NUMBERS_DECIMALS_MAX)
        return "there are no units";
    if (!take_numbers(reader, columns->mean, n, &ignored) ||
        !take_numbers(reader, columns->m2, n, &ignored))
        return "a moment is none";
    if (has_units)
        divide(columns, decimals);
    for (size_t i = 0; i < n; i++)
        if (!are_moments(columns, i))
            return "moments cannot be";
    return NULL;
}

static void take_flags(struct bit_reader *reader, struct columns *columns)
{
    bool have_all = bits_take(reader, 1);
    for (size_t i = 0; i < columns->n; i++)
        columns->has_histogram[i] = have_all || bits_take(reader, 1);
}

/* The bits up to the next octet must be zeros. */
static const char *take_end(struct bit_reader *reader)
{
    uint64_t rest = bits_take(reader, bits_left(reader) % 8);
    if (reader->is_short)
        return "it is cut";
    return rest == 0 ? NULL : "there is more behind its cells";
}

static const char *take_all_moments(struct bit_reader *reader, struct columns columns[SIDES])
{
    const char *why = NULL;
    if (bits_take(reader, 8) != CELLS_VERSION)
        return "it is of another version";
    for (enum side side = VALUES; side < SIDES && !why; side++)
        why = take_places(reader, &columns[side]);
    for (enum side side = VALUES; side < SIDES && !why; side++)
        if (columns[side].n > 0) {
            why = take_moments(reader, &columns[side]);
            take_flags(reader, &columns[side]);
        }
    return reader->is_short ? "it is cut" : why ? why : take_end(reader);
}

/* -- Adding ---------------------------------------------------------------------------------- */

static const char *take_length(struct bit_reader *reader, size_t *len)
{
    uint64_t octet = 0x80;
    *len = 0;
    for (unsigned shift = 0; octet & 0x80; shift += 7) {
        octet = bits_take(reader, 8);
        if (shift > 28 || reader->is_short)
            return "a histogram is cut";
        *len |= (size_t)(octet & 0x7f) << shift;
    }
    return *len <= bits_left(reader) / 8 ? NULL : "a histogram is cut";
}

/* NULL, or what is wrong with the octets; *error: an errno, such as ENOMEM. */
static const char *take_histogram(struct bit_reader *reader, struct statistics_window *window,
                                  int *error)
{
    const char *why;
    size_t len;
    if (window->min >= window->max) {
        if (window->count > UINT32_MAX)
            return "a count is too large";
        *error = histogram_add_equal(&window->histogram, window->min, (uint32_t)window->count);
        return NULL;
    }
    why = take_length(reader, &len);
    if (why)
        return why;
    *error = histogram_unpack(&window->histogram, reader->at + reader->place / 8, len, &why);
    reader->place += 8 * len;
    if (*error == 0 && window->histogram.count != window->count)
        why = "a histogram has not all values";
    return *error == ENOMEM ? NULL : why;
}

/* Releases the window, or moves it if into is empty. */
static int merge(struct statistics_window *into, struct statistics_window *window)
{
    int error = 0;
    if (into->count > 0) {
        error = statistics_merge(into, window);
        statistics_window_release(window);
    } else if (window->histogram.count == 0 && !histogram_has_memory(&window->histogram)) {
        statistics_set_moments(into, window);
    } else {
        histogram_release(&into->histogram);
        *into = *window;
    }
    return error;
}

static struct statistics_window window_at(const struct columns *columns, size_t i)
{
    return (struct statistics_window){.count = (uint64_t)columns->count[i],
                                      .min = columns->min[i],
                                      .max = columns->max[i],
                                      .mean = columns->mean[i],
                                      .m2 = columns->m2[i]};
}

static const char *add_cells(struct bit_reader *reader, struct cells *cells, enum side side,
                             const struct columns *columns, bool has_histograms, int *error)
{
    const char *why = NULL;
    for (size_t i = 0; i < columns->n && !why && *error == 0; i++) {
        struct statistics_window window = window_at(columns, i);
        if (has_histograms && columns->has_histogram[i])
            why = take_histogram(reader, &window, error);
        if (!why && *error == 0)
            *error = merge(window_of(&cells->at[columns->place[i]], side), &window);
        else
            statistics_window_release(&window);
    }
    return why;
}

static int add_row(struct cells *cells, const uint8_t *octets, size_t len, bool has_histograms,
                   const char **why)
{
    struct bit_reader reader = {.at = octets, .length = len};
    struct columns columns[SIDES];
    int error = 0;
    *why = take_all_moments(&reader, columns);
    for (enum side side = VALUES; side < SIDES && !*why && error == 0; side++)
        *why = add_cells(&reader, cells, side, &columns[side], has_histograms, &error);
    if (!*why && error == 0 && has_histograms && bits_left(&reader) > 0)
        *why = "there is more behind it";
    return *why ? EBADMSG : error;
}

int cells_add(struct cells *cells, const uint8_t *octets, size_t len, const char **why)
{
    return add_row(cells, octets, len, true, why);
}

int cells_add_moments(struct cells *cells, const uint8_t *octets, size_t len, const char **why)
{
    return add_row(cells, octets, len, false, why);
}
