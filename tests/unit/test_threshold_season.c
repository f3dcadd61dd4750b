/* What is usual at a time of the season: made series with noise of a fixed generator, beside a
 * model that keeps everything; faults, gaps, clocks, restarts, what memory and files can do. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "threshold/season_model.h"
#include "threshold/season_pack.h"

#include "scarce.h"
#include "unit.h"

#define DAY INT64_C(86400000)
#define START (INT64_C(20000) * DAY)

/* -- Made series ------------------------------------------------------------------------------ */

/* xorshift64: Marsaglia, 2003. */
struct noise {
    uint64_t state;
};

static double uniform(struct noise *noise)
{
    noise->state ^= noise->state << 13;
    noise->state ^= noise->state >> 7;
    noise->state ^= noise->state << 17;
    return (double)(noise->state >> 11) * 0x1p-53;
}

/* Normal, by Box and Muller. */
static double normal(struct noise *noise)
{
    double radius = sqrt(-2 * log(1 - uniform(noise)));
    return radius * cos(2 * 3.14159265358979 * uniform(noise));
}

static double shape(int64_t wall_ms, int64_t span)
{
    double turn = 2 * 3.14159265358979 * (double)(wall_ms % span) / (double)span;
    return 100 + 30 * sin(turn) + 10 * sin(3 * turn);
}

/* A series and its model. */
struct made {
    struct season *season;
    struct noise noise;
    int64_t now, step, span;
    double sigma;
    double drift;    /* by the season */
    double loudness; /* how much louder the days are than the nights */
    double fault;
    int64_t hours; /* the clock of the series is ahead of UTC */
};

static struct made made_of(int64_t span, int64_t step)
{
    return (struct made){.season = season_new((uint32_t)span),
                         .noise = {UINT64_C(88172645463325252)},
                         .now = START,
                         .step = step,
                         .span = span,
                         .sigma = 1};
}

static double made_value(struct made *made)
{
    double usual = shape(made->now + made->hours * 3600000, made->span);
    double turn = 2 * 3.14159265358979 * (double)(made->now % made->span) / (double)made->span;
    double sigma = made->sigma * (1 + made->loudness * (1 + sin(turn)));
    double drift = made->drift * (double)(made->now - START) / (double)made->span;
    return usual + sigma * normal(&made->noise) + drift + made->fault;
}

/* How many values of so many there were that are known, and beyond 3 usual deviations. */
struct counted {
    unsigned known, beyond;
};

static struct counted go(struct made *made, int64_t ms)
{
    struct counted counted = {0, 0};
    for (int64_t end = made->now + ms; made->now < end; made->now += made->step) {
        struct season_verdict verdict;
        if (!season_add(made->season, made_value(made), made->now, &verdict))
            continue;
        counted.known++;
        counted.beyond += fabs(verdict.deviation) > 3;
    }
    return counted;
}

static double rate_of(struct counted counted)
{
    return (double)counted.beyond / counted.known;
}

/* -- What is known, and when ------------------------------------------------------------------- */

/* Two whole seasons, the first of which begins with the first whole slot. */
static void known_after_two_seasons(void **state)
{
    (void)state;
    static const int64_t spans[] = {20000, 3600000, DAY, 7 * DAY};
    for (size_t i = 0; i < N_OF(spans); i++) {
        struct made made = made_of(spans[i], spans[i] / 288);
        made.now += spans[i] / 3;
        int64_t begun = made.now;
        struct season_verdict verdict;
        while (!season_add(made.season, made_value(&made), made.now, &verdict))
            made.now += made.step;
        assert_in_range(made.now - begun, 2 * spans[i], 2 * spans[i] + 2 * spans[i] / 288 + 1);
        assert_int_equal(season_span(made.season), spans[i]);
        season_free(made.season);
    }
    season_free(NULL);
}

/* No slot is finer than the sampling; what is sampled a dozen times in a season, or once less, is
 * enough, and what is less is never known. */
