/* What etcd is asked, and what of its answers is believed. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "director/etcd_json.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)
/* dcamp/root, dcamp/term, dcamp/term0, r1, 7 */
#define ROOT "ZGNhbXAvcm9vdA=="
#define TERM "ZGNhbXAvdGVybQ=="
#define RANGE "{\"key\":\"" ROOT "\",\"range_end\":\"ZGNhbXAvdGVybTA=\"}"
#define PAIR_ROOT                                                                                  \
    "{\"key\":\"" ROOT "\",\"value\":\"cjE=\",\"lease\":\"77\",\"mod_revision\":\"4\"}"
#define PAIR_TERM "{\"key\":\"" TERM "\",\"value\":\"Nw==\",\"mod_revision\":\"5\"}"

static const struct etcd_names names = {
    .prefix = "dcamp", .self = "r1", .user = "u\"x", .password = "p\\w"};

static const struct {
    struct claim_question question;
    const char *path, *text;
} questions[] = {
    {{.ask = CLAIM_LOGIN},
     "/v3/auth/authenticate",
     "{\"name\":\"u\\\"x\",\"password\":\"p\\\\w\"}"},
    {{.ask = CLAIM_READ}, "/v3/kv/range", RANGE},
    {{.ask = CLAIM_GRANT, .ttl_ns = 9 * SECOND}, "/v3/lease/grant", "{\"TTL\":\"9\"}"},
    {{.ask = CLAIM_RENEW, .lease_id = INT64_MAX},
     "/v3/lease/keepalive",
     "{\"ID\":\"9223372036854775807\"}"},
    {{.ask = CLAIM_GIVE_BACK, .lease_id = 77}, "/v3/lease/revoke", "{\"ID\":\"77\"}"},
    {{.ask = CLAIM_TAKE, .lease_id = 77, .term = 7, .revision = 3},
     "/v3/kv/txn",
     "{\"compare\":[{\"key\":\"" ROOT
     "\",\"target\":\"CREATE\",\"result\":\"EQUAL\",\"create_revision\":\"0\"},{\"key\":\"" TERM
     "\",\"target\":\"MOD\",\"result\":\"EQUAL\",\"mod_revision\":\"3\"}],\"success\":[{\"request_"
     "put\":{\"key\":\"" ROOT
     "\",\"value\":\"cjE=\",\"lease\":\"77\"}},{\"request_put\":{\"key\":\"" TERM
     "\",\"value\":\"Nw==\",\"lease\":\"0\"}},{\"request_range\":" RANGE
     "}],\"failure\":[{\"request_range\":" RANGE "}]}"},
    {{.ask = CLAIM_RAISE, .lease_id = 77, .term = 7, .revision = 3},
     "/v3/kv/txn",
     "{\"compare\":[{\"key\":\"" ROOT
     "\",\"target\":\"LEASE\",\"result\":\"EQUAL\",\"lease\":\"77\"},{\"key\":\"" TERM
     "\",\"target\":\"MOD\",\"result\":\"EQUAL\",\"mod_revision\":\"3\"}],\"success\":[{\"request_"
     "put\":{\"key\":\"" TERM "\",\"value\":\"Nw==\",\"lease\":\"0\"}},{\"request_range\":" RANGE
     "}],\"failure\":[{\"request_range\":" RANGE "}]}"},
};

static void questions_are_as_the_gateway_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        char *text = etcd_question(&questions[i].question, &names);
        json_t *said = json_loads(text, 0, NULL), *right = json_loads(questions[i].text, 0, NULL);
        assert_non_null(right);
        if (!json_equal(said, right))
            fail_msg("%s is not %s", text, questions[i].text);
        assert_string_equal(etcd_path(questions[i].question.ask), questions[i].path);
        json_decref(said);
        json_decref(right);
        etcd_forget(text);
    }
}

static void a_wait_is_no_question(void **state)
{
    (void)state;
    const struct claim_question question = {.ask = CLAIM_WAIT};
    assert_null(etcd_question(&question, &names));
    assert_null(etcd_path(CLAIM_WAIT));
}

