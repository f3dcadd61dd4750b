/* What is computed of all that came in an interval: of locks, of steps, of times between arrivals.
 */
#include "application/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "application/locks.h"
#include "calculate/histogram.h"
#include "metric/field.h"

#include "tests/unit/unit.h"

static void *state_of(const struct sample_computed *computed)
{
    void *state = calloc(1, computed->size);
    assert_non_null(state);
    return state;
}

static void free_state(const struct sample_computed *computed, void *state)
{
    computed->release(state);
    free(state);
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g instead of %.12g", value, expected);
}

/* -- Locks ------------------------------------------------------------------------------------- */

static struct sample_slot lock_slot(uint64_t arrivals, uint64_t waits, uint64_t failures,
                                    uint64_t holds, double held)
{
    struct sample_slot slot = {.present = true};
    slot.field[APPLICATION_LOCK_ARRIVALS] = arrivals;
    slot.field[APPLICATION_LOCK_WAITS] = waits;
    slot.field[APPLICATION_LOCK_FAILURES] = failures;
    slot.field[APPLICATION_LOCK_HOLDS] = holds;
    slot.field[APPLICATION_LOCK_HELD] = (uint64_t)(held * 1e9);
    return slot;
}

/* The worked example of doc/applications.md, beside what came before. */
static void lock_has_the_factor_of_the_example(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t waits;
        double factor;
    } example[] = {{2400, 1}, {3600, 1.5}, {300, 0.125}};
    const struct sample_computed *lock = &figures_of_lock;
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        void *state = state_of(lock);
        struct sample_slot before = lock_slot(777, 555, 3, 770, 99), now;
        assert_int_equal(lock->take(state, &before), 0);
        lock->begin(state);
        now = lock_slot(777 + 5000, 555 + 100, 3, 770 + 5000, 99 + 5);
        assert_int_equal(lock->take(state, &now), 0);
        now = lock_slot(777 + 12000, 555 + example[i].waits, 3, 770 + 12000, 99 + 12);
        assert_int_equal(lock->take(state, &now), 0);
        assert_near(lock->value(state, APPLICATION_CONTENTION, 60), example[i].factor);
        assert_near(lock->value(state, APPLICATION_CONTENDED, 60),
                    (double)example[i].waits / 12000);
        assert_near(lock->value(state, APPLICATION_HELD, 60), 0.2);
        free_state(lock, state);
    }
}

static void what_came_first_does_not_count(void **unused)
{
    (void)unused;
    const struct sample_computed *lock = &figures_of_lock;
    void *state = state_of(lock);
    struct sample_slot slot = lock_slot(12000, 2400, 0, 12000, 12);
    lock->take(state, &slot);
    assert_true(isnan(lock->value(state, APPLICATION_CONTENTION, 60)));
    free_state(lock, state);
}

static void every_interval_begins_anew(void **unused)
{
    (void)unused;
    const struct sample_computed *lock = &figures_of_lock;
    void *state = state_of(lock);
    struct sample_slot slot = lock_slot(0, 0, 0, 0, 0);
    lock->take(state, &slot);
    slot = lock_slot(1000, 500, 0, 1000, 5);
    lock->take(state, &slot);
    assert_near(lock->value(state, APPLICATION_CONTENDED, 10), 0.5);
    lock->begin(state);
    assert_true(isnan(lock->value(state, APPLICATION_CONTENDED, 10)));
    slot = lock_slot(2000, 600, 0, 2000, 10);
    lock->take(state, &slot);
    assert_near(lock->value(state, APPLICATION_CONTENDED, 10), 0.1);
    free_state(lock, state);
}

/* Another lock of the same name: what it has counted until then is not of this interval. */
static void counts_that_fall_begin_anew(void **unused)
{
    (void)unused;
    const struct sample_computed *lock = &figures_of_lock;
    void *state = state_of(lock);
    struct sample_slot slot = lock_slot(9000, 900, 0, 9000, 9);
    lock->take(state, &slot);
    slot = lock_slot(8000, 950, 0, 9500, 10);
    lock->take(state, &slot);
    assert_true(isnan(lock->value(state, APPLICATION_CONTENDED, 10)));
    slot = lock_slot(8200, 1000, 0, 9700, 11);
    lock->take(state, &slot);
    assert_near(lock->value(state, APPLICATION_CONTENDED, 10), 0.25);
    free_state(lock, state);
}