static void as_fine_as_the_sampling(void **state)
{
    (void)state;
    static const struct {
        unsigned values, known_by; /* of a season; seasons */
    } cases[] = {{86400, 3}, {288, 3}, {287, 3}, {150, 3}, {144, 3}, {40, 3}, {24, 3},
                 {13, 3},    {12, 3},  {11, 3},  {10, 0},  {4, 0},   {1, 0}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made made = made_of(DAY, DAY / cases[i].values);
        struct counted counted = go(&made, 4 * DAY);
        assert_int_equal(counted.known > 0, cases[i].known_by > 0);
        if (cases[i].known_by)
            assert_in_range(counted.known, 2 * cases[i].values - cases[i].values / 6 - 2,
                            2 * cases[i].values + 2);
        season_free(made.season);
    }
}

/* Nor does it help that the few values of a season come at other times than those of the one
 * before.
 */
static void too_few_for_weeks(void **state)
{
    (void)state;
    static const int64_t hours[] = {5, 7, 11};
    for (size_t i = 0; i < N_OF(hours); i++) {
        struct made made = made_of(DAY, hours[i] * DAY / 24);
        assert_int_equal(go(&made, 60 * DAY).known, 0);
        season_free(made.season);
    }
}

/* Values that come at other times in each season. */
static void sampling_with_jitter(void **state)
{
    (void)state;
    struct made made = made_of(20000, 1000);
    struct counted counted = {0, 0};
    for (unsigned i = 0; i < 600; i++) {
        int64_t jitter = (int64_t)(40 * uniform(&made.noise)) - 20;
        struct season_verdict verdict;
        made.now = START + 1000 * i + jitter;
        if (season_add(made.season, made_value(&made), made.now, &verdict)) {
            counted.known++;
            counted.beyond += fabs(verdict.deviation) > 3;
        }
    }
    assert_true(counted.known > 500);
    assert_true(rate_of(counted) < 0.02);
    season_free(made.season);
}

static void what_is_left_out(void **state)
{
    (void)state;
    static const double values[] = {NAN, INFINITY, -INFINITY, 1.1e30, -1e300};
    struct made made = made_of(DAY, DAY / 288);
    struct season_verdict verdict;
    go(&made, 4 * DAY);
    uint8_t before[SEASON_PACKED_MAX], after[SEASON_PACKED_MAX];
    size_t n = season_pack(made.season, before, sizeof before);
    for (size_t i = 0; i < N_OF(values); i++)
        assert_false(season_add(made.season, values[i], made.now, &verdict));
    assert_int_equal(season_pack(made.season, after, sizeof after), n);
    assert_memory_equal(before, after, n);
    season_free(made.season);
}

/* However far the very first value is from all others, they are told apart. */
static void a_first_value_that_is_far_off(void **state)
{
    (void)state;
    static const double firsts[] = {1e9, -1e15};
    for (size_t i = 0; i < N_OF(firsts); i++) {
        struct made made = made_of(DAY, DAY / 288);
        struct season_verdict verdict;
        season_add(made.season, firsts[i], made.now - 1000, &verdict);
        go(&made, 4 * DAY);
        made.sigma = 0;
        assert_true(season_add(made.season, made_value(&made) + 20, made.now, &verdict));
        if (verdict.deviation < 5 || fabs(verdict.expected - made_value(&made)) > 3)
            fail_msg("%g, %g", verdict.deviation, verdict.expected);
        season_free(made.season);
    }
}

/* Nothing that is allowed makes a number of it that is none. */
static void the_largest_values(void **state)
{
    (void)state;
    struct season *season = season_new((uint32_t)DAY);
    for (int64_t i = 0; i < 288 * 12; i++) {
        struct season_verdict verdict;
        double value = (i / 7) % 2 ? SEASON_LARGEST : -SEASON_LARGEST;
        if (season_add(season, value, START + i * DAY / 288, &verdict))
            assert_true(isfinite(verdict.expected) && fabs(verdict.deviation) <= SEASON_MOST);
    }
    season_free(season);
}

/* -- False alarms, and real ones --------------------------------------------------------------- */

