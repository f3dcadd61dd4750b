/* One session with an engine on loopback: what becomes of each request, whatever comes or does not
 * come. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "snmpv3/session.h"

#include "engines.h"
#include "heap.h"
#include "unit.h"

#define NOW (1000 * NS_PER_S)
#define LONG (3600 * NS_PER_S)
#define SHORT (20 * NS_PER_MS)
#define MARGIN NS_PER_MS
#define SOME 100 /* seconds that a test may take, since the library has a clock of its own */

static struct scene {
    struct engine_peer engine;
    struct session session;
    struct credential *credentials;
    struct credential *credential;
    size_t answers;
    long value;
} scene;

static void take(void *context, const netsnmp_pdu *pdu)
{
    struct scene *of = context;
    of->answers++;
    of->value = pdu->variables && pdu->variables->val.integer ? *pdu->variables->val.integer : -1;
}

static struct credential *credential_of(struct credential **all, const char *auth, const char *priv)
{
    struct usm_credential told = {
        .name = "site", .user = ENGINE_USER, .auth = AUTH_SHA256, .priv = PRIV_AES128};
    strcpy(told.auth_secret, auth);
    strcpy(told.priv_secret, priv);
    struct credential *credential = keys_set(all, &told);
    assert_non_null(credential);
    assert_null(credential->invalid);
    return credential;
}

static int scene_setup(void **state)
{
    (void)state;
    scene = (struct scene){.answers = 0};
    engine_begin(&scene.engine);
    scene.credential = credential_of(&scene.credentials, ENGINE_AUTH, ENGINE_PRIV);
    session_init(&scene.session, take, &scene);
    return 0;
}

static int scene_teardown(void **state)
{
    (void)state;
    session_close(&scene.session);
    keys_free(&scene.credentials);
    engine_end(&scene.engine);
    return 0;
}

/* -- Steps ----------------------------------------------------------------------------------- */

static void open_session(void)
{
    assert_true(session_open(&scene.session, scene.engine.address, scene.credential));
}

static netsnmp_pdu *question(void)
{
    static const oid name[] = {1, 3, 6, 1, 2, 1, 11, 1, 0};
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    assert_non_null(snmp_add_null_var(pdu, name, OID_LENGTH(name)));
    return pdu;
}

static void read_at(uint64_t now)
{
    netsnmp_large_fd_set readable;
    netsnmp_large_fd_set_init(&readable, FD_SETSIZE);
    NETSNMP_LARGE_FD_ZERO(&readable);
    session_read(&scene.session, &readable, now);
    if (session_fd(&scene.session) >= 0)
        assert_false(NETSNMP_LARGE_FD_ISSET(session_fd(&scene.session), &readable));
    netsnmp_large_fd_set_cleanup(&readable);
}

static void assert_waits(void)
{
    assert_int_equal(scene.session.outcome, SESSION_WAITING);
    assert_int_not_equal(scene.session.link->request, LINK_NO_REQUEST);
}

static void assert_fails(enum poll_failure failure, const char *text)
{
    assert_int_equal(scene.session.outcome, SESSION_FAILED);
    assert_int_equal(scene.session.failure, failure);
    assert_string_equal(scene.session.text, text);
    assert_int_equal(scene.answers, 0);
    if (scene.session.link)
        assert_int_equal(scene.session.link->request, LINK_NO_REQUEST);
}

/* The engine ID becomes known. */
static void discover(void)
{
    open_session();
    session_discover(&scene.session, NOW, LONG);
    assert_true(engine_hears(&scene.engine));
    engine_reports(&scene.engine, REPORT_ENGINE, LEVEL_NONE);
    read_at(NOW);
    assert_int_equal(scene.session.outcome, SESSION_DISCOVERED);
}

/* A question, which the engine hears. */
static void ask(uint64_t timeout)
{
    open_session();
    session_ask(&scene.session, question(), NOW, timeout);
    assert_waits();
    assert_true(engine_hears(&scene.engine));
}

/* A question to an engine whose time is known, since it has answered one. */
static void ask_again(uint64_t timeout)
{
    discover();
    ask(LONG);
    engine_reports(&scene.engine, REPORT_TIME_WINDOW, LEVEL_AUTH);
    read_at(NOW);
    assert_true(engine_hears(&scene.engine));
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
    scene.answers = 0;
    ask(timeout);
}

