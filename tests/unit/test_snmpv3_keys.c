/* Credentials and keys: which are taken, what is said of others, and that nothing is kept of them.
 * That the keys are right, test_snmpv3_session finds out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "snmpv3/keys.h"
#include "snmpv3/session.h"

#include "heap.h"
#include "scarce.h"
#include "unit.h"

static struct usm_credential told(const char *name, enum auth_protocol auth,
                                  enum priv_protocol priv)
{
    struct usm_credential credential = {.auth = auth, .priv = priv, .user = "somebody"};
    snprintf(credential.name, sizeof credential.name, "%s", name);
    strcpy(credential.auth_secret, "maplesyrup");
    strcpy(credential.priv_secret, "marmalade");
    return credential;
}

static const uint8_t engine[] = {0x80, 0, 0, 0, 5, 1};

static void protocols(void **state)
{
    (void)state;
    static const struct {
        enum auth_protocol auth;
        enum priv_protocol priv;
        const oid *auth_oid, *priv_oid;
        size_t ku_len;
    } cases[] = {
        {AUTH_SHA256, PRIV_AES128, usmHMAC192SHA256AuthProtocol, usmAESPrivProtocol, 32},
        {AUTH_SHA512, PRIV_AES128, usmHMAC384SHA512AuthProtocol, usmAESPrivProtocol, 64},
        {AUTH_SHA256, PRIV_AES256, usmHMAC192SHA256AuthProtocol, usmAES256PrivProtocol, 32},
        {AUTH_SHA512, PRIV_AES256, usmHMAC384SHA512AuthProtocol, usmAES256PrivProtocol, 64},
    };
    struct credential *all = NULL;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct usm_credential one = told("site", cases[i].auth, cases[i].priv);
        struct credential *credential = keys_set(&all, &one);
        assert_non_null(credential);
        assert_null(credential->invalid);
        assert_string_equal(credential->name, "site");
        assert_string_equal(credential->user, "somebody");
        assert_int_equal(snmp_oid_compare(credential->auth, credential->auth_len, cases[i].auth_oid,
                                          OID_LENGTH(usmHMAC192SHA256AuthProtocol)),
                         0);
        assert_int_equal(credential->priv_len, cases[i].priv == PRIV_AES128
                                                   ? OID_LENGTH(usmAESPrivProtocol)
                                                   : OID_LENGTH(usmAES256PrivProtocol));
        assert_memory_equal(credential->priv, cases[i].priv_oid,
                            credential->priv_len * sizeof(oid));
        assert_int_equal(credential->auth_ku.len, cases[i].ku_len);
        assert_int_equal(credential->priv_ku.len, cases[i].ku_len);
        assert_memory_not_equal(credential->auth_ku.octets, credential->priv_ku.octets,
                                cases[i].ku_len);
    }
    assert_int_equal(HASH_COUNT(all), 1);
    keys_free(&all);
    assert_null(all);
}

static void what_is_wrong_with_it(void **state)
{
    (void)state;
    static const struct {
        enum auth_protocol auth;
        enum priv_protocol priv;
        const char *user, *auth_secret, *priv_secret, *fault, *said;
    } cases[] = {
        {AUTH_SHA256, PRIV_AES128, "u", "12345678", "12345678", "", NULL},
        {AUTH_SHA256, PRIV_AES128, "u", "1234567", "12345678", "",
         "a passphrase is shorter than 8 octets"},
        {AUTH_SHA256, PRIV_AES128, "u", "12345678", "1234567", "",
         "a passphrase is shorter than 8 octets"},
        {AUTH_SHA256, PRIV_AES128, "u", "", "12345678", "",
         "a passphrase is shorter than 8 octets"},
        {AUTH_SHA256, PRIV_AES128, "u", "12345678", "", "",
         "a passphrase is shorter than 8 octets"},
        {AUTH_SHA256, PRIV_AES128, "u", "", "", "", NULL}, /* its children have keys */
        {AUTH_SHA256, PRIV_AES128, "", "12345678", "12345678", "", "the user has no name"},
        {0, PRIV_AES128, "u", "12345678", "12345678", "", "no such authentication protocol"},
        {3, PRIV_AES128, "u", "12345678", "12345678", "", "no such authentication protocol"},
        {AUTH_SHA512, 0, "u", "12345678", "12345678", "", "no such privacy protocol"},
        {AUTH_SHA512, 3, "u", "12345678", "12345678", "", "no such privacy protocol"},
        {AUTH_SHA256, PRIV_AES128, "", "", "", "the file is not there", "the file is not there"},
        {AUTH_SHA256, PRIV_AES128, "u", "12345678", "12345678", "", NULL},
    };
    struct credential *all = NULL;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct usm_credential one = told("site", cases[i].auth, cases[i].priv);
        strcpy(one.user, cases[i].user);
        strcpy(one.auth_secret, cases[i].auth_secret);
        strcpy(one.priv_secret, cases[i].priv_secret);
        strcpy(one.fault, cases[i].fault);
        struct credential *credential = keys_set(&all, &one);
        assert_non_null(credential);
        if (cases[i].said)
            assert_string_equal(credential->invalid, cases[i].said);
        else
            assert_null(credential->invalid);
        if (!cases[i].said)
            assert_int_equal(keys_can_localize(credential), cases[i].auth_secret[0] != '\0');
        assert_ptr_equal(keys_find(all, "site"), credential);
    }
    keys_free(&all);
}