/* Three standard deviations of normal noise leave 0.27 percent outside. Deviations that are learnt
 * of some ten seasons are off by some 10 percent themselves, which makes it up to 0.5 percent; and
 * nothing is worse in the first days. */
static void few_false_alarms(void **state)
{
    (void)state;
    static const struct {
        unsigned values;
        double drift, loudness;
    } cases[] = {{288, 0, 0}, {288, 0, 4}, {8640, 0, 0}, {8640, 0, 4}, {24, 0, 0}, {288, 3, 0}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made made = made_of(DAY, DAY / cases[i].values);
        made.drift = cases[i].drift;
        made.loudness = cases[i].loudness;
        struct counted first = go(&made, 7 * DAY), then = go(&made, 40 * DAY);
        if (rate_of(first) > 0.006 || rate_of(then) > 0.006)
            fail_msg("case %zu: %g, %g", i, rate_of(first), rate_of(then));
        /* Nor are alarms rare because nothing counts: */
        made.fault = 12;
        assert_true(cases[i].loudness > 0 || rate_of(go(&made, DAY / 24)) > 0.99);
        season_free(made.season);
    }
}

/* What is expected, and in which unit: six standard deviations are some six. */
static void how_far_a_fault_is(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct made made = made_of(DAY, DAY / 288);
        double sum = 0;
        go(&made, 30 * DAY);
        made.sigma = 0;
        made.fault = 6 * sign;
        for (int i = 0; i < 12; i++, made.now += made.step) {
            struct season_verdict verdict;
            double value = made_value(&made);
            assert_true(season_add(made.season, value, made.now, &verdict));
            assert_true(fabs(verdict.expected - (value - made.fault)) < 2.5);
            sum += verdict.deviation / 12;
        }
        if (fabs(sum * sign - 5.2) > 1)
            fail_msg("%g", sum);
        season_free(made.season);
    }
}

/* How long a change that lasts is beyond the limit, in seasons: not a moment, not for ever. */
static void a_change_that_lasts_becomes_usual(void **state)
{
    (void)state;
    static const struct {
        double change, least, most;
    } cases[] = {{6, 0.2, 0.5}, {12, 0.7, 1.3}, {100, 2.5, 4}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made made = made_of(DAY, DAY / 288);
        go(&made, 30 * DAY);
        made.fault = cases[i].change;
        double beyond = rate_of(go(&made, 10 * DAY)) * 10;
        if (beyond < cases[i].least || beyond > cases[i].most)
            fail_msg("%g: %g", cases[i].change, beyond);
        season_free(made.season);
    }
}

/* A fault of an hour is forgotten: neither its end nor the same hour of the next day is beyond. */
static void a_fault_that_ends(void **state)
{
    (void)state;
    struct made made = made_of(DAY, DAY / 288);
    go(&made, 30 * DAY);
    made.fault = 100;
    assert_int_equal(go(&made, DAY / 24).beyond, 12);
    made.fault = 0;
    assert_true(rate_of(go(&made, 3 * DAY)) < 0.02);
    season_free(made.season);
}

/* Deviations of a constant are nothing: a thousandth of it is the least that counts as one, and of
 * nothing anything is the most. */
static void constant_series(void **state)
{
    (void)state;
    static const struct {
        double constant, value, deviation;
    } cases[] = {{0, 0, 0},     {0, 1e-9, 1000}, {0, -5, -1000},  {50, 50, 0},
                 {50, 50.1, 2}, {50, 49, -20},   {-50, -51, -20}, {1e12, 1.1e12, 100}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct season *season = season_new((uint32_t)DAY);
        struct season_verdict verdict = {0, NAN};
        for (int64_t t = 0; t < 5 * DAY; t += DAY / 288)
            if (season_add(season, cases[i].constant, START + t, &verdict))
                assert_true(fabs(verdict.deviation) < 1e-9);
        assert_true(season_add(season, cases[i].value, START + 5 * DAY, &verdict));
        if (fabs(verdict.deviation - cases[i].deviation) > 1e-6)
            fail_msg("%g is not %g", verdict.deviation, cases[i].deviation);
        season_free(season);
    }
}