static void wait_past(uint64_t timeout)
{
    const struct timespec pause = {.tv_nsec = (long)timeout + 5000000};
    nanosleep(&pause, NULL);
}

static void expire_twice(void)
{
    for (int i = 0; i < 2; i++) {
        wait_past(SHORT);
        session_expire(&scene.session, NOW);
    }
    while (engine_hears(&scene.engine))
        ;
}

/* -- Discovery ------------------------------------------------------------------------------- */

static void a_discovery(void **state)
{
    (void)state;
    assert_int_equal(session_fd(&scene.session), -1);
    assert_int_equal(scene.session.outcome, SESSION_IDLE);
    open_session();
    assert_true(session_fd(&scene.session) >= 0);
    assert_false(engine_hears(&scene.engine));
    session_discover(&scene.session, NOW, LONG);
    assert_waits();
    assert_int_equal(scene.session.sent, NOW);
    assert_int_equal(scene.session.deadline, NOW + LONG + MARGIN);
    assert_true(engine_hears(&scene.engine));
    assert_false(engine_hears(&scene.engine));
    const struct codec_message *message = &scene.engine.message;
    assert_int_equal(message->flags, SNMP_MSG_FLAG_RPRT_BIT);
    assert_int_equal(message->engine.len, 0);
    assert_int_equal(message->user.len, 0);
    assert_int_equal(message->boots, 0);
    assert_int_equal(message->time, 0);
    assert_int_equal(message->id, scene.session.link->request);
    assert_int_equal(scene.engine.pdu.type, SNMP_MSG_GET);
    assert_false(scene.session.alive);
    engine_reports(&scene.engine, REPORT_ENGINE, LEVEL_NONE);
    read_at(NOW + 5);
    assert_int_equal(scene.session.outcome, SESSION_DISCOVERED);
    assert_true(scene.session.alive);
    assert_false(scene.session.proven);
    assert_int_equal(scene.session.engine.len, scene.engine.id_len);
    assert_memory_equal(scene.session.engine.id, scene.engine.id, scene.engine.id_len);
    assert_int_equal(scene.session.engine.boots, 0);
    assert_int_equal(scene.session.link->request, LINK_NO_REQUEST);
    assert_int_equal(scene.answers, 0);
    assert_null(scene.session.keys.credential);
}

static void engine_ids_of_all_lengths(void **state)
{
    (void)state;
    static const uint8_t id[40] = {0x80, 1, 2, 3, 4, 5};
    for (size_t len = 4; len <= 33; len++) {
        engine_name(&scene.engine, id, len);
        session_close(&scene.session);
        session_init(&scene.session, take, &scene);
        open_session();
        session_discover(&scene.session, NOW, LONG);
        assert_true(engine_hears(&scene.engine));
        engine_reports(&scene.engine, REPORT_ENGINE, LEVEL_NONE);
        read_at(NOW);
        if (len == 33) { /* the library does not read it */
            assert_int_not_equal(scene.session.outcome, SESSION_DISCOVERED);
            continue;
        }
        if (len < 5) {
            assert_fails(POLL_GARBAGE, "its engine ID is not 5 to 32 octets long");
            continue;
        }
        assert_int_equal(scene.session.outcome, SESSION_DISCOVERED);
        assert_int_equal(scene.session.engine.len, len);
    }
}

/* What answers a discovery and is no REPORT. */
static void no_discovery(void **state)
{
    (void)state;
    open_session();
    session_discover(&scene.session, NOW, SHORT);
    assert_true(engine_hears(&scene.engine));
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_NONE);
    read_at(NOW);
    assert_waits();
    expire_twice();
    assert_fails(POLL_TIMEOUT, "no answer");
    assert_int_equal(scene.session.engine.len, 0);
}

/* -- Questions ------------------------------------------------------------------------------- */

