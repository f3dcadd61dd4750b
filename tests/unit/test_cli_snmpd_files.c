/* The text of snmpd's files: lines and words, engine IDs, addresses, users. */
#include <stdlib.h>
#include <string.h>

#include "cli/snmpd_files.h"

#include "scarce.h"
#include "unit.h"

#define E1 "0x80001f8804756e69742d31"
#define E2 "0x80001f8804756e69742d32"
#define OF(engine, name, key)                                                                      \
    "usmUser 1 3 " engine " \"" name "\" \"" name "\" NULL .1.3.6.1.6.3.10.1.1.5 0x" key           \
    " .1.3.6.1.6.3.10.1.2.4 0x" key " 0x"

static const struct snmpd_user users[] = {{"dcampPoll", OF(E1, "dcampPoll", "ab01")},
                                          {"dcampAdmin", OF(E1, "dcampAdmin", "ab01")}};

/* -- Lines ----------------------------------------------------------------------------------- */

static void lines_and_words(void **state)
{
    (void)state;
    static const struct {
        const char *words[4]; /* NULL: there are no more */
    } expected[] = {
        {{"a", "b c", "", NULL}}, {{NULL}}, {{NULL}}, {{"\xff", NULL}}, {{"open end", NULL}}};
    const char *text = " a\t\"b c\" \"\"\r\n\n # a comment\n\xff\n\"open end";
    struct snmpd_line line = {.number = 0};
    for (size_t i = 0; i < N_OF(expected); i++) {
        assert_true(snmpd_next_line(&text, &line));
        assert_int_equal(line.number, i + 1);
        size_t n = 0;
        for (; expected[i].words[n]; n++) {
            assert_int_equal(line.words[n].len, strlen(expected[i].words[n]));
            assert_memory_equal(line.words[n].at, expected[i].words[n], line.words[n].len);
        }
        assert_int_equal(line.n, n);
    }
    assert_false(snmpd_next_line(&text, &line));
}

/* More words than count, and no end. */
static void many_words(void **state)
{
    (void)state;
    const char *text = "1 2 3 4 5 6 7 8 9 10 11 12 13 14\nx";
    struct snmpd_line line = {.number = 0};
    assert_true(snmpd_next_line(&text, &line));
    assert_int_equal(line.n, SNMPD_WORDS);
    assert_memory_equal(line.words[SNMPD_WORDS - 1].at, "12", 2);
    assert_string_equal(text, "x");
    assert_false(snmpd_is(&line, "2"));
    assert_true(snmpd_is(&line, "1"));
    assert_true(snmpd_next_line(&text, &line));
    assert_false(snmpd_is(&line, "x")); /* nothing is behind it */
}

/* -- Engines and addresses ------------------------------------------------------------------- */

static void engine_ids(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len; /* 0: it is none */
    } cases[] = {{"8000000001", 5},
                 {"0x8000000001", 5},
                 {"0X80000000aB", 5},
                 {"80000000", 0},
                 {"800000000", 0},
                 {"0x800000000", 0},
                 {"800000000g", 0},
                 {"", 0},
                 {"0x", 0},
                 {" 8000000001", 0},
                 {"80000000010", 0},
                 {"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f", 32},
                 {"000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f00", 0}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct snmpd_engine engine = {.len = 99};
        assert_int_equal(snmpd_read_engine(cases[i].text, strlen(cases[i].text), &engine),
                         cases[i].len != 0);
        assert_int_equal(engine.len, cases[i].len ? cases[i].len : 99);
    }
    struct snmpd_engine engine = {.len = 0};
    assert_int_equal(snmpd_find_engine("", "exactEngineID", &engine), 0);
    assert_int_equal(snmpd_find_engine("#exactEngineID " E1 "\nexactEngineID\nexactEngineID 0x12\n",
                                       "exactEngineID", &engine),
                     0);
    assert_int_equal(engine.len, 0);
    assert_int_equal(snmpd_find_engine("EXACTENGINEID " E1 "\noldEngineID " E2
                                       "\n\nexactEngineID " E2 " x\n",
                                       "exactEngineID", &engine),
                     4);
    assert_int_equal(engine.len, 11);
    assert_int_equal(engine.id[10], '2');
}

