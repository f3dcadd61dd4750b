#include "publish/curve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/history.h"

/* How many intervals between points are looked at, to know how far points are apart. */
#define INTERVALS_MAX 1000

struct reading {
    struct history *history;
    const struct curve_question *question;
    struct curve *curve;
    int64_t first_ms; /* the earliest time that was read */
    size_t next;      /* the slot behind the one that was found last: likely the next one */
    int error;
};

/* -- Slots ----------------------------------------------------------------------------------- */

static void clear(struct curve *curve)
{
    for (size_t i = 0; i < curve->n; i++)
        if (histogram_has_memory(&curve->slots[i].window.histogram))
            histogram_release(&curve->slots[i].window.histogram);
    curve->n = curve->n_values = 0;
}

void curve_release(struct curve *curve)
{
    clear(curve);
    free(curve->slots);
    *curve = (struct curve){0};
}

/* Any other error concerns one file: the others are read all the same. */
static bool is_over(const struct reading *reading)
{
    return reading->error == ENOMEM || reading->error == E2BIG;
}

static void note(struct reading *reading, int error)
{
    if (error == ENOMEM || (error && !is_over(reading)))
        reading->error = error;
}

/* Makes room for so many slots. False: no memory, which is noted; the slots are as they were. */
static bool make_room(struct reading *reading, size_t room)
{
    struct curve *curve = reading->curve;
    if (room <= curve->room)
        return true;
    void *larger = reallocarray(curve->slots, room, sizeof *curve->slots);
    note(reading, larger ? 0 : ENOMEM);
    if (!larger)
        return false;
    curve->slots = larger;
    curve->room = room;
    return true;
}

/* Appends an empty slot. NULL: the reason is noted. */
static struct curve_slot *append(struct reading *reading, int64_t start_ms)
{
    struct curve *curve = reading->curve;
    if (curve->n == CURVE_SLOTS_MAX) {
        note(reading, E2BIG);
        return NULL;
    }
    if (curve->n == curve->room && !make_room(reading, curve->room ? 2 * curve->room : 256))
        return NULL;
    curve->slots[curve->n] = (struct curve_slot){.start_ms = start_ms};
    return &curve->slots[curve->n++];
}

/* Makes slots of a step for the whole range. */
static void lay_out(struct reading *reading, int64_t step_ms)
{
    const struct curve_question *question = reading->question;
    reading->curve->step_ms = step_ms;
    int64_t at_ms = database_floor(question->from_ms, step_ms);
    if ((question->to_ms - at_ms) / step_ms >= CURVE_SLOTS_MAX)
        note(reading, E2BIG);
    else
        make_room(reading, (size_t)((question->to_ms - at_ms) / step_ms) + 1);
    for (; !is_over(reading) && at_ms <= question->to_ms; at_ms += step_ms)
        append(reading, at_ms);
}

/* The slot of a time; a new one if each value is a slot of its own. NULL: there is none. */
static struct curve_slot *slot_at(struct reading *reading, int64_t at_ms)
{
    struct curve *curve = reading->curve;
    if (reading->first_ms > at_ms)
        reading->first_ms = at_ms;
    if (curve->step_ms == 0)
        return append(reading, at_ms);
    if (curve->n == 0 || at_ms < curve->slots[0].start_ms)
        return NULL;
    size_t place = reading->next;
    if (place >= curve->n || curve->slots[place].start_ms != at_ms)
        place = (size_t)((at_ms - curve->slots[0].start_ms) / curve->step_ms);
    reading->next = place + 1;
    return place < curve->n ? &curve->slots[place] : NULL;
}

/* -- What comes into them -------------------------------------------------------------------- */

/* The same as statistics_window_add(), but without the histogram. */
static int add_moments(struct statistics_window *window, double value)
{
    const struct statistics_window one = {.count = 1, .min = value, .max = value, .mean = value};
    return statistics_merge(window, &one);
}

/* A history_point_fn. */
static void take_point(void *context, const struct point *point)
{
    struct reading *reading = context;
    struct curve_slot *slot = slot_at(reading, point->wall_ms);
    if (!slot || point->result.state != RESULT_VALID)
        return;
    bool has_histogram = reading->question->has_quantiles && reading->curve->step_ms != 0;
    int error = has_histogram ? statistics_window_add(&slot->window, point->result.value)
                              : add_moments(&slot->window, point->result.value);
    if (error == ENOMEM)
        note(reading, error);
}

/* A history_cell_fn. */
static void take_cell(void *context, int64_t start_ms, const struct statistics_window *window)
{
    struct reading *reading = context;
    struct curve_slot *slot = slot_at(reading, start_ms);
    struct statistics_window moments;
    if (!slot)
        return;
    if (!reading->question->has_quantiles && slot->window.count == 0) {
        statistics_set_moments(&slot->window, window);
        return;
    }
    moments = *window;
    if (!reading->question->has_quantiles)
        moments.histogram = (struct histogram){0};
    if (statistics_merge(&slot->window, &moments) == ENOMEM)
        note(reading, ENOMEM);
}