static void a_question(void **state)
{
    (void)state;
    discover();
    open_session();
    assert_ptr_equal(scene.session.keys.credential, scene.credential);
    session_ask(&scene.session, question(), NOW + 1, LONG);
    assert_waits();
    assert_int_equal(scene.session.sent, NOW + 1);
    assert_int_equal(scene.session.deadline, NOW + 1 + LONG + MARGIN);
    assert_true(engine_hears(&scene.engine));
    assert_int_equal(scene.engine.message.flags, LEVEL_PRIV | SNMP_MSG_FLAG_RPRT_BIT);
    assert_int_equal(scene.engine.message.user.len, strlen(ENGINE_USER));
    assert_memory_equal(scene.engine.message.user.at, ENGINE_USER, strlen(ENGINE_USER));
    assert_int_equal(scene.engine.message.engine.len, scene.engine.id_len);

    /* Its time is not known yet: it tells, and is asked again at once. */
    engine_reports(&scene.engine, REPORT_TIME_WINDOW, LEVEL_AUTH);
    read_at(NOW + NS_PER_S);
    assert_waits();
    assert_int_equal(scene.session.sent, NOW + NS_PER_S);
    assert_int_equal(scene.session.deadline, NOW + NS_PER_S + LONG + MARGIN);
    assert_true(engine_hears(&scene.engine));
    assert_int_equal(scene.engine.message.boots, 7);
    assert_in_range(scene.engine.message.time, 1000, 1000 + SOME);
    assert_int_equal(scene.engine.message.id, scene.session.link->request);
    assert_int_equal(scene.engine.pdu.type, SNMP_MSG_GET);

    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW + 61 * NS_PER_S);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
    assert_int_equal(scene.answers, 1);
    assert_int_equal(scene.value, 17);
    assert_true(scene.session.proven);
    assert_int_equal(scene.session.engine.boots, 7);
    assert_int_equal(scene.session.round_trip, 60 * NS_PER_S - scene.session.link->waited);
    assert_int_equal(scene.session.link->request, LINK_NO_REQUEST);
    assert_false(engine_hears(&scene.engine));
}

/* A second answer is nobody's, nor is what comes after the end. */
static void answers_that_come_twice(void **state)
{
    (void)state;
    ask_again(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    engine_reports(&scene.engine, REPORT_DIGEST, LEVEL_NONE);
    read_at(NOW);
    assert_int_equal(scene.answers, 1);
    read_at(NOW);
    read_at(NOW);
    assert_int_equal(scene.answers, 1);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
    assert_int_equal(scene.session.round_trip, 0); /* it cannot have waited longer than it took */
}

/* Its time stays known: the next question is answered without a REPORT. */
static void the_time_stays_known(void **state)
{
    (void)state;
    ask_again(LONG);
    assert_int_equal(scene.engine.message.boots, 7);
    assert_in_range(scene.engine.message.time, 1000, 1000 + SOME);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.answers, 1);
}

static void no_question(void **state)
{
    (void)state;
    discover();
    open_session();
    session_ask(&scene.session, NULL, NOW, LONG);
    assert_fails(POLL_REFUSED, "no memory for the request");
    assert_false(engine_hears(&scene.engine));
}

/* A question that the library cannot put into a message. */
static void a_question_that_is_too_long(void **state)
{
    (void)state;
    static u_char octets[65000];
    static const oid name[] = {1, 3, 6, 1, 2, 1, 11, 1, 0};
    discover();
    open_session();
    netsnmp_pdu *pdu = question();
    for (int i = 0; i < 2; i++)
        snmp_pdu_add_variable(pdu, name, OID_LENGTH(name), ASN_OCTET_STR, octets, sizeof octets);
    session_ask(&scene.session, pdu, NOW, LONG);
    assert_fails(POLL_REFUSED, "the request cannot be sent");
    assert_false(engine_hears(&scene.engine));
}

/* -- Refusals -------------------------------------------------------------------------------- */

