#include "threshold/season_pack.h"

#include <cbor.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "threshold/season_model.h"

/* An item is an array: this format, span, slots, seasons learnt; slot, first slot, number of its
 * values, number of those judged, pairs; origin, level, trend, deviation, sum, distances, moved;
 * and, for each slot, its usual value and its deviation, null if not known. */
#define FORMAT 1
#define WHOLES 9
#define REALS 7
#define HEAD (WHOLES + REALS)

/* More than any value in a model, and far below the largest float: slots are floats. */
#define MOST (1e3 * SEASON_LARGEST)

/* -- Packing ---------------------------------------------------------------------------------- */

static size_t put_slot(uint8_t *at, size_t room, float value)
{
    return isnan(value) ? cbor_encode_null(at, room) : item_put_number(at, room, (double)value);
}

static size_t put_head(const struct season *season, uint8_t *at, size_t room)
{
    const int64_t wholes[WHOLES] = {FORMAT,          season->span_ms, season->n,
                                    season->seasons, season->slot,    season->first,
                                    season->count,   season->judged,  season->pairs};
    const double reals[REALS] = {season->origin,    season->level, season->trend,
                                 season->deviation, season->sum,   season->distances,
                                 season->moved};
    size_t n = cbor_encode_array_start(HEAD + 2 * (size_t)season->n, at, room);
    for (unsigned i = 0; i < WHOLES; i++)
        n += item_put_int(at + n, room - n, wholes[i]);
    for (unsigned i = 0; i < REALS; i++)
        n += item_put_number(at + n, room - n, reals[i]);
    return n;
}

size_t season_pack(const struct season *season, uint8_t *at, size_t room)
{
    if (room < SEASON_PACKED_MAX || !season->begun)
        return 0;
    size_t n = put_head(season, at, room);
    for (unsigned i = 0; i < season->n; i++) {
        n += put_slot(at + n, room - n, season->usual[i]);
        n += put_slot(at + n, room - n, season->deviations[i]);
    }
    return n;
}

/* -- Unpacking -------------------------------------------------------------------------------- */

static bool take_whole(struct item_reader *reader, int64_t low, int64_t high, int64_t *number)
{
    struct item item;
    return item_take(reader, &item) == 0 && item_int(&item, number) && *number >= low &&
           *number <= high;
}

static bool take_real(struct item_reader *reader, double *number)
{
    struct item item;
    return item_take(reader, &item) == 0 && item_number(&item, number) && isfinite(*number);
}

/* Takes a number of a slot, which may be null while the model still learns. */
static bool take_slot(struct item_reader *reader, bool may_lack, double low, float *value)
{
    struct item item;
    double number;
    if (item_take(reader, &item) != 0)
        return false;
    *value = NAN;
    if (item.kind == ITEM_NULL)
        return may_lack;
    if (!item_number(&item, &number) || !(number >= low && number <= MOST))
        return false;
    *value = (float)number;
    return true;
}

static bool take_wholes(struct item_reader *reader, struct season *season)
{
    int64_t version, span, n, seasons, count, judged, pairs;
    const int64_t far = INT64_MAX / 4;
    if (!take_whole(reader, FORMAT, FORMAT, &version) ||
        !take_whole(reader, 1, UINT32_MAX, &span) ||
        !take_whole(reader, SEASON_SLOTS_LEAST, SEASON_SLOTS, &n) ||
        !take_whole(reader, 0, SEASONS_COUNTED, &seasons) ||
        !take_whole(reader, -far, far, &season->slot) ||
        !take_whole(reader, -far, far, &season->first) ||
        !take_whole(reader, 1, UINT32_MAX, &count) || !take_whole(reader, 0, count, &judged) ||
        !take_whole(reader, 0, UINT32_MAX, &pairs))
        return false;
    season->span_ms = (uint32_t)span;
    season->n = (uint16_t)n;
    season->seasons = (uint8_t)seasons;
    season->count = (uint32_t)count;
    season->judged = (uint32_t)judged;
    season->pairs = (uint32_t)pairs;
    season->begun = true;
    return SEASON_SLOTS % n == 0 && (seasons > 0 || n == SEASON_SLOTS) &&
           season->first <= season->slot + (seasons == 0);
}

static bool take_reals(struct item_reader *reader, struct season *season)
{
    double *const reals[REALS] = {&season->origin,    &season->level, &season->trend,
                                  &season->deviation, &season->sum,   &season->distances,
                                  &season->moved};
    for (unsigned i = 0; i < REALS; i++)
        if (!take_real(reader, reals[i]))
            return false;
    return fabs(season->origin) <= MOST && fabs(season->level) <= MOST &&
           fabs(season->trend) <= MOST && season->deviation >= 0 && season->deviation <= MOST &&
           season->distances >= 0;
}

static bool is_sum_of(double sum, uint32_t n)
{
    return fabs(sum) <= n * MOST;
}

/* Checks that the sums are possible for their counts. From the second season on, the values of a
 * slot are judged if its place has a usual value; each deviation of the second season comes from a
 * pair. */
static bool counts_agree(const struct season *season)
{
    int64_t place = (season->slot % season->n + season->n) % season->n;
    bool is_judged = season->seasons > 0 && !isnan(season->usual[place]);
    unsigned known = 0;
    for (unsigned i = 0; i < season->n; i++)
        known += !isnan(season->deviations[i]);
    return season->judged == (is_judged ? season->count : 0) &&
           (season->seasons >= 2 || season->pairs >= known) &&
           is_sum_of(season->sum, season->count) && is_sum_of(season->distances, season->judged) &&
           is_sum_of(season->moved, season->pairs);
}

static bool take_all(struct item_reader *reader, struct season *season)
{
    struct item item;
    if (item_take(reader, &item) != 0 || item.kind != ITEM_ARRAY || !take_wholes(reader, season) ||
        item.number != HEAD + 2 * (uint64_t)season->n || !take_reals(reader, season))
        return false;
    bool may_lack = season->seasons < 2;
    for (unsigned i = 0; i < season->n; i++)
        if (!take_slot(reader, may_lack, -MOST, &season->usual[i]) ||
            !take_slot(reader, may_lack, 0, &season->deviations[i]))
            return false;
    return counts_agree(season);
}

struct season *season_unpack(struct item_reader *reader)
{
    struct season *season = season_new(1);
    if (!season || take_all(reader, season))
        return season;
    season_free(season);
    errno = EBADMSG;
    return NULL;
}
