/* The samples of a digest, sorted: however they come, in runs of any length, of one series or of
 * many that are near to each other or far apart, they come out by series and time, and of two of
 * the same time the later one comes later; also where there is no memory for the fast ways. */
#include "publish/digest.h"

#include <stdlib.h>

#include "scarce.h"
#include "unit.h"

#define SAMPLES_MAX 600

/* How samples come. */
struct coming {
    size_t n;
    int n_series;
    int64_t apart; /* the numbers of two series */
    int runs;      /* one sample in so many does not follow the one before; 1: none does */
};

static struct coming any_coming(void)
{
    static const int64_t distances[] = {1, 3, 1000000007};
    return (struct coming){.n = (size_t)random() % SAMPLES_MAX,
                           .n_series = 1 + (int)(random() % 5 ? random() % 40 : 0),
                           .apart = distances[random() % 3],
                           .runs = 1 + (int)(random() % 2 ? random() % 200 : random() % 3)};
}

/* The values of samples count them. Times are few, so that some are the same. */
static void fill(struct digest *digest, const struct coming *coming)
{
    int64_t wall_ms = 0;
    for (size_t i = 0; i < coming->n; i++) {
        wall_ms = random() % coming->runs == 0 ? random() % 1000 : wall_ms + random() % 3;
        int64_t series = 5 + coming->apart * (random() % coming->n_series);
        const struct point point = {wall_ms, {RESULT_VALID, (double)i}};
        assert_int_equal(digest_sample(digest, series, &point), 0);
    }
}

static bool is_before(const struct digest_point *one, const struct digest_point *two)
{
    if (one->series != two->series)
        return one->series < two->series;
    if (one->point.wall_ms != two->point.wall_ms)
        return one->point.wall_ms < two->point.wall_ms;
    return one->point.result.value < two->point.result.value;
}

static int compare(const void *a, const void *b)
{
    return is_before(a, b) ? -1 : 1;
}

static void assert_equal(const struct digest *digest, const struct digest_point *expected)
{
    for (size_t i = 0; i < digest->n_samples; i++) {
        const struct digest_point *sample = &digest->samples[i];
        assert_int_equal(sample->series, expected[i].series);
        assert_int_equal(sample->point.wall_ms, expected[i].point.wall_ms);
        assert_true(sample->point.result.value == expected[i].point.result.value);
    }
}

/* nth: the allocation of digest_end() that fails; 0: none. Returns whether one did. */
static bool sorted(const struct coming *coming, size_t nth)
{
    struct digest digest = {.from_ms = INT64_MIN, .to_ms = INT64_MAX};
    struct digest_point expected[SAMPLES_MAX + 1];
    fill(&digest, coming);
    assert_int_equal(digest.n_samples, coming->n);
    if (coming->n > 0)
        memcpy(expected, digest.samples, coming->n * sizeof *expected);
    qsort(expected, coming->n, sizeof *expected, compare);
    scarce_fail(nth);
    digest_end(&digest);
    digest_fit(&digest);
    bool has_failed = scarce_stop();
    assert_int_equal(digest.n_samples, coming->n);
    assert_equal(&digest, expected);
    assert_null(digest.spare);
    digest_release(&digest);
    return has_failed;
}

static void in_any_order(void **state)
{
    (void)state;
    srandom(28);
    for (int i = 0; i < CASES(20000); i++) {
        struct coming coming = any_coming();
        sorted(&coming, 0);
    }
}

static void without_memory(void **state)
{
    size_t failures = 0;
    (void)state;
    srandom(29);
    for (int i = 0; i < CASES(5000); i++) {
        struct coming coming = any_coming();
        failures += sorted(&coming, 1 + (size_t)i % 4);
    }
    assert_true(failures > 100);
}

/* What is added behind that comes to its place, too, and the memory is used again. */
static void more_comes_behind(void **state)
{
    struct digest digest = {.from_ms = INT64_MIN, .to_ms = INT64_MAX};
    struct digest_point expected[2 * SAMPLES_MAX];
    const struct coming coming = {SAMPLES_MAX, 7, 1, 50};
    (void)state;
    srandom(30);
    fill(&digest, &coming);
    digest_end(&digest);
    digest_fit(&digest);
    assert_int_equal(digest.room_samples, SAMPLES_MAX);
    fill(&digest, &(struct coming){SAMPLES_MAX, 1, 1, 1});
    assert_int_equal(digest.n_samples, 2 * SAMPLES_MAX);
    memcpy(expected, digest.samples, sizeof expected);
    for (size_t i = 0; i < 2 * SAMPLES_MAX; i++)
        expected[i].point.result.value = digest.samples[i].point.result.value = (double)i;
    qsort(expected, 2 * SAMPLES_MAX, sizeof *expected, compare);
    digest_end(&digest);
    assert_equal(&digest, expected);
    digest_release(&digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(more_comes_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