static void reports(void **state)
{
    (void)state;
    static const struct {
        enum engine_report report;
        uint8_t level;
        enum poll_failure failure;
        const char *text;
    } cases[] = {
        {REPORT_LEVEL, LEVEL_NONE, POLL_UNKNOWN_USER,
         "unsupportedSecLevels: its user has other protocols"},
        {REPORT_USER, LEVEL_NONE, POLL_UNKNOWN_USER, "unknownUserNames"},
        {REPORT_ENGINE, LEVEL_NONE, POLL_NEW_ENGINE, "another engine ID answers at this address"},
        {REPORT_DIGEST, LEVEL_NONE, POLL_WRONG_KEY,
         "wrongDigests: the authentication passphrase is not its own"},
        {REPORT_DECRYPTION, LEVEL_AUTH, POLL_WRONG_KEY,
         "decryptionErrors: the privacy passphrase is not its own"},
        {REPORT_OTHER, LEVEL_NONE, POLL_REFUSED, "refused by a REPORT"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        session_close(&scene.session);
        session_forget_keys(&scene.session);
        session_init(&scene.session, take, &scene);
        ask_again(LONG);
        scene.session.alive = false;
        engine_reports(&scene.engine, cases[i].report, cases[i].level);
        read_at(NOW);
        assert_fails(cases[i].failure, cases[i].text);
        assert_true(scene.session.alive);
    }
}

/* It says that the time is wrong, however often it is asked. */
static void out_of_the_window(void **state)
{
    (void)state;
    discover();
    ask(LONG);
    for (int i = 0; i < 2; i++) {
        engine_reports(&scene.engine, REPORT_TIME_WINDOW, LEVEL_AUTH);
        read_at(NOW);
        assert_waits();
        assert_true(engine_hears(&scene.engine));
    }
    engine_reports(&scene.engine, REPORT_TIME_WINDOW, LEVEL_AUTH);
    read_at(NOW);
    assert_false(engine_hears(&scene.engine));
    assert_fails(POLL_NOT_IN_WINDOW, "its time does not match what it says");
}

static void other_engines(void **state)
{
    (void)state;
    static const uint8_t other[] = {0x80, 0, 0x1f, 0x88, 4, 't', 'w', 'o'};
    ask_again(LONG);
    engine_name(&scene.engine, other, sizeof other);
    engine_reports(&scene.engine, REPORT_ENGINE, LEVEL_NONE);
    read_at(NOW);
    assert_fails(POLL_NEW_ENGINE, "another engine ID answers at this address");
    assert_int_equal(scene.session.found.len, sizeof other);
    assert_memory_equal(scene.session.found.id, other, sizeof other);
    assert_int_equal(scene.session.engine.id[7], 'e');
}

/* An answer in the name of another engine: the library has no user there. */
static void an_answer_of_another_engine(void **state)
{
    (void)state;
    static const uint8_t others[][8] = {{0x80, 0, 0x1f, 0x88, 4, 't', 'w', 'o'},
                                        {0x80, 0, 0x1f, 0x88, 4, 'o', 'n', 'e'}};
    static const size_t lengths[] = {8, 7};
    for (size_t i = 0; i < N_OF(lengths); i++) {
        session_close(&scene.session);
        session_forget_keys(&scene.session);
        session_init(&scene.session, take, &scene);
        engine_name(&scene.engine, others[1], 8);
        ask_again(LONG);
        engine_name(&scene.engine, others[i], lengths[i]);
        engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
        read_at(NOW);
        assert_fails(POLL_NEW_ENGINE, "another engine ID answers at this address");
        assert_int_equal(scene.session.found.len, lengths[i]);
    }
}

static void an_answer_of_another_user(void **state)
{
    (void)state;
    ask_again(SHORT);
    scene.engine.user = "nobody";
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_waits();
    expire_twice();
    assert_fails(POLL_GARBAGE, "what came could not be read, or was not authentic");
}

static void answers_of_lower_levels(void **state)
{
    (void)state;
    static const uint8_t levels[] = {LEVEL_NONE, LEVEL_AUTH};
    for (size_t i = 0; i < N_OF(levels); i++) {
        session_close(&scene.session);
        session_forget_keys(&scene.session);
        session_init(&scene.session, take, &scene);
        ask_again(SHORT);
        engine_says(&scene.engine, SNMP_MSG_RESPONSE, levels[i]);
        read_at(NOW);
        assert_waits();
        expire_twice();
        assert_fails(POLL_TIMEOUT, "no answer");
    }
}

static void no_answer_at_all(void **state)
{
    (void)state;
    static const uint8_t types[] = {SNMP_MSG_GET, SNMP_MSG_TRAP2};
    for (size_t i = 0; i < N_OF(types); i++) {
        session_close(&scene.session);
        session_forget_keys(&scene.session);
        session_init(&scene.session, take, &scene);
        ask_again(LONG);
        engine_says(&scene.engine, types[i], LEVEL_PRIV);
        read_at(NOW);
        assert_int_not_equal(scene.session.outcome, SESSION_ANSWERED);
        assert_int_equal(scene.answers, 0);
    }
}

/* Restored from an old copy: it says that it has started less often than it had. */
static void boots_that_go_back(void **state)
{
    (void)state;
    ask_again(LONG);
    scene.engine.boots = 6;
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_fails(POLL_NOT_IN_WINDOW, "its boot count went back: restored or cloned");
}

static void boots_that_go_on(void **state)
{
    (void)state;
    ask_again(LONG);
    scene.engine.boots = 8;
    scene.engine.time = 3;
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
    assert_int_equal(scene.session.engine.boots, 8);
}

/* -- Silence --------------------------------------------------------------------------------- */

static void too_early(void **state)
{
    (void)state;
    ask_again(LONG);
    session_expire(&scene.session, NOW + 3); /* by the library's clock it is */
    assert_int_equal(scene.session.deadline, NOW + 3 + MARGIN);
    assert_false(engine_hears(&scene.engine));
    assert_waits();
}

static void silence(void **state)
{
    (void)state;
    ask_again(SHORT);
    long first = scene.engine.message.id;
    wait_past(SHORT);
    session_expire(&scene.session, NOW + SHORT);
    assert_waits();
    assert_int_equal(scene.session.sent, NOW + SHORT);
    assert_int_equal(scene.session.deadline, NOW + 2 * SHORT + MARGIN);
    assert_true(engine_hears(&scene.engine)); /* once more */
    assert_int_equal(scene.engine.message.id, scene.session.link->request);
    assert_int_not_equal(scene.engine.message.id, first);
    wait_past(SHORT);
    session_expire(&scene.session, NOW + 2 * SHORT);
    assert_fails(POLL_TIMEOUT, "no answer");
    assert_false(engine_hears(&scene.engine));
}

static void an_answer_to_the_second_try(void **state)
{
    (void)state;
    ask_again(SHORT);
    wait_past(SHORT);
    session_expire(&scene.session, NOW + SHORT);
    assert_true(engine_hears(&scene.engine));
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW + SHORT + NS_PER_S);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
    assert_int_equal(scene.session.round_trip, NS_PER_S - scene.session.link->waited);
}

