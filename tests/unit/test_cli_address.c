#include <stdio.h>
#include <string.h>

#include "cli/address.h"

#include "unit.h"

static void forms(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host, *port;
    } cases[] = {{"web1", "web1", "161"},
                 {"web1.example.org:1161", "web1.example.org", "1161"},
                 {"192.0.2.7", "192.0.2.7", "161"},
                 {"192.0.2.7:65535", "192.0.2.7", "65535"},
                 {"2001:db8::7", "2001:db8::7", "161"},
                 {"::1", "::1", "161"},
                 {"[2001:db8::7]", "2001:db8::7", "161"},
                 {"[2001:db8::7]:1", "2001:db8::7", "1"},
                 {"udp:192.0.2.7:1161", "192.0.2.7", "1161"},
                 {"udp:192.0.2.7", "192.0.2.7", "161"},
                 {"udp6:[2001:db8::7]:1161", "2001:db8::7", "1161"},
                 {"udp6:2001:db8::7", "2001:db8::7", "161"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct address address;
        assert_true(address_split(cases[i].text, "161", &address));
        assert_string_equal(address.host, cases[i].host);
        assert_string_equal(address.port, cases[i].port);
    }
}

static void what_is_no_address(void **state)
{
    (void)state;
    static const char *const bad[] = {"",       ":",      ":161",     "a:",   "a:0",   "a:65536",
                                      "a:b",    "a:1a",   "a:-1",     "[::1", "[]",    "[]:161",
                                      "[::1]x", "[::1]:", "[::1]1:1", "udp:", "udp6:", "a:000161"};
    char text[HOST_SIZE + 1];
    struct address address = {.host = "kept"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (address_split(bad[i], "161", &address))
            fail_msg("'%s' is taken for an address", bad[i]);
    memset(text, 'a', HOST_SIZE);
    text[HOST_SIZE] = '\0';
    assert_false(address_split(text, "161", &address));
    assert_false(address_split("a", "0", &address));
    assert_false(address_split("a", "", &address));
    assert_string_equal(address.host, "kept");
}

static void numbers_need_no_resolver(void **state)
{
    (void)state;
    char numbers[PEER_ADDRESS_SIZE];
    struct address address;
    assert_true(address_split("127.0.0.1:1161", "161", &address));
    assert_null(address_resolve(&address, numbers));
    assert_string_equal(numbers, "udp:127.0.0.1:1161");
    assert_true(address_split("::1", "161", &address));
    assert_null(address_resolve(&address, numbers));
    assert_string_equal(numbers, "udp6:[::1]:161");
    assert_true(address_split("256.256.256.256", "161", &address));
    assert_non_null(address_resolve(&address, numbers));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms),
                                       cmocka_unit_test(what_is_no_address),
                                       cmocka_unit_test(numbers_need_no_resolver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
