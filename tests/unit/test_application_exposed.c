#include "application/exposed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/heap.h"
#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define S NS_PER_S
#define PLAIN "text/plain; version=0.0.4"
#define OPEN "application/openmetrics-text; version=1.0.0"
#define WALL 1000.0 /* at the monotonic time 0 */

static struct exposed exposed;
static uint64_t now_s;

static bool wants_all(const void *context, const char *name, unsigned has)
{
    (void)context;
    (void)name;
    (void)has;
    return true;
}

/* The next answer, so many seconds later. */
static size_t answer(uint64_t seconds, const char *content_type, const char *text)
{
    const struct scrape_setup setup = {.endpoint = "e", .series = 1000, .wants = wants_all};
    struct scrape scrape;
    now_s += seconds;
    const struct exposed_moment moment = {now_s * S, WALL + (double)now_s, 0.1};
    scrape_begin(&scrape, &setup);
    bool is_good =
        scrape_feed(&scrape, 200, content_type, text, strlen(text)) && scrape_end(&scrape, 200);
    size_t starved = is_good ? exposed_take(&exposed, &scrape, &moment) : SIZE_MAX;
    scrape_release(&scrape);
    return starved;
}

static void plain(uint64_t seconds, const char *text)
{
    assert_int_equal(answer(seconds, PLAIN, text), 0);
}

/* A counter of OpenMetrics that says when it began. */
static void counter(uint64_t seconds, double value, double begun_s)
{
    char text[256];
    snprintf(text, sizeof text, "# TYPE a counter\na_total %g\na_created %.3f\n# EOF\n", value,
             begun_s);
    assert_int_equal(answer(seconds, OPEN, text), 0);
}

/* A histogram with the buckets up to 1, 1.1, 1.2 and infinity, cumulative. */
static void histogram(uint64_t seconds, const uint64_t count[4], double sum, double begun_s)
{
    char text[512];
    snprintf(text, sizeof text,
             "# TYPE h histogram\nh_bucket{le=\"1\"} %d\nh_bucket{le=\"1.1\"} %d\n"
             "h_bucket{le=\"1.2\"} %d\nh_bucket{le=\"+Inf\"} %d\nh_count %d\nh_sum %.17g\n"
             "h_created %.3f\n# EOF\n",
             (int)count[0], (int)count[1], (int)count[2], (int)count[3], (int)count[3], sum,
             begun_s);
    assert_int_equal(answer(seconds, OPEN, text), 0);
}

#define COUNTS(...) ((const uint64_t[4]){__VA_ARGS__})

static struct exposed_series *series(const char *name)
{
    struct exposed_series *found;
    HASH_FIND_STR(exposed.by_name, name, found);
    if (!found)
        fail_msg("there is no %s", name);
    return found;
}

static void check_total(const char *name, double expected, unsigned has)
{
    const struct exposed_series *is = series(name);
    assert_true(exposed_total(&is->count) == expected);
    assert_int_equal(is->has & ~SCRAPED_BEGUN, has);
    assert_int_equal(is->taken_ns, now_s * S);
}

static void check_events(const char *name, uint64_t count, double mean)
{
    const struct exposed_series *is = series(name);
    exposed_collect(&exposed);
    assert_int_equal(is->shown.count, count);
    if (count > 0 && fabs(is->shown_mean - mean) > 1e-9)
        fail_msg("%s: %.17g, not %.17g", name, is->shown_mean, mean);
}

static int begin(void **state)
{
    (void)state;
    now_s = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    exposed_release(&exposed);
    exposed = (struct exposed){.answers = 0};
    return 0;
}

/* -- Counters ---------------------------------------------------------------------------------- */

static void a_counter_that_grows(void **state)
{
    (void)state;
    plain(1, "# TYPE a counter\na 10\n");
    check_total("e:a", 10, SCRAPED_COUNT);
    plain(1, "# TYPE a counter\na 10\n");
    check_total("e:a", 10, SCRAPED_COUNT);
    plain(1, "# TYPE a counter\na 12.5\n");
    check_total("e:a", 12.5, SCRAPED_COUNT);
}