static void by_name(void **state)
{
    (void)state;
    struct credential *all = NULL;
    struct usm_credential first = told("first", AUTH_SHA256, PRIV_AES128),
                          second = told("second", AUTH_SHA256, PRIV_AES128);
    assert_null(keys_find(all, "first"));
    struct credential *one = keys_set(&all, &first), *other = keys_set(&all, &second);
    assert_ptr_not_equal(one, other);
    assert_ptr_equal(keys_find(all, "first"), one);
    assert_ptr_equal(keys_find(all, "second"), other);
    assert_null(keys_find(all, "third"));
    assert_ptr_equal(keys_set(&all, &first), one); /* where it was: others point to it */
    assert_int_equal(HASH_COUNT(all), 2);
    keys_free(&all);
    assert_null(all);
    keys_free(&all);
}

static void set_and_free(void)
{
    struct credential *all = NULL;
    struct usm_credential first = told("first", 0, 0), second = told("second", 0, 0);
    keys_set(&all, &first);
    keys_set(&all, &second);
    keys_set(&all, &first);
    keys_free(&all);
}

static void without_memory(void **state)
{
    (void)state;
    struct credential *all = NULL;
    struct usm_credential one = told("site", 0, 0);
    size_t failures = 0;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        scarce_fail(nth);
        struct credential *credential = keys_set(&all, &one);
        failed = scarce_stop();
        assert_int_equal(credential == NULL, failed);
        assert_ptr_equal(keys_find(all, "site"), credential);
        failures += failed;
        keys_free(&all);
    }
    assert_true(failures >= 2);
    assert_keeps_nothing(set_and_free);
}

