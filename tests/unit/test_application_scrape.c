#include "application/scrape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define PLAIN "text/plain; version=0.0.4"
#define OPEN "application/openmetrics-text; version=1.0.0"

static struct scrape scrape;

static bool wants(const void *context, const char *name, unsigned has)
{
    const char *unwanted = context;
    assert_in_range(has, 1, SCRAPED_COUNT | SCRAPED_SUM | SCRAPED_LEVEL);
    return !unwanted || !strstr(name, unwanted);
}

static void begin(size_t series, const char *unwanted)
{
    const struct scrape_setup setup = {
        .endpoint = "e", .series = series, .seed = 7, .wants = wants, .context = unwanted};
    scrape_begin(&scrape, &setup);
}

/* Reads a whole answer, octet by octet. */
static bool read_all(const char *content_type, const char *text)
{
    for (; *text; text++)
        if (!scrape_feed(&scrape, 200, content_type, text, 1))
            return false;
    return scrape_end(&scrape, 200);
}

static const struct scraped *series(const char *name)
{
    const struct scraped *found;
    HASH_FIND_STR(scrape.by_name, name, found);
    return found;
}

static const struct scraped *get(const char *name, enum scraped_kind kind, unsigned has)
{
    const struct scraped *found = series(name);
    if (!found)
        fail_msg("there is no %s", name);
    assert_int_equal(found->kind, kind);
    assert_int_equal(found->has, has);
    return found;
}

static int end(void **state)
{
    (void)state;
    scrape_release(&scrape);
    return 0;
}