/* "<x>", and the keys dcamp/document and dcamp/assignments */
#define DOCUMENT "\"key\":\"ZGNhbXAvZG9jdW1lbnQ=\""
#define OWN_ROOT                                                                                   \
    "\"compare\":[{\"key\":\"" ROOT                                                                \
    "\",\"target\":\"LEASE\",\"result\":\"EQUAL\",\"lease\":\"77\"}]"

static const struct {
    struct etcd_errand errand;
    const char *path, *text;
} errands[] = {
    {{.kind = ETCD_FETCH, .key = ETCD_DOCUMENT}, "/v3/kv/range", "{" DOCUMENT "}"},
    {{.kind = ETCD_PUT, .key = ETCD_DOCUMENT, .value = (char *)"<x>", .lease_id = 77},
     "/v3/kv/txn",
     "{" OWN_ROOT ",\"success\":[{\"request_put\":{" DOCUMENT ",\"value\":\"PHg+\"}}]}"},
    {{.kind = ETCD_REMOVE, .lease_id = 77},
     "/v3/kv/txn",
     "{" OWN_ROOT ",\"success\":[{\"request_delete_range\":{" DOCUMENT
     "}},{\"request_delete_range\":{\"key\":\"ZGNhbXAvYXNzaWdubWVudHM=\"}}]}"},
};

static void errands_are_as_the_gateway_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errands / sizeof *errands; i++) {
        char *text = etcd_errand_question(&errands[i].errand, &names);
        json_t *said = json_loads(text, 0, NULL), *right = json_loads(errands[i].text, 0, NULL);
        assert_non_null(right);
        if (!json_equal(said, right))
            fail_msg("%s is not %s", text, errands[i].text);
        assert_string_equal(etcd_errand_path(&errands[i].errand), errands[i].path);
        json_decref(said);
        json_decref(right);
        etcd_forget(text);
    }
}

/* What is found; NULL: it is no answer of use. "": nothing. */
static void found_is(const char *text, const char *found)
{
    struct etcd_result result;
    struct etcd_errand errand = {.kind = ETCD_FETCH, .key = ETCD_DOCUMENT};
    etcd_errand_answer(&errand, 200, text, strlen(text), &result);
    if (errand.is_over != (found != NULL) || result.is_good != errand.is_over)
        fail_msg("%s: %s", text, result.error);
    if (found && found[0] && (!errand.found || strcmp(errand.found, found) != 0))
        fail_msg("%s: %s", text, errand.found ? errand.found : "nothing");
    if (!found || !found[0])
        assert_true(!errand.found || errand.found_len == 0);
    assert_true(!errand.found || strlen(errand.found) == errand.found_len);
    free(errand.found);
}

static void errands_are_answered(void **state)
{
    (void)state;
    struct etcd_result result;
    struct etcd_errand put = {.kind = ETCD_PUT};
    found_is("{\"kvs\":[{" DOCUMENT ",\"value\":\"PHg+\"}]}", "<x>");
    found_is("{\"kvs\":[{" DOCUMENT "}]}", "");
    found_is("{\"kvs\":[]}", "");
    found_is("{}", "");
    found_is("{\"kvs\":7}", NULL);
    found_is("{\"kvs\":[{" DOCUMENT ",\"value\":\"PHg\"}]}", NULL);
    found_is("{\"kvs\":[{" DOCUMENT ",\"value\":\"?Hg+\"}]}", NULL);
    found_is("{\"error\":\"no\"}", NULL);
    found_is("[]", NULL);
    etcd_errand_answer(&put, 503, "{}", 2, &result);
    assert_false(put.is_over || result.is_good);
    etcd_errand_answer(&put, 200, "{}", 2, &result);
    assert_true(put.is_over && !put.is_done && result.is_good);
    etcd_errand_answer(&put, 200, "{\"succeeded\":true}", strlen("{\"succeeded\":true}"), &result);
    assert_true(put.is_over && put.is_done);
}