/* RFC 3414, section 2.6, with the hash of RFC 7860: H(Ku | engine | Ku). */
static void keys_of_an_engine(void **state)
{
    (void)state;
    struct credential *all = NULL;
    struct usm_credential one = told("site", AUTH_SHA256, PRIV_AES256);
    const struct credential *credential = keys_set(&all, &one);
    struct keys keys = {.credential = NULL};
    uint8_t id[sizeof engine], ends[2 * 32 + sizeof engine];
    memcpy(id, engine, sizeof id);
    assert_true(keys_localize(credential, engine, sizeof engine, &keys));
    assert_ptr_equal(keys.credential, credential);
    const struct usm_key *const kus[] = {&credential->auth_ku, &credential->priv_ku};
    const struct usm_key *const kuls[] = {&keys.auth, &keys.priv};
    for (size_t i = 0; i < 2; i++) {
        u_char digest[64];
        size_t len = sizeof digest;
        memcpy(ends, kus[i]->octets, 32);
        memcpy(ends + 32, engine, sizeof engine);
        memcpy(ends + 32 + sizeof engine, kus[i]->octets, 32);
        assert_int_equal(
            sc_hash(credential->auth, credential->auth_len, ends, sizeof ends, digest, &len),
            SNMPERR_SUCCESS);
        assert_int_equal(kuls[i]->len, 32);
        assert_memory_equal(kuls[i]->octets, digest, 32);
    }
    struct usmUser user = keys_user(&keys, id, sizeof id);
    assert_ptr_equal(user.engineID, id);
    assert_int_equal(user.engineIDLen, sizeof id);
    assert_string_equal(user.name, "somebody");
    assert_string_equal(user.secName, "somebody");
    assert_ptr_equal(user.authProtocol, credential->auth);
    assert_int_equal(user.authProtocolLen, credential->auth_len);
    assert_ptr_equal(user.privProtocol, credential->priv);
    assert_int_equal(user.privProtocolLen, credential->priv_len);
    assert_ptr_equal(user.authKey, keys.auth.octets);
    assert_ptr_equal(user.privKey, keys.priv.octets);
    assert_int_equal(user.authKeyLen, 32);
    assert_int_equal(user.privKeyLen, 32);
    assert_int_equal(user.userStatus, RS_ACTIVE);
    keys_forget(&keys);
    static const struct keys none;
    assert_memory_equal(&keys, &none, sizeof keys);
    keys_free(&all);
}

/* Of a credential that is none, there are none either, and none of before. */
static void no_keys(void **state)
{
    (void)state;
    struct credential *all = NULL;
    struct usm_credential one = told("site", AUTH_SHA256, PRIV_AES128);
    struct credential *credential = keys_set(&all, &one);
    struct keys keys;
    static const struct keys none;
    struct usm_key *const kus[] = {&credential->auth_ku, &credential->priv_ku};
    for (size_t i = 0; i < 2; i++) {
        assert_true(keys_localize(credential, engine, sizeof engine, &keys));
        size_t len = kus[i]->len;
        kus[i]->len = 0;
        assert_false(keys_localize(credential, engine, sizeof engine, &keys));
        assert_memory_equal(&keys, &none, sizeof keys);
        kus[i]->len = len;
    }
    keys_free(&all);
}

/* -- One key into another -------------------------------------------------------------------- */

/* RFC 3414, section 5, KeyChange, as the agent does it, where the key is not longer than what the
 * hash makes: new = H(old | random) xor delta. */
static void change_by_rfc(const struct credential *credential, const u_char *old, size_t len,
                          const u_char *change, u_char *new)
{
    u_char text[2 * 64], digest[64];
    size_t digest_len = sizeof digest;
    memcpy(text, old, len);
    memcpy(text + len, change, len);
    assert_int_equal(
        sc_hash(credential->auth, credential->auth_len, text, 2 * len, digest, &digest_len),
        SNMPERR_SUCCESS);
    assert_true(digest_len >= len);
    for (size_t i = 0; i < len; i++)
        new[i] = digest[i] ^ change[len + i];
}

static void one_key_into_another(void **state)
{
    (void)state;
    static const struct {
        enum auth_protocol auth;
        enum priv_protocol priv;
        size_t auth_len, priv_len;
    } cases[] = {
        {AUTH_SHA256, PRIV_AES128, 32, 16},
        {AUTH_SHA256, PRIV_AES256, 32, 32},
        {AUTH_SHA512, PRIV_AES128, 64, 16},
        {AUTH_SHA512, PRIV_AES256, 64, 32},
    };
    struct credential *all = NULL;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct usm_credential one = told("old", cases[i].auth, cases[i].priv),
                              other = told("new", cases[i].auth, cases[i].priv);
        struct keys from, to;
        struct key_change change, again;
        u_char key[64];
        strcpy(other.auth_secret, "of the next year");
        strcpy(other.priv_secret, "of the next year, too");
        const struct credential *credential = keys_set(&all, &one);
        assert_true(keys_localize(credential, engine, sizeof engine, &from));
        assert_true(keys_localize(keys_set(&all, &other), engine, sizeof engine, &to));
        assert_true(keys_change(&from, &to, &change));
        assert_int_equal(change.auth_len, 2 * cases[i].auth_len);
        assert_int_equal(change.priv_len, 2 * cases[i].priv_len);
        change_by_rfc(credential, from.auth.octets, cases[i].auth_len, change.auth, key);
        assert_memory_equal(key, to.auth.octets, cases[i].auth_len);
        change_by_rfc(credential, from.priv.octets, cases[i].priv_len, change.priv, key);
        assert_memory_equal(key, to.priv.octets, cases[i].priv_len);
        assert_true(keys_change(&from, &to, &again));
        assert_memory_not_equal(again.auth, change.auth, cases[i].auth_len);
        assert_memory_not_equal(again.priv, change.priv, cases[i].priv_len);
    }
    keys_free(&all);
}