static void every_type(void **state)
{
    (void)state;
    begin(100, NULL);
    assert_true(read_all(OPEN, "# TYPE a counter\n"
                               "a_total{z=\"1\",b=\"2\"} 5\na_created{z=\"1\",b=\"2\"} 17.5\n"
                               "# TYPE b_bytes gauge\n# UNIT b_bytes bytes\nb_bytes -2\n"
                               "# TYPE c_seconds histogram\n"
                               "c_seconds_bucket{le=\"1.0\"} 3\nc_seconds_bucket{le=\"+Inf\"} 4\n"
                               "c_seconds_count 4\nc_seconds_sum 9.5\nc_seconds_created 18\n"
                               "# TYPE d summary\nd{quantile=\"0.99\"} 7\nd_count 2\nd_sum 8\n"
                               "# TYPE e info\ne_info{v=\"1\"} 1\n"
                               "# TYPE f stateset\nf{f=\"on\"} 1\n"
                               "# TYPE g gaugehistogram\ng_bucket{le=\"+Inf\"} 6\ng_gcount 6\n"
                               "g_gsum 1\nh 3\n# EOF\n"));
    const struct scraped *a =
        get("e:a_total:b=2,z=1", SCRAPED_COUNTER, SCRAPED_COUNT | SCRAPED_BEGUN);
    assert_true(a->count == 5 && a->begun_s == 17.5);
    const struct scraped *b = get("e:b_bytes", SCRAPED_VALUE, SCRAPED_LEVEL);
    assert_true(b->level == -2);
    assert_string_equal(b->unit, "B");
    const struct scraped *c =
        get("e:c_seconds", SCRAPED_HISTOGRAM, SCRAPED_COUNT | SCRAPED_SUM | SCRAPED_BEGUN);
    assert_true(c->count == 4 && c->sum == 9.5 && c->begun_s == 18);
    assert_string_equal(c->unit, "s");
    assert_int_equal(c->n_buckets, 2);
    assert_true(c->bucket[0].bound == 1 && c->bucket[0].count == 3);
    assert_true(isinf(c->bucket[1].bound) && c->bucket[1].count == 4);
    assert_true(get("e:c_seconds_bucket:le=1", SCRAPED_COUNTER, SCRAPED_COUNT)->count == 3);
    assert_true(get("e:c_seconds_bucket:le=+Inf", SCRAPED_COUNTER, SCRAPED_COUNT)->count == 4);
    assert_true(get("e:d:quantile=0.99", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 7);
    assert_true(get("e:d", SCRAPED_SUMMARY, SCRAPED_COUNT | SCRAPED_SUM)->sum == 8);
    assert_true(get("e:e_info:v=1", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 1);
    assert_true(get("e:f:f=on", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 1);
    assert_true(get("e:g_bucket:le=+Inf", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 6);
    assert_true(get("e:g_gcount", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 6);
    assert_true(get("e:h", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 3);
    assert_int_equal(scrape.left_out, 0);
    assert_int_equal(scrape.summary.faults, 0);
}

static void only_what_is_wanted(void **state)
{
    (void)state;
    begin(100, "b");
    assert_true(read_all(PLAIN, "a 1\nb 2\nc{x=\"b\"} 3\nd 4\n"));
    assert_int_equal(HASH_COUNT(scrape.by_name), 2);
    assert_int_equal(scrape.kept, 2);
    assert_int_equal(scrape.left_out, 0);
    assert_null(series("e:b"));
    assert_null(series("e:c:x=b"));
}

/* Each bucket is one, in the histogram and by itself. */
static void no_more_than_there_is_room_for(void **state)
{
    (void)state;
    begin(3, NULL);
    assert_true(read_all(PLAIN, "a 1\nb 2\nc 3\nd 4\ne 5\n"));
    assert_int_equal(scrape.kept, 3);
    assert_int_equal(scrape.left_out, 2);
    assert_null(series("e:d"));
    scrape_release(&scrape);
    begin(4, NULL);
    assert_true(read_all(PLAIN, "# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"2\"} 1\n"
                                "h_bucket{le=\"+Inf\"} 1\nh_count 1\nh_sum 1\n"));
    assert_int_equal(scrape.kept, 4);
    assert_true(scrape.left_out > 0);
}

/* Samples of an answer that is too large are counted apart from those that are wanted. */
static void larger_than_is_read(void **state)
{
    (void)state;
    enum { MORE = 3 };
    char text[(OPENMETRICS_SERIES_MAX + MORE) * sizeof "a{x=\"10000\"} 1\n"];
    size_t len = 0;
    for (int i = 0; i < OPENMETRICS_SERIES_MAX + MORE; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "a{x=\"%d\"} 1\n", i);
    begin(OPENMETRICS_SERIES_MAX, NULL);
    assert_true(read_all(PLAIN, text));
    assert_int_equal(scrape.kept, OPENMETRICS_SERIES_MAX);
    assert_int_equal(scrape.summary.beyond, MORE);
    assert_int_equal(scrape.left_out + scrape.summary.faults, 0);
    assert_string_equal(scrape.first_fault, "");
    scrape_release(&scrape);
    len = 0;
    for (int i = 0; i < OPENMETRICS_FAMILIES_MAX + MORE; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "a%d 1\n", i);
    begin(1, NULL);
    assert_true(read_all(PLAIN, text));
    assert_int_equal(scrape.left_out, OPENMETRICS_FAMILIES_MAX - 1);
    assert_int_equal(scrape.summary.beyond, MORE);
}

/* Two series that have one name here: the first one has it. */
static void names_that_clash(void **state)
{
    (void)state;
    begin(100, NULL);
    assert_true(read_all(PLAIN, "a{x=\"1,y=2\"} 1\na{x=\"1\",y=\"2\"} 2\n"
                                "# TYPE s summary\ns_count 4\ns_sum 2\n# TYPE t gauge\nt 1\n"));
    assert_true(get("e:a:x=1,y=2", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 1);
    assert_int_equal(scrape.left_out, 1);
}

static void faults(void **state)
{
    (void)state;
    begin(100, NULL);
    assert_true(read_all(PLAIN, "a 1\nb{ 2\nc x\nd 4\n"));
    assert_int_equal(scrape.summary.faults, 2);
    assert_memory_equal(scrape.first_fault, "line 2: ", 8);
    assert_non_null(series("e:a"));
    assert_non_null(series("e:d"));
}

static void check_refusal(long status, const char *content_type, const char *text,
                          const char *expected)
{
    begin(100, NULL);
    bool is_good = (!*text || scrape_feed(&scrape, status, content_type, text, strlen(text))) &&
                   scrape_end(&scrape, status);
    assert_false(is_good);
    if (!strstr(scrape.why, expected))
        fail_msg("%s: %s", expected, scrape.why);
    scrape_release(&scrape);
}

static void refusals(void **state)
{
    (void)state;
    check_refusal(404, PLAIN, "a 1\n", "status 404, not 200");
    check_refusal(503, PLAIN, "", "status 503, not 200");
    check_refusal(200, PLAIN, "", "empty");
    check_refusal(200, "text/html", "<html>", "its Content-Type is \"text/html\"");
    check_refusal(200, "text/plain; version=9", "a 1\n", "Content-Type");
    check_refusal(200, "text/\x01\xff;|", "a 1\n", "text/????");
    check_refusal(200, PLAIN, "a 1\nb 2", "not whole");
    check_refusal(200, OPEN, "a 1\n", "not whole");
    check_refusal(200, PLAIN, "# HELP a b\n", "no metric in its answer");
    check_refusal(200, PLAIN, "what is this?\n", "no metric in its answer; line 1: ");
}

/* The first exporters had none. */
static void without_a_content_type(void **state)
{
    (void)state;
    begin(100, NULL);
    assert_true(read_all(NULL, "a 1\n"));
    assert_non_null(series("e:a"));
}

static void too_long(void **state)
{
    static char lines[1 << 16];
    bool goes_on = true;
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < sizeof lines; i += 4)
        memcpy(lines + i, "#  \n", 4);
    begin(100, NULL);
    while ((goes_on = scrape_feed(&scrape, 200, PLAIN, lines, sizeof lines)))
        n++;
    assert_int_equal(n, SCRAPE_OCTETS_MAX / sizeof lines);
    assert_string_equal(scrape.why, "its answer is longer than 16 MiB");
    assert_false(scrape_feed(&scrape, 200, PLAIN, "a 1\n", 4));
    assert_false(scrape_end(&scrape, 200));
}

/* What a series says at several times: the last one counts. */
static void times(void **state)
{
    (void)state;
    begin(100, NULL);
    assert_true(read_all(OPEN, "# TYPE a gauge\na 1 10\na 2 20\n# EOF\n"));
    assert_true(get("e:a", SCRAPED_VALUE, SCRAPED_LEVEL)->level == 2);
    assert_int_equal(scrape.left_out, 0);
}

static void without_memory(void **state)
{
    static const char text[] = "# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 1\n"
                               "h_count 1\nh_sum 1\na 1\n";
    bool failed = true;
    (void)state;
    for (size_t nth = 1; failed; nth++) {
        begin(100, NULL);
        scarce_fail(nth);
        bool is_good =
            scrape_feed(&scrape, 200, PLAIN, text, strlen(text)) && scrape_end(&scrape, 200);
        failed = scarce_stop();
        assert_true(is_good != failed);
        assert_true(scrape.is_out_of_memory == failed);
        assert_true(!failed || strcmp(scrape.why, "there is no memory to read it") == 0);
        scrape_release(&scrape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_type, end),
        cmocka_unit_test_teardown(only_what_is_wanted, end),
        cmocka_unit_test_teardown(no_more_than_there_is_room_for, end),
        cmocka_unit_test_teardown(larger_than_is_read, end),
        cmocka_unit_test_teardown(names_that_clash, end),
        cmocka_unit_test_teardown(faults, end),
        cmocka_unit_test(refusals),
        cmocka_unit_test_teardown(without_a_content_type, end),
        cmocka_unit_test_teardown(too_long, end),
        cmocka_unit_test_teardown(times, end),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