/* Nights without anything, days with noise: a tenth of the mean deviation is the least at any time.
 */
static void silent_nights(void **state)
{
    (void)state;
    struct noise noise = {7};
    struct season *season = season_new((uint32_t)DAY);
    struct season_verdict verdict = {0, NAN};
    for (int64_t t = 0; t < 20 * DAY; t += DAY / 288) {
        bool night = t % DAY < DAY / 2;
        season_add(season, night ? 0 : 100 + 10 * normal(&noise), START + t, &verdict);
    }
    assert_true(season_add(season, 0.5, START + 20 * DAY + DAY / 4, &verdict));
    if (fabs(verdict.deviation) > 0.7)
        fail_msg("%g", verdict.deviation);
    season_free(season);
}

/* A job that is now larger, now smaller: what is loud in its slot alone is known to be so from the
 * second season on. */
static void a_loud_moment(void **state)
{
    (void)state;
    struct noise noise = {7};
    struct season *season = season_new((uint32_t)DAY);
    for (int64_t i = 0; i < 288 * 6; i++) {
        struct season_verdict verdict;
        double value = i % 288 == 100 ? 200 + (i / 288 % 2 ? 50 : -50) : 20 + normal(&noise);
        if (season_add(season, value, START + i * DAY / 288, &verdict) && i % 288 == 100)
            assert_true(fabs(verdict.deviation) < 3);
    }
    season_free(season);
}

/* Even that becomes usual: nothing stands for ever. */
static void constant_no_more(void **state)
{
    (void)state;
    struct season *season = season_new((uint32_t)DAY);
    struct season_verdict verdict = {0, NAN};
    for (int64_t t = 0; t < 30 * DAY; t += DAY / 288)
        season_add(season, t < 5 * DAY ? 0 : 5, START + t, &verdict);
    assert_true(fabs(verdict.deviation) < 3);
    assert_true(fabs(verdict.expected - 5) < 1);
    season_free(season);
}

/* -- Beside a model that keeps everything ---------------------------------------------------- */

/* Brutlag's formulas in doubles, for a value a slot, from what the first two days gave on. */
struct naive {
    double level, trend, usual[288], deviations[288];
};

static void naive_start(struct naive *naive, const double *values)
{
    double mean = 0, moved = 0, raw[288];
    for (int i = 0; i < 288; i++) {
        naive->usual[i] = (values[i] + values[288 + i]) / 2;
        raw[i] = fabs(values[288 + i] - values[i]);
        mean += naive->usual[i] / 288;
        moved += (values[288 + i] - values[i]) / 288;
    }
    for (int i = 0; i < 288; i++) {
        double near = 0;
        for (int k = -18; k <= 18; k++)
            near += raw[(i + 288 + k) % 288] / 37;
        naive->deviations[i] = fmax(near, raw[i]);
        naive->usual[i] -= mean;
    }
    naive->level = mean + moved / 2;
    naive->trend = 0;
}

/* Where no slot is far quieter than all are on average. */
static double naive_deviation(const struct naive *naive, unsigned at, double expected)
{
    double own = naive->deviations[at];
    double around =
        (naive->deviations[(at + 287) % 288] + 2 * own + naive->deviations[(at + 1) % 288]) / 4;
    return fmax(1.2533141373155 * fmax(own, around), fabs(expected) / 1000);
}

static struct season_verdict naive_next(struct naive *naive, unsigned i, double value)
{
    double alpha = 1 - pow(0.05, 1.0 / 288), phi = 1 - 0.25 / 288, gamma = 1.0 / (i / 288 + 1);
    unsigned at = i % 288;
    gamma = fmax(gamma, 0.1);
    double expected = naive->level + phi * naive->trend + naive->usual[at], e = value - expected;
    const struct season_verdict verdict = {expected, e / naive_deviation(naive, at, expected)};
    naive->level += phi * naive->trend + alpha * e;
    naive->trend = phi * naive->trend + alpha * alpha / 4 * e;
    naive->usual[at] += gamma * (1 - alpha) * e;
    naive->deviations[at] += gamma * (fabs(e) - naive->deviations[at]);
    return verdict;
}

