#include "threshold/season.h"

#include <math.h>
#include <stdlib.h>

#include "threshold/season_model.h"

/* The model is kept over up to so many seasons without values. */
#define SEASONS_AWAY 7

/* -- Beginning and end ---------------------------------------------------------------------- */

static void forget_slots(struct season *season)
{
    for (unsigned i = 0; i < SEASON_SLOTS; i++)
        season->usual[i] = season->deviations[i] = NAN;
}

static void begin_anew(struct season *season)
{
    *season = (struct season){.span_ms = season->span_ms, .n = SEASON_SLOTS};
    forget_slots(season);
}

struct season *season_new(uint32_t span_ms)
{
    _Static_assert(sizeof(struct season) <= SEASON_OCTETS, "as its header says");
    struct season *season = malloc(sizeof *season);
    if (!season)
        return NULL;
    season->span_ms = span_ms;
    begin_anew(season);
    return season;
}

void season_free(struct season *season)
{
    free(season);
}

uint32_t season_span(const struct season *season)
{
    return season->span_ms;
}

bool season_is_known(const struct season *season)
{
    return season->seasons >= 2;
}

/* -- Slots ------------------------------------------------------------------------------------ */

/* The number of the slot of a time. Slots are counted from 1970; before that, downwards. */
static int64_t slot_at(const struct season *season, int64_t wall_ms)
{
    int64_t span = season->span_ms, seasons = wall_ms / span, rest = wall_ms % span;
    if (rest < 0) {
        rest += span;
        seasons--;
    }
    return seasons * season->n + rest * season->n / span;
}

static unsigned place_of(const struct season *season, int64_t slot)
{
    int64_t rest = slot % season->n;
    return (unsigned)(rest < 0 ? rest + season->n : rest);
}

static void open_slot(struct season *season, int64_t slot)
{
    season->slot = slot;
    season->sum = season->distances = 0;
    season->count = season->judged = 0;
}

static double mean_of_slot(const struct season *season)
{
    return season->sum / season->count;
}

/* -- The first season: usual values ----------------------------------------------------------- */

/* The mean of those of the n values that are known. NAN: none is known. */
static double mean_of(const float *values, unsigned n)
{
    double sum = 0;
    unsigned known = 0;
    for (unsigned i = 0; i < n; i++)
        if (!isnan(values[i])) {
            sum += (double)values[i];
            known++;
        }
    return known ? sum / known : (double)NAN;
}

static bool covers(const struct season *season, unsigned n)
{
    unsigned each = SEASON_SLOTS / n, known = 0;
    for (unsigned i = 0; i < n; i++)
        known += !isnan(mean_of(season->usual + (size_t)i * each, each));
    return 8 * known >= 7 * n;
}

/* The largest number of slots of a season of which nearly all had a value. 0: there is none. */
static unsigned slots_of(const struct season *season)
{
    for (unsigned each = 1; each <= SEASON_SLOTS / SEASON_SLOTS_LEAST; each++)
        if (SEASON_SLOTS % each == 0 && covers(season, SEASON_SLOTS / each))
            return SEASON_SLOTS / each;
    return 0;
}

static void end_first(struct season *season, int64_t wall_ms)
{
    unsigned n = slots_of(season);
    if (n > 0) {
        unsigned each = SEASON_SLOTS / n;
        for (unsigned i = 0; i < n; i++)
            season->usual[i] = (float)mean_of(season->usual + (size_t)i * each, each);
        season->n = (uint16_t)n;
        season->seasons = 1;
    } else {
        forget_slots(season); /* else later seasons would fill the gaps that this one has */
    }
    open_slot(season, slot_at(season, wall_ms));
    season->first = season->slot;
}

/* -- The second season: usual deviations ------------------------------------------------------- */

/* The usual value becomes the mean of both seasons. The level needs to know by how much the second
 * one is above the first. */
static void close_second(struct season *season, unsigned place)
{
    double mean = mean_of_slot(season), before = (double)season->usual[place];
    if (isnan(before)) {
        season->usual[place] = (float)mean;
        return;
    }
    season->usual[place] = (float)((before + mean) / 2);
    season->deviations[place] = (float)(season->distances / season->judged);
    season->moved += mean - before;
    season->pairs++;
}

