#include "publish/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

void digest_clear(struct digest *digest)
{
    for (size_t i = 0; i < digest->n_windows; i++)
        statistics_window_release(&digest->windows[i].window);
    digest->n_windows = digest->n_samples = 0;
}

void digest_release(struct digest *digest)
{
    digest_clear(digest);
    free(digest->windows);
    free(digest->samples);
    free(digest->spare);
    digest->windows = NULL;
    digest->samples = digest->spare = NULL;
    digest->room_windows = digest->room_samples = 0;
}

/* Makes room for one more element. NULL: no memory, and nothing has changed. */
static void *grown(void *array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return array;
    size_t more = *room ? 2 * *room : 64;
    void *larger = reallocarray(array, more, size);
    if (larger)
        *room = more;
    return larger;
}

/* -- Entries --------------------------------------------------------------------------------- */

struct block_reader {
    struct digest *digest;
    digest_name_fn *name;
    const void *context;
    struct report_header header; /* read before the entries */
    int error;
};

int digest_sample(struct digest *digest, int64_t series, const struct point *point)
{
    size_t room = digest->room_samples;
    struct digest_point *samples =
        grown(digest->samples, digest->n_samples, &digest->room_samples, sizeof *digest->samples);
    if (!samples)
        return ENOMEM;
    if (room != digest->room_samples) { /* the spare array is too small */
        free(digest->spare);
        digest->spare = NULL;
    }
    digest->samples = samples;
    samples[digest->n_samples++] = (struct digest_point){series, *point};
    return 0;
}

int digest_window(struct digest *digest, int64_t series, const struct digest_window *from,
                  bool has_histogram)
{
    struct digest_window *windows =
        grown(digest->windows, digest->n_windows, &digest->room_windows, sizeof *digest->windows);
    if (!windows)
        return ENOMEM;
    digest->windows = windows;
    windows += digest->n_windows;
    *windows = *from;
    windows->series = series;
    windows->window.histogram = (struct histogram){0};
    int error =
        has_histogram ? histogram_merge(&windows->window.histogram, &from->window.histogram) : 0;
    digest->n_windows += error == 0;
    return error;
}

/* If a node cuts its windows into parts, these follow each other: a part belongs to the latest
 * window of the series. NULL: that one ended at another time, or there is none. */
static struct digest_window *begun_window(struct digest *digest, int64_t series,
                                          const struct report_entry *entry)
{
    for (size_t i = digest->n_windows; i-- > 0;) {
        struct digest_window *window = &digest->windows[i];
        if (window->series == series)
            return window->wall_ms == entry->wall_ms ? window : NULL;
    }
    return NULL;
}

static int add_window(struct digest *digest, int64_t series, const struct report_entry *entry)
{
    struct digest_window *window = NULL;
    if (!entry->window.has_moments) {
        window = begun_window(digest, series, entry);
        return window ? report_window_merge(&window->window, &entry->window) : 0;
    }
    if (entry->window.count == 0)
        return 0;
    window =
        grown(digest->windows, digest->n_windows, &digest->room_windows, sizeof *digest->windows);
    if (!window)
        return ENOMEM;
    digest->windows = window;
    window += digest->n_windows;
    *window = (struct digest_window){
        .series = series, .wall_ms = entry->wall_ms, .window_ms = entry->window.window_ms};
    int error = report_window_merge(&window->window, &entry->window);
    digest->n_windows += error == 0;
    return error;
}

/* A report_entry_fn. Alarms and steps are taken elsewhere. */
static int take_entry(void *context, const struct report_entry *entry)
{
    struct block_reader *reader = context;
    struct digest *digest = reader->digest;
    if (entry->kind != REPORT_VALUE && entry->kind != REPORT_WINDOW)
        return 0;
    int64_t series = reader->name(reader->context, entry);
    if (series == DIGEST_TOLD)
        return 0;
    bool is_beyond = entry->wall_ms < digest->from_ms || entry->wall_ms > digest->to_ms;
    digest->nameless += series == 0;
    digest->beyond += series != 0 && is_beyond;
    if (series == 0 || is_beyond || (digest->only && series != digest->only))
        return 0;
    if (entry->kind == REPORT_VALUE)
        reader->error =
            digest_sample(digest, series, &(struct point){entry->wall_ms, entry->result});
    else
        reader->error = add_window(digest, series, entry);
    if (reader->error == EOVERFLOW)
        reader->error = 0; /* a window of a child that counts more than there can be is left out */
    return reader->error;
}

int digest_block(struct digest *digest, const uint8_t *octets, size_t len, digest_name_fn *name,
                 const void *context)
{
    struct block_reader reader = {.digest = digest, .name = name, .context = context};
    const char *why;
    int error = report_decode(octets, len, &reader.header, take_entry, &reader, &why);
    return error ? error : reader.error;
}

/* -- Order ----------------------------------------------------------------------------------- */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_samples(const void *a, const void *b)
{
    const struct digest_point *one = a, *two = b;
    int by_series = compare(one->series, two->series);
    return by_series ? by_series : compare(one->point.wall_ms, two->point.wall_ms);
}