/* It fell, and does not say why: a gap, and nothing is added that may have been there before. */
static void a_counter_that_falls(void **state)
{
    (void)state;
    plain(1, "# TYPE a counter\na 1000000\n");
    plain(1, "# TYPE a counter\na 999999\n");
    check_total("e:a", 1000000, 0);
    plain(1, "# TYPE a counter\na 1000001\n");
    check_total("e:a", 1000002, SCRAPED_COUNT);
    plain(1, "# TYPE a counter\na 0\n");
    check_total("e:a", 1000002, 0);
    plain(1, "# TYPE a counter\na 3\n");
    check_total("e:a", 1000005, SCRAPED_COUNT);
}

/* It says that it began since the last answer: all it has is added, whether it fell or not. */
static void a_counter_that_began_anew(void **state)
{
    (void)state;
    counter(1, 10, 5);
    counter(5, 3, WALL + 4);
    check_total("e:a_total", 13, SCRAPED_COUNT);
    counter(5, 7, WALL + 4);
    check_total("e:a_total", 17, SCRAPED_COUNT);
    counter(5, 9, WALL + 15);
    check_total("e:a_total", 26, SCRAPED_COUNT);
}

/* A time that cannot be that of a beginning since the last answer says nothing. */
static void a_beginning_that_is_none(void **state)
{
    (void)state;
    counter(10, 1000, 5);
    counter(10, 900, 6); /* later than before, but long ago */
    check_total("e:a_total", 1000, 0);
    counter(10, 1000, WALL + 100); /* in the future */
    check_total("e:a_total", 1100, SCRAPED_COUNT);
    counter(10, 1010, WALL + 11); /* earlier than before */
    check_total("e:a_total", 1110, SCRAPED_COUNT);
}

static void numbers_that_are_none(void **state)
{
    (void)state;
    plain(1, "# TYPE a counter\na 5\n# TYPE g gauge\ng NaN\n");
    assert_int_equal(series("e:g")->has, 0);
    plain(1, "# TYPE a counter\na NaN\n# TYPE g gauge\ng +Inf\n");
    check_total("e:a", 5, 0);
    assert_int_equal(series("e:g")->has, 0);
    plain(1, "# TYPE a counter\na -1\n# TYPE g gauge\ng 2\n");
    check_total("e:a", 5, 0);
    assert_int_equal(series("e:g")->has, SCRAPED_LEVEL);
    assert_true(series("e:g")->level == 2);
    plain(1, "# TYPE a counter\na 6\n");
    check_total("e:a", 6, SCRAPED_COUNT);
}

static void what_is_no_longer_said_is_gone(void **state)
{
    (void)state;
    plain(1, "# TYPE a counter\na 5\n# TYPE b counter\nb 1\n");
    uint64_t born = series("e:a")->born;
    plain(1, "# TYPE b counter\nb 2\n");
    assert_int_equal(HASH_COUNT(exposed.by_name), 1);
    assert_non_null(exposed.gone);
    exposed_collect(&exposed);
    assert_null(exposed.gone);
    plain(1, "# TYPE a counter\na 3\n# TYPE b counter\nb 2\n");
    check_total("e:a", 3, SCRAPED_COUNT);
    assert_true(series("e:a")->born != born);
    plain(1, "# TYPE a gauge\na 3\n");
    assert_int_equal(series("e:a")->kind, SCRAPED_VALUE);
}

/* -- Histograms -------------------------------------------------------------------------------- */

/* What came before the first answer is no event that came. */
static void events_come(void **state)
{
    (void)state;
    histogram(1, COUNTS(0, 4, 10, 10), 11, 5);
    check_events("e:h", 0, 0);
    check_total("e:h", 10, SCRAPED_COUNT | SCRAPED_SUM);
    histogram(1, COUNTS(0, 6, 13, 13), 11 + 2 * 1.05 + 1.15, 5);
    check_events("e:h", 3, (2 * 1.05 + 1.15) / 3);
    check_events("e:h", 0, 0);
    histogram(1, COUNTS(0, 6, 13, 13), 11 + 2 * 1.05 + 1.15, 5);
    check_events("e:h", 0, 0);
}