/* Where nothing is beyond two deviations the two agree but for the digits of floats; on a base of
 * 1e9 as well. The values are so that this holds: in turn above and
 * below what is usual. */
static void as_the_naive_model(void **state)
{
    (void)state;
    static const double bases[] = {0, 1e9};
    for (size_t k = 0; k < N_OF(bases); k++) {
        static double values[288 * 20];
        static struct naive naive;
        struct noise noise = {7};
        for (int i = 0; i < 288 * 20; i++)
            values[i] = bases[k] + shape(i * DAY / 288, DAY) + ((i + i / 288) % 2 ? 1 : -1) +
                        0.2 * uniform(&noise);
        naive_start(&naive, values);
        struct season *season = season_new((uint32_t)DAY);
        struct season_verdict verdict = {0, 0};
        for (unsigned i = 0; i < 288 * 20; i++) {
            /* The first slot is not a whole one to the model: it begins one before. */
            if (i == 0)
                season_add(season, values[287], START - DAY / 288, &verdict);
            bool known = season_add(season, values[i], START + i * (DAY / 288), &verdict);
            assert_int_equal(known, i >= 576);
            if (!known)
                continue;
            const struct season_verdict wanted = naive_next(&naive, i, values[i]);
            if (fabs(verdict.expected - wanted.expected) > 1e-3 + bases[k] * 1e-12)
                fail_msg("%u: %.9g is not %.9g", i, verdict.expected, wanted.expected);
            if (fabs(verdict.deviation - wanted.deviation) > 0.01 * fabs(wanted.deviation))
                fail_msg("%u: %.9g is not %.9g", i, verdict.deviation, wanted.deviation);
        }
        season_free(season);
    }
}

static void so_many_octets(void **state)
{
    (void)state;
    scarce_fail(0);
    struct season *season = season_new((uint32_t)DAY);
    scarce_stop();
    assert_int_equal(scarce_count(), 1);
    season_free(season);
    assert_true(SEASON_OCTETS < sizeof(struct naive)); /* a half */
}

/* -- Time ------------------------------------------------------------------------------------ */

/* A gap of a night, of days: what is usual then is still known. */
static void gaps(void **state)
{
    (void)state;
    static const int64_t missing[] = {DAY / 288, DAY / 3, DAY, 5 * DAY / 2, 7 * DAY - DAY / 24};
    for (size_t i = 0; i < N_OF(missing); i++) {
        struct made made = made_of(DAY, DAY / 288);
        go(&made, 30 * DAY);
        made.now += missing[i];
        struct counted after = go(&made, 2 * DAY);
        assert_int_equal(after.known, 2 * 288);
        assert_true(rate_of(after) < 0.015);
        season_free(made.season);
    }
}

/* More than seven days: it begins to learn anew. */
static void a_gap_of_a_holiday(void **state)
{
    (void)state;
    struct made made = made_of(DAY, DAY / 288);
    go(&made, 30 * DAY);
    made.now += 8 * DAY;
    assert_int_equal(go(&made, 2 * DAY).known, 0);
    assert_int_equal(go(&made, DAY).known, 287);
    season_free(made.season);
}

/* While it learns: hours are put between their neighbours, a day's gap is a new beginning. */
static void gaps_while_it_learns(void **state)
{
    (void)state;
    for (int day = 0; day < 2; day++) {
        struct made made = made_of(DAY, DAY / 288);
        go(&made, day * DAY + DAY / 3);
        made.now += DAY / 12;
        assert_int_equal(go(&made, (1 - day) * DAY + DAY * 7 / 12).known, 0);
        made.now += DAY / 288;
        struct counted after = go(&made, 7 * DAY);
        assert_true(after.known >= 7 * 288 - 2);
        if (rate_of(after) > 0.01)
            fail_msg("%g", rate_of(after));
        season_free(made.season);
        made = made_of(DAY, DAY / 288);
        go(&made, day * DAY + DAY / 3);
        made.now += DAY + DAY / 100;
        assert_int_equal(go(&made, 2 * DAY).known, 0);
        season_free(made.season);
    }
}

