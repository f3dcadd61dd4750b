/* Who may ask dcamp-web: by method, host, origin, token and the header of a proxy. */
#include "unit.h"
#include "http/access.h"

static const struct access plain = {.hosts = {"localhost", "127.0.0.1", "::1"}, .n_hosts = 3};

static enum access_verdict judge(const struct access *access, struct access_request request)
{
    if (!request.method)
        request.method = "GET";
    if (!request.host)
        request.host = "localhost:8261";
    return access_judge(access, &request);
}

static void test_method(void **state)
{
    (void)state;
    assert_int_equal(judge(&plain, (struct access_request){.method = "HEAD", .is_data = true}),
                     ACCESS_OK);
    static const char *const others[] = {"POST", "PUT", "DELETE", "OPTIONS", "get", ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(judge(&plain, (struct access_request){.method = others[i]}),
                         ACCESS_METHOD);
}

static void test_host(void **state)
{
    (void)state;
    static const char *const ours[] = {"localhost", "LOCALHOST:8261", "127.0.0.1:1", "[::1]:8261",
                                       "[::1]"};
    static const char *const others[] = {
        "evil.example", "localhost.evil.example", "127.0.0.2", "[::2]:8261", "local", "",
        "[::1",         "localhost@evil.example", "localhos"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert_int_equal(judge(&plain, (struct access_request){.host = ours[i]}), ACCESS_OK);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(judge(&plain, (struct access_request){.host = others[i]}), ACCESS_HOST);
    const struct access_request none = {.method = "GET"};
    assert_int_equal(access_judge(&plain, &none), ACCESS_HOST);
}

static void test_origin(void **state)
{
    (void)state;
    static const char *const others[] = {"http://evil.example", "null", "", "localhost",
                                         "http://localhost.evil.example:8261"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct access_request request = {.origin = others[i], .is_data = true};
        assert_int_equal(judge(&plain, request), ACCESS_ORIGIN);
        request.is_data = false; /* the page has no data */
        assert_int_equal(judge(&plain, request), ACCESS_OK);
    }
    assert_int_equal(judge(&plain, (struct access_request){.origin = "http://localhost:8261",
                                                           .site = "same-origin",
                                                           .is_data = true}),
                     ACCESS_OK);
    assert_int_equal(judge(&plain, (struct access_request){.site = "none", .is_data = true}),
                     ACCESS_OK);
    assert_int_equal(judge(&plain, (struct access_request){.site = "cross-site", .is_data = true}),
                     ACCESS_ORIGIN);
    assert_int_equal(judge(&plain, (struct access_request){.site = "same-site", .is_data = true}),
                     ACCESS_ORIGIN);
}

static void test_token(void **state)
{
    (void)state;
    struct access access = plain;
    access.token = "s3cret";
    static const char *const wrong[] = {NULL,           "",
                                        "Bearer",       "Bearer ",
                                        "Bearer s3cre", "Bearer s3crets",
                                        "Basic s3cret", "Bearer  s3cret",
                                        "s3cret"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(
            judge(&access, (struct access_request){.authorization = wrong[i], .is_data = true}),
            ACCESS_LOGIN);
    assert_int_equal(
        judge(&access, (struct access_request){.authorization = "bearer s3cret", .is_data = true}),
        ACCESS_OK);
    assert_int_equal(judge(&access, (struct access_request){.is_data = false}), ACCESS_OK);
}

static void test_proxy(void **state)
{
    (void)state;
    struct access access = plain;
    access.user_header = "X-User";
    assert_int_equal(judge(&access, (struct access_request){.is_data = true}), ACCESS_LOGIN);
    assert_int_equal(judge(&access, (struct access_request){.user = "", .is_data = true}),
                     ACCESS_LOGIN);
    assert_int_equal(judge(&access, (struct access_request){.user = "ann", .is_data = true}),
                     ACCESS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_method), cmocka_unit_test(test_host),  cmocka_unit_test(test_origin),
        cmocka_unit_test(test_token),  cmocka_unit_test(test_proxy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