static void addresses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
    } cases[] = {
        {"", 0},
        {"agentaddress udp:a:1", 1},
        {"\nagentAddress 127.0.0.1,udp:a:1\n", 2},
        {"agentaddress 127.0.0.1,udp:a:1,[::1]", 1},
        {"agentaddress x udp:a:1", 1},
        {"agentaddress udp:a:11", 0},
        {"agentaddress xudp:a:1", 0},
        {"agentaddress ,", 0},
        {"#agentaddress udp:a:1", 0},
        {"sysName udp:a:1", 0},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(snmpd_find_address(cases[i].text, "udp:a:1"), cases[i].line);
    static const char *const good[] = {"161", "udp:161", "udp6:[fe80::1%eth0]:161", "host-1:161"},
                             *const bad[] = {"", "a b", "a\nb", "a,b", "a#", "\"a\"", "a;b"};
    for (size_t i = 0; i < N_OF(good); i++)
        assert_true(snmpd_is_address(good[i]));
    for (size_t i = 0; i < N_OF(bad); i++)
        assert_false(snmpd_is_address(bad[i]));
    char longest[129];
    memset(longest, 'a', sizeof longest);
    longest[128] = '\0';
    assert_false(snmpd_is_address(longest));
    longest[127] = '\0';
    assert_true(snmpd_is_address(longest));
}

static void first_words(void **state)
{
    (void)state;
    char word[6];
    snmpd_first("agentaddress toolong\nAgentAddress five5\nagentaddress other", "agentaddress",
                word, sizeof word);
    assert_string_equal(word, "five5");
    snmpd_first("agentaddress\n", "agentaddress", word, sizeof word);
    assert_string_equal(word, "");
    assert_true(snmpd_includes("x\nincludeDir /etc/d\n", "/etc/d"));
    assert_true(snmpd_includes("includedir \"/etc/d//\"", "/etc/d"));
    assert_false(snmpd_includes("includeDir /etc/dd\n#includeDir /etc/d\nincludeDir", "/etc/d"));
    assert_false(snmpd_includes("includeFile /etc/d", "/etc/d"));
}

/* -- Announcements --------------------------------------------------------------------------- */

static void to_whom(void **state)
{
    (void)state;
    static const char *const good[] = {"udp:192.0.2.1:1621", "192.0.2.1:1621",
                                       "udp:192.0.2.1:1621,udp6:[2001:db8::1]:162",
                                       "root.example.org:1621"};
    static const char *const bad[] = {"",
                                      ",",
                                      "udp:192.0.2.1",
                                      "udp:192.0.2.1:",
                                      "udp:192.0.2.1:0",
                                      "udp:192.0.2.1:65536",
                                      "udp::1621",
                                      "udp:192.0.2.1:1621,",
                                      ",udp:192.0.2.1:1621",
                                      "udp:192.0.2.1:1621 udp:192.0.2.2:1621",
                                      "udp:192.0.2.1:1621;x",
                                      "udp:192.0.2.1:1621\nrwuser me",
                                      "udp6:2001:db8::1:162"};
    for (size_t i = 0; i < N_OF(good); i++)
        if (!snmpd_are_addresses(good[i]))
            fail_msg("%s", good[i]);
    for (size_t i = 0; i < N_OF(bad); i++)
        if (snmpd_are_addresses(bad[i]))
            fail_msg("%s", bad[i]);
    char list[2 * SNMPD_ANNOUNCE_MAX] = "udp:192.0.2.1:1621";
    while (strlen(list) < SNMPD_ANNOUNCE_MAX)
        strcat(list, ",udp:192.0.2.1:1621");
    assert_false(snmpd_are_addresses(list));
}

/* What is written is what is found. */
static void announcements(void **state)
{
    (void)state;
    static const char addresses[] = "udp:192.0.2.1:1621,udp6:[2001:db8::1]:1621";
    char found[SNMPD_ANNOUNCE_MAX], many[8192] = "";
    char *lines = snmpd_announce_lines(addresses, ".1.3.6");
    assert_non_null(lines);
    assert_string_equal(lines, "notificationFilter dcampAnnounces .1.3.6 0x00 included\n"
                               "trapsess -profile dcampAnnounces -v 3 -l authPriv -u dcampPoll "
                               "udp:192.0.2.1:1621\n"
                               "trapsess -profile dcampAnnounces -v 3 -l authPriv -u dcampPoll "
                               "udp6:[2001:db8::1]:1621\n");
    snmpd_announced_to(lines, found);
    assert_string_equal(found, addresses);
    free(lines);
    snmpd_announced_to("# trapsess -profile dcampAnnounces -v 3 udp:192.0.2.1:1621\n"
                       "trapsess -profile dcampAlarms -v 3 -u dcampTrap udp:192.0.2.1:162\n"
                       "trapsess -profile dcampAnnounces\n"
                       "trapsess -v 3 -u dcampPoll udp:192.0.2.1:1621\n",
                       found);
    assert_string_equal(found, "");
    for (int i = 0; i < 60; i++)
        strcat(many, "trapsess -profile dcampAnnounces -v 3 udp:192.0.2.1:1621\n");
    snmpd_announced_to(many, found);
    assert_true(strlen(found) < SNMPD_ANNOUNCE_MAX);
    assert_true(snmpd_are_addresses(found));
}