/* A time of the day that was never seen is between its neighbours, around midnight as well. */
static void hours_that_are_never_seen(void **state)
{
    (void)state;
    static const int64_t begins[] = {0, 100, 280};
    for (size_t k = 0; k < N_OF(begins); k++) {
        struct season *season = season_new((uint32_t)DAY);
        for (int64_t i = 0; i < 288 * 4; i++) {
            struct season_verdict verdict;
            int64_t from_gap = (i + 288 - begins[k]) % 288;
            double value = 100 + 30 * sin((double)(i % 288) * 3.14159265358979 / 144);
            if (from_gap < 20 && i < 288 * 3)
                continue;
            if (season_add(season, value, START + i * DAY / 288, &verdict))
                assert_true(fabs(verdict.expected - value) < 3);
        }
        season_free(season);
    }
}

/* What grows goes on to grow in a gap. */
static void growth_in_a_gap(void **state)
{
    (void)state;
    struct made made = made_of(DAY, DAY / 288);
    struct season_verdict verdict = {0, 0};
    made.drift = 5;
    made.sigma = 0.1;
    go(&made, 40 * DAY);
    assert_true(season_add(made.season, made_value(&made), made.now, &verdict));
    double before = made_value(&made) - verdict.expected;
    made.now += DAY;
    assert_true(season_add(made.season, made_value(&made), made.now, &verdict));
    double after = made_value(&made) - verdict.expected;
    if (after - before > 0.5 * made.drift)
        fail_msg("%g, %g", before, after);
    season_free(made.season);
}

/* A first day with a hole that is too large is followed by another first one. */
static void a_first_day_with_a_hole(void **state)
{
    (void)state;
    struct made made = made_of(DAY, DAY / 288);
    go(&made, DAY / 3);
    made.now += DAY / 3;
    assert_int_equal(go(&made, DAY / 3 + 2 * DAY).known, 0);
    assert_true(go(&made, DAY).known > 200);
    season_free(made.season);
}

/* A clock that is set: by seconds it is not minded, by an hour the model goes on, by months it
 * begins anew. */
static void steps_of_the_clock(void **state)
{
    (void)state;
    static const struct {
        int64_t by;
        bool goes_on;
        double most; /* of values beyond, in two days */
    } cases[] = {{-1000, true, 0.01},      {1000, true, 0.01},     {-300000, true, 0.01},
                 {-3600000, true, 0.01},   {3600000, true, 0.01},  {-DAY, true, 0.01},
                 {DAY, true, 0.01},        {-7 * DAY, true, 0.02}, {-8 * DAY, false, 0},
                 {-20000 * DAY, false, 0}, {365 * DAY, false, 0},  {-40000 * DAY, false, 0}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made made = made_of(DAY, DAY / 288);
        go(&made, 30 * DAY);
        made.now += cases[i].by;
        struct noise noise = made.noise;
        struct counted after = {0, 0};
        for (int k = 0; k < 576; k++, made.now += made.step) {
            struct season_verdict verdict;
            int64_t in_day = (made.now % DAY + DAY) % DAY;
            double value = shape(in_day, DAY) + normal(&noise);
            if (season_add(made.season, value, made.now, &verdict)) {
                after.known++;
                after.beyond += fabs(verdict.deviation) > 3;
            }
        }
        assert_int_equal(after.known, cases[i].goes_on ? 576 : 0);
        if (cases[i].goes_on && rate_of(after) > cases[i].most)
            fail_msg("%lld: %g", (long long)cases[i].by, rate_of(after));
        season_free(made.season);
    }
}

