#include "base/local_url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "unit.h"

static void of_this_machine(void **state)
{
    static const char *const urls[] = {
        "http://localhost",
        "http://localhost/",
        "http://LocalHost:1/metrics",
        "https://127.0.0.1:65535/metrics?a=b&c",
        "http://127.255.255.254/a/b-c_d.e~f%20",
        "http://[::1]",
        "http://[::1]:9100/metrics",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://localhost?format=prometheus",
    };
    (void)state;
    for (size_t i = 0; i < N_OF(urls); i++)
        if (local_url_fault(urls[i]))
            fail_msg("%s: %s", urls[i], local_url_fault(urls[i]));
}

static void refused(void **state)
{
    static const struct {
        const char *url, *part;
    } urls[] = {
        {"", "begins"},
        {"ftp://localhost/", "begins"},
        {"HTTP://localhost/", "begins"},
        {"file:///etc/passwd", "begins"},
        {"http://", "this machine"},
        {"http:///metrics", "this machine"},
        {"http://192.0.2.1/", "this machine"},
        {"http://0.0.0.0/", "this machine"},
        {"http://128.0.0.1/", "this machine"},
        {"http://126.255.255.255/", "this machine"},
        {"http://example.org/", "this machine"},
        {"http://localhost.example.org/", "this machine"},
        {"http://localhost./", "this machine"},
        {"http://127.1/", "this machine"},
        {"http://0177.0.0.1/", "this machine"},
        {"http://2130706433/", "this machine"},
        {"http://user@localhost/", "this machine"},
        {"http://localhost@192.0.2.1/", "this machine"},
        {"http://localhost#@192.0.2.1/", "this machine"},
        {"http://localhost\\@192.0.2.1/", "this machine"},
        {"http://localhost:80@192.0.2.1/", "behind its host"},
        {"http://[::2]/", "this machine"},
        {"http://[::ffff:127.0.0.1]/", "this machine"},
        {"http://[127.0.0.1]/", "this machine"},
        {"http://::1/", "this machine"},
        {"http://[::1", "bracket"},
        {"http://[::1]x/", "behind its host"},
        {"http://localhost:/", "port"},
        {"http://localhost:0/", "port"},
        {"http://localhost:65536/", "port"},
        {"http://localhost:123456/", "port"},
        {"http://localhost:-1/", "port"},
        {"http://localhost:80x/", "behind its host"},
        {"http://localhost/a b", "path"},
        {"http://localhost/a#b", "path"},
        {"http://localhost/a@b", "path"},
        {"http://localhost/a\\b", "path"},
        {"http://localhost/\xc3\xa4", "path"},
        {"http://1111111111111111111111111111111111111111111111111111111111111/", "this machine"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(urls); i++) {
        const char *fault = local_url_fault(urls[i].url);
        if (!fault || !strstr(fault, urls[i].part))
            fail_msg("%s: %s", urls[i].url, fault ? fault : "taken");
    }
}

static bool is_local_4(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
    return local_address((const struct sockaddr *)&address);
}

static bool is_local_6(const char *text)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    assert_int_equal(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return local_address((const struct sockaddr *)&address);
}

static void addresses(void **state)
{
    const struct sockaddr_un path = {.sun_family = AF_UNIX};
    const struct sockaddr other = {.sa_family = AF_UNSPEC};
    (void)state;
    assert_true(is_local_4("127.0.0.1") && is_local_4("127.255.255.255"));
    assert_false(is_local_4("128.0.0.0") || is_local_4("0.0.0.0") || is_local_4("192.0.2.1"));
    assert_true(is_local_6("::1"));
    assert_false(is_local_6("::2") || is_local_6("::") || is_local_6("::ffff:127.0.0.1"));
    assert_true(local_address((const struct sockaddr *)&path));
    assert_false(local_address(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_this_machine),
        cmocka_unit_test(refused),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