/* Of several answers between two looks, all events are there. */
static void events_add_up(void **state)
{
    (void)state;
    histogram(1, COUNTS(0, 0, 0, 0), 0, 5);
    histogram(1, COUNTS(0, 1, 1, 1), 1.05, 5);
    histogram(1, COUNTS(0, 1, 4, 4), 1.05 + 3 * 1.15, 5);
    check_events("e:h", 4, (1.05 + 3 * 1.15) / 4);
}

/* A program is read in the midst of counting: the sum is that of the next events. */
static void the_sum_may_be_ahead(void **state)
{
    (void)state;
    histogram(1, COUNTS(0, 1, 1, 1), 1.05, 5);
    histogram(1, COUNTS(0, 1, 1, 1), 2.15, 5);
    check_events("e:h", 0, 0);
    histogram(1, COUNTS(0, 1, 2, 2), 2.15, 5);
    check_events("e:h", 1, 1.1);
}

static void a_histogram_that_began_anew(void **state)
{
    (void)state;
    histogram(1, COUNTS(0, 5, 5, 5), 5.25, 5);
    histogram(5, COUNTS(0, 2, 2, 2), 2.1, WALL + 3);
    check_events("e:h", 2, 1.05);
    check_total("e:h", 7, SCRAPED_COUNT | SCRAPED_SUM);
    assert_true(fabs(exposed_total(&series("e:h")->sum) - 7.35) < 1e-9);
    histogram(5, COUNTS(0, 1, 1, 1), 1.05, 0); /* it does not say so */
    check_events("e:h", 0, 0);
    check_total("e:h", 7, 0);
    histogram(5, COUNTS(0, 2, 2, 2), 2.1, 0);
    check_events("e:h", 1, 1.05);
}

/* One that comes later, and says that it began since the answer before: all of it has come. */
static void a_histogram_that_comes_later(void **state)
{
    (void)state;
    counter(1, 1, 5);
    histogram(5, COUNTS(0, 2, 2, 2), 2.1, WALL + 3);
    check_events("e:h", 2, 1.05);
    counter(1, 1, 5);
    histogram(5, COUNTS(0, 2, 2, 2), 2.1, 5);
    check_events("e:h", 0, 0);
}

/* A value in a bucket that is too wide: no statistics until none has come for long. */
static void buckets_that_are_too_wide(void **state)
{
    (void)state;
    histogram(1, COUNTS(0, 0, 0, 0), 0, 5);
    histogram(1, COUNTS(0, 1, 1, 1), 1.05, 5);
    histogram(1, COUNTS(1, 2, 2, 2), 1.55, 5); /* one in (0, 1] */
    assert_int_equal(exposed.unfit, 1);
    assert_string_equal(exposed.unfit_why, "e:h: values between 0 and 1");
    check_events("e:h", 0, 0);
    check_total("e:h", 2, SCRAPED_COUNT | SCRAPED_SUM);
    histogram(1, COUNTS(1, 3, 3, 3), 2.6, 5);
    check_events("e:h", 0, 0);
    histogram(EXPOSED_UNFIT_NS / S - 2, COUNTS(1, 4, 4, 4), 3.65, 5);
    assert_int_equal(exposed.unfit, 1);
    check_events("e:h", 0, 0);
    histogram(1, COUNTS(1, 5, 5, 5), 4.7, 5);
    assert_int_equal(exposed.unfit, 0);
    check_events("e:h", 1, 1.05);
    histogram(1, COUNTS(1, 5, 5, 6), 104.7, 5); /* one beyond all bounds */
    assert_int_equal(exposed.unfit, 1);
    assert_string_equal(exposed.unfit_why, "e:h: values between 1.2 and inf");
}

/* In any order, and with other bounds than before. */
static void buckets_in_disorder(void **state)
{
    (void)state;
    plain(1, "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_bucket{le=\"1.1\"} 1\n"
             "h_bucket{le=\"1\"} 0\nh_sum 1.05\nh_count 1\n");
    plain(1, "# TYPE h histogram\nh_bucket{le=\"1\"} 0\nh_bucket{le=\"+Inf\"} 3\n"
             "h_bucket{le=\"1.1\"} 3\nh_sum 3.15\nh_count 3\n");
    check_events("e:h", 2, 1.05);
    plain(1, "# TYPE h histogram\nh_bucket{le=\"1\"} 0\nh_bucket{le=\"+Inf\"} 5\n"
             "h_bucket{le=\"1.2\"} 5\nh_sum 5.25\nh_count 5\n");
    check_events("e:h", 0, 0);
    check_total("e:h", 3, 0);
    plain(1, "# TYPE h histogram\nh_sum 5.25\nh_count 5\n");
    check_events("e:h", 0, 0);
}