/* A step back while it learns would teach it a time of the day twice. */
static void a_step_back_while_it_learns(void **state)
{
    (void)state;
    for (int day = 0; day < 2; day++) {
        struct made made = made_of(DAY, DAY / 288);
        go(&made, day * DAY + DAY / 2);
        made.now -= 3600000;
        assert_int_equal(go(&made, 2 * DAY).known, 0);
        assert_true(go(&made, DAY).known >= 287);
        season_free(made.season);
    }
}

/* Summer time: in UTC the people come an hour earlier. Their coming and going is beyond the limit
 * for some days, and then no more. */
static void summer_time(void **state)
{
    (void)state;
    struct made made = made_of(DAY, DAY / 288);
    go(&made, 30 * DAY);
    made.hours = 1;
    struct counted first = go(&made, DAY);
    assert_true(rate_of(first) > 0.2);
    go(&made, 29 * DAY);
    struct counted after = go(&made, 5 * DAY);
    if (rate_of(after) > 0.02)
        fail_msg("%g, %g", rate_of(first), rate_of(after));
    season_free(made.season);
}

/* -- Restarts -------------------------------------------------------------------------------- */

static struct season *restarted(struct season *season)
{
    uint8_t octets[SEASON_PACKED_MAX];
    size_t n = season_pack(season, octets, sizeof octets);
    struct item_reader reader = {octets, n};
    struct season *next = season_unpack(&reader);
    assert_true(n > 0);
    assert_non_null(next);
    assert_int_equal(reader.left, 0);
    season_free(season);
    return next;
}

/* A restart behind each value, from the first one on, changes nothing: not a bit. Some hours of the
 * first day have no values, so that those of the second are compared with nothing. */
static void restarts_in_between(void **state)
{
    (void)state;
    struct made one = made_of(DAY, DAY / 600), other = made_of(DAY, DAY / 600);
    for (int i = 0; i < 600 * 5; i++, one.now += one.step) {
        struct season_verdict verdict = {0, 0}, again = {0, 0};
        if (i >= 100 && i < 150)
            continue;
        double value = made_value(&one);
        bool known = season_add(one.season, value, one.now, &verdict);
        assert_int_equal(season_add(other.season, value, one.now, &again), known);
        assert_memory_equal(&verdict.expected, &again.expected, sizeof again.expected);
        assert_memory_equal(&verdict.deviation, &again.deviation, sizeof again.deviation);
        other.season = restarted(other.season);
    }
    season_free(one.season);
    season_free(other.season);
}

static void what_is_not_packed(void **state)
{
    (void)state;
    uint8_t octets[SEASON_PACKED_MAX];
    struct season_verdict verdict;
    struct season *season = season_new(10000);
    assert_int_equal(season_pack(season, octets, sizeof octets), 0); /* nothing is learnt */
    season_add(season, 1, START, &verdict);
    assert_true(season_pack(season, octets, sizeof octets) > 0);
    assert_int_equal(season_pack(season, octets, sizeof octets - 1), 0);
    season_free(season);
}

/* Whatever a broken file says: it is refused, or it is a model that can go on. */
static void broken_models(void **state)
{
    (void)state;
    struct made made = made_of(DAY, DAY / 24);
    uint8_t good[SEASON_PACKED_MAX], bad[SEASON_PACKED_MAX];
    go(&made, 5 * DAY);
    size_t n = season_pack(made.season, good, sizeof good);
    for (size_t cut = 0; cut < n; cut++) {
        struct item_reader reader = {good, cut};
        errno = 0;
        assert_null(season_unpack(&reader));
        assert_int_equal(errno, EBADMSG);
    }
    unsigned refused = 0;
    for (size_t at = 0; at < n * 8; at++) {
        memcpy(bad, good, n);
        bad[at / 8] ^= (uint8_t)(1u << at % 8);
        struct item_reader reader = {bad, n};
        struct season *season = season_unpack(&reader);
        refused += !season;
        for (int i = 0; season && i < 60; i++) {
            struct season_verdict verdict = {0, 0};
            season_add(season, 100 + i, made.now + i * made.step, &verdict);
            assert_true(isfinite(verdict.expected) && isfinite(verdict.deviation));
        }
        season_free(season);
    }
    assert_true(refused > 100);
    season_free(made.season);
}

