#include "publish/cells.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/item.h"
#include "calculate/histogram_packed.h"

#define CELLS_VERSION 1

enum form {
    CELL_NONE,
    CELL_FULL,         /* with a histogram */
    CELL_MOMENTS,      /* without */
    CELL_EQUAL,        /* all values are the same; with a histogram */
    CELL_EQUAL_MOMENTS /* without */
};

void cells_release(struct cells *cells)
{
    for (int i = 0; i < CELLS_MAX; i++) {
        statistics_window_release(&cells->at[i].values);
        statistics_window_release(&cells->at[i].windows);
    }
}

const struct statistics_window *cell_statistics(const struct cell *cell)
{
    return cell->windows.count > 0 ? &cell->windows : &cell->values;
}

/* -- Writing --------------------------------------------------------------------------------- */

struct output {
    uint8_t *at;
    size_t room, length;
};

static void put_octets(struct output *output, const uint8_t *octets, size_t len)
{
    if (output->length + len <= output->room)
        memcpy(output->at + output->length, octets, len);
    output->length += len;
}

static void put_integer(struct output *output, uint64_t number)
{
    uint8_t octets[ITEM_HEAD_MAX];
    put_octets(output, octets, item_put_int(octets, sizeof octets, (int64_t)number));
}

static void put_number(struct output *output, double number)
{
    uint8_t octets[ITEM_HEAD_MAX];
    put_octets(output, octets, item_put_number(octets, sizeof octets, number));
}

/* It is packed once, behind room for the longest length, and moved to where it belongs. */
static void put_histogram(struct output *output, const struct histogram *histogram)
{
    size_t place = output->length + ITEM_HEAD_MAX;
    size_t room = place < output->room ? output->room - place : 0;
    size_t len = histogram_pack(histogram, room ? output->at + place : NULL, room);
    put_integer(output, len);
    if (len <= room)
        memmove(output->at + output->length, output->at + place, len);
    else
        output->room = 0; /* nothing that is written from here on would be of use */
    output->length += len;
}

static bool are_all_equal(const struct statistics_window *window)
{
    return memcmp(&window->min, &window->max, sizeof window->min) == 0 &&
           memcmp(&window->min, &window->mean, sizeof window->min) == 0 && window->m2 == 0 &&
           window->count <= UINT32_MAX;
}

/* A histogram that does not have all values is none. */
static enum form form_of(const struct statistics_window *window)
{
    const struct histogram *histogram = &window->histogram;
    bool has_histogram = histogram->count == window->count;
    if (window->count == 0)
        return CELL_NONE;
    if (are_all_equal(window) && !has_histogram)
        return CELL_EQUAL_MOMENTS;
    if (are_all_equal(window) && histogram_count_of(histogram, window->min) == window->count)
        return CELL_EQUAL;
    return has_histogram ? CELL_FULL : CELL_MOMENTS;
}

static void put_statistics(struct output *output, const struct statistics_window *window)
{
    enum form form = form_of(window);
    put_integer(output, form);
    if (form == CELL_NONE)
        return;
    put_integer(output, window->count);
    put_number(output, window->min);
    if (form == CELL_EQUAL || form == CELL_EQUAL_MOMENTS)
        return;
    put_number(output, window->max);
    put_number(output, fmin(fmax(window->mean, window->min), window->max)); /* but for rounding */
    put_number(output, window->m2);
    if (form == CELL_FULL)
        put_histogram(output, &window->histogram);
}

static bool is_empty(const struct cell *cell)
{
    return cell->values.count == 0 && cell->windows.count == 0;
}

size_t cells_pack(const struct cells *cells, uint8_t *octets, size_t room)
{
    struct output output = {octets, room, 0};
    uint64_t n = 0;
    for (int i = 0; i < CELLS_MAX; i++)
        n += !is_empty(&cells->at[i]);
    put_integer(&output, CELLS_VERSION);
    put_integer(&output, n);
    for (int i = 0; i < CELLS_MAX; i++) {
        if (is_empty(&cells->at[i]))
            continue;
        put_integer(&output, (uint64_t)i);
        put_statistics(&output, &cells->at[i].values);
        put_statistics(&output, &cells->at[i].windows);
    }
    return output.length;
}

