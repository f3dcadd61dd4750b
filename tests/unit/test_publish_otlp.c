/* What the sink otlp says and hears: units, parts of requests, answers that are none, memory that
 * fails; and the halving of a batch of which a server takes some. That requests are of the
 * published schema is tested with another decoder, by tests/sinks/otlp.py. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/batch.h"
#include "publish/otlp.h"
#include "publish/otlp_answer.h"
#include "publish/ucum.h"
#include "scarce.h"
#include "unit.h"

static const struct sink_stream stream = {.boot = 1, .path = "", .name = "n", .group = "g"};

static struct line value_of(const char *node, const char *sensor, int64_t ms)
{
    struct line line = {.kind = LINE_VALUE,
                        .stream = &stream,
                        .wall_ms = ms,
                        .words = {sensor, "i", "m", "B/s"},
                        .state = "valid",
                        .value = 1.5};
    strcpy(line.node, node);
    return line;
}

static void units_are_those_of_ucum(void **state)
{
    static const char *const units[][2] = {{"", ""},
                                           {"%", "%"},
                                           {"B", "By"},
                                           {"B/s", "By/s"},
                                           {"1/s", "1/s"},
                                           {"us", "us"},
                                           {"CPUs", "{CPUs}"},
                                           {"operations/s", "{operations}/s"},
                                           {"a{b} c", "{a_b__c}"},
                                           {"\xff", "{_}"},
                                           {"/", "/"}};
    char text[UCUM_SIZE], all[600];
    (void)state;
    for (size_t i = 0; i < N_OF(units); i++) {
        ucum_from_unit(text, units[i][0]);
        assert_string_equal(text, units[i][1]);
    }
    memset(all, 'x', sizeof all);
    for (size_t i = 0; i < sizeof all; i += 7)
        all[i] = '/';
    all[sizeof all - 1] = '\0';
    ucum_from_unit(text, all);
    assert_true(strlen(text) < UCUM_SIZE);
    memset(all, 'x', sizeof all - 1);
    ucum_from_unit(text, all);
    assert_int_equal(strlen(text), UCUM_SIZE - 1);
    assert_true(text[UCUM_SIZE - 2] == '}');
}

/* How often a text is in octets. */
static size_t count(const struct octets *octets, const char *text)
{
    size_t n = 0, len = strlen(text);
    for (size_t i = 0; i + len <= octets->len; i++)
        n += memcmp(octets->at + i, text, len) == 0;
    return n;
}

static void what_parts_have_in_common_is_there_once(void **state)
{
    struct otlp_batch batch = {.signal = OTLP_METRICS};
    struct octets request = {0}, half = {0};
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct line line = value_of(i % 2 ? "a/node7" : "a/node8", i % 4 < 2 ? "cpu" : "mem", i);
        assert_int_equal(otlp_add(&batch, &line), 1);
    }
    otlp_sort(&batch);
    otlp_request(&batch, 0, 8, &request);
    assert_false(request.failed);
    assert_int_equal(count(&request, "service.instance.id"), 2);
    assert_int_equal(count(&request, "a/node7"), 1);
    assert_int_equal(count(&request, "cpu"), 2);
    assert_int_equal(count(&request, "By/s"), 4);
    assert_int_equal(count(&request, "dcamp.instance"), 8);
    otlp_request(&batch, 3, 4, &half);
    assert_int_equal(count(&half, "service.instance.id"), 1);
    assert_int_equal(count(&half, "dcamp.instance"), 1);
    otlp_clear(&batch);
    octets_cut(&half, 0);
    otlp_request(&batch, 0, 0, &half);
    assert_int_equal(half.len, 0);
    otlp_release(&batch);
    octets_release(&request);
    octets_release(&half);
}

static void times_that_do_not_fit_are_no_parts(void **state)
{
    struct otlp_batch batch = {.signal = OTLP_METRICS};
    struct line early = value_of("n", "cpu", -1), late = value_of("n", "cpu", INT64_MAX);
    (void)state;
    assert_int_equal(otlp_add(&batch, &early) + otlp_add(&batch, &late), 0);
    assert_int_equal(batch.n, 0);
    otlp_release(&batch);
}

static void make_request(struct octets *request)
{
    struct otlp_batch batch = {.signal = OTLP_METRICS};
    for (int i = 0; i < 600; i++) {
        struct line line = value_of("n", "cpu", i);
        otlp_add(&batch, &line);
    }
    if (batch.text.failed) {
        request->failed = true;
    } else {
        otlp_sort(&batch);
        otlp_request(&batch, 0, batch.n, request);
    }
    otlp_release(&batch);
}

static void memory_may_fail_anywhere(void **state)
{
    struct octets whole = {0};
    (void)state;
    make_request(&whole);
    assert_false(whole.failed);
    for (size_t nth = 1;; nth++) {
        struct octets request = {0};
        scarce_fail(nth);
        make_request(&request);
        bool failed = scarce_stop();
        assert_int_equal(request.failed, failed);
        if (!failed)
            assert_memory_equal(request.at, whole.at, whole.len);
        octets_release(&request);
        if (!failed)
            break;
    }
    octets_release(&whole);
}

/* -- Answers --------------------------------------------------------------------------------- */