static bool is_taken(const struct season *season)
{
    uint8_t octets[SEASON_PACKED_MAX];
    struct item_reader reader = {octets, season_pack(season, octets, sizeof octets)};
    struct season *next = season_unpack(&reader);
    season_free(next);
    return next != NULL;
}

/* A model that would never settle, or divide nothing by nothing, is none. */
static void counts_that_do_not_agree(void **state)
{
    (void)state;
    struct made made = made_of(DAY, DAY / 288);
    go(&made, DAY / 2);
    struct season bad = *made.season;
    assert_true(bad.seasons == 0 && is_taken(&bad));
    bad.n = SEASON_SLOTS / 2;
    assert_false(is_taken(&bad));
    bad = *made.season;
    bad.judged = bad.count;
    assert_false(is_taken(&bad));
    bad = *made.season;
    bad.deviations[7] = 1;
    assert_false(is_taken(&bad));
    go(&made, DAY);
    bad = *made.season;
    assert_true(bad.seasons == 1 && is_taken(&bad));
    bad.judged = 0;
    assert_false(is_taken(&bad));
    bad = *made.season;
    bad.pairs = 0;
    assert_false(is_taken(&bad));
    bad = *made.season;
    bad.first = bad.slot + 1;
    assert_false(is_taken(&bad));
    double *const sums[] = {&bad.sum,   &bad.distances, &bad.moved,    &bad.level,
                            &bad.trend, &bad.origin,    &bad.deviation};
    for (size_t i = 0; i < N_OF(sums); i++) {
        bad = *made.season;
        *sums[i] = 1e40;
        assert_false(is_taken(&bad));
    }
    season_free(made.season);
}

/* -- Memory ---------------------------------------------------------------------------------- */

static void memory_that_fails(void **state)
{
    (void)state;
    scarce_fail(1);
    struct season *season = season_new(10000);
    assert_true(scarce_stop());
    assert_null(season);
    struct made made = made_of(10000, 500);
    go(&made, 60000);
    uint8_t octets[SEASON_PACKED_MAX];
    struct item_reader reader = {octets, season_pack(made.season, octets, sizeof octets)};
    scarce_fail(1);
    errno = 0;
    season = season_unpack(&reader);
    assert_true(scarce_stop());
    assert_null(season);
    assert_int_equal(errno, ENOMEM);
    season_free(made.season);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_after_two_seasons),
        cmocka_unit_test(as_fine_as_the_sampling),
        cmocka_unit_test(too_few_for_weeks),
        cmocka_unit_test(sampling_with_jitter),
        cmocka_unit_test(what_is_left_out),
        cmocka_unit_test(a_first_value_that_is_far_off),
        cmocka_unit_test(the_largest_values),
        cmocka_unit_test(few_false_alarms),
        cmocka_unit_test(how_far_a_fault_is),
        cmocka_unit_test(a_change_that_lasts_becomes_usual),
        cmocka_unit_test(a_fault_that_ends),
        cmocka_unit_test(constant_series),
        cmocka_unit_test(silent_nights),
        cmocka_unit_test(a_loud_moment),
        cmocka_unit_test(constant_no_more),
        cmocka_unit_test(as_the_naive_model),
        cmocka_unit_test(so_many_octets),
        cmocka_unit_test(gaps),
        cmocka_unit_test(a_gap_of_a_holiday),
        cmocka_unit_test(gaps_while_it_learns),
        cmocka_unit_test(hours_that_are_never_seen),
        cmocka_unit_test(growth_in_a_gap),
        cmocka_unit_test(a_first_day_with_a_hole),
        cmocka_unit_test(steps_of_the_clock),
        cmocka_unit_test(a_step_back_while_it_learns),
        cmocka_unit_test(summer_time),
        cmocka_unit_test(restarts_in_between),
        cmocka_unit_test(what_is_not_packed),
        cmocka_unit_test(broken_models),
        cmocka_unit_test(counts_that_do_not_agree),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
