/* Endpoints as the instances of a source: what they are called, which fields they have, when they
 * are up, and which instance is another one. Nobody is asked: answers are put into them. */
#include "application/endpoints.h"

#include <errno.h>
#include <string.h>

#include "application/endpoint.h"
#include "calculate/histogram.h"

#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define S NS_PER_S
#define BIT(field) (UINT32_C(1) << (field))
#define PLAIN "text/plain; version=0.0.4"

static struct endpoints *endpoints;
static struct sampler *sampler;

static struct endpoint_setup setup_of(const char *name)
{
    struct endpoint_setup setup = {
        .interval_ns = 5 * S, .timeout_ns = S, .series = 100, .tolerance = 10};
    strcpy(setup.name, name);
    strcpy(setup.url, "http://localhost/");
    return setup;
}

/* As they are configured, but that nobody asks them. */
static void set_up(const char *one, const char *other)
{
    const struct endpoint_setup setups[] = {setup_of(one), setup_of(other ? other : "none")};
    assert_int_equal(endpoints_set(endpoints, setups, other ? 2 : 1), 0);
}

static struct endpoint *endpoint(const char *name)
{
    struct endpoint *found;
    LIST_FOREACH(found, &endpoints->all, link)
    if (!found->is_dropped && strcmp(found->setup.name, name) == 0)
        return found;
    fail_msg("there is no %s", name);
    return NULL;
}

static bool wants_all(const void *context, const char *name, unsigned has)
{
    (void)context;
    (void)name;
    (void)has;
    return true;
}

static void answer(const char *name, uint64_t seconds, const char *text)
{
    const struct scrape_setup setup = {.endpoint = name, .series = 100, .wants = wants_all};
    struct scrape scrape;
    scrape_begin(&scrape, &setup);
    assert_true(scrape_feed(&scrape, 200, PLAIN, text, strlen(text)) && scrape_end(&scrape, 200));
    endpoint_answers(endpoint(name), &scrape, S / 4,
                     (struct moment){seconds * S, (int64_t)seconds * 1000});
    scrape_release(&scrape);
}

static const struct sample_set *pass(uint64_t seconds)
{
    assert_int_equal(sampler_read(sampler, SOURCE_ENDPOINT, seconds * S), 0);
    return sampler_set(sampler, SOURCE_ENDPOINT);
}