static struct etcd_result answer(enum claim_ask ask, long status, const char *text)
{
    const struct claim_question question = {.ask = ask};
    struct etcd_result result;
    etcd_answer(&question, &names, status, text, strlen(text), &result);
    assert_true(result.is_good == !result.error[0]);
    return result;
}

static void answers_are_read(void **state)
{
    (void)state;
    struct etcd_result result =
        answer(CLAIM_READ, 200, "{\"kvs\":[" PAIR_ROOT "," PAIR_TERM ",{\"key\":\"eA==\"}]}");
    assert_true(result.is_good);
    assert_string_equal(result.answer.keys.holder, "r1");
    assert_true(result.answer.keys.lease_id == 77 && result.answer.keys.revision == 5);
    assert_int_equal(result.answer.keys.term, 7);
    result = answer(CLAIM_READ, 200, "{\"header\":{}}");
    assert_true(result.is_good && !result.answer.keys.holder[0] && result.answer.keys.term == 0);
    result = answer(CLAIM_GRANT, 200, "{\"ID\":\"9223372036854775807\",\"TTL\":\"9\"}");
    assert_true(result.is_good && result.answer.lease_id == INT64_MAX);
    assert_true(result.answer.ttl_ns == 9 * SECOND);
    result = answer(CLAIM_RENEW, 200, "{\"result\":{\"ID\":\"7\",\"TTL\":\"9\"}}\n");
    assert_true(result.is_good && result.answer.ttl_ns == 9 * SECOND);
    result = answer(CLAIM_RENEW, 200, "{\"result\":{\"ID\":\"7\"}}");
    assert_true(result.is_good && result.answer.ttl_ns == 0);
    result = answer(CLAIM_TAKE, 200,
                    "{\"succeeded\":true,\"responses\":[{\"response_put\":{}},{\"response_range\":"
                    "{\"kvs\":[" PAIR_TERM "]}}]}");
    assert_true(result.is_good && result.answer.is_done && result.answer.keys.term == 7);
    result = answer(CLAIM_RAISE, 200, "{\"responses\":[{\"response_range\":{}}]}");
    assert_true(result.is_good && !result.answer.is_done);
    result = answer(CLAIM_LOGIN, 200, "{\"token\":\"abc.7\"}");
    assert_true(result.is_good);
    assert_string_equal(result.token, "abc.7");
    assert_true(answer(CLAIM_GIVE_BACK, 200, "{}").is_good);
}

#define KV(key, value) "{\"kvs\":[{\"key\":\"" key "\",\"value\":" value "}]}"

static const struct {
    enum claim_ask ask;
    const char *text;
} bad_answers[] = {
    {CLAIM_READ, ""},
    {CLAIM_READ, "[]"},
    {CLAIM_READ, "{"},
    {CLAIM_READ, "{\"kvs\":7}"},
    {CLAIM_READ, "{\"a\":1,\"a\":2}"},
    {CLAIM_READ, KV(ROOT, "\"\"")},
    {CLAIM_READ, KV(ROOT, "7")},
    {CLAIM_READ, KV(ROOT, "\"cjE\"")},
    {CLAIM_READ, KV(ROOT, "\"c!E=\"")},
    {CLAIM_READ, KV(ROOT, "\"AAAA\"")},
    {CLAIM_READ, KV(ROOT, "\"IC8v\"")},
    {CLAIM_READ, "{\"kvs\":[{\"key\":\"" ROOT "\",\"value\":\"cjE=\",\"lease\":\"x\"}]}"},
    {CLAIM_READ, "{\"kvs\":[{\"key\":\"" ROOT "\",\"value\":\"cjE=\",\"lease\":\"-1\"}]}"},
    {CLAIM_READ, "{\"kvs\":[{\"key\":\"" ROOT "\",\"value\":\"cjE=\",\"lease\":-1}]}"},
    {CLAIM_READ, KV(TERM, "\"Nw==\"")},
    {CLAIM_READ, KV(TERM, "\"MA==\"")},
    {CLAIM_READ, KV(TERM, "\"LTE=\"")},
    {CLAIM_READ, KV(TERM, "\"N3g=\"")},
    {CLAIM_READ, KV(TERM, "\"NDI5NDk2NzI5Ng==\"")},
    {CLAIM_GRANT, "{\"TTL\":\"9\"}"},
    {CLAIM_GRANT, "{\"ID\":\"0\",\"TTL\":\"9\"}"},
    {CLAIM_GRANT, "{\"ID\":\"7\"}"},
    {CLAIM_GRANT, "{\"ID\":\"7\",\"TTL\":\"86401\"}"},
    {CLAIM_GRANT, "{\"ID\":\"99999999999999999999\",\"TTL\":\"9\"}"},
    {CLAIM_GRANT, "{\"ID\":\"9223372036854775808\",\"TTL\":\"9\"}"},
    {CLAIM_RENEW, "{\"TTL\":\"9\"}"},
    {CLAIM_RENEW, "{\"result\":{\"TTL\":\"-9\"}}"},
    {CLAIM_TAKE, "{\"succeeded\":true}"},
    {CLAIM_TAKE, "{\"succeeded\":true,\"responses\":[{\"response_put\":{}}]}"},
    {CLAIM_TAKE, "{\"succeeded\":true,\"responses\":7}"},
    {CLAIM_LOGIN, "{}"},
    {CLAIM_LOGIN, "{\"token\":\"\"}"},
    {CLAIM_LOGIN, "{\"token\":\"a\\r\\nHost: x\"}"},
    {CLAIM_GIVE_BACK, "{\"error\":\"x\"}"},
};