/* Puts slots without a value on the line between their neighbours; the first slot follows the last.
 */
static void fill_gaps(float *usual, unsigned n)
{
    unsigned last = 0;
    while (isnan(usual[last]))
        last++;
    for (unsigned i = last + 1, begin = last; i <= begin + n; i++) {
        float *next = &usual[i % n];
        if (isnan(*next))
            continue;
        unsigned gap = i - last;
        float from = usual[last % n], rise = (*next - from) / (float)gap;
        for (unsigned k = 1; k < gap; k++)
            usual[(last + k) % n] = from + rise * (float)k;
        last = i;
    }
}

/* A single deviation is an accident. So a slot gets the mean of its own and its neighbours'
 * deviations, or its own one if that is larger. */
static void smooth_deviations(struct season *season)
{
    float raw[SEASON_SLOTS], all = (float)mean_of(season->deviations, season->n);
    unsigned n = season->n, half = n / 16 > 4 ? n / 16 : 4;
    for (unsigned i = 0; i < n; i++)
        raw[i] = season->deviations[i];
    for (unsigned i = 0; i < n; i++) {
        float near[2 * (SEASON_SLOTS / 16) + 1];
        for (unsigned k = 0; k <= 2 * half; k++)
            near[k] = raw[(i + n + k - half) % n];
        float usual = (float)mean_of(near, 2 * half + 1);
        season->deviations[i] = fmaxf(isnan(usual) ? all : usual, raw[i]);
    }
    season->deviation = mean_of(season->deviations, n);
}

static void end_second(struct season *season)
{
    unsigned known = 0;
    season->first = season->slot;
    for (unsigned i = 0; i < season->n; i++)
        known += !isnan(season->deviations[i]);
    if (4 * known < 3 * (unsigned)season->n)
        return;
    double moved = season->moved / season->pairs;
    fill_gaps(season->usual, season->n);
    smooth_deviations(season);
    double mean = mean_of(season->usual, season->n);
    for (unsigned i = 0; i < season->n; i++)
        season->usual[i] = (float)((double)season->usual[i] - mean);
    season->level = mean + moved / 2;
    season->seasons = 2;
}

/* -- Known ------------------------------------------------------------------------------------ */

/* The standard deviation of normal noise whose mean absolute deviation is 1. */
#define NORMAL 1.2533141373155003

static double alpha_of(const struct season *season)
{
    return 1 - pow(0.05, 1.0 / season->n);
}

static double damping_of(const struct season *season)
{
    return 1 - 0.25 / season->n;
}

static double gamma_of(const struct season *season)
{
    return 1.0 / (season->seasons + 1);
}

static double forecast(const struct season *season, unsigned place)
{
    return season->level + damping_of(season) * season->trend + (double)season->usual[place];
}

/* The usual deviation of values of a slot, as a standard deviation. */
static double deviation_at(const struct season *season, unsigned place)
{
    unsigned n = season->n;
    double own = (double)season->deviations[place];
    double around = ((double)season->deviations[(place + n - 1) % n] + 2 * own +
                     (double)season->deviations[(place + 1) % n]) /
                    4;
    double usual = fmax(fmax(own, around), season->deviation / 10);
    return fmax(NORMAL * usual, fabs(season->origin + forecast(season, place)) / 1000);
}

/* How much of a difference is learnt: at most `most`, or a sixteenth of the difference if that is
 * more. */
static double lesson(double off, double most)
{
    return copysign(fmin(fabs(off), fmax(most, fabs(off) / 16)), off);
}

static void close_known(struct season *season, unsigned place)
{
    double alpha = alpha_of(season), beta = alpha / 4, gamma = gamma_of(season);
    double usual = deviation_at(season, place);
    double e = lesson(mean_of_slot(season) - forecast(season, place), 2 * usual);
    double distance = lesson(season->distances / season->judged, 4 * usual);
    double damped = damping_of(season) * season->trend, own = (double)season->deviations[place];
    season->level += damped + alpha * e;
    season->trend = damped + alpha * beta * e;
    season->usual[place] += (float)(gamma * (1 - alpha) * e);
    season->deviations[place] = (float)(own + gamma * (distance - own));
    season->deviation += (distance - season->deviation) * alpha;
}