static const struct sample_slot *slot(const char *name)
{
    const struct sample_set *set = sampler_set(sampler, SOURCE_ENDPOINT);
    for (size_t i = 0; i < set->count; i++)
        if (set->slots[i].present && strcmp(set->slots[i].name, name) == 0)
            return &set->slots[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static double real(const struct sample_slot *of, enum endpoint_field field)
{
    double value;
    memcpy(&value, &of->field[field], sizeof value);
    return value;
}

static int begin(void **state)
{
    (void)state;
    endpoints = endpoints_new();
    sampler = sampler_new("/nonexistent");
    sampler_provide(sampler, SOURCE_ENDPOINT, endpoints_read, endpoints);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sampler_free(sampler);
    endpoints_free(endpoints);
    return 0;
}

/* -- Slots ------------------------------------------------------------------------------------- */

static void an_endpoint(void **state)
{
    (void)state;
    set_up("web", NULL);
    pass(1);
    const struct sample_slot *web = slot("web");
    assert_int_equal(web->class, RESOURCE_ENDPOINT);
    assert_false(web->valid & BIT(ENDPOINT_UP)); /* it was not asked yet */
    assert_int_equal(web->field[ENDPOINT_FAILURES], 0);
    answer("web", 2, "a 1\nb 2\n{\n");
    pass(3);
    web = slot("web");
    assert_int_equal(web->valid, BIT(ENDPOINT_COUNT) - 1);
    assert_int_equal(web->field[ENDPOINT_UP], 1);
    assert_int_equal(web->field[ENDPOINT_TIME], S / 4);
    assert_int_equal(web->field[ENDPOINT_OCTETS], 10);
    assert_int_equal(web->field[ENDPOINT_ANSWERS], 1);
    assert_int_equal(web->field[ENDPOINT_FAULTS], 1);
    assert_int_equal(web->field[ENDPOINT_KEPT], 2);
    assert_int_equal(web->field[ENDPOINT_LEFT_OUT], 0);
    assert_int_equal(web->field[ENDPOINT_BEYOND], 0);
    endpoint_fails(endpoint("web"));
    pass(4);
    assert_true(web->valid & BIT(ENDPOINT_UP));
    assert_int_equal(web->field[ENDPOINT_UP], 0);
    assert_int_equal(web->field[ENDPOINT_FAILURES], 1);
    assert_false(web->valid & BIT(ENDPOINT_TIME));
}

static void its_series(void **state)
{
    (void)state;
    set_up("web", NULL);
    answer("web", 2,
           "# TYPE a_bytes_total counter\na_bytes_total 5\n# TYPE g gauge\ng{x=\"1\"} -3\n"
           "# TYPE s_seconds summary\ns_seconds_count 2\ns_seconds_sum 9\n");
    pass(3);
    const struct sample_slot *a = slot("web:a_bytes_total"), *g = slot("web:g:x=1"),
                             *s = slot("web:s_seconds");
    assert_int_equal(a->class, RESOURCE_ENDPOINT_SERIES);
    assert_int_equal(a->valid, BIT(ENDPOINT_COUNT));
    assert_true(real(a, ENDPOINT_COUNT) == 5);
    assert_string_equal(a->unit, "B");
    assert_true(a->united & BIT(ENDPOINT_COUNT));
    assert_true(a->lacks & BIT(ENDPOINT_VALUE) && a->lacks & BIT(ENDPOINT_SUM));
    assert_int_equal(a->taken_ns, 2 * S);
    assert_int_equal(g->valid, BIT(ENDPOINT_VALUE));
    assert_true(real(g, ENDPOINT_VALUE) == -3);
    assert_int_equal(s->valid, BIT(ENDPOINT_COUNT) | BIT(ENDPOINT_SUM) | BIT(ENDPOINT_EVENTS));
    assert_true(real(s, ENDPOINT_SUM) == 9);
    assert_int_equal(s->field[ENDPOINT_EVENTS], 2);
    assert_false(s->united & BIT(ENDPOINT_COUNT)); /* these are events */
    assert_string_equal(s->unit, "s");
    assert_null(s->events);
}

/* Two intervals and the time of an answer after the last one, they are old. */
static void what_is_old_is_not_shown(void **state)
{
    (void)state;
    set_up("web", NULL);
    answer("web", 2, "a 1\n");
    pass(13);
    assert_int_equal(slot("web")->field[ENDPOINT_UP], 1);
    assert_int_equal(slot("web:a")->valid, BIT(ENDPOINT_VALUE));
    pass(14);
    assert_int_equal(slot("web")->field[ENDPOINT_UP], 0);
    assert_int_equal(slot("web:a")->valid, 0);
    answer("web", 15, "a 1\n");
    pass(16);
    assert_int_equal(slot("web:a")->valid, BIT(ENDPOINT_VALUE));
}

static void one_that_fails_costs_no_other(void **state)
{
    (void)state;
    set_up("web", "db");
    answer("web", 2, "a 1\n");
    answer("db", 2, "a 2\n");
    endpoint_fails(endpoint("web"));
    pass(3);
    assert_int_equal(slot("web:a")->valid, 0);
    assert_int_equal(slot("db:a")->valid, BIT(ENDPOINT_VALUE));
}

#define HISTOGRAM(n)                                                                               \
    "# TYPE h histogram\nh_bucket{le=\"1\"} 0\nh_bucket{le=\"1.1\"} " #n                           \
    "\nh_bucket{le=\"+Inf\"} " #n "\nh_sum " #n "\nh_count " #n "\n"

/* Each pass has those that came since the one before, once. */
static void events(void **state)
{
    (void)state;
    set_up("web", NULL);
    answer("web", 2, HISTOGRAM(4));
    pass(3);
    assert_null(slot("web:h")->events);
    answer("web", 4, HISTOGRAM(5));
    answer("web", 6, HISTOGRAM(7));
    pass(7);
    assert_int_equal(slot("web:h")->events->count, 3);
    assert_true(slot("web:h")->events_mean == 1);
    pass(8);
    assert_null(slot("web:h")->events);
    answer("web", 9, "a 1\n"); /* it is gone, and those that the pass had were good until now */
    pass(10);
    assert_int_equal(slot("web:a")->valid, BIT(ENDPOINT_VALUE));
}

/* -- The configuration ------------------------------------------------------------------------- */

static void endpoints_change(void **state)
{
    struct endpoint_setup setup = setup_of("web");
    (void)state;
    set_up("web", "db");
    answer("web", 2, "a 1\n");
    answer("db", 2, "a 1\n");
    pass(3);
    uint32_t incarnation = slot("web:a")->incarnation;
    setup.interval_ns = 10 * S; /* it goes on */
    strcpy(setup.secrets, "/nonexistent");
    assert_int_equal(endpoints_set(endpoints, &setup, 1), 0);
    pass(4);
    assert_int_equal(slot("web:a")->incarnation, incarnation);
    assert_int_equal(slot("web:a")->valid, BIT(ENDPOINT_VALUE));
    size_t present = 0;
    const struct sample_set *set = sampler_set(sampler, SOURCE_ENDPOINT);
    for (size_t i = 0; i < set->count; i++)
        present += set->slots[i].present;
    assert_int_equal(present, 2);
    strcpy(setup.url, "http://localhost/other"); /* it begins anew */
    assert_int_equal(endpoints_set(endpoints, &setup, 1), 0);
    answer("web", 5, "a 1\n");
    pass(6);
    assert_true(slot("web:a")->incarnation != incarnation);
    assert_int_equal(endpoints_set(endpoints, NULL, 0), 0);
    pass(7);
    assert_true(LIST_EMPTY(&endpoints->all));
}

/* Nobody asks where there is no endpoint, so that no thread begins here. */
static void wishes(void **state)
{
    const struct endpoint_wish want[] = {{"web:a*", BIT(ENDPOINT_COUNT)},
                                         {"!db:* db*", BIT(ENDPOINT_VALUE) | BIT(ENDPOINT_SUM)},
                                         {"*", 0}};
    (void)state;
    assert_int_equal(endpoints_wish(endpoints, want, 3), 0);
    const struct endpoint_wishes *are = endpoints->wishes;
    assert_true(endpoint_wishes_have(are, "web:ab", SCRAPED_COUNT));
    assert_true(endpoint_wishes_have(are, "web:ab", SCRAPED_COUNT | SCRAPED_SUM));
    assert_false(endpoint_wishes_have(are, "web:ab", SCRAPED_LEVEL));
    assert_false(endpoint_wishes_have(are, "web:b", SCRAPED_COUNT));
    assert_true(endpoint_wishes_have(are, "dbx", SCRAPED_LEVEL));
    assert_true(endpoint_wishes_have(are, "dbx", SCRAPED_COUNT | SCRAPED_SUM));
    assert_false(endpoint_wishes_have(are, "db:x", SCRAPED_LEVEL));
    assert_int_equal(endpoints_wish(endpoints, want, 3), 0);
    assert_ptr_equal(endpoints->wishes, are); /* they are the same */
    struct endpoint_wishes *used = endpoint_wishes_use(endpoints->wishes);
    assert_int_equal(endpoints_wish(endpoints, want, 1), 0);
    assert_true(endpoint_wishes_have(used, "dbx", SCRAPED_LEVEL));
    assert_false(endpoint_wishes_have(endpoints->wishes, "dbx", SCRAPED_LEVEL));
    endpoint_wishes_leave(used);
    assert_int_equal(endpoints_wish(endpoints, NULL, 0), 0);
    assert_null(endpoints->wishes);
    assert_null(endpoints->fetcher);
}

/* A little before the places of the clock, and always later than now. */
static void when_they_are_asked(void **state)
{
    (void)state;
    assert_int_equal(endpoint_next(4 * S, 0), 4 * S - S / 2);
    assert_int_equal(endpoint_next(4 * S, 4 * S - S / 2 - 1), 4 * S - S / 2);
    assert_int_equal(endpoint_next(4 * S, 4 * S - S / 2), 8 * S - S / 2);
    assert_int_equal(endpoint_next(4 * S, 4 * S), 8 * S - S / 2);
    assert_int_equal(endpoint_next(S, 0), S - S / 4);
    assert_int_equal(endpoint_next(S, S - S / 4), 2 * S - S / 4);
}

static void without_memory(void **state)
{
    const struct endpoint_wish want[] = {{"web:a*", BIT(ENDPOINT_COUNT)}, {"b", 0}};
    const struct endpoint_setup setups[] = {setup_of("a"), setup_of("b")};
    bool failed = true;
    (void)state;
    for (size_t nth = 1; failed; nth++) {
        scarce_fail(nth);
        int error = endpoints_set(endpoints, setups, 2);
        failed = scarce_stop();
        assert_int_equal(error, failed ? ENOMEM : 0);
        assert_int_equal(endpoints_set(endpoints, setups, 2), 0);
        endpoint("a");
        endpoint("b");
        assert_int_equal(endpoints_set(endpoints, NULL, 0), 0);
    }
    failed = true;
    for (size_t nth = 1; failed; nth++) {
        scarce_fail(nth);
        int error = endpoints_wish(endpoints, want, 2);
        failed = scarce_stop();
        assert_int_equal(error, failed ? ENOMEM : 0);
        assert_true(!failed == (endpoints->wishes != NULL));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_endpoint),
        TEST(its_series),
        TEST(what_is_old_is_not_shown),
        TEST(one_that_fails_costs_no_other),
        TEST(events),
        TEST(endpoints_change),
        TEST(wishes),
        cmocka_unit_test(when_they_are_asked),
        TEST(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