/* An answer that was read, and not taken, in the try before does not count in the next question. */
static void garbage_is_forgotten(void **state)
{
    (void)state;
    ask_again(LONG);
    scene.engine.user = "nobody";
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_waits();
    session_close(&scene.session);
    ask(SHORT);
    expire_twice();
    assert_fails(POLL_TIMEOUT, "no answer");
}

/* It answers a discovery and is silent then: what cannot be decrypted is dropped without a word. */
static void silent_but_there(void **state)
{
    (void)state;
    discover();
    ask(SHORT);
    expire_twice();
    assert_fails(POLL_WRONG_KEY, "silent, but there: is the privacy passphrase its own?");
}

static void nobody_there(void **state)
{
    (void)state;
    open_session();
    session_discover(&scene.session, NOW, SHORT);
    expire_twice();
    assert_fails(POLL_TIMEOUT, "no answer");
}

static void a_wrong_digest(void **state)
{
    (void)state;
    ask_again(SHORT);
    scene.engine.keys.auth[0] ^= 1;
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    scene.engine.keys.auth[0] ^= 1;
    read_at(NOW);
    assert_waits();
    expire_twice();
    assert_fails(POLL_GARBAGE, "what came could not be read, or was not authentic");
}

static void a_closed_port(void **state)
{
    (void)state;
    discover();
    open_session();
    close(scene.engine.fd);
    scene.engine.fd = -1;
    session_ask(&scene.session, question(), NOW, LONG);
    if (scene.session.outcome == SESSION_WAITING)
        read_at(NOW);
    assert_fails(POLL_UNREACHABLE, "Connection refused");
}

/* -- Open, rest and close -------------------------------------------------------------------- */

static void no_address(void **state)
{
    (void)state;
    assert_false(session_open(&scene.session, "udp:nowhere:161", scene.credential));
    assert_fails(POLL_UNREACHABLE, "not a numeric address");
    assert_int_equal(session_fd(&scene.session), -1);
}

static void no_keys(void **state)
{
    (void)state;
    discover();
    scene.credential->auth_ku.len = 1;
    assert_false(session_open(&scene.session, scene.engine.address, scene.credential));
    assert_fails(POLL_NO_CREDENTIAL, "no key can be made for its engine ID");
    scene.credential->auth_ku.len = 0;
    assert_false(session_open(&scene.session, scene.engine.address, scene.credential));
    assert_fails(POLL_NO_CREDENTIAL,
                 "the credential has no passphrases, and the child has no keys");
}

/* -- Keys that somebody else has localized --------------------------------------------------- */