static int compare_windows(const void *a, const void *b)
{
    const struct digest_window *one = a, *two = b;
    int by_series = compare(one->series, two->series);
    return by_series ? by_series : compare(one->wall_ms, two->wall_ms);
}

/* The ids of the series of a node are usually near to each other: returns how many there are from
 * *least on. 0: they are not near to each other. */
static size_t range_of(const struct digest *digest, int64_t *least)
{
    int64_t most = *least = digest->samples[0].series;
    for (size_t i = 1; i < digest->n_samples; i++) {
        int64_t series = digest->samples[i].series;
        *least = series < *least ? series : *least;
        most = series > most ? series : most;
    }
    uint64_t range = (uint64_t)most - (uint64_t)*least;
    return range < 4 * digest->n_samples + 64 ? (size_t)range + 1 : 0;
}

/* Makes a spare array with as much room as the samples have. False: no memory. */
static bool make_spare(struct digest *digest)
{
    if (!digest->spare)
        digest->spare = reallocarray(NULL, digest->room_samples, sizeof *digest->spare);
    return digest->spare != NULL;
}

/* Puts samples of one series together, in the order in which they came, by a counting sort. Without
 * memory, nothing changes. */
static void gather(struct digest *digest)
{
    int64_t least;
    size_t range = range_of(digest, &least);
    if (range == 1)
        return;
    size_t *places = range ? calloc(range + 1, sizeof *places) : NULL;
    if (places && make_spare(digest)) {
        for (size_t i = 0; i < digest->n_samples; i++)
            places[digest->samples[i].series - least + 1]++;
        for (size_t i = 1; i < range; i++)
            places[i] += places[i - 1];
        for (size_t i = 0; i < digest->n_samples; i++)
            digest->spare[places[digest->samples[i].series - least]++] = digest->samples[i];
        struct digest_point *gathered = digest->spare;
        digest->spare = digest->samples;
        digest->samples = gathered;
    }
    free(places);
}

/* Where the ascending run that begins at `first` ends. */
static size_t end_of_run(const struct digest_point *samples, size_t first, size_t n)
{
    size_t i = first + 1;
    while (i < n && compare_samples(&samples[i - 1], &samples[i]) <= 0)
        i++;
    return i < n ? i : n;
}

/* Of equal samples, those of the first run come first. */
static void merge_samples(struct digest_point *into, const struct digest_point *one, size_t n_one,
                          const struct digest_point *other, size_t n_other)
{
    while (n_one > 0 && n_other > 0)
        if (compare_samples(one, other) <= 0) {
            *into++ = *one++;
            n_one--;
        } else {
            *into++ = *other++;
            n_other--;
        }
    memcpy(into, n_one > 0 ? one : other, (n_one + n_other) * sizeof *into);
}

/* Merges each two runs that follow each other into one. Returns how many runs there are then. */
static size_t merge_runs(struct digest *digest)
{
    struct digest_point *samples = digest->samples;
    size_t n = digest->n_samples, n_runs = 0;
    for (size_t first = 0, second, end; first < n; first = end, n_runs++) {
        second = end_of_run(samples, first, n);
        end = second < n ? end_of_run(samples, second, n) : n;
        merge_samples(digest->spare + first, samples + first, second - first, samples + second,
                      end - second);
    }
    digest->samples = digest->spare;
    digest->spare = samples;
    return n_runs;
}

/* Blocks come in the order of their times, so that gathering does most of the work: what is left
 * are a few runs, of what came late, or of other boots. Without memory for merging them, glibc's
 * qsort is used, which needs less, and also keeps the order of equals. */
static void sort_samples(struct digest *digest)
{
    gather(digest);
    if (end_of_run(digest->samples, 0, digest->n_samples) == digest->n_samples)
        return;
    if (make_spare(digest))
        while (merge_runs(digest) > 1)
            ;
    else
        qsort(digest->samples, digest->n_samples, sizeof *digest->samples, compare_samples);
}

void digest_end(struct digest *digest)
{
    if (digest->n_samples > 0)
        sort_samples(digest);
    if (digest->n_windows > 0)
        qsort(digest->windows, digest->n_windows, sizeof *digest->windows, compare_windows);
}

/* The same array with less room, or as it was if there is no memory for that. */
static void *fitted(void *array, size_t n, size_t *room, size_t size)
{
    void *smaller = n > 0 && n < *room ? reallocarray(array, n, size) : NULL;
    if (!smaller)
        return array;
    *room = n;
    return smaller;
}

void digest_fit(struct digest *digest)
{
    free(digest->spare);
    digest->spare = NULL;
    digest->samples =
        fitted(digest->samples, digest->n_samples, &digest->room_samples, sizeof *digest->samples);
    digest->windows =
        fitted(digest->windows, digest->n_windows, &digest->room_windows, sizeof *digest->windows);
}