static void partial_success_is_read(void **state)
{
    static const char negative[] =
        "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x18\x01\x78\x05";
    static const char said[] = "\x0a\x0b\x08\x83\x01\x12\x06too ol";
    char text[OTLP_TEXT_SIZE];
    uint64_t rejected;
    (void)state;
    assert_true(otlp_answer_partly("", 0, &rejected, text));
    assert_int_equal(rejected, 0);
    assert_true(otlp_answer_partly(said, sizeof said - 1, &rejected, text));
    assert_int_equal(rejected, 131);
    assert_string_equal(text, "too ol");
    /* -1, and fields that nobody knows yet */
    assert_true(otlp_answer_partly(negative, sizeof negative - 1, &rejected, text));
    assert_int_equal(rejected, 0);
    assert_true(otlp_answer_status("\x08\x03\x12\x02no", 6, text));
    assert_string_equal(text, "no");
    assert_false(otlp_answer_status("<html>", 6, text));
}

/* Whatever is cut off or changed: it is read to its end at most, and ends. */
static void garbage_is_no_answer(void **state)
{
    static const char said[] = "\x0a\x0b\x08\x83\x01\x12\x06too ol\x12\x03"
                               "abc\x1a\x80\x80\x80\x80\x0f";
    char text[OTLP_TEXT_SIZE];
    uint64_t rejected;
    (void)state;
    for (size_t len = 0; len < sizeof said; len++)
        for (size_t at = 0; at < len; at++)
            for (int octet = 0; octet < 256; octet++) {
                char *body = malloc(len);
                memcpy(body, said, len);
                body[at] = (char)octet;
                otlp_answer_partly(body, len, &rejected, text);
                assert_true(memchr(text, 0, sizeof text) && rejected <= INT64_MAX);
                otlp_answer_status(body, len, text);
                assert_true(memchr(text, 0, sizeof text));
                free(body);
            }
}

/* -- Batches --------------------------------------------------------------------------------- */

/* A server that does not take some parts, and all of a request with one of them. */
struct server {
    bool refuses[64];
    unsigned taken[64], posts, asked;
    bool is_down; /* it takes none at all */
};

static int post(void *context, size_t from, size_t to, struct poster_answer *answer,
                char error[SINK_ERROR_SIZE])
{
    struct server *server = context;
    bool refused = server->is_down;
    (void)error;
    server->posts++;
    server->asked += from == to;
    for (size_t i = from; i < to; i++)
        refused = refused || server->refuses[i];
    *answer = (struct poster_answer){.status = refused ? 400 : 200, .text = "bad part"};
    for (size_t i = from; i < to && !refused; i++)
        server->taken[i]++;
    return 0;
}

static bool takes(const struct poster_answer *answer, uint64_t *refused, char why[256])
{
    (void)refused;
    (void)why;
    return answer->status == 200;
}

static bool is_well(const struct poster_answer *answer)
{
    return answer->status == 200;
}

static int post_all(struct server *server, struct refusals *refusals, size_t n)
{
    static const struct batch_protocol protocol = {post, takes, is_well};
    char error[SINK_ERROR_SIZE] = "";
    const struct batch batch = {&protocol, server, NULL, refusals, 1000, error};
    return batch_post(&batch, n);
}

static void what_is_refused_is_found(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64};
    (void)state;
    for (size_t size = 0; size < N_OF(sizes); size++)
        for (size_t bad = 0; bad < sizes[size]; bad++) {
            struct server server = {.refuses = {[0] = false}};
            struct refusals refusals = {
                .sink = "test", .what = "parts", .has_said = true, .said_ms = 1000};
            size_t n = sizes[size];
            server.refuses[bad] = server.refuses[(bad * 7) % n] = true;
            assert_int_equal(post_all(&server, &refusals, n), 0);
            uint64_t refused = 0;
            for (size_t i = 0; i < n; i++) {
                refused += server.refuses[i];
                assert_int_equal(server.taken[i], !server.refuses[i]);
            }
            assert_int_equal(refusals.n, refused);
        }
}

static void one_that_takes_nothing_is_asked_to_take_none(void **state)
{
    struct server server = {.refuses = {[0] = true, [1] = true, [2] = true}};
    struct refusals refusals = {.sink = "test", .what = "parts", .has_said = true, .said_ms = 1000};
    (void)state;
    assert_int_equal(post_all(&server, &refusals, 3), 0);
    assert_int_equal(refusals.n, 3);
    assert_int_equal(server.asked, 1);
}

static void refusals_are_shown_for_an_hour(void **state)
{
    struct refusals refusals = {
        .sink = "test", .what = "points", .has_said = true, .said_ms = 5000};
    char text[SINK_ERROR_SIZE];
    (void)state;
    refusals_show(&refusals, 5000, text);
    assert_string_equal(text, "");
    refusals_add(&refusals, 0, "nothing", 5000);
    refusals_show(&refusals, 5000, text);
    assert_string_equal(text, "");
    refusals_add(&refusals, 2, "too\nold", 5000);
    refusals_add(&refusals, 1, "too\nold", 6000);
    refusals_show(&refusals, 6000 + REFUSALS_SHOWN_MS - 1, text);
    assert_string_equal(text, "the server has refused 3 points: too?old");
    refusals_show(&refusals, 6000 + REFUSALS_SHOWN_MS, text);
    assert_string_equal(text, "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_those_of_ucum),
        cmocka_unit_test(what_parts_have_in_common_is_there_once),
        cmocka_unit_test(times_that_do_not_fit_are_no_parts),
        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(partial_success_is_read),
        cmocka_unit_test(garbage_is_no_answer),
        cmocka_unit_test(what_is_refused_is_found),
        cmocka_unit_test(one_that_takes_nothing_is_asked_to_take_none),
        cmocka_unit_test(refusals_are_shown_for_an_hour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