/* -- Users ----------------------------------------------------------------------------------- */

#define HAS(text) snmpd_has_users(text, users, N_OF(users))
#define BOTH OF(E1, "dcampPoll", "ab01") "\n" OF(E1, "dcampAdmin", "ab01") "\n"

static void users_that_are_there(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool has;
    } cases[] = {
        {BOTH, true},
        {"# more\n" BOTH "engineBoots 3\n", true},
        {OF(E1, "dcampAdmin", "ab01") "\n" OF(E1, "dcampPoll", "AB01") " \n", true},
        {BOTH OF(E2, "dcampPoll", "ab01") "\n", true}, /* of another engine, for informs */
        {BOTH OF(E1, "other", "ab02") "\n", true},
        {"", false},
        {OF(E1, "dcampPoll", "ab01") "\n", false},
        {OF(E1, "dcampPoll", "ab01") "\n" OF(E1, "dcampAdmin", "ab02") "\n", false},
        {OF(E1, "dcampPoll", "ab01") "\n" OF(E2, "dcampAdmin", "ab01") "\n", false},
        {OF(E1, "dcampPoll", "ab02") "\n" BOTH, false},
        {BOTH OF(E1, "dcampPoll", "ab02") "\n", false},
        {BOTH "createUser dcampPoll SHA-256 \"a\" AES \"b\"\n", false},
        {BOTH "createuser -e " E1 " dcampAdmin SHA-256 \"a\" AES \"b\"\n", false},
        {BOTH "createUser other SHA-256 \"a\" AES \"b\"\n", true},
        {BOTH "createUser -e " E1 "\ncreateUser\nusmUser\nusmUser 1 3 " E1 "\n", true},
        {"usmUser 1 3 " E1 " \"dcampPoll\" \"dcampPoll\"\n" BOTH, false},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        if (HAS(cases[i].text) != cases[i].has)
            fail_msg("%zu: %s", i, cases[i].text);
}

static void assert_put(const char *text, const char *expected)
{
    char *put = snmpd_put_users(text, users, N_OF(users));
    assert_string_equal(put, expected);
    assert_true(HAS(put));
    assert_int_equal(snmpd_find_passphrase(put, users, N_OF(users)), 0);
    char *again = snmpd_put_users(put, users, N_OF(users));
    assert_string_equal(again, put);
    free(again);
    free(put);
}

static void users_are_put(void **state)
{
    (void)state;
    assert_put("", BOTH);
    assert_put("no end", "no end\n" BOTH);
    assert_put(BOTH, BOTH);
    assert_put("# first\n" OF(E2, "dcampPoll", "cd") "\n" OF(
                   E1, "other", "ab") "\n"
                                      "createUser dcampAdmin SHA-256 \"a b\" AES \"c "
                                      "d\"\ncreateUser other MD5 x\nend\n",
               "# first\n" OF(E1, "other", "ab") "\ncreateUser other MD5 x\nend\n" BOTH);
    scarce_fail(1);
    assert_null(snmpd_put_users("x", users, N_OF(users)));
    assert_true(scarce_stop());
}

static void where_a_passphrase_is(void **state)
{
    (void)state;
    assert_int_equal(snmpd_find_passphrase(BOTH "\n#createUser dcampPoll\n", users, 2), 0);
    assert_int_equal(snmpd_find_passphrase("\ncreateUser \"dcampPoll\" x", users, 2), 2);
    assert_int_equal(snmpd_find_passphrase("createUser -e " E1 " dcampAdmin", users, 2), 1);
    assert_int_equal(snmpd_find_passphrase("createUser dcampAdmins\n", users, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_words), cmocka_unit_test(many_words),
        cmocka_unit_test(engine_ids),      cmocka_unit_test(addresses),
        cmocka_unit_test(first_words),     cmocka_unit_test(users_that_are_there),
        cmocka_unit_test(users_are_put),   cmocka_unit_test(where_a_passphrase_is),
        cmocka_unit_test(to_whom),         cmocka_unit_test(announcements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