static void pass_empty(struct season *season, int64_t slots)
{
    for (; slots > 0; slots--) {
        season->trend *= damping_of(season);
        season->level += season->trend;
    }
}

/* -- Values ----------------------------------------------------------------------------------- */

static void close_slot(struct season *season)
{
    unsigned place = place_of(season, season->slot);
    if (season->count == 0)
        return;
    if (season->seasons == 0)
        season->usual[place] = (float)mean_of_slot(season);
    else if (season->seasons == 1)
        close_second(season, place);
    else
        close_known(season, place);
}

static void begin(struct season *season, double value, int64_t wall_ms)
{
    begin_anew(season);
    season->origin = value;
    season->begun = true;
    open_slot(season, slot_at(season, wall_ms));
    season->first = season->slot + 1; /* the first whole slot */
}

/* Whether a slot is so far ahead (or behind, if negative) that the model cannot go on. */
static bool is_lost(const struct season *season, int64_t ahead)
{
    int64_t most = (int64_t)season->n * (season->seasons < 2 ? 1 : SEASONS_AWAY);
    return !season->begun || ahead > most || ahead < -most || (season->seasons < 2 && ahead < -1);
}

bool season_is_over(const struct season *season, int64_t wall_ms)
{
    return is_lost(season, slot_at(season, wall_ms) - season->slot);
}

static void end_season(struct season *season, int64_t wall_ms)
{
    if (season->seasons == 0)
        end_first(season, wall_ms);
    else if (season->seasons == 1)
        end_second(season);
    else {
        season->first = season->slot;
        if (season->seasons < SEASONS_COUNTED)
            season->seasons++;
    }
}

/* Moves on to the time of a value, and closes the slot and the season if they have ended by then.
 */
static void go_to(struct season *season, double value, int64_t wall_ms)
{
    int64_t slot = slot_at(season, wall_ms), ahead = slot - season->slot;
    if (is_lost(season, ahead)) {
        begin(season, value, wall_ms);
    } else if (ahead < -1) {
        open_slot(season, slot);
        if (season->first > slot)
            season->first = slot;
    } else if (ahead > 0 && season->slot < season->first) {
        season->origin = value; /* nothing is learnt of a slot that was not whole */
        open_slot(season, slot);
    } else if (ahead > 0) {
        close_slot(season);
        if (season_is_known(season))
            pass_empty(season, ahead - 1);
        open_slot(season, slot);
        if (slot - season->first >= season->n)
            end_season(season, wall_ms);
    }
}

/* Judges a value, from which the origin has been subtracted. Returns |e|. */
static double judge(const struct season *season, double value, struct season_verdict *verdict)
{
    unsigned place = place_of(season, season->slot);
    double expected = forecast(season, place), off = value - expected;
    double in_deviations = off / deviation_at(season, place);
    if (isnan(in_deviations))
        in_deviations = 0; /* 0 / 0: the value is as always, and there was never a deviation */
    *verdict =
        (struct season_verdict){.expected = season->origin + expected,
                                .deviation = fmax(-SEASON_MOST, fmin(in_deviations, SEASON_MOST))};
    return fabs(off);
}

bool season_add(struct season *season, double value, int64_t wall_ms,
                struct season_verdict *verdict)
{
    if (!(fabs(value) <= SEASON_LARGEST))
        return false;
    go_to(season, value, wall_ms);
    bool is_known = season_is_known(season);
    double relative = value - season->origin, distance = NAN;
    if (is_known)
        distance = judge(season, relative, verdict);
    else if (season->seasons == 1)
        distance = fabs(relative - (double)season->usual[place_of(season, season->slot)]);
    season->sum += relative;
    season->count++;
    if (!isnan(distance)) {
        season->distances += distance;
        season->judged++;
    }
    return is_known;
}