/* -- Reading --------------------------------------------------------------------------------- */

static bool take_integer(struct item_reader *reader, uint64_t most, uint64_t *number)
{
    struct item item;
    if (item_take(reader, &item) != 0 || item.kind != ITEM_UINT || item.number > most)
        return false;
    *number = item.number;
    return true;
}

static bool take_number(struct item_reader *reader, double *number)
{
    struct item item;
    return item_take(reader, &item) == 0 && item_number(&item, number) &&
           fabs(*number) <= STATISTICS_LARGEST * STATISTICS_LARGEST * 0x1p64;
}

/* NULL, or what is wrong with it; *error: with the memory. */
static const char *take_histogram(struct item_reader *reader, struct statistics_window *window,
                                  int *error)
{
    const char *why = NULL;
    uint64_t len;
    if (!take_integer(reader, reader->left, &len) || len > reader->left)
        return "a histogram is cut";
    *error = histogram_unpack(&window->histogram, reader->at, len, &why);
    reader->at += len;
    reader->left -= len;
    if (*error == 0 && window->histogram.count != window->count)
        why = "a histogram has not all values";
    return why;
}

static bool are_moments(const struct statistics_window *window)
{
    return window->min <= window->mean && window->mean <= window->max && window->m2 >= 0 &&
           fabs(window->min) <= STATISTICS_LARGEST && fabs(window->max) <= STATISTICS_LARGEST;
}

static const char *take_moments(struct item_reader *reader, bool are_equal,
                                struct statistics_window *window)
{
    if (!take_integer(reader, INT64_MAX, &window->count) || window->count == 0)
        return "a count is none";
    if (!take_number(reader, &window->min))
        return "a minimum is none";
    window->max = window->mean = window->min;
    if (!are_equal && (!take_number(reader, &window->max) || !take_number(reader, &window->mean) ||
                       !take_number(reader, &window->m2)))
        return "a moment is none";
    return are_moments(window) ? NULL : "moments cannot be";
}

static const char *take_statistics(struct item_reader *reader, struct statistics_window *window,
                                   int *error)
{
    uint64_t form;
    if (!take_integer(reader, CELL_EQUAL_MOMENTS, &form))
        return "statistics are of another form";
    if (form == CELL_NONE)
        return NULL;
    bool are_equal = form == CELL_EQUAL || form == CELL_EQUAL_MOMENTS;
    const char *why = take_moments(reader, are_equal, window);
    if (!why && form == CELL_FULL)
        why = take_histogram(reader, window, error);
    if (!why && form == CELL_EQUAL && window->count > UINT32_MAX)
        why = "a count is too large";
    if (!why && form == CELL_EQUAL)
        *error = histogram_add_equal(&window->histogram, window->min, (uint32_t)window->count);
    return why;
}

static const char *add_statistics(struct item_reader *reader, struct statistics_window *into,
                                  int *error)
{
    struct statistics_window window = {0};
    const char *why = take_statistics(reader, &window, error);
    if (!why && *error == 0 && window.count > 0)
        *error = statistics_merge(into, &window);
    statistics_window_release(&window);
    return why;
}

int cells_add(struct cells *cells, const uint8_t *octets, size_t len, const char **why)
{
    struct item_reader reader = {octets, len};
    uint64_t version, n, place = 0, least = 0;
    int error = 0;
    *why = NULL;
    if (!take_integer(&reader, CELLS_VERSION, &version) || version != CELLS_VERSION ||
        !take_integer(&reader, CELLS_MAX, &n))
        *why = "it is of another version";
    for (uint64_t i = 0; !*why && error == 0 && i < n; i++) {
        if (!take_integer(&reader, CELLS_MAX - 1, &place) || place < least)
            *why = "a cell has no place";
        least = place + 1;
        if (!*why)
            *why = add_statistics(&reader, &cells->at[place].values, &error);
        if (!*why && error == 0)
            *why = add_statistics(&reader, &cells->at[place].windows, &error);
    }
    if (!*why && error == 0 && reader.left > 0)
        *why = "there is more behind it";
    if (error == ENOMEM || error == EOVERFLOW)
        *why = NULL;
    return *why ? EBADMSG : error;
}