static int order_slots(const void *a, const void *b)
{
    const struct curve_slot *one = a, *other = b;
    return (one->start_ms > other->start_ms) - (one->start_ms < other->start_ms);
}

static const struct tier *cells_of(enum curve_tier tier)
{
    return tier == CURVE_RAW ? NULL : tier == CURVE_MINUTES ? &tier_minute : &tier_hour;
}

static void read_node(struct reading *reading, const char *path, enum curve_tier tier)
{
    const struct curve_question *question = reading->question;
    const struct history_question of = {path,
                                        question->sensor,
                                        question->instance,
                                        question->from_ms,
                                        question->to_ms,
                                        !question->has_quantiles};
    const struct tier *cells = cells_of(tier);
    note(reading, cells ? history_cells(reading->history, &of, cells, take_cell, reading)
                        : history_points(reading->history, &of, take_point, reading));
}

static void count_values(struct curve *curve)
{
    curve->n_values = 0;
    for (size_t i = 0; i < curve->n; i++)
        curve->n_values += curve->slots[i].window.count > 0;
}

/* Reads all nodes from a tier, into slots of a step, or if that is 0, each value or cell as it is.
 */
static void read_tier(struct reading *reading, enum curve_tier tier, int64_t step_ms)
{
    const struct curve_question *question = reading->question;
    struct curve *curve = reading->curve;
    clear(curve);
    curve->tier = tier;
    curve->step_ms = 0;
    reading->first_ms = INT64_MAX;
    reading->error = 0;
    if (step_ms)
        lay_out(reading, step_ms);
    for (size_t i = 0; i < question->n_paths; i++)
        if (reading->error != ENOMEM && reading->error != E2BIG)
            read_node(reading, question->paths[i], tier);
    if (!step_ms && curve->n > 0 && question->n_paths > 1)
        qsort(curve->slots, curve->n, sizeof *curve->slots, order_slots);
    count_values(curve);
}

/* -- Which tier ------------------------------------------------------------------------------ */

static enum curve_tier tier_of(const struct curve_question *question)
{
    int64_t span_ms = question->to_ms - question->from_ms;
    if (question->tier != CURVE_ANY)
        return question->tier;
    if (question->step_ms > 0)
        return question->step_ms < MINUTE_MS || question->step_ms % MINUTE_MS ? CURVE_RAW
               : question->step_ms < HOUR_MS || question->step_ms % HOUR_MS   ? CURVE_MINUTES
                                                                              : CURVE_HOURS;
    return span_ms <= CURVE_RAW_MS       ? CURVE_RAW
           : span_ms <= CURVE_MINUTES_MS ? CURVE_MINUTES
                                         : CURVE_HOURS;
}

static void note_first(void *context, int64_t start_ms, const struct statistics_window *window)
{
    int64_t *first_ms = context;
    (void)window;
    if (*first_ms > start_ms)
        *first_ms = start_ms;
}

/* Whether the next coarser tier has something in the range that is earlier than all that this one
 * has, because this one is not kept so long. A window may begin a little before the first value. */
static bool is_cut_off(struct reading *reading, enum curve_tier tier)
{
    const struct curve_question *question = reading->question;
    if (tier == CURVE_HOURS)
        return false;
    const struct tier *coarser = cells_of(tier + 1);
    int64_t before_ms =
        reading->first_ms == INT64_MAX ? question->to_ms : reading->first_ms - 2 * coarser->cell_ms;
    bool is_cut = false;
    for (size_t i = 0; i < question->n_paths && before_ms >= question->from_ms && !is_cut; i++) {
        int64_t first_ms = INT64_MAX;
        const struct history_question of = {question->paths[i], question->sensor,
                                            question->instance, question->from_ms,
                                            before_ms,          true};
        note(reading, history_cells(reading->history, &of, coarser, note_first, &first_ms));
        is_cut = first_ms <= before_ms;
    }
    return is_cut;
}

/* -- Steps ----------------------------------------------------------------------------------- */

int64_t curve_nice_span(int64_t least_ms)
{
    static const int64_t spans_s[] = {1,     2,     5,     10,    15,     30,    60,
                                      120,   300,   600,   900,   1800,   3600,  7200,
                                      10800, 21600, 43200, 86400, 172800, 604800};
    for (size_t i = 0; i < sizeof spans_s / sizeof *spans_s; i++)
        if (spans_s[i] * 1000 >= least_ms)
            return spans_s[i] * 1000;
    return (least_ms + 7 * DAY_MS - 1) / (7 * DAY_MS) * 7 * DAY_MS;
}

