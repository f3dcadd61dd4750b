#include <stdio.h>
#include <string.h>

#include "alarm/alarm.h"

#include "unit.h"

#define KEY_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-"
#define X10 "xxxxxxxxxx"
#define X30 X10 X10 X10

static void test_key_text(void **state)
{
    (void)state;
    static const struct {
        const char *node, *threshold, *instance, *key;
    } cases[] = {
        {"n1", "cpu-high", "total", "n1:cpu-high:total"},
        {"n1", "t", "", "n1:t:"},
        {"", "", "", "::"},
        {"N.1_", "T-", "eth0:1", "N.1_:T-:eth0:1"},
        {"n", "t", "fe80::1", "n:t:fe80::1"},
        {"n", "t", "DEADBEEF", "n:t:DEADBEEF"},
        {"n", "t", "deadbee", "n:t:deadbee"},
        /* 64 octets fit */
        {X30, X30, "ab", X30 ":" X30 ":ab"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char key[ALARM_KEY_SIZE];
        alarm_key(key, cases[i].node, cases[i].threshold, cases[i].instance);
        assert_string_equal(key, cases[i].key);
    }
}

/* The digits are the published FNV-1a of the parts with a NUL behind each: the keys must stay
 * the same over versions of the software. */
static void test_key_hash(void **state)
{
    (void)state;
    static const struct {
        const char *node, *threshold, *instance, *body;
    } cases[] = {
        {"n", "t", "a b", "n:t:a_b:"},
        {"n", "t", "/", "n:t:_:"},
        {"n", "t", "\xc3\xa4", "n:t:__:"},
        {"n:x", "t", "i", "n_x:t:i:"},
        {"n", "t:x", "i", "n:t_x:i:"},
        {"n", "t", "deadbeef", "n:t:deadbeef:"},
        {"n", "t", "x:01234567", "n:t:x:01234567:"},
        {X30, X30, "abc",
         X30 ":"
             "xxxxxxxxxxxxxxxxxxxxxxxx:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t hash = 2166136261u;
        const char *parts[] = {cases[i].node, cases[i].threshold, cases[i].instance};
        for (size_t p = 0; p < 3; p++)
            for (const char *c = parts[p];; c++) {
                hash = (hash ^ (unsigned char)*c) * 16777619u;
                if (!*c)
                    break;
            }
        char key[ALARM_KEY_SIZE], expected[2 * ALARM_KEY_SIZE];
        snprintf(expected, sizeof expected, "%s%08x", cases[i].body, hash);
        alarm_key(key, cases[i].node, cases[i].threshold, cases[i].instance);
        assert_string_equal(key, expected);
    }
    char key[ALARM_KEY_SIZE];
    alarm_key(key, "n", "t", "a b");
    assert_string_equal(key, "n:t:a_b:e751f11c");
}

static void test_keys_stay_distinct(void **state)
{
    (void)state;
    static const char *const parts[][3] = {
        {"n", "t", "a b"},   {"n", "t", "a_b"},   {"n", "t", "a/b"},     {"n", "t", "a\nb"},
        {"n", "t:a", "b"},   {"n:t", "a", "b"},   {"n", "t", "a:b"},     {"n", "t_a", "b"},
        {"n_t", "a", "b"},   {"", "", "n:t:a:b"}, {"n", "", "t:a:b"},    {"n", "t", ""},
        {"", "n", "t"},      {X30, X30, "abcd"},  {X30, X30, "abce"},    {X30, X30, X30 "1"},
        {X30, X30, X30 "2"}, {X30 X30, "", "1"},  {X30 X30 X30, "", ""}, {"\xff", "", ""},
        {"\xfe", "", ""},    {"_", "", ""},
    };
    enum { N = sizeof parts / sizeof *parts };
    char keys[N + 2][ALARM_KEY_SIZE];
    for (size_t i = 0; i < N; i++)
        alarm_key(keys[i], parts[i][0], parts[i][1], parts[i][2]);
    /* An instance that is named like the hashed key of another. */
    alarm_key(keys[N], "n", "t", keys[0] + strlen("n:t:"));
    alarm_key(keys[N + 1], "n", "t", keys[N] + strlen("n:t:"));
    for (size_t i = 0; i < N + 2; i++) {
        assert_in_range(strlen(keys[i]), 1, ALARM_KEY_SIZE - 1);
        assert_int_equal(strspn(keys[i], KEY_CHARS), strlen(keys[i]));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(keys[i], keys[j]);
    }
}

static void test_key_takes_every_octet(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) {
        char instance[2] = {(char)c, '\0'}, key[ALARM_KEY_SIZE];
        alarm_key(key, "n", "t", instance);
        bool plain = strchr(KEY_CHARS, c) != NULL;
        assert_int_equal(strlen(key), plain ? 5 : 14);
        assert_int_equal(key[4], plain ? instance[0] : '_');
        alarm_key(key, instance, "t", "i");
        assert_int_equal(strlen(key), plain && c != ':' ? 5 : 14);
    }
}

/* Of a key with a replaced octet, just as much is kept as leaves room for the digits. */
static void test_key_hash_is_whole(void **state)
{
    (void)state;
    for (size_t len = 1; len < 2 * ALARM_KEY_SIZE; len++) {
        char instance[2 * ALARM_KEY_SIZE + 1], whole_key[ALARM_KEY_SIZE + 8], *key = whole_key;
        memset(whole_key, 'U', sizeof whole_key);
        memset(instance, 'x', len);
        instance[len - 1] = ' ';
        instance[len] = '\0';
        alarm_key(key, "n", "t", instance);
        assert_memory_equal(key + ALARM_KEY_SIZE, "UUUUUUUU", 8);
        size_t whole = strlen("n:t:") + len + strlen(":01234567");
        size_t expected = whole < ALARM_KEY_SIZE ? whole : ALARM_KEY_SIZE - 1;
        assert_int_equal(strlen(key), expected);
        assert_int_equal(key[expected - 9], ':');
        assert_int_equal(strspn(key + expected - 8, "0123456789abcdef"), 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_text),           cmocka_unit_test(test_key_hash),
        cmocka_unit_test(test_keys_stay_distinct), cmocka_unit_test(test_key_takes_every_octet),
        cmocka_unit_test(test_key_hash_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
