/* What of a series is usual at this time of its season, a day as a rule, and how far a value is
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
 * Slots. A season has at most SEASON_SLOTS of them, five minutes of a day; each steps the model
 * once, with the mean of its values, so that neither memory nor the model depends on the sampling.
 * The |e| of a slot with several values is the mean of theirs: it is values that are judged, not
 * means. How many slots there are is settled after the first season: the most of SEASON_SLOTS, a
 * half of them, a third... of which 7 of 8 had a value, so that none is finer than the sampling.
 * Fewer than SEASON_SLOTS_LEAST would not show a season: what it gave is forgotten, and it is
 * looked at for another one.
 *
 * Learning. The first whole season gives each slot its usual value, the second one how far values
 * are from that. Nothing is known before both have passed, and nobody should believe less: what is
 * judged by one season is judged by its accidents. A slot that neither had is put between its
 * neighbours. Then gamma is 1/3, 1/4... down to 1/10, as in a mean; alpha lets a season before the
 * last have 5 percent of the weight in the level, beta is a quarter of it, and phi leaves three
 * quarters of a trend after a season.
 *
 * Deviations. 1.2533 times the mean absolute deviation is the standard deviation of normal noise
 * (the square root of pi/2), so that a limit of 3 means what it does elsewhere. It is that of the
 * slot, or of the slot with its neighbours (1/4, 1/2, 1/4), if that is more; but at least a tenth
 * of the mean of all slots, and a thousandth of the forecast, so that a series that was constant
 * does not make an alarm of its last digit. A value is at most SEASON_MOST deviations off: so is
 * each that differs at all from a series that was always 0.
 *
 * Faults. What is more than two deviations off teaches level and season as if it were two, or a
 * sixteenth of itself, and four for the deviations (Gelper, Fried, Croux, "Robust forecasting with
 * exponential and Holt-Winters smoothing", 2010). A change that lasts becomes usual all the same,
 * as with Brutlag: one of 6 deviations in about a third of a season, one of 12 in a whole one,
 * one of 100 in three or four.
 *
 * Time. The place in the season is that of the wall clock, in UTC: it is the same after a restart,
 * and where the hours of work follow a summer time, the model learns the other hour in some
 * seasons. Slots without values, at most seven seasons of them, are passed: the trend is damped,
 * all else stays. A clock that steps forward makes such a gap. One that steps back by up to a slot
 * is not minded; by more, the slot that has begun is dropped, and the model goes on at the new
 * time. By more than seven seasons, either way, it begins to learn anew; while it learns, it does
 * so for a gap of a season and for each step back. */
#ifndef DCAMP_THRESHOLD_SEASON_H
#define DCAMP_THRESHOLD_SEASON_H

#include <stdbool.h>
#include <stdint.h>

#define SEASON_SLOTS 288
#define SEASON_SLOTS_LEAST 12
#define SEASON_MOST 1000

/* What is larger is left out, like what is not finite. */
#define SEASON_LARGEST 1e30

/* So many octets does a model have, whatever its season. */
#define SEASON_OCTETS 2400

struct season;

/* NULL: no memory. span_ms: the length of the season, above 0. */
struct season *season_new(uint32_t span_ms);
void season_free(struct season *season);

uint32_t season_span(const struct season *season);

/* Whether it has learnt what is usual. */
bool season_is_known(const struct season *season);

/* What a value was judged to be. */
struct season_verdict {
    double expected;
    double deviation; /* of the value, in usual deviations, signed, within +-SEASON_MOST */
};

/* A value, at wall-clock milliseconds since 1970 UTC. False: what is usual is not known yet, or the
 * value is left out. */
bool season_add(struct season *season, double value, int64_t wall_ms,
                struct season_verdict *verdict);

/* Whether a value would be too far from the last one: then the model begins to learn anew. */
bool season_is_over(const struct season *season, int64_t wall_ms);

#endif