static int order_spans(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

int64_t curve_interval(const struct curve *curve)
{
    int64_t spans[INTERVALS_MAX];
    size_t n = 0, before = curve->n;
    for (size_t i = 0; i < curve->n && n < INTERVALS_MAX; i++) {
        if (curve->slots[i].window.count == 0)
            continue;
        if (before < curve->n && curve->slots[i].start_ms > curve->slots[before].start_ms)
            spans[n++] = curve->slots[i].start_ms - curve->slots[before].start_ms;
        before = i;
    }
    if (n == 0)
        return 0;
    qsort(spans, n, sizeof *spans, order_spans);
    return spans[n / 2];
}

/* The shortest step with at most so many slots in the range. */
static int64_t step_for(const struct curve_question *question, int64_t least_ms)
{
    int64_t step_ms = curve_nice_span(least_ms);
    while ((question->to_ms / step_ms - question->from_ms / step_ms) + 1 > (int64_t)question->most)
        step_ms = curve_nice_span(step_ms + 1);
    return step_ms;
}

/* The step is not shorter than the interval of the values: a minute if one comes each minute. */
static int64_t chosen_step(struct reading *reading, enum curve_tier tier)
{
    const struct curve_question *question = reading->question;
    const struct tier *cells = cells_of(tier);
    int64_t interval_ms = curve_interval(reading->curve);
    int64_t least_ms = cells ? cells->cell_ms : 1000;
    return step_for(question, interval_ms > least_ms ? interval_ms : least_ms);
}

/* Puts each value or cell that was read into a slot of a step. */
static void resample(struct reading *reading, int64_t step_ms)
{
    struct curve fine = *reading->curve;
    *reading->curve = (struct curve){.tier = fine.tier};
    lay_out(reading, step_ms);
    for (size_t i = 0; i < fine.n && reading->error != ENOMEM; i++) {
        struct curve_slot *slot = slot_at(reading, fine.slots[i].start_ms);
        struct statistics_window *window = &fine.slots[i].window;
        if (!slot || window->count == 0)
            continue;
        bool is_value = fine.tier == CURVE_RAW && reading->question->has_quantiles;
        int error = is_value ? statistics_window_add(&slot->window, window->mean)
                             : statistics_merge(&slot->window, window);
        if (error == ENOMEM)
            note(reading, error);
    }
    count_values(reading->curve);
    curve_release(&fine);
}

/* If no step is asked for, it is the length of a cell. It is 0 for values, which are left as they
 * are, and for cells that are resampled later. */
static int64_t own_step(const struct curve_question *question, enum curve_tier tier)
{
    const struct tier *cells = cells_of(tier);
    return question->step_ms ? question->step_ms : !cells || question->most ? 0 : cells->cell_ms;
}

static enum curve_tier read_finest(struct reading *reading)
{
    const struct curve_question *question = reading->question;
    enum curve_tier tier = tier_of(question);
    read_tier(reading, tier, own_step(question, tier));
    while (question->tier == CURVE_ANY && reading->error != ENOMEM && reading->error != E2BIG &&
           is_cut_off(reading, tier)) {
        tier++;
        read_tier(reading, tier, own_step(question, tier));
    }
    return tier;
}

/* The first node says how far values are apart. */
static void read_most(struct reading *reading)
{
    const struct curve_question *all = reading->question;
    struct curve_question first = *all;
    first.n_paths = 1;
    reading->question = &first;
    enum curve_tier tier = read_finest(reading);
    reading->question = all;
    if (reading->error == ENOMEM || reading->error == E2BIG)
        return;
    int64_t step_ms = chosen_step(reading, tier);
    if (all->n_paths == 1)
        resample(reading, step_ms);
    else
        read_tier(reading, tier, step_ms);
}

int curve_read(struct history *history, const struct curve_question *question, struct curve *curve)
{
    struct reading reading = {.history = history, .question = question, .curve = curve};
    *curve = (struct curve){0};
    if (question->step_ms < 0 || question->from_ms > question->to_ms || question->n_paths == 0)
        return EINVAL;
    if (question->step_ms == 0 && question->most > 0)
        read_most(&reading);
    else
        read_finest(&reading);
    return reading.error;
}

/* -- What they say --------------------------------------------------------------------------- */

/* A value that is a slot of its own has no histogram. */
static int add_slot(struct statistics_window *total, const struct statistics_window *window)
{
    if (window->count == 0)
        return 0;
    return window->count == 1 && window->histogram.count == 0
               ? statistics_window_add(total, window->mean)
               : statistics_merge(total, window);
}

int curve_total(const struct curve *curve, struct statistics_window *total)
{
    int error = 0;
    *total = (struct statistics_window){0};
    for (size_t i = 0; i < curve->n && !error; i++)
        error = add_slot(total, &curve->slots[i].window);
    return error;
}

double *curve_means(const struct curve *curve, size_t *n, size_t *first)
{
    size_t begin = 0, end = curve->n;
    while (begin < end && curve->slots[begin].window.count == 0)
        begin++;
    while (end > begin && curve->slots[end - 1].window.count == 0)
        end--;
    *n = end - begin;
    *first = begin;
    double *means = *n ? calloc(*n, sizeof *means) : NULL;
    for (size_t i = 0; means && i < *n; i++) {
        const struct statistics_window *window = &curve->slots[begin + i].window;
        means[i] = window->count > 0 ? window->mean : NAN;
    }
    return means;
}

double curve_quantile(const struct curve_slot *slot, double q)
{
    const struct statistics_window *window = &slot->window;
    if (window->min >= window->max)
        return window->min;
    return window->histogram.count == window->count ? statistics_quantile(window, q) : (double)NAN;
}