/* -- Which series are a lock ------------------------------------------------------------------- */

static struct application application;
static struct owner owner;
static struct applications applications = {.pass = 1};

static struct application_series *add(const char *name, const char *instance, uint32_t kind)
{
    struct segment_descriptor is = {.kind = kind};
    int error;
    memcpy(is.name, name, strlen(name));
    memcpy(is.instance, instance, strlen(instance));
    application.owner = &owner;
    struct application_series *series =
        application_series_get(&applications, &application, &is, &error);
    assert_non_null(series);
    return series;
}

static void remove_all(void)
{
    struct application_series *series, *next;
    HASH_ITER(hh, application.series, series, next)
    {
        HASH_DEL(application.series, series);
        free(series);
    }
}

static void lock_is_found_by_its_arrivals(void **unused)
{
    (void)unused;
    struct lock_series lock;
    struct application_series *arrivals = add("stock.arrivals", "north", SEGMENT_COUNTER);
    struct application_series *waits = add("stock.waits", "north", SEGMENT_COUNTER);
    struct application_series *failures = add("stock.failures", "north", SEGMENT_COUNTER);
    assert_false(lock_of(arrivals, &lock));
    struct application_series *hold = add("stock.hold", "north", SEGMENT_TIMER);
    assert_true(lock_of(arrivals, &lock));
    assert_ptr_equal(lock.arrivals, arrivals);
    assert_ptr_equal(lock.waits, waits);
    assert_ptr_equal(lock.failures, failures);
    assert_ptr_equal(lock.hold, hold);
    char path[APPLICATION_PATH_SIZE];
    memcpy(application.key.name, "shop", 4);
    application_path(path, "anna", &application, &lock.key);
    assert_string_equal(path, "anna/shop:stock:north");
    assert_false(lock_of(waits, &lock));
    remove_all();
}

static void others_are_no_locks(void **unused)
{
    (void)unused;
    struct lock_series lock;
    add("stock.waits", "", SEGMENT_COUNTER);
    add("stock.failures", "", SEGMENT_COUNTER);
    add("stock.hold", "", SEGMENT_COUNTER); /* no timer */
    assert_false(lock_of(add("stock.arrivals", "", SEGMENT_COUNTER), &lock));
    assert_false(lock_of(add("other.arrivals", "", SEGMENT_COUNTER), &lock));
    assert_false(lock_of(add(".arrivals", "", SEGMENT_COUNTER), &lock));
    assert_false(lock_of(add("arrivals", "", SEGMENT_COUNTER), &lock));
    assert_false(lock_of(add("timed.arrivals", "", SEGMENT_TIMER), &lock));
    add("full-name-of-23-octets.waits", "", SEGMENT_COUNTER);
    assert_false(lock_of(add("full-name-of-23-octets.arrivals", "", SEGMENT_COUNTER), &lock));
    remove_all();
}

/* -- Steps ------------------------------------------------------------------------------------- */

static struct sample_slot step_slot(uint64_t begun, uint64_t ended, double busy)
{
    struct sample_slot slot = {.present = true};
    slot.field[APPLICATION_BEGUN] = begun;
    slot.field[APPLICATION_COUNT] = ended;
    slot.field[APPLICATION_TIME] = (uint64_t)(busy * 1e9);
    return slot;
}

/* 600 arrivals in a minute, each of which takes 0.25 s: four get done in a second of work, and 2.5
 * are at work at a time. */