/* Without a sum, the mean of what came is not known. */
static void without_a_sum(void **state)
{
    (void)state;
    plain(1, "# TYPE h histogram\nh_bucket{le=\"1\"} 0\nh_bucket{le=\"+Inf\"} 0\nh_count 0\n");
    plain(1, "# TYPE h histogram\nh_bucket{le=\"1\"} 0\nh_bucket{le=\"+Inf\"} 1\nh_count 1\n");
    check_events("e:h", 0, 0);
    check_total("e:h", 1, SCRAPED_COUNT);
    assert_int_equal(exposed.unfit, 0);
}

static void a_summary(void **state)
{
    (void)state;
    plain(1, "# TYPE s summary\ns_count 4\ns_sum 10\ns{quantile=\"0.5\"} 2\n");
    plain(1, "# TYPE s summary\ns_count 6\ns_sum 15\ns{quantile=\"0.5\"} 2.5\n");
    check_total("e:s", 6, SCRAPED_COUNT | SCRAPED_SUM);
    assert_true(exposed_total(&series("e:s")->sum) == 15);
    assert_true(series("e:s:quantile=0.5")->level == 2.5);
}

/* -- Memory ------------------------------------------------------------------------------------ */

static const char text[] = "# TYPE h histogram\nh_bucket{le=\"1\"} 0\nh_bucket{le=\"1.1\"} %d\n"
                           "h_bucket{le=\"+Inf\"} %d\nh_sum %d\nh_count %d\n"
                           "# TYPE a counter\na %d\n";

static void say(char *to, size_t size, int n)
{
    snprintf(to, size, text, n, n, n, n, n);
}

/* What there was no memory for comes with the next answer, and the others are as they should be. */
static void without_memory(void **state)
{
    const struct scrape_setup setup = {.endpoint = "e", .series = 1000, .wants = wants_all};
    bool failed = true;
    char said[512];
    (void)state;
    for (size_t nth = 1; failed; nth++) {
        struct scrape scrape;
        say(said, sizeof said, 5);
        plain(1, said);
        const struct exposed_moment moment = {++now_s * S, WALL, 0.1};
        say(said, sizeof said, 6);
        scrape_begin(&scrape, &setup);
        assert_true(scrape_feed(&scrape, 200, PLAIN, said, strlen(said)) &&
                    scrape_feed(&scrape, 200, PLAIN, "new 1\n", 6) && scrape_end(&scrape, 200));
        scarce_fail(nth);
        size_t starved = exposed_take(&exposed, &scrape, &moment);
        failed = scarce_stop();
        scrape_release(&scrape);
        check_total("e:a", 6, SCRAPED_COUNT);
        check_total("e:h", 6, SCRAPED_COUNT | SCRAPED_SUM);
        assert_in_range(starved, 0, failed ? 1 : 0);
        assert_int_equal(exposed.unfit, 0);
        exposed_release(&exposed);
        exposed = (struct exposed){.answers = 0};
    }
}

static void play(void)
{
    char said[512];
    say(said, sizeof said, 5);
    plain(1, said);
    say(said, sizeof said, 7);
    plain(1, said);
    plain(1, "b 1\n");
    exposed_release(&exposed);
    exposed = (struct exposed){.answers = 0};
}

static void nothing_is_kept(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_counter_that_grows),
        TEST(a_counter_that_falls),
        TEST(a_counter_that_began_anew),
        TEST(a_beginning_that_is_none),
        TEST(numbers_that_are_none),
        TEST(what_is_no_longer_said_is_gone),
        TEST(events_come),
        TEST(events_add_up),
        TEST(the_sum_may_be_ahead),
        TEST(a_histogram_that_began_anew),
        TEST(a_histogram_that_comes_later),
        TEST(buckets_that_are_too_wide),
        TEST(buckets_in_disorder),
        TEST(without_a_sum),
        TEST(a_summary),
        TEST(without_memory),
        TEST(nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
