/* A host and a port in one word. */
#include <string.h>

#include "base/hostport.h"

#include "unit.h"

static void forms(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host, *port; /* host NULL: it is refused */
    } cases[] = {
        {"", "", NULL},
        {"a", "a", NULL},
        {"a:", "a", ""},
        {":", "", ""},
        {":705", "", "705"},
        {"a.example:705", "a.example", "705"},
        {"192.0.2.7:x", "192.0.2.7", "x"},
        {"::1", "::1", NULL},
        {"2001:db8::7", "2001:db8::7", NULL},
        {"a:b:c", "a:b:c", NULL},
        {"[::1]", "::1", NULL},
        {"[::1]:705", "::1", "705"},
        {"[::1]:", "::1", ""},
        {"[]", "", NULL},
        {"[a]:1", "a", "1"},
        {"[", NULL, NULL},
        {"[::1", NULL, NULL},
        {"[::1]705", NULL, NULL},
        {"[::1]]", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hostport parts;
        bool taken = hostport_split(cases[i].text, &parts);
        if (taken != (cases[i].host != NULL))
            fail_msg("'%s': taken is %d", cases[i].text, taken);
        if (!taken)
            continue;
        assert_int_equal(parts.host_len, strlen(cases[i].host));
        assert_memory_equal(parts.host, cases[i].host, parts.host_len);
        assert_int_equal(parts.port != NULL, cases[i].port != NULL);
        if (parts.port)
            assert_string_equal(parts.port, cases[i].port);
    }
}

static void ports(void **state)
{
    (void)state;
    static const char *const good[] = {"1", "161", "65535", "00161"};
    static const char *const bad[] = {"",   "0",  "65536", "99999", "000161", "-1",
                                      "+1", " 1", "1 ",    "1x",    "http"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(hostport_is_port(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(hostport_is_port(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(ports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