static void forget_passphrases(void)
{
    scene.credential->auth_ku = scene.credential->priv_ku = (struct usm_key){.len = 0};
}

static struct localized_keys keys_for(const struct engine_peer *engine)
{
    struct localized_keys keys = {
        .engine_id_len = (uint8_t)engine->id_len, .auth_len = 32, .priv_len = 32};
    memcpy(keys.engine_id, engine->id, engine->id_len);
    memcpy(keys.auth, engine->keys.auth, 32);
    memcpy(keys.priv, engine->keys.priv, 32);
    return keys;
}

static void localized_keys_are_used(void **state)
{
    (void)state;
    const struct localized_keys keys = keys_for(&scene.engine);
    forget_passphrases();
    scene.session.localized = &keys;
    ask_again(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
    assert_int_equal(scene.answers, 1);
    assert_true(scene.session.proven);
}

/* They come before passphrases: a wrong one is complained of as a wrong passphrase is. */
static void a_wrong_localized_key(void **state)
{
    (void)state;
    struct localized_keys keys = keys_for(&scene.engine);
    scene.session.localized = &keys;
    discover();
    open_session();
    assert_memory_equal(scene.session.keys.auth.octets, keys.auth, 32);
    session_forget_keys(&scene.session);
    keys.auth[0] ^= 1;
    memcpy(scene.engine.keys.auth, keys.auth, 32); /* what it would report, it does not find */
    ask(LONG);
    engine_reports(&scene.engine, REPORT_DIGEST, LEVEL_NONE);
    read_at(NOW);
    assert_fails(POLL_WRONG_KEY, "wrongDigests: the authentication passphrase is not its own");
}

static void keys_of_no_use(void **state)
{
    (void)state;
    struct localized_keys keys = keys_for(&scene.engine);
    keys.auth_len = 31;
    scene.session.localized = &keys;
    discover();
    assert_false(session_open(&scene.session, scene.engine.address, scene.credential));
    assert_fails(POLL_NO_CREDENTIAL, "its keys are not as long as its protocols need them");
}

/* Whether it is found out now or was known before: nothing is sent to it. */
static void keys_for_another_engine(void **state)
{
    (void)state;
    struct localized_keys keys = keys_for(&scene.engine);
    keys.engine_id[7] ^= 1;
    scene.session.localized = &keys;
    open_session();
    session_discover(&scene.session, NOW, LONG);
    assert_true(engine_hears(&scene.engine));
    engine_reports(&scene.engine, REPORT_ENGINE, LEVEL_NONE);
    read_at(NOW);
    assert_fails(POLL_NEW_ENGINE, "its keys are for another engine ID");
    assert_int_equal(scene.session.found.len, scene.engine.id_len);
    assert_memory_equal(scene.session.found.id, scene.engine.id, scene.engine.id_len);
    assert_int_equal(scene.session.engine.len, 0);
    scene.session.localized = NULL;
    session_close(&scene.session);
    discover();
    scene.session.found.len = 0;
    scene.session.localized = &keys;
    assert_false(session_open(&scene.session, scene.engine.address, scene.credential));
    assert_fails(POLL_NEW_ENGINE, "its keys are for another engine ID");
    assert_int_equal(scene.session.found.len, scene.engine.id_len);
    assert_false(engine_hears(&scene.engine));
}

static void close_in_between(void **state)
{
    (void)state;
    ask_again(LONG);
    int fd = session_fd(&scene.session);
    session_close(&scene.session);
    assert_int_equal(scene.session.outcome, SESSION_IDLE);
    assert_int_equal(session_fd(&scene.session), -1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_false(scene.session.alive);
    assert_int_equal(scene.answers, 0);
    read_at(NOW); /* nothing happens */
    session_close(&scene.session);
    /* The keys and the engine stay. */
    assert_ptr_equal(scene.session.keys.credential, scene.credential);
    ask(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.answers, 1);
}

static void rest(void **state)
{
    (void)state;
    session_rest(&scene.session); /* which is not open */
    assert_int_equal(session_fd(&scene.session), -1);
    ask_again(LONG);
    int fd = session_fd(&scene.session);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.answers, 1);
    session_rest(&scene.session);
    assert_int_equal(session_fd(&scene.session), fd);
    assert_int_equal(scene.session.outcome, SESSION_IDLE);
    assert_null(scene.session.handle);
    /* What comes meanwhile is dropped. */
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    char octet;
    assert_int_equal(recv(fd, &octet, 1, MSG_PEEK | MSG_DONTWAIT), 1);
    read_at(NOW);
    assert_int_equal(recv(fd, &octet, 1, MSG_PEEK | MSG_DONTWAIT), -1);
    session_rest(&scene.session);
    assert_int_equal(session_fd(&scene.session), fd);
    ask(LONG);
    assert_int_equal(session_fd(&scene.session), fd);
    assert_int_equal(scene.session.resting_fd, -1);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.answers, 2);
    session_rest(&scene.session);
    session_close(&scene.session);
    assert_int_equal(session_fd(&scene.session), -1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void live(void)
{
    ask_again(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    session_rest(&scene.session);
    ask(LONG);
    session_close(&scene.session);
    session_open(&scene.session, scene.engine.address, scene.credential);
    session_ask(&scene.session, NULL, NOW, LONG);
    session_close(&scene.session);
    assert_false(session_open(&scene.session, "nowhere", scene.credential));
    session_forget_keys(&scene.session);
    session_init(&scene.session, take, &scene);
}

static void nothing_is_kept(void **state)
{
    (void)state;
    assert_keeps_nothing(live);
}

/* -- Keys and times -------------------------------------------------------------------------- */

static void keys_are_forgotten(void **state)
{
    (void)state;
    static const struct keys none;
    ask_again(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_true(scene.session.proven);
    session_forget_keys(&scene.session);
    assert_false(scene.session.proven);
    assert_memory_equal(&scene.session.keys, &none, sizeof none);
    scene.answers = 0;
    ask(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_true(scene.session.proven);
}

/* Boots of an earlier process: an engine that says fewer is an old recording. */
static void boots_from_before(void **state)
{
    (void)state;
    static const struct {
        uint32_t known, said; /* the boots in the question */
        bool taken;
    } cases[] = {{0, 7, true}, {6, 6, true}, {7, 7, true}, {8, 8, false}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        session_close(&scene.session);
        session_forget_keys(&scene.session);
        session_init(&scene.session, take, &scene);
        discover();
        scene.session.engine.boots = cases[i].known;
        ask(LONG);
        assert_int_equal(scene.engine.message.boots, cases[i].said);
        assert_in_range(scene.engine.message.time, cases[i].known ? 0 : 1000,
                        SOME + (cases[i].known ? 0 : 1000));
        engine_reports(&scene.engine, REPORT_TIME_WINDOW, LEVEL_AUTH);
        read_at(NOW);
        if ((scene.session.outcome == SESSION_WAITING) != cases[i].taken)
            fail_msg("boots of %u: %s", cases[i].known, scene.session.text);
        engine_hears(&scene.engine);
    }
    assert_fails(POLL_NOT_IN_WINDOW, "its boot count went back: restored or cloned");
}

/* Fewer boots than the library knows do not count. */
static void boots_known_already(void **state)
{
    (void)state;
    ask_again(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    session_forget_keys(&scene.session);
    scene.session.engine.boots = 5;
    ask(LONG);
    assert_int_equal(scene.engine.message.boots, 7);
    assert_in_range(scene.engine.message.time, 1000, 1000 + SOME);
}

static bool library_knows_the_engine(void)
{
    u_int boots, time;
    const struct snmp_engine *engine = &scene.session.engine;
    return get_enginetime(engine->id, engine->len, &boots, &time, FALSE) == SNMPERR_SUCCESS;
}

/* By the session, and not by the library. */
static void times_are_kept(void **state)
{
    (void)state;
    ask_again(LONG);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.session.known.boots, 7);
    assert_int_equal(scene.session.known.time, 1000);
    assert_int_equal(scene.session.known.heard_ns, NOW);
    assert_false(scene.session.guessed);
    assert_false(library_knows_the_engine());
    session_close(&scene.session);
    open_session();
    session_ask(&scene.session, question(), NOW + 500 * NS_PER_S, LONG);
    assert_false(library_knows_the_engine());
    assert_true(engine_hears(&scene.engine));
    assert_int_equal(scene.engine.message.boots, 7);
    assert_in_range(scene.engine.message.time, 1500, 1500 + SOME);
    session_close(&scene.session);
    session_forget_time(&scene.session);
    ask(LONG);
    assert_int_equal(scene.engine.message.boots, 0);
    assert_int_equal(scene.engine.message.time, 0);
}

/* What is not authentic is a guess, and never more than that. */
static void times_that_are_guessed(void **state)
{
    (void)state;
    discover();
    assert_true(scene.session.guessed);
    assert_int_equal(scene.session.known.boots, 7);
    assert_false(library_knows_the_engine());
    ask(LONG);
    assert_int_equal(scene.engine.message.boots, 7);
    scene.engine.boots = 5; /* it was a lie */
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
    assert_int_equal(scene.session.known.boots, 5);
    assert_false(scene.session.guessed);
    scene.answers = 0;
    ask(LONG);
    scene.engine.boots = 99;
    engine_reports(&scene.engine, REPORT_TIME_WINDOW, LEVEL_NONE);
    read_at(NOW);
    assert_int_equal(scene.session.known.boots, 5);
}

/* Numbers that no engine has. */
static void times_that_cannot_be(void **state)
{
    (void)state;
    static const uint32_t boots[] = {ENGINE_BOOTS_MAX, 0};
    for (size_t i = 0; i < sizeof boots / sizeof *boots; i++) {
        session_close(&scene.session);
        session_init(&scene.session, take, &scene);
        scene.engine.boots = boots[i];
        discover();
        assert_int_equal(scene.session.known.boots, 0);
    }
}

/* After a restore, on purpose: any time that is authentic is taken. */
static void a_time_is_forgotten(void **state)
{
    (void)state;
    ask_again(LONG);
    session_close(&scene.session);
    session_forget_time(&scene.session);
    scene.engine.boots = 2;
    ask(LONG);
    assert_int_equal(scene.engine.message.boots, 0);
    engine_reports(&scene.engine, REPORT_TIME_WINDOW, LEVEL_AUTH);
    read_at(NOW);
    assert_true(engine_hears(&scene.engine));
    assert_int_equal(scene.engine.message.boots, 2);
    engine_says(&scene.engine, SNMP_MSG_RESPONSE, LEVEL_PRIV);
    read_at(NOW);
    assert_int_equal(scene.session.outcome, SESSION_ANSWERED);
}

/* The files of other programs of Net-SNMP are not read. */
static void no_other_configuration(void **state)
{
    (void)state;
    assert_null(netsnmp_ds_get_string(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_SECNAME));
    assert_null(netsnmp_ds_get_string(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_PASSPHRASE));
}

static int start_library(void **state)
{
    (void)state;
    char dir[] = "/tmp/dcamp-test.XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/snmp.conf", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("defSecurityName somebody\ndefPassphrase something\n", file);
    fclose(file);
    setenv("SNMPCONFPATH", dir, 1);
    session_start_library();
    unlink(path);
    rmdir(dir);
    return 0;
}

static int stop_library(void **state)
{
    (void)state;
    session_stop_library();
    return 0;
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_configuration),
        scene_test(a_discovery),
        scene_test(engine_ids_of_all_lengths),
        scene_test(no_discovery),
        scene_test(a_question),
        scene_test(answers_that_come_twice),
        scene_test(the_time_stays_known),
        scene_test(no_question),
        scene_test(a_question_that_is_too_long),
        scene_test(reports),
        scene_test(out_of_the_window),
        scene_test(other_engines),
        scene_test(an_answer_of_another_engine),
        scene_test(an_answer_of_another_user),
        scene_test(answers_of_lower_levels),
        scene_test(no_answer_at_all),
        scene_test(boots_that_go_back),
        scene_test(boots_that_go_on),
        scene_test(too_early),
        scene_test(silence),
        scene_test(an_answer_to_the_second_try),
        scene_test(garbage_is_forgotten),
        scene_test(silent_but_there),
        scene_test(nobody_there),
        scene_test(a_wrong_digest),
        scene_test(a_closed_port),
        scene_test(no_address),
        scene_test(no_keys),
        scene_test(localized_keys_are_used),
        scene_test(a_wrong_localized_key),
        scene_test(keys_of_no_use),
        scene_test(keys_for_another_engine),
        scene_test(close_in_between),
        scene_test(rest),
        scene_test(nothing_is_kept),
        scene_test(keys_are_forgotten),
        scene_test(boots_from_before),
        scene_test(boots_known_already),
        scene_test(times_are_kept),
        scene_test(times_that_are_guessed),
        scene_test(times_that_cannot_be),
        scene_test(a_time_is_forgotten),
    };
    return cmocka_run_group_tests(tests, start_library, stop_library);
}
