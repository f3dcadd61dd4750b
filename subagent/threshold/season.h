/* What is usual for a series at this time of its season, a day as a rule, and how far a value is
 * from that, counted in usual deviations. Pure but for the memory.
 *
 * The model is that of Jake D. Brutlag, "Aberrant behavior detection in time series for network
 * monitoring", LISA 2000: additive Holt-Winters, here with a damped trend (Gardner and McKenzie,
 * 1985), and for each place in the season an exponentially smoothed absolute deviation:
 *
 *     forecast  y^ = level + phi trend + season[place]
 *     level    := level + phi trend + alpha e          e: the value less its forecast
 *     trend    := phi trend + alpha beta e
 *     season   := season + gamma (1 - alpha) e
 *     deviation := (1 - gamma) deviation + gamma |e|
 *
 * Slots. A season has at most SEASON_SLOTS slots, which are five minutes each if it is a day. Each
 * slot steps the model once, with the mean of its values, so that neither memory nor the model
 * depends on the sampling. The |e| of a slot with several values is the mean of theirs, because
 * values are judged, not means. The number of slots is settled after the first season: it is the
 * largest of SEASON_SLOTS, a half of them, a third... of which 7 of 8 slots had a value, so that no
 * slot is shorter than the sampling interval. Fewer than SEASON_SLOTS_LEAST would not show a
 * season: then the values of the first season are forgotten, and another one is awaited.
 *
 * Learning. The first whole season gives each slot its usual value, the second one shows how far
 * values are from that. Nothing is known before both have passed: to judge by one season alone
 * would be to judge by its accidents. A slot that had no value in either gets one between those of
 * its neighbours. Then gamma is 1/3, 1/4... down to 1/10, as in a mean; alpha is such that the
 * seasons before the last have 5 percent of the weight in the level, beta is a quarter of alpha,
 * and phi leaves three quarters of a trend after a season.
 *
 * Deviations. 1.2533 times the mean absolute deviation is the standard deviation of normal noise
 * (the square root of pi/2), so that a limit of 3 means what it does elsewhere. The deviation is
 * that of the slot, or of the slot with its neighbours (1/4, 1/2, 1/4), if that is more; but at
 * least a tenth of the mean of all slots, and a thousandth of the forecast, so that a series that
 * was constant does not raise an alarm because of its last digit. A value counts as at most
 * SEASON_MOST deviations off; so does every value that differs at all from a series that was always
 * 0.
 *
 * Faults. A value that is more than two deviations off teaches level and season as if it were off
 * by two, or by a sixteenth of its distance if that is more; for the deviations the limit is four
 * (Gelper, Fried, Croux, "Robust forecasting with exponential and Holt-Winters smoothing", 2010). A
 * change that lasts becomes usual all the same, as with Brutlag: one of 6 deviations in about a
 * third of a season, one of 12 in a whole one, one of 100 in three or four.
 *
 * Time. The place in the season is that of the wall clock, in UTC: it is the same after a restart.
 * Where working hours follow a summer time, the model learns the other hour in some seasons. Slots
 * without values, at most seven seasons of them, are passed: the trend is damped, all else stays. A
 * clock that steps forward makes such a gap. A step back by up to a slot is ignored; after a larger
 * one, the slot that has begun is dropped, and the model goes on at the new time. After a step of
 * more than seven seasons, either way, it begins to learn anew; while it learns, it does so already
 * after a gap of a season, and after each step back by more than a slot. */
#ifndef DCAMP_THRESHOLD_SEASON_H
#define DCAMP_THRESHOLD_SEASON_H

#include <stdbool.h>
#include <stdint.h>

#define SEASON_SLOTS 288
#define SEASON_SLOTS_LEAST 12
#define SEASON_MOST 1000

/* Larger values are left out, and so are values that are not finite. */
#define SEASON_LARGEST 1e30

/* A model takes at most so many octets, whatever its season. */
#define SEASON_OCTETS 2400

struct season;

/* NULL: no memory. span_ms: the length of the season, above 0. */
struct season *season_new(uint32_t span_ms);
void season_free(struct season *season);

uint32_t season_span(const struct season *season);

/* Whether the model has learnt what is usual. */
bool season_is_known(const struct season *season);

/* What a value was judged to be. */
struct season_verdict {
    double expected;
    double deviation; /* of the value, in usual deviations, signed, within +-SEASON_MOST */
};

/* Adds a value at a time in wall-clock milliseconds since 1970 UTC. False: what is usual is not
 * known yet, or the value is left out. */
bool season_add(struct season *season, double value, int64_t wall_ms,
                struct season_verdict *verdict);

/* Whether a value at that time would be too far from the last one, so that the model would begin to
 * learn anew. */
bool season_is_over(const struct season *season, int64_t wall_ms);

#endif