static void step_has_its_figures(void **unused)
{
    (void)unused;
    const struct sample_computed *step = &figures_of_step;
    void *state = state_of(step);
    struct sample_slot slot = step_slot(50, 40, 17);
    step->take(state, &slot);
    step->begin(state);
    slot = step_slot(650, 640, 167);
    step->take(state, &slot);
    assert_near(step->value(state, APPLICATION_RUNTIME, 60), 0.25);
    assert_near(step->value(state, APPLICATION_THROUGHPUT, 60), 4);
    assert_near(step->value(state, APPLICATION_LOAD, 60), 2.5);
    assert_true(isnan(step->value(state, APPLICATION_COUNT, 60)));
    step->begin(state);
    assert_true(isnan(step->value(state, APPLICATION_RUNTIME, 60)));
    free_state(step, state);
}

/* -- Times between arrivals ------------------------------------------------------------------ */

/* So many times, those that the quantiles of a distribution are at. */
static void put_times(struct histogram *histogram, double *mean, unsigned n,
                      double (*quantile)(double))
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        double time = quantile((i + 0.5) / n);
        assert_int_equal(histogram_add(histogram, time), 0);
        sum += time;
    }
    *mean = sum / n;
}

static double exponential(double q)
{
    return -log1p(-q) / 200;
}

static double regular(double q)
{
    return 0.005 + 1e-5 * q;
}

/* Nine of ten come at once behind the first. */
static double bursts(double q)
{
    return q < 0.9 ? 1e-6 * (1 + q) : 0.05 * (1 + q);
}

static void arrivals_have_a_verdict(void **unused)
{
    (void)unused;
    static const struct {
        double (*quantile)(double);
        double poisson, cv2_low, cv2_high, distance_low, distance_high;
    } example[] = {
        {exponential, 1, 0.95, 1.05, 0, 0.01},
        {regular, 0, 0, 0.022, 0.6, 0.7},
        {bursts, 0, 5, 20, 0.5, 1},
    };
    const struct sample_computed *fit = &figures_of_fit;
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        struct histogram histogram = {0};
        struct sample_slot slot = {.present = true, .events = &histogram};
        void *state = state_of(fit);
        put_times(&histogram, &slot.events_mean, 2000, example[i].quantile);
        fit->take(state, &slot); /* what came first */
        assert_true(isnan(fit->value(state, APPLICATION_CV2, 1)));
        for (unsigned pass = 0; pass < 3; pass++)
            assert_int_equal(fit->take(state, &slot), 0);
        assert_true(fit->value(state, APPLICATION_POISSON, 1) == example[i].poisson);
        double cv2 = fit->value(state, APPLICATION_CV2, 1);
        double distance = fit->value(state, APPLICATION_DISTANCE, 1);
        assert_true(cv2 >= example[i].cv2_low && cv2 <= example[i].cv2_high);
        assert_true(distance >= example[i].distance_low && distance <= example[i].distance_high);
        fit->begin(state);
        assert_true(isnan(fit->value(state, APPLICATION_POISSON, 1)));
        free_state(fit, state);
        histogram_release(&histogram);
    }
}

static void few_arrivals_have_no_verdict(void **unused)
{
    (void)unused;
    const struct sample_computed *fit = &figures_of_fit;
    struct histogram histogram = {0};
    struct sample_slot slot = {.present = true}, empty = {.present = true};
    void *state = state_of(fit);
    put_times(&histogram, &slot.events_mean, 4, exponential);
    fit->take(state, &empty);
    slot.events = &histogram;
    fit->take(state, &slot);
    assert_true(isnan(fit->value(state, APPLICATION_POISSON, 1)));
    assert_false(isnan(fit->value(state, APPLICATION_CV2, 1)));
    free_state(fit, state);
    histogram_release(&histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_has_the_factor_of_the_example),
        cmocka_unit_test(what_came_first_does_not_count),
        cmocka_unit_test(every_interval_begins_anew),
        cmocka_unit_test(counts_that_fall_begin_anew),
        cmocka_unit_test(lock_is_found_by_its_arrivals),
        cmocka_unit_test(others_are_no_locks),
        cmocka_unit_test(step_has_its_figures),
        cmocka_unit_test(arrivals_have_a_verdict),
        cmocka_unit_test(few_arrivals_have_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