static void keys_of_other_protocols(void **state)
{
    (void)state;
    struct credential *all = NULL;
    struct usm_credential one = told("old", AUTH_SHA256, PRIV_AES128);
    struct keys from, to, none = {.credential = NULL};
    struct key_change change;
    assert_true(keys_localize(keys_set(&all, &one), engine, sizeof engine, &from));
    struct usm_credential other = told("hash", AUTH_SHA512, PRIV_AES128);
    assert_true(keys_localize(keys_set(&all, &other), engine, sizeof engine, &to));
    assert_false(keys_change(&from, &to, &change));
    other = told("cipher", AUTH_SHA256, PRIV_AES256);
    assert_true(keys_localize(keys_set(&all, &other), engine, sizeof engine, &to));
    assert_false(keys_change(&from, &to, &change));
    assert_false(keys_change(&from, &none, &change));
    assert_false(keys_change(&none, &from, &change));
    to = from;
    to.priv.len = 8;
    assert_false(keys_change(&from, &to, &change));
    keys_free(&all);
}

/* -- Keys that somebody else has localized --------------------------------------------------- */

static struct localized_keys localized(uint8_t auth_len, uint8_t priv_len)
{
    struct localized_keys keys = {.engine_id_len = sizeof engine};
    memcpy(keys.engine_id, engine, sizeof engine);
    memset(keys.auth, 'a', keys.auth_len = auth_len);
    memset(keys.priv, 'p', keys.priv_len = priv_len);
    return keys;
}

static void keys_of_the_right_length(void **state)
{
    (void)state;
    static const struct {
        enum auth_protocol auth;
        enum priv_protocol priv;
        uint8_t auth_len, priv_len;
        bool taken;
    } cases[] = {
        {AUTH_SHA256, PRIV_AES128, 32, 32, true},  {AUTH_SHA256, PRIV_AES128, 32, 16, true},
        {AUTH_SHA256, PRIV_AES128, 32, 15, false}, {AUTH_SHA256, PRIV_AES128, 31, 32, false},
        {AUTH_SHA256, PRIV_AES128, 33, 32, false}, {AUTH_SHA256, PRIV_AES128, 64, 32, false},
        {AUTH_SHA256, PRIV_AES128, 0, 32, false},  {AUTH_SHA256, PRIV_AES128, 32, 0, false},
        {AUTH_SHA256, PRIV_AES256, 32, 32, true},  {AUTH_SHA256, PRIV_AES256, 32, 31, false},
        {AUTH_SHA512, PRIV_AES256, 64, 64, true},  {AUTH_SHA512, PRIV_AES256, 32, 64, false},
        {AUTH_SHA512, PRIV_AES128, 64, 16, true},
    };
    struct credential *all = NULL;
    static const struct keys none;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct usm_credential one = told("site", cases[i].auth, cases[i].priv);
        one.auth_secret[0] = one.priv_secret[0] = '\0';
        const struct credential *credential = keys_set(&all, &one);
        const struct localized_keys given = localized(cases[i].auth_len, cases[i].priv_len);
        struct keys keys = {.credential = NULL};
        assert_false(keys_localize(credential, engine, sizeof engine, &keys));
        assert_int_equal(keys_take(credential, &given, &keys), cases[i].taken);
        assert_int_equal(memcmp(&keys, &none, sizeof keys) != 0, cases[i].taken);
        if (!cases[i].taken)
            continue;
        assert_ptr_equal(keys.credential, credential);
        assert_int_equal(keys.auth.len, cases[i].auth_len);
        assert_int_equal(keys.priv.len, cases[i].priv_len);
        assert_memory_equal(keys.auth.octets, given.auth, given.auth_len);
        assert_memory_equal(keys.priv.octets, given.priv, given.priv_len);
    }
    keys_free(&all);
}