static void bad_answers_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_answers / sizeof *bad_answers; i++)
        if (answer(bad_answers[i].ask, 200, bad_answers[i].text).is_good)
            fail_msg("%s is taken", bad_answers[i].text);
}

static void no_octet_of_an_answer_is_trusted(void **state)
{
    (void)state;
    const char good[] =
        "{\"succeeded\":true,\"responses\":[{\"response_range\":{\"kvs\":[" PAIR_ROOT "," PAIR_TERM
        "]}}]}";
    const struct claim_question question = {.ask = CLAIM_TAKE};
    struct etcd_result result;
    for (size_t i = 0; i < sizeof good - 1; i++) {
        etcd_answer(&question, &names, 200, good, i, &result);
        assert_false(result.is_good);
        for (int octet = 0; octet < 256; octet++) {
            char bad[sizeof good];
            memcpy(bad, good, sizeof good);
            bad[i] = (char)octet;
            etcd_answer(&question, &names, 200, bad, sizeof good - 1, &result);
        }
    }
}

static void errors_say_why(void **state)
{
    (void)state;
    struct etcd_result result =
        answer(CLAIM_READ, 401, "{\"error\":\"etcdserver: invalid auth token\",\"code\":16}");
    assert_true(result.wants_login);
    assert_string_equal(result.error, "it answers with status 401: etcdserver: invalid auth token");
    result = answer(CLAIM_READ, 400,
                    "{\"error\":\"etcdserver: user name is empty\",\"message\":\"etcdserver: user "
                    "name is empty\",\"code\":3}");
    assert_true(result.wants_login);
    result = answer(CLAIM_RENEW, 200, "{\"error\":{\"grpc_code\":14,\"message\":\"no leader\"}}");
    assert_false(result.wants_login);
    assert_string_equal(result.error, "it answers with status 200: no leader");
    result = answer(CLAIM_READ, 503, "<html>");
    assert_string_equal(result.error, "it answers with status 503 and no object of JSON");
    result = answer(CLAIM_READ, 500, "{\"error\":\"a\\u001bb\"}");
    assert_string_equal(result.error, "it answers with status 500: and no reason");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_as_the_gateway_has_them),
        cmocka_unit_test(a_wait_is_no_question),
        cmocka_unit_test(answers_are_read),
        cmocka_unit_test(bad_answers_are_refused),
        cmocka_unit_test(no_octet_of_an_answer_is_trusted),
        cmocka_unit_test(errors_say_why),
        cmocka_unit_test(errands_are_as_the_gateway_has_them),
        cmocka_unit_test(errands_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