static void passphrases_may_go(void **state)
{
    (void)state;
    struct credential *all = NULL;
    struct usm_credential one = told("site", AUTH_SHA256, PRIV_AES128);
    const struct credential *credential = keys_set(&all, &one);
    static const struct usm_key none;
    assert_true(keys_can_localize(credential));
    one.auth_secret[0] = one.priv_secret[0] = '\0';
    keys_set(&all, &one);
    assert_false(keys_can_localize(credential));
    assert_memory_equal(&credential->auth_ku, &none, sizeof none);
    assert_memory_equal(&credential->priv_ku, &none, sizeof none);
    keys_free(&all);
}

static void kept_and_dropped(void **state)
{
    (void)state;
    const struct localized_keys one = localized(32, 32), none = {.auth_len = 0};
    struct localized_keys *kept = NULL;
    scarce_fail(1);
    assert_false(localized_keys_keep(&kept, &one));
    scarce_stop();
    assert_null(kept);
    assert_true(localized_keys_keep(&kept, &one));
    assert_memory_equal(kept, &one, sizeof one);
    struct localized_keys *first = kept;
    scarce_fail(1);
    assert_false(localized_keys_keep(&kept, &one));
    scarce_stop();
    assert_ptr_equal(kept, first);
    assert_true(localized_keys_keep(&kept, &none));
    assert_null(kept);
    assert_true(localized_keys_keep(&kept, &one));
    localized_keys_drop(&kept);
    localized_keys_drop(&kept);
    assert_null(kept);
}

static void same_and_other_keys(void **state)
{
    (void)state;
    const struct localized_keys one = localized(32, 32), none = {.auth_len = 0};
    assert_true(localized_keys_same(NULL, NULL));
    assert_true(localized_keys_same(NULL, &none));
    assert_true(localized_keys_same(&none, NULL));
    assert_false(localized_keys_same(&one, NULL));
    assert_false(localized_keys_same(&none, &one));
    assert_true(localized_keys_same(&one, &one));
    struct localized_keys others[6];
    for (size_t i = 0; i < N_OF(others); i++)
        others[i] = one;
    others[0].engine_id_len--;
    others[1].engine_id[0] ^= 1;
    others[2].auth_len--;
    others[3].auth[31] ^= 1;
    others[4].priv_len--;
    others[5].priv[31] ^= 1;
    for (size_t i = 0; i < N_OF(others); i++)
        assert_false(localized_keys_same(&one, &others[i]));
}

/* In a process of its own, as it is about that. */
static int protected_process(void)
{
    struct rlimit limit;
    keys_protect();
    if (prctl(PR_GET_DUMPABLE) != 0 || getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur != 0 ||
        limit.rlim_max != 0)
        return 1;
    keys_unprotect();
    return prctl(PR_GET_DUMPABLE) == 1 ? 0 : 2;
}

static void protection(void **state)
{
    (void)state;
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(protected_process());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protocols),
        cmocka_unit_test(what_is_wrong_with_it),
        cmocka_unit_test(by_name),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(keys_of_an_engine),
        cmocka_unit_test(no_keys),
        cmocka_unit_test(one_key_into_another),
        cmocka_unit_test(keys_of_other_protocols),
        cmocka_unit_test(keys_of_the_right_length),
        cmocka_unit_test(passphrases_may_go),
        cmocka_unit_test(kept_and_dropped),
        cmocka_unit_test(same_and_other_keys),
        cmocka_unit_test(protection),
    };
    session_start_library();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
